"""Intervals of every score of many systems, on counts: our matrix product against a loop.

    python benchmarks/stats.py [--documents 80] [--systems 7] [--resamples 10000] [--scores 40]

The metric is BlonDe, the one with the most counts and the dearest formula; its counts are drawn at
random. The loop draws documents, adds their counts up key by key and computes the scores, a
resample at a time; it runs on a subset, and the run fails if the two differ on it.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import TYPE_CHECKING

import numpy as np

from bwb.metrics.base import Tally, as_arrays
from bwb.metrics.blonde import Blonde
from bwb.metrics.stats import compare, resample_weights, score_intervals
from bwb.metrics.stats_table import CountTable, NamedScores, score_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bwb.metrics.base import Values

NAIVE_RESAMPLES = 50


def make_tallies(metric: Blonde, systems: int, documents: int) -> dict[str, list[Tally]]:
    """Counts of classes and n-grams such as chapters of 33 sentences have."""
    rng = np.random.default_rng(3)
    lists = metric.settings.lists
    names = [f"{kind}.{one}" for kind, classes in lists.classes.items() for one in classes]
    found: dict[str, list[Tally]] = {f"s{number}": [] for number in range(systems)}
    for _ in range(documents):
        reference = {name: rng.poisson(8) for name in names}
        reference |= {str(order): 700 - 30 * order for order in (1, 2, 3, 4)}
        for number, rows in enumerate(found.values()):
            tally = Tally()
            share = 0.5 + 0.02 * number
            for name, wanted in reference.items():
                got = rng.poisson(wanted)
                values = (rng.binomial(min(got, wanted), share), got, wanted)
                for side, value in zip(("matched", "system", "reference"), values, strict=True):
                    tally.add(f"{name}.{side}", float(value))
                    if "." in name:
                        tally.add(f"{name.split('.')[0]}.{side}", float(value))
            rows.append(tally)
    return found


def naive(
    metric: Blonde, tallies: Mapping[str, Sequence[Tally]], weights: Values, of: Sequence[str]
) -> Values:
    """The scores of every resample, one at a time; shape (scores, systems, resamples)."""
    found = np.empty((len(of), len(tallies), len(weights)))
    for number, row in enumerate(weights):
        drawn = [place for place, times in enumerate(row) for _ in range(int(times))]
        for place, rows in enumerate(tallies.values()):
            totals: dict[str, float] = {}
            for document in drawn:
                for key, value in rows[document].counts.items():
                    totals[key] = totals.get(key, 0.0) + value
            named = NamedScores(metric, as_arrays(totals))
            found[:, place, number] = [named[name][0] for name in of]
    return found


def seconds(run: Callable[[], object], repeat: int) -> float:
    """Shortest wall time of several runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=80)
    parser.add_argument("--systems", type=int, default=7)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--scores", type=int, default=40)
    args = parser.parse_args()

    metric = Blonde()
    tallies = make_tallies(metric, args.systems, args.documents)
    table = CountTable.of(metric, tallies)
    names = score_names(metric)
    found = table.corpus(names)
    of = [name for name, row in zip(names, found, strict=True) if not np.isnan(row).any()]
    of = of[: args.scores]

    def every(resamples: int = args.resamples) -> object:
        return score_intervals(metric, tallies, of, resamples=resamples)

    ours = seconds(every, 3)
    few = resample_weights(args.documents, NAIVE_RESAMPLES, 1)
    start = time.perf_counter()
    wanted = naive(metric, tallies, few, of)
    loop = (time.perf_counter() - start) * args.resamples / NAIVE_RESAMPLES
    if not np.allclose(table.scores(few, of), wanted, rtol=1e-12, atol=1e-12):
        raise SystemExit("the loop and the matrix product differ")

    print(
        f"{args.systems} systems, {args.documents} documents, {len(of)} scores, "
        f"{len(table.keys)} counts, {args.resamples:,} resamples"
    )
    print(f"{'intervals of all scores':44}{ours:9.2f} s")
    print(f"{f'a loop, from {NAIVE_RESAMPLES} resamples':44}{loop:9.2f} s")
    print(f"{'ratio (same numbers)':44}{loop / ours:9.0f}")
    tested = (
        ("against a baseline, bootstrap", "baseline", "bootstrap"),
        ("every two systems, bootstrap", "all", "bootstrap"),
        ("every two systems, permutation", "all", "permutation"),
    )
    for said, pairs, test in tested:
        taken = seconds(
            lambda pairs=pairs, test=test: compare(  # type: ignore[misc]
                metric, tallies, pairs=pairs, test=test, resamples=args.resamples
            ),
            1,
        )
        print(f"{said:44}{taken:9.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'peak memory':44}{peak:9.0f} MB")


if __name__ == "__main__":
    main()
