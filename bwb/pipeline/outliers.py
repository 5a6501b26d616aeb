"""Outliers of a stream: by robust z-scores, in memory that does not grow with the stream.

The median and the median absolute deviation come from a histogram with bins of 0.001; of the
values themselves the most extreme are kept, with their places. z is 0.6745·(x - median) / MAD
(Iglewicz & Hoaglin 1993, section 3.3), which is that of a normal distribution.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import count

_BINS = 1000  # to a unit
_CONSISTENT = 0.6745


@dataclass(frozen=True, slots=True)
class Outlier:
    """A value far from the others.

    Attributes:
        place: Where it is.
        value: The value.
        z: Its robust z-score.
    """

    place: tuple[str, int]
    value: float
    z: float


class Outliers:
    """Takes values, and says which of them are outliers.

    Attributes:
        total: Number of values.
    """

    def __init__(self, keep: int = 200) -> None:
        """Keep so many of the values at either end."""
        self.total = 0
        self._keep = keep
        self._bins: Counter[int] = Counter()
        self._number = count()
        self._ends: tuple[list[_Item], list[_Item]] = [], []

    def add(self, value: float, place: tuple[str, int]) -> None:
        """Take a value."""
        self.total += 1
        self._bins[round(value * _BINS)] += 1
        for sign, heap in zip((1, -1), self._ends, strict=True):
            key = sign * value
            if len(heap) < self._keep:
                heapq.heappush(heap, (key, -next(self._number), place))
            elif key > heap[0][0]:
                heapq.heapreplace(heap, (key, -next(self._number), place))

    def centre(self) -> tuple[float, float] | None:
        """Median, and median absolute deviation; None if there are no values."""
        if not self.total:
            return None
        middle = _median(self._bins)
        deviations: Counter[int] = Counter()
        for value, times in self._bins.items():
            deviations[abs(value - middle)] += times
        return middle / _BINS, _median(deviations) / _BINS

    def found(self, limit: float, *, least: float = 0.0, fewest: int = 1) -> list[Outlier]:
        """The outliers, most extreme first.

        Args:
            limit: Least absolute z-score of an outlier.
            least: Least distance from the median: where values hardly differ, z is soon high.
            fewest: Number of values below which nothing is an outlier.

        Returns:
            As many as are kept at either end; none if more than half of the values are equal.
        """
        centre = self.centre()
        if centre is None or self.total < fewest or not centre[1]:
            return []
        values = {
            (place, sign * key)
            for sign, heap in zip((1, -1), self._ends, strict=True)
            for key, _, place in heap
        }
        scored = [
            Outlier(place, value, _CONSISTENT * (value - centre[0]) / centre[1])
            for place, value in values
        ]
        scored.sort(key=lambda x: (-abs(x.z), x.place))
        return [
            outlier
            for outlier in scored
            if abs(outlier.z) >= limit and abs(outlier.value - centre[0]) >= least
        ]


_Item = tuple[float, int, tuple[str, int]]


def _median(bins: Counter[int]) -> int:
    """The lower median of a histogram."""
    half, seen = (bins.total() + 1) // 2, 0
    for value in sorted(bins):
        seen += bins[value]
        if seen >= half:
            return value
    return 0
