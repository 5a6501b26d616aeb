"""Read the authors' release of BWB in its own folder layout, and write documents as JSONL.

Chapters, named entities, errors with their spans, every system output, and the annotation layers
if --annotations names their folder (or the release holds BWB_annotation). The files are messy:
what was repaired is listed on stderr. Line counts must agree.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, note_findings, plural
from bwb.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from bwb.annotations.release import ReleaseReader
    from bwb.records import Document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="folder of the release")
    parser.add_argument("--annotations", type=Path, metavar="DIR", help="folder of annotations")
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSONL file (default: stdout)")
    parser.add_argument(
        "--keep-going", action="store_true", help="leave out chapters that cannot be read; exit 3"
    )
    parser.add_argument("--quiet", action="store_true", help="do not list the repairs")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.annotations.release import ReleaseReader
    from bwb.corpus import write_jsonl
    from bwb.schema import dumps

    reader = ReleaseReader(args.release, args.annotations)
    totals: Counter[str] = Counter()
    failed: list[str] = []
    documents = _documents(reader, totals, failed if args.keep_going else None)
    if args.out is None:
        for document in documents:
            print(dumps(document))
    else:
        write_jsonl(documents, args.out)
    if not args.quiet:
        note_findings(reader.findings, limit=200)
    counted = [
        plural(totals[thing], thing)
        for thing in ("document", "sentence", "mention", "quote", "system output", "error mark")
    ]
    repaired = sum(finding.repair is not None for finding in reader.findings)
    where = f" -> {args.out}" if args.out else ""
    note(f"{', '.join(counted)}; {plural(repaired, 'repair')}{where}")
    for message in failed:
        note(f"left out: {message}")
    return 3 if failed else 0


def _documents(
    reader: ReleaseReader, totals: Counter[str], failed: list[str] | None
) -> Iterator[Document]:
    """Read chapter by chapter; errors are noted in `failed`, or raised if that is None."""
    from tqdm import tqdm

    for chapter in tqdm(reader.chapters, unit="chapter", disable=not sys.stderr.isatty()):
        try:
            document = reader.document(*chapter)
        except InputError as error:
            if failed is None:
                raise
            failed.append(f"{chapter[0]}/{chapter[1]}: {error}")
            continue
        totals["document"] += 1
        totals["sentence"] += max(len(side.sentences) for side in document.sides)
        totals["mention"] += sum(len(side.mentions) for side in document.sides)
        totals["quote"] += sum(len(side.quotes) for side in document.sides)
        totals["system output"] += len(document.systems)
        totals["error mark"] += sum(len(output.errors or ()) for output in document.systems)
        yield document
