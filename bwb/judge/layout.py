"""Where in a judge's answer the scores stand, and how its words are read.

What can be edited is in `annotations/judge/reading.toml`.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Literal

from pydantic import Field, field_validator

from bwb.assets import asset
from bwb.tomlfile import Strict, read_toml

Scale = Literal["score", "count"]


class Place(Strict):
    """A metric, and where an answer has it.

    Attributes:
        metric: Name of the metric.
        scale: ``score`` is a number from `low` to `high`, higher is better; ``count`` is the
            length of a list of mistakes, lower is better.
        path: Keys that lead to it.
        low: Lowest score.
        high: Highest score.
    """

    metric: str = Field(min_length=1)
    scale: Scale
    path: tuple[str, ...] = Field(min_length=1)
    low: int = 1
    high: int = 5

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The path as keys are compared: see `plain_key`."""
        return tuple(map(plain_key, self.path))


class _Files(Strict):
    endings: tuple[str, ...]


class ReadingRules(Strict):
    """The file `reading.toml`; its comments say what each key means."""

    no_mistake: tuple[str, ...]
    ellipsis: str
    quotes: tuple[str, ...]
    similarity: float = Field(gt=0, le=1)
    fuzzy_from: int = Field(ge=1)
    published: tuple[Place, ...]
    published_files: _Files

    @field_validator("no_mistake", mode="after")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        return patterns

    @field_validator("quotes", mode="after")
    @classmethod
    def _pairs(cls, pairs: tuple[str, ...]) -> tuple[str, ...]:
        for pair in pairs:
            if len(pair) != 2:
                raise ValueError(f"{pair!r}: expected an opening and a closing mark")
        return pairs

    @cached_property
    def none_pattern(self) -> re.Pattern[str]:
        """Matches an item that says that there is no mistake."""
        return re.compile("|".join(f"(?:{pattern})" for pattern in self.no_mistake), re.IGNORECASE)


@lru_cache(maxsize=1)
def reading_rules() -> ReadingRules:
    """The rules that come with the package."""
    return read_toml(asset("annotations/judge/reading.toml"), ReadingRules)


@lru_cache(maxsize=1000)
def plain_key(key: str) -> str:
    """A key of an answer as keys are compared: in lower case, without spaces and signs."""
    return re.sub(r"[\s_-]+", "", key).casefold()
