"""Print the tables and figures of the BWB paper, for any annotated corpus and any systems.

  bwb paper                                    everything, on the sample and its three systems
  bwb paper CORPUS --systems mine=outputs/     another corpus, other systems
  bwb paper --table 7 --figure 5 --figure 6    some of it
  bwb paper --figure 7 --edges 0,.5,.7,1 --over blonde,bleu
  bwb paper CORPUS --second SECOND --audit SHEET.csv --json

What cannot be computed is named, with the reason. Scores are fractions in JSON and percent in the
tables; brackets hold 95% bootstrap intervals over documents, which one document does not have. If
the corpus is the paper's annotated test set, or a part of it, what the paper prints stands beside.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, note_findings, plural, print_json
from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from bwb.errors import Finding
    from bwb.metrics.systems import Outputs
    from bwb.records import Document
    from bwb.report.paper import Context

_TABLES = ("1", "3", "4", "5", "6", "7", "8", "9")
_FIGURES = ("2", "3", "5", "6", "7")
# What is neither a numbered table nor a figure, and its item.
_PARTS = {"quotes": "quotes", "alignment": "appendix-d", "human": "human"}
# Intervals from fewer documents are too narrow.
_FEW = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "corpus", nargs="?", type=Path, help="any corpus bwb reads (default: the sample)"
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        action="extend",
        default=[],
        metavar="[NAME=]PATH",
        help="outputs, as in bwb score (default: those that the corpus carries)",
    )
    parser.add_argument("--lenient", action="store_true", help="repair a corpus that is messy")
    parser.add_argument("--split", choices=("train", "validation", "test"), help="only this split")
    parser.add_argument("--second", type=Path, metavar="PATH", help="a second annotation: Table 3")
    parser.add_argument(
        "--audit", type=Path, metavar="SHEET.csv", help="a sheet of bwb align-audit: appendix D"
    )
    some = parser.add_argument_group("only some of it")
    some.add_argument("--table", action="append", choices=_TABLES, default=[], metavar="N")
    some.add_argument("--figure", action="append", choices=_FIGURES, default=[], metavar="N")
    some.add_argument(
        "--part", action="append", choices=tuple(_PARTS), default=[], help="what has no number"
    )
    figure = parser.add_argument_group("Figure 7")
    figure.add_argument("--over", default="blonde", metavar="A,B", help="metrics (default blonde)")
    figure.add_argument("--bins", type=int, default=4, metavar="N", help="quantiles (default 4)")
    figure.add_argument("--edges", metavar="A,B,C", help="edges of the bins, instead of --bins")
    parser.add_argument(
        "--resamples", type=int, default=2_000, metavar="N", help="for intervals (default 2000)"
    )
    parser.add_argument("--seed", type=int, default=12345, help="of the resamples (default 12345)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tqdm import tqdm

    from bwb.report.paper import paper_tables
    from bwb.report.paper_values import paper_values

    items = _items(args)
    context = _context(args)
    made = paper_tables(context, items)
    bar = tqdm(made, total=len(items), disable=not sys.stderr.isatty(), leave=False, unit="table")
    tables = list(bar)
    if len(context.documents) < 2:
        note("one document: there are no intervals")
    elif len(context.documents) < _FEW:
        note(f"{len(context.documents)} documents are few; such intervals are too narrow")
    if args.json:
        print_json(
            {
                "corpus": _name(args),
                "documents": len(context.documents),
                "systems": list(context.outputs),
                "paper_corpus": paper_values().share(context.documents),
                "resamples": args.resamples,
                "seed": args.seed,
                "tables": [table.to_json() for table in tables],
            }
        )
        return 0
    systems = ", ".join(context.outputs) or "none"
    print(f"{_name(args)}: {plural(len(context.documents), 'document')}; systems: {systems}")
    for table in tables:
        print(f"\n{table.to_text()}")
    return 0


def _items(args: argparse.Namespace) -> tuple[str, ...]:
    """The items asked for; all if none was."""
    from bwb.report.paper import ITEMS

    wanted = {f"table-{n}" for n in args.table} | {f"figure-{n}" for n in args.figure}
    wanted |= {_PARTS[name] for name in args.part}
    if "figure-3" in wanted:
        wanted.add("figure-3-series")
    return tuple(item for item in ITEMS if item in wanted) or ITEMS


def _name(args: argparse.Namespace) -> str:
    return args.corpus.resolve().name if args.corpus else "bwb-sample"


def _context(args: argparse.Namespace) -> Context:
    """Read what the arguments name.

    Raises:
        UsageError: if they make no sense.
        InputError: if something cannot be read or does not fit.
    """
    from bwb.annotations.sources import read_documents
    from bwb.metrics.scoring import data_fields
    from bwb.report.paper import Context, make_metric

    over = tuple(name.strip() for name in args.over.split(",") if name.strip())
    for name in over:
        make_metric(name)
    if args.resamples < 1:
        raise UsageError(f"--resamples {args.resamples}; expected 1 or more")
    findings: list[Finding] = []
    strict = not args.lenient
    documents = list(read_documents(args.corpus, strict=strict, findings=findings))
    second = None
    if (path := args.second or _second(args.corpus)) is not None:
        second = list(read_documents(path, strict=strict, findings=findings))
    if args.split:
        documents = [document for document in documents if document.split == args.split]
        kept = {document.id for document in documents}
        second = [document for document in second or () if document.id in kept] or None
    outputs = _outputs(args, documents, findings)
    note_findings(findings)
    return Context(
        documents,
        outputs,
        second,
        args.audit,
        over=over,
        edges=_edges(args.edges),
        bins=args.bins,
        resamples=args.resamples,
        seed=args.seed,
        data=data_fields(_name(args), documents, args.split),
    )


def _outputs(
    args: argparse.Namespace, documents: list[Document], findings: list[Finding]
) -> Outputs:
    from bwb.metrics.systems import embedded_outputs, read_outputs

    if args.systems:
        return read_outputs(args.systems, documents, findings)
    return embedded_outputs(documents)


def _second(corpus: Path | None) -> Path | None:
    """The second annotation that an annotated folder, such as the sample, holds itself."""
    from bwb.annotations.corpus_folder import is_corpus_folder
    from bwb.assets import sample

    folder = corpus or sample()
    path = folder / "second"
    return path if is_corpus_folder(folder) and path.is_dir() else None


def _edges(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--edges {text!r}: expected numbers, such as 0,.5,1") from None
