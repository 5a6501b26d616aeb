"""From the object of an answer to scores: one for each metric, or why there is none."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bwb.judge.layout import plain_key, reading_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bwb.judge.layout import Place

# missing: the answer has no such key; wrong-type: another kind of value; out-of-range: no score of
# the scale; unreadable: the answer is no JSON and could not be made so.
Problem = Literal["missing", "wrong-type", "out-of-range", "unreadable"]

_NUMBER = re.compile(
    r"\s*(?:score\s*[:=]?\s*)?(-?\d+(?:\.\d+)?)\s*(?:(?:/|out of)\s*(\d+)(?:\.0+)?)?"
    r"\s*(?:points?)?\s*\.?\s*",
    re.IGNORECASE,
)
_DEPTH = 3

# An item that is longer says more than that there is none.
_LONGEST_NONE = 200


@dataclass(frozen=True, slots=True)
class Judgement:
    """One metric of one answer.

    Attributes:
        metric: Name of the metric.
        scale: ``score`` or ``count``.
        score: The score, or the number of mistakes; None if it cannot be told.
        items: The mistakes that were counted, or the faults that decided a score, as the judge
            gave them.
        said_none: Number of items that say that there is no mistake; they are not counted.
        explanation: The judge's words on a score; empty if there are none.
        problem: Why there is no score; None if there is one.
        message: More about the problem.
        note: What is odd though it could be read: ``score-as-words``, ``object-for-list``,
            ``string-for-list``, ``other-nesting``; None if nothing.
    """

    metric: str
    scale: str
    score: float | None
    items: tuple[Any, ...] = ()
    said_none: int = 0
    explanation: str = ""
    problem: Problem | None = None
    message: str = ""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A value in an answer.

    Attributes:
        value: The value.
        beside: The object that holds it.
        nested: Whether it stands elsewhere than the path says.
    """

    value: Any
    beside: dict[str, Any]
    nested: bool


def find(value: Any, place: Place) -> Found | None:  # noqa: ANN401 - JSON
    """The value of a metric; None if the answer has none.

    Keys are compared without case and spaces. A judge that leaves out an outer key, or adds one,
    is understood.
    """
    path = place.keys
    at, holder = value, value
    for step, key in enumerate(path):
        if not isinstance(at, dict):
            # {"Accuracy": […]}: the inner key is left out, which is clear if there is but one.
            if step + 1 == len(path) and _only(path[0]):
                return Found(at, holder, nested=True)
            break
        holder = at
        name = next((name for name in at if plain_key(name) == key), None)
        if name is None:
            break
        at = at[name]
    else:
        return Found(at, holder, nested=False)
    for holder in _objects(value, _DEPTH):
        for name in holder:
            if plain_key(name) == path[-1]:
                return Found(holder[name], holder, nested=True)
    return None


def _only(key: str) -> bool:
    """Whether a single metric stands under an outer key of published answers."""
    return sum(place.keys[0] == key for place in reading_rules().published) == 1


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - JSON
    if isinstance(value, dict) and depth:
        yield value
        for inner in value.values():
            yield from _objects(inner, depth - 1)


def judge_answer(value: Any, places: Sequence[Place]) -> list[Judgement]:  # noqa: ANN401 - JSON
    """The judgements of an answer, one for each place."""
    return [_judgement(value, place) for place in places]


def unreadable(places: Sequence[Place], message: str) -> list[Judgement]:
    """The judgements of an answer that could not be read."""
    return [
        Judgement(place.metric, place.scale, None, problem="unreadable", message=message)
        for place in places
    ]


def _judgement(value: Any, place: Place) -> Judgement:  # noqa: ANN401 - JSON
    found = find(value, place)
    if found is None:
        return _without(place, "missing", f"no key {place.path[-1]!r}")
    note = "other-nesting" if found.nested else None
    if place.scale == "score":
        return _score(found, place, note)
    return _count(found.value, place, note)


def _without(place: Place, problem: Problem, message: str) -> Judgement:
    return Judgement(place.metric, place.scale, None, problem=problem, message=message)


def _score(found: Found, place: Place, note: str | None) -> Judgement:
    value = found.value
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value)):
        if match[2] and int(match[2]) != place.high:
            return _without(place, "out-of-range", f"{value!r}; expected a score of {place.high}")
        note = note if match[0].strip() == match[1] else "score-as-words"
        value = float(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _without(place, "wrong-type", f"{_short(value)}; expected a number")
    if not place.low <= value <= place.high:
        said = f"{value:g}; expected {place.low} to {place.high}"
        return _without(place, "out-of-range", said)
    words = [text for text in found.beside.values() if isinstance(text, str)]
    words = [text for text in words if text != found.value]
    faults = next((of for of in found.beside.values() if isinstance(of, list)), [])
    explanation = max(words, key=len, default="") or " / ".join(map(item_text, faults))
    return Judgement(
        place.metric, place.scale, float(value), tuple(faults), explanation=explanation, note=note
    )


def _count(value: Any, place: Place, note: str | None) -> Judgement:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        value, note = [value], "string-for-list"
    elif isinstance(value, dict):
        value, note = _by_type(value), "object-for-list"
    if not isinstance(value, list):
        return _without(place, "wrong-type", f"{_short(value)}; expected a list of mistakes")
    items = tuple(item for item in value if not says_none(item))
    return Judgement(
        place.metric, place.scale, float(len(items)), items, len(value) - len(items), note=note
    )


def _by_type(value: dict[str, Any]) -> list[Any]:
    """Mistakes that are given as an object: lists by type, or one by its parts."""
    if any(isinstance(inner, list) for inner in value.values()):
        lists = (inner if isinstance(inner, list) else [inner] for inner in value.values())
        return [item for inner in lists for item in inner]
    return [value] if value else []


def says_none(item: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether an item of a list says that there is no mistake; see `reading.toml`."""
    if isinstance(item, str):
        if len(item) > _LONGEST_NONE:
            return False
        bare = item.strip().strip("()[]<>\"'“”.。!").strip()
        return reading_rules().none_pattern.fullmatch(bare) is not None
    return item is None or item in ({}, [])


def item_text(item: Any) -> str:  # noqa: ANN401 - JSON
    """The words of an item, whatever its form."""
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        return "; ".join(f"{key}: {item_text(inner)}" for key, inner in item.items())
    if isinstance(item, list):
        return "; ".join(map(item_text, item))
    return str(item)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
