"""The title of a chapter, where a page repeats it in the text."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from bwb.clean.settings import cleaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Lang

_DIGITS = dict(
    zip("零〇○一二两三四五六七八九", (0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_PAGE = re.compile(r"\s*(?:[（(]\s*第?\s*\d+\s*(?:[/／]\s*\d+)?\s*页?\s*[）)]|第\s*\d+\s*页)\s*$")
_QUOTES = "“”‘’\"'「」『』"
_MOST_WORDS = 14
_LONGEST_JOINED = 20
_LONGEST_MARK = 16  # characters of （第2页/共3页）


def number_of(text: str) -> int | None:
    """The number that a numeral stands for: ``12``, ``１２``, ``十二``, ``一二``; None if none."""
    text = unicodedata.normalize("NFKC", text)
    if text.isdecimal():
        return int(text)
    if text and all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char == "万":
            total, section, digit = (total + section + digit) * 10000, 0, 0
        elif char in _TENS:
            section += (digit or 1) * _TENS[char]
            digit = 0
        else:
            return None
    return total + section + digit if text else None


def title_lines(
    lines: Sequence[str], lang: Lang, title: str | None, number: int | None, skip: Sequence[bool]
) -> list[int]:
    """Which lines are the chapter's title.

    At the beginning that is a heading (Chapter 12: The Gate), or the title as the list of
    chapters has it, with its number or without; further down, where pages of a chapter were
    joined, only the whole title with its number.

    Args:
        lines: The lines, repaired; none is empty.
        lang: Language of the chapter.
        title: Its title, if known.
        number: Its number, if known.
        skip: Which lines are known to be no text (credits); they may stand before a title.

    Returns:
        Their indices, ascending.
    """
    whole = _normal(title) if title else ""
    parts = _heading(lang).fullmatch(title.strip()) if title else None
    name = _normal(parts["name"] or "") if parts else ""
    found: list[int] = []
    longest = 2 * len(title or "") + _LONGEST_MARK
    untouched = True  # nothing but titles and credits so far
    for i, line in enumerate(lines):
        if parts and len(line) <= longest and _normal(_PAGE.sub("", line)) == whole:
            found.append(i)
        elif i < cleaning().lines.title_lines:
            same = untouched and _normal(line) in {whole, name} - {""}
            if same or _is_heading(line, lang, number, name, first=untouched):
                found.append(i)
            elif not skip[i]:
                untouched = False
        elif not parts:
            break
    return found


def _is_heading(line: str, lang: Lang, number: int | None, name: str, *, first: bool) -> bool:
    """Whether a line has the form of a heading, and is that of this chapter for all one can see."""
    match = _heading(lang).fullmatch(_PAGE.sub("", line))
    if not match:
        return False
    gap, rest = match["gap"] or "", (match["name"] or "").strip()
    same = number is not None and number_of(match["number"]) == number
    if not rest:
        return first or same
    if name and _normal(rest) == name:
        return True
    # A heading has no full stop, and begins with a capital; a sentence about a chapter does not.
    open_end = rest.endswith((".", "。", "，", ",", ";")) and not rest.endswith("..")
    if open_end or ". " in rest:
        return False
    if re.search(r"[^\s\w]", gap):
        return first or same
    if lang == "en":
        titled = rest[0].isupper() or rest[0].isdecimal()
        return titled and len(rest.split()) <= _MOST_WORDS and (first or same) and bool(gap)
    if gap:
        return first or same
    return first and same and len(rest) <= _LONGEST_JOINED and "，" not in rest


@cache
def _heading(lang: Lang) -> re.Pattern[str]:
    return re.compile(cleaning().lines.heading[lang], re.VERBOSE | re.IGNORECASE)


def _normal(text: str) -> str:
    """Letters, digits and quotation marks: “Run!” he may say, Run! is a title."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in text if char.isalnum() or char in _QUOTES)
