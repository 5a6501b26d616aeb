"""Count a corpus: sizes, entities, pronouns, quotes and chains.

The tables are those of the BWB paper: 1, 4 and 5, section 3.2 and Figure 3. The definitions are in
bwb/annotations/statistics.py.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note_findings, print_json

if TYPE_CHECKING:
    import argparse

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


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.annotations.sources import read_documents
    from bwb.annotations.statistics import count_corpus

    findings: list[Finding] = []
    documents = read_documents(args.corpus, strict=not args.lenient, findings=findings)
    statistics = count_corpus(documents)
    note_findings(findings)
    if args.json:
        print_json({"tables": statistics.tables(), "series": statistics.series()})
    elif args.csv:
        _print_csv(statistics)
    else:
        _print_tables(statistics)
    return 0


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
