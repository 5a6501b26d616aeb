"""How far a judge agrees with itself when it is asked the same thing again.

The measures are the share of pairs of answers that give the same score, the mean absolute
difference of such pairs, and Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's
Alpha-Reliability"): ordinal for scores, interval for numbers of mistakes. An item with n answers
has n(n-1)/2 pairs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Level = Literal["ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Retest:
    """Agreement of repeats.

    Attributes:
        items: Number of items with two readable answers or more.
        pairs: Number of pairs of answers.
        equal: Share of pairs with the same score; None without pairs.
        difference: Mean absolute difference of pairs; None without pairs.
        alpha: Krippendorff's alpha; None if all scores are the same, or there are no pairs.
        level: What differences alpha weighs.
    """

    items: int
    pairs: int
    equal: float | None
    difference: float | None
    alpha: float | None
    level: Level


def retest(items: Sequence[Sequence[float]], level: Level) -> Retest:
    """Agreement of the scores of each item.

    Args:
        items: The scores of each item; those with fewer than two say nothing.
        level: ``ordinal`` or ``interval``.
    """
    several = [scores for scores in items if len(scores) > 1]
    gaps = [abs(one - other) for scores in several for one, other in combinations(scores, 2)]
    return Retest(
        items=len(several),
        pairs=len(gaps),
        equal=sum(gap == 0 for gap in gaps) / len(gaps) if gaps else None,
        difference=sum(gaps) / len(gaps) if gaps else None,
        alpha=alpha(several, level),
        level=level,
    )


def alpha(items: Sequence[Sequence[float]], level: Level) -> float | None:
    """Krippendorff's alpha; None if it is undefined.

    Args:
        items: The scores of each item, two or more.
        level: What differences weigh.
    """
    counts = Counter(score for scores in items for score in scores)
    total = counts.total()
    values = sorted(counts)
    if len(values) < 2:
        return None
    weights = _weights(values, counts, level)
    observed = sum(
        2 * weights[min(a, b), max(a, b)] / (len(scores) - 1)
        for scores in items
        for a, b in combinations(scores, 2)
    )
    expected = sum(
        2 * counts[a] * counts[b] * weights[a, b] for a, b in combinations(values, 2)
    ) / (total - 1)
    return 1 - observed / expected


def _weights(
    values: Sequence[float], counts: Counter[float], level: Level
) -> dict[tuple[float, float], float]:
    """The squared difference of each pair of values, the smaller one first (section 4)."""
    weights = {(value, value): 0.0 for value in values}
    for a, b in combinations(values, 2):
        if level == "interval":
            weights[a, b] = (b - a) ** 2
        else:
            between = sum(counts[value] for value in values if a <= value <= b)
            weights[a, b] = (between - (counts[a] + counts[b]) / 2) ** 2
    return weights
