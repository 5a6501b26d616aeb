"""Gale-Church: alignment by sentence length alone (Gale & Church 1993).

A dynamic programme over beads (links of a source and b target sentences). A bead's cost is the
prior of its type and the probability of its length difference,

    δ = (l_t - c·l_s) / √(m·s²),   m = (c·l_s + l_t) / 2,   P = 2(1 - Φ(|δ|))

with lengths in characters (section 3). Everything is in logarithms: the product of
probabilities underflows on texts of some hundred sentences. c, the target characters a source
character becomes, is taken from the document unless given.

``compat=True`` is the variant that Bleualign uses inside gaps: c = 1, products of probabilities,
at most one free deletion or insertion at the very start, ties to the larger bead. It is meant for
short texts and reproduces Bleualign there; on long ones it underflows as that does.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from bwb.align.base import SentenceLink, check_links, cover
from bwb.align.beads import Lattice, plausibility, viterbi
from bwb.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

Bead = tuple[int, int]

# Gale & Church 1993, table 5; 1-3, 3-1 and 1-4 are ours: literary translations need them.
PRIORS: dict[Bead, float] = {
    (1, 0): 0.0099,
    (0, 1): 0.0099,
    (1, 1): 0.89,
    (2, 1): 0.089,
    (1, 2): 0.089,
    (2, 2): 0.011,
    (3, 1): 0.01,
    (1, 3): 0.03,
    (1, 4): 0.01,
}
COMPAT_PRIORS: dict[Bead, float] = {
    (1, 1): 0.89,
    (2, 1): 0.089,
    (1, 2): 0.089,
    (2, 2): 0.011,
    (1, 0): 0.0099,
    (0, 1): 0.0099,
}
_STEPS = 4096  # of the table of log probabilities, to a standard deviation
_FAR = 64  # standard deviations; more is as improbable as this
S2 = 6.8  # variance a character, Gale & Church 1993, section 3.3


class GaleChurch:
    """Aligns by length.

    Attributes:
        c: Target characters a source character becomes; None takes it from the document.
        s2: Variance of δ a character.
        priors: Probability of each type of bead (source sentences, target sentences). They need
            not sum to 1. ``(1, 0)`` and ``(0, 1)`` must be there.
        compat: Whether to do as Bleualign does; then all of the above are its own.
        width: Half the width of the band, in target sentences; grows with the document.
    """

    name = "galechurch"

    def __init__(
        self,
        *,
        c: float | None = None,
        s2: float = S2,
        priors: Mapping[Bead, float] | None = None,
        compat: bool = False,
        width: int = 100,
    ) -> None:
        """Keep the settings.

        Raises:
            UsageError: if a number is not positive, or the priors lack 1-0 or 0-1.
        """
        self.c, self.s2, self.compat, self.width = c, s2, compat, width
        self.priors = dict(PRIORS if priors is None else priors)
        for what, value in (("c", c), ("s2", s2), ("width", width)):
            if value is not None and not value > 0:
                raise UsageError(f"{what} is {value}; expected a number above 0")
        for bead, prior in self.priors.items():
            if not 0 < prior <= 1 or min(bead) < 0 or max(bead) < 1:
                raise UsageError(f"prior of bead {bead} is {prior}; expected above 0, at most 1")
        if not {(1, 0), (0, 1)} <= self.priors.keys():
            raise UsageError("the priors lack (1, 0) or (0, 1): every sentence needs a way out")

    def align(self, src: Sequence[str], tgt: Sequence[str]) -> list[SentenceLink]:
        """Align by length; the score of a link is P, lowered if the texts differ in size."""
        if not src or not tgt:
            return cover((), len(src), len(tgt))
        lengths = [len(s.strip()) for s in src], [len(t.strip()) for t in tgt]
        if self.compat:
            beads = compat_beads(*lengths)
            links = [SentenceLink(a, b, None, self.name) for a, b in beads]
            links = cover(links, len(src), len(tgt))
        else:
            links = self._align(*lengths)
        check_links(links, len(src), len(tgt))
        return links

    def _align(self, left: list[int], right: list[int]) -> list[SentenceLink]:
        import numpy as np

        c = self.c or max(sum(right), 1) / max(sum(left), 1)
        sums = [np.concatenate(([0.0], np.cumsum(x, dtype=np.float64))) for x in (left, right)]
        shapes = [bead for bead in self.priors if min(bead)]
        priors = np.log([self.priors[bead] for bead in shapes])
        lattice = Lattice(
            len(left), len(right), shapes, math.log(self.priors[1, 0]), math.log(self.priors[0, 1])
        )

        def score(i: int, low: int, high: int) -> NDArray[np.float64]:
            return (
                priors[:, None]
                + length_scores(sums, shapes, range(i, i + 1), low, high, c, self.s2)[:, 0]
            )

        low, high = diagonal(sums[0] * c, sums[1], self.width)
        factor = plausibility(len(left), len(right))
        links = []
        for a, b in viterbi(lattice, low, high, score):
            if a and b:
                pair = sum(left[k] for k in a), sum(right[k] for k in b)
                links.append(
                    SentenceLink(a, b, round(factor * tail(*pair, c, self.s2), 6), self.name)
                )
            else:
                links.append(SentenceLink(a, b, 0.0, "null"))
        return links


def tail(left: float, right: float, c: float, s2: float) -> float:
    """P: how likely a length difference at least this large is."""
    mean = (left * c + right) / 2
    if mean <= 0:
        return 0.0
    return math.erfc(abs(right - left * c) / math.sqrt(mean * s2) / math.sqrt(2))


def length_scores(
    sums: Sequence[NDArray[np.float64]],
    shapes: Sequence[Bead],
    rows: range,
    low: int,
    high: int,
    c: float,
    s2: float,
) -> NDArray[np.float64]:
    """The log P of all beads that end at some source positions.

    Args:
        sums: Cumulated characters of both sides, from 0.
        shapes: Types of bead.
        rows: Source positions: the number of source sentences before each.
        low: First target position.
        high: Last target position.
        c: Target characters a source character becomes.
        s2: Variance of δ a character.

    Returns:
        An array (shapes, rows, high - low + 1); -inf where a bead would start before the text.
    """
    import numpy as np

    a, b = np.array(shapes).T[:, :, None]
    i, ends = np.arange(rows.start, rows.stop), np.arange(low, high + 1)
    starts = ends - b
    left = ((sums[0][i] - sums[0][np.maximum(i - a, 0)]) * c)[:, :, None]
    right = (sums[1][ends] - sums[1][np.maximum(starts, 0)])[:, None]
    mean = np.maximum((left + right) / 2 * s2, 1e-9)
    distance = np.abs(right - left) / np.sqrt(mean)
    out: NDArray[np.float64] = _log_tails()[
        np.minimum(distance * _STEPS + 0.5, _FAR * _STEPS).astype(np.int64)
    ]
    out[np.broadcast_to((starts < 0)[:, None], out.shape)] = -np.inf
    out[a > i] = -np.inf
    return out


@lru_cache(maxsize=1)
def _log_tails() -> NDArray[np.float64]:
    """The log of 2(1 - Φ(x)) for x = 0, 1/_STEPS .. _FAR."""
    import numpy as np
    from scipy.special import log_ndtr

    table: NDArray[np.float64] = math.log(2) + log_ndtr(-np.arange(_FAR * _STEPS + 1) / _STEPS)
    return table


def diagonal(
    left: NDArray[np.float64], right: NDArray[np.float64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A band around the line on which both sides are equally far advanced, in characters.

    Args:
        left: Cumulated lengths of the source sentences, from 0.
        right: The same of the target.
        width: Half the width; a tenth of the target sentences is added.

    Returns:
        First and last target position for each source position, both rising.
    """
    import numpy as np

    scale = right[-1] / left[-1] if left[-1] else 0.0
    centre = np.searchsorted(right, left * scale)
    half = width + len(right) // 10
    return spread(centre - half, centre + half, len(right) - 1)


