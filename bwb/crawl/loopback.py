r"""A web server on this machine for tests, benchmarks and the demo: books in three themes, faults.

    books = [SiteBook("lantern", chapters, "biquge", split={3: 2})]
    faults = {"/book/lantern/1002.html": Fault.busy("1"), "/robots.txt": Fault.error(500, times=1)}
    with Site(books, faults=faults, robots="User-agent: *\nDisallow: /private/") as site:
        fetch(site.list_url("lantern"))
        assert site.log.gap() >= 0.05

Without faults it serves some thousand pages a second. What was asked, and when, is in `Site.log`.
"""

from __future__ import annotations

import hashlib
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from email.utils import formatdate
from itertools import pairwise
from typing import TYPE_CHECKING

from bwb.crawl.loopback_http import LocalServer, QuietHandler
from bwb.crawl.loopback_themes import (
    Page,
    SiteBook,
    SiteChapter,
    chapter_path,
    list_path,
    routes,
)
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Entry", "Fault", "Log", "Server", "Site", "SiteBook", "SiteChapter", "chapter_path"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What a server does instead of answering well.

    Attributes:
        status: Status to answer with; 200 answers with the page.
        times: How often, then all is well; None is for ever.
        headers: Headers to add.
        delay: Seconds to wait before the answer.
        cut: Whether to end the body half-way, though its length was announced.
        drop: Whether to close the connection without an answer.
        body: Content in place of the page's.
    """

    status: int = 200
    times: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    cut: bool = False
    drop: bool = False
    body: bytes | None = None

    @classmethod
    def error(cls, status: int, times: int | None = None) -> Fault:
        """An error status."""
        return cls(status, times)

    @classmethod
    def busy(cls, retry_after: str | None, times: int | None = 1, status: int = 429) -> Fault:
        """Too many requests; `retry_after` is seconds or an HTTP date."""
        return cls(status, times, (("Retry-After", retry_after),) if retry_after else ())

    @classmethod
    def slow(cls, seconds: float, times: int | None = None) -> Fault:
        """A late answer."""
        return cls(times=times, delay=seconds)

    @classmethod
    def truncated(cls, times: int | None = 1) -> Fault:
        """Half a body."""
        return cls(times=times, cut=True)

    @classmethod
    def dropped(cls, times: int | None = 1) -> Fault:
        """No answer."""
        return cls(times=times, drop=True)

    @classmethod
    def moved(cls, location: str, status: int = 302, times: int | None = None) -> Fault:
        """A redirect."""
        return cls(status, times, (("Location", location),))

    @classmethod
    def other(cls, body: bytes, times: int | None = None) -> Fault:
        """Another page, answered with 200."""
        return cls(times=times, body=body)


@dataclass(slots=True)
class Entry:
    """A request that came.

    Attributes:
        path: Path and query.
        began: When it came, seconds on the clock of `time.monotonic`.
        ended: When it was answered; 0 if it was not.
        status: What it was answered with; 0 if it was not.
        headers: Its headers, names in lower case.
    """

    path: str
    began: float
    ended: float = 0.0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)


class Log(list[Entry]):
    """The requests that came, in order."""

    @property
    def paths(self) -> list[str]:
        """What was asked."""
        return [entry.path for entry in self]

    @property
    def counts(self) -> Counter[str]:
        """How often each path was asked."""
        return Counter(self.paths)

    def gap(self) -> float | None:
        """Least seconds between the arrival of two requests; None for fewer than two."""
        times = sorted(entry.began for entry in self)
        return min((later - earlier for earlier, later in pairwise(times)), default=None)

    def overlaps(self) -> int:
        """How many requests came before the one before was answered."""
        ordered = sorted(self, key=lambda entry: entry.began)
        return sum(later.began < earlier.ended for earlier, later in pairwise(ordered))


class Server(LocalServer, ABC):
    """A server on 127.0.0.1 at a free port; a subclass says what it serves."""

    def __init__(self, faults: Mapping[str, Fault | Sequence[Fault]] | None = None) -> None:
        """Bind, and serve once entered by ``with``.

        Args:
            faults: By path and query. Of several faults of a path, each takes its turn.
        """
        super().__init__(_Handler)
        self.log = Log()
        self.faults: dict[str, list[Fault]] = {}
        for path, fault in (faults or {}).items():
            self.faults[path] = [fault] if isinstance(fault, Fault) else list(fault)
        self._used: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()

    @abstractmethod
    def page(self, path: str) -> Page | None:
        """The page of a path and query; None is 404."""

    def fault(self, path: str) -> Fault | None:
        """The fault whose turn it is; None if all is well."""
        with self._lock:
            for place, fault in enumerate(self.faults.get(path, ())):
                if fault.times is None or self._used[path, place] < fault.times:
                    self._used[path, place] += 1
                    return fault
        return None


class Site(Server):
    """Books in the three themes."""

    def __init__(
        self,
        books: Sequence[SiteBook],
        faults: Mapping[str, Fault | Sequence[Fault]] | None = None,
        robots: str | None = None,
    ) -> None:
        """Serve books.

        Args:
            books: The books, each with an id of its own.
            faults: See `Server`.
            robots: The robots.txt; None is 404.
        """
        super().__init__(faults)
        self.robots = robots
        self.serve(books)

    def serve(self, books: Sequence[SiteBook]) -> None:
        """Serve other books from now on."""
        self.books = {book.id: book for book in books}
        if len(self.books) < len(books):
            raise InputError("two books of a site have the same id; expected different ones")
        self._routes = routes(books)

    def list_url(self, book: str) -> str:
        """Address of the list of chapters of a book, as a manifest names it."""
        return self.url + list_path(self.books[book])

    def chapter_url(self, book: str, place: int, page: int = 1) -> str:
        """Address of a page of a chapter, both from 1."""
        return self.url + chapter_path(self.books[book], place, page)

    def page(self, path: str) -> Page | None:
        """See `Server`."""
        if path == "/robots.txt":
            return None if self.robots is None else Page("text/plain", self.robots.encode())
        make = self._routes.get(path)
        return make() if make else None


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        """Answer, or not."""
        owner = self.server.owner
        headers = {key.lower(): value for key, value in self.headers.items()}
        entry = Entry(self.path, time.monotonic(), headers=headers)
        owner.log.append(entry)
        fault = owner.fault(self.path)
        if fault and fault.delay:
            owner.closing.wait(fault.delay)
        if fault and fault.drop:
            self.close_connection = True
            entry.ended = time.monotonic()
            return
        page, status, extra = self._page(fault)
        body = page.body
        tag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()[:16]}"'
        if status == 200 and headers.get("if-none-match") == tag:
            status, body = 304, b""
        self.send_response(status)
        if status != 304:
            self.send_header("Content-Type", page.content_type)
            self.send_header("Content-Length", str(len(body)))
        if status in (200, 304):
            self.send_header("ETag", tag)
            self.send_header("Last-Modified", formatdate(0, usegmt=True))
        for name, value in extra:
            self.send_header(name, value)
        self.end_headers()
        if fault and fault.cut:
            body = body[: len(body) // 2]
            self.close_connection = True
        # Before the client can have it: it is at liberty to ask again then.
        entry.status, entry.ended = status, time.monotonic()
        self.wfile.write(body)
        self.wfile.flush()

    def _page(self, fault: Fault | None) -> tuple[Page, int, tuple[tuple[str, str], ...]]:
        if fault and fault.status != 200:
            words = f"<html><body><h1>{fault.status}</h1></body></html>"
            body = words.encode() if fault.body is None else fault.body
            return Page("text/html", body), fault.status, fault.headers
        page = self.server.owner.page(self.path)
        extra = fault.headers if fault else ()
        if page is None:
            return Page("text/html", b"<html><body><h1>404</h1></body></html>"), 404, extra
        if fault and fault.body is not None:
            page = Page(page.content_type, fault.body)
        return page, page.status, (*page.headers, *extra)
