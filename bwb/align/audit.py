"""Checking an alignment by hand: draw documents, read the marks, apply the corrections.

Whole documents are drawn, as in the quality control of the BWB corpus (Jiang et al. 2023, appendix
D: an accuracy of 93.1 %), so that a reader has the context, and a moved boundary is seen on both
of its sides. Links of one document are right or wrong together; an interval that takes them for
independent (Wilson 1927) is too narrow, and is given beside one from resampled documents (the
cluster bootstrap, Davison and Hinkley 1997, section 3.8).
"""

from __future__ import annotations

import hashlib
import heapq
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

from bwb.align.base import AlignmentError, SentenceLink, cover
from bwb.errors import InputError, UsageError
from bwb.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bwb.records import Document

METHOD = "manual"
_Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Row:
    """A link on the sheet.

    Attributes:
        document: Id of the document.
        number: 1-based number of the link in its document.
        zh: Indices of its Chinese sentences.
        en: Indices of its English sentences.
        key: Digest of the document's id and the sentences, so that marks cannot meet other texts.
        ok: Whether a person found it right; None if not marked.
        right: The links that should stand in its place; empty if none were given.
        place: File and line it was read from.
    """

    document: str
    number: int
    zh: tuple[int, ...]
    en: tuple[int, ...]
    key: str
    ok: bool | None = None
    right: tuple[SentenceLink, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """What the marks say.

    Attributes:
        documents: Number of documents with a marked link.
        links: Number of marked links.
        ok: Number of links marked right.
        unmarked: Number of links without a mark; they are in no other number.
        corrected: Number of links marked wrong whose right links were given.
        lines: Number of sentences, both sides together, in marked links.
        lines_corrected: How many of them are in corrected links.
        accuracy: Share of right links; None if none is marked.
        wilson: 95 % interval of Wilson over links; None as above.
        bootstrap: 95 % percentile interval over resampled documents; None below two documents.
    """

    documents: int
    links: int
    ok: int
    unmarked: int
    corrected: int
    lines: int
    lines_corrected: int
    accuracy: float | None
    wilson: tuple[float, float] | None
    bootstrap: tuple[float, float] | None


def draw(documents: Iterable[Document], count: int, seed: int) -> list[Document]:
    """A sample of documents.

    Which are drawn depends on the seed and on the ids, not on the order: those with the smallest
    SHA-256 of seed and id. A larger sample of the same seed contains the smaller one.

    Args:
        documents: All documents, read once.
        count: How many to draw.
        seed: Seed.

    Returns:
        The drawn documents, sorted by id.

    Raises:
        UsageError: if `count` is below 1.
        InputError: if there are fewer documents, or a drawn one is not aligned.
    """
    if count < 1:
        raise UsageError(f"cannot draw {count} documents; expected 1 or more")

    def rank(document: Document) -> tuple[str, str]:
        return hashlib.sha256(f"{seed}:{document.id}".encode()).hexdigest(), document.id

    drawn = heapq.nsmallest(count, documents, key=rank)
    if len(drawn) < count:
        raise InputError(f"there are {len(drawn)} documents; cannot draw {count}")
    for document in drawn:
        if document.zh is None or document.en is None or not document.links:
            raise InputError(f"{document.id}: no links between two sides; nothing to audit")
    return sorted(drawn, key=lambda document: document.id)


def rows_of(document: Document) -> Iterator[Row]:
    """The rows of a document that nobody has marked yet."""
    for number, link in enumerate(document.links, 1):
        yield Row(document.id, number, link.zh, link.en, link_key(document, link))


def link_key(document: Document, link: Link) -> str:
    """Digest of a link's sentences and of the document's id; a letter and ten digits."""
    texts = [
        side.sentences[i]
        for side, indices in ((document.zh, link.zh), (document.en, link.en))
        if side is not None
        for i in indices
    ]
    body = "\n".join([document.id, str(list(link.zh)), str(list(link.en)), *texts])
    # The letter keeps spreadsheets from reading 12345e6789 as a number.
    return "k" + hashlib.sha256(body.encode()).hexdigest()[:10]


def audit(rows: Sequence[Row], *, resamples: int = 10_000, seed: int = 12345) -> Audit:
    """Alignment accuracy from the marks.

    Args:
        rows: All rows of a sheet.
        resamples: How often the bootstrap draws documents.
        seed: Seed of these draws.
    """
    marked = [row for row in rows if row.ok is not None]
    fixed = [row for row in marked if row.right]
    counts: dict[str, list[int]] = {}
    for row in marked:
        of = counts.setdefault(row.document, [0, 0])
        of[0] += bool(row.ok)
        of[1] += 1
    ok = sum(of[0] for of in counts.values())
    return Audit(
        documents=len(counts),
        links=len(marked),
        ok=ok,
        unmarked=len(rows) - len(marked),
        corrected=len(fixed),
        lines=sum(len(row.zh) + len(row.en) for row in marked),
        lines_corrected=sum(len(row.zh) + len(row.en) for row in fixed),
        accuracy=ok / len(marked) if marked else None,
        wilson=wilson(ok, len(marked)) if marked else None,
        bootstrap=_bootstrap(list(counts.values()), resamples, seed) if len(counts) > 1 else None,
    )


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """95 % score interval of a proportion (Wilson 1927, equation 4).

    Raises:
        UsageError: if there are no trials, or more hits than trials.
    """
    if not 0 <= hits <= trials or trials < 1:
        raise UsageError(f"no interval of {hits} hits in {trials} trials")
    share = hits / trials
    middle = share + _Z**2 / (2 * trials)
    half = _Z * sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2))
    whole = 1 + _Z**2 / trials
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def apply(documents: Iterable[Document], rows: Sequence[Row]) -> Iterator[Document]:
    """Put the corrected links into the documents.

    A corrected link replaces the wrong one and takes its sentences from whatever links hold them;
    what is left of those stays linked, and a sentence that nobody claims becomes a null link. A
    link that was marked right cannot lose a sentence. Corrected links have the method ``manual``.

    Args:
        documents: All documents; those without corrections pass through unchanged.
        rows: All rows of the sheet.

    Raises:
        InputError: if a row's document is not there, or is not the one the sheet was drawn from.
        AlignmentError: if corrections contradict each other, or a link that was marked right.
    """
    by_document: dict[str, list[Row]] = {}
    for row in rows:
        by_document.setdefault(row.document, []).append(row)
    for document in documents:
        mine = by_document.pop(document.id, [])
        for row in mine:
            _check_same(document, row)
        fixed = any(row.right for row in mine)
        yield replace(document, links=_corrected(document, mine)) if fixed else document
    for name, left in by_document.items():
        raise InputError(f"{left[0].place}: there is no document {name!r}")


