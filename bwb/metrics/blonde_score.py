"""From BlonDe's counts to its scores, for one text or for ten thousand resamples at once.

Recall of a category is matched / reference, precision matched / system; with no denominator it is
undefined (nan here) and left out of every mean. A category without a match would make a geometric
mean 0: the paper replaces the match by δ = 0.0001, the reference package the ratio by 0.00001.
F1 is the harmonic mean of the averaged precision and the averaged recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bwb.metrics.base import divide
from bwb.metrics.blonde_settings import CATEGORIES, DISCOURSE, NGRAMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.metrics.blonde_settings import Settings

# Jiang et al. 2022, footnote 15.
DELTA = 1e-4
# The reference package.
LEAST_RATIO = 1e-5


class Ratios(NamedTuple):
    """Precision and recall of one thing; nan where undefined."""

    precision: Values
    recall: Values

    @property
    def f1(self) -> Values:
        """Harmonic mean; 0 where just one of the two is undefined, nan where both are."""
        both = divide(2 * self.precision * self.recall, self.precision + self.recall)
        some = np.isnan(self.precision) != np.isnan(self.recall)
        none = (self.precision == 0) & (self.recall == 0)
        return np.where(some | none, 0.0, both)


def all_ratios(totals: Mapping[str, Values], settings: Settings) -> dict[str, Ratios]:
    """Precision and recall of every category that is scored, and of every mean.

    Args:
        totals: Counts, arrays of one shape.
        settings: The choices.

    Returns:
        By name: the categories, ``dBlonDe``, ``sBlonDe``, ``BlonDe`` and, if asked for,
        ``BlonDe+``.
    """
    sides = [_one_side(totals, settings, side) for side in ("system", "reference")]
    if settings.effective_order and settings.variant != "paper":
        # The reference package takes the recalls for precisions here.
        sides[0] = {**sides[0], **{n: sides[1][n] for n in NGRAMS if n in sides[1]}}
    means = [_means(side, totals, settings, name) for side, name in zip(sides, _SIDES, strict=True)]
    return {name: Ratios(means[0][name], means[1][name]) for name in means[0]}


_SIDES = ("system", "reference")


def _one_side(totals: Mapping[str, Values], settings: Settings, side: str) -> dict[str, Values]:
    """Ratio of each category to one side, n-grams smoothed."""
    ratios = {}
    share = np.ones(1)
    for name in settings.scored:
        matched, whole = _counts(totals, name, side)
        ratio = divide(matched, whole)
        if name in NGRAMS:
            missing = (matched == 0) & (whole > 0)
            if settings.smoothing == "exp":
                # The reference package doubles where it means to halve: an order without a match
                # is given two of them.
                step = 0.5 if settings.variant == "paper" else 2.0
                share = np.where(missing, step * share, share)
                ratio = np.where(missing, divide(share + 0 * whole, whole), ratio)
            elif settings.smoothing == "floor":
                ratio = np.where(missing, divide(settings.floor_value + 0 * whole, whole), ratio)
            elif settings.smoothing == "add-k" and name != "1":
                k = settings.floor_value
                ratio = np.where(whole > 0, divide(matched + k, whole + k), ratio)
            if settings.effective_order and settings.variant == "paper":
                ratio = np.where(missing, np.nan, ratio)
        ratios[name] = ratio
    return ratios


def _means(
    side: dict[str, Values], totals: Mapping[str, Values], settings: Settings, name: str
) -> dict[str, Values]:
    """The ratios of a side, and their means."""
    floored = {c: _floored(c, ratio, totals, settings, name) for c, ratio in side.items()}
    discourse = _mean([c for c in DISCOURSE if c in side], floored, settings)
    kept = discourse if settings.variant == "paper" else np.maximum(discourse, LEAST_RATIO)
    floored["dBlonDe"] = kept
    plain = [c for c in CATEGORIES if c in side]
    orders = [c for c in NGRAMS if c in side]
    # The reference package averages all eight with dBlonDe, so that four of them count twice.
    parts = orders if settings.variant == "paper" else plain
    means = {
        "dBlonDe": discourse,
        "sBlonDe": _mean([*parts, "dBlonDe"], floored, settings),
        "BlonDe": _mean(plain, floored, settings),
    }
    if settings.plus:
        means["BlonDe+"] = _mean(list(side), floored, settings)
    return {**side, **means}


def _floored(
    category: str, ratio: Values, totals: Mapping[str, Values], settings: Settings, side: str
) -> Values:
    """A ratio that has a logarithm."""
    if settings.average == "arithmetic":
        return ratio
    if settings.variant != "paper":
        return np.maximum(ratio, LEAST_RATIO)
    _, whole = _counts(totals, category, side)
    return np.where(ratio == 0, divide(DELTA + 0 * whole, whole), ratio)


def _mean(names: Sequence[str], ratios: Mapping[str, Values], settings: Settings) -> Values:
    """Weighted mean of what is defined; nan where nothing is."""
    if not names:
        return np.full(1, np.nan)
    shape = np.broadcast_shapes(*(ratios[name].shape for name in names))
    values = np.stack([np.broadcast_to(ratios[name], shape) for name in names])
    weights = np.array([settings.weight_of(name) for name in names])
    shares = np.where(np.isnan(values), 0.0, weights.reshape(-1, *(1 for _ in shape)))
    if settings.average == "geometric":
        logs = np.log(np.where(shares > 0, values, 1.0))
        return np.exp(divide((shares * logs).sum(0), shares.sum(0)))
    return divide((shares * np.nan_to_num(values)).sum(0), shares.sum(0))


def _counts(totals: Mapping[str, Values], name: str, side: str) -> tuple[Values, Values]:
    zero = np.zeros(1)
    return totals.get(f"{name}.matched", zero), totals.get(f"{name}.{side}", zero)
