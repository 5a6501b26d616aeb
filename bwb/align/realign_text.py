"""Tokens, places to cut, and what makes two pieces of one language alike.

A token is a run of letters and digits, one Han or Kana character, or one mark. Its features are
what it can have in common with a token of another wording of the same text: the word, its first
four letters and its letter trigrams; for Han and Kana the character and the pair with the one
before; for marks the mark. Each feature weighs by its rarity among the reference's sentences.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}_]+(?:['’][^\W{_CJK}_]+)*|[^\w\s]|_")
_HAN = re.compile(rf"[{_CJK}]")
_CLOSING = frozenset("”’」』)]）】》〉»*_")
_OPENING = frozenset("“‘「『([（【《〈«")
_FINAL = frozenset(".!?…。！？.｡")
_FULL = frozenset("。！？｡")  # end a sentence even with nothing between
_CLAUSE = frozenset(",;:—–-，；：、,")
_SAME = {"“": '"', "”": '"', "„": '"', "「": '"', "」": '"', "‘": "'", "’": "'", "—": "-", "–": "-"}

# What a cut costs, in units of an average token of the reference; see `Text.cuts`.
CUT_END, CUT_QUOTED, CUT_CLAUSE, CUT_WORD, CUT_NEVER = 0.0, 1.2, 1.6, 2.6, 50.0
# Shares of a token's weight: the word itself, its first letters, its trigrams.
_WORD, _PREFIX, _GRAMS = 0.45, 0.25, 0.30
_PAIR = 0.3  # of a word and the one before it
_MARK = 0.4  # of a mark, against a word of the same rarity


@dataclass(frozen=True, slots=True)
class Text:
    """A text in tokens.

    Attributes:
        text: The text.
        starts: Offset of the first code point of each token.
        ends: Offset behind the last code point of each token.
        features: Each token's features with their share of its weight.
        cuts: Cost of a cut before each token, and behind the last; length = tokens + 1.
        sizes: Length of each token in letters; a Han character is as long as three.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    features: tuple[tuple[tuple[str, float], ...], ...]
    cuts: tuple[float, ...]
    sizes: tuple[int, ...]


def tokenize(text: str) -> Text:
    """Cut a text in tokens."""
    matches = list(_TOKEN.finditer(text))
    tokens = [match[0] for match in matches]
    han = [bool(_HAN.match(token)) for token in tokens]
    features: list[tuple[tuple[str, float], ...]] = []
    for place, token in enumerate(tokens):
        if han[place]:
            pair = tokens[place - 1] + token if place and han[place - 1] else None
            shares = ((token, 0.5), (pair, 0.5)) if pair else ((token, 0.5),)
            features.append(shares)
        elif place and (pair := _pair(tokens[place - 1], token)):
            features.append((*_features(token), (pair, _PAIR)))
        else:
            features.append(_features(token))
    starts = tuple(match.start() for match in matches)
    ends = tuple(match.end() for match in matches)
    cuts = tuple(_cut(text, tokens, starts, ends, place) for place in range(len(tokens) + 1))
    sizes = tuple(3 if h else len(token) for h, token in zip(han, tokens, strict=True))
    return Text(text, starts, ends, tuple(features), cuts, sizes)


def rarity(sentences: Sequence[Text]) -> dict[str, float]:
    """Weight of each feature of the reference: ln(1 + n/df), scaled so that tokens average 1.

    Args:
        sentences: The reference's sentences; n of them, df with the feature.
    """
    frequency = Counter(name for s in sentences for name in {f for t in s.features for f, _ in t})
    weights = {name: log(1 + len(sentences) / df) for name, df in frequency.items()}
    tokens = [token for sentence in sentences for token in sentence.features]
    total = sum(weights[name] * share for token in tokens for name, share in token)
    scale = len(tokens) / total if total else 1.0
    return {name: weight * scale for name, weight in weights.items()}


@cache
def _pair(before: str, token: str) -> str | None:
    """The feature of two words in a row; None if either is no word."""
    return (
        None
        if not (before[0].isalnum() and token[0].isalnum())
        else (f"{before} {token}".casefold())
    )


@cache
def _features(token: str) -> tuple[tuple[str, float], ...]:
    folded = unicodedata.normalize("NFKC", _SAME.get(token, token)).casefold()
    if not folded[:1].isalnum():
        return ((folded, _MARK),)
    out = [(folded, _WORD)]
    # A short word says little, whatever its rarity in a short text.
    long = min(1.0, 0.4 + 0.15 * len(folded))
    out.append(("^" + folded[:4], _PREFIX))
    padded = f"<{folded}>"
    grams = Counter(padded[i : i + 3] for i in range(len(padded) - 2))
    out += [("~" + gram, _GRAMS * count / grams.total()) for gram, count in grams.items()]
    return tuple((name, share * long) for name, share in out)


def _cut(
    text: str, tokens: Sequence[str], starts: Sequence[int], ends: Sequence[int], place: int
) -> float:
    """Cost of a cut before token `place`."""
    if place in (0, len(tokens)):
        return 0.0
    gap = text[ends[place - 1] : starts[place]]
    if "\n" in gap:
        return CUT_END
    follows = tokens[place]
    if follows in _CLOSING or follows in _FINAL or follows in _CLAUSE:
        return CUT_NEVER
    if follows in "\"'" and not gap and not _opens(text, starts[place]):
        return CUT_NEVER
    last = place - 1
    while last > 0 and (
        tokens[last] in _CLOSING
        or (
            tokens[last] in "\"'"
            and not _opens(text, starts[last])
            and starts[last] == ends[last - 1]
        )
    ):
        last -= 1
    before = tokens[place - 1]
    if before in _OPENING or (before in "\"'" and last == place - 1):
        return CUT_NEVER
    if tokens[last] in _FINAL:
        return _after_final(gap, tokens, place, last)
    if tokens[last] in _CLAUSE and (gap or tokens[last] not in "-,:;" or last < place - 1):
        return CUT_CLAUSE
    if last < place - 1 or follows in _OPENING or follows in '"':
        return CUT_CLAUSE
    return CUT_WORD


def _after_final(gap: str, tokens: Sequence[str], place: int, last: int) -> float:
    follows, quoted = tokens[place], last < place - 1
    if tokens[last] in _FULL:
        return CUT_END
    if not gap and not quoted:
        # 3.5, e.g.; but also texts joined with nothing between: "again.So that".
        joined = last > 0 and len(tokens[last - 1]) > 1 and follows[:1].isupper()
        return CUT_END if joined or _HAN.match(follows) else CUT_WORD
    return CUT_QUOTED if follows[:1].islower() else CUT_END


def _opens(text: str, offset: int) -> bool:
    """Whether a straight quote opens: nothing but space, an opening mark or a dash before it."""
    before = text[offset - 1 : offset]
    return not before or before.isspace() or before in _OPENING or before in "—–-"
