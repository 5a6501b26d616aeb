"""What the judgements say: how systems stand, and who beats whom.

Every table is by unit and criterion (a cell). An item that several raters judged counts once, by
the mean of their judgements; intervals are percentile intervals over resampled items (Efron and
Tibshirani 1993, chapter 13). Items of one document are drawn as if they were independent, which
makes intervals somewhat too narrow where a few documents give many items.

A difference between two systems is tested by the sign test over items (Läubli et al. 2018): the
item goes to who is preferred by more of its raters, items without a preference are left out, p is
exact and two-sided, and Holm's correction is over the pairs of a cell.

The share of comparisons won and average rank say the same where an item shows all systems. The
best-minus-worst score is (times best - times worst) / times shown, from -1 to 1 (Kiritchenko and
Mohammad 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bwb.errors import UsageError
from bwb.metrics.stats import holm, interval, resample_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.human.design import Plan, Unit
    from bwb.human.judgements import Judgement
    from bwb.metrics.base import Values
    from bwb.metrics.stats import Interval


@dataclass(frozen=True, slots=True)
class Standing:
    """A system in a cell.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        system: Name of the system.
        items: Items it is judged in.
        rank: Its average rank, 1 is the best; None if it is judged nowhere.
        rank_interval: Interval of that; None for fewer than two items.
        won: Share of comparisons it wins, ties counting half; a fraction.
        won_interval: Interval of that.
        best: Share of judgements in which it is the best; None unless best-worst scaling.
        worst: Share of judgements in which it is the worst; None as above.
        score: Best minus worst; None as above.
        score_interval: Interval of that.
    """

    unit: Unit
    criterion: str
    system: str
    items: int
    rank: float | None
    rank_interval: Interval | None
    won: float | None
    won_interval: Interval | None
    best: float | None = None
    worst: float | None = None
    score: float | None = None
    score_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems in a cell.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        system: The one.
        other: The other.
        wins: Judgements that prefer the one.
        losses: Judgements that prefer the other.
        ties: Judgements that prefer neither.
        items_won: Items whose raters, taken together, prefer the one.
        items_lost: Items whose raters prefer the other; the rest are in neither.
        p: Of the sign test over items; None if no item has a preference.
        p_holm: Corrected over the pairs of the cell.
    """

    unit: Unit
    criterion: str
    system: str
    other: str
    wins: int
    losses: int
    ties: int
    items_won: int
    items_lost: int
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """The judgements of a unit and criterion as arrays; nan where a system is not shown.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        systems: Names of the systems.
        judgements: The judgements.
        items: Ids of the items.
        won: Share won, mean over an item's raters; shape (items, systems).
        rank: Rank, likewise.
        score: Best minus worst, likewise.
    """

    unit: Unit
    criterion: str
    systems: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    items: tuple[str, ...]
    won: Values
    rank: Values
    score: Values


def cells(plan: Plan, judgements: Sequence[Judgement]) -> list[Cell]:
    """The cells that hold anything, by criterion, then unit."""
    found = []
    for criterion in plan.criteria:
        for unit in plan.units:
            held = tuple(j for j in judgements if (j.unit, j.criterion) == (unit, criterion.name))
            if held:
                found.append(_cell(unit, criterion.name, plan.systems, held))
    return found


def standings(
    cell: Cell, *, bws: bool, resamples: int = 10_000, seed: int = 12345
) -> list[Standing]:
    """The systems of a cell, the best first."""
    weights = draws(cell, resamples, seed)

    def of(table: Values) -> tuple[list[float | None], list[Interval | None]]:
        found = [_number(value) for value in means(table)]
        if weights is None:
            return found, [None] * len(found)
        return found, [interval(row) for row in resampled(table, weights).T]

    (rank, ranks), (won, wons), (score, scores) = (of(t) for t in (cell.rank, cell.won, cell.score))
    made = []
    for place, system in enumerate(cell.systems):
        shown = [j for j in cell.judgements if system in j.values]
        picks = (
            (sum(system in j.best for j in shown), sum(system in j.worst for j in shown))
            if bws and shown
            else None
        )
        made.append(
            Standing(
                unit=cell.unit,
                criterion=cell.criterion,
                system=system,
                items=int((~np.isnan(cell.won[:, place])).sum()),
                rank=rank[place],
                rank_interval=ranks[place],
                won=won[place],
                won_interval=wons[place],
                best=picks[0] / len(shown) if picks else None,
                worst=picks[1] / len(shown) if picks else None,
                score=score[place] if bws else None,
                score_interval=scores[place] if bws else None,
            )
        )
    return sorted(made, key=lambda row: -1 if row.won is None else row.won, reverse=True)


