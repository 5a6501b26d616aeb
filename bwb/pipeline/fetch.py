"""Before the stages: the pages of all books, into a crawl folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.crawl.archive import WAYBACK
from bwb.crawl.captures import read_date
from bwb.crawl.crawler import CrawlOptions, crawl
from bwb.crawl.manifest import check_recipes, read_manifest
from bwb.crawl.recipe import load_recipes
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.crawl.crawler import CrawlReport, Progress
    from bwb.pipeline.settings import CorpusSettings, CrawlSettings


def fetch(
    settings: CorpusSettings, watch: Callable[[Progress], None] | None = None
) -> CrawlReport | None:
    """Fetch what is not there yet.

    Args:
        settings: What to build.
        watch: Called now and then with how far it is.

    Returns:
        What the crawl did; None if there is no manifest.

    Raises:
        InputError: if the manifest or a recipe is wrong.
        StoreError: if pages cannot be written.
    """
    if settings.manifest is None:
        return None
    books = read_manifest(settings.manifest)
    recipes = load_recipes(*settings.sites)
    check_recipes(books, recipes, str(settings.manifest))
    return crawl(books, recipes, settings.out / "pages", options_of(settings.crawl), watch)


def options_of(settings: CrawlSettings) -> CrawlOptions:
    """The options of a crawl.

    Raises:
        InputError: if the date is none.
    """
    date = None
    if settings.archive_date is not None:
        date = read_date(settings.archive_date)
        if date is None:
            raise InputError(
                f"crawl.archive_date is {settings.archive_date!r}; expected a date as 2022-05-31"
            )
    return CrawlOptions(
        contact=settings.contact,
        seconds=settings.seconds,
        archive=(settings.archive_url or WAYBACK) if settings.archive else None,
        archive_date=date,
        refresh=settings.refresh,
        retry_failed=settings.retry_failed,
    )
