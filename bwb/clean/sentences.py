"""Cutting lines into sentences.

By the convention of the BWB release a quotation stays on one line, however many sentences it
holds (``quotes="whole"``, the default); other corpora, MAC among them, cut inside quotations as
well (``quotes="split"``). In English both leave who speaks with what is said: “Go!” he said.

Nothing but white space between sentences is lost, and a sentence that is split again stays as it
is. A quotation mark without a partner in its line is ignored, so it spoils no other sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bwb.clean import sentences_en, sentences_zh

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bwb.records import Lang

Quotes = Literal["whole", "split"]


def split_line(line: str, lang: Lang, *, quotes: Quotes = "whole") -> list[str]:
    """The sentences of a line.

    Args:
        line: A paragraph, without a line feed.
        lang: Language of the chapter. A line of ASCII is always split as English.
        quotes: Whether quotations of several sentences are kept whole, or cut inside as well.

    Returns:
        The sentences, stripped of white space at their ends; none for a line that has no text.
        Each is split into itself.
    """
    line = line.strip()
    if not line:
        return []
    module = sentences_en if lang == "en" or line.isascii() else sentences_zh
    found = module.cuts(line, whole=quotes == "whole")
    if not found:
        return [line]
    pieces = [line[a:b].strip() for a, b in zip([0, *found], [*found, len(line)], strict=True)]
    # What stands to the left decides in rare cases (a straight mark is opening or closing), so a
    # piece by itself may have another cut: taking it now makes the result final.
    return [part for piece in pieces if piece for part in split_line(piece, lang, quotes=quotes)]


def split_lines(lines: Iterable[str], lang: Lang, *, quotes: Quotes = "whole") -> list[str]:
    """The sentences of all lines, in order; see `split_line`."""
    return [sentence for line in lines for sentence in split_line(line, lang, quotes=quotes)]
