"""Clipped n-gram matches of sentences and of runs of sentences, for the gaps of Bleualign.

A gap is filled by scoring runs of sentences against each other, most of which share sentences.
So each sentence's n-grams are listed once, when first asked for; what a run shares with another
is put together from what its sentences share with it, which is little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from bwb.align.bleualign_score import sentence_score

if TYPE_CHECKING:
    from collections.abc import Sequence

Run: TypeAlias = tuple[int, ...]
Scored: TypeAlias = tuple[float, list[int]]

_BITS = 61


class Side:
    """The sentences of a side, and n-grams of runs of them.

    An n-gram is a number in base `size`, its r-th occurrence in a run that number plus
    (r - 1)·sizeⁿ: so the clipped matches of two runs are an intersection of two sets. Numbers,
    not tuples, for the garbage collector looks at every tuple.
    """

    def __init__(self, sentences: Sequence[Sequence[int]], size: int, orders: int) -> None:
        """Take the sentences.

        Args:
            sentences: Each as token numbers.
            size: A number above all token numbers.
            orders: Highest n-gram order.
        """
        self.sentences, self.size, self.orders = sentences, size, orders
        self._grams: list[dict[Run, frozenset[int]]] = [{} for _ in range(orders)]
        self._seams: list[dict[Run, list[int]]] = [{} for _ in range(orders)]
        self._masks: dict[int, int] = {}

    def length(self, run: Run) -> int:
        """The number of tokens of a run."""
        return sum([len(self.sentences[i]) for i in run])

    def grams(self, run: Run, order: int) -> frozenset[int]:
        """The n-grams of a run and their further occurrences."""
        known = self._grams[order - 1]
        found = known.get(run)
        if found is None:
            found = known[run] = _numbered(self._listed(run, order), self.size**order)
        return found

    def seam(self, run: Run, order: int) -> list[int]:
        """The n-grams that a run has because its last sentence joined the others."""
        known = self._seams[order - 1]
        found = known.get(run)
        if found is None:
            tail = [t for i in run[:-1] for t in self.sentences[i][1 - order :]][1 - order :]
            tokens = [*tail, *self.sentences[run[-1]][: order - 1]]
            found = known[run] = _listed(tokens, order, self.size)
        return found

    def first_of_kind(self, runs: Sequence[Run]) -> dict[Run, Run]:
        """For each run that has the same set of n-grams as one before it, the first such.

        That of the highest order tells those of all lower ones, unless it is empty: runs without
        any have no score, and it does not matter what is said of them here.
        """
        groups: dict[int, list[Run]] = {}
        for run in runs:
            groups.setdefault(self._mask(run), []).append(run)
        out: dict[Run, Run] = {}
        for group in groups.values():
            if len(group) > 1:  # few share even a mask, so few are looked at closely
                seen: dict[frozenset[int], Run] = {}
                for run in group:
                    first = seen.setdefault(frozenset(self._listed(run, self.orders)), run)
                    if first is not run:
                        out[run] = first
        return out

    def _mask(self, run: Run) -> int:
        """A bit for each token, some tokens having the same."""
        mask = 0
        for i in run:
            if i not in self._masks:
                bits = 0
                for token in self.sentences[i]:
                    bits |= 1 << token % _BITS
                self._masks[i] = bits
            mask |= self._masks[i]
        return mask

    def _listed(self, run: Run, order: int) -> Sequence[int]:
        if len(run) == 1:
            return _listed(self.sentences[run[0]], order, self.size)
        return _listed([token for i in run for token in self.sentences[i]], order, self.size)


class Shared:
    """The n-grams of one order that runs of a side share with one given run of the other side."""

    def __init__(self, given: frozenset[int], side: Side, order: int) -> None:
        """Take the n-grams of the given run, and the side whose runs will be asked about."""
        self._given, self._side, self._order = given, side, order
        self._step = side.size**order
        self._known: dict[Run, frozenset[int]] = {}

    def of(self, run: Run) -> frozenset[int]:
        """What a run shares; as many as there are clipped matches."""
        found = self._known.get(run)
        if found is None:
            if len(run) == 1:
                found = self._given & self._side.grams(run, self._order)
            else:
                found = self._joined(run)
            self._known[run] = found
        return found

    def _joined(self, run: Run) -> frozenset[int]:
        """A merged run shares what its parts do, but no n-gram more often than the given has it."""
        head, last = self.of(run[:-1]), self.of(run[-1:])
        given, step = self._given, self._step
        again = [*(head & last)]
        if self._order > 1:
            again += [gram for gram in self._side.seam(run, self._order) if gram in given]
        out = head | last
        if not again:
            return out
        more = set(out)
        for gram in again:
            while gram in more:
                gram += step
            if gram in given:
                more.add(gram)
        return frozenset(more)


class Scorer:
    """Scores runs of a side against one given run of the other."""

    def __init__(self, given: Side, other: Side, run: Run) -> None:
        """Take the given run, and the side whose runs will be asked about."""
        self._other = other
        self._length = given.length(run)
        orders = range(1, given.orders + 1)
        self._shared = [Shared(given.grams(run, k), other, k) for k in orders]

    def score(self, run: Run) -> Scored | None:
        """The score and the match counts; None without a match of the highest order."""
        if not self._shared[-1].of(run):
            return None
        counts = [len(shared.of(run)) for shared in self._shared]
        return sentence_score(counts, self._length, self._other.length(run)), counts


def _listed(tokens: Sequence[int], order: int, size: int) -> Sequence[int]:
    """All n-grams of an order."""
    grams = tokens
    for after in range(1, order):
        grams = [g * size + t for g, t in zip(grams, tokens[after:], strict=False)]
    return grams


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
