"""d-BLEU: BLEU with a document as one segment (Liu et al. 2020, mBART).

N-grams run over the ends of sentences, and may match anywhere in the document; all else is as in
`bwb.metrics.bleu`. Counts are summed over documents, so a long one counts more than a short one:
AvgBLEU (`bwb.metrics.avgbleu`) weighs them equally. The sentences of a document are joined by a
space, or by nothing where the tokenizer is that of Chinese.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.bleu import Bleu

if TYPE_CHECKING:
    from collections.abc import Sequence

# Tokenizers of languages that put no space between sentences.
_UNSPACED = {"zh"}


class DBleu(Bleu):
    """BLEU-4 with exponential smoothing, a document being one segment."""

    name: ClassVar[str] = "dbleu"
    title: ClassVar[str] = "d-BLEU: BLEU with each document as one segment"
    paper: ClassVar[str] = "Liu et al. 2020 (mBART); Post 2018 (sacrebleu)"
    unit: ClassVar[str] = "document"

    def tokens(self, sentences: Sequence[str]) -> list[tuple[str, ...]]:
        """The tokens of the only segment: all sentences."""
        if self.tokenize == "13a":
            # It looks at a character and its neighbour, and has spaces at the ends of a sentence:
            # the tokens are the same, and they are kept for BLEU anyway.
            return [tuple(chain.from_iterable(super().tokens(sentences)))]
        return super().tokens([("" if self.tokenize in _UNSPACED else " ").join(sentences)])

    def options(self) -> dict[str, str]:
        """See `bwb.metrics.bleu.Sacre.options`."""
        join = "empty" if self.tokenize in _UNSPACED else "space"
        return {**super().options(), "join": join}
