"""List the metrics: what each counts, what it needs, and the paper it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.cli.common import print_json

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.metrics import METRICS
    from bwb.report.tables import table

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
