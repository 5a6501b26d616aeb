"""The index of a crawl: which pages there are and where, which chapters, what hosts refused.

One SQLite file, `pages.sqlite`. What it says of pages can be rebuilt from the WARC files, so they
are written first; chapters and sides are read again from the pages.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from bwb.crawl.rows import ChapterPages, Row, SideRow
from bwb.errors import BwbError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from bwb.crawl.rows import State
    from bwb.records import Lang

FORMAT = "1"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY, kind TEXT NOT NULL, status INTEGER, location TEXT, fetched TEXT,
    checked TEXT, captured TEXT, original TEXT, content_type TEXT, etag TEXT, modified TEXT,
    sha256_raw TEXT, sha256_text TEXT, file TEXT, start INTEGER, length INTEGER,
    error TEXT, message TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pages_by_place ON pages (file, start);
CREATE TABLE IF NOT EXISTS warcs (
    file TEXT PRIMARY KEY, extent INTEGER NOT NULL, modified INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sides (
    book TEXT, lang TEXT, url TEXT NOT NULL, recipe TEXT NOT NULL, listed INTEGER NOT NULL,
    reason TEXT, message TEXT, PRIMARY KEY (book, lang)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chapters (
    book TEXT, lang TEXT, place INTEGER, url TEXT, title TEXT, state TEXT NOT NULL,
    reason TEXT, message TEXT, pages TEXT NOT NULL, PRIMARY KEY (book, lang, url)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chapters_by_place ON chapters (book, lang, place);
CREATE TABLE IF NOT EXISTS hosts (
    host TEXT PRIMARY KEY, until TEXT NOT NULL, reason TEXT NOT NULL
) WITHOUT ROWID;
"""


class StoreError(BwbError):
    """The folder of a crawl cannot be read or written."""


_COLUMNS = ", ".join(field.name for field in fields(Row))
_PLACES = ", ".join("?" for _ in fields(Row))


