"""The options of BlonDe, for `bwb score` and `bwb compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.cli.common import note
from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence


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
) -> dict[str, Any]:
    """What to make the metric with.

    Raises:
        UsageError: if something was chosen that only BlonDe has, and BlonDe is not asked for.
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
    if "blonde" not in names:
        if given := [option for option, value in chosen.items() if value]:
            raise UsageError(f"{', '.join(given)}: only blonde has this; add --metrics blonde")
        return {}
    if further and len(names) > 1:
        note("only blonde reads several references; the other metrics read the first")
    made: dict[str, Any] = {
        "variant": args.variant or "paper",
        "lowercase": args.lowercase,
        "plus": args.plus or args.errors is not None,
        "entities": "annotated" if args.listed_entities or args.entities else "model",
        "references": further,
    }
    if args.categories:
        made["categories"] = [name.strip() for name in args.categories.split(",")]
    if args.workers != 1:
        from bwb.analysis.base import Analyser
        from bwb.analysis.english import English

        made["analyser"] = Analyser(English(), workers=args.workers)
    return made
