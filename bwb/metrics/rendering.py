"""How a system renders the entities of the source, mention by mention.

The annotation aligns mentions: a Chinese mention in sentence *i* and an English one in a sentence
linked to *i* that have the same entity are counterparts. Where there are several on either side,
terms (T) are paired with terms first, then what is left, in the order of the text. Pronouns take no
part. A Chinese mention without counterpart (the reference has a pronoun, or nothing) is left out:
of a system no more is asked than of the reference.

The rendering of a mention is a form of the entity, any English form of it in the document, that
stands in the system's sentence: the form of its counterpart if it is there, else the first that no
other mention of the sentence has taken. Forms are found by the rules of `bwb.metrics.matching`. If
there is none, the mention is unaligned: the system left it out, or has words the reference never
uses, which cannot be told apart without alignments of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from bwb.metrics.matching import Matcher, form_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Document, Mention

Same = Literal["exact", "normalised", "lemma"]


@dataclass(frozen=True, slots=True)
class Counterparts:
    """A mention of the source and what the reference has for it.

    Attributes:
        source: The Chinese mention.
        reference: Its English counterpart.
    """

    source: Mention
    reference: Mention

    @property
    def term(self) -> bool:
        """Whether the source's mention is a term (T)."""
        return self.source.term is True


def counterparts(document: Document) -> list[Counterparts]:
    """The aligned mentions of a document, in the order of the source.

    Sentences are those that the document's links join; without links, those of the same number.
    """
    if document.zh is None or document.en is None:
        return []
    linked = {line: link.en for link in document.links for line in link.zh}
    group = {line: link.zh[0] for link in document.links for line in link.zh}
    english: dict[tuple[int, str], list[Mention]] = {}
    for mention in document.en.mentions:
        if not mention.pronoun:
            english.setdefault((mention.sentence, mention.entity), []).append(mention)
    chinese: dict[tuple[int, str], list[Mention]] = {}
    for mention in sorted(document.zh.mentions, key=lambda m: (m.start, -m.end)):
        if not mention.pronoun:
            line = group.get(mention.sentence, mention.sentence)
            chinese.setdefault((line, mention.entity), []).append(mention)
    found = []
    for (line, entity), sources in chinese.items():
        targets = [m for j in linked.get(line, (line,)) for m in english.get((j, entity), ())]
        found += _pair(sources, sorted(targets, key=lambda m: (m.start, -m.end)))
    return sorted(found, key=lambda pair: (pair.source.start, -pair.source.end))


def _pair(sources: Sequence[Mention], targets: Sequence[Mention]) -> list[Counterparts]:
    pairs: dict[int, Mention] = {}
    free = list(targets)
    for alike in (True, False):
        for number, source in enumerate(sources):
            if number in pairs:
                continue
            fits = (t for t in free if not alike or t.term == source.term)
            if (target := next(fits, None)) is not None:
                pairs[number] = target
                free.remove(target)
    return [Counterparts(sources[number], pairs[number]) for number in sorted(pairs)]


class Renderings:
    """Finds the renderings of a document's aligned mentions in systems' sentences.

    Args:
        document: With both sides annotated.
        terms: Whether to look for terms only.
    """

    def __init__(self, document: Document, *, terms: bool = False) -> None:
        """Align the mentions and index the forms."""
        self.pairs = [pair for pair in counterparts(document) if pair.term or not terms]
        forms = {entity.id: entity.en for entity in document.entities}
        self._matchers: dict[str, Matcher] = {}
        self._groups: dict[tuple[int, str], list[int]] = {}
        for number, pair in enumerate(self.pairs):
            entity = pair.source.entity
            if entity not in self._matchers:
                self._matchers[entity] = Matcher(forms[entity])
            self._groups.setdefault((pair.source.sentence, entity), []).append(number)

    def find(self, sentences: Sequence[str]) -> list[str | None]:
        """The rendering of each pair, as it stands in the system's text; None if unaligned."""
        found: list[str | None] = [None] * len(self.pairs)
        for (line, entity), numbers in self._groups.items():
            matcher = self._matchers[entity]
            sentence = sentences[line]
            free = [(o.form, sentence[o.start : o.end]) for o in matcher.find(sentence)]
            if not free:
                continue
            for expected in (True, False):
                for number in numbers:
                    if found[number] is not None:
                        continue
                    form = matcher.canonical(self.pairs[number].reference.text)
                    at = next((i for i, (f, _) in enumerate(free) if not expected or f == form), -1)
                    if at >= 0:
                        found[number] = free.pop(at)[1]
        return found


def normal_forms(renderings: Sequence[str], same: Same) -> list[str]:
    """What two renderings have to have in common to be the same.

    Args:
        renderings: As they stand in the text.
        same: ``exact``, the rendering itself; ``normalised``, without case, possessive ending,
            punctuation between words, and articles before it; ``lemma``, that by its lemmas.

    Returns:
        A key for each.

    Raises:
        MissingDependencyError: if lemmas are asked for and there is no English model.
    """
    if same == "exact":
        return list(renderings)
    if same == "normalised":
        return [_normalised(text) for text in renderings]
    from bwb.analysis.english import lemmas

    cased = [form_tokens(text, case=True) for text in renderings]
    return [_without_articles(found) for found in lemmas(cased)]


@cache
def _normalised(text: str) -> str:
    return _without_articles(form_tokens(text))


def _without_articles(words: Sequence[str]) -> str:
    kept = [word for word in words if word[0].isalnum()]
    while len(kept) > 1 and kept[0] in _articles():
        kept.pop(0)
    return " ".join(kept)


@cache
def _articles() -> frozenset[str]:
    import tomllib

    from bwb.assets import asset

    text = asset("annotations/consistency.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)["en"]["articles"])
