"""Resampling documents: bootstrap intervals, and the two randomised tests of a difference.

Sources: Koehn 2004 (paired bootstrap resampling); Efron and Tibshirani 1993, chapters 13
(percentile intervals) and 16 (the shift method for p-values, as in sacrebleu); Noreen 1989 and
Riezler and Maxwell 2005 (approximate randomisation).

A resample in which a score is undefined is left out and counted, never filled in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.errors import InputError, UsageError
from bwb.metrics.stats_table import CountTable, score_names
from bwb.metrics.stats_tests import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Metric, Tally, Values

# Two scores of the same counts, summed in another order, may differ by this much.
ROUNDING = 1e-12
# Numbers held at a time while masks are drawn; 8 bytes each.
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval.

    Attributes:
        low: Lower end, a fraction; None if the score is undefined in every resample.
        high: Upper end.
        undefined: Number of resamples in which the score is undefined; they are left out.
    """

    low: float | None
    high: float | None
    undefined: int


def resample_weights(documents: int, resamples: int, seed: int) -> Values:
    """How often each document is drawn in each resample; shape (resamples, documents).

    Raises:
        UsageError: if there is nothing to draw, or nothing to draw from, or the seed is negative.
    """
    _check_draws(documents, resamples, seed)
    rng = np.random.default_rng(seed)
    shares = np.full(documents, 1 / documents)
    return np.asarray(rng.multinomial(documents, shares, size=resamples), dtype=np.float64)


def bootstrap(table: CountTable, of: Sequence[str], resamples: int, seed: int) -> Values:
    """The scores of resamples, which are those of `resample_weights`, drawn a block at a time.

    Returns:
        Shape (scores, systems, resamples); nan where undefined.

    Raises:
        UsageError: as `resample_weights`.
    """
    _check_draws(table.documents, resamples, seed)
    rng = np.random.default_rng(seed)
    shares = np.full(table.documents, 1 / table.documents)
    found = np.empty((len(of), len(table.systems), resamples))
    size = max(1, _BLOCK // table.documents)
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        weights = rng.multinomial(table.documents, shares, size=rows).astype(np.float64)
        found[:, :, start : start + rows] = table.scores(weights, of)
    return found


def resampled_scores(metric: Metric, tallies: Sequence[Tally], weights: Values) -> Values:
    """The score of every resample; shape (resamples,); nan where undefined."""
    values: Values = CountTable.of(metric, {"": tallies}).scores(weights)[0, 0]
    return values


def interval(values: Values, confidence: float = 0.95) -> Interval:
    """The central share of the resampled scores (percentile method)."""
    defined = values[~np.isnan(values)]
    undefined = int(values.size - defined.size)
    if not defined.size:
        return Interval(None, None, undefined)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), undefined)


def intervals(values: Values, confidence: float = 0.95) -> list[Interval]:
    """`interval` of each row of an array of shape (rows, resamples)."""
    tail = (1 - confidence) / 2
    defined = np.asarray(~np.isnan(values).any(axis=1))
    low, high = np.quantile(values[defined], [tail, 1 - tail], axis=1).tolist()
    made = iter(zip(low, high, strict=True))
    return [
        Interval(*next(made), undefined=0) if whole else interval(row, confidence)
        for row, whole in zip(values, defined.tolist(), strict=True)
    ]


