"""Pronouns that change their gender: what a system makes of the reference's, line by line.

For a line, r and h are how often the reference and the system have a class of third-person
pronouns (`bwb.lexicon.THIRD_PERSON`). Of r, min(r, h) are kept. What a class lacks is set against
what other classes have too much, she against he first (`_ORDER`): so many pronouns were *turned*.
The rest was *left out*: a name, a noun or nothing stands instead. A line tells no more than
numbers; which "he" stands for which "she" is not looked at.

A line's pronouns of a class belong to a character if all that are annotated there refer to the
same entity, and are as many as the line has; lines that several share are counted for nobody.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.lexicon import THIRD_PERSON, pronoun_class, pronoun_classes
from bwb.metrics.matching import count_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bwb.records import Document, Entity

# Which class is taken for which first, where a line leaves a choice.
_ORDER = (("feminine", "masculine"), ("masculine", "feminine"))
LEFT_OUT = "left out"
# Read by pydantic where lines are read from a file: an unknown key is an error.
_STRICT = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class PronounLine:
    """The third-person pronouns of a line, by class.

    Attributes:
        document: Id of the document.
        sentence: Index of the sentence.
        reference: Class → how often the reference has it.
        owners: Class → name of the one character that all of them refer to.
        outputs: System → class → how often it has it, where that differs from the reference.
    """

    __pydantic_config__ = _STRICT
    document: str
    sentence: int
    reference: dict[str, int]
    owners: dict[str, str]
    outputs: dict[str, dict[str, int]]

    def of(self, system: str) -> Mapping[str, int]:
        """What a system has in this line."""
        return self.outputs.get(system, self.reference)


def pronoun_lines(
    documents: Iterable[Document], outputs: Mapping[str, Mapping[str, Sequence[str]]]
) -> Iterator[PronounLine]:
    """The lines in which the reference, or a system, has a pronoun of the third person.

    Args:
        documents: Those without an English side are passed over.
        outputs: System → document id → sentences.
    """
    words = {word: name for word, name in pronoun_classes("en").items() if name in THIRD_PERSON}
    names = _Names()
    for document in documents:
        if document.en is None:
            continue
        owners = _owners(document, names)
        for index, sentence in enumerate(document.en.sentences):
            wanted = count_words(sentence, words)
            found = {
                s: count_words(lines[document.id][index], words) for s, lines in outputs.items()
            }
            if not wanted and not any(found.values()):
                continue
            yield PronounLine(
                document.id,
                index,
                wanted,
                {
                    name: owner
                    for name, (owner, count) in owners.get(index, {}).items()
                    if count == wanted.get(name)
                },
                {system: got for system, got in found.items() if got != wanted},
            )


def shifts(reference: Mapping[str, int], output: Mapping[str, int]) -> Counter[tuple[str, str]]:
    """What became of a line's pronouns: (class, class or `LEFT_OUT`) → how many."""
    found: Counter[tuple[str, str]] = Counter()
    lacking, surplus = {}, {}
    for name in THIRD_PERSON:
        wanted, got = reference.get(name, 0), output.get(name, 0)
        found[name, name] += min(wanted, got)
        lacking[name], surplus[name] = max(wanted - got, 0), max(got - wanted, 0)
    others = [(a, b) for a in THIRD_PERSON for b in THIRD_PERSON if (a, b) not in _ORDER]
    for one, other in (*_ORDER, *others):
        number = min(lacking[one], surplus[other])
        found[one, other] += number
        lacking[one] -= number
        surplus[other] -= number
    for name, number in lacking.items():
        found[name, LEFT_OUT] += number
    return +found


def _owners(document: Document, names: _Names) -> dict[int, dict[str, tuple[str, int]]]:
    """Sentence → class → the one entity whose pronouns of it are annotated there, and how many."""
    side = document.en
    if side is None or "coreference" not in side.layers:
        return {}
    found: dict[tuple[int, str], Counter[str]] = {}
    for mention in side.mentions:
        if mention.pronoun and (name := pronoun_class(mention.text, "en")) in THIRD_PERSON:
            found.setdefault((mention.sentence, name), Counter())[mention.entity] += 1
    by_id = {entity.id: entity for entity in document.entities}
    owners: dict[int, dict[str, tuple[str, int]]] = {}
    for (sentence, name), entities in found.items():
        ((entity, count), *more) = entities.most_common()
        said = names.of(document.book, by_id.get(entity)) if not more else None
        if said is not None:
            owners.setdefault(sentence, {})[name] = (said, count)
    return owners


class _Names:
    """One name for an entity in all chapters of a book that share its id and one of its forms."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], list[tuple[str, set[str]]]] = {}

    def of(self, book: str, entity: Entity | None) -> str | None:
        """A form of the first chapter, a name if there is one; None if it has no form."""
        if entity is None or not (entity.en or entity.zh):
            return None
        forms = {*entity.en, *entity.zh}
        same = self.known.setdefault((book, entity.id), [])
        for name, seen in same:
            if seen & forms:
                seen |= forms
                return name
        listed = entity.en or entity.zh
        name = next((form for form in listed if _is_name(form)), listed[0])
        same.append((name, forms))
        return name


def _is_name(form: str) -> bool:
    """Whether every word of a form begins with a capital: ``Wei Zhenxi``, not ``My mother``."""
    words = form.split()
    return all(word[:1].isupper() for word in words) and words[0] not in {"The", "A", "An", "Your"}
