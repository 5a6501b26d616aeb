"""All gaps at once: the best path of beads by shared words and length.

Bleualign's gap filling decides step by step, and is wrong where a sentence was split or merged
more freely than its rules foresee. Here the anchors only say where to look: in a band around
them, a dynamic programme finds the beads with the highest sum of

    WEIGHT · Σ idf of the clipped matches + log P(lengths) + log prior of the type of bead

Matches are those of the modified BLEU, order 1, of the merged translations with the merged target
(Sennrich & Volk 2010), each weighted by the idf of its word as in NIST (Doddington 2002); the
length term is Gale & Church's (1993). The numbers below were set by hand on six literary chapters
(Chinese-English), one text in German and French, and our own gold set: figures on these three are
not held out. Results are flat around them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bwb.align.base import SentenceLink
from bwb.align.beads import Lattice, plausibility, viterbi
from bwb.align.galechurch import diagonal, length_scores, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Encoded = Sequence[Sequence[int]]
    _Lists = tuple[list[list[int]], list[list[int]], list[float], list[list[float]]]

WEIGHT = 0.3  # of matched idf against log probability
S2 = 25.0  # variance of the length difference a character: literary translation is free
MERGED = -1.5  # log prior, for each sentence beyond one on one side
BOTH = -1.0  # log prior of beads with several sentences on both sides
NULL = -3.0  # log prior of a sentence without counterpart
_SLACK = 10  # target sentences on either side of the anchors
_WIDE = 300  # a band wider than this on average is replaced by one around the diagonal
_ROWS = 10  # source sentences scored at a time
_PIECE = 1 << 17  # multiplications handed to the linear algebra at a time
_OCCURRENCES = 2  # of a word in a bead, that count


def joint_links(
    evidence: Sequence[tuple[Encoded, Encoded]],
    anchors: Sequence[tuple[int, int]],
    lengths: tuple[Sequence[int], Sequence[int]],
    merge: int,
) -> list[SentenceLink]:
    """The best beads, covering both sides.

    Args:
        evidence: Pairs of sides in one language each, as token numbers: the translation with the
            target, the source with the back-translation; their matches are averaged.
        anchors: 1-1 links that say where to look.
        lengths: Characters of the source and of the target sentences.
        merge: Largest number of sentences on a side; a bead has at most two more in all.

    Returns:
        Links; the score is the share of idf that is matched, 0 to 1, lowered if one side has
        many more sentences than the other. A null link has 0.
    """
    n, m = len(lengths[0]), len(lengths[1])
    sizes = range(1, merge + 1)
    shapes = [(a, b) for a in sizes for b in sizes if a + b <= merge + 2]
    scorer = _Scorer([Matches(*sides) for sides in evidence], lengths, shapes)
    low, high = scorer.band(anchors)
    factor = plausibility(n, m)
    links = []
    for a, b in viterbi(Lattice(n, m, shapes, NULL, NULL), low, high, scorer.scores):
        if a and b:
            share = sum(one.share(a, b) for one in scorer.matches) / len(scorer.matches)
            links.append(SentenceLink(a, b, round(factor * share, 6), "BLEU"))
        else:
            links.append(SentenceLink(a, b, 0.0, "null"))
    return links


class _Scorer:
    """Scores the beads in a band, some rows at a time."""

    def __init__(
        self,
        matches: Sequence[Matches],
        lengths: tuple[Sequence[int], Sequence[int]],
        shapes: Sequence[tuple[int, int]],
    ) -> None:
        import numpy as np

        self.matches, self.shapes = matches, shapes
        priors = [MERGED * (a + b - 2) + (BOTH if min(a, b) > 1 else 0) for a, b in shapes]
        self._priors = np.array(priors)[:, None, None]
        self._sums = [np.concatenate(([0.0], np.cumsum(x, dtype=np.float64))) for x in lengths]
        self._c = max(self._sums[1][-1], 1) / max(self._sums[0][-1], 1)
        self._low = self._high = np.zeros(0, dtype=np.int64)
        self._block = np.zeros((0, 0, 0))
        self._begin = 0  # first source position of the block; 0 is before the first block

    def band(
        self, anchors: Sequence[tuple[int, int]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First and last target position to look at for each source position."""
        self._low, self._high = _band(anchors, self._sums, self._c)
        return self._low, self._high

    def scores(self, i: int, first: int, last: int) -> NDArray[np.float64]:
        """Scores (shapes, last - first + 1) of the beads that end at source position `i`."""
        begin = (i - 1) // _ROWS * _ROWS + 1
        if begin != self._begin:
            self._begin = begin
            self._block = self._scored(range(begin, min(begin + _ROWS, len(self._low))))
        at = int(self._low[begin])
        return self._block[:, i - begin, first - at : last - at + 1]

    def _scored(self, rows: range) -> NDArray[np.float64]:
        """Scores (shapes, rows, positions) from the first row's lowest to the last's highest."""
        window = int(self._low[rows.start]), int(self._high[rows.stop - 1])
        matched = self.matches[0].block(rows.start, rows.stop, *window, self.shapes)
        for other in self.matches[1:]:
            matched += other.block(rows.start, rows.stop, *window, self.shapes)
        matched *= WEIGHT / len(self.matches)
        out = length_scores(self._sums, self.shapes, rows, *window, self._c, S2)
        out += self._priors
        out += matched
        return out


