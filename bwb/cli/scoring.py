"""What `bwb score` and `bwb compare` share: their arguments, and loading what is scored."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli import (
    blonde_options,
    metric_choices,
    neural_options,
    ngram_options,
    plain_documents,
    plain_files,
)
from bwb.cli.common import note, note_findings
from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from bwb.cli.plain_files import Further
    from bwb.errors import Finding
    from bwb.metrics.base import Metric
    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

# Name of the reference where it is scored as one more system.
REFERENCE = "reference"


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
    files = parser.add_argument_group("plain files, line by line, or of documents")
    files.add_argument(
        "--system", action="append", default=[], metavar="[NAME=]FILE", help="output of a system"
    )
    files.add_argument(
        "--reference",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="reference, plain or with inline tags; several for blonde and metrics of n-grams",
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
    plain_documents.add_arguments(parser)
    how = parser.add_argument_group("how")
    how.add_argument(
        "--metrics",
        metavar="A,B",
        help="see bwb metrics; default: all quick ones that fit; all-offline: all that fit and "
        "need no download",
    )
    how.add_argument(
        "--unit",
        choices=("sentence", "document"),
        default="sentence",
        help="what stands side by side: sentences (default), or only documents",
    )
    how.add_argument("--case", action="store_true", help="names must match in case")
    how.add_argument("--lemma", action="store_true", help="find names by their lemmas too")
    how.add_argument(
        "--with-reference",
        action="store_true",
        help="score the reference too, as one more system: what can be reached",
    )
    how.add_argument("--json", action="store_true", help="print JSON")
    metric_choices.add_arguments(how)
    ngram_options.add_arguments(parser)
    blonde_options.add_arguments(parser)
    neural_options.add_arguments(parser)


def score(
    args: argparse.Namespace,
    keep: Callable[[list[Document], Outputs], object] | None = None,
) -> list[Scored]:
    """Load what the arguments name and count it.

    Args:
        args: The arguments.
        keep: Called with the documents and outputs that are scored.

    Raises:
        UsageError: if they do not go together.
        InputError: if something cannot be read or does not fit.
    """
    from tqdm import tqdm

    from bwb.metrics.scoring import data_fields, score_systems

    names, grouped = _metric_names(args)
    findings: list[Finding] = []
    documents, outputs, further, name = read(args, findings)
    note_findings(findings)
    if args.with_reference:
        outputs = _with_reference(documents, outputs)
    metrics = _metrics(names, grouped, args, documents, further)
    data = data_fields(name, documents, args.split)
    if args.unit == "document":
        data["unit"] = args.unit
    if keep is not None:
        keep(documents, outputs)
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


def _with_reference(documents: list[Document], outputs: Outputs) -> Outputs:
    """The systems, and the references as one more."""
    if REFERENCE in outputs:
        raise UsageError(f"there is a system called {REFERENCE!r}: rename it for --with-reference")
    texts = {d.id: d.en.sentences for d in documents if d.en is not None}
    if lacking := [document.id for document in documents if document.id not in texts]:
        raise InputError(f"--with-reference: {lacking[0]} has no English reference")
    return {**outputs, REFERENCE: texts}


def _metric_names(args: argparse.Namespace) -> tuple[list[str], set[str]]:
    """The metrics asked for, each known, and those among them that only a group stands for."""
    from bwb.metrics import GROUPS, group, metric_class

    asked = [name.strip() for name in (args.metrics or "default").split(",") if name.strip()]
    if not asked or len(set(asked)) < len(asked):
        raise UsageError(f"--metrics {args.metrics!r}: expected names, each once")
    names: dict[str, bool] = {}
    for name in asked:
        if name in GROUPS:
            for member in group(name, args.unit):
                names.setdefault(member, True)
        else:
            metric_class(name)
            names[name] = False
    return list(names), {name for name, grouped in names.items() if grouped}


def _metrics(
    names: list[str],
    grouped: set[str],
    args: argparse.Namespace,
    documents: list[Document],
    further: Further,
) -> list[Metric]:
    """The metrics of these names; of a group, those that have what they need.

    Raises:
        UsageError: if a metric was asked for by name that does not work on the unit.
        InputError: if a group has none that fits.
    """
    from bwb.metrics import metric_class

    how = {"case": args.case, "lemma": args.lemma}
    choices: dict[str, dict[str, Any]] = dict.fromkeys(("entity", "terminology"), how)
    # What was asked for, to refuse an option that none of it has: nothing by the default metrics.
    asked = names if args.metrics or args.unit == "document" else ()
    choices |= blonde_options.choices(args, asked, further)
    choices |= ngram_options.choices(args, names, documents, further)
    choices |= neural_options.choices(args, asked)
    for name, chosen in metric_choices.choices(args, names).items():
        choices[name] = {**choices.get(name, {}), **chosen}
    fit = []
    left_out: dict[str, list[str]] = {}
    for name in names:
        metric = metric_class(name)(**choices.get(name, {}))
        lack = _lack(metric, args.unit, documents)
        if name not in grouped and args.unit not in metric.units:
            raise UsageError(f"{name}: {lack}; --unit document has neither")
        if name not in grouped or lack is None:
            fit.append(metric)
        else:
            left_out.setdefault(lack, []).append(name)
    if args.metrics:
        for lack, those in left_out.items():
            note(f"left out: {', '.join(those)} ({lack})")
    if not fit:
        raise InputError("no metric fits these texts; see bwb metrics for what each needs")
    return fit


def _lack(metric: Metric, unit: str, documents: list[Document]) -> str | None:
    """What the texts lack that a metric needs; None if some document has all of it."""
    if unit not in metric.units:
        return "needs sentences that stand side by side, or annotations"
    lacks = [metric.lacks(document) for document in documents]
    return None if None in lacks else lacks[0]


def read(
    args: argparse.Namespace, findings: list[Finding]
) -> tuple[list[Document], Outputs, Further, str]:
    """Documents, outputs, further references, and a name for the data."""
    if plain_documents.wanted(args):
        return *plain_documents.read(args, findings), _joined_names(args)
    if args.system or args.reference or args.source or args.errors or args.entities:
        return *plain_files.read(args, findings), _joined_names(args)
    documents, outputs = read_corpus(args, findings)
    if args.unit == "document":
        from bwb.metrics.systems import check_outputs
        from bwb.metrics.units import joined

        check_outputs(outputs, documents)
        documents, outputs = joined(documents, outputs)
    return documents, outputs, {}, args.data.resolve().name if args.data else "bwb-sample"


def _joined_names(args: argparse.Namespace) -> str:
    return "+".join(path.name for path in args.reference)


def read_corpus(
    args: argparse.Namespace, findings: list[Finding]
) -> tuple[list[Document], Outputs]:
    """The documents and outputs that the arguments name, if they name no plain files.

    Raises:
        InputError: if something cannot be read or does not fit.
    """
    from bwb.annotations.sources import read_documents
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
