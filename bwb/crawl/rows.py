"""What the index of a crawl has of pages, of sides of books, and of chapters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bwb.records import Lang

Kind = Literal["list", "chapter", "robots", "cdx"]
State = Literal["done", "failed", "pending"]


@dataclass(frozen=True, slots=True)
class Row:
    """What the index has of an address.

    Attributes:
        url: The address.
        kind: What it is for.
        status: HTTP status; None if there is no record.
        location: Where to look next: a redirect's target, or the capture in an archive.
        fetched: Time of the request, ISO 8601.
        checked: Time at which the server last said that it has not changed; None if never asked.
        captured: Time of the capture, ISO 8601; None if it is not from an archive.
        original: Address that the archive says this is a capture of.
        content_type: A header of the answer.
        etag: Likewise.
        modified: Likewise (Last-Modified).
        sha256_raw: Digest of the body.
        sha256_text: Digest of the decoded page in UTF-8; None if it was not decoded.
        file: Name of the WARC file; None if there is no record.
        start: First byte of the record.
        length: Its length in bytes.
        error: Why this is no page that can be used; None if it is one, or leads on.
        message: More about the error.
    """

    url: str
    kind: Kind
    status: int | None = None
    location: str | None = None
    fetched: str | None = None
    checked: str | None = None
    captured: str | None = None
    original: str | None = None
    content_type: str | None = None
    etag: str | None = None
    modified: str | None = None
    sha256_raw: str | None = None
    sha256_text: str | None = None
    file: str | None = None
    start: int | None = None
    length: int | None = None
    error: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class SideRow:
    """How far a side of a book is.

    Attributes:
        book: Id of the book.
        lang: Its language.
        url: Address of the list of chapters.
        recipe: Signature and digest of the recipe it was read with.
        listed: Whether the list of chapters is whole.
        reason: What is wrong with the side; None if nothing.
        message: More about it.
    """

    book: str
    lang: Lang
    url: str
    recipe: str
    listed: bool = False
    reason: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ChapterPages:
    """A chapter of a list and its pages.

    Attributes:
        book: Id of the book.
        lang: Language of the list.
        chapter: Place in the list, from 1, in decimal digits.
        url: Address of the first page, as listed.
        title: Title, as listed; None if there is none.
        pages: Addresses of all pages so far, in order.
        state: ``done``: all pages are there; ``failed``: one cannot be had or read; ``pending``.
        reason: Why it is not done.
        message: More about the reason.
    """

    book: str
    lang: Lang
    chapter: str
    url: str
    title: str | None
    pages: tuple[str, ...]
    state: State
    reason: str | None = None
    message: str | None = None
