"""Compare checkpoints of your own system: which steps made it better?

    python examples/checkpoints.py CHECKPOINTS [--data CORPUS] [--out DIR]

CHECKPOINTS is a folder with a folder a checkpoint, named so that its number is the step
(``step-2000``, ``checkpoint_2000``, ``2000``), and in it the outputs as `bwb score --systems` takes
them: ``<book>/<chapter>.txt``, a line a sentence.

Printed is a table over steps for each metric: the score, its 95% interval, the difference to the
step before, and whether that is real: a paired permutation test over documents, corrected by Holm
over all steps and the comparison of the best checkpoint with the last. In DIR are the same table
as CSV and a plot.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import bwb
from bwb.errors import BwbError, InputError
from bwb.metrics import metric_class
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import compare, holm, score_intervals
from bwb.metrics.systems import read_outputs
from bwb.report.tables import percent, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """A checkpoint by a metric.

    Attributes:
        metric: Name of the metric.
        step: Number of the step.
        score: A fraction; None if undefined.
        low: Lower end of the 95% interval.
        high: Upper end.
        difference: Score minus that of the step before; None for the first.
        p: p of that difference, after Holm's correction; None for the first.
    """

    metric: str
    step: int
    score: float | None
    low: float | None
    high: float | None
    difference: float | None = None
    p: float | None = None


def find_checkpoints(folder: Path) -> dict[int, Path]:
    """The folders of a folder by the last number in their names, in the order of steps.

    Raises:
        InputError: if there are not two or more, or one has no number, or two have the same.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    found: dict[int, Path] = {}
    for path in sorted(folder.iterdir()):
        if not path.is_dir() or path.name.startswith("."):
            continue
        numbers = re.findall(r"\d+", path.name)
        if not numbers:
            raise InputError(f"{path}: no number in its name; expected one such as step-2000")
        step = int(numbers[-1])
        if step in found:
            raise InputError(f"{path} and {found[step]} are both step {step}")
        found[step] = path
    if len(found) < 2:
        raise InputError(f"{folder}: {len(found)} checkpoints; expected two or more folders")
    return dict(sorted(found.items()))


def over_steps(scored: Scored, steps: Sequence[int], resamples: int) -> tuple[list[Row], str]:
    """A row a step, and a sentence on the best step against the last.

    Args:
        scored: Counts of all checkpoints; their names are the steps.
        steps: The steps, ascending.
        resamples: For intervals and tests.
    """
    between = score_intervals(scored.metric, scored.tallies, ("score",), resamples=resamples)
    scores = {int(score.system): score.score for score in scored.scores()}
    better = max if scored.metric.higher_is_better else min
    defined = [step for step in steps if scores[step] is not None]
    best = better(defined, key=lambda step: scores[step] or 0.0) if defined else steps[-1]
    pairs = list(pairwise(steps))
    if best != steps[-1]:
        pairs.append((steps[-1], best))
    found = [_compared(scored, one, other, resamples) for one, other in pairs]
    corrected = holm([p for _, p in found])
    rows = []
    for place, step in enumerate(steps):
        ends = between[str(step)]["score"]
        difference, p = (found[place - 1][0], corrected[place - 1]) if place else (None, None)
        rows.append(Row(scored.metric.name, step, scores[step], ends.low, ends.high, difference, p))
    if best == steps[-1]:
        return rows, f"the last step, {best}, is the best"
    p = corrected[-1]
    real = "better" if p is not None and p < ALPHA else "not shown to be better"
    return rows, f"step {best} scores best, and is {real} than the last ({_p(p)})"


def print_rows(rows: Sequence[Row], said: str) -> None:
    """The table of a metric, and what is said of the best step."""
    header = ["step", "score", "95% interval", "to the step before", "p (Holm)", ""]
    body = [
        [
            str(row.step),
            percent(row.score),
            f"[{percent(row.low)}, {percent(row.high)}]",
            "" if row.difference is None else f"{100 * row.difference:+.1f}",
            "" if row.p is None else f"{row.p:.4f}",
            "*" if row.p is not None and row.p < ALPHA else "",
        ]
        for row in rows
    ]
    print(f"{rows[0].metric} (percent)\n{table(header, body)}\n  {said}\n")


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """All rows, fractions, one line each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def plot(rows: Sequence[Row], path: Path) -> None:
    """A line a metric over the steps, with its intervals."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    for metric in dict.fromkeys(row.metric for row in rows):
        mine = [row for row in rows if row.metric == metric and row.score is not None]
        steps = [row.step for row in mine]
        scores = [100 * row.score for row in mine if row.score is not None]
        axes.plot(steps, scores, marker="o", label=metric)
        inside = [row for row in mine if row.low is not None and row.high is not None]
        axes.fill_between(
            [row.step for row in inside],
            [100 * row.low for row in inside if row.low is not None],
            [100 * row.high for row in inside if row.high is not None],
            alpha=0.15,
        )
    axes.set(xlabel="step", ylabel="score (percent)")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Run it; 1 for bad input."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoints", type=Path, help="a folder of folders of outputs")
    parser.add_argument("--data", type=Path, help="the corpus (default: the sample)")
    parser.add_argument("--split", help="only this split")
    parser.add_argument("--metrics", default="pronoun,terminology", help="names with commas")
    parser.add_argument("--resamples", type=int, default=2_000)
    parser.add_argument("--out", type=Path, default=Path(), help="where the files go")
    args = parser.parse_args(argv)
    try:
        _run(args)
    except BwbError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


def _run(args: argparse.Namespace) -> None:
    documents = [d for d in bwb.read_documents(args.data) if args.split in {None, d.split}]
    steps = find_checkpoints(args.checkpoints)
    outputs: Outputs = {}
    for step, folder in steps.items():
        outputs |= read_outputs([f"{step}={folder}"], documents)
    metrics = [metric_class(name)() for name in args.metrics.split(",")]
    rows: list[Row] = []
    for scored in score_systems(documents, outputs, metrics):
        mine, said = over_steps(scored, list(steps), args.resamples)
        print_rows(mine, said)
        rows += mine
    args.out.mkdir(parents=True, exist_ok=True)
    write_csv(rows, args.out / "checkpoints.csv")
    plot(rows, args.out / "checkpoints.png")
    print(f"{args.out / 'checkpoints.csv'}, {args.out / 'checkpoints.png'}")


def _compared(
    scored: Scored, one: int, other: int, resamples: int
) -> tuple[float | None, float | None]:
    """Difference of two steps, and its p."""
    tallies = {str(step): scored.tallies[str(step)] for step in (one, other)}
    (row,) = compare(scored.metric, tallies, str(one), test="permutation", resamples=resamples)
    return row.difference, row.p


def _p(value: float | None) -> str:
    return "p undefined" if value is None else f"p = {value:.4f}"


if __name__ == "__main__":
    sys.exit(main())
