"""Check an alignment by hand: draw documents, mark the sheet, read it, apply the corrections.

    bwb align-audit draw DOCUMENTS.jsonl --documents 20 --seed 1 --out sheet.csv
    bwb align-audit read sheet.csv
    bwb align-audit apply sheet.csv DOCUMENTS.jsonl --out corrected.jsonl

The sheet has a link a row. Write ok or wrong into `mark`; for a wrong link give, if you can, the
numbers of the sentences that belong together in `right zh` and `right en` (3 4 or 3-5; several
links with semicolons, as 3; 4; a dash for no counterpart). A sheet with the suffix .html is a page
that does the same in a browser and saves the .csv. `read` prints the share of right links with two
95 % intervals: resampled documents, and Wilson's over links as if they were independent.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.align.audit import Audit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    draw = steps.add_parser("draw", help="draw documents and write a sheet")
    draw.add_argument("documents_file", type=Path, metavar="DOCUMENTS.jsonl", help="documents")
    draw.add_argument("--documents", type=int, required=True, metavar="N", help="how many to draw")
    draw.add_argument("--seed", type=int, default=0, help="seed of the draw (default 0)")
    draw.add_argument("--out", type=Path, required=True, metavar="SHEET", help=".csv or .html")
    read = steps.add_parser("read", help="accuracy from a marked sheet")
    read.add_argument("sheet", type=Path, metavar="SHEET.csv", help="the marked sheet")
    read.add_argument("--resamples", type=int, default=10_000, help="default 10,000")
    read.add_argument("--seed", type=int, default=12345, help="seed of the resamples")
    put = steps.add_parser("apply", help="write documents with the corrected links")
    put.add_argument("sheet", type=Path, metavar="SHEET.csv", help="the marked sheet")
    put.add_argument("documents_file", type=Path, metavar="DOCUMENTS.jsonl", help="all documents")
    put.add_argument("--out", type=Path, required=True, metavar="OUT.jsonl", help="corrected ones")
    for step in (draw, read, put):
        step.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    steps = {"draw": _draw, "read": _read, "apply": _apply}
    return steps[args.step](args)


def _draw(args: argparse.Namespace) -> int:
    from bwb.align.audit import draw
    from bwb.align.audit_page import write_page
    from bwb.align.audit_sheet import write_csv
    from bwb.corpus import read_jsonl
    from bwb.errors import UsageError

    writers = {".csv": write_csv, ".html": write_page}
    if args.out.suffix not in writers:
        raise UsageError(f"--out {args.out}: expected a name that ends in .csv or .html")
    drawn = draw(read_jsonl(args.documents_file), args.documents, args.seed)
    links = writers[args.out.suffix](drawn, args.out)
    if args.json:
        names = [document.id for document in drawn]
        print_json({"documents": names, "links": links, "sheet": str(args.out)})
    else:
        print(f"{args.out}: {plural(len(drawn), 'document')}, {plural(links, 'link')} to mark")
    return 0


def _read(args: argparse.Namespace) -> int:
    from bwb.align.audit import audit
    from bwb.align.audit_sheet import read_sheet

    found = audit(read_sheet(args.sheet), resamples=args.resamples, seed=args.seed)
    if found.unmarked:
        note(f"{plural(found.unmarked, 'link')} not marked and not counted")
    if args.json:
        print_json(asdict(found))
    else:
        _print(found)
    return 0


def _print(found: Audit) -> None:
    from bwb.report.tables import percent, table

    def between(ends: tuple[float, float] | None) -> str:
        return "–" if ends is None else f"{percent(ends[0])} – {percent(ends[1])}"

    rows = [
        ["documents", f"{found.documents:,}"],
        ["links marked", f"{found.links:,}"],
        ["right", f"{found.ok:,}"],
        ["alignment accuracy, %", percent(found.accuracy)],
        ["95 %, resampled documents", between(found.bootstrap)],
        ["95 %, Wilson over links", between(found.wilson)],
        ["links corrected", f"{found.corrected:,}"],
        ["lines corrected", f"{found.lines_corrected:,} of {found.lines:,}"],
    ]
    print(table(["audit", ""], rows))


def _apply(args: argparse.Namespace) -> int:
    from bwb.align.audit import apply
    from bwb.align.audit_sheet import read_sheet
    from bwb.corpus import read_jsonl, write_jsonl

    rows = read_sheet(args.sheet)
    written = write_jsonl(apply(read_jsonl(args.documents_file), rows), args.out)
    fixed = [row for row in rows if row.right]
    left = sum(row.ok is False and not row.right for row in rows)
    if left:
        note(f"{plural(left, 'wrong link')} without a correction left as they were")
    touched = len({row.document for row in fixed})
    if args.json:
        body = {"documents": written, "documents_corrected": touched, "links_corrected": len(fixed)}
        print_json({**body, "wrong_not_corrected": left})
    else:
        print(
            f"{args.out}: {plural(written, 'document')}, {plural(len(fixed), 'link')} corrected "
            f"in {plural(touched, 'document')}"
        )
    return 0
