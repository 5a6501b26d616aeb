"""Resampling documents: intervals and paired tests, on counts alone.

A resample draws as many documents as there are, with replacement; its score is computed from the
summed counts, exactly as the corpus score is. All resamples are one matrix product.

Sources: Koehn 2004 (paired bootstrap resampling); Efron and Tibshirani 1993, chapter 16 (the
shift method for p-values), as in sacrebleu.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.metrics.base import Metric, Tally

    Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval.

    Attributes:
        low: Lower end, a fraction; None if the score is undefined in every resample.
        high: Upper end.
        undefined: Number of resamples in which the score is undefined; they are left out.
    """

    low: float | None
    high: float | None
    undefined: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system against the baseline by one metric.

    Attributes:
        metric: Name of the metric.
        baseline: Name of the baseline.
        system: Name of the system.
        baseline_score: Score of the baseline; None if undefined.
        system_score: Score of the system; None if undefined.
        difference: System minus baseline; None if undefined.
        interval: Interval of the difference.
        p: Two-sided p-value of the paired bootstrap; None if undefined.
        wins: Share of resamples in which the system is strictly better.
        documents: Number of documents.
        resamples: Number of resamples.
        seed: Seed of the resamples.
    """

    metric: str
    baseline: str
    system: str
    baseline_score: float | None
    system_score: float | None
    difference: float | None
    interval: Interval
    p: float | None
    wins: float | None
    documents: int
    resamples: int
    seed: int


def resample_weights(documents: int, resamples: int, seed: int) -> NDArray[np.float64]:
    """How often each document is drawn in each resample; shape (resamples, documents).

    Raises:
        UsageError: if there is nothing to draw, or nothing to draw from.
    """
    import numpy as np

    if documents < 1 or resamples < 1:
        raise UsageError(f"cannot draw {resamples} resamples of {documents} documents")
    rng = np.random.default_rng(seed)
    shares = np.full(documents, 1 / documents)
    return rng.multinomial(documents, shares, size=resamples).astype(np.float64)


def resampled_scores(metric: Metric, tallies: Sequence[Tally], weights: Values) -> Values:
    """The score of every resample; shape (resamples,); nan where undefined."""
    import numpy as np

    keys = sorted({key for tally in tallies for key in tally.counts})
    table = np.array([[tally.counts.get(key, 0.0) for key in keys] for tally in tallies])
    sums = weights @ table.reshape(len(tallies), len(keys))
    totals = {key: sums[:, column] for column, key in enumerate(keys)}
    values = metric.values(totals)
    return np.broadcast_to(values, (weights.shape[0],))


def interval(values: Values, confidence: float = 0.95) -> Interval:
    """The central share of the resampled scores (percentile method)."""
    import numpy as np

    defined = values[~np.isnan(values)]
    undefined = int(values.size - defined.size)
    if not defined.size:
        return Interval(None, None, undefined)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), undefined)


def compare(
    metric: Metric,
    tallies: Mapping[str, Sequence[Tally]],
    baseline: str,
    *,
    resamples: int = 10_000,
    seed: int = 12345,
) -> list[Comparison]:
    """Compare every system with the baseline on the same resamples.

    Args:
        metric: The metric that made the tallies.
        tallies: For each system, one tally a document, in the same order of documents.
        baseline: Name of the baseline, one of the systems.
        resamples: How often to draw.
        seed: Seed of the draws.

    Raises:
        InputError: if the baseline is not there, the numbers of documents differ, or there is
            only one document.
    """
    if baseline not in tallies:
        raise InputError(f"no system {baseline!r}; there are {', '.join(tallies)}")
    sizes = {len(rows) for rows in tallies.values()}
    if len(sizes) > 1:
        raise InputError(f"the systems have different numbers of documents: {sorted(sizes)}")
    documents = sizes.pop()
    if documents < 2:
        raise InputError("the bootstrap draws documents, and there is only one; give several")
    weights = resample_weights(documents, resamples, seed)
    scores = {name: resampled_scores(metric, rows, weights) for name, rows in tallies.items()}
    whole = {name: metric.score(name, rows).score for name, rows in tallies.items()}
    rows = []
    for name in tallies:
        if name == baseline:
            continue
        base, system = whole[baseline], whole[name]
        difference = None if base is None or system is None else system - base
        deltas = scores[name] - scores[baseline]
        rows.append(
            Comparison(
                metric=metric.name,
                baseline=baseline,
                system=name,
                baseline_score=base,
                system_score=system,
                difference=difference,
                interval=interval(deltas),
                p=_p_value(deltas, difference),
                wins=_wins(deltas),
                documents=documents,
                resamples=resamples,
                seed=seed,
            )
        )
    return rows


def _p_value(deltas: Values, difference: float | None) -> float | None:
    import numpy as np

    defined = deltas[~np.isnan(deltas)]
    if difference is None or not defined.size:
        return None
    extreme = np.abs(defined - defined.mean()) >= abs(difference) - 1e-12
    return float((extreme.sum() + 1) / (defined.size + 1))


def _wins(deltas: Values) -> float | None:
    import numpy as np

    defined = deltas[~np.isnan(deltas)]
    return float((defined > 0).mean()) if defined.size else None
