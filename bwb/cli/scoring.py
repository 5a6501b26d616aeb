"""What `bwb score` and `bwb compare` share: their arguments, and loading what is scored."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli import blonde_options, plain_files
from bwb.cli.common import note, note_findings
from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from bwb.errors import Finding
    from bwb.metrics.base import Metric
    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs
    from bwb.records import Document


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
        "--reference",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="reference, plain or with inline tags; several for blonde",
    )
    files.add_argument(
        "--source", type=Path, metavar="FILE", help="source, plain or with inline tags"
    )
    files.add_argument(
        "--errors", type=Path, metavar="FILE", help="errors marked in an output (an.txt): BlonDe+"
    )
    files.add_argument(
        "--entities", type=Path, metavar="FILE", help="listed entities of the reference (ner_re)"
    )
    how = parser.add_argument_group("how")
    how.add_argument(
        "--metrics", metavar="A,B", help="see bwb metrics (default: all quick ones that fit)"
    )
    how.add_argument("--case", action="store_true", help="names must match in case")
    how.add_argument("--lemma", action="store_true", help="find names by their lemmas too")
    how.add_argument("--json", action="store_true", help="print JSON")
    blonde_options.add_arguments(parser)


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
    further: dict[str, list[tuple[str, ...]]] = {}
    if args.system or args.reference or args.source or args.errors or args.entities:
        documents, outputs, further = plain_files.read(args, findings)
        name = "+".join(path.name for path in args.reference)
    else:
        documents, outputs = _corpus(args, findings)
        name = args.data.resolve().name if args.data else "bwb-sample"
    note_findings(findings)
    metrics = _metrics(names, args, documents, further)
    data = data_fields(name, documents, args.split)
    quiet = not sys.stderr.isatty()
    with (
        tqdm(unit="sentence", desc="analysis", disable=quiet, leave=False) as analysis,
        tqdm(total=len(documents), unit="doc", disable=quiet, leave=False) as bar,
    ):
        scored = score_systems(
            documents, outputs, metrics, data=data, progress=bar.update, analysed=analysis.update
        )
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
    names: list[str] | None,
    args: argparse.Namespace,
    documents: list[Document],
    further: dict[str, list[tuple[str, ...]]],
) -> list[Metric]:
    """The metrics asked for, or else those that are quick and have what they need."""
    from bwb.metrics import METRICS, metric_class

    how = {"case": args.case, "lemma": args.lemma}
    choices: dict[str, dict[str, Any]] = dict.fromkeys(("entity", "terminology"), how)
    choices |= blonde_options.choices(args, names or (), further)
    made = [metric_class(name)(**choices.get(name, {})) for name in names or METRICS]
    if names is not None:
        return made
    fit = (m for m in made if not m.expensive)
    return [m for m in fit if any(m.lacks(document) is None for document in documents)]


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
