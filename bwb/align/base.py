"""What an aligner is, and what every aligner's output must be.

An aligner takes the sentences of two texts and returns links: monotone (they do not cross) and
covering (every sentence of both sides is in exactly one link; a sentence without counterpart is
in a link whose other side is empty). A link with several sentences on a side is what the
literature calls a bead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bwb.errors import BwbError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class AlignmentError(BwbError):
    """An aligner produced, or was given, links that are no alignment."""


@dataclass(frozen=True, slots=True)
class SentenceLink:
    """Sentences that translate each other.

    Attributes:
        src: Indices of source sentences, consecutive and ascending; may be empty.
        tgt: Indices of target sentences, likewise; not empty if `src` is.
        score: The method's confidence, higher is better; None if it has none.
        method: Name of the method, or of the step of it, that made the link.
    """

    src: tuple[int, ...]
    tgt: tuple[int, ...]
    score: float | None = None
    method: str = ""

    def __str__(self) -> str:
        """``[0, 1]:[0]``, as Vecalign and Bleualign's evaluation files have it."""
        return f"{list(self.src)}:{list(self.tgt)}"


class Aligner(Protocol):
    """Aligns the sentences of two texts."""

    name: str

    def align(self, src: Sequence[str], tgt: Sequence[str]) -> list[SentenceLink]:
        """Align.

        Args:
            src: Source sentences.
            tgt: Target sentences.

        Returns:
            Links, monotone and covering, in order.
        """


def check_links(links: Iterable[SentenceLink], src: int, tgt: int) -> None:
    """See that links are an alignment of `src` and `tgt` sentences.

    Raises:
        AlignmentError: if a link is empty on both sides, a sentence is skipped, used twice or
            out of range, or links cross; names the link.
    """
    done = [0, 0]
    for number, link in enumerate(links, 1):
        if not link.src and not link.tgt:
            raise AlignmentError(f"link {number} is empty on both sides")
        for side, indices in enumerate((link.src, link.tgt)):
            expected = tuple(range(done[side], done[side] + len(indices)))
            if tuple(indices) != expected:
                name = ("source", "target")[side]
                raise AlignmentError(
                    f"link {number} ({link}): {name} sentences {list(indices)}, "
                    f"expected {list(expected)}"
                )
            done[side] += len(indices)
    if done != [src, tgt]:
        raise AlignmentError(f"{done[0]}:{done[1]} sentences are linked, there are {src}:{tgt}")


def cover(links: Iterable[SentenceLink], src: int, tgt: int) -> list[SentenceLink]:
    """Add the null links that make monotone links cover both sides.

    Args:
        links: Monotone links; sentences may be missing.
        src: Number of source sentences.
        tgt: Number of target sentences.

    Returns:
        The links in order, and between them one null link for each sentence that was missing
        (score None, method ``null``), source before target.

    Raises:
        AlignmentError: if the links cross, overlap or leave a hole inside a link.
    """
    out: list[SentenceLink] = []
    at = [0, 0]
    for link in [*sorted(links, key=lambda x: (x.src, x.tgt)), None]:
        starts = [
            indices[0] if indices else at[side]
            for side, indices in enumerate((link.src, link.tgt) if link else ((src,), (tgt,)))
        ]
        out += [SentenceLink((i,), (), None, "null") for i in range(at[0], starts[0])]
        out += [SentenceLink((), (i,), None, "null") for i in range(at[1], starts[1])]
        at = [max(a, b) for a, b in zip(at, starts, strict=True)]
        if link is not None:
            out.append(link)
            at = [at[0] + len(link.src), at[1] + len(link.tgt)]
    check_links(out, src, tgt)
    return out
