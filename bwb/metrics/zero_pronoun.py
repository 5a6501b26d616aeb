"""Omitted pronouns: does the system supply what Chinese leaves out?

Jiang et al. 2023, sections 3.3 and 4 (pronouns marked O). A pronoun counts by its class: person,
and in the third person gender. In a sentence, the pronouns of a class that a system has are first
set against the reference's other pronouns of that class (R: marked P, or not marked, as "it" in
"it rained"); what remains answers the omitted ones (O):

    supplied = max(system - R, 0)        found = min(supplied, O)

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
        reference = self.reference(document)
        omitted: dict[int, dict[str, list[str]]] = {}
        for mention in reference.mentions:
            name = classes.get(mention.text.casefold())
            if mention.omitted and name is not None:
                omitted.setdefault(mention.sentence, {}).setdefault(name, []).append(mention.text)
        present = {
            index: count_words(reference.sentences[index], classes) for index in sorted(omitted)
        }

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            for index, every in present.items():
                got = count_words(sentences[index], classes)
                complete = True
                for name in self.classes:
                    words = omitted[index].get(name, [])
                    others = every.get(name, 0) - len(words)
                    supplied = max(got.get(name, 0) - others, 0)
                    tally.triple((name,), len(words), supplied)
                    if missed := words[supplied:]:
                        complete = False
                        miss = Miss(document.id, index, " ".join(missed), name, len(missed))
                        tally.misses.append(miss)
                tally.add("exact.all", 1)
                tally.add("exact.same", complete)
            return tally

        return count
