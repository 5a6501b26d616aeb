"""Quotation: is direct speech still direct speech?

Jiang et al. 2023, section 3.4 (quotes with their speakers). A system that turns speech into
report, or lets it run into the narration, loses who speaks. Speech is told by its marks: “ ”, " ",
‘ ’, 「 」, 『 』, « », 【 】 and [ ] (chat messages). In each sentence the stretches of marked
speech are counted: matched = Σ min(system, reference); precision and recall by the two totals.

Where the quotation layer is annotated, a stretch of the reference counts if it lies in a quote;
marked stretches that are no speech (titles, scare quotes) are allowed in the system too. Speech
without marks cannot be looked for and is left out (`undetectable`).

Exact match is the share of quotes all of whose stretches the system has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.base import Counter, Metric, Miss, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Document, Side

_CLOSER = {"“": "”", '"': '"', "‘": "’", "「": "」", "『": "』", "«": "»", "【": "】", "[": "]"}
_CLOSERS = set(_CLOSER.values()) - {'"', "’", "]"}


def speech_spans(sentence: str) -> list[tuple[int, int]]:
    """The stretches of marked speech in a sentence, as half-open ranges, marks included.

    A stretch that is opened and not closed runs to the end of the sentence; one that is closed
    and was not opened runs from its beginning. An apostrophe is no mark. Marks within marks, and
    stretches without a letter or digit, are not counted.
    """
    spans: list[tuple[int, int]] = []
    opened, closer = -1, ""
    for at, character in enumerate(sentence):
        if opened >= 0:
            if character == closer and not _apostrophe(sentence, at):
                spans.append((opened, at + 1))
                opened = -1
        elif character in _CLOSERS or (character == '"' and _closes(sentence, at)):
            if not spans:
                spans.append((0, at + 1))
        elif character in _CLOSER and not _apostrophe(sentence, at):
            opened, closer = at, _CLOSER[character]
    if opened >= 0:
        spans.append((opened, len(sentence)))
    return [(start, end) for start, end in spans if any(map(str.isalnum, sentence[start:end]))]


def _closes(sentence: str, at: int) -> bool:
    """Whether a straight mark that nothing opened closes: text before it, none behind it."""
    before, behind = sentence[at - 1 : at], sentence[at + 1 : at + 2]
    return bool(before) and not before.isspace() and not behind.isalnum()


def _apostrophe(sentence: str, at: int) -> bool:
    """Whether a curly single mark is an apostrophe: letters behind it, or on both sides."""
    if sentence[at] not in "‘’" or not sentence[at + 1 : at + 2].isalnum():
        return False
    return sentence[at] == "’" or sentence[max(at - 1, 0) : at].isalnum()


class Quotation(Metric):
    """Direct speech kept."""

    name: ClassVar[str] = "quotation"
    title: ClassVar[str] = "direct speech that is still direct speech"
    paper: ClassVar[str] = "Jiang et al. 2023 (BWB), section 3.4"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = ()

    def counter(self, document: Document) -> Counter:
        """See the module."""
        side = self.reference(document)
        spans = [speech_spans(sentence) for sentence in side.sentences]
        quotes = _stretches(side, spans)
        speech = [0] * len(spans)
        for stretches in quotes:
            for index, _ in stretches:
                speech[index] += 1
        other = [len(found) - count for found, count in zip(spans, speech, strict=True)]

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            got = [len(speech_spans(sentence)) for sentence in sentences]
            for wanted, allowed, found in zip(speech, other, got, strict=True):
                extra = max(found - wanted - allowed, 0)
                tally.triple((), wanted, min(found, wanted) + extra)
            for stretches in quotes:
                if not stretches:
                    tally.add("undetectable", 1)
                    continue
                tally.add("exact.all", 1)
                lost = [(index, words) for index, words in stretches if got[index] < speech[index]]
                tally.add("exact.same", not lost)
                for index, words in lost:
                    tally.misses.append(Miss(document.id, index, words, "quote"))
            return tally

        return count


def _stretches(side: Side, spans: list[list[tuple[int, int]]]) -> list[list[tuple[int, str]]]:
    """For each quote its marked stretches: (sentence, words)."""
    if "quotation" not in side.layers:
        return [
            [(index, side.sentences[index][start:end])]
            for index, found in enumerate(spans)
            for start, end in found
        ]
    pieces = sorted(
        (span.start, span.end, number)
        for number, quote in enumerate(side.quotes)
        for span in quote.spans
    )
    quotes: list[list[tuple[int, str]]] = [[] for _ in side.quotes]
    for index, found in enumerate(spans):
        base = side.offsets[index]
        for start, end in found:
            # The outermost quote that the stretch lies in: a quote in a quote has no own marks.
            holders = [q for first, last, q in pieces if first < base + end and base + start < last]
            if holders:
                quotes[holders[0]].append((index, side.sentences[index][start:end]))
    return quotes
