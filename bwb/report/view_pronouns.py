"""Which pronouns of the reference a system's line lacks, and which of its own stand for them.

The metric counts by class (`bwb.metrics.pronoun`): as many as the reference has more are missing.
Here each of them gets its place. Pronouns of one class are paired, first those that do the same in
their sentences (a subject, a possessive) and are nearest by their place in the line; what is left
over in the reference is missing, pronouns that Chinese leaves out before the others, as
`bwb.metrics.zero_pronoun` counts them. What is missing is then paired the same way with what the
system has too many of in other classes: a "his" too many, near where "her" is missing, stands for
it. That is a guess, and a good one where the line follows the reference; a pronoun too many that
nothing is missing for is left alone, for it may be another way to say the same.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.lexicon import THIRD_PERSON, pronoun_classes
from bwb.tomlfile import parse_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.records import Mention

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
# Costs of taking one pronoun for another; a place is the share of the line before it.
_OTHER_ROLE = 0.6
# "It" and "they" have other uses ("it rained"), and stand less often for what is missing.
_ODD_PAIR = {"neuter": 0.6, "epicene": 0.35, "first": 0.15, "second": 0.25}
_TOO_FAR = 0.8
_NEAR = 0.4


@dataclass(frozen=True, slots=True)
class Word:
    """A pronoun in a sentence.

    Attributes:
        text: The word, as it stands there.
        kind: Its class.
        start: First code point in the sentence.
        end: One past the last code point.
        place: Share of the sentence that lies before it.
        mention: The mention it is, if it is annotated.
    """

    text: str
    kind: str
    start: int
    end: int
    place: float
    mention: Mention | None = None

    @property
    def omitted(self) -> bool:
        """Whether Chinese leaves it out."""
        return self.mention is not None and self.mention.omitted


@dataclass(frozen=True, slots=True)
class Compared:
    """The pronouns of two lines.

    Attributes:
        same: Pronouns of the reference, each with the system's that answers it.
        missing: Pronouns that nothing answers, omitted ones first, each with the pronoun of
            another class that stands for it, if one does: those of the third person, and those
            of the others that Chinese leaves out.
    """

    same: tuple[tuple[Word, Word], ...]
    missing: tuple[tuple[Word, Word | None], ...]


def words(sentence: str, mentions: Sequence[Mention] = (), base: int = 0) -> list[Word]:
    """The pronouns of a sentence, those that `bwb.metrics.matching.count_words` counts.

    Args:
        sentence: English text.
        mentions: The mentions that start in it.
        base: Offset of the sentence in the text that the mentions point into.
    """
    classes = pronoun_classes("en")
    text = sentence.translate(_APOSTROPHES)
    lowered = text.lower()
    places: Sequence[int] = range(len(text))
    if len(lowered) > len(text):  # "İ" is two characters in lower case
        places = [at for at, character in enumerate(text) for _ in character.lower()]
    marked = {(m.start - base, m.end - base): m for m in mentions if m.pronoun}
    found = []
    for match in _pattern().finditer(lowered):
        start, end = places[match.start()], places[match.end() - 1] + 1
        mention = marked.get((start, end))
        place = start / len(sentence)
        found.append(Word(sentence[start:end], classes[match[0]], start, end, place, mention))
    return found


def compare(reference: Sequence[Word], system: Sequence[Word]) -> Compared:
    """Set the pronouns of a system's line against those of the reference's."""
    same: list[tuple[Word, Word]] = []
    third: list[Word] = []
    others: list[Word] = []
    surplus: list[Word] = []
    for kind in dict.fromkeys(word.kind for word in (*reference, *system)):
        wanted = [word for word in reference if word.kind == kind]
        free = [word for word in system if word.kind == kind]
        # Those that Chinese has are answered first, as the metric of omitted pronouns has it.
        for omitted in (False, True):
            pairs = _pair([word for word in wanted if word.omitted is omitted], free, _distance)
            same += pairs
            wanted = _without(wanted, [one for one, _ in pairs])
            free = _without(free, [other for _, other in pairs])
        if kind in THIRD_PERSON:
            third += wanted
        else:
            others += [word for word in wanted if word.omitted]
        surplus += free
    # "He stood" for "copying him, she stood" is counted as the "him", but stands for the "she".
    loose = [got for wanted, got in same if not _alike(wanted, got) and got.kind in THIRD_PERSON]
    pairs = [pair for pair in _pair(third, loose, _unlike, _NEAR) if _alike(*pair)]
    answered: list[tuple[Word, Word | None]] = [*pairs]
    third = _without(third, [one for one, _ in pairs])
    moved = {other.start for _, other in pairs}
    same = [pair for pair in same if pair[1].start not in moved]
    for missing in (third, others):
        pairs = _pair(missing, surplus, _unlike, _TOO_FAR)
        surplus = _without(surplus, [other for _, other in pairs])
        instead = {one.start: other for one, other in pairs}
        answered += [(word, instead.get(word.start)) for word in missing]
    answered.sort(key=lambda pair: (not pair[0].omitted, pair[0].start))
    return Compared(tuple(same), tuple(answered))


@cache
def roles(word: str) -> frozenset[str]:
    """What a pronoun, in lower case, can be in a sentence, such as ``subject``."""
    body, _ = parse_toml(asset("annotations/view.toml"))
    return frozenset(role for role, listed in body["roles"].items() if word in listed)


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(pronoun_classes("en"), key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])")


def _alike(one: Word, other: Word) -> bool:
    """Whether two pronouns can be the same in a sentence, both its subject or both possessive."""
    return bool(roles(one.text.lower()) & roles(other.text.lower()))


def _distance(one: Word, other: Word) -> float:
    return abs(one.place - other.place) + (0.0 if _alike(one, other) else _OTHER_ROLE)


def _unlike(one: Word, other: Word) -> float:
    odd = max(_ODD_PAIR.get(one.kind, 0.0), _ODD_PAIR.get(other.kind, 0.0))
    return _distance(one, other) + odd


def _pair(
    left: Sequence[Word],
    right: Sequence[Word],
    cost: Callable[[Word, Word], float],
    limit: float = math.inf,
) -> list[tuple[Word, Word]]:
    """Pairs of two rows, the cheapest first, each word in one at most and none dearer than this."""
    every = sorted(
        (cost(one, other), i, j) for i, one in enumerate(left) for j, other in enumerate(right)
    )
    rows, columns = set(range(len(left))), set(range(len(right)))
    pairs = []
    for price, i, j in every:
        if price < limit and i in rows and j in columns:
            rows.remove(i)
            columns.remove(j)
            pairs.append((left[i], right[j]))
    return pairs


def _without(words: Sequence[Word], taken: Sequence[Word]) -> list[Word]:
    gone = {word.start for word in taken}
    return [word for word in words if word.start not in gone]
