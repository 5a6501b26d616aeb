"""Does it matter whether raters see a sentence alone or a passage?

That it does, and that documents tell human from machine translation where sentences do not, is the
finding of Läubli et al. 2018 that the design is made to repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bwb.human.results import draws, means, resampled
from bwb.metrics.stats import interval

if TYPE_CHECKING:
    from bwb.human.results import Cell
    from bwb.metrics.stats import Interval


@dataclass(frozen=True, slots=True)
class Shift:
    """A system's share of comparisons won in documents, less that in sentences.

    Attributes:
        criterion: The criterion.
        system: The system.
        sentence: Share won in sentences.
        document: Share won in documents.
        difference: Document minus sentence.
        interval: Interval of the difference; items of both units are resampled.
    """

    criterion: str
    system: str
    sentence: float
    document: float
    difference: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Orders:
    """Whether sentences and documents rank systems alike.

    Attributes:
        criterion: The criterion.
        sentence: Systems by sentences, the best first.
        document: Systems by documents, the best first.
        tau: Kendall's τ-b between the two; None if all are equal in one of them.
        swapped: Pairs whose order differs; the first is better in sentences.
        same: Share of resamples in which no pair changes its order between the units.
    """

    criterion: str
    sentence: tuple[str, ...]
    document: tuple[str, ...]
    tau: float | None
    swapped: tuple[tuple[str, str], ...]
    same: float


def shifts(
    sentence: Cell, document: Cell, *, resamples: int = 10_000, seed: int = 12345
) -> tuple[list[Shift], Orders] | None:
    """Whether the unit matters; None if a system or a second item lacks in one of the units.

    Args:
        sentence: The sentences of a criterion.
        document: Its documents.
        resamples: How often to draw items.
        seed: Seed of the draws.
    """
    from scipy.stats import kendalltau

    by_unit = [means(cell.won) for cell in (sentence, document)]
    weights = [
        draws(cell, resamples, seed + step) for step, cell in enumerate((sentence, document))
    ]
    if np.isnan(by_unit).any() or weights[0] is None or weights[1] is None:
        return None
    by_draw = [
        resampled(cell.won, drawn)
        for cell, drawn in zip((sentence, document), (weights[0], weights[1]), strict=True)
    ]
    systems = sentence.systems
    rows = [
        Shift(
            sentence.criterion,
            system,
            float(by_unit[0][place]),
            float(by_unit[1][place]),
            float(by_unit[1][place] - by_unit[0][place]),
            interval(by_draw[1][:, place] - by_draw[0][:, place]),
        )
        for place, system in enumerate(systems)
    ]
    ranked = [sorted(range(len(systems)), key=lambda i: -values[i]) for values in by_unit]
    tau = float(kendalltau(*by_unit).statistic) if all(map(np.ptp, by_unit)) else None
    swapped = [
        (systems[a], systems[b])
        for a, b in combinations(ranked[0], 2)
        if (by_unit[0][a] - by_unit[0][b]) * (by_unit[1][a] - by_unit[1][b]) < 0
    ]
    same = np.ones(len(by_draw[0]), dtype=bool)
    for a, b in combinations(range(len(systems)), 2):
        signs = [np.sign(np.round(values[:, a] - values[:, b], 12)) for values in by_draw]
        same &= signs[0] * signs[1] >= 0
    names = [tuple(systems[place] for place in order) for order in ranked]
    share = float(same.mean())
    return rows, Orders(sentence.criterion, names[0], names[1], tau, tuple(swapped), share)
