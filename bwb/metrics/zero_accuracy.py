"""Accuracy of zero pronoun translation (aZPT): is each omitted pronoun translated?

Wang et al. 2023, "Document-Level Machine Translation with Large Language Models", after the zero
pronoun benchmark of Xu et al. 2022, whose code we read. As we understand it (not compared with the
papers' own sections), aZPT is the share of the pronouns that the source leaves out for which the
translation is right:

    aZPT = Σ over zero pronouns z of A(t_z | z)  /  number of zero pronouns

with A either 0 or 1. In that code, what answers z is found by an aligner and is right if it is the
expected word; here a zero pronoun is an English pronoun marked as omitted (O) in the reference,
which says what is expected, and A is 1 if the system's sentence has what ``accept`` asks for:

- ``form``: the same word, case of letters aside;
- ``class`` (default): a pronoun of the same class, as "her" for "she";
- ``name``: a pronoun of the class, or else a name or noun of the same entity, more often than the
  reference's sentence has one.

A pronoun of the system answers first for the reference's pronouns that are not omitted, as in
`bwb.metrics.zero_pronoun`, whose recall the default equals; this metric asks nothing of precision,
so a system that fills its sentences with pronouns gains by it.

Classes are person and, in the third person, gender; ``other`` is a pronoun in none of the lists.
"""

from __future__ import annotations

from collections import Counter as Multiset
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from bwb.errors import UsageError
from bwb.lexicon import THIRD_PERSON, pronoun_class, pronoun_classes
from bwb.metrics.base import Counter, Miss, Tally
from bwb.metrics.matching import Matcher, count_words
from bwb.metrics.ratio import RatioMetric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.records import Document, Mention

Accept = Literal["form", "class", "name"]


class ZeroPronounAccuracy(RatioMetric):
    """Zero pronouns that are translated.

    Args:
        accept: What counts as a translation; see the module.

    Raises:
        UsageError: if it is none of those known.
    """

    name: ClassVar[str] = "azpt"
    title: ClassVar[str] = "accuracy of zero pronoun translation (aZPT)"
    paper: ClassVar[str] = "Wang et al. 2023 (document-level MT with LLMs; aZPT)"
    needs: ClassVar[tuple[str, ...]] = ("reference", "coreference")
    classes: ClassVar[tuple[str, ...]] = (*THIRD_PERSON, "first", "second", "other")

    def __init__(self, *, accept: Accept = "class") -> None:
        """Note the setting."""
        if accept not in get_args(Accept):
            raise UsageError(f"accept is {accept!r}; expected {', '.join(get_args(Accept))}")
        self.accept = accept

    def options(self) -> dict[str, str]:
        """What counts as a translation."""
        return {"accept": self.accept}

    def lacks(self, document: Document) -> str | None:
        """Needs pronouns marked P and O on the English side."""
        if document.en is None:
            return super().lacks(document)
        if "coreference" not in document.en.layers:
            return "pronouns of the reference are not annotated (layer coreference)"
        return None

    def counter(self, document: Document) -> Counter:
        """See the module."""
        reference = self.reference(document)
        omitted: dict[int, list[Mention]] = {}
        for mention in reference.mentions:
            if mention.omitted:
                omitted.setdefault(mention.sentence, []).append(mention)
        units = self._units(omitted)
        others = {
            line: _others(reference.sentences[line], omitted[line], units) for line in omitted
        }
        names = _Names(document, reference.sentences) if self.accept == "name" else None

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            for line in sorted(omitted):
                free = Multiset(count_words(sentences[line], units)) - others[line]
                left = []
                for mention in omitted[line]:
                    if found := free[units[mention.text.casefold()]] > 0:
                        free[units[mention.text.casefold()]] -= 1
                    else:
                        left.append(mention)
                    _add(tally, mention, found)
                named = names.among(left, line, sentences[line]) if names else set()
                for mention in left:
                    name = pronoun_class(mention.text, "en")
                    if mention.id in named:
                        tally.add(f"{name}.found", 1)
                        tally.add("all.found", 1)
                    else:
                        tally.misses.append(Miss(document.id, line, mention.text, name))
            return tally

        return count

    def ratio(self, name: str) -> tuple[str, str]:
        """See `RatioMetric.ratio`."""
        return f"{name}.found", f"{name}.zero"

    def _units(self, omitted: Mapping[int, Sequence[Mention]]) -> dict[str, str]:
        """Each pronoun, and what stands for it: its class, or itself."""
        units = dict(pronoun_classes("en"))
        for mentions in omitted.values():
            for mention in mentions:
                word = mention.text.casefold()
                units.setdefault(word, word)
        return {word: word for word in units} if self.accept == "form" else units


class _Names:
    """Names and nouns that stand for the omitted pronouns of a document."""

    def __init__(self, document: Document, reference: Sequence[str]) -> None:
        self.reference = reference
        self.matchers = {entity.id: Matcher(entity.en) for entity in document.entities if entity.en}

    def among(self, mentions: Sequence[Mention], line: int, sentence: str) -> set[str]:
        """Ids of the mentions for which the system's sentence has a name that is not taken."""
        free: dict[str, int] = {}
        found = set()
        for mention in mentions:
            matcher = self.matchers.get(mention.entity)
            if matcher is None:
                continue
            if mention.entity not in free:
                known = len(matcher.find(self.reference[line]))
                free[mention.entity] = len(matcher.find(sentence)) - known
            if free[mention.entity] > 0:
                free[mention.entity] -= 1
                found.add(mention.id)
        return found


def _others(sentence: str, omitted: Sequence[Mention], units: Mapping[str, str]) -> Multiset[str]:
    """The reference's pronouns that are not omitted."""
    every = Multiset(count_words(sentence, units))
    return every - Multiset(units[mention.text.casefold()] for mention in omitted)


def _add(tally: Tally, mention: Mention, found: bool) -> None:
    for name in (pronoun_class(mention.text, "en"), "all"):
        tally.add(f"{name}.zero", 1)
        tally.add(f"{name}.found", found)
