"""What is written down about a chapter that is dropped."""

from __future__ import annotations

from dataclasses import dataclass

from bwb.records import Lang  # noqa: TC001 - pydantic reads the annotations

_STRICT = {"extra": "forbid", "use_attribute_docstrings": True}


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that a chapter broke."""

    __pydantic_config__ = _STRICT
    rule: str
    """Name of the rule."""
    score: float
    """What the rule measured."""
    threshold: float
    """What was the least or most allowed."""
    detail: str
    """The score in words."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A chapter that was dropped, and why."""

    __pydantic_config__ = _STRICT
    book: str
    """Id of the book."""
    chapter: str
    """Place of the chapter; of the Chinese one for a pair."""
    lang: Lang | None
    """Side that was dropped; None for a pair."""
    rule: str
    """Name of the first rule that was broken: a stable reason code."""
    score: float | None = None
    """What it measured; None if the reason is no rule with a score."""
    threshold: float | None = None
    """What was the least or most allowed; None likewise."""
    detail: str = ""
    """The score in words, or what happened."""
    also: tuple[Reason, ...] = ()
    """The other rules that were broken."""
