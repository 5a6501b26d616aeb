"""The n-grams that both sides of a text have: what all scores of Bleualign are counted from.

A clipped match count is a size of a set intersection once the r-th occurrence of an n-gram is
taken as a feature of its own. N-grams that only one side has never match, and are left out: of the
2-grams of a word-for-word translation one in ten remains. N-grams that lie across sentences are
kept apart: only runs of sentences have them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

Run: TypeAlias = tuple[int, ...]
Features: TypeAlias = tuple[frozenset[int], ...]  # of each order

_BITS = 61  # of a mask, which has to fit into a signed 64-bit number


@dataclass(frozen=True, slots=True)
class Table:
    """The n-grams of one order that both sides have; sentences are counted through both.

    Attributes:
        step: Number of different n-grams.
        sentences: For each n-gram within a sentence, the sentence, rising.
        features: The n-gram plus `step` for each time it occurred before in the sentence.
        across: N-grams across sentences: sentence of the first token, of the last, and n-gram.
        places: The n-gram that begins at each token; -1 if only one side has it.
    """

    step: int
    sentences: NDArray[np.int64]
    features: NDArray[np.int64]
    across: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    places: NDArray[np.int64]


class Grams:
    """The n-grams of two sides.

    Attributes:
        src: Source sentences as token numbers.
        tgt: Target sentences likewise.
        lengths: Number of tokens of each sentence, first all of the source, then of the target.
        tables: N-grams of each order.
    """

    def __init__(
        self, src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]], orders: int
    ) -> None:
        """Find them, up to an order."""
        import numpy as np

        self.src, self.tgt = src, tgt
        self.lengths = np.fromiter(map(len, chain(src, tgt)), np.int64, len(src) + len(tgt))
        self._owners = np.repeat(np.arange(len(self.lengths)), self.lengths)
        self._border = int(self.lengths[: len(src)].sum())  # the first token of the target
        flat = chain.from_iterable(chain(src, tgt))
        self._tokens = np.fromiter(flat, np.int64, len(self._owners))
        self.tables = [self._table(1, self._tokens, np.arange(len(self._owners)))]
        for order in range(2, orders + 1):
            # What both sides have is made of what both sides have.
            after = self.tables[0].places[order - 1 :]
            before = self.tables[-1].places[: len(after)]
            where = np.flatnonzero((before >= 0) & (after >= 0))
            where = where[(where + order <= self._border) | (where >= self._border)]
            keys = before[where] * self.tables[0].step + after[where]
            self.tables.append(self._table(order, np.unique(keys, return_inverse=True)[1], where))

    def _table(self, order: int, grams: NDArray[np.int64], where: NDArray[np.int64]) -> Table:
        """Number the n-grams that both sides have.

        Args:
            order: Their order.
            grams: A number for each.
            where: The token each begins with, rising.
        """
        import numpy as np

        split = np.searchsorted(where, self._border)
        held = np.zeros((2, int(grams.max(initial=-1)) + 1), dtype=bool)
        held[0, grams[:split]] = True
        held[1, grams[split:]] = True
        both = held[0] & held[1]
        keep = both[grams]
        grams, where = (np.cumsum(both) - 1)[grams[keep]], where[keep]
        places = np.full(max(len(self._owners) - order + 1, 0), -1)
        places[where] = grams
        first, last = self._owners[where], self._owners[where + order - 1]
        within, over = first == last, first < last
        step = int(both.sum())
        numbered = _numbered(first[within], grams[within], step)
        return Table(step, *numbered, (first[over], last[over], grams[over]), places)

    @cached_property
    def masks(self) -> list[int]:
        """A number for each sentence: a bit for each token, though some tokens share one.

        Sentences or runs of the same tokens have the same mask, and few others.
        """
        import numpy as np

        out = np.zeros(len(self.lengths), dtype=np.int64)
        full = self.lengths > 0
        if full.any():
            bits = np.left_shift(1, self._tokens % _BITS)
            starts = np.cumsum(self.lengths) - self.lengths
            out[full] = np.bitwise_or.reduceat(bits, starts[full])
        numbers: list[int] = out.tolist()
        return numbers


def _numbered(
    sentences: NDArray[np.int64], grams: NDArray[np.int64], step: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sentences and features of n-grams."""
    import numpy as np

    keys = np.sort(sentences * step + grams)
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = keys[1:] != keys[:-1]
    begin = np.flatnonzero(fresh)
    before = np.arange(len(keys)) - np.repeat(begin, np.diff(np.append(begin, len(keys))))
    sentences, grams = np.divmod(keys, max(step, 1))
    return sentences, grams + before * step


