"""Who judges what.

A rater has one criterion. Where both units are judged, half of a criterion's raters judge the
sentences of part 1 and the documents of part 2, the other half the other way round (a 2 × 2 mixed
design: the criterion between raters, the unit within them).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from bwb.errors import UsageError
from bwb.human.design import Rater, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.human.design import Item, Plan, Unit


def assign(plan: Plan, raters: int, overlap: int | None, seed: int) -> tuple[Rater, ...]:
    """Hand the items of a plan to raters.

    Args:
        plan: The plan; its own raters are not looked at.
        raters: How many there are.
        overlap: How many of a group judge each item; None for all of them.
        seed: Seed of the orders.

    Returns:
        The raters, those of a criterion and order of parts together.

    Raises:
        UsageError: if there are too few raters for the groups, or for the overlap.
    """
    orders = (0, 1) if len(plan.units) > 1 else (0,)
    groups = [(criterion.name, order) for criterion in plan.criteria for order in orders]
    if raters < len(groups):
        listed = f"{len(plan.criteria)} criteria × {len(orders)} orders of the parts"
        raise UsageError(f"{raters} raters; expected {len(groups)} or more ({listed})")
    if overlap is not None and not 1 <= overlap <= raters // len(groups):
        raise UsageError(
            f"--overlap {overlap}; expected 1 to {raters // len(groups)}, the raters of the "
            f"smallest of {len(groups)} groups"
        )
    made: list[Rater] = []
    wide = max(2, len(str(raters)))
    for number, (criterion, order) in enumerate(groups):
        size = raters // len(groups) + (number < raters % len(groups))
        lots: list[list[list[Item]]] = [[] for _ in range(size)]
        for unit in plan.units:
            part = _part(plan, unit, order)
            items = [i for i in plan.items if i.unit == unit and i.part == part]
            shared = _shared(items, size, overlap)
            for lot, mine in zip(lots, shared, strict=True):
                lot.append(mine)
        for lot in lots:
            name = f"r{len(made) + 1:0{wide}}"
            made.append(Rater(name, criterion, _tasks(lot, Random(f"{seed}:{name}"))))
    return tuple(made)


def _part(plan: Plan, unit: Unit, order: int) -> int:
    return 1 if len(plan.units) == 1 else 1 + (plan.units.index(unit) + order) % 2


def _shared(items: Sequence[Item], size: int, overlap: int | None) -> list[list[Item]]:
    """The items of each of so many raters: even loads, and every two of them meet."""
    real = [item for item in items if not item.spam]
    checks = [item for item in items if item.spam]
    if overlap is None or overlap == size:
        return [list(items) for _ in range(size)]
    lots: list[list[Item]] = [[] for _ in range(size)]
    met: Counter[tuple[int, int]] = Counter()
    for item in real:
        chosen: list[int] = []
        for _ in range(overlap):
            rest = [who for who in range(size) if who not in chosen]
            chosen.append(
                min(
                    rest,
                    key=lambda who: (
                        len(lots[who]),
                        sum(met[min(who, other), max(who, other)] for other in chosen),
                    ),
                )
            )
        for who in chosen:
            lots[who].append(item)
        met.update(combinations(sorted(chosen), 2))
    for who, lot in enumerate(lots):
        # Checks keep their share of what a rater has; whose they are goes round.
        count = max(1, round(len(checks) * len(lot) / len(real))) if checks else 0
        lot += [checks[(who + i) % len(checks)] for i in range(count)]
    return lots


def _tasks(lot: Sequence[Sequence[Item]], rng: Random) -> tuple[Task, ...]:
    """A rater's items, unit by unit, in an order of their own, with labels of their own."""
    blocks = rng.sample(list(lot), len(lot))
    return tuple(
        Task(item.id, tuple(rng.sample(range(len(item.candidates)), len(item.candidates))))
        for block in blocks
        for item in rng.sample(list(block), len(block))
    )
