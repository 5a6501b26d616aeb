"""What a conversion could not carry over: said, counted, never silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


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
