"""Chapters that belong together, as a document; and a document's row in the manifest."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.records import Document, Lang, Link, Provenance, Side, Split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.align.base import SentenceLink
    from bwb.clean.text import Text

_STRICT = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class ManifestChapter:
    """A chapter as the site has it."""

    __pydantic_config__ = _STRICT
    chapter: str
    """Place in the list of chapters, from 1."""
    url: str
    """Address of its first page."""
    title: str | None
    """Title in the list, by which it is known in the text."""
    recipe: str | None
    """Name and version of the recipe."""
    sha256_raw: str | None
    """Digest of the bodies of its pages as received, one after the other."""
    sha256_text: str | None
    """Digest of its lines after extraction and cleaning."""
    pages: tuple[Provenance, ...]
    """Its pages, in order."""


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One side of a chapter of a corpus: enough to fetch it again and see whether it is the same.

    The text itself is not in it.
    """

    __pydantic_config__ = _STRICT
    id: str
    """Id of the document."""
    book: str
    """Id of the book."""
    lang: Lang
    """Language of the side."""
    chapters: tuple[ManifestChapter, ...]
    """The chapters of the site that the side is made of, mostly one."""
    sentences: int
    """Number of sentences."""
    genre: str | None = None
    """Genre of the book."""
    split: Split | None = None
    """Split of the book."""


def document_of(zh: Sequence[Text], en: Sequence[Text]) -> Document:
    """The document that paired chapters make; its links and split come later.

    Args:
        zh: Chinese chapters, one or several that one English chapter holds.
        en: English chapters, likewise.
    """
    places = [text.chapter.chapter for text in zh]
    book = zh[0].chapter.book
    chapter = places[0] if len(places) == 1 else f"{places[0]}-{places[-1]}"
    return Document(f"{book}/{chapter}", book, chapter, zh=_side(zh), en=_side(en))


def _side(texts: Sequence[Text]) -> Side:
    first = texts[0].chapter
    return Side(
        first.lang,
        tuple(sentence for text in texts for sentence in text.sentences),
        title=" / ".join(t.chapter.title for t in texts if t.chapter.title) or None,
        provenance=_provenance(texts),
    )


def _provenance(texts: Sequence[Text]) -> Provenance:
    """Where a side came from: as its first page, but for the digests, which are of all of it."""
    first = texts[0].chapter
    start = first.pages[0] if first.pages else Provenance()
    raw = [text.chapter.sha256_raw for text in texts]
    return dataclasses.replace(
        start,
        url=first.url,
        sha256_raw=raw[0] if len(raw) == 1 else _joined(raw),
        sha256_text=(
            first.sha256_text
            if len(texts) == 1
            else _joined([text.chapter.sha256_text for text in texts])
        ),
    )


def _joined(digests: Sequence[str | None]) -> str | None:
    """Digest of the digests, one a line; None if one is not known."""
    known = [digest for digest in digests if digest is not None]
    if len(known) < len(digests):
        return None
    return hashlib.sha256("\n".join(known).encode("ascii")).hexdigest()


def manifest_rows(document: Document, zh: Sequence[Text], en: Sequence[Text]) -> list[ManifestRow]:
    """The rows of a document: one a side."""
    return [
        ManifestRow(
            document.id,
            document.book,
            side.lang,
            tuple(
                ManifestChapter(
                    text.chapter.chapter,
                    text.chapter.url,
                    text.chapter.title,
                    text.chapter.pages[0].recipe if text.chapter.pages else None,
                    text.chapter.sha256_raw,
                    text.chapter.sha256_text,
                    text.chapter.pages,
                )
                for text in texts
            ),
            len(side.sentences),
        )
        for side, texts in zip(document.sides, (zh, en), strict=True)
    ]


def linked(document: Document, links: Sequence[SentenceLink]) -> Document:
    """The document with an aligner's links, source Chinese, target English."""
    made = [Link(tuple(x.src), tuple(x.tgt), x.method or "line", x.score) for x in links]
    return dataclasses.replace(document, links=tuple(made))
