"""Reading the JSON of a judge's answer, however it is wrapped or broken.

Most answers are JSON and are read as such. Others are repaired, by the mildest repair that makes
them JSON, and every repair has a name, so that it can be counted:

double-encoded      the answer is a JSON string that holds the JSON
in-a-list           the object is the only item of a list
control-characters  line feeds or tabs stand as they are inside strings
code-fence          ``` around it
reasoning           a thinking part in front of it
text-before         words in front of the object
text-after          words behind it
two-objects         a second object behind it; its keys are added if they are other ones
bad-escapes         a backslash before a character that needs none
commas              a comma too many, or missing between two items
inner-quotes        quotation marks inside strings that are not escaped
pairs-in-list       ``"Omission": "…"`` as an item of a list
open-string         a string that is not closed
cut-off             the answer ends in the middle of a list; for these four, the lists and scores
                    are read by their keys (`bwb.judge.salvage`)
library             what json-repair makes of it
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bwb.judge.salvage import salvage
from bwb.judge.scores import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.judge.layout import Place

Status = Literal["strict", "repaired", "unreadable"]
Repair = Literal[
    "double-encoded",
    "in-a-list",
    "control-characters",
    "code-fence",
    "reasoning",
    "text-before",
    "text-after",
    "two-objects",
    "bad-escapes",
    "commas",
    "inner-quotes",
    "pairs-in-list",
    "open-string",
    "cut-off",
    "library",
]

_LENIENT = json.JSONDecoder(strict=False)
_FENCE = re.compile(r"```[ \t]*[A-Za-z0-9_-]*[ \t]*\n?(.*?)(?:\n?[ \t]*```|\Z)", re.DOTALL)
_THINKING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(.)|\Z)', re.DOTALL)
_STRING = r'"(?:[^"\\]|\\.)*"'
_EXTRA_COMMA = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)
_MISSING_COMMA = re.compile(rf'({_STRING}|[\]}}])([ \t\r]*\n\s*)(?=["{{\[])', re.DOTALL)
_WEIGHTLESS = "\ufeff\u200b\u2060"

# json-repair takes time with the square of the depth: an answer with more brackets than this is no
# answer to anything.
_BRACKETS = 1000

# An object may be looked for at so many places of an answer that begins with words.
_OPENINGS = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read of an answer.

    Attributes:
        value: The object; None if it could not be read.
        repairs: What was repaired, in order; empty if nothing had to be.
        problem: Why it could not be read; None if it could.
    """

    value: dict[str, Any] | None
    repairs: tuple[Repair, ...] = ()
    problem: str | None = None

    @property
    def status(self) -> Status:
        """Strict JSON, repaired or unreadable."""
        if self.value is None:
            return "unreadable"
        return "repaired" if self.repairs else "strict"


def read_answer(text: str, places: Sequence[Place]) -> Reading:
    """Read an answer.

    Args:
        text: The answer.
        places: The metrics it may have; says which keys tell the right object from another.
    """
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return _repair(text, places)
    return _from_value(value, (), places)


def _from_value(value: Any, repairs: tuple[Repair, ...], places: Sequence[Place]) -> Reading:  # noqa: ANN401 - JSON
    """The reading of JSON: an object, or a string that holds one."""
    if isinstance(value, dict):
        return Reading(value, repairs)
    if isinstance(value, str) and value.strip():
        inner = read_answer(value, places)
        names = dict.fromkeys((*repairs, "double-encoded", *inner.repairs))
        return Reading(inner.value, tuple(names), inner.problem)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return Reading(value[0], (*repairs, "in-a-list"))
    return Reading(None, problem=f"{_kind(value)}; expected an object")


def _repair(text: str, places: Sequence[Place]) -> Reading:
    if not text.strip():
        return Reading(None, problem="the answer is empty")
    repairs: list[Repair] = []
    body = text.strip().strip(_WEIGHTLESS).strip()
    if thinking := _THINKING.match(body):
        repairs.append("reasoning")
        body = body[thinking.end() :].strip()
    if fence := _fenced(body):
        inside = [*repairs, *_around(body, fence)]
        if (found := _parse(fence[1].strip(), inside, places)) is not None:
            return found
        if fence[0] == body:
            repairs, body = inside, fence[1].strip()
    if (found := _parse(body, repairs, places)) is not None:
        return found
    return _last_means(body, tuple(repairs), places)


