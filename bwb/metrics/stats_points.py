"""What is correlated: scores of metrics, and of others, as columns of points.

A point is a document of a system (``documents``: all pooled; ``within``: one system at a time), or
a system (``systems``: its corpus score). Documents that a metric leaves out are undefined in its
column. Scores by others (human judgement, other tools) come from a table.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bwb.errors import Finding, FormatError, InputError, UnknownNameError
from bwb.metrics.stats_table import CountTable
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bwb.metrics.base import Values
    from bwb.metrics.scoring import Scored

Level = Literal["documents", "within", "systems"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(slots=True)
class Points:
    """Columns of scores.

    Attributes:
        systems: Names of the systems.
        documents: Ids of the documents.
        single: Column → scores of single documents, shape (systems, documents).
        whole: Column → corpus scores, shape (systems,).
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    single: dict[str, Values] = field(default_factory=dict)
    whole: dict[str, Values] = field(default_factory=dict)

    def pooled(self) -> dict[str, Values]:
        """Every document of every system is a point."""
        return {name: values.ravel() for name, values in self.single.items()}

    def within(self, system: str) -> dict[str, Values]:
        """Every document of a system is a point."""
        place = self.systems.index(system)
        return {name: values[place] for name, values in self.single.items()}


def collect(scored: Sequence[Scored], of: Mapping[str, Sequence[str]] | None = None) -> Points:
    """The scores of metrics as columns.

    Args:
        scored: The counts of each metric, all on the same systems.
        of: Metric → names of its scores, see `bwb.metrics.stats_table`; the reported one for
            metrics that are not named. A column is called ``entity``, or ``entity.PER.recall``.

    Raises:
        InputError: if there is nothing.
        UnknownNameError: if a metric has no such score.
    """
    if not scored:
        raise InputError("there are no scores to correlate")
    documents = tuple(dict.fromkeys(name for row in scored for name in row.documents))
    points = Points(tuple(scored[0].tallies), documents)
    place = {name: number for number, name in enumerate(documents)}
    for row in scored:
        names = (of or {}).get(row.metric.name, ("score",))
        table = CountTable.of(row.metric, row.tallies)
        single, whole = table.by_document(names), table.corpus(names)
        columns = [place[name] for name in row.documents]
        for number, name in enumerate(names):
            column = row.metric.name if name == "score" else f"{row.metric.name}.{name}"
            spread = np.full((len(points.systems), len(documents)), np.nan)
            spread[:, columns] = single[number]
            points.single[column], points.whole[column] = spread, whole[number]
    return points


def add_table(points: Points, path: Path, findings: list[Finding] | None = None) -> list[str]:
    """Add the scores of a table to the columns.

    Args:
        points: Changed in place.
        path: CSV, or TSV if its name ends so. The first line names the columns: ``system``,
            ``document`` if scores are of documents, and one for each score. An empty cell is
            undefined. The score of a system is the mean of its documents, if these are given.
        findings: Gets what was repaired in the file: a byte order mark, Windows line ends.

    Returns:
        The names of the columns added.

    Raises:
        FormatError: for a cell that is no number, a row that is too short or repeated, or a
            header without ``system``.
        UnknownNameError: for a system or document that was not scored.
    """
    lines, repaired = read_lines(path)
    if findings is not None:
        findings += repaired
    delimiter = "\t" if path.suffix.lower() in {".tsv", ".tab"} else ","
    rows = list(csv.reader(lines, delimiter=delimiter))
    header = [name.strip() for name in rows[0]] if rows else []
    keys = [name for name in ("system", "document") if name in header]
    names = [name for name in header if name not in keys]
    if "system" not in header or not names or len(set(header)) < len(header):
        message = f"columns {', '.join(header) or 'none'}; expected system, document (optional) "
        raise _wrong(path, 1, f"{message}and scores, each once")
    if taken := [name for name in names if name in points.whole]:
        raise _wrong(path, 1, f"column {taken[0]!r} is the name of a metric; call it otherwise")
    size = len(points.documents) if "document" in keys else 1
    found = {name: np.full((len(points.systems), size), np.nan) for name in names}
    seen = set()
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) != len(header):
            raise _wrong(path, number, f"{len(row)} cells, expected {len(header)}")
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        place = (
            _place("system", cells["system"], points.systems, path, number),
            _place("document", cells["document"], points.documents, path, number)
            if "document" in keys
            else 0,
        )
        if place in seen:
            raise _wrong(path, number, f"{' '.join(cells[key] for key in keys)} for a second time")
        seen.add(place)
        for name in names:
            found[name][place] = _value(cells[name], path, number)
    for name, values in found.items():
        single = values if "document" in keys else np.full(_shape(points), np.nan)
        points.single[name] = single
        points.whole[name] = np.array([_mean(row) for row in values])
    return names


def _shape(points: Points) -> tuple[int, int]:
    return len(points.systems), len(points.documents)


def _mean(values: Values) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else math.nan


def _place(what: str, name: str, known: Sequence[str], path: Path, line: int) -> int:
    if name not in known:
        raise UnknownNameError(f"{what} in {path.name}:{line}", name, known)
    return known.index(name)


def _value(cell: str, path: Path, line: int) -> float:
    if not cell:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise _wrong(path, line, f"{cell!r} is no score; expected a number, or nothing")
    return value


def _wrong(path: Path, line: int, message: str) -> FormatError:
    return FormatError(Finding(path.name, line, 0, "scores", message))
