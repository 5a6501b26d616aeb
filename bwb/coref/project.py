"""A reference's mentions in a system's text, and what a resolver makes of them there.

Jiang et al. 2023 (BWB, section 5) score the coreference of a translation by giving a resolver the
mentions of the reference that the translation has as well. Here a mention of line *i* of the
reference is looked for in line *i* of the system, by its words, regardless of case; each
occurrence is used once. Where the system's line has the words as often as the reference's, the
mention gets the occurrence of the same rank; else the first that is free.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.coref.base import Span, Speech, ordered
from bwb.coref.speech import stretches
from bwb.errors import LengthError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.coref.base import Chain, Resolver
    from bwb.records import Mention, Side

_TOKEN = re.compile(r"[^\W_]+|[^\s]")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})


@dataclass(frozen=True, slots=True)
class Projection:
    """Mentions of a reference in a system's text.

    Attributes:
        found: Those that were found, with their place in the system's text.
        missing: Those that were not.
    """

    found: tuple[tuple[Mention, Span], ...]
    missing: tuple[Mention, ...]

    @property
    def coverage(self) -> float | None:
        """Share of the reference's mentions that were found; None if it has none."""
        total = len(self.found) + len(self.missing)
        return len(self.found) / total if total else None


def side_chains(side: Side) -> list[Chain]:
    """The annotated chains of a side, as a resolver would give them."""
    chains: dict[str, list[Span]] = {}
    for mention in side.mentions:
        base = side.offsets[mention.sentence]
        span = Span(mention.sentence, mention.start - base, mention.end - base)
        chains.setdefault(mention.entity, []).append(span)
    return ordered(chains.values())


def project_mentions(reference: Side, sentences: Sequence[str]) -> Projection:
    """Find the reference's mentions in a system's text.

    Args:
        reference: The annotated side.
        sentences: The system's lines, as many as the reference has.

    Raises:
        LengthError: if their numbers differ.
    """
    _require_lines(reference, sentences)
    by_line: dict[int, list[Mention]] = {}
    for mention in reference.mentions:
        by_line.setdefault(mention.sentence, []).append(mention)
    found: list[tuple[Mention, Span]] = []
    missing: list[Mention] = []
    for line in sorted(by_line):
        placed = _project_line(reference, line, by_line[line], sentences[line])
        for mention in by_line[line]:
            span = placed.get(mention.id)
            if span is None:
                missing.append(mention)
            else:
                found.append((mention, Span(line, *span)))
    return Projection(tuple(found), tuple(missing))


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


def resolve_projected(
    resolver: Resolver, reference: Side, sentences: Sequence[str]
) -> tuple[Projection, list[list[Mention]]]:
    """The chains that a resolver makes of the reference's mentions in a system's text.

    Args:
        resolver: The resolver.
        reference: The annotated side.
        sentences: The system's lines.

    Returns:
        The projection, and the chains, as mentions of the reference.

    Raises:
        LengthError: if the numbers of lines differ.
    """
    projection = project_mentions(reference, sentences)
    by_span: dict[Span, list[Mention]] = {}
    for mention, span in projection.found:
        by_span.setdefault(span, []).append(mention)
    if not by_span:
        return projection, []
    chains = resolver.resolve(sentences, by_span, project_speech(reference, sentences))
    return projection, [[m for span in chain for m in by_span[span]] for chain in chains]


def _project_line(
    reference: Side, line: int, mentions: Iterable[Mention], sentence: str
) -> dict[str, tuple[int, int]]:
    """Where the mentions of a line are in the system's sentence; by their ids."""
    mine = _tokens(sentence)
    whole = reference.sentence_span(line)
    theirs = _tokens(reference.sentences[line])
    placed: dict[str, tuple[int, int]] = {}
    groups: dict[tuple[str, ...], list[Mention]] = {}
    for mention in mentions:
        if mention.end <= whole.end:
            words = tuple(word for word, _, _ in _tokens(mention.text))
            groups.setdefault(words, []).append(mention)
    for words, group in groups.items():
        places = _occurrences(mine, words)
        original = _occurrences(theirs, words)
        ranks = {start: rank for rank, (start, _) in enumerate(original)}
        if words and len(places) == len(original):
            for mention in group:
                rank = ranks.get(mention.start - whole.start)
                if rank is not None:
                    placed[mention.id] = places[rank]
        free = [place for place in places if place not in placed.values()]
        left = (mention for mention in group if mention.id not in placed)
        placed.update(
            {m.id: place for m, place in zip(left, free, strict=False)}  # some find none
        )
    return placed


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Words and marks in lower case, with their ranges."""
    text = text.translate(_APOSTROPHES)
    return [(m.group().casefold(), m.start(), m.end()) for m in _TOKEN.finditer(text)]


def _occurrences(
    tokens: Sequence[tuple[str, int, int]], words: tuple[str, ...]
) -> list[tuple[int, int]]:
    size = len(words)
    if not size:
        return []
    return [
        (tokens[at][1], tokens[at + size - 1][2])
        for at in range(len(tokens) - size + 1)
        if tuple(word for word, _, _ in tokens[at : at + size]) == words
    ]


def _lines_of(side: Side, start: int, end: int) -> Iterable[int]:
    return range(bisect_right(side.offsets, start) - 1, bisect_right(side.offsets, end - 1))


def _require_lines(reference: Side, sentences: Sequence[str]) -> None:
    if len(sentences) != len(reference.sentences):
        raise LengthError(
            f"{len(sentences)} lines of the system, the reference has {len(reference.sentences)}; "
            "expected the same number"
        )