def _fenced(body: str) -> re.Match[str] | None:
    """The first code fence that holds an object; None if there is none."""
    return next((match for match in _FENCE.finditer(body) if "{" in match[1]), None)


def _around(body: str, fence: re.Match[str]) -> list[Repair]:
    names: list[Repair] = ["code-fence"]
    if body[: fence.start()].strip():
        names.append("text-before")
    if body[fence.end() :].strip():
        names.append("text-after")
    return names


def _parse(body: str, repairs: list[Repair], places: Sequence[Place]) -> Reading | None:
    """Read JSON that is whole, or whole after small repairs; None if it is not."""
    fixed = _ESCAPE.sub(_escape, body)
    commas = _MISSING_COMMA.sub(r"\1,\2", _EXTRA_COMMA.sub(lambda m: m[1] or "", fixed))
    tries: list[tuple[str, list[Repair]]] = [(body, [])]
    if fixed != body:
        tries.append((fixed, ["bad-escapes"]))
    if commas != fixed:
        tries.append((commas, [*tries[-1][1], "commas"]))
    for text, more in tries:
        try:
            return _from_value(json.loads(text), (*repairs, *more), places)
        except (json.JSONDecodeError, RecursionError):
            pass
        if (found := _object_in(text, (*repairs, *more), places)) is not None:
            return found
    return None


def _escape(match: re.Match[str]) -> str:
    if match[1]:
        return match[0]
    return "\\\\" + (match[2] or "") if match[2] in ("u", None) else match[2]


def _object_in(text: str, repairs: tuple[Repair, ...], places: Sequence[Place]) -> Reading | None:
    """The first object in a text that has one of the metrics, with what stands behind it."""
    start = -1
    for _ in range(_OPENINGS):
        start = text.find("{", start + 1)
        if start < 0:
            return None
        try:
            value, end = _LENIENT.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value, dict) and has_metric(value, places):
            break
    else:
        return None
    names: list[Repair] = [*repairs]
    if text[:start].strip():
        names.append("text-before")
    whole = text[start:end]
    try:
        json.loads(whole)
    except json.JSONDecodeError:
        names.append("control-characters")
    rest = text[end:].strip()
    if rest.startswith("{"):
        try:
            other, stop = _LENIENT.raw_decode(rest)
        except (json.JSONDecodeError, RecursionError):
            other, stop = {}, 0
        if stop:
            names.append("two-objects")
            value = {**other, **value}
            rest = rest[stop:].strip()
    if rest:
        names.append("text-after")
    return Reading(value, tuple(names))


def _last_means(body: str, repairs: tuple[Repair, ...], places: Sequence[Place]) -> Reading:
    """Read the lists and scores by their keys alone; else leave it to the library."""
    found = salvage(body, places)
    if found is not None:
        return Reading(found.value, (*repairs, found.repair))
    if "{" not in body:
        return Reading(None, problem="no JSON in it")
    if body.count("{") + body.count("[") > _BRACKETS:
        return Reading(None, problem=f"no JSON, and over {_BRACKETS:,} brackets")
    import json_repair

    try:
        value = json_repair.loads(body[body.index("{") :], skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        return Reading(None, problem=f"json-repair: {type(error).__name__}")
    if isinstance(value, dict) and has_metric(value, places):
        return Reading(value, (*repairs, "library"))
    return Reading(None, problem="no JSON with a score or a list of mistakes in it")


def has_metric(value: Any, places: Sequence[Place]) -> bool:  # noqa: ANN401 - JSON
    """Whether an object has one of the metrics; without places, any object has."""
    return not places or any(find(value, place) is not None for place in places)


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return names.get(type(value), "null" if value is None else "a string")