class Index:
    """The tables. May be used by several threads."""

    def __init__(self, file: Path, *, write: bool) -> None:
        """Open the file; with `write`, make it if it is not there.

        Raises:
            StoreError: if it is not an index, or of another version of it.
        """
        self.file = file
        self.lock = threading.RLock()
        mode = "rwc" if write else "ro"
        try:
            self._db = self._connect(mode)
            if write:
                self._db.execute("PRAGMA journal_mode = WAL")
                # A commit that a power cut loses is found again in the WARC file.
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.executescript(_SCHEMA)
                self._db.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (FORMAT,))
            found = self._db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        if found is None or found[0] != FORMAT:
            raise StoreError(f"{file}: an index of format {found}; this version reads {FORMAT}")

    def _connect(self, mode: str) -> sqlite3.Connection:
        def connect(options: str) -> sqlite3.Connection:
            address = f"{self.file.absolute().as_uri()}?{options}"
            made = sqlite3.connect(
                address, uri=True, timeout=60, isolation_level=None, check_same_thread=False
            )
            made.execute("SELECT 1 FROM sqlite_master").fetchone()
            return made

        try:
            return connect(f"mode={mode}")
        except sqlite3.OperationalError:
            if mode == "ro" and self.file.is_file():
                return connect("mode=ro&immutable=1")  # a folder that may not be written to
            raise

    def _broken(self, error: sqlite3.Error) -> StoreError:
        hint = ""
        if "malformed" in str(error) or "not a database" in str(error):
            hint = "; move it away, and it is made again from the WARC files without fetching"
        elif "full" in str(error) or "disk I/O" in str(error):
            hint = "; make room and run it again: what was fetched before is safe"
        return StoreError(f"{self.file}: {error}{hint}")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; may be nested.

        Raises:
            StoreError: if the file cannot be written, as when the disk is full.
        """
        with self.lock:
            if self._db.in_transaction:
                yield
                return
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):  # a full disk rolls back by itself
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise self._broken(error) from None
                raise

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self.lock:
            try:
                return self._db.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise self._broken(error) from None

    def _do(self, query: str, values: Sequence[object] = ()) -> None:
        with self.transaction():
            self._db.execute(query, values)

    # Pages.

    def row(self, url: str) -> Row | None:
        """What is known of an address."""
        found = self._rows(f"SELECT {_COLUMNS} FROM pages WHERE url = ?", (url,))
        return Row(*found[0]) if found else None  # type: ignore[arg-type]

    def rows(self, file: str | None = None) -> Iterator[Row]:
        """All pages, or those whose record is in a WARC file, in the order of the records."""
        where = "WHERE file = ? ORDER BY start" if file is not None else ""
        query = f"SELECT {_COLUMNS} FROM pages {where}"
        for found in self._rows(query, (file,) if file is not None else ()):
            yield Row(*found)  # type: ignore[arg-type]

    def put(self, row: Row) -> None:
        """Set what is known of an address."""
        self._do(f"INSERT OR REPLACE INTO pages ({_COLUMNS}) VALUES ({_PLACES})", astuple(row))

    def forget(self, url: str) -> None:
        """Know nothing of an address."""
        self._do("DELETE FROM pages WHERE url = ?", (url,))

    def forget_errors(self, errors: Iterable[str]) -> int:
        """Know nothing of addresses that failed for one of these reasons; returns how many."""
        with self.transaction():
            before = self._db.total_changes
            for error in errors:
                self._db.execute("DELETE FROM pages WHERE error = ?", (error,))
            return self._db.total_changes - before

    def forget_robots(self, before: str) -> None:
        """Know nothing of what robots.txt files said before a time, or if they were not had."""
        query = "DELETE FROM pages WHERE kind = 'robots' AND (fetched < ? OR file IS NULL)"
        self._do(query, (before,))

    # Recipes.

    def recipes(self) -> dict[str, str]:
        """The recipes that books were crawled with, as JSON, by name."""
        found = self._rows("SELECT key, value FROM meta WHERE key LIKE 'recipe:%'")
        return {str(key).partition(":")[2]: str(value) for key, value in found}

    def put_recipe(self, name: str, body: str) -> None:
        """Keep a recipe, so that the folder can be read without its file."""
        self._do("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"recipe:{name}", body))

    # WARC files.

    def warcs(self) -> dict[str, tuple[int, int | None]]:
        """Number of bytes that are indexed, and time of the last change when closed, by file."""
        found = self._rows("SELECT file, extent, modified FROM warcs")
        return {str(f): (int(e), m) for f, e, m in found}  # type: ignore[call-overload,misc]

    def put_warc(self, file: str, extent: int, modified: int | None = None) -> None:
        """Set what `warcs` tells."""
        self._do("INSERT OR REPLACE INTO warcs VALUES (?, ?, ?)", (file, extent, modified))

    # Sides and chapters.

    def side(self, book: str, lang: Lang) -> SideRow | None:
        """How far a side is; None if it was not begun."""
        query = "SELECT * FROM sides WHERE book = ? AND lang = ?"
        found = self._rows(query, (book, lang))
        return SideRow(*found[0]) if found else None  # type: ignore[arg-type]

    def put_side(self, side: SideRow) -> None:
        """Set how far a side is."""
        self._do("INSERT OR REPLACE INTO sides VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(side))

    def books(self) -> list[str]:
        """The books that were begun."""
        found = self._rows("SELECT DISTINCT book FROM sides ORDER BY book")
        return [str(book) for (book,) in found]

    def list_again(self) -> None:
        """Have all lists read again, and all chapters looked at."""
        with self.transaction():
            self._db.execute("UPDATE sides SET listed = 0")
            self._db.execute("UPDATE chapters SET state = 'pending', reason = NULL")

    def look_again(self, book: str, lang: Lang) -> None:
        """Have the chapters of a side looked at again."""
        self._do("UPDATE chapters SET state = 'pending' WHERE book = ? AND lang = ?", (book, lang))

    def put_chapters(
        self, book: str, lang: Lang, listed: Sequence[tuple[str, str | None]], *, whole: bool
    ) -> int:
        """Set the list of chapters, address and title each, in order.

        What is known of chapters that were listed before stays.

        Args:
            book: Id of the book.
            lang: Language of the list.
            listed: The list.
            whole: Whether this is all of it: then chapters that are not in it lose their place.

        Returns:
            Number of chapters that lost their place.
        """
        key = (book, lang)
        with self.transaction():
            if whole:
                self._db.execute(
                    "UPDATE chapters SET place = NULL WHERE book = ? AND lang = ?", key
                )
            self._db.executemany(
                "INSERT INTO chapters VALUES (?, ?, ?, ?, ?, 'pending', NULL, NULL, '[]') "
                "ON CONFLICT (book, lang, url) "
                "DO UPDATE SET place = excluded.place, title = excluded.title",
                [(*key, place, url, title) for place, (url, title) in enumerate(listed, 1)],
            )
            query = "SELECT COUNT(*) FROM chapters WHERE book = ? AND lang = ? AND place IS NULL"
            return int(self._db.execute(query, key).fetchone()[0])

    def put_chapter(
        self,
        chapter: ChapterPages,
        state: State,
        reason: str | None = None,
        message: str | None = None,
    ) -> None:
        """Set how far a chapter is, and its pages."""
        self._do(
            "UPDATE chapters SET state = ?, reason = ?, message = ?, pages = ? "
            "WHERE book = ? AND lang = ? AND url = ?",
            (
                *(state, reason, message, json.dumps(chapter.pages)),
                *(chapter.book, chapter.lang, chapter.url),
            ),
        )

    def chapters(self, book: str, lang: Lang) -> list[ChapterPages]:
        """The chapters of a side in the order of its list."""
        found = self._rows(
            "SELECT place, url, title, pages, state, reason, message FROM chapters "
            "WHERE book = ? AND lang = ? AND place IS NOT NULL ORDER BY place",
            (book, lang),
        )
        return [
            ChapterPages(
                *(book, lang, str(place), str(url), title, tuple(json.loads(str(pages)))),  # type: ignore[arg-type]
                *(state, reason, message),  # type: ignore[arg-type]
            )
            for place, url, title, pages, state, reason, message in found
        ]

    # Hosts that want to be left alone.

    def shut_hosts(self, now: datetime) -> dict[str, str]:
        """Hosts that are not to be asked now, and why."""
        query = "SELECT host, reason FROM hosts WHERE until > ?"
        return {str(h): str(why) for h, why in self._rows(query, (now.isoformat(),))}

    def shut_host(self, host: str, until: datetime, reason: str) -> None:
        """Do not ask a host before a time."""
        self._do("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?)", (host, until.isoformat(), reason))
