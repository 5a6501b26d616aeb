"""The counts of all systems as one array, and every score that can be made of it.

A score has a name: ``score`` is the number a metric reports, ``precision``, ``recall``, ``f1`` and
``exact_match`` are those of all classes together, ``PER.recall`` is the recall of a class.

A row of weights says how often each document counts. The corpus is a row of ones, a document a
row with a single one, a resample a row of how often each document was drawn: so one matrix
product gives the counts, and one call of the metric the scores, of thousands of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bwb.errors import InputError, UnknownNameError
from bwb.metrics.base import divide, f1

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bwb.metrics.base import Metric, Tally, Values

# Numbers held at a time while rows of weights are scored; 8 bytes each.
BLOCK = 1 << 21

OVERALL = ("score", "precision", "recall", "f1", "exact_match")
_RATIOS = ("precision", "recall", "f1")


class NamedScores:
    """The scores of a metric by name, from arrays of counts; nan where undefined."""

    def __init__(self, metric: Metric, totals: Mapping[str, Values]) -> None:
        """Compute nothing yet."""
        self.metric = metric
        self.totals = totals

    def __getitem__(self, name: str) -> Values:
        """The array of a score.

        Raises:
            UnknownNameError: if the metric has no such score.
        """
        if name == "score":
            return self.metric.values(self.totals)
        if name == "exact_match":
            exact = self.metric.exact_match(self.totals)
            return np.full(1, np.nan) if exact is None else exact
        if name in _RATIOS:
            return self._ratio(_headline(self.metric), name)
        kind, _, ratio = name.rpartition(".")
        if ratio not in _RATIOS or kind not in _classes(self.metric):
            raise UnknownNameError(f"score of {self.metric.name}", name, score_names(self.metric))
        return self._ratio(kind, ratio)

    @cached_property
    def family(self) -> dict[str, dict[str, Values]]:
        """Scores that are not made of the three counts of a class, which have much in common."""
        return self.metric.ratios(self.totals)

    def _ratio(self, kind: str, ratio: str) -> Values:
        if kind in self.family:
            return self.family[kind][ratio]
        if ratio == "f1":
            return f1(self.totals, kind)
        zero = np.zeros(1)
        side = "system" if ratio == "precision" else "reference"
        matched = self.totals.get(f"{kind}.matched", zero)
        return divide(matched, self.totals.get(f"{kind}.{side}", zero))


def score_names(metric: Metric) -> list[str]:
    """All scores that a metric has a name for, defined or not."""
    return [*OVERALL, *(f"{kind}.{ratio}" for kind in _classes(metric) for ratio in _RATIOS)]


@dataclass(frozen=True, eq=False)
class CountTable:
    """What a metric counted in each document of each system.

    Attributes:
        metric: The metric.
        systems: Names of the systems.
        documents: Number of documents.
        keys: Names of the counts; those that no system has are not among them.
        counts: Shape (keys, systems, documents).
    """

    metric: Metric
    systems: tuple[str, ...]
    documents: int
    keys: tuple[str, ...]
    counts: Values

    @classmethod
    def of(cls, metric: Metric, tallies: Mapping[str, Sequence[Tally]]) -> CountTable:
        """Lay out the counts.

        Args:
            metric: The metric that made the tallies.
            tallies: For each system, one tally a document, in the same order of documents.

        Raises:
            InputError: if there is none, or systems differ in their number of documents.
        """
        sizes = {len(rows) for rows in tallies.values()}
        if len(sizes) > 1:
            raise InputError(f"the systems have different numbers of documents: {sorted(sizes)}")
        if not sizes or 0 in sizes:
            raise InputError(f"{metric.name}: there are no documents")
        documents = sizes.pop()
        every = [tally.counts for rows in tallies.values() for tally in rows]
        keys = tuple(sorted({key for counts in every for key in counts}))
        flat = np.array([[counts.get(key, 0.0) for counts in every] for key in keys])
        counts = flat.reshape(len(keys), len(tallies), documents)
        return cls(metric, tuple(tallies), documents, keys, counts)

    def scores(self, weights: Values, of: Sequence[str] = ("score",)) -> Values:
        """The scores of rows of weights, a block at a time.

        Args:
            weights: How often each document counts; shape (rows, documents).
            of: Names of scores.

        Returns:
            Shape (scores, systems, rows); nan where undefined.
        """
        found = np.empty((len(of), len(self.systems), len(weights)))
        flat = self.counts.reshape(-1, self.documents)
        for start, block in _blocks(weights, max(len(flat), 1)):
            sums = (flat @ block.T).reshape(len(self.keys), len(self.systems), len(block))
            found[:, :, start : start + len(block)] = self._evaluate(sums, of)
        return found

    def _evaluate(self, sums: Values, of: Sequence[str]) -> Values:
        """The scores of sums of counts; from shape (keys, systems, rows) to (scores, …)."""
        shape = sums.shape[1:]
        flat = sums.reshape(len(self.keys), shape[0] * shape[1])
        named = NamedScores(self.metric, dict(zip(self.keys, flat, strict=True)))
        rows = [np.broadcast_to(named[name], flat.shape[1:]).reshape(shape) for name in of]
        return np.array(rows).reshape(len(of), *shape)

    def corpus(self, of: Sequence[str] = ("score",)) -> Values:
        """The scores of all documents together; shape (scores, systems)."""
        return self.scores(np.ones((1, self.documents)), of)[:, :, 0]

    def by_document(self, of: Sequence[str] = ("score",)) -> Values:
        """The scores of each document alone; shape (scores, systems, documents)."""
        return self._evaluate(self.counts, of)

    def pooled(self, one: str, other: str) -> CountTable:
        """Two systems as one of twice as many documents: those of the first, then the second's.

        Rows of weights can then pick for each document whose output counts.
        """
        places = [self.systems.index(name) for name in (one, other)]
        counts = self.counts[:, places, :].reshape(len(self.keys), 1, -1)
        return CountTable(self.metric, (f"{one}+{other}",), 2 * self.documents, self.keys, counts)


def _blocks(weights: Values, width: int) -> Iterator[tuple[int, Values]]:
    size = max(1, BLOCK // width)
    for start in range(0, len(weights), size):
        yield start, weights[start : start + size]


def _headline(metric: Metric) -> str:
    return getattr(metric, "headline", metric.overall)


def _classes(metric: Metric) -> list[str]:
    from bwb.metrics.blonde import Blonde

    found = list(metric.classes)
    if isinstance(metric, Blonde):
        listed = metric.settings.lists.classes
        found += [f"{category}.{name}" for category in listed for name in listed[category]]
    return found