def _band(
    anchors: Sequence[tuple[int, int]], sums: Sequence[NDArray[np.float64]], c: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last target position for each source position: around the anchors."""
    import numpy as np

    n, m = len(sums[0]) - 1, len(sums[1]) - 1
    points = np.array([(0, 0), *((i + 1, j + 1) for i, j in anchors), (n, m)], dtype=np.int64)
    at = np.searchsorted(points[:, 0], np.arange(n + 1), side="right") - 1
    before = points[at, 1]
    after = points[np.minimum(at + 1, len(points) - 1), 1]
    exact = points[at, 0] == np.arange(n + 1)
    after = np.where(exact, before, after)
    low, high = spread(before - _SLACK, after + _SLACK, m)
    if float((high - low).mean()) > _WIDE:
        return diagonal(sums[0] * c, sums[1], _WIDE // 2)
    return low, high


class Matches:
    """Matched idf of any source bead with any target bead of two texts in one language."""

    def __init__(self, src: Encoded, tgt: Encoded) -> None:
        """Number the words that are on both sides, and weigh them."""
        import numpy as np

        sides = []
        for side in (src, tgt):
            counts = np.array([len(s) for s in side], dtype=np.int64)
            flat = np.fromiter((t for s in side for t in s), np.int64, int(counts.sum()))
            sides.append((flat, np.repeat(np.arange(len(side)), counts), len(side)))
        size = 1 + max((int(flat.max(initial=0)) for flat, _, _ in sides), default=0)
        # Document frequency: sentences of either side that hold the word.
        frequency = sum(
            np.bincount(np.unique(row * size + flat) % size, minlength=size)
            for flat, row, _ in sides
        )
        idf = np.log((len(src) + len(tgt) + 2) / (1 + frequency))  # above 0 even if in all
        both = np.ones(size, dtype=bool)
        self._mass = []
        for flat, row, total in sides:
            both &= np.bincount(flat, minlength=size) > 0
            mass = np.bincount(row, weights=idf[flat], minlength=total)
            self._mass.append(np.concatenate(([0.0], np.cumsum(mass))))
        number = np.cumsum(both) - 1
        self._idf = idf[both].astype(np.float32)
        self._words: list[NDArray[np.int64]] = []
        self._starts: list[NDArray[np.int64]] = []
        for flat, row, total in sides:
            keep = both[flat]
            self._words.append(number[flat[keep]])
            counts = np.bincount(row[keep], minlength=total)
            self._starts.append(np.concatenate(([0], np.cumsum(counts))))
        self._lists: _Lists | None = None
        self._seen = np.full(len(self._idf), -1, dtype=np.int64)

    def block(
        self, begin: int, end: int, first: int, last: int, shapes: Sequence[tuple[int, int]]
    ) -> NDArray[np.float32]:
        """Matched idf of beads by where they end.

        Args:
            begin: First source position.
            end: One past the last source position.
            first: First target position.
            last: Last target position.
            shapes: Types of bead.

        Returns:
            An array (shapes, end - begin, last - first + 1).
        """
        import numpy as np

        most = max(a for a, _ in shapes), max(b for _, b in shapes)
        ranges = (max(begin - most[0], 0), end - 1), (max(first - most[1], 0), last)
        flats = [
            self._words[k][self._starts[k][low] : self._starts[k][high]]
            for k, (low, high) in enumerate(ranges)
        ]
        shared = np.intersect1d(flats[0], flats[1])
        self._seen[shared] = np.arange(len(shared))
        positions = (np.arange(begin, end), np.arange(first, last + 1))
        left, right = (self._bags(k, ranges[k], positions[k], most[k], len(shared)) for k in (0, 1))
        self._seen[shared] = -1
        table = _product(left, right, self._idf[shared])
        return np.stack([table[a - 1, b - 1] for a, b in shapes])

    def _bags(
        self,
        side: int,
        span: tuple[int, int],
        ends: NDArray[np.int64],
        most: int,
        width: int,
    ) -> NDArray[np.float32]:
        """Word counts (most, ends, width) of the runs of 1 .. `most` sentences by their end."""
        import numpy as np

        low, high = span
        starts = self._starts[side]
        word = self._seen[self._words[side][starts[low] : starts[high]]]
        row = np.repeat(np.arange(high - low), np.diff(starts[low : high + 1]))
        keep = word >= 0
        counts = np.bincount(
            row[keep] * width + word[keep], minlength=(high - low) * width
        ).reshape(high - low, width)
        total = np.zeros((high - low + 1, width), dtype=np.float32)
        np.cumsum(counts, axis=0, out=total[1:])
        at = ends - low
        bags: NDArray[np.float32] = (
            total[at] - total[np.maximum(at - np.arange(1, most + 1)[:, None], 0)]
        )
        return bags

    def _listed(self) -> _Lists:
        """Words and starts of both sides, idf, and mass of both sides: lists are quicker here."""
        if self._lists is None:
            self._lists = (
                [words.tolist() for words in self._words],
                [starts.tolist() for starts in self._starts],
                self._idf.tolist(),
                [mass.tolist() for mass in self._mass],
            )
        return self._lists

    def share(self, src: Sequence[int], tgt: Sequence[int]) -> float:
        """Matched idf of a bead over the mean of the idf of its sides; 0 if there is none."""
        words, starts, idf, masses = self._listed()
        bags: list[dict[int, int]] = []
        for word, start, run in zip(words, starts, (src, tgt), strict=True):
            bag: dict[int, int] = {}
            for w in word[start[run[0]] : start[run[-1] + 1]]:
                bag[w] = bag.get(w, 0) + 1
            bags.append(bag)
        matched = sum(
            idf[word] * min(count, bags[1][word])
            for word, count in bags[0].items()
            if word in bags[1]
        )
        mass = sum(
            total[run[-1] + 1] - total[run[0]]
            for total, run in zip(masses, (src, tgt), strict=True)
        )
        return min(1.0, 2 * matched / mass) if mass > 0 and not math.isnan(mass) else 0.0


def _product(
    left: NDArray[np.float32], right: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Weighted clipped matches of all pairs of bags: min(counts), summed over words.

    Args:
        left: Word counts (A, n, words).
        right: Word counts (B, m, words).
        weights: Of the words.

    Returns:
        An array (A, B, n, m).
    """
    import numpy as np

    out = np.zeros((len(left), len(right), left.shape[1], right.shape[1]), dtype=np.float32)
    _add(out, np.minimum(left, 1) * weights, np.minimum(right, 1))
    for r in range(2, _OCCURRENCES + 1):
        # The longest runs have the highest counts.
        often = (left[-1].max(axis=0, initial=0) >= r) & (right[-1].max(axis=0, initial=0) >= r)
        if not often.any():
            break
        left, right, weights = left[..., often], right[..., often], weights[often]
        _add(out, (left >= r) * weights, (right >= r).astype(np.float32))
    return out


def _add(out: NDArray[np.float32], left: NDArray[np.float32], right: NDArray[np.float32]) -> None:
    """Add all products, in pieces so small that the linear algebra stays in this thread.

    Threads cost more than they save here: a hundredfold where the machine is busy.
    """
    import numpy as np

    step = max(1, _PIECE // max(left.shape[1] * left.shape[2], 1))
    for at in range(0, right.shape[1], step):
        part = right[:, at : at + step].transpose(0, 2, 1)
        out[..., at : at + step] += np.matmul(left[:, None], part[None])