class Side:
    """One side's n-grams, of its sentences and of runs of them.

    Attributes:
        sentences: The sentences as token numbers.
    """

    def __init__(self, grams: Grams, *, target: bool) -> None:
        """Take the source side, or the target side."""
        import numpy as np

        self.sentences = grams.tgt if target else grams.src
        self._lengths = [len(sentence) for sentence in self.sentences]
        self._steps = [table.step for table in grams.tables]
        offset = len(grams.src) if target else 0
        numbers = np.arange(offset, offset + len(self.sentences) + 1)
        single: list[list[frozenset[int]]] = []
        # For each order, of the sentences in which n-grams end that begin in one before: these.
        self._across: list[dict[int, list[tuple[int, int]]]] = []
        for table in grams.tables:
            bounds = np.searchsorted(table.sentences, numbers)
            flat = table.features[bounds[0] : bounds[-1]].tolist()
            bounds -= bounds[0]
            single.append([frozenset(flat[a:b]) for a, b in pairwise(bounds.tolist())])
            across: dict[int, list[tuple[int, int]]] = {}
            own = (table.across[0] >= numbers[0]) & (table.across[0] < numbers[-1])
            first, last, gram = (part[own].tolist() for part in table.across)
            for i, j, g in zip(first, last, gram, strict=True):
                across.setdefault(j - offset, []).append((i - offset, g))
            self._across.append(across)
        self._single: list[Features] = [*zip(*single, strict=True)]
        self._merged: dict[Run, Features] = {}

    def length(self, run: Run) -> int:
        """The number of tokens of a run."""
        if len(run) == 1:
            return self._lengths[run[0]]
        return sum([self._lengths[i] for i in run])

    def features(self, run: Run) -> Features:
        """The features of a run of consecutive sentences."""
        if len(run) == 1:
            return self._single[run[0]]
        found = self._merged.get(run)
        if found is None:
            found = self.merged(self.features(run[:-1]), self.features(run[-1:]), run)
            self._merged[run] = found
        return found

    def merged(
        self, head: Features, last: Features, run: Run, given: Features | None = None
    ) -> Features:
        """The features of a run of consecutive sentences from those of its parts.

        Args:
            head: Those of the run without its last sentence.
            last: Those of its last sentence.
            run: The run.
            given: If given, only those that are among these are counted, in the parts, too.
        """
        out = []
        for k, across in enumerate(self._across):
            again: Iterable[int] = head[k] & last[k]
            if run[-1] in across:
                again = [*again, *(gram for first, gram in across[run[-1]] if first >= run[0])]
            both = head[k] | last[k]
            if again:
                both = _counted_on(both, again, self._steps[k], given[k] if given else None)
            out.append(both)
        return tuple(out)

    def holders(self) -> dict[int, list[int]]:
        """For each n-gram of the highest order the sentences that hold it.

        One that lies across sentences is put down for the first.
        """
        out: dict[int, list[int]] = {}
        for i, features in enumerate(self._single):
            for gram in features[-1]:
                out.setdefault(gram, []).append(i)
        for seams in self._across[-1].values():
            for i, gram in seams:
                out.setdefault(gram, []).append(i)
        return out

    def matches(self, run: Run, other: Side, others: Run) -> list[int]:
        """The clipped matches of any run with any of the other side, by order, slowly."""
        out = []
        pair = (self.sentences, run), (other.sentences, others)
        tokens = [[token for i in part for token in side[i]] for side, part in pair]
        for order in range(1, len(self._steps) + 1):
            left, right = (
                Counter(zip(*(side[d:] for d in range(order)), strict=False)) for side in tokens
            )
            out.append((left & right).total())
        return out


def _counted_on(
    features: frozenset[int], again: Iterable[int], step: int, given: frozenset[int] | None
) -> frozenset[int]:
    """Features with n-grams that occur again, each as often as it is listed."""
    out = set(features)
    free: dict[int, int] = {}
    for gram in again:
        number = free.get(gram % step, gram)
        while number in out:
            number += step
        if given is None or number in given:
            out.add(number)
        free[gram % step] = number
    return frozenset(out)
