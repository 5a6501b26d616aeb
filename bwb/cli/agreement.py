"""Compare two annotations of the same text, layer by layer and language by language.

The measures are those of the BWB paper's Table 3. The first annotation is the key; documents that
only the first has are left out.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note_findings, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.errors import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", type=Path, help="corpus by the first annotator")
    parser.add_argument("second", type=Path, help="corpus by the second annotator")
    parser.add_argument("--lenient", action="store_true", help="repair what can be repaired")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.annotations.agreement import agreement, pair_documents
    from bwb.annotations.sources import read_documents
    from bwb.report.tables import percent, table

    findings: list[Finding] = []
    strict = not args.lenient
    pairs = pair_documents(
        read_documents(args.first, strict=strict, findings=findings),
        read_documents(args.second, strict=strict, findings=findings),
    )
    note_findings(findings)
    rows = agreement(pairs)
    documents = [document.id for document, _ in pairs]
    if args.json:
        print_json({"documents": documents, "agreement": [asdict(row) for row in rows]})
        return 0
    header = ["lang", "layer", "F1 %", "precision %", "recall %", "first", "second", "both"]
    body = [
        [
            row.lang,
            "coreference (CoNLL)" if row.measure == "coreference" else row.measure,
            *(percent(value) for value in (row.f1, row.precision, row.recall)),
            row.first,
            row.second,
            row.both,
        ]
        for row in rows
    ]
    print(f"{plural(len(documents), 'document')}: {', '.join(documents)}")
    print(table(header, body))
    return 0
