"""The dynamic programme that Gale-Church and Bleualign share: the best path of beads in a band.

A bead is a link of a source and b target sentences. Position (i, j) means that i source and j
target sentences are done. Only positions in a band are looked at, row by row, and of each only
the type of the best bead that ends there is kept: a byte a position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.align.base import AlignmentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Scorer = Callable[[int, int, int], NDArray[np.float64]]

_SIZE_RATIO = 3  # texts that differ more in sentences are not trusted


@dataclass(frozen=True, slots=True)
class Lattice:
    """What beads there are.

    Attributes:
        src: Number of source sentences.
        tgt: Number of target sentences.
        shapes: Types of bead with both sides: (source sentences, target sentences).
        deletion: Score of a source sentence without counterpart.
        insertion: Score of a target sentence without counterpart.
    """

    src: int
    tgt: int
    shapes: Sequence[tuple[int, int]]
    deletion: float
    insertion: float


def plausibility(src: int, tgt: int) -> float:
    """1 for texts of like size; less, down to 0, if one has over 3 times the other's sentences."""
    return min(1.0, _SIZE_RATIO * min(src, tgt) / max(src, tgt, 1))


def viterbi(
    lattice: Lattice, low: NDArray[np.int64], high: NDArray[np.int64], score: Scorer
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The best path from (0, 0) to (src, tgt).

    Args:
        lattice: The types of bead.
        low: First target position of the band for each source position 0 .. src, rising.
        high: Last, likewise; the band must hold both corners.
        score: Given i, low and high: scores (shapes, high - low + 1) of the beads that end at
            (i, low) .. (i, high); -inf where there is none.

    Returns:
        The beads in order as indices of sentences. Of equal paths, that with the earlier shape.

    Raises:
        AlignmentError: if no path leads through the band.
    """
    import numpy as np

    depth = max((a for a, _ in lattice.shapes), default=1)
    pad = max((b for _, b in lattice.shapes), default=1)
    a = np.array([shape[0] for shape in lattice.shapes] + [1])
    b = np.array([shape[1] for shape in lattice.shapes] + [0])
    rows = np.full((depth + 1, lattice.tgt + 1 + pad), -np.inf)
    flat, width = rows.reshape(-1), rows.shape[1]
    steps = np.arange(width)
    choices: list[NDArray[np.uint8]] = []
    across = len(a)  # the code of an insertion; that of a deletion is one less
    for i, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        here = rows[i % (depth + 1)]
        here.fill(-np.inf)
        if i == 0:
            best = np.full(last - first + 1, -np.inf)
            best[0] = 0.0
            choice = np.full(best.shape, across, dtype=np.uint8)
        else:
            starts = (i - a) % (depth + 1) * width + (first + pad) - b
            before = flat[starts[:, None] + steps[: last - first + 1]]
            if i < depth:
                before[a > i] = -np.inf
            before[:-1] += score(i, first, last)
            before[-1] += lattice.deletion
            choice = before.argmax(axis=0).astype(np.uint8)
            best = before.max(axis=0)
        here[first + pad : last + 1 + pad] = _insert(best, choice, lattice.insertion, across)
        choices.append(choice)
    if not np.isfinite(rows[lattice.src % (depth + 1), lattice.tgt + pad]):
        raise AlignmentError(
            f"no path of beads through the band of {lattice.src}:{lattice.tgt} sentences"
        )
    return _read_back(lattice, low, choices)


def _insert(
    best: NDArray[np.float64], choice: NDArray[np.uint8], insertion: float, code: int
) -> NDArray[np.float64]:
    """Let insertions lead on along a row: the new scores; `choice` is changed in place."""
    import numpy as np

    steps = insertion * np.arange(len(best))
    through = np.maximum.accumulate(best - steps) + steps
    inserted = through > best + 1e-9
    choice[inserted] = code
    return np.where(inserted, through, best)


def _read_back(
    lattice: Lattice, low: NDArray[np.int64], choices: Sequence[NDArray[np.uint8]]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    steps = [*lattice.shapes, (1, 0), (0, 1)]
    i, j = lattice.src, lattice.tgt
    out = []
    while i or j:
        a, b = steps[choices[i][j - int(low[i])]]
        out.append((tuple(range(i - a, i)), tuple(range(j - b, j))))
        i, j = i - a, j - b
    return out[::-1]
