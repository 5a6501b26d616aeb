"""Annotated chains as a resolver would give them, and annotated speech in a system's text."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from bwb.coref.base import Span, Speech, ordered
from bwb.coref.speech import stretches
from bwb.errors import LengthError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.coref.base import Chain
    from bwb.records import Side


def side_chains(side: Side) -> list[Chain]:
    """The annotated chains of a side, as a resolver would give them."""
    chains: dict[str, list[Span]] = {}
    for mention in side.mentions:
        base = side.offsets[mention.sentence]
        span = Span(mention.sentence, mention.start - base, mention.end - base)
        chains.setdefault(mention.entity, []).append(span)
    return ordered(chains.values())


def project_speech(reference: Side, sentences: Sequence[str]) -> list[Speech] | None:
    """Direct speech of a system's text, with the speakers of the reference's quotation layer.

    The speech of the system's line *i* is told by its marks. If it has as many stretches as the
    reference has quotes in that line, they have the same speakers; else the speakers are unknown.

    Returns:
        The speech; None if the reference's quotes are not annotated.

    Raises:
        LengthError: if the numbers of lines differ.
    """
    if "quotation" not in reference.layers:
        return None
    _require_lines(reference, sentences)
    annotated: dict[int, list[tuple[int, str | None, tuple[str, ...]]]] = {}
    for quote in reference.quotes:
        for span in quote.spans:
            for line in _lines_of(reference, span.start, span.end):
                row = (span.start, quote.speaker, quote.addressees)
                annotated.setdefault(line, []).append(row)
    speech: list[Speech] = []
    pieces: dict[int, list[tuple[int, int]]] = {}
    for group in stretches(sentences):
        for line, start, end in group:
            pieces.setdefault(line, []).append((start, end))
    for line, places in sorted(pieces.items()):
        known = sorted(annotated.get(line, ()), key=lambda row: row[0])
        for place, (start, end) in enumerate(places):
            _, speaker, addressees = known[place] if len(known) == len(places) else (0, None, ())
            speech.append(Speech(line, start, end, speaker, addressees))
    return speech


def _lines_of(side: Side, start: int, end: int) -> Iterable[int]:
    return range(bisect_right(side.offsets, start) - 1, bisect_right(side.offsets, end - 1))


def _require_lines(reference: Side, sentences: Sequence[str]) -> None:
    if len(sentences) != len(reference.sentences):
        raise LengthError(
            f"{len(sentences)} lines of the system, the reference has {len(reference.sentences)}; "
            "expected the same number"
        )
