"""The options of the metrics that count n-grams, for `bwb score` and `bwb compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.cli.common import note
from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from bwb.records import Document

_TOKENISED = ("bleu", "dbleu", "avgbleu", "tbleu")
NAMES = (*_TOKENISED, "chrf")
_SERVES = {"--tokenize": _TOKENISED, "--epsilon": ("tbleu",), "--word-order": ("chrf",)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group("n-grams (--metrics bleu,dbleu,avgbleu,tbleu,chrf)")
    group.add_argument(
        "--tokenize",
        metavar="NAME",
        help="13a, zh, intl, char or none, as in sacrebleu (default: zh if the references are "
        "Chinese, else 13a)",
    )
    group.add_argument(
        "--epsilon",
        type=float,
        metavar="E",
        help="tbleu: the greatest distance at which a word is corrected (default 0.05)",
    )
    group.add_argument(
        "--word-order", type=int, metavar="N", help="chrf: 2 makes it chrF++ (default 0)"
    )


def choices(
    args: argparse.Namespace,
    names: Sequence[str],
    documents: Sequence[Document],
    further: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """What to make each of these metrics with, by its name.

    Raises:
        UsageError: if something was chosen that none of the metrics asked for has.
    """
    given = {
        "--tokenize": args.tokenize,
        "--epsilon": args.epsilon,
        "--word-order": args.word_order,
    }
    for option, value in given.items():
        if value is not None and not set(_SERVES[option]) & set(names):
            raise UsageError(f"{option} is for --metrics {', '.join(_SERVES[option])}")
    shared = {"lowercase": args.lowercase, "references": further}
    made: dict[str, dict[str, Any]] = {name: dict(shared) for name in NAMES}
    if set(_TOKENISED) & set(names):
        name = args.tokenize or _tokenizer(documents)
        for metric in _TOKENISED:
            made[metric]["tokenize"] = name
    if args.epsilon is not None:
        made["tbleu"]["epsilon"] = args.epsilon
    if args.word_order is not None:
        made["chrf"]["word_order"] = args.word_order
    return made | {"ter": {"references": further}}


def _tokenizer(documents: Sequence[Document]) -> str:
    """The tokenizer for the language of the references."""
    from bwb.metrics.units import is_chinese

    if not is_chinese(documents):
        return "13a"
    note("the references are Chinese: --tokenize zh")
    return "zh"
