"""Cutting documents into what is judged: single sentences, and passages of a few in a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.errors import InputError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from random import Random

    from bwb.metrics.systems import Outputs
    from bwb.records import Document


@dataclass(frozen=True, slots=True)
class Place:
    """Some consecutive sentences of a document.

    Attributes:
        document: The document.
        first: Index of the first.
        last: One past the index of the last.
    """

    document: Document
    first: int
    last: int

    def source(self) -> tuple[str, ...]:
        """The Chinese sentences; empty if the document has none."""
        zh = self.document.zh
        return zh.sentences[self.first : self.last] if zh else ()


def require_sources(documents: Sequence[Document]) -> None:
    """Refuse documents whose source cannot be shown beside an output, line by line.

    Raises:
        InputError: if a document has no Chinese side, or its sides do not correspond so.
    """
    for document in documents:
        if document.zh is None:
            raise InputError(
                f"{document.id} has no Chinese side, which raters are to see; "
                "leave it out, or ask for --criteria fluency"
            )
        for number, link in enumerate(document.links, 1):
            if link.zh != link.en or len(link.zh) != 1:
                raise InputError(
                    f"{document.id}: link {number} is {list(link.zh)}:{list(link.en)}; "
                    "raters need sides that correspond line by line"
                )


def split_books(documents: Sequence[Document], rng: Random) -> list[list[Document]]:
    """Two parts of different books, about equal in sentences.

    Raises:
        InputError: if there is one book only.
    """
    books: dict[str, list[Document]] = {}
    for document in documents:
        books.setdefault(document.book, []).append(document)
    if len(books) < 2:
        raise InputError(
            f"there is one book only ({', '.join(books)}); sentences and documents are judged in "
            "different books, so that no rater sees a text twice: give more, or one of --units"
        )
    names = sorted(books)
    rng.shuffle(names)
    names.sort(key=lambda name: -sum(map(_length, books[name])))
    parts: list[list[Document]] = [[], []]
    for name in names:
        min(parts, key=lambda part: sum(map(_length, part))).extend(books[name])
    return parts


def passages(documents: Sequence[Document], length: int, rng: Random) -> list[Place]:
    """All passages of so many sentences, in random order, every document in turn.

    Passages of a document do not overlap; what is left at its end is in none.
    """
    by_document = []
    for document in documents:
        count = _length(document) // length
        spare = rng.randint(0, _length(document) - count * length) if count else 0
        starts = [spare + length * i for i in range(count)]
        rng.shuffle(starts)
        by_document.append([Place(document, start, start + length) for start in starts])
    return _in_turn(by_document, rng)


def sentences(documents: Sequence[Document], prefer: Sequence[Place], rng: Random) -> list[Place]:
    """All sentences, in random order; those of the preferred places first."""
    inside = [
        [Place(place.document, i, i + 1) for i in range(place.first, place.last)]
        for place in prefer
    ]
    taken = {(place.document.id, place.first) for places in inside for place in places}
    outside = [
        [
            Place(document, i, i + 1)
            for i in range(_length(document))
            if (document.id, i) not in taken
        ]
        for document in documents
    ]
    for places in (*inside, *outside):
        rng.shuffle(places)
    return _in_turn(inside, rng) + _in_turn(outside, rng)


def usable(
    places: Sequence[Place], outputs: Outputs, *, source: bool, left_out: Counter[str]
) -> list[Place]:
    """Those where there is something to compare; why others are left out is counted."""
    kept = []
    for place in places:
        texts = {found[place.document.id][place.first : place.last] for found in outputs.values()}
        if len(texts) < 2:
            left_out["all systems say the same"] += 1
        elif source and not "".join(place.source()).strip():
            left_out["the source is empty"] += 1
        else:
            kept.append(place)
    return kept


def _in_turn(groups: list[list[Place]], rng: Random) -> list[Place]:
    """The first of each group, the second of each, and so on; groups in random order."""
    rng.shuffle(groups)
    longest = max(map(len, groups), default=0)
    return [group[i] for i in range(longest) for group in groups if i < len(group)]


def _length(document: Document) -> int:
    side = document.en or document.zh
    return len(side.sentences) if side else 0
