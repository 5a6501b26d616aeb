"""Pages on disk: WARC files and their index, consistent whenever the process is killed.

    OUT/warc/bwb-00001.warc.gz …   what was received, a gzip member a record
    OUT/pages.sqlite               where each page is, how far each chapter is

A record is appended and synced to disk, then its row is committed. On opening for writing, files
that changed since they were last closed are checked: a record without a row gets one, half a
record at the end is cut off, the row of a damaged record is dropped so that the page is fetched
again. What was done is in `PageStore.notes`.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bwb.crawl.address import plain, target, usable
from bwb.crawl.appender import Appender
from bwb.crawl.captures import capture_of, raw_capture
from bwb.crawl.index import Index, StoreError
from bwb.crawl.recovery import recover
from bwb.crawl.rows import ChapterPages, Kind, Row
from bwb.crawl.verdict import REDIRECTS
from bwb.crawl.warc import CorruptRecordError, read_record, response_records

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from bwb.crawl.fetch import Answer
    from bwb.records import Lang

__all__ = ["ChapterPages", "CorruptRecordError", "PageStore", "StoreError", "StoredPage"]

INDEX = "pages.sqlite"
MAX_REDIRECTS = 10


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page, or why there is none.

    Attributes:
        url: Address that was asked for.
        final_url: Address that answered, after redirects; of a capture, the captured address.
        status: HTTP status; None if there was no answer.
        fetched: Time of the request, ISO 8601, UTC.
        captured: Time of the archive's capture, ISO 8601, UTC; None if it is not from an archive.
        content_type: The header of the answer.
        body: The page, any content coding undone; empty if there was no answer.
        sha256_raw: Digest of the body.
        sha256_text: Digest of the decoded page in UTF-8.
        kind: What the page is for.
        error: Why it cannot be used; None if it can.
        message: More about the error.
        hops: The addresses asked, in order; the last one answered. Of a capture these are
            addresses of the archive.
    """

    url: str
    final_url: str | None
    status: int | None
    fetched: str | None
    captured: str | None
    content_type: str | None
    body: bytes
    sha256_raw: str | None
    sha256_text: str | None
    kind: Kind
    error: str | None
    message: str | None
    hops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trail:
    """Where an address leads in the store.

    Attributes:
        rows: What is known, from the address on.
        missing: Address that comes next and is not there; None if the trail ends.
        error: Why the trail is of no use; None if it is, or goes on.
    """

    rows: tuple[Row, ...]
    missing: str | None = None
    error: str | None = None


