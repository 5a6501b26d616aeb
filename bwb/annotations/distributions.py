"""What pictures of a corpus need besides its tables: how lengths and shares are distributed.

Lengths are those of `bwb.annotations.statistics.length`: characters of Chinese, words of English.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.annotations.statistics import length

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bwb.records import Document, Lang, Side


@dataclass(frozen=True, slots=True)
class SideShape:
    """A side of a chapter, in numbers.

    Attributes:
        sentences: Number of sentences.
        units: Its length.
        speech: Share of sentences with direct speech; None if speech is not annotated.
        omitted: Share of its annotated pronouns that the other side omits; None if there is none.
    """

    sentences: int
    units: int
    speech: float | None
    omitted: float | None


@dataclass(frozen=True, slots=True)
class Shape:
    """A chapter, in numbers."""

    id: str
    book: str
    genre: str | None
    sides: dict[Lang, SideShape]


@dataclass(slots=True)
class Distributions:
    """Counts documents one by one; memory grows with their number, not with their text.

    Attributes:
        chapters: The chapters.
        sentence_lengths: Language → length → number of sentences.
    """

    chapters: list[Shape] = field(default_factory=list)
    sentence_lengths: dict[Lang, Counter[int]] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """Count one document."""
        sides: dict[Lang, SideShape] = {}
        for side in document.sides:
            lengths = [length(sentence, side.lang) for sentence in side.sentences]
            self.sentence_lengths.setdefault(side.lang, Counter()).update(lengths)
            sides[side.lang] = SideShape(len(lengths), sum(lengths), _speech(side), _omitted(side))
        self.chapters.append(Shape(document.id, document.book, document.genre, sides))

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Pass documents on, each counted."""
        for document in documents:
            self.add(document)
            yield document


def _speech(side: Side) -> float | None:
    if "quotation" not in side.layers or not side.sentences:
        return None
    spans = [(span.start, span.end) for quote in side.quotes for span in quote.spans]
    spoken = sum(
        any(first < start + len(sentence) and start < last for first, last in spans)
        for start, sentence in zip(side.offsets, side.sentences, strict=True)
    )
    return spoken / len(side.sentences)


def _omitted(side: Side) -> float | None:
    if "coreference" not in side.layers:
        return None
    flags = [mention.omitted for mention in side.mentions if mention.pronoun]
    return sum(flags) / len(flags) if flags else None
