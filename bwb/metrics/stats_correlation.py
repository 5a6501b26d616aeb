"""How metrics agree: correlations, their matrix, and Williams' test of two of them.

Sources: Pearson's r, Spearman's ρ, Kendall's τ-b (ties corrected), with the two-sided p-values of
scipy; Williams 1959 as in Steiger 1980, equation 7, and Graham and Baldwin 2014 (section 3).

Points where a score is undefined are left out pair by pair, so that the cells of a matrix may rest
on different numbers of points; each says on how many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bwb.errors import InputError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Values

Kind = Literal["pearson", "spearman", "kendall"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# With two points every correlation is 1 or -1.
LEAST_POINTS = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation.

    Attributes:
        r: The coefficient; None for fewer than three points, or where one side is constant.
        p: Two-sided p-value for no correlation; None if undefined.
        points: Number of points where both are defined.
    """

    r: float | None
    p: float | None
    points: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """All correlations between some columns.

    Attributes:
        kind: The coefficient.
        names: Names of the columns.
        cells: A row a column, a cell a column; symmetric, with 1 in the diagonal.
    """

    kind: Kind
    names: tuple[str, ...]
    cells: tuple[tuple[Correlation, ...], ...]


@dataclass(frozen=True, slots=True)
class Williams:
    """Whether two columns correlate differently with a third.

    Attributes:
        one: Name of a column.
        other: Name of another.
        one_r: Correlation of `one` with the gold column; None if undefined.
        other_r: Correlation of `other` with it.
        between: Correlation of the two.
        t: The statistic, positive if `one` correlates more highly; None if undefined.
        p: Its p-value, two-sided.
        points: Number of points where all three are defined.
    """

    one: str
    other: str
    one_r: float | None
    other_r: float | None
    between: float | None
    t: float | None
    p: float | None
    points: int


def correlation(one: Values, other: Values, kind: Kind = "pearson") -> Correlation:
    """Correlate two columns.

    Args:
        one: Shape (points,); nan where undefined.
        other: As many.
        kind: The coefficient.

    Raises:
        InputError: if they differ in length.
        UnknownNameError: if there is no such coefficient.
    """
    from scipy import stats

    if kind not in KINDS:
        raise UnknownNameError("correlation", kind, KINDS)
    if one.shape != other.shape:
        raise InputError(f"columns of {one.size} and {other.size} points; expected as many")
    both = ~(np.isnan(one) | np.isnan(other))
    left, right = one[both], other[both]
    if left.size < LEAST_POINTS or _constant(left) or _constant(right):
        return Correlation(None, None, int(left.size))
    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = function[kind](left, right)
    return Correlation(float(found.statistic), float(found.pvalue), int(left.size))


def matrix(columns: Mapping[str, Values], kind: Kind = "pearson") -> Matrix:
    """Correlate every column with every other."""
    found = {}
    for one, other in combinations(columns, 2):
        cell = correlation(columns[one], columns[other], kind)
        found[one, other] = found[other, one] = cell
    for name, values in columns.items():
        points = int((~np.isnan(values)).sum())
        found[name, name] = Correlation(1.0 if points else None, None, points)
    names = tuple(columns)
    return Matrix(kind, names, tuple(tuple(found[a, b] for b in names) for a in names))


def mean_matrix(matrices: Sequence[Matrix]) -> Matrix:
    """The plain mean, cell by cell, of the coefficients that are defined; without p-values.

    Raises:
        InputError: if there is none, or they are not of the same columns and kind.
    """
    if len({(one.kind, one.names) for one in matrices}) != 1:
        raise InputError("a mean of matrices needs one or more, of the same columns and kind")
    first = matrices[0]
    size = range(len(first.names))
    cells = tuple(tuple(_mean([m.cells[i][j] for m in matrices]) for j in size) for i in size)
    return Matrix(first.kind, first.names, cells)


def williams_test(
    r12: float, r13: float, r23: float, points: int, *, one_sided: bool = False
) -> tuple[float | None, float | None]:
    """Test r12 = r13, two correlations with the same variable 1, measured on the same points.

    t = (r12 - r13) √((n - 1)(1 + r23) / (2 K (n - 1)/(n - 3) + (r12 + r13)²/4 · (1 - r23)³)) with
    K = 1 - r12² - r13² - r23² + 2 r12 r13 r23 and n - 3 degrees of freedom.

    Args:
        r12: Correlation of variable 2, such as a metric, with variable 1, such as human judgement.
        r13: Correlation of variable 3 with variable 1.
        r23: Correlation of variables 2 and 3.
        points: The number n of points.
        one_sided: Whether only r12 > r13 is of interest.

    Returns:
        t and p; None and None where 2 and 3 are the same variable but for scale.

    Raises:
        InputError: if there are fewer than four points, or no variables can correlate like this.
        UsageError: if something is no correlation.
    """
    from scipy.stats import t as student

    for r in (r12, r13, r23):
        if not -1 <= r <= 1:
            raise UsageError(f"{r} is no correlation; expected a number from -1 to 1")
    if points < 4:
        raise InputError(f"Williams' test needs four points or more, not {points}")
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -1e-9:
        raise InputError(f"no three variables have the correlations {r12:g}, {r13:g} and {r23:g}")
    # Two copies of one variable leave nothing but rounding in both parts of the ratio.
    if 1 - abs(r23) < 1e-12:
        return None, None
    below = 2 * max(k, 0) * (points - 1) / (points - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if below <= 0:
        return None, None
    t = (r12 - r13) * math.sqrt((points - 1) * (1 + r23) / below)
    tail = float(student.sf(t if one_sided else abs(t), points - 3))
    return t, tail if one_sided else 2 * tail


def williams(columns: Mapping[str, Values], gold: str) -> list[Williams]:
    """Williams' test of every two columns against a gold one, by Pearson's r.

    Args:
        columns: Shape (points,) each; nan where undefined.
        gold: Name of the column that the others are held against.

    Raises:
        UnknownNameError: if there is no such column.
    """
    if gold not in columns:
        raise UnknownNameError("column", gold, columns)
    others = [name for name in columns if name != gold]
    return [_williams(columns, gold, one, other) for one, other in combinations(others, 2)]


def _williams(columns: Mapping[str, Values], gold: str, one: str, other: str) -> Williams:
    table = np.stack([columns[name] for name in (gold, one, other)])
    table = table[:, ~np.isnan(table).any(axis=0)]
    points = table.shape[1]
    r12, r13, r23 = (correlation(table[i], table[j]).r for i, j in ((0, 1), (0, 2), (1, 2)))
    t, p = None, None
    if r12 is not None and r13 is not None and r23 is not None and points >= 4:
        t, p = williams_test(r12, r13, r23, points)
    return Williams(one, other, r12, r13, r23, t, p, points)


def _mean(cells: Sequence[Correlation]) -> Correlation:
    defined = [cell.r for cell in cells if cell.r is not None]
    mean = sum(defined) / len(defined) if defined else None
    return Correlation(mean, None, sum(cell.points for cell in cells))


def _constant(values: Values) -> bool:
    """Whether all values are equal but for rounding."""
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))
