"""N-grams of sentences and of runs of sentences, for the gaps of Bleualign.

The n-grams of a text are listed once; those of a run of consecutive sentences are a piece of that
list. What is made of them is made on demand, for few runs share any n-gram with the other side.
"""

from __future__ import annotations

from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Run: TypeAlias = tuple[int, ...]


class Side:
    """The sentences of a side and what merged runs of them look like.

    An n-gram is a number in base `size`, its r-th occurrence in a run that number plus
    (r - 1)·sizeⁿ: so the clipped matches of two runs are an intersection of two sets. Numbers,
    not tuples, for the garbage collector looks at every tuple.
    """

    def __init__(self, sentences: Sequence[Sequence[int]], size: int, orders: int) -> None:
        """List the n-grams.

        Args:
            sentences: Each as token numbers.
            size: A number above all token numbers.
            orders: Highest n-gram order.
        """
        self.sentences, self.size, self.orders = sentences, size, orders
        self.starts = [*accumulate(map(len, sentences), initial=0)]
        self._flat = [[*chain.from_iterable(sentences)]]
        for after in range(1, orders):
            self._flat.append(_longer(self._flat[-1], self._flat[0][after:], size))
        self._grams: list[dict[Run, frozenset[int]]] = [{} for _ in range(orders)]
        self._kinds: dict[Run, frozenset[int]] = {}

    def length(self, run: Run) -> int:
        """The number of tokens of a run."""
        return sum([len(self.sentences[i]) for i in run])

    def listed(self, run: Run, order: int) -> Sequence[int]:
        """All n-grams of an order in a run."""
        if consecutive(run):
            start = self.starts[run[0]]
            return self._flat[order - 1][start : max(start, self.starts[run[-1] + 1] - order + 1)]
        tokens = [token for i in run for token in self.sentences[i]]
        grams = tokens
        for after in range(1, order):
            grams = _longer(grams, tokens[after:], self.size)
        return grams

    def grams(self, run: Run, order: int) -> frozenset[int]:
        """The n-grams of a run and their further occurrences."""
        known = self._grams[order - 1]
        found = known.get(run)
        if found is None:
            found = known[run] = _numbered(self.listed(run, order), self.size**order)
        return found

    def kind(self, run: Run) -> frozenset[int]:
        """The n-grams of the highest order, each once.

        Of a run that has any, they tell those of all lower orders.
        """
        found = self._kinds.get(run)
        if found is None:
            found = self._kinds[run] = frozenset(self.listed(run, self.orders))
        return found

    def two_grams(self) -> list[int]:
        """All 2-grams, those across sentences included; a place for each token but the last."""
        return self._flat[1]


def consecutive(run: Run) -> bool:
    """Whether a run, which rises, has no hole."""
    return run[-1] - run[0] == len(run) - 1


def _longer(grams: Sequence[int], tokens: Sequence[int], size: int) -> list[int]:
    """Each n-gram with the token after it."""
    return [g * size + t for g, t in zip(grams, tokens, strict=False)]


def _numbered(grams: Sequence[int], step: int) -> frozenset[int]:
    """The n-grams as a set; what occurs again is `step` higher each time."""
    once = frozenset(grams)
    if len(once) == len(grams):
        return once
    seen: dict[int, int] = {}
    out = []
    for gram in grams:
        seen[gram] = number = seen.get(gram, gram - step) + step
        out.append(number)
    return frozenset(out)


class Index:
    """Which target sentences hold a 2-gram that some source sentences hold, too."""

    def __init__(self, src: Side, tgt: Side) -> None:
        """Look up all 2-grams; those across sentences are put down for the first of the two."""
        held: list[set[int]] = [set(side.two_grams()) for side in (src, tgt)]
        self._shared = held[0] & held[1]
        self._holders: dict[int, list[int]] = {gram: [] for gram in self._shared}
        owners = chain.from_iterable(
            repeat(j, len(sentence)) for j, sentence in enumerate(tgt.sentences)
        )
        for gram, j in zip(tgt.two_grams(), owners, strict=False):
            if gram in self._shared:
                self._holders[gram].append(j)

    def holders(self, grams: frozenset[int]) -> set[int]:
        """The target sentences that hold one of these 2-grams, those of consecutive sentences.

        A run of consecutive sentences that has none of them shares no 2-gram.
        """
        out: set[int] = set()
        for gram in self._shared & grams:
            out.update(self._holders[gram])
        return out
