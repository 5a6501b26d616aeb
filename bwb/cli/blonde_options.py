"""The options of BlonDe, for `bwb score` and `bwb compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.cli import ngram_options
from bwb.cli.common import note
from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence


# Which metrics an option of this group, or of the plain files, makes a difference to.
_SERVES = {
    "--variant": {"blonde", "phenomena"},
    "--lowercase": {"blonde", "phenomena", *ngram_options.NAMES},
    "--plus": {"blonde"},
    "--listed-entities": {"blonde", "phenomena"},
    "--categories": {"blonde"},
    "--errors": {"blonde", "phenomena"},
    "a second --reference": {"blonde", "phenomena", *ngram_options.NAMES, "ter"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group("BlonDe (--metrics blonde)")
    group.add_argument(
        "--variant",
        metavar="NAME",
        help="paper (default) or blonde-0.1.4, as the reference package",
    )
    group.add_argument("--lowercase", action="store_true", help="put texts in lower case first")
    group.add_argument(
        "--plus", action="store_true", help="BlonDe+: count ambiguity and ellipsis (see --errors)"
    )
    group.add_argument(
        "--listed-entities",
        action="store_true",
        help="count the entities that annotators listed, not those that the model finds",
    )
    group.add_argument(
        "--categories", metavar="A,B", help="only these; n-gram is the orders 1 to 4"
    )
    group.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes that analyse (default 1)"
    )


def choices(
    args: argparse.Namespace, names: Sequence[str], further: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """What to make each metric with that has such options, by its name.

    Raises:
        UsageError: if something was chosen that none of the metrics asked for has.
    """
    chosen = {
        "--variant": args.variant,
        "--lowercase": args.lowercase,
        "--plus": args.plus,
        "--listed-entities": args.listed_entities,
        "--categories": args.categories,
        "--errors": args.errors,
        "a second --reference": further,
    }
    idle = [o for o, value in chosen.items() if value and not _SERVES[o] & set(names)]
    if idle:
        raise UsageError(
            f"{', '.join(idle)}: only blonde has this (in part also phenomena and metrics of "
            "n-grams); add --metrics blonde"
        )
    if further and set(names) - _SERVES["a second --reference"]:
        read = ", ".join(name for name in names if name in _SERVES["a second --reference"])
        note(f"only {read} reads several references; the other metrics read the first")
    shared: dict[str, Any] = {
        "variant": args.variant or "paper",
        "lowercase": args.lowercase,
        "entities": "annotated" if args.listed_entities or args.entities else "model",
        "references": further,
    }
    if args.workers != 1:
        from bwb.analysis.base import Analyser
        from bwb.analysis.english import English

        shared["analyser"] = Analyser(English(), workers=args.workers)
    blonde = {**shared, "plus": args.plus or (args.errors is not None)}
    if args.categories:
        blonde["categories"] = [name.strip() for name in args.categories.split(",")]
    return {"blonde": blonde, "phenomena": shared}
