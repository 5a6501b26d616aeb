"""Pronouns: are there as many of each gender as in the reference?

Jiang et al. 2022 (BlonDe), section 3.2: per sentence, matched = Σ min(system, reference) over the
four classes masculine, feminine, neuter, epicene; precision and recall by the two sides' totals.
All four classes count alike, as in the paper (the reference package gives two of them weight 0).

Exact match is defined in no paper; here it is the share of sentences, among those whose reference
has such a pronoun, in which every class occurs exactly as often as in the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.lexicon import THIRD_PERSON, pronoun_classes
from bwb.metrics.base import Counter, Metric, Miss, Tally
from bwb.metrics.matching import count_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Document


class Pronoun(Metric):
    """Third-person pronouns by gender."""

    name: ClassVar[str] = "pronoun"
    title: ClassVar[str] = "third-person pronouns of the right gender, per sentence"
    paper: ClassVar[str] = "Jiang et al. 2022 (BlonDe), section 3.2"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = THIRD_PERSON

    def __init__(self) -> None:
        """Take the word list of the third person."""
        words = pronoun_classes("en").items()
        self._words = {word: name for word, name in words if name in THIRD_PERSON}

    def counter(self, document: Document) -> Counter:
        """See the module."""
        reference = self.reference(document).sentences
        expected = [count_words(sentence, self._words) for sentence in reference]

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            for index, (wanted, sentence) in enumerate(zip(expected, sentences, strict=True)):
                found = count_words(sentence, self._words)
                for name in THIRD_PERSON:
                    tally.triple((name,), wanted.get(name, 0), found.get(name, 0))
                    lacking = wanted.get(name, 0) - found.get(name, 0)
                    if lacking > 0:
                        tally.misses.append(Miss(document.id, index, name, name, lacking))
                if wanted:
                    tally.add("exact.all", 1)
                    tally.add("exact.same", wanted == found)
            return tally

        return count
