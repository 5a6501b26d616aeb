"""What a system's line has in place of a name that it lacks.

A name that is not there is looked for under another form, in three steps: another form of the same
entity; words that translate the Chinese form character by character ("Pillow Creek" for 枕溪), that
sound like it, or that share words with the English form ("Frost Branch Mountain" for "Frostbough
Mountain"); and, where an annotator marked a name as wrong, the marked phrase, if the words fit as
well as any. A phrase belongs to one name. What is found is a guess; nothing is counted by it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING

from bwb.metrics.matching import Matcher, form_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.align.lexicon import ChineseEnglish

Range = tuple[int, int]

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# Between the words of a phrase there may be nothing else.
_GAP = re.compile(r"[\s.-]*")
_LONGEST = 6  # words of a phrase
_ALIKE = 0.75  # of letters, for words to be spellings of each other
# What a phrase must be worth: words that fit less those that do not, with something for capitals,
# for a word of the English form, and for an annotator's mark, less its distance.
_ENOUGH = 0.75
_MISFIT = 0.7
_CAPITAL = 0.5
_SAME_WORD = 0.25
_MARKED = 1.0
_FAR = 0.6
# Share of the characters of a Chinese form that words without other evidence must translate.
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Lacking:
    """A name that a line lacks.

    Attributes:
        due: The form that the reference has.
        english: All English forms of the entity.
        chinese: All its Chinese forms.
        place: Share of the reference's line that lies before it.
        term: Whether it is a term: a name, of which a single word is enough to know it again.
    """

    due: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    place: float
    term: bool = True


def instead(
    sentence: str, lacking: Sequence[Lacking], taken: Iterable[Range], marked: Sequence[Range] = ()
) -> list[Range | None]:
    """What stands for each name, as a range of code points; None if it cannot be told.

    Args:
        sentence: The system's line.
        lacking: What it lacks.
        taken: Ranges that are known to be something else.
        marked: Ranges that an annotator marked as wrong names.
    """
    used = {at for start, end in taken for at in range(start, end)}
    found: list[Range | None] = [None] * len(lacking)
    for number, name in enumerate(lacking):
        for occurrence in Matcher(name.english).find(sentence):
            place = range(occurrence.start, occurrence.end)
            if used.isdisjoint(place):
                used.update(place)
                # The form itself answers another mention of the line.
                if form_tokens(occurrence.form) != form_tokens(name.due):
                    found[number] = (occurrence.start, occurrence.end)
                    break
    left = [number for number, place in enumerate(found) if place is None]
    if not left or not sentence.strip():
        return found
    phrases = _phrases(sentence, used, marked)
    worth = [
        (_worth(lacking[number], sentence, phrase, marked), number, phrase)
        for number in left
        for phrase in phrases
    ]
    # The best fit first; of equals the longest phrase, then the order of the text.
    worth.sort(key=lambda row: (-row[0], row[2][0] - row[2][1], row[2], row[1]))
    for value, number, (start, end) in worth:
        if value < _ENOUGH:
            break
        if found[number] is None and used.isdisjoint(range(start, end)):
            used.update(range(start, end))
            found[number] = (start, end)
    return found


def _phrases(sentence: str, used: set[int], marked: Sequence[Range]) -> list[Range]:
    """Every run of words that nothing stands between, and every marked phrase."""
    spans = [match.span() for match in _WORD.finditer(sentence)]
    found = {place: None for place in marked if used.isdisjoint(range(*place))}
    for first, (start, end) in enumerate(spans):
        before = start
        for next_start, next_end in spans[first : first + _LONGEST]:
            gap = before != start and not _GAP.fullmatch(sentence, before, next_start)
            if gap or not used.isdisjoint(range(next_start, next_end)):
                break
            before = end = next_end
            found[start, end] = None
    return list(found)


def _worth(name: Lacking, sentence: str, phrase: Range, marked: Sequence[Range]) -> float:
    """How well a phrase would do as this name: words that fit, less those that do not."""
    text = sentence[slice(*phrase)]
    listed = _WORD.findall(text)
    known = [_small(word) for word in listed]
    if not listed or known[-1] or (known[0] and phrase not in marked):
        return 0.0
    english = _english(name.due)
    senses = _senses(name.chinese)
    capitals = [word[0].isupper() for word in listed]
    named = any(capitals) and name.due[:1].isupper() and name.term
    # Beside words in capitals one in small letters is no part of a name.
    fits = [
        (word.lower() in english or _stem(word) in senses) and (capital or not named)
        for word, capital in zip(listed, capitals, strict=True)
    ]
    if phrase not in marked and not _convinces(name, listed):
        return 0.0
    total = sum(fits) + _SAME_WORD * any(word.lower() in english for word in listed)
    # Another word in capitals may belong to the name, whatever it means ("Third Mother").
    total -= _MISFIT * sum(
        not (fit or small or (named and capital))
        for fit, small, capital in zip(fits, known, capitals, strict=True)
    )
    alike = _spelling(name, text)
    if alike >= _ALIKE:
        total = max(total, alike * len(listed))
    if total <= 0 and phrase not in marked:
        return 0.0
    if phrase in marked:
        total += _MARKED
    if named:
        total += _CAPITAL
    start, end = (at / len(sentence) for at in phrase)
    return float(total - _FAR * max(start - name.place, name.place - end, 0.0))


def _convinces(name: Lacking, listed: Sequence[str]) -> bool:
    """Whether words of which nobody says that they are a wrong name may be one."""
    if not name.term:
        return _has_head(name, listed)
    if any(word.lower() in _english(name.due) for word in listed):
        return True
    if _spelling(name, " ".join(listed)) >= _ALIKE:
        return True
    stems = frozenset(map(_stem, listed))
    return any(_covered(form, stems) > _COVERED for form in name.chinese)


def _has_head(name: Lacking, listed: Sequence[str]) -> bool:
    """Whether the noun of a longer phrase is among some words: "inn" of "an inn by the road"."""
    heads = {_stem(word) for word in _head(name.due)}
    last = tuple(form.rpartition("的")[2] for form in name.chinese)
    return any(_stem(word) in heads or _stem(word) in _senses(last) for word in listed)


@cache
def _head(form: str) -> tuple[str, ...]:
    """The last word that says something before a preposition; none in a form of small words."""
    head: tuple[str, ...] = ()
    for word in _WORD.findall(form):
        if not _small(word):
            head = (word,)
        elif head:
            break
    return head


@cache
def _english(form: str) -> frozenset[str]:
    return frozenset(token for token in form_tokens(form) if not _small(token))


@cache
def _senses(forms: tuple[str, ...]) -> frozenset[str]:
    """Stems of what Chinese forms and their characters mean or sound like."""
    return frozenset().union(*(stems for form in forms for _, stems in _parts(form)))


@cache
def _parts(form: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The words and the characters of a Chinese form, with their stems."""
    found = lexicon().source(form)
    for character in form:
        found = {**lexicon().source(character), **found}
    return tuple(found.items())


def _covered(form: str, stems: frozenset[str]) -> float:
    """Share of the characters of a Chinese form that some English stems translate."""
    told = {c for part, senses in _parts(form) if senses & stems for c in part}
    return sum(character in told for character in form) / len(form)


def _spelling(name: Lacking, text: str) -> float:
    """How far a phrase is another spelling of a name: "San Niang" of "Sanniang"."""
    squashed = _squash(text)
    return max(_alike(squashed, _squash(form)) for form in (name.due, *name.english))


@cache
def lexicon() -> ChineseEnglish:
    """The dictionary, loaded once."""
    from bwb.align.lexicon import ChineseEnglish

    return ChineseEnglish()


@cache
def _small(word: str) -> bool:
    """Whether a word says nothing of what it stands beside: "the", "of"."""
    from bwb.align.lexicon import english_stems

    return not english_stems(word)


@cache
def _stem(word: str) -> str:
    from bwb.align.lexicon import stem

    return stem(word.lower())


def _squash(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


@cache
def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if one and other else 0.0
