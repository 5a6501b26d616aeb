"""Which systems are compared together where an item cannot show all of them.

Balanced as an incomplete block design is: every system is shown as often as any other (give or
take one), and so is every pair, as far as the numbers allow. The blocks are found greedily, which
reaches the design itself where it exists for small numbers, and says by `balance` how near it came
where it does not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from bwb.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

Block = tuple[int, ...]
# Up to so many possible blocks all are looked at; above it, they are put together one by one.
_ALL = 2000


@dataclass(frozen=True, slots=True)
class Balance:
    """How even a set of blocks is.

    Attributes:
        blocks: Number of blocks.
        shown: Fewest and most times that a system is shown.
        together: Fewest and most times that two systems are shown together.
    """

    blocks: int
    shown: tuple[int, int]
    together: tuple[int, int]


def balanced_blocks(systems: int, size: int, count: int, rng: Random) -> list[Block]:
    """So many blocks of so many systems.

    Args:
        systems: Number of systems.
        size: Number of systems in a block; all of them if it is larger.
        count: Number of blocks.
        rng: What decides between blocks that are as good.

    Returns:
        Indices of systems, ascending in each block.

    Raises:
        UsageError: if a block would hold fewer than two systems.
    """
    size = min(size, systems)
    if size < 2:
        raise UsageError(f"{size} outputs in an item; expected 2 or more to compare")
    shown: Counter[int] = Counter()
    together: Counter[tuple[int, int]] = Counter()
    few = comb(systems, size) <= _ALL
    possible = list(combinations(range(systems), size)) if few else []
    made = []
    for _ in range(count):
        block = (
            _best(possible, systems, shown, together, rng)
            if few
            else _grown(systems, size, shown, together, rng)
        )
        made.append(block)
        shown.update(block)
        together.update(combinations(block, 2))
    return made


def balance(blocks: Iterable[Iterable[int]], systems: int) -> Balance:
    """How even blocks are; a system or a pair that is never shown counts 0."""
    listed = [tuple(sorted(block)) for block in blocks]
    shown = Counter(system for block in listed for system in block)
    together = Counter(pair for block in listed for pair in combinations(block, 2))
    times = [shown[system] for system in range(systems)]
    pairs = [together[pair] for pair in combinations(range(systems), 2)]
    return Balance(
        len(listed),
        (min(times, default=0), max(times, default=0)),
        (min(pairs, default=0), max(pairs, default=0)),
    )


def _best(
    possible: list[Block],
    systems: int,
    shown: Counter[int],
    together: Counter[tuple[int, int]],
    rng: Random,
) -> Block:
    """The block that leaves the counts most even, of systems first, then of pairs."""
    # The fewest times first: who is behind by one must be in, or the counts drift apart.
    least = min(shown[system] for system in range(systems))
    behind = {system for system in range(systems) if shown[system] == least}

    def cost(block: Block) -> tuple[int, int, int]:
        missed = -len(behind.intersection(block))
        ahead = sum(shown[system] - least for system in block)
        return missed, ahead, sum(together[pair] ** 2 for pair in combinations(block, 2))

    costs = [cost(block) for block in possible]
    lowest = min(costs)
    return rng.choice([b for b, c in zip(possible, costs, strict=True) if c == lowest])


def _grown(
    systems: int, size: int, shown: Counter[int], together: Counter[tuple[int, int]], rng: Random
) -> Block:
    """A block put together system by system."""
    block: list[int] = []
    for _ in range(size):
        rest = [system for system in range(systems) if system not in block]
        costs = [(shown[s], sum(together[min(s, o), max(s, o)] ** 2 for o in block)) for s in rest]
        lowest = min(costs)
        block.append(rng.choice([s for s, c in zip(rest, costs, strict=True) if c == lowest]))
    return tuple(sorted(block))
