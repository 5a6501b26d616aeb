"""Metrics whose numbers are ratios of two counts: the base of the scores of consistency.

A class is a ratio: its numerator and denominator are counts that are summed over documents and
then divided, and its value stands in `Part.recall`. It is undefined where the denominator is zero.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import TYPE_CHECKING

from bwb.metrics.base import Metric, Part, as_arrays, divide, scalar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.metrics.base import Score, Tally

    Values = NDArray[np.float64]


class RatioMetric(Metric):
    """A metric that is a ratio, or several."""

    @abstractmethod
    def ratio(self, name: str) -> tuple[str, str]:
        """Keys of the numerator and the denominator of a class, or of the overall score."""

    def class_values(self, totals: Mapping[str, Values], name: str) -> Values:
        """The value of a class, from arrays of counts; nan where undefined."""
        import numpy as np

        zero = np.zeros(1)
        numerator, denominator = (totals.get(key, zero) for key in self.ratio(name))
        return divide(numerator, denominator)

    def values(self, totals: Mapping[str, Values]) -> Values:
        """The ratio of the overall class; nan where undefined."""
        return self.class_values(totals, self.overall)

    def score(
        self, system: str, tallies: Sequence[Tally], data: Mapping[str, str] | None = None
    ) -> Score:
        """See `bwb.metrics.base.Metric.score`; the score is also the recall, there is no F1."""
        made = super().score(system, tallies, data)
        arrays = as_arrays(made.counts)
        parts = {}
        for name in self.classes:
            keys = dict.fromkeys(self.ratio(name))
            value = scalar(self.class_values(arrays, name))
            parts[name] = Part(None, value, None, {k: made.counts.get(k, 0.0) for k in keys})
        return dataclasses.replace(made, precision=None, recall=made.score, f1=None, parts=parts)
