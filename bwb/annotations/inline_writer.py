"""Writing BWB's inline format, the inverse of `bwb.annotations.inline`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.annotations.inline import InlineReader
from bwb.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Mention, Side


def write_inline(side: Side) -> list[str]:
    """The side as lines of the inline format, the inverse of strict reading.

    Quotes stand outside mentions of the same extent; mentions of the same extent nest in the
    order of the record.

    Raises:
        InputError: if the format cannot hold the side: mentions that cross each other, a span
            that is empty or crosses a line, text that looks like markup. Use JSONL then.
    """
    lines = _with_markers(side)
    reader = InlineReader(side.lang, strict=True)
    for number, (line, sentence) in enumerate(zip(lines, side.sentences, strict=True), 1):
        try:
            back = reader.feed(line)
        except FormatError as error:
            raise InputError(f"sentence {number} cannot be written inline: {error}") from None
        if back != sentence:
            raise InputError(
                f"sentence {number} cannot be written inline: its text looks like markup or has "
                f"an unbalanced brace: {sentence!r}"
            )
    return lines


def _with_markers(side: Side) -> list[str]:
    """Insert the tags of mentions and quotes into the sentences."""
    # Sort keys at one offset: ends before starts; inner ends first; outer starts first.
    marks: list[tuple[tuple[int, int, int, int], str]] = []
    spans = [(m.start, m.end, m.sentence, _mention_header(m), "}") for m in side.mentions]
    _refuse_crossing(side.mentions)
    for quote in side.quotes:
        speaker = quote.speaker or "?"
        for piece, span in enumerate(quote.spans):
            more = ", +" if piece else ""
            spans.append((span.start, span.end, -1, f"<Q, {speaker}{more}>", "<\\Q>"))
    for order, (start, end, sentence, header, close) in enumerate(spans):
        if end <= start:
            raise InputError(f"a span of {end - start} characters cannot be written inline")
        if sentence >= 0 and end > side.sentence_span(sentence).end:
            raise InputError(f"a mention that crosses a line cannot be written inline: {header}")
        rank = -1 if sentence < 0 else order
        marks.append(((start, 1, -end, rank), header))
        marks.append(((end, 0, -start, -rank), close))
    marks.sort(key=lambda mark: mark[0])
    pieces: list[str] = []
    done = 0
    text = side.text
    for (offset, *_), mark in marks:
        pieces.append(text[done:offset])
        pieces.append(mark)
        done = offset
    pieces.append(text[done:])
    return "".join(pieces).split("\n") if side.sentences else []


def _mention_header(mention: Mention) -> str:
    if mention.pronoun:
        return f"<{'O' if mention.omitted else 'P'}, {mention.entity}>{{"
    flag = {True: "T", False: "N", None: "?"}[mention.term]
    if mention.type is None:
        raise InputError(f"mention {mention.id} ({mention.text!r}) has no type")
    return f"<{mention.type}, {flag}, {mention.entity}>{{"


def _refuse_crossing(mentions: Sequence[Mention]) -> None:
    stack: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        while stack and stack[-1].end <= mention.start:
            stack.pop()
        if stack and mention.end > stack[-1].end:
            raise InputError(
                f"mentions {stack[-1].text!r} and {mention.text!r} cross; "
                "the inline format can only nest them"
            )
        stack.append(mention)