def spread(
    low: NDArray[np.int64], high: NDArray[np.int64], last: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Clip a band to the text, make it rise, and have it begin and end in the corners."""
    import numpy as np

    low = np.minimum.accumulate(np.clip(low, 0, last)[::-1])[::-1].copy()
    high = np.maximum.accumulate(np.clip(high, 0, last))
    low[0], high[-1] = 0, last
    high[:-1] = np.maximum(high[:-1], low[1:])  # rows overlap: insertions lead to the next
    return low, high


def compat_beads(
    left: Sequence[int], right: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Gale-Church as Bleualign has it: beads with both sides, in order.

    Args:
        left: Lengths of the source sentences (in a gap of Bleualign: of their translations).
        right: Lengths of the target sentences.
    """
    left_sums, right_sums = ([*accumulate(side, initial=0)] for side in (left, right))
    best: dict[Bead, tuple[float, int, int]] = {}
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            top = 0.0, 0, 0
            if not (i and j):  # one deletion or insertion is free at the start, more impossible
                top = float(i + j < 2), int(i > 0), int(j > 0)
                best[i, j] = top
                continue
            for (a, b), prior in COMPAT_PRIORS.items():
                if a <= i and b <= j:
                    before = best[i - a, j - b][0]
                    if before * prior < top[0]:
                        continue  # P is at most 1
                    if before:
                        before *= tail(
                            left_sums[i] - left_sums[i - a],
                            right_sums[j] - right_sums[j - b],
                            1,
                            S2,
                        )
                    top = max(top, (before * prior, a, b))
            best[i, j] = top
    i, j = len(left), len(right)
    out = []
    while i or j:
        _, a, b = best[i, j]
        if a and b:
            out.append((tuple(range(i - a, i)), tuple(range(j - b, j))))
        i, j = i - a, j - b
    return out[::-1]
