"""Which beads are looked at: a band around a first pass, as in Bertalign (Liu & Zhu 2023, §3.1).

The first pass links each source sentence to one of its nearest target sentences so that links do
not cross and the sum of cosines is greatest. The band is a window about these anchors and the
straight lines between them; memory grows with the length of the text, not with its square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.align.lattice import Lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bwb.align.encoders import Vectors
    from bwb.align.lattice import Ints

NEIGHBOURS = 5
WINDOW = 8
MOST_SRC, MOST_TGT, MOST = 4, 7, 8
"""Largest bead: source sentences, target sentences, both together."""
_BLOCK = 1 << 21  # cells of the similarity matrix held at once

NULL_RUNS = (1, 2, 3, 4, 6, 8, 12, 16)
"""Sentences without counterpart that one arc may hold: translators drop, and editors add, whole
paragraphs. The aligner's output has them one by one."""

SHAPES = [
    *((a, b) for a in range(1, MOST_SRC + 1) for b in range(1, MOST_TGT + 1) if a + b <= MOST),
    *((run, 0) for run in NULL_RUNS),
    *((0, run) for run in NULL_RUNS),
]


@dataclass(frozen=True, slots=True)
class Arcs:
    """Beads: `a` source sentences from `i` on with `b` target sentences from `j` on.

    All arrays have shape (arcs,) and are sorted by (i, j).
    """

    i: Ints
    j: Ints
    a: Ints
    b: Ints

    def __len__(self) -> int:
        """Number of arcs."""
        return len(self.i)

    @property
    def link(self) -> NDArray[np.bool_]:
        """Whether each arc has sentences on both sides."""
        return (self.a > 0) & (self.b > 0)

    def __getitem__(self, keep: NDArray[np.bool_] | Ints | slice) -> Arcs:
        """Some of the arcs."""
        return Arcs(self.i[keep], self.j[keep], self.a[keep], self.b[keep])


def anchors(src: Vectors, tgt: Vectors, neighbours: int = NEIGHBOURS) -> Ints:
    """The first pass: 1-1 links that do not cross, of the greatest sum of cosines.

    Args:
        src: Source vectors, shape (n, d), unit length.
        tgt: Target vectors, shape (m, d).
        neighbours: How many target sentences each source sentence may link to.

    Returns:
        Shape (links, 2), ascending in both columns.
    """
    n, m = len(src), len(tgt)
    if not n or not m:
        return np.zeros((0, 2), np.int64)
    neighbours = min(neighbours, m)
    best = np.empty((n, neighbours), np.int64)
    cosine = np.empty((n, neighbours))
    rows = max(1, _BLOCK // m)
    for at in range(0, n, rows):
        matrix = src[at : at + rows] @ tgt.T
        some = np.argpartition(-matrix, neighbours - 1, axis=1)[:, :neighbours]
        some.sort(axis=1)
        best[at : at + rows] = some
        cosine[at : at + rows] = np.take_along_axis(matrix, some, axis=1)
    return _chain(best, cosine, m)


def _chain(best: Ints, cosine: NDArray[np.float64], m: int) -> Ints:
    """Heaviest chain that ascends in both coordinates: prefix maxima in a Fenwick tree."""
    tree_value = [0.0] * (m + 1)
    tree_point = [-1] * (m + 1)
    points: list[tuple[int, int, int]] = []
    for i, (targets, values) in enumerate(zip(best.tolist(), cosine.tolist(), strict=True)):
        new = []
        for j, value in zip(targets, values, strict=True):
            if value <= 0:
                continue
            total, before = value, -1
            k = j  # targets 0 … j-1 are at 1 … j of the tree
            most = 0.0
            while k:
                if tree_value[k] > most:
                    most, before = tree_value[k], tree_point[k]
                k -= k & -k
            new.append((j, total + most, len(points)))
            points.append((i, j, before))
        for j, total, point in new:
            k = j + 1
            while k <= m:
                if total > tree_value[k]:
                    tree_value[k], tree_point[k] = total, point
                k += k & -k
    most, at, k = 0.0, -1, m
    while k:
        if tree_value[k] > most:
            most, at = tree_value[k], tree_point[k]
        k -= k & -k
    path = []
    while at >= 0:
        i, j, at = points[at]
        path.append((i, j))
    return np.array(path[::-1], np.int64).reshape(-1, 2)


def band(links: Ints, n: int, m: int, window: int = WINDOW) -> tuple[Ints, Ints]:
    """First and last target border that each source border may meet.

    Args:
        links: Anchors as `anchors` gives them.
        n: Number of source sentences.
        m: Number of target sentences.
        window: Borders either side.

    Returns:
        Two arrays of shape (n + 1,), ascending, the second inclusive; (0, 0) and (n, m) are in
        the band, and it is connected.
    """
    x = np.concatenate(([0], np.repeat(links[:, 0], 2), [n]))
    y = np.concatenate(([0], np.repeat(links[:, 1], 2), [m]))
    x[2:-1:2] += 1
    y[2:-1:2] += 1
    rows = np.arange(n + 1)
    keep_last = np.append(np.diff(x) > 0, True)
    upper = np.interp(rows, x[keep_last], y[keep_last])
    keep_first = np.insert(np.diff(x) > 0, 0, True)
    lower = np.interp(rows, x[keep_first], y[keep_first])
    nxt = np.append(lower[1:], m)
    low = np.clip(np.floor(lower).astype(np.int64) - window, 0, m)
    high = np.clip(np.ceil(np.maximum(upper, nxt)).astype(np.int64) + window, 0, m)
    low[0], high[n] = 0, m
    return low, high


def arcs_in(low: Ints, high: Ints) -> Arcs:
    """All beads of the allowed shapes whose borders are in the band."""
    n = len(low) - 1
    i = np.repeat(np.arange(n + 1), high - low + 1)
    j = np.arange(len(i)) - np.repeat(np.cumsum(high - low + 1) - (high - low + 1), high - low + 1)
    j += low[i]
    parts = []
    for a, b in SHAPES:
        inside = np.flatnonzero(i + a <= n)
        to = i[inside] + a
        inside = inside[(j[inside] + b >= low[to]) & (j[inside] + b <= high[to])]
        parts.append((i[inside], j[inside], np.full(len(inside), a), np.full(len(inside), b)))
    columns = [np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True)]
    order = np.lexsort((columns[1], columns[0]))
    return Arcs(*(column[order] for column in columns))


def lattice_of(arcs: Arcs, n: int, m: int) -> Lattice:
    """The lattice whose arcs are these beads, in this order."""
    width = m + 1
    start = arcs.i * width + arcs.j
    end = (arcs.i + arcs.a) * width + arcs.j + arcs.b
    nodes, place = np.unique(np.concatenate((start, end, [0, n * width + m])), return_inverse=True)
    depth = nodes // width + nodes % width
    k = len(arcs)
    return Lattice(place[:k], place[k : 2 * k], depth, int(place[2 * k]), int(place[-1]))
