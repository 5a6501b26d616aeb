"""The words that raters read, and how checks are made: `annotations/human.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from bwb.assets import asset
from bwb.tomlfile import Strict, read_toml

if TYPE_CHECKING:
    from pathlib import Path


class Spam(Strict):
    """How checks are made.

    Attributes:
        share: Share of a rater's items that are checks; 0 for none.
        keep: Share of the words that stay in place, at each end of a sentence.
        least_words: Words that a sentence needs to be damaged.
    """

    share: float = Field(ge=0, le=0.5)
    keep: float = Field(ge=0, lt=0.5)
    least_words: int = Field(ge=4)


class CriterionText(Strict):
    """What a rater is asked; see `bwb.human.design.Criterion`."""

    source: bool
    title: str
    question: str
    help: str


class UnitTexts(Strict):
    """What raters are told of the units."""

    sentence: str
    document: str


class DesignTexts(Strict):
    """What raters are told of how to answer."""

    ranking: str
    bws: str


class Settings(Strict):
    """The file."""

    spam: Spam
    criteria: dict[str, CriterionText]
    units: UnitTexts
    designs: DesignTexts


def read_settings(path: Path | None = None) -> Settings:
    """Read the settings; those of the package if no file is named.

    Raises:
        FormatError: if a key is unknown, missing or has a wrong value.
        InputError: if there is no such file.
    """
    return read_toml(asset("annotations/human.toml") if path is None else path, Settings)
