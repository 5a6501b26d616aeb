"""Crawling books: lists, chapters, pages, into a folder that can be left and gone on with.

Several hosts are asked side by side, one request at a time each. What is stored is not fetched
again; a second run of a crawl that is done asks for nothing.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol

from bwb.crawl.archive import Archive
from bwb.crawl.fetch import user_agent
from bwb.crawl.getter import Getter
from bwb.crawl.options import CrawlOptions, CrawlReport, Failure, SideReport
from bwb.crawl.recipe import find_recipe
from bwb.crawl.side import Side
from bwb.crawl.store import PageStore
from bwb.crawl.verdict import PASSING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bwb.crawl.manifest import Book
    from bwb.crawl.recipe import Recipe

__all__ = ["CrawlOptions", "CrawlReport", "Progress", "crawl"]


class Counted(Protocol):
    """Something that has a number of chapters to get."""

    @property
    def total(self) -> int:
        """Chapters known so far."""

    @property
    def done(self) -> int:
        """Chapters that are there."""

    @property
    def bad(self) -> int:
        """Chapters that cannot be had or read."""


class Progress:
    """How far a crawl is, for a person to look at.

    Attributes:
        total: Chapters known so far.
        done: Chapters that are there.
        failed: Chapters that cannot be had or read.
        requests: Requests made.
        errors: Answers that were no use.
    """

    def __init__(self, sides: Sequence[Counted], getter: Getter) -> None:
        """Look at sides and getter; they change."""
        self._sides = sides
        self._getter = getter

    @property
    def total(self) -> int:
        """Chapters known so far."""
        return sum(side.total for side in self._sides)

    @property
    def done(self) -> int:
        """Chapters that are there."""
        return sum(side.done for side in self._sides)

    @property
    def failed(self) -> int:
        """Chapters that cannot be had or read."""
        return sum(side.bad for side in self._sides)

    @property
    def requests(self) -> int:
        """Requests made."""
        return self._getter.counts.requests.total()

    @property
    def errors(self) -> int:
        """Answers that were no use."""
        return self._getter.counts.errors.total()


def crawl(
    books: Sequence[Book],
    recipes: Mapping[str, Recipe],
    out: Path,
    options: CrawlOptions | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> CrawlReport:
    """Fetch books into a folder.

    Args:
        books: Rows of a manifest.
        recipes: Recipes by name.
        out: The folder; what is there is not fetched again.
        options: How to fetch.
        watch: Called now and then from the thread of the caller.

    Returns:
        What is there and what is not, with reasons.

    Raises:
        InputError: if a recipe does not exist.
        StoreError: if the folder cannot be written, as when the disk is full.
        UsageError: if the contact cannot stand in a header.
    """
    options = options or CrawlOptions()
    agent = user_agent(options.contact)
    began = time.monotonic()
    archive = Archive(options.archive, options.archive_date) if options.archive else None
    wanted = [
        (book, lang, url, find_recipe(recipes, name))
        for book in books
        for lang, url, name in book.sides
    ]
    with PageStore.open(out, write=True, agent=agent) as store:
        if options.retry_failed:
            store.index.forget_errors(PASSING)
        for *_, recipe in wanted:
            store.index.put_recipe(recipe.name, recipe.model_dump_json(by_alias=True))
        getter = Getter(store, options, agent, archive)
        try:
            sides = [Side(getter, *arguments, number) for number, arguments in enumerate(wanted, 1)]
            for side in sides:
                side.start()
            getter.settle()
            work_off(getter, Progress(sides, getter), options.threads, watch)
        finally:
            getter.close()
        report = _report(store, sides, getter)
    report.seconds = time.monotonic() - began
    return report


def work_off(
    getter: Getter, progress: Progress, threads: int, watch: Callable[[Progress], None] | None
) -> None:
    """Have threads do the work; an error in one of them stops all."""
    errors: list[BaseException] = []

    def work() -> None:
        try:
            getter.work()
        except BaseException as error:
            errors.append(error)
            getter.frontier.stop()

    pool = [threading.Thread(target=work, name=f"crawl-{n}", daemon=True) for n in range(threads)]
    for thread in pool:
        thread.start()
    try:
        for thread in pool:
            while thread.is_alive():
                thread.join(0.2 if watch else None)
                if watch:
                    watch(progress)
    except BaseException:
        # Requests under way come to their end, so that their pages are not fetched twice.
        getter.frontier.stop()
        for thread in pool:
            thread.join(getter.options.timeout)
        raise
    if errors:
        raise errors[0]


def _report(store: PageStore, sides: Sequence[Side], getter: Getter) -> CrawlReport:
    counts = getter.counts
    report = CrawlReport(
        notes=[*store.notes, *getter.notes],
        requests=counts.requests,
        retries=counts.retries,
        errors=counts.errors,
        unchanged=counts.unchanged,
        bytes=counts.bytes,
    )
    for side in sides:
        report.sides.append(_side_report(store, side, report.failures))
    return report


def _side_report(store: PageStore, side: Side, failures: list[Failure]) -> SideReport:
    book, lang = side.book.book, side.lang
    made = SideReport(book, lang, side.recipe.signature)
    made.reason, made.message = side.row.reason, side.row.message
    if made.reason is None and not side.row.listed:
        made.reason = "interrupted"
    for chapter in store.chapters(book, lang):
        made.listed += 1
        if not side.wants(int(chapter.chapter)):
            continue
        made.wanted += 1
        if chapter.state == "done":
            made.done += 1
            continue
        reason = chapter.reason or made.reason or "interrupted"
        (made.failed if chapter.state == "failed" else made.pending)[reason] += 1
        message = chapter.message if chapter.reason else made.message
        failures.append(Failure(book, lang, chapter.chapter, chapter.url, reason, message))
    return made
