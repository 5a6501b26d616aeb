"""Meta-evaluation: how well metrics agree with people, or with a judge.

Levels and groupings, as the WMT metrics tasks have them (Freitag et al. 2022, 2023):

    system            a point is a system: the score that the file gives it, else the mean of its
                      documents' scores
    document, none    a point is a document of a system; all are pooled ("no grouping")
    document, item    the systems' versions of one document are correlated; the mean over the
                      documents ("group by item"): does the metric rank systems on a text?
    document, system  the documents of one system are correlated; the mean over the systems ("group
                      by system"): does the metric find where a system is good?

Coefficients: Pearson's r, Spearman's ρ, Kendall's τ-b (`bwb.metrics.stats_correlation`), and
pairwise accuracy with ties (`bwb.metrics.meta_accuracy`). Scores that are better when lower are
turned round first, so that agreement is positive everywhere. p is by permutation
(`bwb.metrics.meta_resample`), Holm-corrected over the metrics that are held against the same scores
in the same way.

This starts from tables of scores, by anybody. For correlations between metrics that are still to be
computed on a corpus, see `bwb correlate` and `bwb.metrics.stats_points`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bwb.errors import UsageError
from bwb.metrics.meta_accuracy import Accuracy, calibrate, pairwise_accuracy
from bwb.metrics.meta_resample import Statistic, perm_both, permutation_p
from bwb.metrics.stats_correlation import KINDS, LEAST_POINTS, correlation, matrix, williams
from bwb.metrics.stats_tests import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.metrics.base import Values
    from bwb.metrics.meta_grid import Column, Grid
    from bwb.metrics.meta_resample import Places
    from bwb.metrics.stats_correlation import Kind, Matrix

Level = Literal["system", "document"]
LEVELS: tuple[Level, ...] = get_args(Level)
Grouping = Literal["none", "item", "system"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One correlation.

    Attributes:
        r: The coefficient, or the mean over the groups for which it is defined; None if undefined.
        p: Two-sided, by permutation; None if undefined, or not asked for.
        p_holm: The same after Holm's correction.
        p_theory: Two-sided, by theory, as scipy has it; None for means over groups.
        exact: Whether p rests on every order there is.
        reason: Why r is undefined.
    """

    r: float | None
    p: float | None = None
    p_holm: float | None = None
    p_theory: float | None = None
    exact: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How one metric agrees with one column of human scores, at one level.

    Attributes:
        metric: Name of the metric.
        human: Name of the human scores.
        level: What a point is.
        grouping: How points are grouped.
        systems: Number of systems with a point.
        documents: Number of documents with a point; 0 at the level of systems.
        points: Number of points where both are defined.
        groups: Number of groups whose correlation is defined; 0 without grouping.
        groups_undefined: Number of those that are left out: fewer than three points, or constant.
        coefficients: Kind → correlation.
        accuracy: Pairwise accuracy, ε = 0.
        calibrated: The same with the best ε; None if not asked for.
    """

    metric: str
    human: str
    level: Level
    grouping: Grouping
    systems: int
    documents: int
    points: int
    groups: int
    groups_undefined: int
    coefficients: dict[Kind, Coefficient]
    accuracy: Accuracy
    calibrated: Accuracy | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Whether two metrics agree differently with the same human scores.

    Attributes:
        test: ``williams`` (Pearson's r, independent points) or ``perm-both``.
        kind: The coefficient.
        human: Name of the human scores.
        level: What a point is.
        grouping: How points are grouped.
        one: A metric.
        other: Another.
        difference: Coefficient of `one` less that of `other`, on the points that all three have.
        statistic: Williams' t; None for PERM-BOTH.
        p: Two-sided; None if undefined.
        p_holm: After Holm's correction over the pairs of a test, level and grouping.
        points: Number of points with all three scores; systems at the level of systems.
    """

    test: str
    kind: Statistic
    human: str
    level: Level
    grouping: Grouping
    one: str
    other: str
    difference: float | None
    statistic: float | None
    p: float | None
    p_holm: float | None
    points: int


