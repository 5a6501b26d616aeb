"""The options of BERTScore, COMET and METEOR, for `bwb score` and its siblings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_WITH_MODEL = ("bertscore", "comet")
# Which metric an option makes a difference to.
_SERVES = {
    "--layer": ("bertscore",),
    "--context": ("comet",),
    "--comet-python": ("comet",),
    "--batch": _WITH_MODEL,
    "--no-synonyms": ("meteor",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group("bertscore, comet, meteor")
    group.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="METRIC=MODEL",
        help="name or folder of a model, such as bertscore=roberta-large",
    )
    group.add_argument("--layer", type=int, metavar="N", help="layer of BERTScore's model")
    group.add_argument("--context", type=int, metavar="N", help="COMET: sentences of context")
    group.add_argument("--batch", type=int, metavar="N", help="sentences a model reads at a time")
    group.add_argument(
        "--comet-python", metavar="FILE", help="COMET: python of the environment that has it"
    )
    group.add_argument("--no-synonyms", action="store_true", help="METEOR: without WordNet")


def choices(args: argparse.Namespace, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What to make each metric with that has such options, by its name.

    Args:
        args: The arguments.
        names: The metrics that were asked for.

    Raises:
        UsageError: if something was chosen that none of the metrics asked for has.
    """
    given = {
        "--layer": ("layer", args.layer),
        "--context": ("context", args.context),
        "--comet-python": ("python", args.comet_python),
        "--batch": ("batch", args.batch),
        "--no-synonyms": ("synonyms", False if args.no_synonyms else None),
    }
    chosen: dict[str, dict[str, Any]] = {}
    for option, (key, value) in given.items():
        if value is None:
            continue
        serves = _SERVES[option]
        if not set(serves) & set(names):
            raise UsageError(f"{option} is for {' and '.join(serves)}; add --metrics {serves[0]}")
        for name in serves:
            chosen.setdefault(name, {})[key] = value
    for text in args.model:
        name, _, model = text.partition("=")
        if name not in _WITH_MODEL or not model or name not in names:
            asked = [metric for metric in _WITH_MODEL if metric in names]
            raise UsageError(
                f"--model {text!r}: expected METRIC=MODEL, the metric one of those asked for that "
                f"have a model ({', '.join(asked) or 'none; add --metrics bertscore'})"
            )
        chosen.setdefault(name, {})["model"] = model
    return chosen
