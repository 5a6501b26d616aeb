"""List the metrics: what each counts and needs, what it costs, and the paper it comes from.

bwb metrics            the list
bwb metrics blonde     how one is computed: formulas, source, choices, where others differ

``bwb score --metrics`` takes names of this list and of groups: ``default``, what runs if nothing is
asked for, and ``all-offline``, everything that needs no download.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    from bwb.metrics import GROUPS, METRICS, group, metric_class
    from bwb.metrics.base import COSTS
    from bwb.report.tables import table

    if args.metric:
        return _explain(metric_class(args.metric)(), as_json=args.json)
    groups = {name: group(name) for name in GROUPS}
    metrics = [make() for make in METRICS.values()]
    if args.json:
        rows = [
            {**_about(metric), "groups": [name for name in groups if metric.name in groups[name]]}
            for metric in metrics
        ]
        print_json({"metrics": rows, "groups": groups, "costs": COSTS})
        return 0
    header = ["metric", "what it counts", "needs", "cost", "download", "source"]
    body = [
        [m.name, m.title, ", ".join(m.needs), m.cost, m.download or "none", m.paper]
        for m in metrics
    ]
    print(table(header, body, indent=""))
    print("\ncost")
    for name, meaning in COSTS.items():
        print(f"  {name}: {meaning}")
    print("--metrics default\n  " + ", ".join(groups["default"]))
    print(
        "--metrics all-offline\n  all whose download is none, where the texts have what they need"
    )
    whole = ", ".join(metric.name for metric in metrics if "document" in metric.units)
    print(f"--unit document\n  {whole}")
    return 0


def _about(metric: Metric) -> dict[str, Any]:
    """What is said of a metric."""
    fields = ("name", "title", "paper", "unit", "cost", "download", "expensive")
    return {
        **{name: getattr(metric, name) for name in fields},
        "higher_is_better": metric.higher_is_better,
        "units": list(metric.units),
        "needs": list(metric.needs),
        "classes": list(metric.classes),
        "options": metric.options(),
    }


def _explain(metric: Metric, *, as_json: bool) -> int:
    """Print how a metric is computed: the docstring of its module, and its default choices."""
    import inspect
    import sys

    text = inspect.getdoc(sys.modules[type(metric).__module__]) or ""
    if as_json:
        print_json({**_about(metric), "explanation": text})
        return 0
    options = ", ".join(f"{name} {value}" for name, value in metric.options().items())
    print(f"{metric.name}: {metric.title}\n\n{text}\n\nSource: {metric.paper}")
    print(f"Needs: {', '.join(metric.needs)}. Cost: {metric.cost}.")
    print(f"Download: {metric.download or 'none'}")
    if options:
        print(f"Choices by default: {options}")
    return 0
