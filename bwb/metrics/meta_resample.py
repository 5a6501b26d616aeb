"""Permutation tests of correlations, and of two metrics' correlations with the same scores.

One correlation: the metric's scores are shuffled, within each group if there are groups; p is the
share of shuffles whose |r| is no smaller than that found (with the found one among them, unless
every order was tried).

Two metrics: PERM-BOTH of Deutsch et al. 2021 ("A Statistical Analysis of Summarization Evaluation
Metrics using Resampling Methods", section 4), as the WMT metrics tasks have it. Both metrics are
standardised; in each resample the scores of the two change places in each cell (system, document)
with probability 1/2; p is the share of resamples whose difference of correlations is no smaller
than that found. Two-sided throughout.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bwb.errors import UnknownNameError, UsageError
from bwb.metrics.stats_correlation import LEAST_POINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bwb.metrics.base import Values

    Places = NDArray[np.intp]

Statistic = Literal["pearson", "spearman", "kendall", "accuracy"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)

# Numbers held at a time; 8 bytes each.
_BLOCK = 1 << 21
# More pairs than this, and Kendall's τ is computed by sorting, row by row.
_MANY_PAIRS = 5_000
_ROUNDING = 1e-9


def coefficients(metric: Values, human: Values, kind: Statistic) -> Values:
    """A coefficient of many rows of scores with the same human scores.

    Args:
        metric: Shape (rows, points); only equal numbers are ties.
        human: Shape (points,).
        kind: Which; ``accuracy`` is acc_eq with ε = 0, see `bwb.metrics.meta_accuracy`.

    Returns:
        Shape (rows,); nan where undefined.
    """
    from scipy.stats import rankdata

    if kind not in STATISTICS:
        raise UnknownNameError("statistic", kind, STATISTICS)
    if human.size < (2 if kind == "accuracy" else LEAST_POINTS):
        return np.full(len(metric), np.nan)
    if kind in {"pearson", "spearman"}:
        return _products(metric, human, ranked=kind == "spearman")
    one, other = np.triu_indices(human.size, 1)
    if kind == "kendall" and one.size > _MANY_PAIRS:
        return _sorted_kendall(metric, human)
    wanted = np.sign(human[one] - human[other]).astype(np.float32)
    found = np.empty(len(metric))
    step = max(1, _BLOCK // one.size)
    for start in range(0, len(metric), step):
        # Ranks are exact in half the room.
        rows = rankdata(metric[start : start + step], method="dense", axis=1).astype(np.float32)
        signs = np.sign(rows[:, one] - rows[:, other])
        found[start : start + step] = (
            (signs == wanted).mean(axis=1) if kind == "accuracy" else _tau(signs, wanted)
        )
    return found


def permutation_p(
    groups: Sequence[tuple[Values, Values]],
    kind: Statistic,
    observed: float,
    *,
    resamples: int,
    seed: int,
) -> tuple[float, bool]:
    """Of a correlation, or of a mean of correlations in groups: p against none.

    Args:
        groups: Metric and human scores of the points of each group for which it is defined.
        kind: The coefficient.
        observed: What was found.
        resamples: How often to shuffle.
        seed: Seed of the shuffles.

    Returns:
        p, and whether all orders were tried: for a single group of few points.

    Raises:
        UsageError: if `resamples` is not positive.
    """
    _check(resamples)
    exact = len(groups) == 1 and math.factorial(min(groups[0][0].size, 20)) <= resamples
    rng = np.random.default_rng(seed)
    total: Values = np.zeros(1)
    for metric, human in groups:
        if exact:
            shuffled = metric[np.array(list(permutations(range(metric.size))))]
        else:
            shuffled = rng.permuted(np.broadcast_to(metric, (resamples, metric.size)), axis=1)
        total = total + coefficients(shuffled, human, kind)
    extreme = int((np.abs(total / len(groups)) >= abs(observed) - _ROUNDING).sum())
    return (extreme / total.size if exact else (extreme + 1) / (total.size + 1)), exact


def perm_both(
    one: Values,
    other: Values,
    human: Values,
    groups: Sequence[Places] | None,
    kind: Statistic,
    *,
    resamples: int,
    seed: int,
) -> tuple[float | None, float | None]:
    """Whether two metrics differ in how they correlate with people; see the module.

    Args:
        one: Scores of a metric, shape (systems, documents); shape (systems, 1) if there are only
            scores of systems.
        other: Scores of another.
        human: Human scores of the same shape, or (systems,) if `groups` is None.
        groups: Places of the points of each group in the flattened arrays; None for the
            correlation of the systems' means.
        kind: The coefficient.
        resamples: How often scores change places.
        seed: Seed of it.

    Returns:
        Correlation of `one` less that of `other`, and p; None and None if undefined.

    Raises:
        UsageError: if `resamples` is not positive.
    """
    _check(resamples)
    defined = ~(np.isnan(one) | np.isnan(other))
    if groups is not None:
        defined &= ~np.isnan(human)
    left, right = (_standardised(np.where(defined, values, np.nan)) for values in (one, other))
    rng = np.random.default_rng(seed)
    found = _difference(left[None], right[None], human, groups, kind)[0]
    if np.isnan(found):
        return None, None
    extreme = drawn = 0
    step = max(1, _BLOCK // max(1, one.size))
    for start in range(0, resamples, step):
        swap = rng.random((min(step, resamples - start), *one.shape)) < 0.5
        deltas = _difference(
            np.where(swap, right, left), np.where(swap, left, right), human, groups, kind
        )
        kept = deltas[~np.isnan(deltas)]
        extreme += int((np.abs(kept) >= abs(found) - _ROUNDING).sum())
        drawn += kept.size
    return float(found), (extreme + 1) / (drawn + 1)


def _difference(
    one: Values, other: Values, human: Values, groups: Sequence[Places] | None, kind: Statistic
) -> Values:
    left, right = (_mean_coefficient(rows, human, groups, kind) for rows in (one, other))
    difference: Values = left - right
    return difference


def _mean_coefficient(
    rows: Values, human: Values, groups: Sequence[Places] | None, kind: Statistic
) -> Values:
    """From shape (rows, systems, documents) to (rows,)."""
    if groups is None:
        means = _nanmean(rows)
        points = ~(np.isnan(means).any(axis=0) | np.isnan(human))
        return coefficients(means[:, points], human[points], kind)
    flat, wanted = rows.reshape(len(rows), -1), human.ravel()
    found = []
    for places in groups:
        kept = places[~(np.isnan(flat[0, places]) | np.isnan(wanted[places]))]
        found.append(coefficients(flat[:, kept], wanted[kept], kind))
    return _nanmean(np.stack(found, axis=1)) if found else np.full(len(rows), np.nan)


def _nanmean(values: Values) -> Values:
    """Mean of the last axis over what is defined; nan where nothing is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0.0).sum(axis=-1)
    mean: Values = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def _standardised(values: Values) -> Values:
    defined = values[~np.isnan(values)]
    spread = float(defined.std()) if defined.size else 0.0
    return (values - defined.mean()) / spread if spread > 0 else values


