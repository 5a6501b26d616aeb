"""Show documents as a page: both sides, coreference chains, systems and what they get wrong.

  bwb view                                       the sample and its three systems
  bwb view lantern-ferry/1                       a document; or a book, or a split
  bwb view test --data corpus/ --systems mine=outputs/ --out page.html

The page is one file that needs no network; its path is printed. Tense is told by the English model;
--no-tense leaves that out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import done, note, note_findings, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.analysis.base import Analyser
    from bwb.errors import Finding
    from bwb.metrics.systems import Outputs
    from bwb.records import Document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what", nargs="?", metavar="DOCUMENT|SPLIT", help="a document, book or split (default: all)"
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        action="extend",
        default=[],
        metavar="[NAME=]PATH",
        help="outputs, as in bwb score (default: those that the corpus carries)",
    )
    parser.add_argument(
        "--data", type=Path, metavar="PATH", help="any corpus bwb reads (default: the sample)"
    )
    parser.add_argument("--lenient", action="store_true", help="repair a corpus that is messy")
    parser.add_argument(
        "--no-tense", action="store_true", help="do not analyse sentences for their tense"
    )
    parser.add_argument(
        "--out", type=Path, metavar="PAGE.html", help="where to write (default: bwb-view.html)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tqdm import tqdm

    from bwb.report.view import write_view

    documents, outputs = _load(args)
    analyser = None if args.no_tense or not outputs else _analyser()
    out: Path = args.out or Path("bwb-view.html")
    name = args.data.resolve().name if args.data else "bwb-sample"
    title = f"{name}: {args.what}" if args.what else name
    quiet = not sys.stderr.isatty()
    with tqdm(total=len(documents), unit="doc", disable=quiet, leave=False) as bar:
        size = write_view(
            out, documents, outputs, title=title, analyser=analyser, progress=bar.update
        )
    if args.json:
        body = {
            "page": str(out),
            "bytes": size,
            "documents": [document.id for document in documents],
            "systems": list(outputs),
        }
        print_json(body)
    else:
        print(out)
        done(f"page in {out}; open it in a browser")
    return 0


def _load(args: argparse.Namespace) -> tuple[list[Document], Outputs]:
    from bwb.annotations.sources import read_documents
    from bwb.metrics.systems import embedded_outputs, read_outputs

    findings: list[Finding] = []
    documents = list(read_documents(args.data, strict=not args.lenient, findings=findings))
    every = read_outputs(args.systems, documents, findings) if args.systems else None
    note_findings(findings)
    chosen = _chosen(documents, args.what) if args.what else documents
    outputs = every if every is not None else embedded_outputs(chosen)
    return chosen, outputs


def _chosen(documents: list[Document], what: str) -> list[Document]:
    from bwb.errors import UnknownNameError

    for found in (
        [document for document in documents if document.id == what],
        [document for document in documents if document.book == what],
        [document for document in documents if document.split == what],
    ):
        if found:
            return found
    known = {name for d in documents for name in (d.id, d.book, d.split) if name is not None}
    raise UnknownNameError("document, book or split", what, known)


def _analyser() -> Analyser | None:
    """What tells the tense of verbs; None, and a note, if there is no model."""
    from bwb.analysis.english import english, model_package
    from bwb.errors import MissingDependencyError

    try:
        model_package()
    except MissingDependencyError as error:
        note(f"tense is left out: {error}")
        return None
    return english()
