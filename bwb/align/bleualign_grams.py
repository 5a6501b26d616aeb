"""The n-grams that both sides of a text have: what all scores of Bleualign are counted from.

A clipped match count is a size of a set intersection once the r-th occurrence of an n-gram is
taken as a feature of its own. N-grams that only one side has never match, and are left out: of a
translation's 2-grams some in ten remain. N-grams that lie across sentences are kept apart: runs
of sentences have them.
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

_BITS = 61  # of a mask, which has to fit into a signed 64-bit number


@dataclass(frozen=True, slots=True)
class Table:
    """The n-grams of one order that both sides have; sentences are counted through both.

    Attributes:
        order: Tokens in an n-gram.
        step: Number of different n-grams.
        sentences: For each n-gram within a sentence, the sentence, rising.
        features: The n-gram plus `step` for each time it occurred before in the sentence.
        across: N-grams across sentences: sentence of the first token, of the last, and n-gram.
        places: The n-gram that begins at each token; -1 if only one side has it.
    """

    order: int
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
        flat = chain.from_iterable(chain(src, tgt))
        self._tokens = np.fromiter(flat, np.int64, len(self._owners))
        self.tables = [self._table(1, self._tokens, np.arange(len(self._owners)))]
        for order in range(2, orders + 1):
            # What both sides have is made of what both sides have.
            after = self.tables[0].places[order - 1 :]
            before = self.tables[-1].places[: len(after)]
            where = np.flatnonzero((before >= 0) & (after >= 0))
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

        split = np.searchsorted(where, self.lengths[: len(self.src)].sum())
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
        return Table(order, step, *numbered, (first[over], last[over], grams[over]), places)

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
    """One side's n-grams, of its sentences and of runs of them, as sets.

    Attributes:
        sentences: The sentences as token numbers.
        orders: Highest n-gram order.
    """

    def __init__(self, grams: Grams, *, target: bool) -> None:
        """Take the source side, or the target side."""
        import numpy as np

        self.sentences, self.orders = grams.tgt if target else grams.src, len(grams.tables)
        self._lengths = [len(sentence) for sentence in self.sentences]
        self._steps = [table.step for table in grams.tables]
        offset = len(grams.src) if target else 0
        numbers = np.arange(offset, offset + len(self.sentences) + 1)
        self._single: list[list[frozenset[int]]] = []
        self._across: list[dict[int, list[tuple[int, int]]]] = []
        for table in grams.tables:
            bounds = np.searchsorted(table.sentences, numbers)
            flat = table.features[bounds[0] : bounds[-1]].tolist()
            bounds -= bounds[0]
            self._single.append([frozenset(flat[a:b]) for a, b in pairwise(bounds.tolist())])
            across: dict[int, list[tuple[int, int]]] = {}
            own = (table.across[0] >= numbers[0]) & (table.across[1] < numbers[-1])
            first, last, gram = (part[own].tolist() for part in table.across)
            for i, j, g in zip(first, last, gram, strict=True):
                across.setdefault(j - offset, []).append((i - offset, g))
            self._across.append(across)
        self._merged: list[dict[Run, frozenset[int]]] = [{} for _ in grams.tables]

    def length(self, run: Run) -> int:
        """The number of tokens of a run."""
        if len(run) == 1:
            return self._lengths[run[0]]
        return sum([self._lengths[i] for i in run])

    def features(self, run: Run, order: int) -> frozenset[int]:
        """The features of a run of consecutive sentences."""
        if len(run) == 1:
            return self._single[order - 1][run[0]]
        known = self._merged[order - 1]
        found = known.get(run)
        if found is None:
            head, last = self.features(run[:-1], order), self.features(run[-1:], order)
            found = known[run] = self.merged(head, last, run, order)
        return found

    def merged(
        self,
        head: frozenset[int],
        last: frozenset[int],
        run: Run,
        order: int,
        given: frozenset[int] | None = None,
    ) -> frozenset[int]:
        """The features of a run of consecutive sentences from those of its parts.

        Args:
            head: Those of the run without its last sentence.
            last: Those of its last sentence.
            run: The run.
            order: Their order.
            given: If given, only those that are among these are counted, in the parts, too.
        """
        again: Iterable[int] = head & last
        if run[-1] in self._across[order - 1]:
            seams = self._across[order - 1][run[-1]]
            again = [*again, *(gram for first, gram in seams if first >= run[0])]
        if not again:
            return head | last
        step = self._steps[order - 1]
        out = {*head, *last}
        free: dict[int, int] = {}
        for gram in again:
            number = free.get(gram % step, gram)
            while number in out:
                number += step
            if given is None or number in given:
                out.add(number)
            free[gram % step] = number
        return frozenset(out)

    def holders(self) -> dict[int, list[int]]:
        """For each n-gram of the highest order the sentences that hold it.

        One that lies across sentences is put down for the first.
        """
        out: dict[int, list[int]] = {}
        for i, features in enumerate(self._single[-1]):
            for gram in features:
                out.setdefault(gram, []).append(i)
        for seams in self._across[-1].values():
            for i, gram in seams:
                out.setdefault(gram, []).append(i)
        return out


def matches(src: Sequence[int], tgt: Sequence[int], orders: int) -> list[int]:
    """The clipped matches of any two token lists, by order, slowly."""
    out = []
    for order in range(1, orders + 1):
        bags = [
            Counter(zip(*(side[d:] for d in range(order)), strict=False)) for side in (src, tgt)
        ]
        out.append((bags[0] & bags[1]).total())
    return out
