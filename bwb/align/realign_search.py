"""The best cuts of an output: the dynamic programme of `bwb.align.realign`, and its window."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from bwb.align.realign_text import CUT_END

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from bwb.align.realign_text import Text

    Values = NDArray[np.float64]
    Places = NDArray[np.int64]
    Window = tuple[int, int]
    Span = tuple[int, int, int, bool]

LONGEST = (40, 3)
"""Tokens of a piece at most: so many, and so many for each of its sentence. What is longer costs
more than the piece in it that is like the sentence, and the rest as an addition."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Weights, in units of an average token of the reference. Set on the sample corpus.

    Attributes:
        skip: Cost of a reference sentence without counterpart.
        add: Cost of an added piece.
        length: Weight of the length cost (difference² / sum, in letters).
        length_bound: Greatest length cost.
        ends: Cost of a sentence end too many or too few within a sentence.
        edge: Gain of a piece that begins, or ends, with the same token as its sentence.
        cut: Factor on the costs of cuts.
        near: Anchors to go back and forth for the window.
        pad: Tokens to add to the window at either end.
        widest: Tokens that a window has at most.
    """

    skip: float = 0.75
    add: float = 0.75
    length: float = 0.1
    length_bound: float = 14.0
    ends: float = 0.35
    edge: float = 0.5
    cut: float = 0.6
    near: int = 4
    pad: int = 40
    widest: int = 1600


def best_spans(
    hyp: Text, refs: Sequence[Text], weights: Mapping[str, float], settings: Settings
) -> list[Span]:
    """The best pieces of an output.

    Args:
        hyp: The output; one token at least.
        refs: The reference's sentences.
        weights: Weight of each feature, from `bwb.align.realign_text.rarity`.
        settings: Weights of the costs.

    Returns:
        Pieces in order, covering all tokens: first token, token behind the last, reference
        sentence, and whether the piece is an addition on that sentence's line.
    """
    search = _Search(hyp, weights, settings)
    windows = cut_windows(hyp, refs, settings)
    low, high = windows[0]
    values = np.full(high - low + 1, -np.inf)
    values[0] = 0.0
    steps: list[tuple[Places, Places]] = []
    for ref, window, after in zip(refs, windows, windows[1:], strict=False):
        values, jumped = search.add(values, window)
        values, began = search.pair(values, ref, window, after)
        steps.append((jumped, began))
    _, jumped = search.add(values, windows[-1])
    return _trace(steps, jumped, windows, len(hyp.starts))


def cut_windows(hyp: Text, refs: Sequence[Text], settings: Settings) -> list[Window]:
    """Where the cut before each sentence, and behind the last, is looked for.

    Returns:
        First and last place, both included, counted in tokens; neither ever goes back.
    """
    size = len(hyp.starts)
    tokens = [token[0][0] for ref in refs for token in ref.features]
    sides = (tokens, [token[0][0] for token in hyp.features])
    anchors = _anchors(*sides)
    if len(anchors) < len(refs) // 2:  # a text that repeats itself; three in a row repeat less
        anchors = _anchors(*(list(zip(s, s[1:], s[2:], strict=False)) for s in sides))
    places = [0, *accumulate(len(ref.starts) for ref in refs)]
    known = [place for place, _ in anchors]
    windows: list[Window] = []
    for place in places:
        left = bisect_left(known, place) - settings.near
        right = bisect_right(known, place) + settings.near - 1
        low = anchors[left][1] - settings.pad if left >= 0 else 0
        high = anchors[right][1] + settings.pad if right < len(anchors) else size
        low, high = max(0, low), min(size, high)
        if high - low > settings.widest:
            middle = _between(anchors, place, places[-1], size)
            low = max(low, min(middle, high) - settings.widest // 2)
            high = min(high, low + settings.widest)
        if windows:
            low, high = max(low, windows[-1][0]), max(high, windows[-1][1])
        windows.append((low, high))
    windows[0] = (0, windows[0][1])
    windows[-1] = (windows[-1][0], size)
    return windows


class _Search:
    """Steps of the programme over one output."""

    def __init__(self, hyp: Text, weights: Mapping[str, float], settings: Settings) -> None:
        self._settings = settings
        self._weights = weights
        self._cuts = np.array(hyp.cuts) * settings.cut
        self._letters = np.array([0, *accumulate(hyp.sizes)], dtype=np.float64)
        ends = np.array(hyp.cuts) == CUT_END
        ends[[0, -1]] = False
        self._ends = np.cumsum(ends, dtype=np.float64)
        where: dict[str, list[int]] = {}
        for place, token in enumerate(hyp.features):
            for name, _ in token:
                where.setdefault(name, []).append(place)
        self._scratch = [np.zeros(0), np.zeros(0)]
        self._where = {name: (places, np.array(places)) for name, places in where.items()}

    def add(self, values: Values, window: Window) -> tuple[Values, Places]:
        """Allow an added piece at each place; also says where it begins, or -1."""
        low, high = window
        best = np.maximum.accumulate(values)
        first = np.maximum.accumulate(np.where(values >= best, np.arange(values.size), 0))
        begun = np.concatenate(([-np.inf], best[:-1])) - self._settings.add
        begun -= self._cuts[low : high + 1]
        better = begun > values
        begin = np.concatenate(([0], first[:-1])) + low
        return np.where(better, begun, values), np.where(better, begin, -1)

    def pair(
        self, values: Values, ref: Text, window: Window, after: Window
    ) -> tuple[Values, Places]:
        """Pair a sentence with a piece that ends at each place, or with none (-1).

        Arrays have shape (lengths of a piece in tokens from 1 on, places where it ends).
        """
        (low, high), (low2, high2) = window, after
        longest = LONGEST[0] + LONGEST[1] * len(ref.starts)
        longest = min(longest + max(0, low2 - high), high2 - low)  # from window to window
        if longest < 1:
            return self._or_none(values, window, after, np.full(1, -np.inf), np.full(1, -1))
        stops = np.arange(low2, high2 + 1)

        def begins(known: Values, first: int, unknown: float = 0.0) -> Values:
            """What is known of the place where each piece begins; `first` is the first known."""
            ahead = max(0, first - (low2 - longest))
            some = known[max(0, low2 - longest - first) : high2 - first]
            behind = longest + stops.size - 1 - ahead - some.size
            row = np.concatenate((np.full(ahead, unknown), some, np.full(behind, unknown)))
            return np.lib.stride_tricks.sliding_window_view(row, stops.size)[::-1]

        gain = self._shared(ref, low, high2, longest)[:, low2 - low :]
        edge = np.zeros(values.size)
        if ref.features:
            edge[self._places(ref.features[0][0][0], low, high + 1) - low] = self._settings.edge
            ends = self._places(ref.features[-1][0][0], low2 - 1, high2)
            gain[:, ends - low2 + 1] += self._settings.edge
        gain += begins(values + edge, low, -np.inf)
        cost = self._room(1, gain.shape)
        np.subtract(self._ends[np.maximum(stops - 1, 0)], begins(self._ends, 0), out=cost)
        cost -= _inner_ends(ref)
        np.abs(cost, out=cost)
        cost *= self._settings.ends
        gain -= cost
        np.subtract(self._letters[stops], begins(self._letters, 0), out=cost)
        gain -= self._length_cost(cost, float(sum(ref.sizes)))
        # Of pieces that are as good, the longest.
        size = longest - gain[::-1].argmax(axis=0)
        best = gain[size - 1, np.arange(stops.size)] - self._cuts[low2 : high2 + 1]
        return self._or_none(values, window, after, best, stops - size)

    def _or_none(
        self, values: Values, window: Window, after: Window, best: Values, began: Places
    ) -> tuple[Values, Places]:
        """The better of a piece and none."""
        (low, high), (low2, high2) = window, after
        skipped = np.full(high2 - low2 + 1, -np.inf)
        common = high - low2 + 1  # places that are in both windows
        if common > 0:
            skipped[:common] = values[low2 - low :] - self._settings.skip
        better = skipped >= best
        return np.where(better, skipped, best), np.where(better, -1, began)

    def _places(self, name: str, low: int, high: int) -> Places:
        """Where a feature is, from `low` to before `high`."""
        where = self._where.get(name)
        if where is None:
            return np.zeros(0, np.int64)
        return where[1][bisect_left(where[0], low) : bisect_left(where[0], high)]

    def _length_cost(self, lengths: Values, letters: float) -> Values:
        """Cost of lengths in letters, in the place of them."""
        total = lengths + (letters + 1.0)
        lengths -= letters
        lengths *= lengths
        lengths *= self._settings.length
        lengths /= total
        return np.minimum(lengths, self._settings.length_bound, out=lengths)

    def _room(self, number: int, shape: tuple[int, int]) -> Values:
        """An array, contents undefined, in memory that is used again: getting it takes longest."""
        size = shape[0] * shape[1]
        if self._scratch[number].size < size:
            self._scratch[number] = np.empty(size)
        return self._scratch[number][:size].reshape(shape)

    def _shared(self, ref: Text, low: int, high: int, longest: int) -> Values:
        """Weight that a sentence shares with each piece; shape (longest, high - low + 1).

        A feature that the sentence has c times counts for the first c of its places in a piece:
        each place counts, and takes back where the piece holds the c-th place after it too. So
        the sum over a piece is that of the points whose first place is not before its begin and
        whose second is before its end. It is the sum over the piece without its last token, and
        over those points whose second place is that token.
        """
        size = high - low + 1
        points = self._room(0, (longest, size))
        points[:] = 0.0
        none = np.zeros(0, np.int64)
        found, first, second = [none], [none], [none]
        gains, losses = [0.0], [0.0]
        for name, (count, weight) in counted(ref, self._weights).items():
            places = self._places(name, low, high)
            found.append(places)
            gains.append(weight)
            if len(places) > count:
                first.append(places[:-count])
                second.append(places[count:])
                losses.append(weight)
        weights = np.repeat(gains, [len(x) for x in found])
        points[0] = np.bincount(np.concatenate(found) - low + 1, weights, size)
        if len(first) > 1:
            last = np.concatenate(second)
            length = last - np.concatenate(first)
            weights = np.repeat(losses, [len(x) for x in first])
            near = length < longest
            cells = length[near] * size + last[near] - low + 1
            points.reshape(-1)[:] -= np.bincount(cells, weights[near], points.size)
        np.cumsum(points, axis=0, out=points)
        for k in range(1, longest):
            points[k, 1:] += points[k - 1, :-1]
        return points


def counted(text: Text, weights: Mapping[str, float]) -> dict[str, tuple[int, float]]:
    """How often a text has each feature, and its weight each time; 0 for unknown ones."""
    counts: Counter[str] = Counter()
    sums: dict[str, float] = {}
    for token in text.features:
        for name, share in token:
            counts[name] += 1
            sums[name] = sums.get(name, 0.0) + share
    return {
        name: (count, weights.get(name, 0.0) * sums[name] / count) for name, count in counts.items()
    }


def _inner_ends(ref: Text) -> int:
    return sum(cut == CUT_END for cut in ref.cuts[1:-1])


def _trace(
    steps: Sequence[tuple[Places, Places]], last: Places, windows: Sequence[Window], size: int
) -> list[Span]:
    spans: list[Span] = []
    place = size
    jumps = [*(jumped for jumped, _ in steps), last]
    for sentence in range(len(steps), -1, -1):
        begin = int(jumps[sentence][place - windows[sentence][0]])
        if begin >= 0:
            spans.append((begin, place, max(sentence - 1, 0), True))
            place = begin
        if sentence:
            begin = int(steps[sentence - 1][1][place - windows[sentence][0]])
            if begin >= 0:
                spans.append((begin, place, sentence - 1, False))
                place = begin
    return spans[::-1]


def _anchors(ref: Sequence[Hashable], hyp: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Tokens that occur once on either side, the most that are in the same order on both."""
    sides = []
    for tokens in (ref, hyp):
        counts = Counter(tokens)
        sides.append({token: i for i, token in enumerate(tokens) if counts[token] == 1})
    pairs = [(place, sides[1][token]) for token, place in sides[0].items() if token in sides[1]]
    # Longest increasing subsequence by patience sorting.
    tops: list[int] = []
    at: list[int] = []
    back: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        back.append(at[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            at.append(number)
        else:
            tops[pile], at[pile] = place, number
    chain = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(pairs[number])
        number = back[number]
    return chain[::-1]


def _between(anchors: Sequence[tuple[int, int]], place: int, last: int, size: int) -> int:
    """Where a token of the reference lies in the output, by the anchors around it."""
    right = bisect_left(anchors, (place, -1))
    (a, b) = anchors[right - 1] if right else (0, 0)
    (c, d) = anchors[right] if right < len(anchors) else (last, size)
    return round(b + (d - b) * (place - a) / (c - a)) if c > a else b
