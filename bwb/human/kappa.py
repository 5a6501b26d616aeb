"""Do raters agree? Cohen's κ between every two who judged the same items.

What is compared is the preference between two systems of an item: the one, the other, or a tie
(Jiang et al. 2022; Bojar et al. 2016 for rankings of several systems). Every pair of systems
enters in both directions, so that κ does not depend on which system is named first: agreement by
chance is that of raters with the same share of ties, and it is near 1/2 if there are few. κ is
1 - (1 - observed) / (1 - chance); undefined if chance is 1.

The interval of the mean is over resampled items.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bwb.human.results import preference
from bwb.metrics.stats import interval, resample_weights

if TYPE_CHECKING:
    from bwb.human.design import Unit
    from bwb.human.judgements import Judgement
    from bwb.human.results import Cell
    from bwb.metrics.base import Values
    from bwb.metrics.stats import Interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree in a cell.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        first: Name of the one.
        second: Name of the other.
        items: Items that both judged.
        comparisons: Pairs of systems in them.
        observed: Share of these on which they agree.
        kappa: Cohen's κ; None if chance alone makes them agree.
    """

    unit: Unit
    criterion: str
    first: str
    second: str
    items: int
    comparisons: int
    observed: float
    kappa: float | None


@dataclass(frozen=True, slots=True)
class MeanAgreement:
    """The mean over the pairs of raters of a cell.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        pairs: Pairs of raters with items in common.
        observed: Mean share of agreement.
        kappa: Mean κ over pairs where it is defined; None if it is nowhere.
        interval: Interval of that; None for fewer than two items.
    """

    unit: Unit
    criterion: str
    pairs: int
    observed: float
    kappa: float | None
    interval: Interval | None


def agreements(
    cell: Cell, *, resamples: int = 2000, seed: int = 12345
) -> tuple[list[Agreement], MeanAgreement | None]:
    """κ of every two raters of a cell with items in common, and the mean; None if there are none.

    Args:
        cell: The cell.
        resamples: How often items are drawn for the interval.
        seed: Seed of the draws.
    """
    by_rater: dict[str, dict[str, Judgement]] = {}
    for judgement in cell.judgements:
        by_rater.setdefault(judgement.rater, {})[judgement.item] = judgement
    rows, tables = [], []
    for first, second in combinations(by_rater, 2):
        table = _tables(cell, by_rater[first], by_rater[second])
        whole = table.sum(axis=0)
        if not whole.any():
            continue
        tables.append(table)
        observed, kappa = (float(value[0]) for value in _kappa(whole[None]))
        rows.append(
            Agreement(
                cell.unit,
                cell.criterion,
                first,
                second,
                items=int(table.any(axis=(1, 2)).sum()),
                # Both directions are in the table.
                comparisons=int(whole.sum()) // 2,
                observed=observed,
                kappa=None if np.isnan(kappa) else kappa,
            )
        )
    if not rows:
        return [], None
    between = None
    if len(cell.items) > 1:
        weights = resample_weights(len(cell.items), resamples, seed)
        drawn = [_kappa(np.tensordot(weights, table, axes=1))[1] for table in tables]
        between = interval(_mean(np.stack(drawn)))
    defined = [row.kappa for row in rows if row.kappa is not None]
    return rows, MeanAgreement(
        cell.unit,
        cell.criterion,
        pairs=len(rows),
        observed=sum(row.observed for row in rows) / len(rows),
        kappa=sum(defined) / len(defined) if defined else None,
        interval=between,
    )


def _tables(cell: Cell, one: dict[str, Judgement], other: dict[str, Judgement]) -> Values:
    """How often each preference of one meets each of the other; shape (items, 3, 3)."""
    tables = np.zeros((len(cell.items), 3, 3))
    for number, item in enumerate(cell.items):
        if item not in one or item not in other:
            continue
        for left, right in combinations(one[item].orders, 2):
            mine = preference(one[item], left, right)
            theirs = preference(other[item], left, right)
            tables[number, 1 + mine, 1 + theirs] += 1
            tables[number, 1 - mine, 1 - theirs] += 1
    return tables


def _kappa(tables: Values) -> tuple[Values, Values]:
    """Observed agreement and κ of tables of shape (…, 3, 3); nan where undefined."""
    totals = tables.sum(axis=(-2, -1))
    safe = np.where(totals > 0, totals, np.nan)
    observed = np.trace(tables, axis1=-2, axis2=-1) / safe
    chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / safe**2
    room = np.where(np.isclose(chance, 1), np.nan, 1 - chance)
    return np.asarray(observed), np.asarray(1 - (1 - observed) / room)


def _mean(values: Values) -> Values:
    """Mean of each column over what is defined; nan where nothing is."""
    defined = ~np.isnan(values)
    times = defined.sum(axis=0)
    sums = np.where(defined, values, 0).sum(axis=0)
    return np.asarray(np.divide(sums, times, out=np.full(times.shape, np.nan), where=times > 0))
