"""Build a corpus from web pages: fetch, extract, clean, pair, align, filter, publish.

CORPUS.toml says which books (a manifest), with which recipes, and what to do with them:

  name = "my-corpus"
  manifest = "books.toml"      # book, zh_url, zh_recipe, en_url, en_recipe, genre, split
  sites = ["sites"]            # folders of your own recipes
  out = "build"
  workers = 2
  [align]
  aligner = "hybrid"           # or "bleualign", "galechurch"
  [filters.rules]
  few-sentences = { threshold = 5 }

Stop it at any moment and run it again: it goes on where it was, and a second run does nothing.
In the folder `out`:

  dataset/             what load_dataset opens (Parquet, card, Croissant)
  manifest.jsonl       where each chapter came from, with digests: see bwb rebuild --verify
  dropped.jsonl        every chapter and pair that was dropped, and why
  removed-lines.jsonl  every line that cleaning took out, and why
  report.json          what went into each stage and what came out
  pages/, work/        what was fetched, and intermediate files
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.pipeline.build_corpus import CorpusReport, StageReport
    from bwb.report.tables import Cell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("corpus", type=Path, metavar="CORPUS.toml", help="what to build")
    parser.add_argument("--out", type=Path, metavar="DIR", help="in place of the file's")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes, in place of the file's"
    )
    parser.add_argument("--no-crawl", action="store_true", help="fetch nothing, use what is there")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.cli.crawl import Bar
    from bwb.errors import UsageError
    from bwb.pipeline.build_corpus import build_corpus
    from bwb.pipeline.settings import read_settings

    settings = read_settings(args.corpus)
    if args.workers is not None:
        if args.workers < 1:
            raise UsageError(f"--workers {args.workers}; expected at least 1")
        settings = settings.model_copy(update={"workers": args.workers})
    if args.out:
        settings = settings.model_copy(update={"out": args.out})
    if args.no_crawl:
        crawl = settings.crawl.model_copy(update={"enabled": False})
        settings = settings.model_copy(update={"crawl": crawl})
    with Bar() as bar:
        report = build_corpus(settings, bar.watch)
    if args.json:
        print_json(report.as_dict())
    else:
        print_report(report)
    for book, why in report.failed.items():
        note(f"{book} is left out: {why}")
    return 3 if report.failed or (report.crawl and report.crawl.failed) else 0


def print_report(report: CorpusReport) -> None:
    """Counts of each stage with reasons, Table 1, and where things are."""
    from bwb.report.tables import table

    rows = [_row(stage) for stage in report.stages]
    print(table(["stage", "unit", "in", "out", "dropped"], rows))
    print("\nTable 1, for what was built")
    print(
        table(
            ["split", "side", "books", "chapters", "sentences", "words or characters"],
            [
                [r["split"], r["lang"], r["books"], r["documents"], r["sentences"], r["length"]]
                for r in report.sizes
            ],
        )
    )
    made = "built" if report.fresh else "there already, nothing to do"
    print(f"\n{report.name}: {plural(report.documents, 'document')}, {made}")
    print(f"digest   {report.digest}")
    print(f"dataset  {report.dataset}")
    print(f"dropped  {report.out / 'dropped.jsonl'}")


def _row(stage: StageReport) -> list[Cell]:
    flow = stage.flow
    why = ", ".join(f"{n} {reason}" for reason, n in sorted(flow.dropped.items()))
    return [stage.name.partition("-")[2], stage.unit, flow.taken, flow.passed, why or "-"]