def _check_same(document: Document, row: Row) -> None:
    links = document.links
    link = links[row.number - 1] if 0 < row.number <= len(links) else None
    if link is None or (link.zh, link.en, link_key(document, link)) != (row.zh, row.en, row.key):
        raise InputError(
            f"{row.place}: link {row.number} of {document.id} is not the one on the sheet; "
            "expected the documents the sheet was drawn from"
        )


def _corrected(document: Document, rows: Sequence[Row]) -> tuple[Link, ...]:
    claimed: tuple[set[int], set[int]] = (set(), set())
    new: list[SentenceLink] = []
    for row in rows:
        for link in row.right:
            for taken, indices, side in zip(
                claimed, (link.src, link.tgt), ("zh", "en"), strict=True
            ):
                if twice := taken.intersection(indices):
                    raise AlignmentError(
                        f"{row.place}: {side} sentence {min(twice) + 1} of {document.id} is in two "
                        "corrected links; expected one"
                    )
                taken.update(indices)
            new.append(link)
    gone = {row.number for row in rows if row.right}
    right = {row.number: row for row in rows if row.ok}
    for number, old in enumerate(document.links, 1):
        if number in gone:
            continue
        zh = tuple(i for i in old.zh if i not in claimed[0])
        en = tuple(i for i in old.en if i not in claimed[1])
        if (zh, en) != (old.zh, old.en) and number in right:
            raise AlignmentError(
                f"{right[number].place}: link {number} of {document.id} is marked right, but a "
                "correction takes one of its sentences"
            )
        if (zh, en) == (old.zh, old.en):
            new.append(SentenceLink(zh, en, old.score, old.method))
        else:
            new.append(SentenceLink(zh, en, None, METHOD))
    return _covering(document, new)


def _covering(document: Document, links: Sequence[SentenceLink]) -> tuple[Link, ...]:
    """Links of a document from those given; null links are made anew where they lack."""
    old = {(link.src, link.tgt): link for link in links if bool(link.src) != bool(link.tgt)}
    whole = [link for link in links if link.src and link.tgt]
    sizes = [len(side.sentences) if side else 0 for side in (document.zh, document.en)]
    try:
        covering = cover(whole, *sizes)
    except AlignmentError as error:
        raise AlignmentError(f"{document.id}, corrected: {error}") from None
    out = []
    for link in covering:
        new_null = SentenceLink(link.src, link.tgt, None, METHOD)
        same = link if link.src and link.tgt else old.get((link.src, link.tgt), new_null)
        out.append(Link(same.src, same.tgt, same.method, same.score))
    return tuple(out)


def _bootstrap(counts: Sequence[Sequence[int]], resamples: int, seed: int) -> tuple[float, float]:
    import numpy as np

    if resamples < 1:
        raise UsageError(f"cannot draw {resamples} resamples; expected 1 or more")
    table = np.array(counts, dtype=np.float64)
    size = len(counts)
    drawn = np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), size=resamples)
    sums = drawn @ table
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    return float(low), float(high)