@dataclass(frozen=True, slots=True)
class Settings:
    """How to meta-evaluate.

    Attributes:
        levels: Which levels; one that the scores do not have is left out.
        calibrated: Whether to look for the ε of ties.
        tests: Whether to test differences between metrics by Williams' test.
        perm_both: Coefficients whose differences are tested by PERM-BOTH.
        resamples: Number of shuffles; 0 for no p-values by permutation.
        seed: Seed of the shuffles.
        progress: Called with 1 after each agreement and each test by PERM-BOTH.
    """

    levels: Sequence[Level] = LEVELS
    calibrated: bool = False
    tests: bool = True
    perm_both: Sequence[Statistic] = ()
    resamples: int = 1_000
    seed: int = 12345
    progress: Callable[[int], object] = field(default=lambda _: None)

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense.

        Raises:
            UsageError: if so.
        """
        if self.resamples < 0 or (self.perm_both and not self.resamples):
            raise UsageError(f"{self.resamples} resamples; expected 1 or more")


def views(grid: Grid, settings: Settings) -> list[tuple[Level, Grouping]]:
    """The levels and groupings that the scores allow."""
    found: list[tuple[Level, Grouping]] = [("system", "none")] * ("system" in settings.levels)
    if grid.documents and "document" in settings.levels:
        found += [("document", grouping) for grouping in GROUPINGS]
    return found


def agreements(grid: Grid, settings: Settings) -> list[Agreement]:
    """Every metric against every column of human scores, at every level."""
    found = []
    for human in grid.human:
        for level, grouping in views(grid, settings):
            rows = []
            for metric in grid.metrics:
                rows.append(_agreement(grid, metric, human, level, grouping, settings))
                settings.progress(1)
            found += _corrected(rows)
    return found


def differences(grid: Grid, settings: Settings) -> list[Difference]:
    """Every two metrics against every column of human scores: Williams, and PERM-BOTH if asked."""
    found: list[Difference] = []
    for human in grid.human:
        for level, grouping in views(grid, settings):
            if settings.tests and grouping == "none":
                found += _williams(grid, human, level)
            for kind in settings.perm_both:
                found += _perm_both(grid, human, level, grouping, kind, settings)
    return found


def matrices(grid: Grid, levels: Sequence[Level] = LEVELS) -> list[tuple[Level, Matrix]]:
    """All columns, of metrics and people, with one another: systems, and documents pooled."""
    return [
        (level, matrix(_flat(grid.columns, level), kind))
        for level in levels
        if level == "system" or grid.documents
        for kind in KINDS
    ]


def _flat(columns: dict[str, Column], level: Level) -> dict[str, Values]:
    return {
        name: column.whole if level == "system" else column.single.ravel()
        for name, column in columns.items()
    }


def _places(grid: Grid, level: Level, grouping: Grouping) -> list[Places]:
    """Places of each group's points in the flattened scores."""
    if level == "system":
        return [np.arange(len(grid.systems))]
    every = np.arange(len(grid.systems) * len(grid.documents))
    table = every.reshape(len(grid.systems), len(grid.documents))
    return [every] if grouping == "none" else list(table.T if grouping == "item" else table)


def _agreement(
    grid: Grid, metric: str, human: str, level: Level, grouping: Grouping, settings: Settings
) -> Agreement:
    left = _flat(grid.metrics, level)[metric]
    right = _flat(grid.human, level)[human]
    both = ~(np.isnan(left) | np.isnan(right))
    kept = [place[both[place]] for place in _places(grid, level, grouping)]
    pairs = [(left[place], right[place]) for place in kept if place.size]
    usable = [pair for pair in pairs if _lack(*pair) is None]
    shape = (len(grid.systems), len(grid.documents) if level == "document" else 1)
    there = both.reshape(shape)
    lack = _lack(left[both], right[both]) if grouping == "none" else None
    if not usable and grouping != "none":
        lack = "in no group are there three points, with neither side constant"
    return Agreement(
        metric=metric,
        human=human,
        level=level,
        grouping=grouping,
        systems=int(there.any(axis=1).sum()),
        documents=int(there.any(axis=0).sum()) if level == "document" else 0,
        points=int(both.sum()),
        groups=0 if grouping == "none" else len(usable),
        groups_undefined=0 if grouping == "none" else len(kept) - len(usable),
        coefficients={kind: _coefficient(usable, kind, lack, grouping, settings) for kind in KINDS},
        accuracy=pairwise_accuracy(pairs),
        calibrated=calibrate(pairs) if settings.calibrated else None,
    )


