"""The heaviest chain of links that do not cross (Fredman 1975, with weights)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Chain:
    """A link of consecutive items of two lists."""

    left: tuple[int, ...]
    """Indices in the first list, ascending, without gaps."""
    right: tuple[int, ...]
    """Indices in the second list, likewise."""
    weight: float
    """What it is worth; above 0."""


def heaviest(links: Sequence[Chain]) -> list[Chain]:
    """The links, no two of which share an item or cross, of the greatest total weight.

    Takes O(n log m) for n links and m items of the second list. Of equal totals that is
    taken whose links end first.
    """
    order = sorted(range(len(links)), key=lambda k: (links[k].left, links[k].right))
    ends = sorted(order, key=lambda k: (links[k].left[-1], links[k].right))
    size = max((link.right[-1] for link in links), default=0) + 2
    tree: list[int] = [-1] * (size + 1)  # of each range of ends in the second list, the best link
    total = [0.0] * len(links)
    before = [-1] * len(links)
    ended = 0
    for k in order:
        link = links[k]
        while ended < len(ends) and links[ends[ended]].left[-1] < link.left[0]:
            _insert(tree, links[ends[ended]].right[-1] + 1, ends[ended], total)
            ended += 1
        before[k] = best = _best(tree, link.right[0], total)
        total[k] = link.weight + (total[best] if best >= 0 else 0.0)
    at = max(order, key=lambda k: total[k], default=-1)
    out = []
    while at >= 0:
        out.append(links[at])
        at = before[at]
    return out[::-1]


def _insert(tree: list[int], at: int, link: int, total: Sequence[float]) -> None:
    while at < len(tree):
        if tree[at] < 0 or total[link] > total[tree[at]]:
            tree[at] = link
        at += at & -at


def _best(tree: Sequence[int], at: int, total: Sequence[float]) -> int:
    """The best link that ends before an item of the second list; -1 if there is none."""
    best = -1
    while at > 0:
        if tree[at] >= 0 and (best < 0 or total[tree[at]] >= total[best]):
            best = tree[at]  # of equals the one that ends first
        at -= at & -at
    return best
