"""Fetching pages by their addresses: what a manifest of chapters lists, without any list page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.crawl.archive import Archive
from bwb.crawl.captures import read_date
from bwb.crawl.crawler import Progress, work_off
from bwb.crawl.fetch import user_agent
from bwb.crawl.frontier import CHAPTERS
from bwb.crawl.getter import Getter
from bwb.crawl.options import CrawlOptions
from bwb.crawl.store import PageStore
from bwb.crawl.verdict import PASSING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bwb.crawl.recipe import Recipe
    from bwb.crawl.store import StoredPage


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page to fetch.

    Attributes:
        url: Its address.
        recipe: Recipe of its site: pace and charset.
        captured: Time of the archive's capture that is wanted, ISO 8601; None takes any.
    """

    url: str
    recipe: Recipe
    captured: str | None = None


@dataclass(slots=True)
class _Count:
    total: int
    done: int = 0
    bad: int = 0


def fetch_pages(
    wanted: Sequence[WantedPage],
    out: Path,
    options: CrawlOptions | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> dict[str, str]:
    """Fetch pages into a folder; what is there is not fetched again.

    Args:
        wanted: The pages.
        out: The folder, as of a crawl.
        options: How to fetch.
        watch: Called now and then from the thread of the caller.

    Returns:
        Why a page that is not there was not even answered (robots, a host that was given up), by
        address; what was answered, well or not, is in the folder.

    Raises:
        StoreError: if the folder cannot be written.
    """
    options = options or CrawlOptions()
    agent = user_agent(options.contact)
    archive = Archive(options.archive, options.archive_date) if options.archive else None
    if archive is not None:
        dates = {page.url: read_date(page.captured) for page in wanted if page.captured}
        archive.dates = {url: date for url, date in dates.items() if date is not None}
    pending: dict[str, str] = {}
    with PageStore.open(out, write=True, agent=agent) as store:
        if options.retry_failed:
            store.index.forget_errors(PASSING)
        getter = Getter(store, options, agent, archive)
        count = _Count(len(wanted))
        try:
            for number, page in enumerate(wanted, 1):
                _want(getter, page, number, count, pending)
            getter.settle()
            work_off(getter, Progress([count], getter), options.threads, watch)
        finally:
            getter.close()
    return pending


def _want(
    getter: Getter, wanted: WantedPage, number: int, count: _Count, pending: dict[str, str]
) -> None:
    def then(page: StoredPage | None, why: str | None) -> None:
        good = page is not None and page.error is None
        count.done += good
        count.bad += not good
        if page is None:
            pending[wanted.url] = why or "missing"

    recipe = wanted.recipe
    priority = (CHAPTERS, number)
    getter.want(wanted.url, "chapter", recipe.seconds, priority, then, recipe=recipe)