def _lack(metric: Values, human: Values) -> str | None:
    """Why there is no correlation; None if there is one."""
    if metric.size < LEAST_POINTS:
        points = "1 point" if metric.size == 1 else f"{metric.size} points"
        return f"{points} with both scores; three are needed"
    constant = [
        name
        for name, values in (("the metric's", metric), ("the human", human))
        if correlation(values, np.arange(values.size, dtype=np.float64)).r is None
    ]
    return f"{' and '.join(constant)} scores are all the same" if constant else None


def _coefficient(
    groups: Sequence[tuple[Values, Values]],
    kind: Kind,
    lack: str | None,
    grouping: Grouping,
    settings: Settings,
) -> Coefficient:
    if lack is not None or not groups:
        return Coefficient(None, reason=lack)
    found = [correlation(metric, human, kind) for metric, human in groups]
    r = float(np.mean([one.r for one in found if one.r is not None]))
    p, exact = None, False
    if settings.resamples:
        how = {"resamples": settings.resamples, "seed": settings.seed}
        p, exact = permutation_p(groups, kind, r, **how)
    return Coefficient(r, p, None, found[0].p if grouping == "none" else None, exact)


def _corrected(rows: list[Agreement]) -> list[Agreement]:
    """With Holm's correction over the metrics."""
    corrected = {kind: holm([row.coefficients[kind].p for row in rows]) for kind in KINDS}
    return [
        replace(
            row,
            coefficients={
                kind: replace(row.coefficients[kind], p_holm=corrected[kind][place])
                for kind in KINDS
            },
        )
        for place, row in enumerate(rows)
    ]


def _williams(grid: Grid, human: str, level: Level) -> list[Difference]:
    columns = _flat({human: grid.human[human], **grid.metrics}, level)
    tests = williams(columns, human)
    return [
        Difference(
            test="williams",
            kind="pearson",
            human=human,
            level=level,
            grouping="none",
            one=row.one,
            other=row.other,
            difference=None
            if row.one_r is None or row.other_r is None
            else row.one_r - row.other_r,
            statistic=row.t,
            p=row.p,
            p_holm=p,
            points=row.points,
        )
        for row, p in zip(tests, holm([row.p for row in tests]), strict=True)
    ]


def _perm_both(
    grid: Grid, human: str, level: Level, grouping: Grouping, kind: Statistic, settings: Settings
) -> list[Difference]:
    rows = []
    gold = grid.human[human]
    for one, other in combinations(grid.metrics, 2):
        columns = grid.metrics[one], grid.metrics[other]
        # Documents change places also for the scores of systems, if these are made of documents.
        cells = bool(grid.documents) and all(column.averaged for column in columns)
        if level == "document":
            wanted, places = gold.single, _places(grid, level, grouping)
            left, right = (column.single for column in columns)
        else:
            wanted, places = gold.whole, None
            left, right = (c.single if cells else c.whole[:, None] for c in columns)
        how = {"resamples": settings.resamples, "seed": settings.seed}
        difference, p = perm_both(left, right, wanted, places, kind, **how)
        settings.progress(1)
        there = ~(np.isnan(left) | np.isnan(right))
        there = there if level == "document" else np.asarray(there.any(axis=1))
        rows.append(
            Difference(
                test="perm-both",
                kind=kind,
                human=human,
                level=level,
                grouping=grouping,
                one=one,
                other=other,
                difference=difference,
                statistic=None,
                p=p,
                p_holm=None,
                points=int((there & ~np.isnan(wanted)).sum()),
            )
        )
    corrected = holm([row.p for row in rows])
    return [replace(row, p_holm=p) for row, p in zip(rows, corrected, strict=True)]
