"""Fetch the pages of the books of a manifest, politely, into a folder that can be gone on with.

MANIFEST names books, their two lists of chapters and the recipes of the sites (.jsonl, .csv, .tsv
or .toml). Recipes of your own lie in --sites DIR, besides those that come with the package.

robots.txt is obeyed, each host is asked one thing at a time and at the pace of its recipe, and
who asks is said: give --contact. A host that refuses is left alone; no option gets round that.

Stop it at any moment and run the same command again: nothing is fetched twice, and a crawl that
is done fetches nothing. OUT holds WARC files of all that was received, and an index.

  bwb crawl books.toml --sites my-sites --out pages --contact you@example.org
  bwb crawl books.toml --sites my-sites --out pages --books lantern --limit 5
  bwb crawl books.toml --out pages --archive --archive-date 2020-06-30 --contact you@example.org
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import done, note, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from datetime import datetime

    from bwb.crawl.crawler import CrawlOptions, CrawlReport, Progress
    from bwb.crawl.manifest import Book
    from bwb.report.tables import Cell

# What is wrong with a side if it is the recipe.
_UNREADABLE = ("selector", "empty-body")

# Chapters that are not there are listed up to here; --json has them all.
_LISTED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("manifest", type=Path, metavar="MANIFEST", help="the books")
    parser.add_argument(
        "--sites",
        type=Path,
        metavar="DIR",
        action="append",
        default=[],
        help="folder of recipes (*.toml); may be given several times, the last one wins",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="where pages go")
    parser.add_argument(
        "--contact", metavar="WHO", help="an address or URL to be reached at, for the User-Agent"
    )
    parser.add_argument("--books", metavar="ID,…", help="only these books")
    parser.add_argument("--limit", type=int, metavar="N", help="only N chapters of each side")
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="least seconds between requests to a host; slower than the recipe, never faster "
        "(but for hosts on this machine)",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        default=30.0,
        help="seconds to wait for an answer (default: 30)",
    )
    parser.add_argument(
        "--refresh", action="store_true", help="ask if lists of chapters have changed"
    )
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help="ask again for pages that failed with timeouts or server errors",
    )
    group = parser.add_argument_group("from a web archive")
    group.add_argument("--archive", action="store_true", help="fetch captures, not the sites")
    group.add_argument(
        "--archive-url", metavar="URL", help="the archive (default: the Wayback Machine)"
    )
    group.add_argument(
        "--archive-date", metavar="DATE", help="take captures nearest to it (default: latest)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.crawl.crawler import crawl
    from bwb.crawl.manifest import check_recipes, read_manifest
    from bwb.crawl.recipe import load_recipes

    options = _options(args)
    books = read_manifest(args.manifest)
    recipes = load_recipes(*args.sites)
    check_recipes(books, recipes, str(args.manifest))
    books = _chosen(books, args.books)
    if options.contact is None:
        note("no --contact: sites cannot tell who asks")
    with Bar() as bar:
        report = crawl(books, recipes, args.out, options, bar.watch)
    if args.json:
        print_json({"out": str(args.out), **report.as_dict()})
    else:
        print_report(report)
        done(f"pages in {args.out}; bwb extract takes the chapters out")
    return _code(report)


def _code(report: CrawlReport) -> int:
    """1 if the recipes read nothing at all, 3 if something is not there, else 0."""
    if report.sides and all(side.reason in _UNREADABLE and not side.done for side in report.sides):
        return 1
    return 3 if report.failed else 0


def _options(args: argparse.Namespace) -> CrawlOptions:
    from bwb.crawl.address import usable
    from bwb.crawl.archive import WAYBACK
    from bwb.crawl.crawler import CrawlOptions
    from bwb.errors import UsageError

    for name in ("seconds", "timeout", "limit"):
        value = getattr(args, name)
        least = 0 if name == "seconds" else 1 if name == "limit" else 0.001
        if value is not None and not least <= value < float("inf"):
            raise UsageError(f"--{name} {value}; expected at least {least}")
    if not args.archive and (args.archive_url or args.archive_date):
        raise UsageError("--archive-url and --archive-date go with --archive")
    if args.archive_url and not usable(args.archive_url):
        raise UsageError(f"--archive-url {args.archive_url!r}; expected http://… or https://…")
    return CrawlOptions(
        contact=args.contact,
        seconds=args.seconds,
        archive=(args.archive_url or WAYBACK) if args.archive else None,
        archive_date=_date(args.archive_date),
        limit=args.limit,
        refresh=args.refresh,
        retry_failed=args.retry_failed,
        timeout=args.timeout,
    )


def _date(text: str | None) -> datetime | None:
    from bwb.crawl.captures import read_date
    from bwb.errors import UsageError

    if text is None:
        return None
    moment = read_date(text)
    if moment is None:
        raise UsageError(f"--archive-date {text!r}; expected 2020-06-30, 20200630 or 14 digits")
    return moment


def _chosen(books: tuple[Book, ...], names: str | None) -> tuple[Book, ...]:
    from bwb.errors import UnknownNameError

    if names is None:
        return books
    known = {book.book: book for book in books}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise UnknownNameError("book", name, known)
    return tuple(book for book in books if book.book in wanted)


class Bar:
    """A progress bar on a terminal: chapters, requests a second, errors, time left."""

    def __init__(self) -> None:
        """Show the bar, if stderr is a terminal."""
        from tqdm import tqdm

        self.bar = tqdm(unit="chapter", disable=None, dynamic_ncols=True)
        self._start: int | None = None

    def __enter__(self) -> Bar:
        """For ``with``."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the bar."""
        self.bar.close()

    @property
    def watch(self) -> Callable[[Progress], None] | None:
        """What the crawler calls; None if nobody looks."""
        return None if self.bar.disable else self._show

    def _show(self, progress: Progress) -> None:
        there = progress.done + progress.failed
        if self._start is None and progress.total:
            # What was there before says nothing of the rate.
            self._start = self.bar.initial = there
        self.bar.total = progress.total or None
        self.bar.n = there
        self.bar.set_postfix(
            requests=progress.requests,
            errors=progress.errors,
            failed=progress.failed,
            refresh=False,
        )
        self.bar.refresh()


def print_report(report: CrawlReport) -> None:
    """Counts by state and reason, sides that have a problem, chapters that are not there."""
    from bwb.report.tables import table

    rows: list[list[Cell]] = [
        [state, reason or "-", count] for (state, reason), count in sorted(report.states().items())
    ]
    print(table(["chapters", "reason", "number"], rows))
    asked = ", ".join(f"{count:,} {kind}" for kind, count in sorted(report.requests.items()))
    total = report.requests.total()
    print(f"\n{plural(total, 'request')}" + (f" ({asked})" if asked else ", all was there"))
    if report.retries or report.errors:
        errors = ", ".join(f"{count:,} {name}" for name, count in sorted(report.errors.items()))
        print(f"{report.retries:,} of them again; answers of no use: {errors or 'none'}")
    print(f"{report.bytes:,} bytes in {report.seconds:,.1f} s")
    for side in report.sides:
        if side.reason is not None:
            note(f"book {side.book!r} {side.lang}: {side.reason}: {side.message or side.reason}")
    said = {side.message for side in report.sides}
    listed = [failure for failure in report.failures if failure.message not in said]
    for failure in listed[:_LISTED]:
        where = f"book {failure.book!r} {failure.lang} chapter {failure.chapter}"
        note(f"{where}: {failure.reason}: {failure.message or failure.url}")
    if len(listed) > _LISTED:
        note(f"… and {len(listed) - _LISTED} more; --json lists them all")
    for line in report.notes:
        note(line)
