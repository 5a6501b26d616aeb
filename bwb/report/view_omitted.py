"""Where Chinese would have written the pronouns that it leaves out.

A pronoun that only the English has (`Mention.omitted`) is shown in the Chinese line at the place
where it could stand: before the word that "her" goes with, at the beginning of the clause whose
verb "she" goes with, behind the word that "him" comes after. That word is found in the Chinese
line by the dictionary, and where it is not, the place is that of the pronoun in the English line,
moved to the nearest beginning of a clause. It is an estimate, and the page says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.lexicon import pronoun_class
from bwb.report.view_names import lexicon
from bwb.report.view_pronouns import roles
from bwb.tomlfile import parse_toml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Mention

_WORD = re.compile(r"[^\W_]+")
_CLAUSE = re.compile(r"[，。；：？！、…—\s“”‘’「」『』（）]+")
# Words of English that are looked at for one that the dictionary finds in the Chinese.
_REACH = 4
# Share of the line that the Chinese word may be away from the pronoun's own place.
_FAR = 0.5


@dataclass(frozen=True, slots=True)
class Ghost:
    """A pronoun that is not there.

    Attributes:
        mention: The English pronoun.
        at: Code point of the Chinese sentence before which it would stand.
        text: What would be written.
    """

    mention: Mention
    at: int
    text: str


def ghosts(chinese: str, english: str, base: int, mentions: Sequence[Mention]) -> list[Ghost]:
    """The pronouns that a Chinese sentence leaves out.

    Args:
        chinese: The sentence.
        english: What translates it.
        base: Offset of the English sentence in the text that mentions point into.
        mentions: The mentions of the English sentence.
    """
    left_out = [mention for mention in mentions if mention.omitted and mention.pronoun]
    if not left_out:
        return []
    words = _chinese_words(chinese)
    starts = _clauses(chinese)
    return [
        Ghost(m, _place(m, english, base, words, starts, len(chinese)), _written(m.text))
        for m in left_out
    ]


def _written(word: str) -> str:
    listed = _listed()
    return listed.get(word.lower()) or listed.get(pronoun_class(word, "en"), "…")


def _place(
    mention: Mention,
    english: str,
    base: int,
    words: Sequence[tuple[int, int, frozenset[str]]],
    starts: Sequence[int],
    length: int,
) -> int:
    start, end = mention.start - base, mention.end - base
    expected = start / max(len(english), 1) * length
    does = roles(mention.text.lower())
    behind = _WORD.findall(english, end)[:_REACH]
    follows = english[end : end + 1] == " " and english[end + 1 : end + 2].isalnum()
    if "possessive" in does and follows:
        if found := _find(behind[:3], words, expected, length):
            return found[0]
    elif "subject" in does:
        if found := _find(behind, words, expected, length):
            return max((at for at in starts if at <= found[0]), default=0)
    else:
        before = _WORD.findall(english[:start])[: -_REACH - 1 : -1]
        if found := _find(before, words, expected, length):
            return found[1]
    return min(starts, key=lambda at: abs(at - expected), default=0)


def _find(
    english: Sequence[str],
    words: Sequence[tuple[int, int, frozenset[str]]],
    expected: float,
    length: int,
) -> tuple[int, int] | None:
    """The Chinese word nearest to a place that translates the first of the words that any does."""
    from bwb.align.lexicon import english_stems

    for word in english:
        stems = set(english_stems(word))
        fit = [(start, end) for start, end, senses in words if stems & senses]
        if fit:
            best = min(fit, key=lambda span: abs(span[0] - expected))
            if abs(best[0] - expected) <= _FAR * length:
                return best
    return None


def _chinese_words(sentence: str) -> list[tuple[int, int, frozenset[str]]]:
    from bwb.align.segment import segmenter

    senses = lexicon().source(sentence)
    found, at = [], 0
    for word in segmenter().cut(sentence):
        at = max(sentence.find(word, at), at)
        if word in senses:
            found.append((at, at + len(word), senses[word]))
        at += len(word)
    return found


def _clauses(sentence: str) -> list[int]:
    """Where clauses begin."""
    starts = [0, *(match.end() for match in _CLAUSE.finditer(sentence))]
    return sorted({at for at in starts if at < len(sentence)}) or [0]


@cache
def _listed() -> dict[str, str]:
    body, _ = parse_toml(asset("annotations/view.toml"))
    listed: dict[str, str] = body["chinese"]
    return listed