def duels(cell: Cell) -> list[Duel]:
    """Every two systems of a cell, the better one first, by share of comparisons won."""
    won = means(cell.won)
    order = sorted(range(len(cell.systems)), key=lambda place: -np.nan_to_num(won[place], nan=-1))
    rows = []
    for one, other in combinations((cell.systems[place] for place in order), 2):
        signs: dict[str, int] = {}
        tally = {1: 0, 0: 0, -1: 0}
        for judgement in cell.judgements:
            if one in judgement.orders and other in judgement.orders:
                sign = preference(judgement, one, other)
                tally[sign] += 1
                signs[judgement.item] = signs.get(judgement.item, 0) + sign
        ahead, behind = (sum(s * d > 0 for s in signs.values()) for d in (1, -1))
        rows.append((one, other, tally, ahead, behind, sign_test(ahead, behind)))
    corrected = holm([row[-1] for row in rows])
    return [
        Duel(cell.unit, cell.criterion, one, other, t[1], t[-1], t[0], ahead, behind, p, p_holm)
        for (one, other, t, ahead, behind, p), p_holm in zip(rows, corrected, strict=True)
    ]


def preference(judgement: Judgement, one: str, other: str) -> int:
    """1 if the one is preferred, -1 if the other is, 0 if neither."""
    mine, theirs = judgement.orders[one], judgement.orders[other]
    return (mine < theirs) - (mine > theirs)


def sign_test(wins: int, losses: int) -> float | None:
    """Two-sided exact p of so many wins, if both were as likely; None if there are none at all."""
    from scipy.stats import binom

    if wins + losses == 0:
        return None
    return min(1.0, 2 * float(binom.cdf(min(wins, losses), wins + losses, 0.5)))


def split_half(cell: Cell, *, bws: bool, splits: int = 100, seed: int = 12345) -> float | None:
    """Mean Pearson correlation between the systems' scores in random halves of the items.

    Scores are best minus worst, or the share won. None if there are fewer than three systems or
    four items, or one of the halves never tells systems apart.
    """
    table = cell.score if bws else cell.won
    items, systems = table.shape
    if items < 4 or systems < 3:
        return None
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(splits):
        order = rng.permutation(items)
        halves = [means(table[half]) for half in (order[: items // 2], order[items // 2 :])]
        defined = ~np.isnan(halves).any(axis=0)
        one, other = (half[defined] for half in halves)
        if one.size > 2 and np.ptp(one) > 0 and np.ptp(other) > 0:
            found.append(float(np.corrcoef(one, other)[0, 1]))
    return float(np.mean(found)) if found else None


def document_scores(cells: Sequence[Cell]) -> list[tuple[str, str, str, float]]:
    """System, document, name of the score, share of comparisons won: for `bwb meta` and others.

    The name is ``human.<criterion>.<unit>``; higher is better. A system that is in no item of a
    document has no row there.
    """
    rows = []
    for cell in cells:
        where = {judgement.item: judgement.document for judgement in cell.judgements}
        documents = np.array([where[item] for item in cell.items])
        for document in sorted(set(where.values())):
            found = means(cell.won[documents == document])
            rows += [
                (system, document, f"human.{cell.criterion}.{cell.unit}", float(value))
                for system, value in zip(cell.systems, found, strict=True)
                if not np.isnan(value)
            ]
    return rows


def _cell(
    unit: Unit, criterion: str, systems: tuple[str, ...], judgements: tuple[Judgement, ...]
) -> Cell:
    items = tuple(dict.fromkeys(judgement.item for judgement in judgements))
    row = {item: number for number, item in enumerate(items)}

    def table(of: Callable[[Judgement, str], float]) -> Values:
        sums = np.zeros((len(items), len(systems)))
        times = np.zeros_like(sums)
        for judgement in judgements:
            for place, system in enumerate(systems):
                if system in judgement.values:
                    sums[row[judgement.item], place] += of(judgement, system)
                    times[row[judgement.item], place] += 1
        sums[times == 0] = np.nan
        return np.asarray(sums / np.maximum(times, 1))

    return Cell(
        unit,
        criterion,
        systems,
        judgements,
        items,
        won=table(lambda judgement, system: judgement.values[system]),
        rank=table(
            lambda judgement, system: (
                1 + (len(judgement.values) - 1) * (1 - judgement.values[system])
            )
        ),
        score=table(
            lambda judgement, system: (system in judgement.best) - (system in judgement.worst)
        ),
    )


def draws(cell: Cell, resamples: int, seed: int) -> Values | None:
    """How often each item is drawn, shape (resamples, items); None if there is only one.

    Raises:
        UsageError: if there are no resamples.
    """
    if resamples < 1:
        raise UsageError(f"cannot draw {resamples} resamples; expected 1 or more")
    return resample_weights(len(cell.items), resamples, seed) if len(cell.items) > 1 else None


def resampled(table: Values, weights: Values) -> Values:
    """Means of resampled items; shape (resamples, systems)."""
    shown = ~np.isnan(table)
    times = weights @ shown
    sums = weights @ np.where(shown, table, 0)
    return np.asarray(np.divide(sums, times, out=np.full_like(sums, np.nan), where=times > 0))


def means(table: Values) -> Values:
    """Mean of each column over what is defined; nan where nothing is."""
    return np.asarray(resampled(table, np.ones((1, len(table))))[0])


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
