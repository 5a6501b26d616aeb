"""The n-grams that both sides of a text have: what all scores of Bleualign are counted from.

A clipped match count is a size of a set intersection once the r-th occurrence of an n-gram is
taken as a feature of its own. N-grams that only one side has never match, and are left out: of a
translation's 2-grams some in ten remain. N-grams that lie across sentences are kept apart: runs
of sentences have them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

Run: TypeAlias = tuple[int, ...]

_BITS = 61  # of a mask, which has to fit into a signed 64-bit number


@dataclass(frozen=True, slots=True)
class Table:
    """The n-grams of one order; sentences and tokens are counted through both sides.

    Attributes:
        order: Tokens in an n-gram.
        step: Number of different n-grams.
        sentences: For each n-gram within a sentence, the sentence, rising.
        features: The n-gram plus `step` for each time it occurred before in the sentence.
        places: The n-gram that begins at each token, across sentences, too; -1 if only one side
            has it.
    """

    order: int
    step: int
    sentences: NDArray[np.int64]
    features: NDArray[np.int64]
    places: NDArray[np.int64]


class Grams:
    """The n-grams of two sides.

    Attributes:
        src: Source sentences as token numbers.
        tgt: Target sentences likewise.
        lengths: Number of tokens of each sentence, first all of the source, then of the target.
        owners: The sentence of each token.
        tables: N-grams of each order.
    """

    def __init__(
        self, src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]], orders: int
    ) -> None:
        """Find them, up to an order."""
        import numpy as np

        self.src, self.tgt = src, tgt
        self.lengths = np.fromiter(map(len, chain(src, tgt)), np.int64, len(src) + len(tgt))
        self.owners = np.repeat(np.arange(len(self.lengths)), self.lengths)
        flat = chain.from_iterable(chain(src, tgt))
        self._tokens = np.fromiter(flat, np.int64, len(self.owners))
        self.tables = [self._table(1, self._tokens, np.arange(len(self.owners)))]
        for order in range(2, orders + 1):
            # Both ends of what both sides have are what both sides have.
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
        shared = np.zeros((2, int(grams.max(initial=-1)) + 1), dtype=bool)
        shared[0, grams[:split]] = True
        shared[1, grams[split:]] = True
        both = shared[0] & shared[1]
        keep = both[grams]
        grams, where = (np.cumsum(both) - 1)[grams[keep]], where[keep]
        places = np.full(max(len(self.owners) - order + 1, 0), -1)
        places[where] = grams
        within = self.owners[where] == self.owners[where + order - 1]
        step = int(both.sum())
        return Table(
            order, step, *_numbered(self.owners[where[within]], grams[within], step), places
        )

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
        return out.tolist()


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
    """One side's n-grams, of its sentences and of runs of them, as sets."""

    def __init__(self, grams: Grams, first: int, sentences: Sequence[Sequence[int]]) -> None:
        """Take one side of all n-grams.

        Args:
            grams: Those of both sides.
            first: Number of sentences before this side.
            sentences: Those of this side, as token numbers.
        """
        import numpy as np

        self.sentences, self.tables = sentences, grams.tables
        numbers = np.arange(first, first + len(sentences) + 1)
        starts = np.searchsorted(grams.owners, numbers)
        self._starts = (starts - starts[0]).tolist()
        self._places: list[list[int]] = []
        self._features: list[tuple[list[int], list[int]]] = []
        self._known: list[dict[Run, frozenset[int]]] = [{} for _ in grams.tables]
        for table in grams.tables:
            bounds = np.searchsorted(table.sentences, numbers)
            features = table.features[bounds[0] : bounds[-1]]
            self._features.append((features.tolist(), (bounds - bounds[0]).tolist()))
            self._places.append(table.places[starts[0] : starts[-1]].tolist())

    def length(self, run: Run) -> int:
        """The number of tokens of a run."""
        return sum([len(self.sentences[i]) for i in run])

    def features(self, run: Run, order: int) -> frozenset[int]:
        """The features of a run of consecutive sentences."""
        known = self._known[order - 1]
        found = known.get(run)
        if found is None:
            if len(run) == 1:
                flat, bounds = self._features[order - 1]
                found = frozenset(flat[bounds[run[0]] : bounds[run[0] + 1]])
            else:
                found = self.merged(
                    self.features(run[:-1], order), self.features(run[-1:], order), run, order
                )
            known[run] = found
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
        if order > 1 and (seam := self._seam(run, order)):
            again = [*again, *seam]
        if not again:
            return head | last
        step = self.tables[order - 1].step
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

    def _seam(self, run: Run, order: int) -> list[int]:
        """The n-grams that end in a run's last sentence and begin in one before."""
        begin, at, end = (self._starts[i] for i in (run[0], run[-1], run[-1] + 1))
        places = self._places[order - 1][
            max(begin, at - order + 1) : max(min(at, end - order + 1), 0)
        ]
        return [gram for gram in places if gram >= 0]

    def holders(self) -> dict[int, list[int]]:
        """For each n-gram of the highest order the sentences that hold it.

        One that lies across sentences is put down for the first.
        """
        out: dict[int, list[int]] = {}
        begin = 0
        for i, end in enumerate(self._starts[1:]):
            for gram in self._places[-1][begin:end]:
                if gram >= 0:
                    out.setdefault(gram, []).append(i)
            begin = end
        return out

    def matches(self, run: Run, other: Side, run2: Run) -> list[int]:
        """The clipped matches of any two runs, slowly."""
        out = []
        for table in self.tables:
            counts = []
            for side, part in ((self, run), (other, run2)):
                tokens = [token for i in part for token in side.sentences[i]]
                counts.append(Counter(zip(*(tokens[d:] for d in range(table.order)), strict=False)))
            out.append((counts[0] & counts[1]).total())
        return out
