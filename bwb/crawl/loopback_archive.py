"""A web archive on this machine: an index of captures (CDX) and their raw content."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from bwb.crawl.captures import capture_address, read_time
from bwb.crawl.loopback import Fault, Server
from bwb.crawl.loopback_themes import Page, SiteBook, routes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CAPTURE = re.compile(r"/web/(\d{14})([a-z]{2}_)?/(.+)")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A capture.

    Attributes:
        time: 14 digits, UTC.
        page: What the site answered then.
    """

    time: str
    page: Page


def snapshots(
    origin: str, books: Iterable[SiteBook], time: str = "20200101000000"
) -> dict[str, list[Snapshot]]:
    """Captures of all pages of books, as if they had been on a site.

    Args:
        origin: Its base address.
        books: The books.
        time: When it was captured.
    """
    return {origin + path: [Snapshot(time, make())] for path, make in routes(books).items()}


class ArchiveSite(Server):
    """A web archive."""

    def __init__(
        self,
        captures: Mapping[str, Sequence[Snapshot]],
        faults: Mapping[str, Fault | Sequence[Fault]] | None = None,
        *,
        robots: str | None = None,
        page_size: int = 1000,
    ) -> None:
        """Serve captures.

        Args:
            captures: By the address captured.
            faults: By path and query, see `Server`.
            robots: The robots.txt; None is 404.
            page_size: How many rows the index gives at most; then it gives a key to go on with.
        """
        super().__init__(faults)
        self.captures = {url: list(made) for url, made in captures.items()}
        self.robots = robots
        self.page_size = page_size

    def __enter__(self) -> ArchiveSite:
        """Serve."""
        super().__enter__()
        return self

    def page(self, path: str) -> Page | None:
        """See `Server`."""
        if path == "/robots.txt":
            return None if self.robots is None else Page("text/plain", self.robots.encode())
        if path.startswith("/cdx/search/cdx?"):
            return self._index(path)
        found = _CAPTURE.fullmatch(path)
        return self._capture(*found.groups()) if found else None

    def _index(self, path: str) -> Page:
        asked = {key: values[-1] for key, values in parse_qs(urlsplit(path).query).items()}
        made = sorted(self.captures.get(asked.get("url", ""), ()), key=lambda shot: shot.time)
        wanted = asked.get("filter", "").removeprefix("statuscode:")
        made = [shot for shot in made if not wanted or str(shot.page.status) == wanted]
        start = int(asked.get("resumeKey", "0"))
        end = start + min(self.page_size, int(asked.get("limit", "100000")))
        fields = asked.get("fl", "urlkey,timestamp,original,mimetype,statuscode").split(",")
        rows = [[_field(name, asked["url"], shot) for name in fields] for shot in made[start:end]]
        if rows:
            rows.insert(0, fields)
        if end < len(made) and asked.get("showResumeKey") == "true":
            rows += [[], [str(end)]]
        return Page("application/json", json.dumps(rows).encode())

    def _capture(self, time: str, flag: str | None, url: str) -> Page | None:
        made = self.captures.get(url)
        if not made:
            return None
        wanted = read_time(time)

        def distance(shot: Snapshot) -> float:
            moment = read_time(shot.time)
            return abs((moment - wanted).total_seconds()) if moment and wanted else 0.0

        nearest = min(made, key=distance)
        if nearest.time != time:
            to = capture_address(self.url, nearest.time, url).replace("id_/", f"{flag or ''}/", 1)
            return Page("text/html", b"", 302, (("Location", to),))
        if flag != "id_":
            frame = b"<html><body><div>The archive's frame</div>" + nearest.page.body
            return Page(nearest.page.content_type, frame)
        return nearest.page


def _field(name: str, url: str, shot: Snapshot) -> str:
    known = {
        "timestamp": shot.time,
        "original": url,
        "statuscode": str(shot.page.status),
        "mimetype": shot.page.content_type.split(";")[0],
        "urlkey": url,
    }
    return known.get(name, "-")
