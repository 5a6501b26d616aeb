"""Which differences between systems are real: intervals, paired tests, many of them at once.

Everything is computed on the counts of the documents, so no text is looked at: see
`bwb.metrics.stats_table` for scores and their names, `bwb.metrics.stats_resample` for intervals and
randomised tests, `bwb.metrics.stats_tests` for tests on document scores and for Holm's correction,
`bwb.metrics.stats_correlation` for correlations between metrics.

The bootstrap and the permutation test are of the difference between corpus scores; t and Wilcoxon
are of the differences between scores of single documents, in which a short document counts as
much as a long one. All draw, or pair, documents: sentences of a document are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bwb.errors import InputError, UnknownNameError
from bwb.metrics.stats_resample import (
    Interval,
    bootstrap,
    bootstrap_test,
    check_confidence,
    interval,
    intervals,
    permutation_test,
    require_documents,
    resample_weights,
    resampled_scores,
    score_intervals,
)
from bwb.metrics.stats_table import CountTable, NamedScores, score_names
from bwb.metrics.stats_tests import (
    Outcome,
    friedman,
    holm,
    kruskal_wallis,
    letters,
    paired_t,
    wilcoxon,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Metric, Tally, Values

__all__ = [
    "PAIRS",
    "TESTS",
    "Comparison",
    "CountTable",
    "Interval",
    "NamedScores",
    "Omnibus",
    "Outcome",
    "Standing",
    "bootstrap",
    "bootstrap_test",
    "compare",
    "friedman",
    "holm",
    "interval",
    "intervals",
    "kruskal_wallis",
    "letters",
    "omnibus",
    "paired_t",
    "permutation_test",
    "resample_weights",
    "resampled_scores",
    "score_intervals",
    "score_names",
    "standings",
    "wilcoxon",
]

Test = Literal["bootstrap", "permutation", "t", "wilcoxon", "kruskal"]
Pairs = Literal["baseline", "all", "ranked"]
TESTS: tuple[Test, ...] = get_args(Test)
PAIRS: tuple[Pairs, ...] = get_args(Pairs)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system against another by one metric.

    Attributes:
        metric: Name of the metric.
        baseline: Name of the system compared with.
        system: Name of the system.
        baseline_score: Score of the baseline; None if undefined.
        system_score: Score of the system; None if undefined.
        difference: System minus baseline; None if undefined.
        interval: Interval of the difference.
        p: Two-sided p-value of the test; None if undefined.
        wins: Share of resamples in which the system is strictly better; see `better`.
        documents: Number of documents.
        resamples: Number of resamples.
        seed: Seed of the resamples.
        of: Name of the score.
        test: What the test found.
        document_difference: Mean difference of the scores of single documents, which is what t,
            Wilcoxon and Kruskal-Wallis look at; None if undefined.
        p_holm: p after Holm's correction over the comparisons made together.
        significant: Whether that is below the level; None if undefined.
        better: Whether the system's score is the better one, which for some metrics is the lower;
            None if they are equal or one is undefined.
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
    of: str
    test: Outcome
    document_difference: float | None = None
    p_holm: float | None = None
    significant: bool | None = None
    better: bool | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a system stands by one metric.

    Attributes:
        metric: Name of the metric.
        of: Name of the score.
        system: Name of the system.
        score: Its score; None if undefined.
        interval: Interval of the score.
        undefined: Number of documents in which the score is undefined.
        letters: Systems that share a letter do not differ; None unless all pairs were compared.
    """

    metric: str
    of: str
    system: str
    score: float | None
    interval: Interval
    undefined: int
    letters: str | None = None


@dataclass(frozen=True, slots=True)
class Omnibus:
    """Whether systems differ at all, by their scores on single documents.

    Attributes:
        metric: Name of the metric.
        of: Name of the score.
        systems: Number of systems.
        kruskal_wallis: With documents as independent samples.
        friedman: Within documents, which all systems share.
    """

    metric: str
    of: str
    systems: int
    kruskal_wallis: Outcome
    friedman: Outcome


def compare(
    metric: Metric,
    tallies: Mapping[str, Sequence[Tally]],
    baseline: str | None = None,
    *,
    pairs: Pairs = "baseline",
    test: Test = "bootstrap",
    of: str = "score",
    resamples: int = 10_000,
    seed: int = 12345,
    alpha: float = 0.05,
) -> list[Comparison]:
    """Compare systems on the same resamples, and correct for the number of comparisons.

    Args:
        metric: The metric that made the tallies.
        tallies: For each system, one tally a document, in the same order of documents.
        baseline: Name of the baseline, one of the systems; None for the first.
        pairs: ``baseline``: every system with the baseline; ``all``: every two systems, the
            better one against the other; ``ranked``: each system with the next worse.
        test: What p is by; ``kruskal`` takes the documents of the two for independent samples.
        of: Name of the score, see `bwb.metrics.stats_table`.
        resamples: How often to draw.
        seed: Seed of the draws.
        alpha: Level of significance; intervals hold 1 - alpha of the resampled differences.

    Raises:
        InputError: if the baseline is not there, the numbers of documents differ, or there is
            only one document or system.
        UnknownNameError: for a test, score or choice of pairs that is not known.
    """
    for what, name, known in (("test", test, TESTS), ("choice of pairs", pairs, PAIRS)):
        if name not in known:
            raise UnknownNameError(what, name, known)
    check_confidence(1 - alpha)
    table = _table(metric, tallies, baseline)
    values = bootstrap(table, (of,), resamples, seed)[0]
    whole = table.corpus((of,))[0]
    single = table.by_document((of,))[0]
    rows = []
    sign = _sign(metric, of)
    for one, other in _pairs(table.systems, sign * whole, pairs, baseline):
        deltas = values[other] - values[one]
        difference = _number(whole[other] - whole[one])
        names = (table.systems[one], table.systems[other])
        if test == "bootstrap":
            found = bootstrap_test(deltas, difference)
        elif test == "permutation":
            found = permutation_test(table, *names, of, resamples=resamples, seed=seed)
        else:
            found = _document_test(test, single[one], single[other])
        rows.append(
            Comparison(
                metric=metric.name,
                baseline=names[0],
                system=names[1],
                baseline_score=_number(whole[one]),
                system_score=_number(whole[other]),
                difference=difference,
                interval=interval(deltas, 1 - alpha),
                p=found.p,
                wins=_wins(sign * deltas),
                documents=table.documents,
                resamples=resamples,
                seed=seed,
                of=of,
                test=found,
                document_difference=_mean(single[other] - single[one]),
                better=sign * difference > 0 if difference else None,
            )
        )
    corrected = holm([row.p for row in rows])
    return [
        replace(row, p_holm=p, significant=None if p is None else p < alpha)
        for row, p in zip(rows, corrected, strict=True)
    ]


