"""Best paths and path sums over a lattice of beads, vectorised by depth.

A node is a pair of borders (i, j): i source and j target sentences are behind it. Its depth is
i + j. An arc is a bead from one node to a deeper one; so all nodes of a depth can be computed
together, from the source (0, 0) to the sink (n, m), or the other way. The sums are those of a
semi-Markov conditional random field (Sarawagi & Cohen 2004, "Semi-Markov Conditional Random
Fields for Information Extraction").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
UNREACHED = -1e30
"""Value of a node that no path reaches; finite, so that differences are not NaN."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The arcs into (or out of) the nodes of one depth, grouped by node."""

    arcs: Ints
    near: Ints
    cuts: Ints
    nodes: Ints
    sizes: Ints


class Lattice:
    """Nodes and arcs; weights are given to each question."""

    def __init__(self, start: Ints, end: Ints, depth: Ints, source: int, sink: int) -> None:
        """Sort the arcs.

        Args:
            start: Node that each arc leaves, shape (arcs,).
            end: Node that it enters, deeper than `start`.
            depth: Depth of each node, shape (nodes,).
            source: Node where paths begin.
            sink: Node where they end.
        """
        self.start, self.end, self.depth = start, end, depth
        self.source, self.sink = source, sink
        self._forward = list(_steps(end, start, depth[end]))
        self._backward = list(_steps(start, end, -depth[start]))

    def best(self, weights: Floats) -> tuple[Ints, float]:
        """Arcs of the path of the greatest sum, in order, and the sum.

        Ties go to the arc of the lowest number at each node, from the end.
        """
        value = self._maxima(weights, forward=True)
        sums = value[self.start] + weights
        tight = np.flatnonzero(sums == value[self.end])
        into = np.full(len(self.depth), -1, np.int64)
        into[self.end[tight][::-1]] = tight[::-1]
        path = []
        node = self.sink
        while node != self.source:
            path.append(into[node])
            node = int(self.start[into[node]])
        return np.array(path[::-1], np.int64), float(value[self.sink])

    def max_marginals(self, weights: Floats) -> Floats:
        """For each arc, the sum of the best path through it (`UNREACHED` or less if none)."""
        ahead = self._maxima(weights, forward=True)
        behind = self._maxima(weights, forward=False)
        return np.asarray(ahead[self.start] + weights + behind[self.end])

    def marginals(self, weights: Floats) -> tuple[Floats, float]:
        """For each arc, its share of exp(sum) over all paths; and the logarithm of the whole."""
        ahead = self._sums(weights, forward=True)
        behind = self._sums(weights, forward=False)
        total = ahead[self.sink]
        shares = np.exp(np.minimum(ahead[self.start] + weights + behind[self.end] - total, 0.0))
        return shares, float(total)

    def reachable(self) -> NDArray[np.bool_]:
        """For each arc, whether a path from source to sink goes through it."""
        zero = np.zeros(len(self.start))
        return np.asarray(self.max_marginals(zero) > UNREACHED / 2)

    def _maxima(self, weights: Floats, *, forward: bool) -> Floats:
        value = np.full(len(self.depth), UNREACHED)
        value[self.source if forward else self.sink] = 0.0
        for step in self._forward if forward else self._backward:
            sums = value[step.near] + weights[step.arcs]
            best = np.maximum.reduceat(sums, step.cuts)
            value[step.nodes] = np.maximum(best, value[step.nodes])
        return value

    def _sums(self, weights: Floats, *, forward: bool) -> Floats:
        value = np.full(len(self.depth), UNREACHED)
        value[self.source if forward else self.sink] = 0.0
        for step in self._forward if forward else self._backward:
            sums = value[step.near] + weights[step.arcs]
            best = np.maximum.reduceat(sums, step.cuts)
            rest = np.exp(sums - np.repeat(best, step.sizes))
            total = best + np.log(np.add.reduceat(rest, step.cuts))
            value[step.nodes] = np.maximum(total, value[step.nodes])
        return value


def _steps(far: Ints, near: Ints, depth: Ints) -> Iterator[_Step]:
    """Arcs in the order of the depth of their far node, grouped by it."""
    if not len(far):
        return
    order = np.lexsort((far, depth))
    far, depth = far[order], depth[order]
    new = np.flatnonzero(np.diff(far, prepend=-1))
    nodes = far[new]
    sizes = np.diff(new, append=len(far))
    levels = np.flatnonzero(np.diff(depth[new], prepend=depth[0] - 1))
    for k, first in enumerate(levels):
        last = levels[k + 1] if k + 1 < len(levels) else len(new)
        low = new[first]
        high = new[last] if last < len(new) else len(far)
        yield _Step(
            order[low:high],
            near[order[low:high]],
            new[first:last] - low,
            nodes[first:last],
            sizes[first:last],
        )