def score_intervals(
    metric: Metric,
    tallies: Mapping[str, Sequence[Tally]],
    of: Sequence[str] | None = None,
    *,
    resamples: int = 10_000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> dict[str, dict[str, Interval]]:
    """Bootstrap intervals of any scores of a metric, on the same resamples for all systems.

    Args:
        metric: The metric that made the tallies.
        tallies: For each system, one tally a document, in the same order of documents.
        of: Names of scores, see `bwb.metrics.stats_table`; all that are defined for some system
            on the whole corpus if None.
        resamples: How often to draw.
        seed: Seed of the draws.
        confidence: Share of the resampled scores within the interval.

    Returns:
        System → name of the score → interval.

    Raises:
        InputError: if there is only one document, or the numbers of documents differ.
        UnknownNameError: if the metric has no such score.
    """
    table = CountTable.of(metric, tallies)
    require_documents(table.documents)
    check_confidence(confidence)
    if of is None:
        names = score_names(metric)
        never = np.asarray(np.isnan(table.corpus(names)).all(axis=1))
        of = [name for name, out in zip(names, never.tolist(), strict=True) if not out]
    values = bootstrap(table, of, resamples, seed)
    made = intervals(values.reshape(-1, resamples), confidence) if of else []
    count = len(table.systems)
    return {
        system: dict(zip(of, made[place::count], strict=True))
        for place, system in enumerate(table.systems)
    }


def bootstrap_test(deltas: Values, difference: float | None) -> Outcome:
    """Two-sided p of a difference from its resampled values (shift method).

    The resampled differences, moved to a mean of 0, stand for what would be seen if there were no
    difference; p = (those at least as large as the one found + 1) / (all + 1).
    """
    defined = deltas[~np.isnan(deltas)]
    undefined = int(deltas.size - defined.size)
    if difference is None or not defined.size:
        return Outcome("bootstrap", None, None, int(defined.size), undefined)
    extreme = np.abs(defined - defined.mean()) >= abs(difference) - ROUNDING
    p = float((extreme.sum() + 1) / (defined.size + 1))
    return Outcome("bootstrap", difference, p, int(defined.size), undefined)


def permutation_test(
    table: CountTable, one: str, other: str, of: str, *, resamples: int, seed: int
) -> Outcome:
    """Two-sided p of the difference other - one, by swapping their outputs document by document.

    If there were no difference it would not matter whose output is whose. Every way to swap is
    tried where there are no more than `resamples` that differ (2 ** (documents - 1), for to swap
    all is to turn the sign), and p is exact; else as many are drawn at random, and
    p = (differences at least as large as the one found + 1) / (all + 1).

    Raises:
        UsageError: if there is nothing to draw.
    """
    documents = table.documents
    _check_draws(documents, resamples, seed)
    corpus = table.corpus((of,))[0]
    found = float(corpus[table.systems.index(other)] - corpus[table.systems.index(one)])
    if np.isnan(found):
        return Outcome("permutation", None, None, 0, 0)
    pooled = table.pooled(one, other)
    exact = documents <= 60 and 2 ** (documents - 1) <= resamples
    total = 2 ** (documents - 1) if exact else resamples
    rng = np.random.default_rng(seed)
    extreme = defined = 0
    size = max(1, _BLOCK // documents)
    for start in range(0, total, size):
        rows = min(size, total - start)
        if exact:
            swaps = _binary(start, rows, documents)
        else:
            swaps = (rng.random((rows, documents)) < 0.5).astype(np.float64)
        sides = (np.hstack([1 - swaps, swaps]), np.hstack([swaps, 1 - swaps]))
        left, right = (pooled.scores(side, (of,))[0, 0] for side in sides)
        deltas = right - left
        deltas = deltas[~np.isnan(deltas)]
        defined += deltas.size
        extreme += int((np.abs(deltas) >= abs(found) - ROUNDING).sum())
    # The arrangement found is one of all; of those drawn it is one more.
    p = extreme / defined if exact else (extreme + 1) / (defined + 1)
    return Outcome("permutation", found, p, defined, total - defined, exact=exact)


def _binary(start: int, rows: int, documents: int) -> Values:
    """Binary numbers from `start` on, a digit a column, the first column 0."""
    numbers = np.arange(start, start + rows, dtype=np.int64)[:, None]
    return (numbers >> np.arange(documents - 1, -1, -1) & 1).astype(np.float64)


def require_documents(documents: int) -> None:
    """Refuse to resample one document.

    Raises:
        InputError: if there is only one.
    """
    if documents < 2:
        raise InputError("the bootstrap draws documents, and there is only one; give several")


def check_confidence(confidence: float) -> None:
    """Refuse what is no share.

    Raises:
        UsageError: if it is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence}; expected a number between 0 and 1")


def _check_draws(documents: int, resamples: int, seed: int) -> None:
    if documents < 1 or resamples < 1:
        raise UsageError(f"cannot draw {resamples} resamples of {documents} documents")
    if seed < 0:
        raise UsageError(f"seed {seed}; expected 0 or more")
