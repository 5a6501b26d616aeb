"""Score one system by BlonDe, with the options and the output of the package `blonde`.

  bwb blonde -r ref.txt -s sys.txt
  bwb blonde -r ref.txt -s sys.txt -p -an an.txt            BlonDe+
  bwb blonde -r ref.txt ref2.txt -s sys.txt --variant paper

A file is one document, a sentence a line. Numbers are those of blonde 0.1.4 unless --variant says
otherwise; `bwb score --metrics blonde` scores corpora, with counts and what was missed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, note_findings, print_json
from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse

# Option -> category whose classes it weighs.
_WEIGHTS = {"wt": "tense", "wp": "pronoun", "we": "entity", "wd": "dm", "wn": "n-gram"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "-r", "--reference", type=Path, nargs="+", required=True, metavar="FILE", help="references"
    )
    parser.add_argument("-s", "--system", type=Path, required=True, metavar="FILE", help="system")
    parser.add_argument("-p", "--plus", action="store_true", help="BlonDe+; needs -an")
    parser.add_argument("-an", "--annotation", type=Path, metavar="FILE", help="marked errors")
    parser.add_argument("-ner", "--ner-refined", type=Path, metavar="FILE", help="listed entities")
    parser.add_argument("-c", "--categories", nargs="+", metavar="NAME", help="only these")
    parser.add_argument(
        "-aver", "--average-method", default="geometric", help="geometric (default), arithmetic"
    )
    parser.add_argument(
        "-sm", "--smooth-method", default="exp", help="exp (default), floor, add-k, none"
    )
    parser.add_argument("-sv", "--smooth-value", type=float, help="for floor and add-k")
    parser.add_argument("-eo", "--effective-order", action="store_true", help="see the package")
    parser.add_argument(
        "-lc",
        "--lowercase",
        default="True",
        metavar="TEXT",
        help="any text: lower case (default), also 'False'; an empty one: mixed case",
    )
    parser.add_argument("-rw", "--reweight", action="store_true", help="let weights sum to 1")
    parser.add_argument(
        "-w", "--override-weights", action="store_true", help="accepted; weights count if given"
    )
    for option, category in _WEIGHTS.items():
        parser.add_argument(
            f"-{option}", type=float, nargs="+", metavar="W", help=f"weights within {category}"
        )
    parser.add_argument("--variant", default="blonde-0.1.4", help="blonde-0.1.4 (default), paper")
    parser.add_argument(
        "--all-references",
        action="store_true",
        help="use every reference in blonde-0.1.4 too, whose command line reads the first only",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    import warnings

    from bwb.metrics.blonde_compat import BLONDE

    if args.plus and args.annotation is None:
        raise UsageError("-p counts ambiguity and ellipsis, and needs marked errors: -an FILE")
    if args.annotation and not args.plus:
        note("-an has no effect without -p")
    if args.lowercase.lower() in {"false", "no", "0"}:
        note(
            f"-lc {args.lowercase}: any text means lower case, as in blonde 0.1.4; -lc '' does not"
        )
    references = args.reference
    if len(references) > 1 and args.variant != "paper" and not args.all_references:
        ignored = ", ".join(map(str, references[1:]))
        note(f"only the first reference is read, as in blonde 0.1.4 (--all-references): {ignored}")
        references = references[:1]
    weights = {name: found for option, name in _WEIGHTS.items() if (found := getattr(args, option))}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        scorer = BLONDE(
            references=[[_lines(path)] for path in references],
            annotation=[_lines(args.annotation)] if args.annotation and args.plus else None,
            ner_refined=[_lines(args.ner_refined)] if args.ner_refined else None,
            categories=args.categories,
            plus_categories=("ambiguity", "ellipsis") if args.plus else None,
            weights=weights,
            weight_normalize=args.reweight,
            average_method=args.average_method,
            smooth_method=args.smooth_method,
            smooth_value=args.smooth_value,
            effective_order=args.effective_order,
            lowercase=bool(args.lowercase),
            variant=args.variant,
        )
        score = scorer.corpus_score([_lines(args.system)])
    for warning in caught:
        note(str(warning.message))
    note_findings(scorer.findings)
    if args.json:
        print_json(_json(score))
    else:
        print(score)
    return 0


def _lines(path: Path) -> list[str]:
    from bwb.textio import read_lines

    lines, findings = read_lines(path)
    note_findings(findings)
    return [line.strip() for line in lines]


def _json(score: Any) -> dict[str, Any]:  # noqa: ANN401 - a BlondeScore, whose module is heavy
    def value(number: float) -> float | None:
        return None if number != number else number

    return {
        "R": value(score.R),
        "P": value(score.P),
        "F1": value(score.F1),
        "detail": {
            title: {name: value(number) for name, number in values.items()}
            for title, values in score.detail.items()
        },
        "signature": score.signature,
    }
