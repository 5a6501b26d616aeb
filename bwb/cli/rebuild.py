"""Fetch the pages of a corpus's manifest again, and see what became of them, or rebuild it.

MANIFEST is the manifest.jsonl that bwb build-corpus writes: where each chapter came from, with
digests, but without the text.

  bwb rebuild --verify manifest.jsonl --sites my-sites      what is ok, changed, missing, …
  bwb rebuild manifest.jsonl --out rebuilt                  the corpus itself, from the same pages

Rows are ok (the same text), changed, redirected (the address leads elsewhere), missing (a page
cannot be had) or dropped (no chapter can be made of the pages any more). Exit code 3 if any is
not ok. Stop it and run it again: nothing is fetched twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.pipeline.build_corpus import CorpusReport
    from bwb.pipeline.rebuild import Rebuild, RebuildReport

_LISTED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("manifest", type=Path, metavar="MANIFEST", help="manifest.jsonl of a corpus")
    add("--verify", action="store_true", help="compare only, build nothing")
    add("--sites", type=Path, action="append", default=[], metavar="DIR", help="folder of recipes")
    add("--out", type=Path, metavar="DIR", help="default: rebuilt/ beside the manifest")
    add("--pages", type=Path, metavar="DIR", help="a crawl folder to look at; fetch nothing")
    add("--contact", metavar="WHO", help="an address or URL, for the User-Agent")
    add("--seconds", type=float, metavar="S", help="least seconds between requests to a host")
    add(
        "--retry-failed", action="store_true", help="ask again for what failed for a passing reason"
    )
    add("--archive", action="store_true", help="fetch captures: those of the manifest, or nearest")
    add("--archive-url", metavar="URL", help="the archive (default: the Wayback Machine)")
    add("--name", default="rebuilt", help="name of the corpus to build")
    add("--aligner", default="hybrid", metavar="NAME", help="aligner of the corpus to build")
    add("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.cli.crawl import Bar
    from bwb.crawl.recipe import load_recipes
    from bwb.errors import UsageError
    from bwb.pipeline.fetch import options_of
    from bwb.pipeline.rebuild import Rebuild, read_rows
    from bwb.pipeline.settings import CrawlSettings

    if args.archive_url and not args.archive:
        raise UsageError("--archive-url goes with --archive")
    out: Path = args.out or args.manifest.parent / "rebuilt"
    rebuild = Rebuild(
        read_rows(args.manifest), load_recipes(*args.sites), args.pages or out / "pages"
    )
    if args.pages is None:
        crawl = CrawlSettings(
            archive=args.archive,
            archive_url=args.archive_url,
            contact=args.contact,
            seconds=args.seconds,
            retry_failed=args.retry_failed,
        )
        with Bar() as bar:
            rebuild.fetch(options_of(crawl), bar.watch)
    report = rebuild.check()
    built = None if args.verify else _build(args, rebuild, out)
    if args.json:
        body = {"manifest": str(args.manifest), **report.as_dict()}
        print_json(body if built is None else body | {"corpus": built.as_dict()})
    else:
        _print(report, built)
    return 0 if report.same else 3


def _build(args: argparse.Namespace, rebuild: Rebuild, out: Path) -> CorpusReport:
    """The corpus of what can be had, its chapters paired as the manifest pairs them."""
    from bwb.pipeline.build_corpus import build_corpus
    from bwb.pipeline.settings import AlignSettings, CorpusSettings

    rebuild.chapters(out / "chapters")
    settings = CorpusSettings(
        name=args.name,
        chapters=out / "chapters",
        out=out,
        align=AlignSettings(aligner=args.aligner),
    )
    return build_corpus(settings, rows=rebuild.rows)


def _print(report: RebuildReport, built: CorpusReport | None) -> None:
    from bwb.report.tables import table

    print(table(["state", "rows"], [[state, count] for state, count in report.counts.items()]))
    wrong = [row for row in report.rows if row.state != "ok"]
    for row in wrong[:_LISTED]:
        note(f"{row.id} ({row.lang}): {row.state}: {row.detail}")
    if len(wrong) > _LISTED:
        note(f"… and {len(wrong) - _LISTED} more; --json lists them all")
    if built is not None:
        print(f"{plural(built.documents, 'document')} in {built.dataset}")
