"""Metrics that measure a document as a whole: the score of a corpus is a mean over documents.

Such a metric has several measures, one of which it reports. The count of a measure is the sum of
its values, and beside it stands the number of documents in which it is defined: ``rc`` and
``rc.documents``. Both add up, so that intervals and tests are those of every other metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.ratio import RatioMetric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bwb.metrics.base import Tally, Values


class DocumentMean(RatioMetric):
    """A metric whose classes are its measures.

    Attributes:
        measure: The one to report.
    """

    unit: ClassVar[str] = "document"
    lists_misses = False
    measure: str

    def ratio(self, name: str) -> tuple[str, str]:
        """See `RatioMetric.ratio`."""
        name = self.measure if name == self.overall else name
        return name, f"{name}.documents"

    def ratios(self, totals: Mapping[str, Values]) -> dict[str, dict[str, Values]]:
        """See `bwb.metrics.base.Metric.ratios`: a measure is the recall, as in `Score.parts`."""
        import numpy as np

        found = {}
        for name in (self.overall, *self.classes):
            values = self.class_values(totals, name)
            nothing = np.full_like(values, np.nan)
            found[name] = {"precision": nothing, "recall": values, "f1": nothing}
        return found


def note_measures(tally: Tally, values: Mapping[str, float | None]) -> None:
    """Count the measures of one document; those that are undefined are left out."""
    for name, value in values.items():
        if value is not None:
            # Not `add`, which leaves out zeros: a measure that is 0 is not undefined.
            tally.counts[name] = value
            tally.counts[f"{name}.documents"] = 1
