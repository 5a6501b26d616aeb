"""Rubrics: what a judge is asked, as data.

A rubric is a TOML file with one or more parts; a part is one request. It says which texts the
judge sees, what it has to do, and which metrics its answer has: a ``score`` is a number with the
faults that decided it, a ``count`` is a list of mistakes whose length is the score. The JSON
schema of the answer, and the form of it that the prompt shows, are made of that.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from bwb.assets import asset
from bwb.errors import UnknownNameError
from bwb.judge.layout import Place, Scale
from bwb.tomlfile import Strict, read_toml

Sees = Literal["output", "reference", "source", "source_before", "output_before"]

# Files of the folder that are no rubrics.
_OTHERS = ("protocol", "reading")


class RubricMetric(Strict):
    """A metric of an answer.

    Attributes:
        name: Name of the metric.
        scale: ``score`` or ``count``.
        key: Its key in the answer.
        types: What kinds of mistakes there are; a mistake then names its type.
        evidence: Key of the list of faults beside a score.
        low: Lowest score.
        high: Highest score.
    """

    name: str = Field(min_length=1)
    scale: Scale
    key: str = Field(pattern=r"^[a-z][a-z_]*$")
    types: tuple[str, ...] = ()
    evidence: str | None = Field(default=None, pattern=r"^[a-z][a-z_]*$")
    low: int = 1
    high: int = 5

    @model_validator(mode="after")
    def _fits(self) -> RubricMetric:
        if self.scale == "count" and self.evidence is not None:
            raise ValueError("evidence belongs to a score; the list of a count is its evidence")
        if self.scale == "score" and (self.types or not self.low < self.high):
            raise ValueError("a score has no types, and low is less than high")
        return self

    @property
    def place(self) -> Place:
        """Where an answer has it."""
        return Place(
            metric=self.name, scale=self.scale, path=(self.key,), low=self.low, high=self.high
        )


class Part(Strict):
    """One request: what the judge sees, has to do, and answers."""

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    sees: tuple[Sees, ...] = Field(min_length=1)
    task: str = Field(min_length=1)
    metrics: tuple[RubricMetric, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _output(self) -> Part:
        if "output" not in self.sees or len(set(self.sees)) < len(self.sees):
            raise ValueError(f"sees {list(self.sees)}; expected output, and each text once")
        return self

    @property
    def places(self) -> tuple[Place, ...]:
        """Where an answer has the metrics."""
        return tuple(metric.place for metric in self.metrics)

    def answer_schema(self) -> dict[str, Any]:
        """JSON schema of the answer, within what structured output allows everywhere."""
        properties: dict[str, Any] = {}
        for metric in self.metrics:
            if metric.evidence is not None:
                properties[metric.evidence] = _list({"quote": _TEXT, "why": _TEXT})
            if metric.scale == "score":
                scores = list(range(metric.low, metric.high + 1))
                properties[metric.key] = {"type": "integer", "enum": scores}
            else:
                kind = {"type": {"type": "string", "enum": list(metric.types)}}
                fields = {"quote": _TEXT, "why": _TEXT, "better": _TEXT}
                properties[metric.key] = _list({**kind, **fields} if metric.types else fields)
        return _object(properties)

    def form(self) -> str:
        """The form of the answer, as the prompt shows it."""
        rows: dict[str, Any] = {}
        for metric in self.metrics:
            fault = {"quote": "words of the TEXT", "why": "what is wrong with them, in a sentence"}
            if metric.evidence is not None:
                rows[metric.evidence] = [fault]
            if metric.scale == "score":
                scores = map(str, range(metric.low, metric.high + 1))
                rows[metric.key] = f"{' | '.join(scores)}, a number without quotation marks"
            else:
                kind = {"type": " | ".join(metric.types)} if metric.types else {}
                rows[metric.key] = [{**kind, **fault, "better": "what should stand there"}]
        return json.dumps(rows, ensure_ascii=False, indent=2)


class Rubric(Strict):
    """A file of parts."""

    title: str = Field(min_length=1)
    parts: tuple[Part, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> Rubric:
        for what, names in (
            ("part", [part.name for part in self.parts]),
            ("metric", [metric.name for part in self.parts for metric in part.metrics]),
        ):
            if len(set(names)) < len(names):
                raise ValueError(f"a {what} is named twice: {', '.join(names)}")
        for part in self.parts:
            keys = [metric.key for metric in part.metrics]
            keys += [metric.evidence for metric in part.metrics if metric.evidence]
            if len(set(keys)) < len(keys):
                raise ValueError(f"part {part.name!r} has a key twice: {', '.join(keys)}")
        return self

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in order."""
        return [metric.name for part in self.parts for metric in part.metrics]

    @property
    def sees(self) -> set[Sees]:
        """The texts that any part sees."""
        return {text for part in self.parts for text in part.sees}


class TextNames(Strict):
    """What a text is called in a prompt, and what is said of it."""

    name: str = Field(pattern=r"^[A-Z][A-Z ]*$")
    says: str = Field(min_length=1)


class Protocol(Strict):
    """What all prompts share."""

    system: str = Field(min_length=1)
    texts: dict[Sees, TextNames]


def rubric_names() -> list[str]:
    """The rubrics that come with the package."""
    found = sorted(path.stem for path in asset("annotations/judge").glob("*.toml"))
    return [name for name in found if name not in _OTHERS]


def load_rubric(name: str) -> NamedRubric:
    """A rubric by its name, or from a TOML file.

    Raises:
        FormatError: if the file is not one.
        InputError: if there is no such file.
        UnknownNameError: if there is none of that name.
    """
    if name.endswith(".toml"):
        path = Path(name)
    elif name in rubric_names():
        path = asset("annotations/judge") / f"{name}.toml"
    else:
        raise UnknownNameError("rubric", name, rubric_names())
    rubric = read_toml(path, Rubric)
    return NamedRubric(name=path.stem, **dict(rubric))


class NamedRubric(Rubric):
    """A rubric and its name."""

    name: str


def load_protocol() -> Protocol:
    """What all prompts share."""
    return read_toml(asset("annotations/judge/protocol.toml"), Protocol)


def prompt_digest(protocol: Protocol, part: Part) -> str:
    """Digest of all that a prompt is made of, but for the texts; twelve hexadecimal digits."""
    body = [protocol.model_dump(), part.model_dump(), part.answer_schema()]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]


_TEXT = {"type": "string"}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties)}
