"""Map a system's output to the lines of the reference, in one language.

HYP.txt is the output, a whole document with or without line ends; REF.txt the reference, a
sentence a line. OUT.txt gets as many lines as REF.txt: what renders each sentence, and an empty
line where nothing does. Nothing of the output is lost: text without counterpart goes to the line
before, and is listed. So are sentences without counterpart, and lines that stand where they should
but have next to nothing in common with the reference. In --json, lines are counted from 0, and
offsets are half-open ranges of code points of HYP.txt.

--backend mweralign uses that program's segmentation by word error rate instead, if you have
installed it (GPL-3.0); it lists nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("hyp", type=Path, metavar="HYP.txt", help="the output")
    parser.add_argument("ref", type=Path, metavar="REF.txt", help="the reference")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.txt", help="where to write")
    parser.add_argument("--backend", choices=("own", "mweralign"), default="own")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.align.realign import realign
    from bwb.textio import read_lines, read_text, replacing

    output, _ = read_text(args.hyp)
    reference, _ = read_lines(args.ref)
    lines: Sequence[str]
    body: dict[str, Any] = {"backend": args.backend}
    if args.backend == "own":
        found = realign(output, reference)
        lines = found.lines
        body["missing"] = list(found.missing)
        for name, pieces in (("additions", found.additions), ("doubtful", found.doubtful)):
            body[name] = [
                {
                    "start": p.start,
                    "end": p.end,
                    "line": p.sentence,
                    "text": output[p.start : p.end],
                }
                for p in pieces
            ]
        scores = {p.sentence: p.score for p in found.pieces if not p.added}
        body["scores"] = [scores.get(k) for k in range(len(lines))]
    else:
        from bwb.align.realign_mwer import realign_mwer

        lines = realign_mwer(output, reference)
    with replacing(args.out) as file:
        file.writelines(f"{line}\n" for line in lines)
    body["lines"] = len(lines)
    body["empty"] = sum(not line for line in lines)
    if args.json:
        print_json(body)
    else:
        _print(args.out, body, reference)
    return 0


def _print(path: Path, body: dict[str, Any], reference: Sequence[str]) -> None:
    print(f"{path}: {plural(body['lines'], 'line')}, {body['empty']} of them empty")
    if "missing" not in body:
        note("mweralign does not say what is missing or added")
        return
    for title, rows in (
        ("without counterpart in the output", [(k, reference[k]) for k in body["missing"]]),
        (
            "added, not in the reference; on the line of",
            [(a["line"], " ".join(a["text"].split())) for a in body["additions"]],
        ),
        (
            "doubtful, next to nothing in common with the reference's line",
            [(a["line"], " ".join(a["text"].split())) for a in body["doubtful"]],
        ),
    ):
        if rows:
            print(f"\n{title}:")
        for line, text in rows:
            print(f"  {line + 1:>5}  {text}")
