"""Pages out of a web archive of the Wayback kind, with the times at which they were captured.

For each page the archive's index (CDX) is asked for captures that were answered with 200. The one
nearest to a date, or the latest, is fetched raw; if the archive leads to another capture, the time
recorded is that of the one that answered.

Source: https://github.com/internetarchive/wayback/tree/master/wayback-cdx-server
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from bwb.crawl.address import is_loopback, origin_of
from bwb.crawl.captures import capture_address, read_time
from bwb.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from bwb.crawl.rows import Kind
    from bwb.crawl.store import PageStore, Trail

WAYBACK = "https://web.archive.org"

# Captures to ask for at a time; the archive gives a key to go on with.
PAGE_SIZE = 3000

# A capture that cannot be had is passed over for the next nearest, so many times.
CANDIDATES = 3

_MOST_PAGES = 50


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture in the index.

    Attributes:
        time: 14 digits, UTC.
        url: The address as it was captured.
    """

    time: str
    url: str


def parse_cdx(body: bytes) -> tuple[list[Capture], str | None]:
    """Read an answer of the index: a JSON list of rows, the first of them the names of fields.

    Returns:
        The captures that were answered with 200, and the key to go on with; None at the end.

    Raises:
        InputError: if it is something else.
    """
    try:
        rows = json.loads(body) if body.strip() else []
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise ValueError("not a list of lists")
        key = None
        if len(rows) >= 2 and not rows[-2] and len(rows[-1]) == 1:
            key = str(rows[-1][0])
            rows = rows[:-2]
        if not rows:
            return [], key
        names = [str(name) for name in rows[0]]
        when, what = names.index("timestamp"), names.index("original")
        status = names.index("statuscode") if "statuscode" in names else None
        found = [
            Capture(str(row[when]), str(row[what]))
            for row in rows[1:]
            if status is None or str(row[status]) == "200"
        ]
    except (ValueError, IndexError) as error:
        raise InputError(f"not an index of captures: {error}; found {body[:60]!r}") from None
    return [capture for capture in found if read_time(capture.time)], key


def nearest(captures: list[Capture], date: datetime | None) -> list[Capture]:
    """The captures, those to be tried first at the front.

    Args:
        captures: In any order.
        date: The date to be near to; None prefers the latest.
    """

    def distance(capture: Capture) -> float:
        moment = read_time(capture.time)
        if moment is None or date is None:
            return -float(capture.time)
        return abs((moment - date).total_seconds())

    return sorted(captures, key=distance)


class Archive:
    """An archive and the date that is wanted."""

    def __init__(self, base: str = WAYBACK, date: datetime | None = None) -> None:
        """Ask nothing yet.

        Args:
            base: Its address.
            date: The capture nearest to this is taken; None takes the latest.
        """
        self.base = base.rstrip("/")
        self.date = date
        self.dates: dict[str, datetime] = {}
        """Other dates for some pages, by address."""
        self.local = is_loopback(self.base)
        self._cdx = f"{self.base}/cdx/search/cdx?"

    def owns(self, address: str) -> bool:
        """Whether an address is the archive's."""
        return origin_of(address) == origin_of(self.base)

    def is_cdx(self, address: str) -> bool:
        """Whether an address asks for the index."""
        return address.startswith(self._cdx)

    def cdx_address(self, url: str, key: str | None = None) -> str:
        """Where the captures of a page are listed.

        Args:
            url: The page.
            key: Where to go on, as the index said.
        """
        fields = "fl=timestamp,original,statuscode&filter=statuscode:200"
        paging = f"limit={PAGE_SIZE}&showResumeKey=true"
        more = f"&resumeKey={quote(key, safe='')}" if key else ""
        return f"{self._cdx}url={quote(url, safe='')}&output=json&{fields}&{paging}{more}"

    def trail(self, store: PageStore, url: str, kind: Kind) -> Trail:
        """Where a page is in the store, or what to ask for next to have it.

        What is decided is stored: the capture that is the page, or that there is none.
        """
        if store.index.row(url) is not None:
            return store.trail(url)
        captures: list[Capture] = []
        address: str | None = self.cdx_address(url)
        for _ in range(_MOST_PAGES):
            if address is None:
                break
            trail = store.trail(address)
            if trail.missing is not None:
                return trail
            if trail.error is not None:
                error = "missing" if trail.error == "not-found" else trail.error
                return self._fail(store, url, kind, error, f"no answer from {address}")
            page = store.get(address)
            try:
                found, key = parse_cdx(page.body if page else b"")
            except InputError as problem:
                return self._fail(store, url, kind, "bad-cdx", f"{address}: {problem}")
            captures += found
            address = self.cdx_address(url, key) if key else None
        return self._choose(store, url, kind, nearest(captures, self.dates.get(url, self.date)))

    def _choose(self, store: PageStore, url: str, kind: Kind, captures: list[Capture]) -> Trail:
        error, message = "missing", f"{self.base} has no capture of it that was answered with 200"
        for capture in captures[:CANDIDATES]:
            address = capture_address(self.base, capture.time, capture.url)
            trail = store.trail(address)
            if trail.missing is not None:
                return trail
            last = trail.rows[-1]
            if trail.error is None and last.captured is None:
                error, message = "left-archive", f"{last.url} is not a capture"
            elif trail.error is None:
                store.lead(url, kind, address)
                return store.trail(url)
            else:
                error, message = trail.error, f"{last.url}: {last.message or trail.error}"
        return self._fail(store, url, kind, error, message)

    def _fail(self, store: PageStore, url: str, kind: Kind, error: str, message: str) -> Trail:
        store.fail(url, kind, error, message, None)
        return store.trail(url)
