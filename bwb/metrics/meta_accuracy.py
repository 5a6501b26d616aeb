"""Pairwise accuracy with ties, and tie calibration (Deutsch et al. 2023, "Ties Matter").

Of two points, people prefer one or neither, and so does a metric. With C pairs in the same order, D
in opposite orders, T_h tied by people only, T_m by the metric only and T_hm by both,

    acc_eq = (C + T_hm) / (C + D + T_h + T_m + T_hm).

Over groups of points it is the mean of the groups' accuracies. Tie calibration calls two scores of
the metric tied if they differ by ε or less, with the one ε for all groups that makes acc_eq
greatest; the least such ε is taken. It is found on the same points that it is reported for, as in
the paper: a bound on what ties can give, not a forecast.

Without human ties and at ε = 0 this is the accuracy of Kocmi et al. 2021 over all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.metrics.stats_tests import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bwb.metrics.base import Values

    Flags = NDArray[np.bool_]
    # Metric and human scores of the points of a group, both defined.
    Group = tuple[Values, Values]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Pairwise accuracy, with its counts over all groups.

    Attributes:
        value: acc_eq; None without a pair.
        epsilon: Greatest difference of the metric's scores that is a tie.
        pairs: Number of pairs.
        concordant: C.
        discordant: D.
        human_ties: T_h.
        metric_ties: T_m.
        both_ties: T_hm.
        reason: Why `value` is None.
    """

    value: float | None
    epsilon: float
    pairs: int
    concordant: int
    discordant: int
    human_ties: int
    metric_ties: int
    both_ties: int
    reason: str | None = None


def pairwise_accuracy(groups: Sequence[Group], epsilon: float = 0.0) -> Accuracy:
    """acc_eq of points in groups; only pairs within a group count.

    Args:
        groups: Metric and human scores of points, shape (points,) each, all defined.
        epsilon: See the module.
    """
    totals = np.zeros(5, dtype=np.int64)
    values = []
    for group in groups:
        size, same, opposite, tied = _pairs(group)
        if not size.size:
            continue
        by_metric = size <= epsilon
        counts = np.array(
            [
                (~by_metric & same).sum(),
                (~by_metric & opposite).sum(),
                (~by_metric & tied).sum(),
                (by_metric & ~tied).sum(),
                (by_metric & tied).sum(),
            ]
        )
        totals += counts
        values.append((counts[0] + counts[4]) / counts.sum())
    c, d, t_h, t_m, t_hm = map(int, totals)
    value = float(np.mean(values)) if values else None
    reason = None if values else "no pair of points with both scores"
    return Accuracy(value, epsilon, c + d + t_h + t_m + t_hm, c, d, t_h, t_m, t_hm, reason)


def calibrate(groups: Sequence[Group]) -> Accuracy:
    """acc_eq at the ε that makes it greatest; see the module."""
    differences, gains = [], []
    for group in groups:
        size, same, _, tied = _pairs(group)
        if size.size:
            differences.append(size)
            # What a pair adds when it becomes a tie; a group counts as much as any other.
            gains.append((tied.astype(np.float64) - same) / size.size)
    if not differences:
        return pairwise_accuracy(groups)
    size, gain = np.concatenate(differences), np.concatenate(gains)
    order = np.argsort(size, kind="stable")
    size, total = size[order], np.round(np.cumsum(gain[order]), DECIMALS)
    # ε is a difference that occurs; all pairs of that difference become ties together.
    last = np.flatnonzero(np.append(size[1:] != size[:-1], True))
    best = last[np.argmax(total[last])]
    untied = float(total[last[0]]) if size[0] == 0 else 0.0
    return pairwise_accuracy(groups, float(size[best]) if total[best] > untied else 0.0)


def _pairs(group: Group) -> tuple[Values, Flags, Flags, Flags]:
    """Of every two points: |difference| of the metric; same order, opposite order, human tie."""
    metric, human = group
    one, other = np.triu_indices(metric.size, 1)
    by_metric = np.round(metric[one] - metric[other], DECIMALS)
    by_human = np.round(human[one] - human[other], DECIMALS)
    product = np.sign(by_metric) * np.sign(by_human)
    return np.abs(by_metric), product > 0, product < 0, by_human == 0
