"""Score predicted sentence alignments against gold ones: strict and lax precision, recall, F1.

GOLD and PRED are JSONL files, an object a line with `id` and `gold` or `links` (lists like
[[[0, 1], [0]], [[2], []]]; `src` and `tgt`, the sentences, if there, tell what is in range), or
two text files of one link a line, like [0, 1]:[0]. The documents of both must be the same.

Strict: the identical link. Lax: a link that shares a sentence on both sides. Null links count for
precision and not for recall, as in Vecalign's scorer. A prediction whose links cross or share a
sentence is an error, unless --lenient; gold may cross.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.align.scoring import AlignmentScore, LinkScore
    from bwb.report.tables import Cell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("gold", type=Path, metavar="GOLD", help="gold links, .jsonl or links")
    parser.add_argument("pred", type=Path, metavar="PRED", help="predicted links, likewise")
    parser.add_argument("--lenient", action="store_true", help="score links that cross or overlap")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.align.linkrows import read_comparison
    from bwb.align.scoring import score_documents

    gold, pred = read_comparison(args.gold, args.pred, lenient=args.lenient)
    score = score_documents(gold, pred)
    if args.json:
        print_json(
            {
                "total": score.total.row(),
                "types": {name: of.row() for name, of in score.types.items()},
                "documents": {name: of.row() for name, of in score.documents.items()},
            }
        )
    else:
        _print(score)
    return 0


def _print(score: AlignmentScore) -> None:
    from bwb.report.tables import table

    header = ["", *(f"{k} {x}" for k in ("strict", "lax") for x in ("P", "R", "F1"))]
    header += ["predicted", "gold"]
    rows = [_row(name, of) for name, of in score.documents.items()]
    if len(rows) > 1:
        rows.append(_row("all documents", score.total))
    print(table(header, rows))
    print()
    print(table(["type", *header[1:]], [_row(name, of) for name, of in score.types.items()]))
    print(f"\n{plural(len(score.documents), 'document')}; precision counts null links, recall does")
    print("not, but for the rows of single types")


def _row(name: str, score: LinkScore) -> list[Cell]:
    cells: list[Cell] = [name]
    for kind in ("strict", "lax"):
        values = (score.precision.value(kind), score.recall.value(kind), score.f1(kind))
        cells += ["–" if value is None else f"{value:.3f}" for value in values]
    return [*cells, score.precision.links, score.recall.links]
