"""Counting n-grams in common: what the BLEU family and chrF share.

The n-grams of a reference are numbered once, and any number of texts are counted against them. The
number of an n-gram is its place among the sorted keys of its order, and its key is made of the
number of its first n-1 tokens and of the last token: so keys stay small at any order, and what has
no match at one order is not looked at in the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    # The tokens of each segment of a text: words, or characters as a string.
    Text = Sequence[Sequence[Hashable]]

# The id of a token that the references lack, and of the gap between segments: matches nothing.
_NOTHING = 0


# The greatest table of an order, in keys; of more, one is looked up among the sorted ones.
_TABLE = 1 << 21


@dataclass(frozen=True, slots=True)
class _Level:
    """The n-grams of one order.

    Attributes:
        keys: Of the references' n-grams, sorted, each once.
        counts: How often each may be matched: the most that any reference has in that segment.
        table: For each possible key its number, -1 if there is none; None if there are too many.
    """

    keys: Ints
    counts: Ints
    table: NDArray[np.int32] | None

    @classmethod
    def of(cls, keys: Ints, counts: Ints, size: int) -> _Level:
        """A level, with its table if there are few possible keys: they are less than `size`."""
        table = None
        if size <= _TABLE:
            table = np.full(size, -1, np.int32)
            table[keys] = np.arange(len(keys), dtype=np.int32)
        return cls(keys, counts, table)

    def find(self, keys: Ints) -> tuple[NDArray[np.bool_], Ints]:
        """Which keys there are, and the numbers of those."""
        if not len(self.keys):
            return np.zeros(len(keys), bool), np.zeros(0, np.int64)
        if self.table is not None:
            numbers = self.table[keys]
            there = numbers >= 0
            return there, numbers[there].astype(np.int64)
        places = np.searchsorted(self.keys, keys)
        there = self.keys[np.minimum(places, len(self.keys) - 1)] == keys
        return there, places[there]


class GramIndex:
    """The n-grams of a text's references, segment by segment.

    Args:
        references: One or more, each with as many segments.
        orders: The longest n-gram.
        characters: Whether segments, here and of the texts to come, are strings.
    """

    def __init__(
        self, references: Sequence[Text], orders: int, *, characters: bool = False
    ) -> None:
        """Number the n-grams of all references together."""
        self._characters = characters
        distinct: dict[Hashable, None] = {}
        for segment in (segment for text in references for segment in text):
            distinct.update(dict.fromkeys(segment))
        self._ids = {token: number for number, token in enumerate(distinct, 1)}
        self._codes = self._table_of_codes()
        self._levels: list[_Level] = []
        before = max((len(text) for text in references), default=0)
        laid = [self._lay(text) for text in references]
        states = [_starts(flat, segments) for flat, segments in laid]
        for order in range(1, orders + 1):
            keyed = [
                self._extend(flat, *state, order)
                for (flat, _), state in zip(laid, states, strict=True)
            ]
            keys = np.unique(np.concatenate([keys for _, keys in keyed]))
            numbered = [(starts, np.searchsorted(keys, own)) for starts, own in keyed]
            counts = [np.bincount(numbers, minlength=len(keys)) for _, numbers in numbered]
            size = before * (len(self._ids) + 1)
            self._levels.append(_Level.of(keys, np.maximum.reduce(counts), size))
            before = len(keys)
            states = numbered

    def matches(self, text: Text) -> list[int]:
        """How many n-grams of each order a text has in common with the references."""
        found = []
        for level, (_, numbers) in zip(self._levels, self._walk(*self._lay(text)), strict=True):
            counts = np.bincount(numbers, minlength=len(level.keys))
            found.append(int(np.minimum(counts, level.counts).sum()))
        return found

    def credits(self, text: Text, weights: Floats) -> list[Floats]:
        """What each n-gram that is matched counts: the mean weight of its tokens.

        Where a text has an n-gram more often than the references, those of most weight count,
        and of equal ones the first.

        Args:
            text: The text.
            weights: Of its tokens; one after each segment, too, which is not looked at.

        Returns:
            For each order, the credit of the n-gram that starts at each token (and at each gap).
        """
        flat, segments = self._lay(text)
        sums = np.zeros(len(flat))
        found = []
        walk = zip(self._levels, self._walk(flat, segments), strict=True)
        for order, (level, (starts, numbers)) in enumerate(walk, 1):
            sums[: max(0, len(flat) - order + 1)] += weights[order - 1 :]
            means = sums[starts] / order
            ranked = np.lexsort((starts, -means, numbers))
            grouped = numbers[ranked]
            first = np.searchsorted(grouped, grouped)
            counted = ranked[np.arange(len(ranked)) - first < level.counts[grouped]]
            credit = np.zeros(len(flat))
            credit[starts[counted]] = means[counted]
            found.append(credit)
        return found

    def _lay(self, text: Text) -> tuple[Ints, Ints]:
        """The ids of a text's tokens, a gap after each segment, and the segment each is in."""
        lengths = [len(segment) + 1 for segment in text]
        segments = np.repeat(np.arange(len(lengths)), lengths)
        if self._codes is not None:
            raw = "\n".join([*map(str, text), ""]).encode("utf-32-le", "surrogatepass")
            codes = np.minimum(np.frombuffer(raw, "<u4"), len(self._codes) - 1)
            flat = self._codes[codes]
            flat[np.cumsum(lengths) - 1] = _NOTHING
            return flat, segments
        get = self._ids.get
        ids: list[int] = []
        for segment in text:
            ids += [get(token, _NOTHING) for token in segment]
            ids.append(_NOTHING)
        return np.array(ids, np.int64), segments

    def _table_of_codes(self) -> Ints | None:
        """Code point → id, if the tokens are characters; the last one stands for all others."""
        if not self._characters:
            return None
        codes = {ord(str(token)): number for token, number in self._ids.items()}
        table = np.zeros(max(codes, default=0) + 2, np.int64)
        table[list(codes)] = list(codes.values())
        return table

    def _extend(self, flat: Ints, starts: Ints, numbers: Ints, order: int) -> tuple[Ints, Ints]:
        """The n-grams that begin with shorter ones: where they start, and their keys."""
        inside = starts + order <= len(flat)
        starts, numbers = starts[inside], numbers[inside]
        last = flat[starts + (order - 1)]
        known = last != _NOTHING
        return starts[known], numbers[known] * (len(self._ids) + 1) + last[known]

    def _walk(self, flat: Ints, segments: Ints) -> Iterator[tuple[Ints, Ints]]:
        """For each order, where the n-grams start that the references have, and their numbers."""
        state = _starts(flat, segments)
        for order, level in enumerate(self._levels, 1):
            starts, keys = self._extend(flat, *state, order)
            there, numbers = level.find(keys)
            state = (starts[there], numbers)
            yield state


def _starts(flat: Ints, segments: Ints) -> tuple[Ints, Ints]:
    """The n-grams of no token: one at every place, numbered by its segment."""
    return np.arange(len(flat)), segments


def totals(lengths: Sequence[int], orders: int) -> list[int]:
    """Number of n-grams of each order in segments of these lengths."""
    return [sum(max(0, length - order) for length in lengths) for order in range(orders)]
