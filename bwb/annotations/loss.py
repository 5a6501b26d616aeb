"""What a conversion could not carry over: said, counted, never silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.annotations.assemble import collect_entities, line_links

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bwb.records import Document, Entity


@dataclass(frozen=True, slots=True)
class Loss:
    """Something a format has no place for.

    Attributes:
        document: Id of the document.
        what: The kind of thing, in the plural: ``addressees``, ``links that are not 1-1`` …
        count: How many of them the document had.
    """

    document: str
    what: str
    count: int


def summarise(losses: Iterable[Loss]) -> dict[str, int]:
    """Total of each kind of loss, largest first."""
    totals: Counter[str] = Counter()
    for loss in losses:
        totals[loss.what] += loss.count
    return dict(totals.most_common())


def document_losses(document: Document) -> list[Loss]:
    """What every exchange format leaves out: all but the sides' text and annotation layers."""
    same = document.id == f"{document.book}/{document.chapter}"
    implied: set[Entity] = set(collect_entities(document.sides))
    zh, en = document.zh, document.en
    equal = zh is not None and en is not None and len(zh.sentences) == len(en.sentences)
    by_line = line_links(zh, en, document.id) if equal else ()
    other_links = document.links if document.links != by_line else ()
    counts = {
        "titles": sum(side.title is not None for side in document.sides),
        "provenances": sum(side.provenance is not None for side in document.sides),
        "lists of named entities": sum(s.named_entities is not None for s in document.sides),
        "outputs of systems": len(document.systems),
        "genres": int(document.genre is not None),
        "splits": int(document.split is not None),
        "links that are not line by line": len(other_links),
        "entities that the mentions do not imply": len(set(document.entities) - implied),
        "ids that are not book/chapter": int(not same),
    }
    return losses_of(document.id, counts)


def losses_of(document_id: str, counts: dict[str, int]) -> list[Loss]:
    """A row for each kind of thing of which there were any."""
    return [Loss(document_id, what, count) for what, count in counts.items() if count]
