"""`--set METRIC.CHOICE=VALUE`: any choice that a metric offers, by its name in the class."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from bwb.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

# Types of values that can be written on a command line.
_SIMPLE = (str, bool, int, float)


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the argument."""
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="METRIC.CHOICE=VALUE",
        help="a choice of a metric, such as cohesion.measure=rc or ltcr.pairs=entity; "
        "bwb metrics METRIC names and explains them",
    )


def choices(args: argparse.Namespace, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What to make each metric with, by its name.

    Args:
        args: The arguments.
        names: The metrics that are scored.

    Raises:
        UsageError: if a metric is not among them, or has no such choice or value.
    """
    chosen: dict[str, dict[str, Any]] = {}
    for text in args.set:
        left, sign, value = text.partition("=")
        name, _, choice = left.partition(".")
        if not (sign and choice):
            raise UsageError(f"--set {text!r}: expected METRIC.CHOICE=VALUE")
        if name not in names:
            raise UsageError(f"--set {text!r}: the metrics scored are {', '.join(names)}")
        known = available(name)
        if choice not in known:
            listed = ", ".join(known) or "none"
            raise UsageError(f"--set {text!r}: choices of {name} are {listed}")
        chosen.setdefault(name, {})[choice] = _value(text, value, known[choice])
    return chosen


def available(name: str) -> Mapping[str, Any]:
    """The choices of a metric that have a simple value by default, with that value."""
    from bwb.metrics import metric_class

    parameters = inspect.signature(metric_class(name)).parameters
    return {
        choice: parameter.default
        for choice, parameter in parameters.items()
        if isinstance(parameter.default, _SIMPLE)
    }


def _value(text: str, value: str, default: object) -> object:
    if isinstance(default, bool):
        if value.lower() not in {"true", "false"}:
            raise UsageError(f"--set {text!r}: expected true or false")
        return value.lower() == "true"
    if isinstance(default, int | float):
        try:
            return type(default)(value)
        except ValueError:
            kind = "a whole number" if isinstance(default, int) else "a number"
            raise UsageError(f"--set {text!r}: expected {kind}") from None
    return value
