"""What a conversion could not carry over: said, counted, never silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bwb.records import Document


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


def document_losses(
    document: Document, *, named_entities: bool = False, provenance: bool = False
) -> list[Loss]:
    """What no format but JSONL holds of a document: links, outputs, titles and the like.

    Args:
        document: The document.
        named_entities: Whether the lists of named entities are lost too.
        provenance: Whether the provenance is lost too.
    """
    sides = document.sides
    counts = {
        "links that are not line by line": sum(
            link.zh != link.en or len(link.zh) != 1 for link in document.links
        ),
        "outputs of systems": len(document.systems),
        "titles": sum(side.title is not None for side in sides),
        "genres": int(document.genre is not None),
        "splits": int(document.split is not None),
        "named entities": named_entities * sum(len(side.named_entities or ()) for side in sides),
        "provenance": provenance * sum(side.provenance is not None for side in sides),
    }
    return [Loss(document.id, what, count) for what, count in counts.items() if count]
