"""Omitted pronouns: does the system supply what Chinese leaves out?

Jiang et al. 2023, sections 3.3 and 4 (pronouns marked O). A pronoun counts by its class: person,
and in the third person gender. In a sentence, the pronouns of a class that a system has are
first set against those whose source is overt (P); what remains answers the omitted ones (O):

    found    = min(system, P + O) - min(system, P)
    supplied = max(system - P, 0)

with recall Σ found / Σ O and precision Σ found / Σ supplied, over the sentences that have an
omitted pronoun. Exact match is the share of those sentences in which all O are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.lexicon import THIRD_PERSON, pronoun_classes
from bwb.metrics.base import Counter, Metric, Miss, Tally
from bwb.metrics.matching import count_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Document


class ZeroPronoun(Metric):
    """Pronouns that the source omits."""

    name: ClassVar[str] = "zero_pronoun"
    title: ClassVar[str] = "pronouns the Chinese leaves out (marked O), supplied by the system"
    paper: ClassVar[str] = "Jiang et al. 2023 (BWB), sections 3.3 and 4"
    needs: ClassVar[tuple[str, ...]] = ("reference", "coreference")
    classes: ClassVar[tuple[str, ...]] = (*THIRD_PERSON, "first", "second")

    def lacks(self, document: Document) -> str | None:
        """Needs pronouns marked P and O on the English side."""
        if document.en is None:
            return super().lacks(document)
        if "coreference" not in document.en.layers:
            return "pronouns of the reference are not annotated (layer coreference)"
        return None

    def counter(self, document: Document) -> Counter:
        """See the module."""
        classes = pronoun_classes("en")
        marked: dict[int, dict[str, list[list[str]]]] = {}
        for mention in self.reference(document).mentions:
            name = classes.get(mention.text.casefold())
            if mention.pronoun and name is not None:
                sides = marked.setdefault(mention.sentence, {}).setdefault(name, [[], []])
                sides[mention.omitted].append(mention.text)
        concerned = [
            index
            for index, names in sorted(marked.items())
            if any(omitted for _, omitted in names.values())
        ]

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            for index in concerned:
                self._sentence(tally, document.id, index, marked[index], sentences[index])
            return tally

        return count

    def _sentence(
        self,
        tally: Tally,
        document: str,
        index: int,
        marked: dict[str, list[list[str]]],
        sentence: str,
    ) -> None:
        counts = count_words(sentence, pronoun_classes("en"))
        complete = True
        for name in self.classes:
            overt, omitted = marked.get(name, [[], []])
            got = counts.get(name, 0)
            found = min(got, len(overt) + len(omitted)) - min(got, len(overt))
            # min(system - P, O) is the `found` of the module's docstring.
            tally.triple((name,), len(omitted), max(got - len(overt), 0))
            lacking = len(omitted) - found
            if lacking:
                complete = False
                words = " ".join(omitted[-lacking:])
                tally.misses.append(Miss(document, index, words, name, lacking))
        tally.add("exact.all", 1)
        tally.add("exact.same", complete)
