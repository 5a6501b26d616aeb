"""Cleaning a chapter: script, then lines."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from bwb.clean.lines import CleanedLines, RemovedLine, clean_lines
from bwb.clean.repair import repair
from bwb.clean.script import simplify, simplify_lines, traditional_share

if TYPE_CHECKING:
    from bwb.records import Chapter


def clean_chapter(chapter: Chapter) -> tuple[Chapter, list[RemovedLine], Counter[str]]:
    """Clean a chapter.

    Chinese that is found to be traditional is put into simplified characters first, because the
    rules for lines are written in them; `Chapter.original` then holds the repaired traditional
    lines, one for each line of the result, before anything was cut out of them.

    Args:
        chapter: A chapter as extracted. One that was cleaned already comes back as it is.

    Returns:
        The chapter with its cleaned lines and the digest of their text; what was taken out, with
        line numbers of the chapter given; and how many lines were altered for which reason (those
        of `bwb.clean.lines`, and ``simplified``).
    """
    lines, original, simplified = chapter.lines, None, set[int]()
    title = chapter.title
    early: Counter[str] = Counter()
    if chapter.lang == "zh":
        repaired = [repair(line) for line in chapter.lines]
        made = simplify_lines([line for line, _ in repaired])
        if made is not None:
            original = [line for line, _ in repaired]
            lines = made
            simplified = {i for i, line in enumerate(made) if line != original[i]}
            if title and (traditional_share(title) or 0) > 0:
                title = simplify(title)
    cleaned = clean_lines(lines, chapter.lang, title=title, number=chapter.number)
    if original is not None:
        early.update(reason for i in cleaned.kept for reason in repaired[i][1])
        early["simplified"] = len(simplified.intersection(cleaned.kept))
    return _with(chapter, cleaned, original), list(cleaned.removed), cleaned.changed + early


def _with(chapter: Chapter, cleaned: CleanedLines, original: list[str] | None) -> Chapter:
    kept = chapter.original
    if original is not None:
        kept = tuple(original[i] for i in cleaned.kept)
    elif kept is not None and len(kept) == len(chapter.lines):
        kept = tuple(kept[i] for i in cleaned.kept)
    text = "\n".join(cleaned.lines)
    return dataclasses.replace(
        chapter,
        lines=cleaned.lines,
        original=kept,
        sha256_text=hashlib.sha256(text.encode("utf-8")).hexdigest(),
    )
