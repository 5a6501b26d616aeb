"""What a plan comes to: how much there is to judge, and how even it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.human.blocks import balance

if TYPE_CHECKING:
    from bwb.human.design import Item, Plan


def summary(plan: Plan) -> dict[str, Any]:
    """Raters with their work, items by part and unit, and their balance.

    Returns:
        JSON: ``raters`` (name, criterion, items, checks), ``cells`` (part, unit, items, checks,
        documents, how often a system is shown, how often two are shown together, each as fewest
        and most), ``first`` (system → share of a rater's items in which it stands first).
    """
    raters = [
        {
            "rater": rater.name,
            "criterion": rater.criterion,
            "items": len(rater.tasks),
            "checks": sum(plan.by_id[task.item].spam for task in rater.tasks),
        }
        for rater in plan.raters
    ]
    places = sorted({(item.part, item.unit) for item in plan.items})
    cells = []
    for part, unit in places:
        items = [item for item in plan.items if (item.part, item.unit) == (part, unit)]
        real = [item for item in items if not item.spam]
        even = balance((_block(plan, item) for item in real), len(plan.systems))
        cells.append(
            {
                "part": part,
                "unit": unit,
                "items": len(real),
                "checks": len(items) - len(real),
                "documents": len({item.document for item in real}),
                "shown": list(even.shown),
                "together": list(even.together),
            }
        )
    return {
        "design": plan.design,
        "systems": list(plan.systems),
        "raters": raters,
        "cells": cells,
        "first": _first(plan),
        "left_out": plan.left_out,
    }


def _block(plan: Plan, item: Item) -> list[int]:
    return [plan.systems.index(name) for one in item.candidates for name in one.systems]


def _first(plan: Plan) -> dict[str, float]:
    """How often each system stands first, of the times a rater is shown it."""
    first = dict.fromkeys(plan.systems, 0)
    shown = dict.fromkeys(plan.systems, 0)
    for rater in plan.raters:
        for task in rater.tasks:
            candidates = plan.by_id[task.item].candidates
            for place, index in enumerate(task.order):
                for system in candidates[index].systems:
                    first[system] += place == 0
                    shown[system] += 1
    return {system: first[system] / shown[system] for system in plan.systems if shown[system]}
