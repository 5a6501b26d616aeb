"""Take the chapters out of a crawl folder: a line of JSON a chapter and language.

Each has book, chapter (its place in the list), lang, url, title, number, lines, digests of the
pages and of the text, and the pages. Titles, notes, watermarks, advertisements and paragraphs that
are there twice are taken out of the lines; every line that goes is in OUT/removed-lines.jsonl with
its reason, every chapter that cannot be had in OUT/dropped.jsonl.

  bwb extract crawl/                     writes crawl/chapters.jsonl
  bwb extract crawl/ --out - | head -1   or to where you say
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from bwb.pipeline.extract import Extraction
    from bwb.records import Chapter


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("crawl", type=Path, metavar="OUT", help="folder that bwb crawl wrote")
    parser.add_argument("--out", metavar="FILE", help="default OUT/chapters.jsonl; - is stdout")
    parser.add_argument(
        "--sites",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="recipes to use (default: those the crawl was made with)",
    )
    parser.add_argument("--books", nargs="+", metavar="ID", help="only these books")
    parser.add_argument("--json", action="store_true", help="print what was counted as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.corpus import write_jsonl
    from bwb.crawl.store import PageStore
    from bwb.errors import InputError, UnknownNameError, UsageError
    from bwb.pipeline.extract import Extraction, stored_recipes
    from bwb.pipeline.work import Flow
    from bwb.schema import dumps
    from bwb.textio import replacing

    if args.json and args.out == "-":
        raise UsageError("--json and --out -: both write to stdout")
    flow = Flow()
    with PageStore.open(args.crawl) as store:
        books = args.books or store.books()
        for book in books:
            if book not in store.books():
                raise UnknownNameError("book", book, store.books())
        extraction = Extraction(store, stored_recipes(store, args.sites), flow)
        chapters = _chapters(extraction, books)
        if args.out == "-":
            for chapter in chapters:
                sys.stdout.write(dumps(chapter) + "\n")
        else:
            out = Path(args.out) if args.out else args.crawl / "chapters.jsonl"
            write_jsonl(chapters, out)
    for name, lines in (("dropped", extraction.dropped), ("removed-lines", extraction.removed)):
        with replacing(args.crawl / f"{name}.jsonl") as file:
            file.writelines(line + "\n" for line in lines)
    if args.json:
        print_json({"out": str(out), **flow.as_dict()})
    elif args.out != "-":
        print(f"{out}: {plural(flow.passed, 'chapter')} of {flow.taken:,}")
    if not flow.taken:
        raise InputError(f"{args.crawl}: no chapter is listed; bwb crawl says why")
    for reason, count in sorted(flow.dropped.items()):
        note(f"{plural(count, 'chapter')} could not be had: {reason}")
    return 3 if flow.dropped else 0


def _chapters(extraction: Extraction, books: list[str]) -> Iterator[Chapter]:
    from tqdm import tqdm

    for book in tqdm(books, unit="book", disable=not sys.stderr.isatty()):
        yield from extraction.chapters(book)
