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
        self._ends = np.cumsum(ends)
        self._where: dict[str, list[int]] = {}
        for place, token in enumerate(hyp.features):
            for name, _ in token:
                self._where.setdefault(name, []).append(place)

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
        """Pair a sentence with a piece that ends at each place, or with none (-1)."""
        (low, high), (low2, high2) = window, after
        starts, stops = np.arange(low, high + 1), np.arange(low2, high2 + 1)
        gain = self._shared(ref, low, high2)[: high - low + 1, low2 - low :]
        inside = self._ends[np.maximum(stops - 1, 0)][None, :] - self._ends[starts][:, None]
        gain = gain - self._settings.ends * np.abs(inside - _inner_ends(ref))
        gain -= self._length_cost(starts, stops, float(sum(ref.sizes)))
        gain += self._edges(ref, starts, stops)
        gain[starts[:, None] >= stops[None, :]] = -np.inf
        gain += values[:, None]
        began = gain.argmax(axis=0)
        best = gain[began, np.arange(stops.size)] - self._cuts[low2 : high2 + 1]
        skipped = np.full(stops.size, -np.inf)
        common = high - low2 + 1  # places that are in both windows
        if common > 0:
            skipped[:common] = values[low2 - low :] - self._settings.skip
        better = skipped >= best
        return np.where(better, skipped, best), np.where(better, -1, began + low)

    def _edges(self, ref: Text, starts: Places, stops: Places) -> Values:
        if not ref.features:
            return np.zeros((starts.size, stops.size))
        first, last = self._token(ref.features[0][0][0]), self._token(ref.features[-1][0][0])
        begins = np.isin(starts, first).astype(np.float64)[:, None]
        ends = np.isin(stops - 1, last).astype(np.float64)[None, :]
        edges: Values = self._settings.edge * (begins + ends)
        return edges

    def _token(self, name: str) -> Places:
        return np.array(self._where.get(name, ()), dtype=np.int64)

    def _length_cost(self, starts: Places, stops: Places, letters: float) -> Values:
        lengths = self._letters[stops][None, :] - self._letters[starts][:, None]
        cost = (lengths - letters) ** 2 / (np.abs(lengths) + letters + 1.0)
        return np.minimum(self._settings.length * cost, self._settings.length_bound)

    def _shared(self, ref: Text, low: int, high: int) -> Values:
        """Weight that a sentence shares with each piece; shape (high - low + 1,) twice.

        A feature that the sentence has c times counts for the first c of its places in a piece:
        each place counts, and takes back where the piece holds the c-th place after it too. So
        the sum over a piece is that of the points whose first place is not before its begin and
        whose second is before its end, for all pieces at once by summing up rows and columns.
        """
        size = high - low
        points = np.zeros((size + 1, size + 1))
        rows: list[int] = []
        columns: list[int] = []
        weights: list[float] = []
        for name, (count, weight) in counted(ref, self._weights).items():
            where = self._where.get(name)
            if where is None:
                continue
            found = where[bisect_left(where, low) : bisect_left(where, high)]
            rows += found
            columns += found
            weights += [weight] * len(found)
            again = found[count:]
            rows += found[: len(again)]
            columns += again
            weights += [-weight] * len(again)
        np.add.at(points, (np.array(rows, int) - low, np.array(columns, int) - low + 1), weights)
        points = np.cumsum(points, axis=1)
        return np.cumsum(points[::-1], axis=0)[::-1]


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