class PageStore:
    """The pages of a crawl. May be used by several threads, and read while it is written."""

    def __init__(self, folder: Path, index: Index) -> None:
        """Use `open`."""
        self.folder = folder
        self.index = index
        self.notes: list[str] = []
        self._files: Appender | None = None

    @classmethod
    def open(cls, folder: Path, *, write: bool = False, agent: str = "bwb") -> PageStore:
        """Open a crawl folder.

        Args:
            folder: The folder; made if it is to be written.
            write: Whether pages will be added. Only one process at a time can.
            agent: User-Agent, for the records that say who wrote a file.

        Raises:
            StoreError: if there is none to read, or another process writes it.
        """
        if not write:
            if not (folder / INDEX).is_file():
                raise StoreError(f"{folder}: not the folder of a crawl; it has no {INDEX}")
            return cls(folder, Index(folder / INDEX, write=False))
        files = Appender(folder, agent)
        try:
            store = cls(folder, Index(folder / INDEX, write=True))
            store._files = files
            store.notes = recover(store.index, files.folder)
        except BaseException:
            files.close()
            raise
        return store

    def __enter__(self) -> PageStore:
        """For ``with``."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Close the files; what is written is on disk already."""
        with self.index.lock:
            if self._files is not None:
                # If this cannot be written the files are checked the next time, that is all.
                with contextlib.suppress(StoreError):
                    self._stamp(self._files.folder)
                self._files.close()
                self._files = None
            self.index.close()

    def _stamp(self, folder: Path) -> None:
        """Remember the time of the last change of files that are indexed to the end."""
        known = self.index.warcs()
        for path in folder.glob("*.warc.gz"):
            about = path.stat()
            if path.name in known and known[path.name][0] == about.st_size:
                self.index.put_warc(path.name, about.st_size, about.st_mtime_ns)

    # Reading.

    def books(self) -> list[str]:
        """Ids of the books that were begun."""
        return self.index.books()

    def chapters(self, book: str, lang: Lang) -> list[ChapterPages]:
        """The chapters of a side of a book, in the order of its list."""
        return self.index.chapters(book, lang)

    def trail(self, url: str) -> Trail:
        """Follow redirects as far as they are known."""
        rows: list[Row] = []
        seen: set[str] = set()
        at = plain(url) if usable(url) else url
        while True:
            if at in seen:
                return Trail(tuple(rows), None, "redirect-loop")
            if len(rows) > MAX_REDIRECTS:
                return Trail(tuple(rows), None, "too-many-redirects")
            seen.add(at)
            row = self.index.row(at)
            if row is None:
                return Trail(tuple(rows), at)
            rows.append(row)
            if row.location is None or row.error is not None:
                return Trail(tuple(rows), None, row.error)
            at = row.location

    def get(self, url: str) -> StoredPage | None:
        """The page of an address; None if it was not fetched.

        Raises:
            CorruptRecordError: if its record is damaged; names file and offset.
        """
        trail = self.trail(url)
        if trail.missing is not None or not trail.rows:
            return None
        last = trail.rows[-1]
        looped = trail.error in ("redirect-loop", "too-many-redirects")
        body = self._body(last)
        hops = tuple(row.url for row in trail.rows if row.status is not None or row is last)
        return StoredPage(
            url=url,
            final_url=(last.original or last.url) if last.status is not None else None,
            status=last.status,
            fetched=last.fetched,
            captured=last.captured,
            content_type=last.content_type,
            body=body,
            sha256_raw=last.sha256_raw,
            sha256_text=last.sha256_text,
            kind=trail.rows[0].kind,
            error=trail.error,
            message=" → ".join(row.url for row in trail.rows) if looped else last.message,
            hops=hops,
        )

    def _body(self, row: Row) -> bytes:
        if row.file is None or row.start is None or row.length is None:
            return b""
        file = self.folder / "warc" / row.file
        response = read_record(file, row.start, row.length)
        if response.url != row.url:
            raise CorruptRecordError(file, row.start, f"it is of {response.url}, not {row.url}")
        return response.body

    # Writing.

    def add(
        self,
        answer: Answer,
        kind: Kind,
        *,
        sha256_text: str | None = None,
        error: str | None = None,
    ) -> Row:
        """Store an answer; on return it is safe.

        Raises:
            StoreError: if it cannot be written, as when the disk is full; then nothing changed.
        """
        request, response = response_records(answer, kind, sha256_text)
        said = f"answered with {answer.status} {answer.reason}".strip() if error else None
        with self.index.lock:
            files = self._files
            if files is None:
                raise StoreError(f"{self.folder}: opened for reading only")
            start = files.append(request + response)
            row = replace(
                row_of(answer, kind),
                sha256_text=sha256_text,
                file=files.name,
                start=start + len(request),
                length=len(response),
                error=error,
                message=said,
            )
            try:
                with self.index.transaction():
                    self.index.put(row)
                    self.index.put_warc(files.name, files.size)
            except BaseException:
                files.cut(start)
                raise
        return row

    def fail(self, url: str, kind: Kind, error: str, message: str, fetched: str | None) -> None:
        """Remember that an address cannot be had."""
        row = Row(url, kind, fetched=fetched, error=error, message=message or None)
        self.index.put(row)

    def lead(self, url: str, kind: Kind, location: str) -> None:
        """Remember that a page is to be looked for at another address (a capture)."""
        self.index.put(Row(url, kind, location=location))

    def unchanged(self, url: str, checked: str) -> None:
        """Remember that a page was asked for again and is the same."""
        row = self.index.row(url)
        if row is not None:
            self.index.put(replace(row, checked=checked))


def row_of(answer: Answer, kind: Kind) -> Row:
    """The row of an answer, without its place."""
    moved = answer.status in REDIRECTS
    location = target(answer.url, answer.header("location")) if moved else None
    captured, original = capture_of(answer.url) if kind in ("list", "chapter") else (None, None)
    if captured and location:
        location = raw_capture(location)
    return Row(
        url=answer.url,
        kind=kind,
        status=answer.status,
        location=location,
        fetched=answer.fetched,
        captured=captured,
        original=original,
        content_type=answer.header("content-type"),
        etag=answer.header("etag"),
        modified=answer.header("last-modified"),
        sha256_raw=hashlib.sha256(answer.body).hexdigest(),
    )
