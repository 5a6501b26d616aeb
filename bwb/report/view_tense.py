"""Verbs that a line puts in the present where the reference has the past, or the other way round.

BlonDe counts verb tags sentence by sentence (Jiang et al. 2022, section 3.2): what the reference
has of a tag more than the line is a shortfall. Most of it is paraphrase (a participle for a clause)
and no mistake. Shown is the part that a reader notices: a past tense (VBD) too few and a present
tense (VBP, VBZ) too many in the same line, or the reverse. So never more is shown of a line than
BlonDe counts against it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.metrics.blonde_settings import word_lists
from bwb.metrics.quotation import speech_spans

if TYPE_CHECKING:
    from bwb.analysis.base import Analysis

_PAST = ("VBD",)
_PRESENT = ("VBP", "VBZ")
# Share of the line by which a verb may be away from the one that it stands for.
_FAR = 0.35


@dataclass(frozen=True, slots=True)
class Shift:
    """A verb in another tense than the reference's.

    Attributes:
        start: First code point in the system's line.
        end: One past the last code point.
        due: Verb of the reference.
        past: Whether the reference has the past.
    """

    start: int
    end: int
    due: str
    past: bool


def shortfall(reference: Analysis, system: Analysis) -> Counter[str]:
    """What the reference has of each tag that BlonDe counts more than the system."""
    return _tags(reference) - _tags(system)


def shifts(reference: Analysis, system: Analysis) -> list[Shift]:
    """The shifts of a line, from left to right."""
    lacks, extra = shortfall(reference, system), shortfall(system, reference)
    found = []
    for wanted, other in ((_PAST, _PRESENT), (_PRESENT, _PAST)):
        number = min(sum(lacks[tag] for tag in wanted), sum(extra[tag] for tag in other))
        if number:
            due, got = _verbs(reference, wanted), _verbs(system, other)
            found += [
                Shift(*verb.span, right.text, wanted is _PAST)
                for right, verb in _nearest(due, got, number)
            ]
    return sorted(found, key=lambda shift: shift.start)


def _tags(analysis: Analysis) -> Counter[str]:
    counted = word_lists("paper").tags
    return Counter(tag for tag in analysis.tags if tag in counted)


@dataclass(frozen=True, slots=True)
class _Verb:
    text: str
    span: tuple[int, int]
    place: float
    spoken: bool


def _verbs(analysis: Analysis, tags: tuple[str, ...]) -> list[_Verb]:
    rows = zip(analysis.tokens, analysis.starts, analysis.ends, analysis.tags, strict=True)
    length = max(len(analysis.text), 1)
    speech = speech_spans(analysis.text)
    return [
        _Verb(text, (a, b), a / length, any(first <= a < last for first, last in speech))
        for text, a, b, tag in rows
        if tag in tags
    ]


def _nearest(due: list[_Verb], got: list[_Verb], number: int) -> list[tuple[_Verb, _Verb]]:
    """At most as many pairs as asked for, the nearest first, each verb in one."""
    pairs = sorted(
        (abs(one.place - other.place), i, j)
        for i, one in enumerate(due)
        for j, other in enumerate(got)
        # Speech has its own tense. "Put" is either tense; the tagger had to guess.
        if one.spoken == other.spoken and one.text.lower() != other.text.lower()
    )
    found: list[tuple[_Verb, _Verb]] = []
    left, right = set(range(len(due))), set(range(len(got)))
    for apart, i, j in pairs:
        if len(found) < number and apart < _FAR and i in left and j in right:
            left.remove(i)
            right.remove(j)
            found.append((due[i], got[j]))
    return found
