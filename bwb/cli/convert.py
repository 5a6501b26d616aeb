"""Convert annotations between formats.

Reads any corpus bwb reads, and brat, CoNLL-U and CoNLL-2012 files. What the new format has no
place for is counted on stderr; JSONL keeps everything.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.annotations.formats import FORMATS
from bwb.cli.common import note, note_findings, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from bwb.errors import Finding
    from bwb.records import Document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("input", type=Path, metavar="IN", help="file or folder")
    parser.add_argument("output", type=Path, metavar="OUT", help="file (jsonl) or folder")
    parser.add_argument("--to", required=True, choices=FORMATS, help="format of OUT")
    readable = [name for name, form in FORMATS.items() if form.read is not None]
    parser.add_argument(
        "--from", dest="source", choices=readable, help="format of IN (default: seen)"
    )
    parser.add_argument("--lenient", action="store_true", help="repair what can be repaired")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.annotations.loss import summarise
    from bwb.annotations.sources import read_documents, read_format
    from bwb.errors import UsageError

    target = FORMATS[args.to]
    if target.folder and args.output.is_file():
        raise UsageError(f"{args.output} is a file; {args.to} is written to a folder")
    if not target.folder and args.output.is_dir():
        raise UsageError(f"{args.output} is a folder; {args.to} is written to a file")
    findings: list[Finding] = []
    if args.source:
        documents = read_format(args.source, args.input)
    else:
        documents = read_documents(args.input, strict=not args.lenient, findings=findings)
    counted = _Counted(documents)
    losses = target.write(counted, args.output)
    note_findings(findings)
    lost = summarise(losses)
    if args.json:
        print_json(
            {
                "documents": counted.number,
                "format": args.to,
                "output": str(args.output),
                "lost": lost,
                "repaired": len(findings),
            }
        )
        return 0
    for what, count in lost.items():
        note(f"{args.to} has no place for {what}: {count:,} lost")
    print(f"{plural(counted.number, 'document')} -> {args.output} ({args.to})")
    return 0


class _Counted:
    """Passes documents on, with a progress bar, and counts them."""

    def __init__(self, documents: Iterator[Document]) -> None:
        self.documents = documents
        self.number = 0

    def __iter__(self) -> Iterator[Document]:
        from tqdm import tqdm

        for document in tqdm(self.documents, unit="doc", disable=not sys.stderr.isatty()):
            self.number += 1
            yield document
