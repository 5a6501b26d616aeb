"""Count a corpus: sizes, entities, pronouns, quotes and chains.

  bwb stats                           the sample, as tables
  bwb stats CORPUS --html page.html   in pictures; --figures DIR: each as SVG and PDF too

The tables are those of the BWB paper: 1, 4 and 5, section 3.2 and Figure 3. The definitions are in
bwb/annotations/statistics.py.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import done, note_findings, plural, print_json, progress

if TYPE_CHECKING:
    import argparse

    from bwb.annotations.distributions import Distributions
    from bwb.annotations.statistics import Row, Statistics
    from bwb.errors import Finding

_TITLES = {
    "sizes": "Sizes (Table 1)",
    "genres": "Genres (Figure 2)",
    "entities": "Entity mentions (Table 4)",
    "pronouns": "Pronouns, and how many the other language leaves out (Table 5)",
    "quotes": "Direct speech (section 3.2)",
    "chains": "Chains, in sentences and mentions (Figure 3; the full series: --json or --csv)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "corpus", nargs="?", type=Path, help="any corpus bwb reads (default: the sample)"
    )
    parser.add_argument("--lenient", action="store_true", help="repair what can be repaired")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--csv", action="store_true", help="print CSV: table,row,column,value")
    parser.add_argument("--html", type=Path, metavar="PAGE.html", help="write a page of pictures")
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="write the pictures and tables as files"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.annotations.distributions import Distributions
    from bwb.annotations.sources import read_documents
    from bwb.annotations.statistics import count_corpus

    findings: list[Finding] = []
    documents = read_documents(args.corpus, strict=not args.lenient, findings=findings)
    pictures = args.html is not None or args.figures is not None
    shapes = Distributions()
    watched = progress(shapes.watch(documents) if pictures else documents, "doc")
    statistics = count_corpus(watched)
    note_findings(findings)
    if pictures:
        _draw(args, statistics, shapes)
    if args.json:
        print_json({"tables": statistics.tables(), "series": statistics.series()})
    elif args.csv:
        _print_csv(statistics)
    elif not pictures:
        _print_tables(statistics)
    return 0


def _draw(args: argparse.Namespace, statistics: Statistics, shapes: Distributions) -> None:
    """Write the page, and the files, that were asked for."""
    from bwb.report.corpus_page import corpus_html, make_corpus_report
    from bwb.report.page_table import write_table
    from bwb.report.plots import write_plot
    from bwb.textio import replacing

    name = args.corpus.resolve().name if args.corpus else "bwb-sample"
    report = make_corpus_report(name, statistics, shapes, files=args.figures is not None)
    if args.html is not None:
        with replacing(args.html) as file:
            file.write(corpus_html(report))
        done(f"page in {args.html}; open it in a browser")
    if args.figures is not None:
        args.figures.mkdir(parents=True, exist_ok=True)
        written = [path for plot in report.plots for path in write_plot(plot, args.figures)]
        written += [path for one in report.tables for path in write_table(one, args.figures)]
        done(f"{plural(len(written), 'file')} in {args.figures}")


def _print_tables(statistics: Statistics) -> None:
    from bwb.report.tables import rows_table

    for name, rows in statistics.tables().items():
        print(f"{_TITLES[name]}\n{rows_table([_readable(row) for row in rows])}\n")


def _readable(row: Row) -> Row:
    """Shares in percent, as the paper prints them."""
    from bwb.report.tables import percent

    return {
        f"{key} %" if "share" in key else key: percent(value) if "share" in key else value
        for key, value in row.items()
    }


def _print_csv(statistics: Statistics) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["table", "row", "column", "value"])
    tables = {**statistics.tables(), "series": statistics.series()}
    for name, rows in tables.items():
        for number, row in enumerate(rows):
            for column, value in row.items():
                writer.writerow([name, number, column, "" if value is None else value])
