"""Scores of metrics and of people brought together, system by system and document by document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.errors import InputError, UnknownNameError
from bwb.metrics.stats_tests import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.metrics.meta_table import Key, ScoreTable

_LISTED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What one metric, judge or person says.

    Attributes:
        single: Scores of documents, shape (systems, documents); nan where there is none.
        whole: Scores of systems, shape (systems,).
        averaged: Whether `whole` is the mean of the documents that have a score.
        lower: Whether lower is better; the scores are then those of the file times -1.
    """

    single: Values
    whole: Values
    averaged: bool
    lower: bool


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """All that is correlated.

    Attributes:
        systems: Names of the systems.
        documents: Ids of the documents; empty if one side has none.
        metrics: Name → scores.
        human: Name → scores they are held against.
        left_out: Ids of one side only, by where they are; not empty only if asked for.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    metrics: dict[str, Column]
    human: dict[str, Column]
    left_out: dict[str, tuple[str, ...]]

    @property
    def columns(self) -> dict[str, Column]:
        """All columns, those of metrics first."""
        return self.metrics | self.human


def lower_is_better(
    names: Iterable[str], lower: Sequence[str] = (), higher: Sequence[str] = ()
) -> set[str]:
    """The names of scores that are better when lower.

    Args:
        names: Names of scores. Those of our metrics are known, as they are by default, also in
            capitals: ``ter``, ``TER``, ``ter.score``.
        lower: Those for which that is so, whatever we think.
        higher: Those for which it is not.

    Raises:
        UnknownNameError: if a name in `lower` or `higher` is not among them.
        InputError: if one is in both.
    """
    from bwb.metrics import METRICS

    known = list(names)
    for name in (*lower, *higher):
        if name not in known:
            raise UnknownNameError("score", name, known)
    if both := sorted(set(lower) & set(higher)):
        raise InputError(f"{both[0]!r} cannot be better both when lower and when higher")
    found = set(lower)
    for name in known:
        made = METRICS.get(name.casefold().removesuffix(".score"))
        if made is not None and not made().higher_is_better:
            found.add(name)
    return found - set(higher)


def merge(tables: Sequence[ScoreTable]) -> dict[str, dict[Key, float]]:
    """The scores of several files.

    Raises:
        InputError: if two have a metric of one name.
    """
    merged: dict[str, dict[Key, float]] = {}
    origin: dict[str, ScoreTable] = {}
    for table in tables:
        for name, rows in table.scores.items():
            if name in merged:
                raise InputError(f"{table.path}: {name!r} is also in {origin[name].path}")
            merged[name], origin[name] = rows, table
    return merged


def join(
    metrics: Mapping[str, Mapping[Key, float]],
    human: Mapping[str, Mapping[Key, float]],
    *,
    lower: Iterable[str] = (),
    common: bool = False,
) -> Grid:
    """Bring both sides together.

    Args:
        metrics: Metric → (system, document) → score.
        human: The same of people or judges.
        lower: Names of the scores that are better when lower.
        common: Whether systems and documents that one side lacks are left out.

    Raises:
        InputError: if the sides differ in systems or documents and `common` is not set, have
            none in common, or share the name of a column.
    """
    if shared := sorted(set(metrics) & set(human)):
        raise InputError(f"{shared[0]!r} is the name of a score on both sides; choose some by name")
    both = (metrics, human)
    systems, left_out = _ids("systems", _of(metrics, 0), _of(human, 0), common=common)
    named = [_of(side, 1) for side in both]
    documents: tuple[str, ...] = ()
    if all(named):
        documents, more = _ids("documents", named[0], named[1], common=common)
        left_out |= more
    flipped = set(lower)
    made = [
        {n: _column(rows, systems, documents, n in flipped) for n, rows in side.items()}
        for side in both
    ]
    return Grid(systems, documents, made[0], made[1], left_out)


def _of(side: Mapping[str, Mapping[Key, float]], place: int) -> dict[str, None]:
    """Systems (0) or documents (1), in the order of the file."""
    keys = (key[place] for rows in side.values() for key in rows)
    return {name: None for name in keys if name is not None}


def _ids(
    what: str, metrics: dict[str, None], human: dict[str, None], *, common: bool
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    lone = {
        f"{what} without human scores": tuple(n for n in metrics if n not in human),
        f"{what} without metric scores": tuple(n for n in human if n not in metrics),
    }
    lone = {where: names for where, names in lone.items() if names}
    if lone and not common:
        said = "; ".join(
            f"{where} ({len(names)}): {_listed(names)}" for where, names in lone.items()
        )
        raise InputError(f"{said}. Correct the ids, or ask for those in common with --common")
    kept = tuple(name for name in metrics if name in human)
    if not kept:
        raise InputError(
            f"the two sides have no {what} in common: {_listed(metrics)}; {_listed(human)}"
        )
    return kept, lone


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = f", … {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(map(repr, listed[:_LISTED])) + more


def _column(
    rows: Mapping[Key, float], systems: Sequence[str], documents: Sequence[str], lower: bool
) -> Column:
    sign = -1.0 if lower else 1.0
    single = np.array(
        [[rows.get((s, d), np.nan) for d in documents] for s in systems], dtype=np.float64
    ).reshape(len(systems), len(documents))
    averaged = not any(document is None for _, document in rows)
    if averaged:
        # The mean of a system's documents; of those kept only, where both sides have documents.
        kept = set(documents) if documents else {document for _, document in rows}
        of = {s: [v for (t, d), v in rows.items() if t == s and d in kept] for s in systems}
        whole = np.array([_mean(of[s]) for s in systems])
    else:
        whole = np.array([rows.get((s, None), np.nan) for s in systems])
    # Scores that are equal but for rounding are ties.
    return Column(
        np.round(sign * single, DECIMALS), np.round(sign * whole, DECIMALS), averaged, lower
    )


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not np.isnan(value)]
    return sum(defined) / len(defined) if defined else np.nan