def standings(
    metric: Metric,
    tallies: Mapping[str, Sequence[Tally]],
    comparisons: Sequence[Comparison] = (),
    *,
    of: str = "score",
    resamples: int = 10_000,
    seed: int = 12345,
    alpha: float = 0.05,
) -> list[Standing]:
    """The systems, best first, with intervals; with letters where all pairs were compared.

    Args:
        metric: The metric that made the tallies.
        tallies: For each system, one tally a document, in the same order of documents.
        comparisons: Those of all pairs, for letters; a pair whose p is undefined is not told
            apart.
        of: Name of the score.
        resamples: How often to draw.
        seed: Seed of the draws.
        alpha: Intervals hold 1 - alpha of the resampled scores.

    Raises:
        InputError: if there is only one document, or the numbers of documents differ.
        UnknownNameError: if the metric has no such score.
    """
    table = CountTable.of(metric, tallies)
    require_documents(table.documents)
    check_confidence(1 - alpha)
    values = bootstrap(table, (of,), resamples, seed)[0]
    whole = table.corpus((of,))[0]
    undefined = np.isnan(table.by_document((of,))[0]).sum(axis=1)
    made = intervals(values, 1 - alpha)
    ranked = _ranked(_sign(metric, of) * whole)
    shared: dict[str, str] = {}
    if len(comparisons) == len(ranked) * (len(ranked) - 1) // 2 > 0:
        different = [(row.system, row.baseline) for row in comparisons if row.significant]
        shared = letters([table.systems[place] for place in ranked], different)
    return [
        Standing(
            metric=metric.name,
            of=of,
            system=table.systems[place],
            score=_number(whole[place]),
            interval=made[place],
            undefined=int(undefined[place]),
            letters=shared.get(table.systems[place]),
        )
        for place in ranked
    ]


def omnibus(
    metric: Metric, tallies: Mapping[str, Sequence[Tally]], of: str = "score"
) -> Omnibus | None:
    """Whether any systems differ, by Kruskal-Wallis and by Friedman; None for fewer than three."""
    if len(tallies) < 3:
        return None
    scores = CountTable.of(metric, tallies).by_document((of,))[0]
    return Omnibus(metric.name, of, len(scores), kruskal_wallis(scores), friedman(scores))


def _table(
    metric: Metric, tallies: Mapping[str, Sequence[Tally]], baseline: str | None
) -> CountTable:
    """The counts, if there is something to compare."""
    if len(tallies) < 2:
        raise InputError(f"one system only ({', '.join(tallies)}): nothing to compare")
    if baseline is not None and baseline not in tallies:
        raise InputError(f"no system {baseline!r}; there are {', '.join(tallies)}")
    table = CountTable.of(metric, tallies)
    require_documents(table.documents)
    return table


def _pairs(
    systems: tuple[str, ...], scores: Values, pairs: Pairs, baseline: str | None
) -> list[tuple[int, int]]:
    """Places of (baseline, system)."""
    if pairs == "baseline":
        base = systems.index(baseline) if baseline is not None else 0
        return [(base, place) for place in range(len(systems)) if place != base]
    ranked = _ranked(scores)
    both = combinations(ranked, 2) if pairs == "all" else pairwise(ranked)
    return [(worse, better) for better, worse in both]


def _sign(metric: Metric, of: str) -> int:
    """-1 if less is better: that is said of the number to report, not of its parts."""
    return -1 if of == "score" and not metric.higher_is_better else 1


def _ranked(scores: Values) -> list[int]:
    """Places of the systems, the best first, undefined last; equals in their given order."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    ranked: list[int] = np.argsort(-filled, kind="stable").tolist()
    return ranked


def _document_test(test: Test, one: Values, other: Values) -> Outcome:
    if test == "t":
        return paired_t(one, other)
    if test == "wilcoxon":
        return wilcoxon(one, other)
    return kruskal_wallis(np.stack([one, other]))


def _mean(deltas: Values) -> float | None:
    defined = deltas[~np.isnan(deltas)]
    return float(defined.mean()) if defined.size else None


def _wins(deltas: Values) -> float | None:
    defined = deltas[~np.isnan(deltas)]
    return float((defined > 0).mean()) if defined.size else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
