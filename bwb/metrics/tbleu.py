"""Tolerant BLEU: BLEU that forgives wrong affixes, at a price (Libovický & Pecina 2014).

In each segment the words of the output are matched with those of the reference, so that the sum of
their affix distances (`bwb.metrics.affix`) is least. A word whose match is at a distance of at most
ε is corrected: it becomes the reference's word, with the weight 1 - distance. All other words stay
as they are, with the weight 1. Then BLEU is computed, in which a matched n-gram counts the mean
weight of its words instead of 1. With ε = 0 this is BLEU.

The paper's ε of 0.05 takes at least 20 letters in common for one edit, so it leaves most texts as
they are; the words of its Figure 1 are much further apart. ``--epsilon`` sets another: with 1 every
word is corrected that is related to its match at all. Words that have nothing in common (distance
1) never are.

Of several references, the output is corrected to each, and every n-gram counts as with the one
that gives it most: with ε = 0 this, too, is BLEU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.errors import InputError
from bwb.metrics.bleu import ORDERS, Bleu, length_counts, require_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Counter, Tally
    from bwb.metrics.grams import Floats, GramIndex
    from bwb.records import Document

    # A text with its words corrected, and the weights of its words.
    _Corrected = tuple[list[list[str]], Floats]

EPSILON = 0.05  # of the paper


class TBleu(Bleu):
    """Tolerant BLEU-4 with exponential smoothing.

    Args:
        epsilon: The greatest distance at which a word is corrected, in [0, 1].
        lowercase: See `bwb.metrics.bleu.Sacre`.
        tokenize: See `bwb.metrics.bleu.Bleu`.
        references: See `bwb.metrics.bleu.Sacre`.
    """

    name: ClassVar[str] = "tbleu"
    title: ClassVar[str] = "tolerant BLEU: words with wrong affixes count in part"
    paper: ClassVar[str] = "Libovický & Pecina 2014"

    def __init__(
        self,
        *,
        epsilon: float = EPSILON,
        lowercase: bool = False,
        tokenize: str = "13a",
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """Keep the options; the library is not loaded yet."""
        super().__init__(lowercase=lowercase, tokenize=tokenize, references=references)
        if not 0 <= epsilon <= 1:
            raise InputError(f"epsilon {epsilon}; expected a distance from 0 to 1")
        self.epsilon = epsilon

    def options(self) -> dict[str, str]:
        """See `bwb.metrics.bleu.Sacre.options`."""
        return {**super().options(), "eps": f"{self.epsilon:g}"}

    def counter(self, document: Document) -> Counter:
        """See the module."""
        from bwb.metrics.grams import GramIndex

        lines = self._references(document)
        references = [self.tokens(text) for text in lines]
        lengths = [[len(segment) for segment in text] for text in references]
        together = GramIndex(references, len(ORDERS))
        matchers = [_Corrector(text, self.epsilon) for text in references]
        indices: list[GramIndex] = []

        def count(sentences: Sequence[str]) -> Tally:
            require_lines(document, sentences, len(lines[0]))
            text = self.tokens(sentences)
            corrected = [matcher.correct(text) for matcher in matchers]
            if all(made is None for made in corrected):
                return length_counts(text, lengths, together.matches(text))
            if not indices:
                indices.extend(GramIndex([text], len(ORDERS)) for text in references)
            return length_counts(text, lengths, _matches(text, corrected, indices))

        return count


class _Corrector:
    """Corrects texts to one reference."""

    def __init__(self, reference: Sequence[Sequence[str]], epsilon: float) -> None:
        from bwb.metrics.affix import Related

        self.reference = reference
        self.epsilon = epsilon
        self.related = [Related(segment) for segment in reference] if epsilon > 0 else []

    def correct(self, text: Sequence[Sequence[str]]) -> _Corrected | None:
        """Correct a text; None if it stays as it is. There is one weight more a segment."""
        import numpy as np

        from bwb.metrics.affix import corrections, edges

        if not self.related:
            return None
        made: list[list[str]] = []
        weights: list[float] = []
        changed = False
        for segment, reference, related in zip(text, self.reference, self.related, strict=True):
            words, own = list(segment), [1.0] * (len(segment) + 1)
            if near := edges(segment, related, self.epsilon):
                found = corrections(segment, reference, near, self.epsilon)
                for place, (other, distance) in found.items():
                    words[place], own[place] = reference[other], 1 - distance
                    changed = True
            made.append(words)
            weights += own
        return (made, np.array(weights)) if changed else None


def _matches(
    text: Sequence[Sequence[str]],
    corrected: Sequence[_Corrected | None],
    indices: Sequence[GramIndex],
) -> list[float]:
    """Of each order, what the n-grams count, each by the reference that gives it most."""
    import numpy as np

    plain = np.ones(sum(len(segment) + 1 for segment in text))
    given = [
        index.credits(*(made or (text, plain)))
        for made, index in zip(corrected, indices, strict=True)
    ]
    return [float(np.maximum.reduce(same).sum()) for same in zip(*given, strict=True)]
