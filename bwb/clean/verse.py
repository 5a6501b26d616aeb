"""Which lines of a chapter are verse or part of a couplet.

Chinese verse in half lines of five or seven characters, set a line or a stanza to a paragraph;
couplets by what their halves are called; English verse by its short lines that run on. Song lyrics
and free verse in Chinese look like prose cut short, and are not found.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.clean.filters import VerseSettings
    from bwb.records import Lang

_HALF = re.compile(r"[，。！？；：、,.!?;:…—\s]+")
_QUOTES = re.compile(r"[“”‘’「」『』\"'《》（）()\s]")
_HAN_ONLY = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_ENDS = re.compile(r"[.!?…][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")


def verse_lines(lines: Sequence[str], lang: Lang, settings: VerseSettings) -> list[bool]:
    """Whether each line is verse.

    Args:
        lines: A paragraph each.
        lang: What they are written in.
        settings: The table ``verse`` of `crawl/filters.toml`.
    """
    return (_chinese if lang == "zh" else _english)(lines, settings)


def _chinese(lines: Sequence[str], settings: VerseSettings) -> list[bool]:
    couplet = _compiled(settings.couplet)
    sizes = [_half_lines(line, settings) for line in lines]
    verse = [couplet.search(line) is not None for line in lines]
    at = 0
    while at < len(lines):
        end = at + 1
        # a run: paragraphs that follow each other, all in half lines of one length
        while sizes[at] and end < len(lines) and sizes[end][:1] == sizes[at][:1]:
            end += 1
        if sum(map(len, sizes[at:end])) >= settings.run:
            verse[at:end] = [True] * (end - at)
        at = end
    return verse


def _half_lines(line: str, settings: VerseSettings) -> list[int]:
    """Lengths of a line's half lines, all equal; empty if they are not verse."""
    halves = [half for half in _HALF.split(_QUOTES.sub("", line)) if half]
    sizes = [len(half) for half in halves]
    alike = len(set(sizes)) == 1 and sizes[0] in settings.lengths
    return sizes if alike and all(_HAN_ONLY.fullmatch(half) for half in halves) else []


def _english(lines: Sequence[str], settings: VerseSettings) -> list[bool]:
    lists = _compiled(settings.not_verse)
    short = [_is_short(line, lists, settings) for line in lines]
    verse = [False] * len(lines)
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and short[end]:
            end += 1
        run_on = sum(not _ENDS.search(line.rstrip()) for line in lines[at:end])
        if end - at >= settings.english_run and run_on >= settings.open_share * (end - at):
            verse[at:end] = [True] * (end - at)
        at = max(end, at + 1)
    return verse


def _is_short(line: str, lists: re.Pattern[str], settings: VerseSettings) -> bool:
    first = _LETTER.search(line)
    capital = first is not None and not first.group().islower()
    return len(line.strip()) <= settings.short and capital and not lists.search(line)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
