"""AvgBLEU: the mean over documents of the BLEU of each (Sun et al. 2024).

Each document is one segment, as in d-BLEU, and its score is that of a corpus of this document
alone; all documents weigh the same. Counted: the sum of these scores (``bleu``) and the number of
documents (``documents``). A document without a word in output and reference (or in one of
several) has no score and is not counted; one without a word in the output alone scores 0.

The tables of the paper cut scores off after two decimals: 30.976 is printed 30.97.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.base import Counter, Tally, as_arrays, divide, scalar
from bwb.metrics.dbleu import DBleu

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.records import Document


class AvgBleu(DBleu):
    """The mean of the documents' BLEU-4 with exponential smoothing."""

    name: ClassVar[str] = "avgbleu"
    title: ClassVar[str] = "AvgBLEU: mean of the BLEU of each document, as one segment"
    paper: ClassVar[str] = "Sun et al. 2024; Post 2018 (sacrebleu)"

    def counter(self, document: Document) -> Counter:
        """See the module."""
        inner = super().counter(document)

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            score = scalar(super(AvgBleu, self).values(as_arrays(inner(sentences).counts)))
            if score is not None:
                tally.add("bleu", score)
                tally.add("documents", 1)
            return tally

        return count

    def values(self, totals: Mapping[str, Values]) -> Values:
        """The mean; nan where no document has a score."""
        import numpy as np

        zero = np.zeros(1)
        return divide(totals.get("bleu", zero), totals.get("documents", zero))
