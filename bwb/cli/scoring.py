"""What `bwb score` and `bwb compare` share: their arguments, and loading what is scored."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, note_findings
from bwb.errors import UsageError
from bwb.records import Side

if TYPE_CHECKING:
    import argparse

    from bwb.errors import Finding
    from bwb.metrics.base import Metric
    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs
    from bwb.records import Document, Lang


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that say what is scored."""
    corpus = parser.add_argument_group("systems on a corpus")
    corpus.add_argument(
        "--systems",
        nargs="+",
        action="extend",
        default=[],
        metavar="[NAME=]PATH",
        help="outputs: a folder with a file a document, a folder of such folders, JSONL, or the "
        "release's folders (default: the outputs that the corpus carries)",
    )
    corpus.add_argument(
        "--data", type=Path, metavar="PATH", help="any corpus bwb reads (default: the sample)"
    )
    corpus.add_argument("--split", choices=("train", "validation", "test"), help="only this split")
    corpus.add_argument("--lenient", action="store_true", help="repair a corpus that is messy")
    files = parser.add_argument_group("plain files, line by line")
    files.add_argument(
        "--system", action="append", default=[], metavar="[NAME=]FILE", help="output of a system"
    )
    files.add_argument(
        "--reference", type=Path, metavar="FILE", help="reference, plain or with inline tags"
    )
    files.add_argument(
        "--source", type=Path, metavar="FILE", help="source, plain or with inline tags"
    )
    how = parser.add_argument_group("how")
    how.add_argument("--metrics", metavar="A,B", help="see bwb metrics (default: all that fit)")
    how.add_argument("--case", action="store_true", help="names must match in case")
    how.add_argument("--lemma", action="store_true", help="find names by their lemmas too")
    how.add_argument("--json", action="store_true", help="print JSON")


def score(args: argparse.Namespace) -> list[Scored]:
    """Load what the arguments name and count it.

    Raises:
        UsageError: if they do not go together.
        InputError: if something cannot be read or does not fit.
    """
    from tqdm import tqdm

    from bwb.metrics.scoring import data_fields, score_systems

    names = _metric_names(args)
    findings: list[Finding] = []
    if args.system or args.reference or args.source:
        documents, outputs = _plain(args, findings)
        name = str(args.reference.name)
    else:
        documents, outputs = _corpus(args, findings)
        name = args.data.resolve().name if args.data else "bwb-sample"
    note_findings(findings)
    metrics = _metrics(names, args, documents)
    data = data_fields(name, documents, args.split)
    bar = tqdm(total=len(documents), unit="doc", disable=not sys.stderr.isatty(), leave=False)
    with bar:
        scored = score_systems(documents, outputs, metrics, data=data, progress=bar.update)
    for row in scored:
        if row.left_out:
            first, lack = next(iter(row.left_out.items()))
            note(f"{row.metric.name}: {len(row.left_out)} documents left out ({first}: {lack}, …)")
    return scored


def _metric_names(args: argparse.Namespace) -> list[str] | None:
    """The metrics that were asked for, each known; None if none were."""
    from bwb.metrics import metric_class

    if args.metrics is None:
        return None
    names = [name.strip() for name in args.metrics.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise UsageError(f"--metrics {args.metrics!r}: expected names, each once")
    for name in names:
        metric_class(name)
    return names


def _metrics(
    names: list[str] | None, args: argparse.Namespace, documents: list[Document]
) -> list[Metric]:
    """The metrics asked for, or else those that the documents have annotations for."""
    from bwb.metrics import METRICS, metric_class

    naming = {"case": args.case, "lemma": args.lemma}
    made = [
        metric_class(name)(**naming) if name in {"entity", "terminology"} else metric_class(name)()
        for name in names or METRICS
    ]
    if names is not None:
        return made
    return [m for m in made if any(m.lacks(document) is None for document in documents)]


def _corpus(args: argparse.Namespace, findings: list[Finding]) -> tuple[list[Document], Outputs]:
    from bwb.annotations.sources import read_documents
    from bwb.errors import InputError
    from bwb.metrics.systems import embedded_outputs, read_outputs

    strict = not args.lenient
    documents = list(read_documents(args.data, strict=strict, findings=findings))
    if args.split:
        documents = [document for document in documents if document.split == args.split]
        if not documents:
            raise InputError(f"{args.data or 'the sample'} has no documents of split {args.split}")
    if args.systems:
        return documents, read_outputs(args.systems, documents, findings)
    return documents, embedded_outputs(documents)


def _plain(args: argparse.Namespace, findings: list[Finding]) -> tuple[list[Document], Outputs]:
    from bwb.annotations.assemble import assemble
    from bwb.metrics.systems import read_outputs

    if args.systems or args.data or args.split:
        raise UsageError("--system, --reference and --source do not go with --systems or --data")
    if not args.system or not args.reference:
        raise UsageError("plain files need --system and --reference")
    en = _side(args.reference, "en", findings)
    zh = _side(args.source, "zh", findings) if args.source else None
    documents = [assemble(args.reference.name.split(".")[0], "", "", zh, en)]
    return documents, read_outputs(args.system, documents, findings)


def _side(path: Path, lang: Lang, findings: list[Finding]) -> Side:
    from bwb.annotations.inline import read_inline
    from bwb.annotations.inline_grammar import looks_annotated
    from bwb.textio import read_lines

    lines, repairs = read_lines(path)
    findings += repairs
    if not looks_annotated(lines):
        return Side(lang, tuple(lines))
    side, repairs = read_inline(lines, lang, file=str(path), strict=False)
    findings += repairs
    return side
