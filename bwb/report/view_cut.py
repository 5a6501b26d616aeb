"""Cutting a sentence at its annotations, for a page that must not count characters itself.

Offsets are code points; a browser counts UTF-16 units. So the cutting is done here, and the page
gets pieces. A piece is a string, or a list ``[*label, *pieces]`` whose label says what the pieces
are: a tree, as HTML is one. Spans that cross are cut where one ends, so that both stay whole when
their pieces are put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A label's parts, then pieces.
Piece = str | list["str | int | Piece"]
Label = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled range of code points of a sentence.

    Attributes:
        start: First code point.
        end: One past the last; equal to `start` for something that stands between two characters.
        label: What the pieces are called, of any length, the first part being their kind.
        rank: Of two spans of the same range, that of the lower rank is outside.
    """

    start: int
    end: int
    label: Label
    rank: int = 0


def cut(text: str, spans: Iterable[Span]) -> list[Piece]:
    """The pieces of a text, in order.

    Args:
        text: A sentence.
        spans: In any order; they may nest and cross. What lies outside the text is cut off.

    Returns:
        Pieces whose strings, one after the other, are the text.
    """
    inside = sorted((_within(span, len(text)) for span in spans), key=_order)
    return _cut(text, inside, 0, len(text))


def _order(span: Span) -> tuple[int, bool, int, int]:
    """What begins first, then what has no length, then the longest."""
    return span.start, span.end > span.start, -span.end, span.rank


def _within(span: Span, length: int) -> Span:
    start = min(max(span.start, 0), length)
    return Span(start, min(max(span.end, start), length), span.label, span.rank)


def _cut(text: str, spans: Sequence[Span], start: int, end: int) -> list[Piece]:
    """The pieces of a range; all spans begin in it, and those that begin first come first."""
    pieces: list[Piece] = []
    waiting = list(spans)
    at = start
    while waiting:
        outer = waiting.pop(0)
        if at < outer.start:
            pieces.append(text[at : outer.start])
        at = outer.start
        if outer.end > end:  # the rest belongs behind the range; whoever called has added it
            outer = Span(outer.start, end, outer.label, outer.rank)
        inner = [span for span in waiting if span.start < outer.end]
        waiting = waiting[len(inner) :]
        # What an inner span has beyond the outer one's end goes on behind it.
        rest = [
            Span(outer.end, min(span.end, end), span.label, span.rank)
            for span in inner
            if span.end > outer.end and outer.end < end
        ]
        pieces.append([*outer.label, *_cut(text, inner, outer.start, outer.end)])
        at = outer.end
        if rest:
            waiting = sorted([*rest, *waiting], key=_order)
    if at < end:
        pieces.append(text[at:end])
    return pieces


def plain(pieces: Iterable[str | int | Piece], label: int) -> str:
    """The text of pieces.

    Args:
        pieces: As `cut` returns them.
        label: How many parts the labels in them have.
    """
    found = []
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
        elif isinstance(piece, list):
            found.append(plain(piece[label:], label))
    return "".join(found)
