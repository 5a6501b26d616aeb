"""From answers to judgements: systems instead of labels, and without raters who did not read.

A judgement says how each system of an item did against the others that were shown there. Its value
is the share of them that it beat, ties counting half: 1 is first alone, 0 last alone. Of k systems
the rank (equal ones share the mean of their ranks) is 1 + (k - 1)(1 - value). Under best-worst
scaling the best beats all, the worst none, and those between are tied.

A check is failed if the damaged text is ranked better than, or equal to, any real output of the
item (Jiang et al. 2022); under best-worst scaling, if it is not marked the worst. Checks count
for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.human.design import Item, Plan, Unit
    from bwb.human.sheet import Answer


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rater on one item.

    Attributes:
        rater: Name of the rater.
        criterion: What was asked.
        unit: Sentence or document.
        item: Id of the item.
        document: Id of the document.
        values: System → share of the other systems that it beat, ties counting half.
        orders: System → its place among the systems, smaller is better; equal is a tie.
        best: Systems marked best (best-worst scaling only).
        worst: Systems marked worst (best-worst scaling only).
    """

    rater: str
    criterion: str
    unit: Unit
    item: str
    document: str
    values: dict[str, float]
    orders: dict[str, int]
    best: tuple[str, ...] = ()
    worst: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RaterReport:
    """What a rater did.

    Attributes:
        rater: Name.
        criterion: What was asked.
        items: Items to judge, checks among them.
        answered: Items answered.
        checks: Checks answered.
        failed: Checks failed.
        kept: Whether the rater's judgements count.
        seconds: Median time of an item; None if it was not measured.
    """

    rater: str
    criterion: str
    items: int
    answered: int
    checks: int
    failed: int
    kept: bool
    seconds: float | None


def failed(item: Item, values: Sequence[int]) -> bool:
    """Whether a check was failed: a damaged text is not worse than every real one."""
    pairs = list(zip(item.candidates, values, strict=True))
    real = [value for candidate, value in pairs if not candidate.damaged]
    return any(value <= max(real) for candidate, value in pairs if candidate.damaged)


def judge(plan: Plan, answers: Iterable[Answer]) -> list[Judgement]:
    """The judgements that answers hold, checks left out."""
    made = []
    for answer in answers:
        item = plan.by_id[answer.item]
        if item.spam:
            continue
        orders = {
            system: value
            for candidate, value in zip(item.candidates, answer.values, strict=True)
            for system in candidate.systems
        }
        picked = plan.design == "bws"
        made.append(
            Judgement(
                rater=answer.rater,
                criterion=plan.by_name[answer.rater].criterion,
                unit=item.unit,
                item=item.id,
                document=item.document,
                values=_values(orders),
                orders=orders,
                best=tuple(s for s, v in orders.items() if v == 1) if picked else (),
                worst=tuple(s for s, v in orders.items() if v == 3) if picked else (),
            )
        )
    return made


def report_raters(
    plan: Plan, answers: Sequence[Answer], max_failed: float = 0.25
) -> list[RaterReport]:
    """What each rater who answered anything did, and whether their judgements count.

    Args:
        plan: The plan.
        answers: All answers.
        max_failed: Share of answered checks that may be failed; who fails more is dropped. Who
            answered no check is kept.
    """
    from statistics import median

    by_rater: dict[str, list[Answer]] = {}
    for answer in answers:
        by_rater.setdefault(answer.rater, []).append(answer)
    reports = []
    for rater in plan.raters:
        mine = by_rater.get(rater.name, [])
        if not mine:
            continue
        checks = [a for a in mine if plan.by_id[a.item].spam]
        wrong = sum(failed(plan.by_id[a.item], a.values) for a in checks)
        times = [a.seconds for a in mine if a.seconds is not None]
        reports.append(
            RaterReport(
                rater=rater.name,
                criterion=rater.criterion,
                items=len(rater.tasks),
                answered=len(mine),
                checks=len(checks),
                failed=wrong,
                kept=wrong <= max_failed * len(checks),
                seconds=median(times) if times else None,
            )
        )
    return reports


def _values(orders: dict[str, int]) -> dict[str, float]:
    others = len(orders) - 1
    return {
        system: sum(
            (mine < other) + 0.5 * (mine == other) for name, other in orders.items()
            if name != system
        ) / others
        for system, mine in orders.items()
    }  # fmt: skip
