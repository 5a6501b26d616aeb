"""Where English sentences end.

A sentence ends after . ! ? … with the closing marks that follow, if white space and then a
capital, a digit or an opening mark comes. It does not end after titles (Mr., Dr.), initials and
numbers of a list; not before who says it (“Go!” he said, “Go!” Wang asked); not in a parenthesis.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bwb.clean.quotes import spans
from bwb.clean.settings import cleaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.clean.quotes import Span

# One class of characters comes first: the search for it is what costs time here.
_END = re.compile(
    r"[.!?…—–。！？-](?:[.!?…—–。！？-]|(?<=\.)[ \u00a0]\.)*(?P<close>[)\]}”’\"'»」』）】]*)"
)
_QUOTE = "”\"’'»」』"
_WORD = re.compile(r"[\w'’.&-]*$")
_LONGEST_WORD = 24
_FIRST = re.compile(r"[\"“‘'(\[«]*([\w'’-]+)")
_NUMBER = re.compile(r"\W*(?:\d{1,4}|[A-Za-z]|[ivxIVX]{1,5})\.$")
_PRONOUN = re.compile(r"(?:He|She|It|They|We|You|I|The|A|An|My|His|Her|Their|Our|Your)\b")
_SPACE = " \t\u00a0\u3000"
_LONG_PARENTHESIS = 300


@dataclass(frozen=True)
class Rules:
    """The settings, ready for use."""

    titles: frozenset[str]
    maybe: frozenset[str]
    starters: frozenset[str]
    elisions: frozenset[str]
    tag: re.Pattern[str]
    full_tag: re.Pattern[str]


@cache
def rules() -> Rules:
    """The settings of `crawl/cleaning.toml`, ready for use."""
    settings = cleaning().sentences.en
    verbs = "|".join(map(re.escape, settings.speech.split()))
    no_speaker = "|".join(map(re.escape, settings.not_speakers.split()))
    speaker = (
        rf"(?!(?:{no_speaker})\b)[A-Z][\w'’.-]*"
        r"(?:\s+(?!(?:and|who|that|had|was|were)\b)[\w'’-]+){0,3}?"
    )
    verb = rf"{speaker}\s+(?:{verbs})\b"
    return Rules(
        frozenset(settings.titles.split()),
        frozenset(settings.maybe.split()),
        frozenset(settings.starters.split()),
        frozenset(settings.elisions.split()),
        re.compile(verb),
        # After a full stop only a clause that is nothing but who speaks belongs to the quotation.
        re.compile(rf"{verb}(?:\s+\w+ly)?(?:[.,:;!?—]|$)"),
    )


def cuts(line: str, *, whole: bool) -> list[int]:
    """Offsets at which a line is cut, ascending.

    Args:
        line: A line of English.
        whole: Whether quotations are kept whole; else they are cut inside as well.
    """
    ends = [match for match in _END.finditer(line) if _may_end(line, match)]
    if not ends:
        return []
    quotes, round_ = spans(line, "en", rules().elisions)
    opening = {start for start, _ in quotes if line[start] in "\"'"}
    kept = [span for span in round_ if span[1] - span[0] <= _LONG_PARENTHESIS]
    kept += quotes if whole else _messages(line, quotes)
    found: list[int] = []
    start = 0
    for match in ends:
        at = _without_opening(match, opening)
        if at <= start or any(a < at < b for a, b in kept):
            continue
        if _ends(line, start, match.start(), at):
            found.append(at)
            start = at
    return found


def _may_end(line: str, match: re.Match[str]) -> bool:
    """Whether marks may end a sentence, by what stands right behind them."""
    end = match.end()
    if end == len(line):
        return False
    marks, close = match[0], match["close"]
    if marks[0] in "—–-" and not any(mark in marks for mark in ".!?…。！？"):
        return bool(close) and close[-1] in "”\"’'" and line[end].isspace()  # “I—” She stopped.
    if line[end].isspace() or any(mark in marks for mark in "。！？"):
        return True
    # “Go.”He went: a space is missing.
    return bool(close) and close[-1] in '”"' and (line[end] == "“" or line[end].isupper())


def _messages(line: str, quotes: Sequence[Span]) -> list[Span]:
    """Messages in square brackets ([System: …]), which are never cut."""
    return [(a, b) for a, b in quotes if line[a] in "[【" and b - a <= _LONG_PARENTHESIS]


def _without_opening(match: re.Match[str], opening: set[int]) -> int:
    """End of the marks that close a sentence: those that open the next one are not among them."""
    for at in range(match.start("close"), match.end()):
        if at in opening:
            return at
    return match.end()


def _ends(line: str, start: int, mark: int, end: int) -> bool:
    """Whether the sentence that began at ``start`` ends at ``end``; its end mark is at ``mark``."""
    rest = line[end:].lstrip(_SPACE)
    if not rest or rest[0] in ",;:.!?…)]}%—–-”’»" or rest[0].islower():
        return False
    body = line[start:mark]
    if not any(map(str.isalnum, body)) and line[start:end].strip()[:1] not in ("“", '"', "‘", "'"):
        return False  # nothing but marks
    closed = line[end - 1] in _QUOTE
    marks = line[mark:end].rstrip(_QUOTE + ")]}")
    if closed:
        full = marks.endswith(".") and not marks.endswith("..")
        # “Where?” He asked whom? Only a name is capitalised in the midst of a sentence.
        full = full or _PRONOUN.match(rest) is not None
        return not (rules().full_tag if full else rules().tag).match(rest)
    if marks == ".":
        return not _abbreviated(line[start : mark + 1].lstrip(_SPACE), rest)
    if marks.endswith(("..", "…", ". .")):
        return _ends_in_ellipsis(body, rest)
    return True


def _abbreviated(sentence: str, rest: str) -> bool:
    """Whether the full stop at the end of a sentence belongs to an abbreviation."""
    found = _WORD.search(sentence[-_LONGEST_WORD:-1])
    word = found[0].lstrip("'’-") if found else ""
    first = _FIRST.match(rest)
    starts = first is not None and first[1] in rules().starters
    if word in rules().titles:
        # “No. He went.” and “No. 5” look alike up to here; so do “art.” and “Art. 5”.
        return word not in ("No", "Nos", "Art", "Sec", "Fig", "al", "Ch", "ca") or (
            first is not None and first[1][0].isdecimal()
        )
    if word in rules().maybe:
        return not starts
    if _NUMBER.fullmatch(sentence):
        return sentence != "I."
    if len(word) == 1 and word.isalpha() and word.isupper():
        return word != "I" and not starts
    if len(word) > 1 and re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word):
        return not starts
    return False


def _ends_in_ellipsis(body: str, rest: str) -> bool:
    """Not where somebody stutters: I… I can’t."""
    before = _WORD.search(body.rstrip(_SPACE)[-_LONGEST_WORD:])
    after = _FIRST.match(rest)
    if before is None or after is None or not before[0]:
        return True
    word, first = before[0].strip("-'’.").lower(), after[1].lower()
    return not (first == word or (len(word) <= 2 and first.startswith(word)))
