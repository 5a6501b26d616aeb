"""Moving annotations from one copy of a text to another that differs in little.

The release has every chapter twice: plain, as the systems translated it, and annotated, where
spaces were added or lost (``her fists and lowered herhead``). The plain text is the one to keep.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from bwb.errors import Finding
from bwb.records import Quote, Side, Span

if TYPE_CHECKING:
    from bwb.records import Mention


def project(annotated: Side, plain: Side, file: str) -> tuple[Side, list[Finding]]:
    """Put the layers of an annotated side onto the plain text of the same chapter.

    Sentence *k* of one is sentence *k* of the other; the annotated side may be shorter (an
    excerpt), which is reported.

    Args:
        annotated: The side with layers.
        plain: The side whose sentences are kept.
        file: Name of the annotated file, for messages.

    Returns:
        The plain side with the layers, and one finding for each thing that differs: white space
        (a repaired finding each sentence), other characters, and every mention or quote that has
        no counterpart in the plain text.
    """
    findings: list[Finding] = []
    lengths = len(annotated.sentences), len(plain.sentences)
    if lengths[0] > lengths[1]:
        message = f"{lengths[0]} annotated sentences, the plain text has {lengths[1]}"
        findings.append(Finding(file, lengths[1] + 1, 0, "too-many-lines", message))
        return plain, findings
    if lengths[0] < lengths[1]:
        message = f"{lengths[0]} of {lengths[1]} sentences are annotated"
        findings.append(Finding(file, 0, 0, "partly-annotated", message, severity="warning"))
    maps = []
    for number, (old, new) in enumerate(zip(annotated.sentences, plain.sentences, strict=False), 1):
        if old.strip() != new.strip():
            findings.append(_difference(old, new, file, number))
        maps.append(_character_map(old, new))
    moved = _Mover(annotated, plain, maps)
    mentions: list[Mention] = []
    for mention in annotated.mentions:
        span = moved.span(mention.start, mention.end)
        if span is None:
            message = f"mention {mention.text!r} is not in the plain text"
            line = mention.sentence + 1
            findings.append(Finding(file, line, 0, "mention-lost", message, "left out"))
            continue
        text = plain.text[span.start : span.end]
        mentions.append(dataclasses.replace(mention, start=span.start, end=span.end, text=text))
    quotes = []
    for quote in annotated.quotes:
        spans = [moved.span(span.start, span.end) for span in quote.spans]
        kept = tuple(span for span in spans if span is not None)
        if len(kept) < len(spans):
            message = f"{len(spans) - len(kept)} piece(s) of quote {quote.id} not in the plain text"
            findings.append(Finding(file, 0, 0, "quote-lost", message, "left out"))
        if kept:
            quotes.append(Quote(quote.id, kept, quote.speaker, quote.addressees, quote.kind))
    side = dataclasses.replace(
        plain, layers=annotated.layers, mentions=tuple(mentions), quotes=tuple(quotes)
    )
    return side, findings


class _Mover:
    """Maps spans of the annotated text to spans of the plain text."""

    def __init__(self, old: Side, new: Side, maps: list[list[int]]) -> None:
        self.old = old
        self.new = new
        self.maps = maps

    def span(self, start: int, end: int) -> Span | None:
        """The plain span of the characters that both texts have; None if there are none."""
        places = []
        for offset in range(start, end):
            sentence = bisect_right(self.old.offsets, offset) - 1
            inner = offset - self.old.offsets[sentence]
            line = self.maps[sentence]
            if inner < len(line) and line[inner] >= 0:
                places.append(self.new.offsets[sentence] + line[inner])
        return Span(places[0], places[-1] + 1) if places else None


def _character_map(old: str, new: str) -> list[int]:
    """For each character of `old` its index in `new`, or -1 (and for all white space)."""
    result = [-1] * len(old)
    olds = [i for i, character in enumerate(old) if not character.isspace()]
    news = [i for i, character in enumerate(new) if not character.isspace()]
    left = "".join(old[i] for i in olds)
    right = "".join(new[i] for i in news)
    if left == right:
        for i, j in zip(olds, news, strict=True):
            result[i] = j
        return result
    for block in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            result[olds[block.a + step]] = news[block.b + step]
    return result


def _difference(old: str, new: str, file: str, number: int) -> Finding:
    if "".join(old.split()) == "".join(new.split()):
        message = f"white space differs from the plain text: {old.strip()!r}"
        return Finding(file, number, 0, "white-space", message, "plain text kept")
    message = f"text differs from the plain text: {old.strip()!r} against {new.strip()!r}"
    return Finding(file, number, 0, "text-differs", message, "plain text kept")
