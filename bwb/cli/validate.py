"""Check annotated files: inline files, JSONL, corpus folders, releases, built datasets.

Every problem is listed with its file, line and column. Exit code 1 if there is an error; with
--lenient, what can be understood in one way only is repaired, reported, and no error.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.annotations.check import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="file or folder")
    parser.add_argument("--lenient", action="store_true", help="accept what can be repaired")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--limit", type=int, default=50, help="findings to list (default 50)")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.annotations.check import check

    report = check(args.paths, lenient=args.lenient)
    if args.json:
        print_json(
            {
                "documents": report.documents,
                **{what: report.total(what) for what in ("sentences", "mentions", "quotes")},
                "sides": {lang: dict(counts) for lang, counts in report.sides.items()},
                "findings": [asdict(finding) for finding in report.findings],
            }
        )
    else:
        _print(report, args.limit)
    return 1 if report.failed else 0


def _print(report: Report, limit: int) -> None:
    from bwb.report.tables import table

    if report.findings:
        shown = [
            [finding.place, finding.severity, finding.code, finding.message, finding.repair or ""]
            for finding in report.findings[:limit]
        ]
        header = ["place", "severity", "code", "found and expected", "repair"]
        print(table(header, shown, indent=""))
        if len(report.findings) > limit:
            print(f"… and {len(report.findings) - limit} more (--limit)")
        print()
    errors = sum(finding.fails for finding in report.findings)
    repaired = sum(finding.repair is not None for finding in report.findings)
    warnings = sum(finding.severity == "warning" for finding in report.findings)
    print(
        f"{plural(report.documents, 'document')}, "
        f"{plural(report.total('sentences'), 'sentence')}, "
        f"{plural(report.total('mentions'), 'mention')}, "
        f"{plural(report.total('quotes'), 'quote')}: "
        f"{plural(errors, 'error')}, {repaired} repaired, {plural(warnings, 'warning')}"
    )
