"""Where in the text a mistake is: the quoted words, found again.

Words that stand in the text as they are quoted are ``exact``; those that do but for case, white
space and the form of quotation marks are ``normal``; the stretch with the least edit distance is
``fuzzy`` if it is like enough (`annotations/judge/reading.toml`). The search is the bit-parallel
one of Myers (1999, "A fast bit-vector algorithm for approximate string matching"), so that it
takes time in proportion to the text. What is not there is ``not-found``, and counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from bwb.judge.layout import reading_rules
from bwb.judge.scores import item_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.judge.replay import Judged

Match = Literal["exact", "normal", "fuzzy", "not-found", "no-quote"]

_MARKS = str.maketrans(dict.fromkeys("'‘’“”„‟‚‛`´«»「」『』＂＇", '"') | {"—": "-", "–": "-"})


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text.

    Attributes:
        start: First code point.
        end: One past the last.
        match: How it was found.
        similarity: One minus the edit distance by the length of the quote; 1 if it is the same.
    """

    start: int
    end: int
    match: Match
    similarity: float


class Finder:
    """Finds quotes in one text."""

    def __init__(self, text: str) -> None:
        """Prepare a text."""
        self.text = text
        self.plain, self._places = _plain(text)

    def find(self, quote: str) -> Span | None:
        """The first stretch that is most like a quote; None if none is like enough.

        An ellipsis in the quote stands for anything: its parts are found one after the other.
        """
        if quote.strip() and (at := self.text.find(quote.strip())) >= 0:
            return Span(at, at + len(quote.strip()), "exact", 1.0)
        parts = [part for part in re.split(reading_rules().ellipsis, quote) if part.strip()]
        found: list[Span] = []
        for part in parts:
            begin = found[-1].end if found else 0
            span = self._part(part.strip(), begin)
            if span is None:
                return None
            found.append(span)
        if not found:
            return None
        worst = min(found, key=lambda span: span.similarity)
        match = max((span.match for span in found), key=("exact", "normal", "fuzzy").index)
        return Span(found[0].start, found[-1].end, match, worst.similarity)

    def _part(self, part: str, begin: int) -> Span | None:
        at = self.text.find(part, begin)
        if at >= 0:
            return Span(at, at + len(part), "exact", 1.0)
        plain, _ = _plain(part)
        if not plain:
            return None
        first = next((i for i, place in enumerate(self._places) if place >= begin), len(self.plain))
        at = self.plain.find(plain, first)
        if at >= 0:
            return self._span(at, at + len(plain), "normal", 1.0)
        rules = reading_rules()
        if len(plain) < rules.fuzzy_from:
            return None
        allowed = int((1 - rules.similarity) * len(plain) + 1e-9)
        end, distance = _nearest(plain, self.plain[first:])
        if distance > allowed:
            return None
        # The start is where the same search ends when both are read backwards.
        stretch = self.plain[first : first + end]
        length, _ = _nearest(plain[::-1], stretch[::-1][: len(plain) + allowed])
        start = first + end - length
        return self._span(start, first + end, "fuzzy", 1 - distance / len(plain))

    def _span(self, start: int, end: int, match: Match, similarity: float) -> Span:
        return Span(self._places[start], self._places[end - 1] + 1, match, similarity)


def _plain(text: str) -> tuple[str, list[int]]:
    """A text without case, white space and forms of marks, and each character's place in it."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            continue
        folded = unicodedata.normalize("NFKC", character).casefold().translate(_MARKS)
        for letter in folded:
            if not letter.isspace():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def _nearest(pattern: str, text: str) -> tuple[int, int]:
    """End of the stretch of a text with the least edit distance to a pattern, and that distance.

    Of several, the first. Myers 1999, figure 7, with integers of any width in place of words.
    """
    size = len(pattern)
    at: dict[str, int] = {}
    for place, letter in enumerate(pattern):
        at[letter] = at.get(letter, 0) | 1 << place
    every, top = (1 << size) - 1, 1 << (size - 1)
    plus, minus, score = every, 0, size
    best, best_end = size, 0
    for end, letter in enumerate(text, 1):
        same = at.get(letter, 0)
        vertical = same | minus
        horizontal = (((same & plus) + plus) ^ plus) | same
        up = minus | ~(horizontal | plus) & every
        down = plus & horizontal
        if up & top:
            score += 1
        elif down & top:
            score -= 1
        up, down = up << 1 & every, down << 1 & every
        plus = down | ~(vertical | up) & every
        minus = up & vertical
        if score < best:
            best, best_end = score, end
    return best_end, best


def quotes_of(item: Any) -> list[str]:  # noqa: ANN401 - JSON
    """The words that a mistake quotes: its ``quote``, else what stands in quotation marks."""
    if isinstance(item, dict):
        quote = next((item[key] for key in item if key.casefold() == "quote"), None)
        if isinstance(quote, str):
            return [quote] if quote.strip() else []
    text = item_text(item)
    found = [(match.start(), next(filter(None, match.groups()))) for match in
             _quoted().finditer(text)]  # fmt: skip
    return [quote.strip() for _, quote in sorted(found) if quote.strip()]


@lru_cache(maxsize=1)
def _quoted() -> re.Pattern[str]:
    """Matches a phrase in quotation marks; a mark within a word is an apostrophe."""
    ways = []
    for pair in reading_rules().quotes:
        left, right = re.escape(pair[0]), re.escape(pair[1])
        before, after = (r"(?<![A-Za-z])", r"(?![A-Za-z])") if pair[1] in "'’" else ("", "")
        ways.append(f"{before}{left}((?:(?!{right}{after})[^\n])+){right}{after}")
    return re.compile("|".join(ways))


def spans_of(judged: Judged) -> list[dict[str, Any]]:
    """Where the mistakes of an answer are, each as a row of plain JSON values.

    Offsets are those of the system's output; of a mistake that quotes several phrases, the first
    that is found counts, for the others are of the reference.
    """
    finder = Finder(judged.stored.text)
    rows = []
    for judgement in judged.judgements:
        for number, item in enumerate(judgement.items):
            quotes = quotes_of(item)
            span = next(filter(None, map(finder.find, quotes)), None)
            row = {
                "system": judged.stored.system,
                "document": judged.stored.document.partition("#")[0],
                "metric": judgement.metric,
                "repeat": judged.stored.repeat,
                "mistake": number,
                "quote": quotes[0] if quotes else None,
                "match": "no-quote" if not quotes else "not-found",
                "similarity": None,
                "start": None,
                "end": None,
                "sentence": None,
                "text": None,
            }
            if span is not None:
                line = judged.stored.text.count("\n", 0, span.start)
                row |= {
                    "match": span.match,
                    "similarity": span.similarity,
                    "start": judged.stored.offset + span.start,
                    "end": judged.stored.offset + span.end,
                    "sentence": judged.stored.sentence + line,
                    "text": judged.stored.text[span.start : span.end],
                }
            rows.append(row)
    return rows


def count_found(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """How mistakes were found, by metric."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["metric"], Counter())[row["match"]] += 1
    return {metric: dict(sorted(of.items())) for metric, of in counts.items()}
