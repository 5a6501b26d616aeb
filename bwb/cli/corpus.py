"""Look after a corpus that was built.

    bwb corpus doctor                       the sample
    bwb corpus doctor build/dataset         a folder that bwb build or bwb build-corpus wrote
    bwb corpus doctor documents.jsonl --json

`doctor` looks for leakage between splits, duplicate chapters, encoding damage, untranslated text,
lengths far from the others, empty sides, suspicious alignment and missing provenance. Exit code 1
if there is an error; warnings want a look.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.pipeline.doctor import Diagnosis


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    doctor = steps.add_parser("doctor", help="look for what is wrong with a corpus")
    doctor.add_argument(
        "corpus",
        nargs="?",
        type=Path,
        metavar="CORPUS",
        help="file or folder (default: the sample)",
    )
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument("--limit", type=int, default=50, help="findings to list (default 50)")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tqdm import tqdm

    from bwb.annotations.sources import read_documents
    from bwb.pipeline.doctor import Doctor

    doctor = Doctor()
    documents = doctor.examine(read_documents(args.corpus, strict=False))
    for _ in tqdm(documents, unit="document", file=sys.stderr, disable=not sys.stderr.isatty()):
        pass
    diagnosis = doctor.finish()
    if args.json:
        print_json(
            {
                "documents": diagnosis.documents,
                "sentences": dict(diagnosis.sentences),
                "counts": [
                    {"code": code, "severity": severity, "count": count}
                    for (code, severity), count in sorted(diagnosis.counts.items())
                ],
                "findings": [asdict(finding) for finding in diagnosis.findings],
            }
        )
    else:
        _print(diagnosis, args.limit)
    return 1 if diagnosis.failed else 0


def _print(diagnosis: Diagnosis, limit: int) -> None:
    from bwb.pipeline.doctor import CODES
    from bwb.report.tables import table

    order = {code: number for number, code in enumerate(CODES)}
    findings = sorted(
        diagnosis.findings, key=lambda x: (x.severity != "error", order.get(x.code, len(order)))
    )
    if findings:
        shown = [[x.place, x.severity, x.code, x.message] for x in findings[:limit]]
        print(table(["place", "severity", "code", "found"], shown, indent=""))
        if (more := diagnosis.counts.total() - len(shown)) > 0:
            print(f"… and {more:,} more (--limit)")
        print()
    rows = [
        [
            code,
            diagnosis.counts[code, "error"] or None,
            diagnosis.counts[code, "warning"] or None,
            rule,
        ]
        for code, rule in CODES.items()
        if diagnosis.counts[code, "error"] or diagnosis.counts[code, "warning"]
    ]
    if rows:
        print(table(["code", "errors", "warnings", "expected"], rows, indent=""))
        print()
    total: Counter[str] = Counter()
    for (_, severity), count in diagnosis.counts.items():
        total[severity] += count
    print(
        f"{plural(diagnosis.documents, 'document')}, "
        f"{plural(diagnosis.sentences.total(), 'sentence')}: "
        f"{plural(total['error'], 'error')}, {plural(total['warning'], 'warning')}"
    )
