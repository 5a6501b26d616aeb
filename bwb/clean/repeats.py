"""Paragraphs that a page, or the joint of two pages, has twice.

People in stories repeat themselves, systems send the same message again, songs have refrains: so
what is short is never a mistake, and what is in quotation marks or brackets must be longer still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.clean.settings import cleaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Lang

_SPOKEN = tuple("“\"‘'「『【[（(<《")


def repeated(lines: Sequence[str], lang: Lang) -> dict[int, str]:
    """Which lines repeat others by mistake.

    Args:
        lines: The lines; none is empty.
        lang: Their language, on which the least lengths depend.

    Returns:
        Indices with the reason: ``duplicate`` for a paragraph that follows itself,
        ``repeated-block`` for several lines that follow themselves or come again further down.
    """
    if len(set(lines)) == len(lines):
        return {}
    found: dict[int, str] = {}
    last: dict[str, int] = {}
    i = 0
    while i < len(lines):
        before = last.get(lines[i])
        length = _run(lines, before, i, lang) if before is not None else 0
        if length:
            reason = "duplicate" if length == 1 else "repeated-block"
            found.update(dict.fromkeys(range(i, i + length), reason))
            i += length
            continue
        last[lines[i]] = i
        i += 1
    return found


def _run(lines: Sequence[str], before: int, at: int, lang: Lang) -> int:
    """How many lines from ``at`` on are those from ``before`` on again, and by mistake."""
    settings = cleaning().lines
    end = at
    while end < len(lines) and before + end - at < at and lines[end] == lines[before + end - at]:
        end += 1
    run = lines[at:end]
    if before + len(run) == at:  # follows itself
        if len(run) == 1:
            least = settings.duplicate[lang]
            if run[0].startswith(_SPOKEN):
                least *= settings.quoted_duplicate
            return int(len(run[0]) >= least)
        return len(run) if sum(map(len, run)) >= settings.block[lang] else 0
    # A line that was left out before the joint makes the run end before the joint.
    far = sum(map(len, set(run))) >= settings.far_block[lang]
    return len(run) if far and len(set(run)) >= settings.far_block_lines else 0