def _products(metric: Values, human: Values, *, ranked: bool) -> Values:
    if ranked:
        from scipy.stats import rankdata

        metric, human = rankdata(metric, axis=1), rankdata(human)
    left = metric - metric.mean(axis=1, keepdims=True)
    right = human - human.mean()
    # A constant row leaves nothing but rounding.
    constant = np.ptp(metric, axis=1) <= 1e-12 * np.maximum(1.0, np.abs(metric).max(axis=1))
    below = np.sqrt((left**2).sum(axis=1) * (right**2).sum())
    below[constant] = 0.0
    found: Values = np.divide(left @ right, below, out=np.full(len(left), np.nan), where=below > 0)
    return found


def _tau(signs: NDArray[np.float32], wanted: NDArray[np.float32]) -> Values:
    below = np.sqrt(np.count_nonzero(signs, axis=1) * float(np.count_nonzero(wanted)))
    found: Values = np.divide(
        (signs @ wanted).astype(np.float64), below, out=np.full(len(signs), np.nan), where=below > 0
    )
    return found


def _sorted_kendall(metric: Values, human: Values) -> Values:
    from scipy.stats import kendalltau

    return np.array([kendalltau(row, human, method="asymptotic").statistic for row in metric])


def _check(resamples: int) -> None:
    if resamples < 1:
        raise UsageError(f"{resamples} resamples; expected 1 or more")
