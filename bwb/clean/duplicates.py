"""Duplicate chapters: the same text again, or nearly, within a book or in another.

Two passes, so that books stream. The first makes a `Fingerprint` a chapter and language, book by
book (`bwb.clean.fingerprints`); the second, here, looks at all of them at once. Exact duplicates
have one digest. Near-duplicates are looked for among chapters that share a band of consecutive
numbers of their MinHashes (locality-sensitive hashing; Leskovec et al., Mining of Massive Datasets,
section 3.4), and the share of all numbers that are equal, the estimate of the Jaccard index,
decides. With 32 bands of 4, chapters of Jaccard index 0.8 are missed once in ten million times.

Of duplicates the first is kept: in natural order of books (``b9`` before ``b10``), then of
chapters. A chapter goes only if it duplicates one that is kept, never one that went itself.

Memory: about 1.4 kB a chapter and language with 128 numbers, 0.5 GB for both sides of 196,304
chapters. Nothing depends on Python's own hash, so runs agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from bwb.clean.dropped import Dropped
from bwb.clean.fingerprints import MULTIPLIER, Fingerprint, fingerprints
from bwb.clean.text import natural
from bwb.errors import InputError
from bwb.records import LANGS, Lang

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from bwb.clean.filters import DuplicateSettings

__all__ = [
    "EXACT",
    "NEAR",
    "Duplicate",
    "Fingerprint",
    "find_duplicates",
    "fingerprints",
]

Kind = Literal["duplicate-exact", "duplicate-near"]

EXACT: Kind = "duplicate-exact"  # reason codes
NEAR: Kind = "duplicate-near"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A chapter that says the same as an earlier one."""

    book: str
    """Id of the book."""
    chapter: str
    """Place of the chapter."""
    lang: Lang
    """Language of the side."""
    kind: Kind
    """Whether all letters and digits agree, or most."""
    of_book: str
    """Book of the chapter that is kept."""
    of_chapter: str
    """Place of the chapter that is kept."""
    jaccard: float
    """Jaccard index: 1 if exact, estimated if not."""

    def dropped(self, settings: DuplicateSettings) -> Dropped:
        """As it is written down among other dropped chapters."""
        detail = (
            f"{'the same as' if self.kind == EXACT else 'nearly'} {self.of_book}/{self.of_chapter}"
        )
        threshold = 1.0 if self.kind == EXACT else settings.threshold
        score = round(self.jaccard, 6)
        return Dropped(self.book, self.chapter, self.lang, self.kind, score, threshold, detail)


def find_duplicates(
    prints: Iterable[Fingerprint], settings: DuplicateSettings
) -> Iterator[Duplicate]:
    """The chapters that duplicate an earlier one, languages apart, in the order of the corpus.

    Args:
        prints: Of all books, in any order.
        settings: Those that the fingerprints were made with.

    Raises:
        InputError: if a fingerprint was made with another number of permutations, or two are of
            one chapter.
    """
    rows = sorted(prints, key=_order)
    for row, after in pairwise(rows):
        if (row.book, row.chapter, row.lang) == (after.book, after.chapter, after.lang):
            raise InputError(f"two fingerprints of {row.book}/{row.chapter} ({row.lang})")
    for lang in LANGS:
        side = [row for row in rows if row.lang == lang]
        for row in side:
            if row.minhash.shape != (settings.permutations,):
                raise InputError(
                    f"{row.book}/{row.chapter} ({lang}): a fingerprint of {len(row.minhash)} "
                    f"numbers; expected {settings.permutations}, make it again"
                )
        yield from _of_language(side, settings)


def _of_language(rows: Sequence[Fingerprint], settings: DuplicateSettings) -> Iterator[Duplicate]:
    if not rows:
        return
    matrix = np.stack([row.minhash for row in rows])
    near = np.array([row.ngrams >= settings.fewest for row in rows])
    buckets = _shared_buckets(matrix, near, settings.bands)
    first: dict[bytes, int] = {}
    kept: dict[int, list[int]] = {}
    for at, row in enumerate(rows):
        twin = first.setdefault(row.sha256, at)
        if twin != at:
            yield _duplicate(row, rows[twin], EXACT, 1.0)
            continue
        mine = buckets.get(at, ())
        others = sorted({other for bucket in mine for other in kept.get(bucket, ())})
        if others:
            alike = (matrix[others] == matrix[at]).mean(axis=1)
            best = int(alike.argmax())  # of equals the first
            if alike[best] >= settings.threshold:
                # What equals this one exactly duplicates the one that is kept.
                first[row.sha256] = others[best]
                yield _duplicate(row, rows[others[best]], NEAR, float(alike[best]))
                continue
        for bucket in mine:
            kept.setdefault(bucket, []).append(at)


def _shared_buckets(
    matrix: NDArray[np.uint32], near: NDArray[np.bool_], bands: int
) -> dict[int, list[int]]:
    """The buckets of each row that another row is in too; a band at a time, to save memory."""
    out: dict[int, list[int]] = {}
    where = np.flatnonzero(near)
    number = 0
    for band in np.split(matrix, bands, axis=1):
        keys = np.zeros(len(where), np.uint64)
        for column in band[where].T:
            keys = (keys ^ column) * MULTIPLIER
            keys ^= keys >> np.uint64(29)
        order = np.argsort(keys, kind="stable")
        new = np.flatnonzero(np.diff(keys[order], prepend=keys[order[:1]] + np.uint64(1)))
        sizes = np.diff(new, append=len(order))
        for start, size in zip(new[sizes > 1], sizes[sizes > 1], strict=True):
            for row in where[order[start : start + size]]:
                out.setdefault(int(row), []).append(number)
            number += 1
    return out


def _duplicate(row: Fingerprint, of: Fingerprint, kind: Kind, jaccard: float) -> Duplicate:
    return Duplicate(row.book, row.chapter, row.lang, kind, of.book, of.chapter, jaccard)


def _order(row: Fingerprint) -> tuple[object, ...]:
    return natural(row.book), row.book, natural(row.chapter), row.chapter, row.lang
