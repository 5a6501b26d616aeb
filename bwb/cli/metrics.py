"""List the metrics: what each counts, what it needs, and the paper it comes from.

bwb metrics            the list
bwb metrics blonde     how one is computed: formulas, source, choices, where others differ
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.cli.common import print_json

if TYPE_CHECKING:
    import argparse

    from bwb.metrics.base import Metric


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("metric", nargs="?", metavar="NAME", help="explain this one")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.metrics import METRICS, metric_class
    from bwb.report.tables import table

    if args.metric:
        return _explain(metric_class(args.metric)(), as_json=args.json)
    metrics = [make() for make in METRICS.values()]
    if args.json:
        fields = ("name", "title", "paper", "unit")
        rows = [
            {**{f: getattr(metric, f) for f in fields}, "needs": list(metric.needs)}
            | {"classes": list(metric.classes), "options": metric.options()}
            for metric in metrics
        ]
        print_json({"metrics": rows})
        return 0
    header = ["metric", "what it counts", "needs", "source"]
    body = [[m.name, m.title, ", ".join(m.needs), m.paper] for m in metrics]
    print(table(header, body, indent=""))
    return 0


def _explain(metric: Metric, *, as_json: bool) -> int:
    """Print how a metric is computed: the docstring of its module, and its default choices."""
    import inspect
    import sys

    text = inspect.getdoc(sys.modules[type(metric).__module__]) or ""
    if as_json:
        about = {"name": metric.name, "title": metric.title, "paper": metric.paper}
        print_json({**about, "options": metric.options(), "explanation": text})
        return 0
    options = ", ".join(f"{name} {value}" for name, value in metric.options().items())
    print(f"{metric.name}: {metric.title}\n\n{text}\n\nSource: {metric.paper}")
    if options:
        print(f"Choices by default: {options}")
    return 0
