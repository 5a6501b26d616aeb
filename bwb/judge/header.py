"""The records that a run writes before it asks: what it is, and which texts it is about."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from bwb import __version__
from bwb.judge.rubric import load_protocol, prompt_digest
from bwb.judge.store import item_key
from bwb.metrics.base import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.judge.rubric import NamedRubric
    from bwb.judge.store import Store
    from bwb.judge.tasks import Task


def run_record(
    rubric: NamedRubric,
    settings: Mapping[str, Any],
    *,
    endpoint: str,
    window: int | None,
    structured: bool,
    data: Mapping[str, str],
) -> dict[str, Any]:
    """The record of a run: its signature, and where its answers have the scores.

    Args:
        rubric: What is asked.
        settings: Model, temperature and the like.
        endpoint: Address of the endpoint.
        window: Sentences of a window; None is the whole document.
        structured: Whether structured output is asked for.
        data: What the signature says of the data.
    """
    protocol = load_protocol()
    prompts = {part.name: prompt_digest(protocol, part) for part in rubric.parts}
    judge = {
        "rubric": rubric.name,
        **{name: str(value) for name, value in settings.items()},
        "schema": "yes" if structured else "no",
        "window": str(window or "document"),
        "endpoint": endpoint,
    }
    fields = {**judge, "prompts": "+".join(prompts.values()), **data, "version": __version__}
    signature = str(Signature("judge", tuple(fields.items())))
    return {
        "record": "run",
        "id": _digest(signature)[:16],
        "signature": signature,
        "rubric": rubric.name,
        "direction": "zh-en",
        "settings": dict(settings),
        # Answers of the same model to other prompts, or with other settings, are of another judge.
        "judges": {
            part: _digest(json.dumps([judge, prompt]))[:8] for part, prompt in prompts.items()
        },
        "places": {
            part.name: [place.model_dump() for place in part.places] for part in rubric.parts
        },
    }


def new_records(
    store: Store, run: Mapping[str, Any], tasks: Sequence[Task]
) -> list[dict[str, Any]]:
    """The record of a run and its items, but for those that are in the file."""
    rows = [] if run["id"] in store.runs else [dict(run)]
    for task in tasks:
        item = {
            "record": "item",
            "run": run["id"],
            "request": task.key,
            "part": task.part,
            "system": task.system,
            "document": task.document,
            "window": [task.first, task.last],
            "windows": task.windows,
            "offset": task.offset,
            "text": task.text,
            "reference": task.reference,
        }
        if item_key(item) not in store.items:
            rows.append(item)
    return rows


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
