"""The settings of rules, duplicates and pairing: `crawl/filters.toml`, and a corpus's own."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from bwb.assets import asset
from bwb.errors import InputError
from bwb.textio import read_text
from bwb.tomlfile import Strict, check

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILTERS = "crawl/filters.toml"


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]


class RuleSettings(Strict):
    """Settings that every rule has."""

    threshold: float = Field(ge=0, allow_inf_nan=False)
    """What drops a chapter: scores below or above, as the rule says; equal is kept."""
    enabled: bool = True
    """Whether the rule drops anything; if not, it is not scored either."""


class LengthSettings(Strict):
    """Settings of the rule ``length-ratio``."""

    english_per_chinese: float = Field(gt=0)
    """English characters that a Chinese character becomes."""


class VerseSettings(Strict):
    """What lines are verse."""

    lengths: tuple[Positive, ...]
    """Characters of a Chinese half line."""
    run: Annotated[int, Field(ge=2)]
    """Half lines of equal length in a row that make verse."""
    couplet: Pattern
    """What a line of a couplet begins with."""
    short: Positive
    """Most characters of an English line of verse."""
    english_run: Annotated[int, Field(ge=2)]
    """English lines in a row that make verse."""
    open_share: Share
    """Least share of them without the mark of a sentence's end."""
    not_verse: Pattern
    """Lines in which this is found are lists, not verse."""


class DamageSettings(Strict):
    """What text looks like after a wrong decoding."""

    patterns: tuple[Pattern, ...]
    """Every character of a match is damaged."""


class UntranslatedSettings(Strict):
    """What sentences are not English."""

    han: Share
    """Least share of a sentence's letters that are Chinese."""


class DuplicateSettings(Strict):
    """How chapters are compared to find duplicates."""

    threshold: Share
    """Least Jaccard index of near-duplicates."""
    chinese: Positive
    """Characters of an n-gram of Chinese text."""
    english: Positive
    """Characters of an n-gram of English text."""
    permutations: Positive
    """Numbers in a fingerprint."""
    bands: Positive
    """Parts of a fingerprint of which one must agree; divides `permutations`."""
    boilerplate: Share
    """Lines that stand in more than this share of a book's chapters are left out."""
    common: Annotated[int, Field(ge=2)]
    """Chapters in which such a line stands at least."""
    fewest: Positive
    """Chapters of fewer n-grams are compared by digest only."""

    @model_validator(mode="after")
    def _divides(self) -> DuplicateSettings:
        if self.permutations % self.bands:
            raise ValueError(
                f"permutations is {self.permutations}; expected a multiple of bands ({self.bands})"
            )
        return self


class PairingSettings(Strict):
    """How chapters are paired."""

    accept: Annotated[float, Field(gt=0, lt=1)]
    """Least similarity of chapters that are paired."""
    sure: Annotated[float, Field(gt=0, lt=1)]
    """Similarity at which a pair by number or index needs no further check."""
    number: float = Field(ge=0)
    """Log odds that agreement of the numbers in the titles adds."""
    split: float = Field(ge=0)
    """Cost of a link of several chapters, in log odds."""
    skip: float = Field(ge=0)
    """Cost of a chapter that is left unpaired, in log odds."""
    candidates: Positive
    """Chapters that each chapter is compared with where number and index fail."""

    @model_validator(mode="after")
    def _ordered(self) -> PairingSettings:
        if self.sure < self.accept:
            raise ValueError(f"sure is {self.sure}; expected at least accept ({self.accept})")
        return self


class Filters(Strict):
    """All of `crawl/filters.toml`."""

    rules: dict[str, RuleSettings]
    """Settings of each rule, by its name."""
    alignment: dict[str, Annotated[float, Field(gt=0)]]
    """Least mean score of a pair's links, by aligner."""
    length: LengthSettings
    verse: VerseSettings
    damage: DamageSettings
    untranslated: UntranslatedSettings
    duplicates: DuplicateSettings
    pairing: PairingSettings


def load_filters(
    overrides: Mapping[str, Any] | None = None,
    *,
    file: str = "corpus.toml [filters]",
    path: Path | None = None,
) -> Filters:
    """The settings that come with the package, with some of them replaced.

    Args:
        overrides: Tables as in `crawl/filters.toml`; what they do not name stays.
        file: Where the overrides come from, for messages.
        path: Another file instead of the package's own, complete like that.

    Raises:
        InputError: if a key is unknown or a value is not allowed; names file, key and value.
    """
    own = path or asset(FILTERS)
    text, _ = read_text(own)
    base = _parse(text, own)
    filters = check(base, Filters, str(own), text)
    if not overrides:
        return filters
    rules = overrides.get("rules", {})
    for name in rules if isinstance(rules, dict) else ():
        if name not in base["rules"]:
            known = ", ".join(base["rules"])
            raise InputError(f"{file}: rules.{name}: no such rule; expected one of {known}")
    return check(_merge(base, overrides), Filters, file)


def _parse(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: {error}") from None


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key, all else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _merge(old, value) if both else value  # type: ignore[arg-type]
    return merged
