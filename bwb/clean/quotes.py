"""Quotations within a line: where they begin and end.

Web text leaves quotation marks out, doubles them, and turns them round; so a mark counts only if
its partner stands in the same line. Of two opening marks of a kind the second is believed:
“A. “B.” has one quotation, not one that swallows the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from bwb.records import Lang

PAIRS = {"“": "”", "「": "」", "『": "』", "«": "»", "【": "】", "［": "］", "[": "]"}
ROUND = {"（": "）", "(": ")", "《": "》", "〈": "〉"}
_CLOSING = {close: open_ for open_, close in (PAIRS | ROUND).items()}
_MARK = re.compile("[" + "".join(map(re.escape, [*PAIRS, *ROUND, *_CLOSING])) + "]")
_SINGLE = re.compile("(?<!\\w)[‘']|[’'](?!\\w)")
_BEFORE_OPENING = " \t\u3000([{（【—–-‘“'«…"
_AFTER_CLOSING = " \t\u3000.,;:!?)]}）】—–-’”'»…"
_ENDS = '.,!?…—–-~)”"'

Span = tuple[int, int]


def spans(line: str, lang: Lang, elisions: Container[str] = ()) -> tuple[list[Span], list[Span]]:
    """Quotations and parentheses of a line that have both of their marks.

    Args:
        line: The line.
        lang: Its language: decides what a straight mark is, and whether ’ may be an apostrophe.
        elisions: Words that begin with an apostrophe, without it (em, tis).

    Returns:
        Half-open ranges, marks included: of quotations (speech in any kind of marks, messages in
        square brackets), and of parentheses and titles. They may nest, and even cross.
    """
    quotes: list[Span] = []
    round_: list[Span] = []
    opened: dict[str, int] = {}
    for mark in _MARK.finditer(line):
        char = mark[0]
        partner = _CLOSING.get(char)
        if partner is None:
            opened[char] = mark.start()
        elif partner in opened:
            kind = quotes if partner in PAIRS else round_
            kind.append((opened.pop(partner), mark.end()))
    if '"' in line:
        quotes += _straight(line, lang)
    if "‘" in line or (lang == "en" and "'" in line):
        quotes += _single(line, lang, elisions)
    return quotes, round_


def _straight(line: str, lang: Lang) -> list[Span]:
    """Quotations between straight double marks."""
    found = []
    start: int | None = None
    at = line.find('"')
    while at >= 0:
        opens = _opens(line, at, lang, start is not None)
        if opens:
            start = at
        elif start is not None:
            found.append((start, at + 1))
            start = None
        at = line.find('"', at + 1)
    return found


def _opens(line: str, at: int, lang: Lang, inside: bool) -> bool:
    """Whether a straight mark opens a quotation; in doubt it closes the one that is open."""
    before = line[at - 1] if at else " "
    after = line[at + 1] if at + 1 < len(line) else " "
    if lang == "zh":
        if before in "：:":
            return True
        return not inside
    could_open = before in _BEFORE_OPENING and not after.isspace()
    could_close = after in _AFTER_CLOSING and not (before.isspace() and inside and not after)
    if could_open != could_close:
        return could_open
    return not inside


def _single(line: str, lang: Lang, elisions: Container[str]) -> list[Span]:
    """Quotations between single marks, which in English are apostrophes too."""
    found = []
    start: int | None = None
    marks = re.finditer("[‘’]", line) if lang == "zh" else _SINGLE.finditer(line)
    for mark in marks:
        i, char = mark.start(), mark[0]
        if char == "‘" or (char == "'" and lang == "en" and _opens_single(line, i, elisions)):
            if char == "‘" and lang == "en" and _elision(line, i, elisions):
                continue
            start = i
        elif char in "’'" and start is not None and _closes_single(line, i, lang):
            found.append((start, i + 1))
            start = None
    return found


def _opens_single(line: str, at: int, elisions: Container[str]) -> bool:
    before = line[at - 1] if at else " "
    after = line[at + 1] if at + 1 < len(line) else " "
    if before not in ' \t([—–-“"' or after.isspace():
        return False
    return not _elision(line, at, elisions)


def _elision(line: str, at: int, elisions: Container[str]) -> bool:
    """Whether the mark is the apostrophe of a word like 'em, or of '90s."""
    end = at + 1
    while end < len(line) and line[end].isalnum():
        end += 1
    word = line[at + 1 : end].lower()
    return word in elisions or word[:1].isdecimal()


def _closes_single(line: str, at: int, lang: Lang) -> bool:
    """Speech ends in a punctuation mark; a letter before the mark is mostly a plural's (boys')."""
    if lang == "zh":
        return line[at] == "’"
    before = line[at - 1]
    after = line[at + 1] if at + 1 < len(line) else " "
    if after.isalnum():
        return False
    return before in _ENDS or (after in ".,;:!?)" and not before.isspace())
