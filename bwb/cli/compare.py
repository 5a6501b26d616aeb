"""Is the difference between systems significant? Paired bootstrap over documents.

Every system is compared with the baseline (the first, unless --baseline names another) on the
same resamples of documents: the interval holds 95% of the resampled differences, p is two-sided.
With few documents the test can see only large differences.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from bwb.cli import scoring
from bwb.cli.common import print_json

if TYPE_CHECKING:
    import argparse

    from bwb.metrics.stats import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    scoring.add_arguments(parser)
    parser.add_argument("--baseline", metavar="NAME", help="system to compare with")
    parser.add_argument("--resamples", type=int, default=10_000, help="default 10000")
    parser.add_argument("--seed", type=int, default=12345, help="default 12345")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.errors import InputError
    from bwb.metrics.stats import compare

    rows: list[Comparison] = []
    signatures = {}
    for row in scoring.score(args):
        if len(row.tallies) < 2:
            raise InputError(f"one system only ({', '.join(row.tallies)}): nothing to compare")
        baseline = args.baseline or next(iter(row.tallies))
        rows += compare(row.metric, row.tallies, baseline, resamples=args.resamples, seed=args.seed)
        test = {"test": "paired-bootstrap", "resamples": str(args.resamples)}
        data = {**row.data, **test, "seed": str(args.seed)}
        signatures[row.metric.name] = str(row.metric.signature(data))
    if args.json:
        body = [{**asdict(row), "signature": signatures[row.metric]} for row in rows]
        print_json({"comparisons": body})
    else:
        _print(rows, signatures)
    return 0


def _print(rows: list[Comparison], signatures: dict[str, str]) -> None:
    from bwb.report.tables import percent, table

    first = rows[0]
    print(
        f"against {first.baseline}: paired bootstrap, {first.documents} documents, "
        f"{first.resamples:,} resamples, seed {first.seed} (percent)"
    )
    body = [
        [
            row.metric,
            row.system,
            percent(row.system_score),
            percent(row.baseline_score),
            _signed(row.difference),
            f"[{_signed(row.interval.low)}, {_signed(row.interval.high)}]",
            "–" if row.p is None else f"{row.p:.4f}",
            "*" if row.p is not None and row.p < 0.05 else "",
        ]
        for row in rows
    ]
    header = ["metric", "system", "score", "baseline", "difference", "95% interval", "p", ""]
    print(table(header, body))
    print("  * p < 0.05, one test at a time; no correction for the number of tests")
    if first.documents < 20:
        print(f"  {first.documents} documents are few: such intervals are too narrow, p too small")
    for signature in signatures.values():
        print(f"  {signature}")


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"
