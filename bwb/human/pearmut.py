"""The plan as campaigns for Pearmut (Zouhar and Kocmi 2026), which hosts them for raters.

A campaign a criterion, for Pearmut shows one instruction to all; a task a rater, by the plan's
names and in the plan's order; a document of one item an item, passages as one text with line
breaks. The protocol is DA: raters give 0 to 100, and what is compared stands side by side, so that
ranks, or the best and the worst, follow from the scores. Checks are silent ones: every real output
has to score higher than the damaged one, which is called ``damaged`` so that it stays out of
system scores.

Pearmut hides the names of systems on the page, but its server sends them to the browser; our own
forms do not hold them. Written to the campaign format of pearmut 1.1.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError
from bwb.textio import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from bwb.human.design import Plan, Rater, Task

DAMAGED = "damaged"
# Where a browser may see a tag; Pearmut lets some through.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def campaigns(plan: Plan) -> list[dict[str, Any]]:
    """The campaigns, one a criterion.

    Raises:
        InputError: if Pearmut cannot take the name of a system.
    """
    for system in plan.systems:
        if system.isdigit() or system == DAMAGED:
            raise InputError(
                f"Pearmut cannot show a system called {system!r}; expected a name that is not "
                f"{DAMAGED!r} and has something other than digits in it"
            )
    made = []
    for criterion in plan.criteria:
        raters = [rater for rater in plan.raters if rater.criterion == criterion.name]
        told = (criterion.question, criterion.help, _HOW[plan.design])
        made.append(
            {
                "campaign_id": f"bwb-{plan.id}-{criterion.name}",
                "info": {
                    "assignment": "task-based",
                    "protocol": "DA",
                    # The plan has drawn the order already.
                    "shuffle": False,
                    "seed": plan.seed,
                    "users": [rater.name for rater in raters],
                    "instructions": "<br>".join(map(html.escape, told)),
                },
                "data": [[[_item(plan, rater, task)] for task in rater.tasks] for rater in raters],
            }
        )
    return made


_HOW = {
    "ranking": "Give each text a score; texts that are equally good get the same.",
    "bws": "Give the best text the highest score and the worst one the lowest.",
}


def write_campaigns(plan: Plan, path: Path) -> int:
    """Write the campaigns into a file for ``pearmut add``; returns how many there are."""
    made = campaigns(plan)
    with replacing(path) as file:
        file.write(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    return len(made)


def _item(plan: Plan, rater: Rater, task: Task) -> dict[str, Any]:
    item = plan.by_id[task.item]
    texts: dict[str, str] = {}
    for index in task.order:
        candidate = item.candidates[index]
        names = (DAMAGED,) if candidate.damaged else candidate.systems
        texts |= dict.fromkeys(names, _text(candidate.sentences))
    body: dict[str, Any] = {
        "item_id": item.id,
        "document_id": item.document,
        "instructions": html.escape(plan.unit_help.get(item.unit, "")),
        "tgt": texts,
    }
    if plan.criterion(rater).source:
        body["src"] = _text(item.source)
    if item.spam:
        real = [name for name in texts if name != DAMAGED]
        body["validation"] = {name: {"score_greaterthan": DAMAGED} for name in real}
    return body


def _text(sentences: tuple[str, ...]) -> str:
    # A word joiner behind "<": it looks the same and is no tag.
    return _TAG.sub("<\u2060", "\n".join(sentences))
