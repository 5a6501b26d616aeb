"""From raw links, which may cross or share sentences, to an alignment that covers both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.align.base import SentenceLink, cover
from bwb.align.beads import plausibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.align.bleualign_gaps import RawLink
    from bwb.align.bleualign_grams import Run

_SURE = {"BLEU": 1.0, "GAPFILLER": 0.75, "GALECHURCH": 0.5}


def repaired(raw: Sequence[RawLink], src: Sequence[str], tgt: Sequence[str]) -> list[SentenceLink]:
    """Monotone and covering links, as like the raw ones as possible.

    Links are taken in order. A sentence that an earlier link has is taken away from a later one;
    of a link with a hole the sentences before it stay; a link with an empty side goes.

    Returns:
        Links; scored by the step that made them (anchor 1, gap filler .75, Gale-Church .5),
        lowered if one side has many more sentences than the other.
    """
    factor = plausibility(len(src), len(tgt))
    done = [0, 0]
    links = []
    for link in raw:
        left, right = _piece(link.src, done[0]), _piece(link.tgt, done[1])
        if left and right:
            score = _SURE.get(link.method, 0.5) * factor
            links.append(SentenceLink(left, right, score, link.method))
            done = [left[-1] + 1, right[-1] + 1]
    return cover(links, len(src), len(tgt))


def _piece(run: Run, start: int) -> Run:
    """The first consecutive indices of a run that are not below `start`."""
    out: list[int] = []
    for index in sorted(run):
        if index >= start and (not out or index == out[-1] + 1):
            out.append(index)
        elif out:
            break
    return tuple(out)
