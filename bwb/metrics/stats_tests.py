"""Tests on document scores, and what is done with many p-values.

Sources: Student's paired t as in Jiang et al. 2022 (BlonDe), Table 4; Kruskal and Wallis 1952, as
in Jiang et al. 2023 (BWB), and, since the same documents are translated by all systems, Friedman
1937 with Wilcoxon's signed ranks 1945 (Demšar 2006); Holm 1979; letters: Piepho 2004.

Scores are arrays of shape (systems, documents), nan where undefined. A test on paired documents
leaves out those where a score is undefined, and says how many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from bwb.metrics.base import Values

# Differences that are equal but for rounding are ties: decimals kept before ranking.
DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a test found.

    Attributes:
        test: Its name.
        statistic: The difference tested (bootstrap, permutation), t, W, H or χ²; None if
            undefined or infinite.
        p: Two-sided p-value; None if undefined.
        used: Number of resamples or documents that the test rests on.
        undefined: Number of those left out, as a score is undefined there.
        exact: Whether p rests on every possible arrangement, not on draws or an approximation.
    """

    test: str
    statistic: float | None
    p: float | None
    used: int
    undefined: int
    exact: bool = False


def paired_t(one: Values, other: Values) -> Outcome:
    """Student's t for the mean of other - one over documents; n - 1 degrees of freedom.

    Where all differences are 0, p is 1; where they are all equal and not 0, t is infinite (None)
    and p is 0.
    """
    from scipy.stats import ttest_rel

    left, right, lost = _paired(one, other)
    if left.size < 2:
        return Outcome("t", None, None, left.size, lost)
    differences = np.round(right - left, DECIMALS)
    if np.ptp(differences) == 0:
        same = bool(differences[0] == 0)
        return Outcome("t", 0.0 if same else None, float(same), left.size, lost)
    found = ttest_rel(right, left)
    return Outcome("t", float(found.statistic), float(found.pvalue), left.size, lost)


def wilcoxon(one: Values, other: Values) -> Outcome:
    """Wilcoxon's signed ranks of other - one; documents without a difference are dropped.

    The distribution is exact for up to 50 documents without ties, as scipy chooses.
    """
    from scipy.stats import wilcoxon as signed_ranks

    left, right, lost = _paired(one, other)
    differences = np.round(right - left, DECIMALS)
    if not differences.any():
        p = 1.0 if differences.size else None
        return Outcome("wilcoxon", 0.0 if differences.size else None, p, left.size, lost)
    # Zeros are dropped here, for scipy takes them for a reason to approximate.
    found = signed_ranks(differences[differences != 0])
    return Outcome("wilcoxon", float(found.statistic), float(found.pvalue), left.size, lost)


def kruskal_wallis(scores: Values) -> Outcome:
    """Do systems differ in rank? Systems are groups, documents independent samples.

    Raises:
        InputError: if there are fewer than two systems.
    """
    from scipy.stats import kruskal

    if len(scores) < 2:
        raise InputError(f"Kruskal-Wallis compares two systems or more, not {len(scores)}")
    groups = [_ranked(row[~np.isnan(row)]) for row in scores]
    used = sum(group.size for group in groups)
    lost = scores.size - used
    if any(group.size == 0 for group in groups):
        return Outcome("kruskal", None, None, used, lost)
    if np.ptp(np.concatenate(groups)) == 0:
        return Outcome("kruskal", 0.0, 1.0, used, lost)
    found = kruskal(*groups)
    return Outcome("kruskal", float(found.statistic), float(found.pvalue), used, lost)


def friedman(scores: Values) -> Outcome:
    """Do systems differ in rank within documents?

    Raises:
        InputError: if there are fewer than three systems.
    """
    from scipy.stats import friedmanchisquare

    if len(scores) < 3:
        raise InputError(f"Friedman's test compares three systems or more, not {len(scores)}")
    rows = _ranked(scores[:, ~np.isnan(scores).any(axis=0)])
    used, lost = rows.shape[1], scores.shape[1] - rows.shape[1]
    if used < 2:
        return Outcome("friedman", None, None, used, lost)
    if not np.ptp(rows, axis=0).any():
        return Outcome("friedman", 0.0, 1.0, used, lost)
    found = friedmanchisquare(*rows)
    return Outcome("friedman", float(found.statistic), float(found.pvalue), used, lost)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction: p-values that may be compared with the level of the whole family.

    The k-th smallest of m is multiplied by m - k + 1, is no smaller than the one before it, and
    no larger than 1. What is undefined stays so, and is not one of the m.

    Raises:
        UsageError: if something is no p-value.
    """
    for p in p_values:
        if p is not None and not 0 <= p <= 1:
            raise UsageError(f"{p} is no p-value; expected a number from 0 to 1")
    ranked = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, place) in enumerate(ranked):
        least = max(least, min(1.0, p * (len(ranked) - rank)))
        corrected[place] = least
    return corrected


def letters(order: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Compact letter display: two systems share a letter just where they do not differ.

    Args:
        order: The systems, best first; letters are given in this order.
        different: The pairs whose difference is significant.

    Returns:
        System → its letters, such as ``ab``.
    """
    places = {name: place for place, name in enumerate(order)}
    groups = [frozenset(places.values())]
    for pair in different:
        one, other = (places[name] for name in pair)
        split = []
        for group in groups:
            parts = [group - {one}, group - {other}] if {one, other} <= group else [group]
            split += parts
        distinct = list(dict.fromkeys(split))
        groups = [g for g in distinct if g and not any(g < more for more in distinct)]
    ranked = sorted(groups, key=sorted)
    return {
        name: "".join(_letter(n) for n, group in enumerate(ranked) if place in group)
        for name, place in places.items()
    }


def _letter(number: int) -> str:
    """The letters from a to z, then a1 to z1, and so on."""
    again, place = divmod(number, 26)
    return chr(ord("a") + place) + (str(again) if again else "")


def _paired(one: Values, other: Values) -> tuple[Values, Values, int]:
    if one.shape != other.shape:
        raise InputError(f"paired scores of {one.size} and {other.size} documents; expected equal")
    both = ~(np.isnan(one) | np.isnan(other))
    return one[both], other[both], int(one.size - both.sum())


def _ranked(scores: Values) -> Any:  # noqa: ANN401 - an array, whatever its shape
    return np.round(scores, DECIMALS)
