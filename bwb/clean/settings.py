"""The settings of cleaning and sentence splitting: `crawl/cleaning.toml`."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bwb.assets import asset
from bwb.records import Lang  # noqa: TC001 - pydantic reads the annotations
from bwb.tomlfile import Strict, read_toml

CLEANING = "crawl/cleaning.toml"


def _pattern(text: str) -> str:
    try:
        re.compile(text, re.VERBOSE)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]
Words = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class EnglishSentences(Strict):
    """What English sentence splitting goes by: words, divided by white space."""

    titles: Words
    """Abbreviations that never end a sentence, without their last full stop."""
    maybe: Words
    """Abbreviations that end a sentence only if a starter follows."""
    starters: Words
    """Words that begin a sentence and hardly ever follow an abbreviation within one."""
    speech: Words
    """Verbs that say who speaks."""
    not_speakers: Words
    """Capitalised words before such a verb that are no speaker."""
    elisions: Words
    """Words that begin with an apostrophe, without it."""


class ChineseSentences(Strict):
    """What Chinese sentence splitting goes by: words, divided by white space."""

    speech: Words
    """Verbs that say who speaks."""
    speaker: Positive
    """Longest speaker and adverb before such a verb, in characters."""
    goes_on: Words
    """What a quotation that is only a word of its sentence is followed by."""
    before_ellipsis: Positive
    """Characters of a sentence from which an ellipsis may end it."""


class Sentences(Strict):
    """What sentence splitting goes by."""

    en: EnglishSentences
    zh: ChineseSentences


class LineRule(Strict):
    """Lines, or parts of lines, that are not the author's text."""

    reason: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$")
    """Reason code of what is taken out."""
    at: Literal["line", "piece", "part"]
    """What a pattern matches: a whole line; a whole sentence of a line; any part of a line."""
    lang: Lang | None = None
    """Language of the chapters it is for; None for both."""
    near: Positive | None = None
    """Lines from either end of the chapter within which the rule holds; None for all of it."""
    quoted: bool = False
    """Whether it also holds for lines with quotation marks or brackets of speech."""
    longest: Positive = 200
    """Characters of the longest line, sentence or part it takes out."""
    triggers: Annotated[tuple[str, ...], Field(min_length=1)]
    """One of these is in every such line, lower-cased; looked for first because it is quick."""
    patterns: Annotated[tuple[Pattern, ...], Field(min_length=1)]
    """What it takes out; letters match in either case."""


class Lines(Strict):
    """What lines are taken out of a chapter."""

    title_lines: Positive
    """Lines at the beginning among which the title and credits may stand."""
    duplicate: dict[Lang, Positive]
    """Characters from which a paragraph that follows itself is a mistake of the page."""
    quoted_duplicate: Positive
    """How many times as long it must be if it is in quotation marks or brackets."""
    block: dict[Lang, Positive]
    """Characters from which several lines that follow themselves are a mistake."""
    far_block: dict[Lang, Positive]
    """The same for lines that come again further down."""
    far_block_lines: Positive
    """Least number of such lines."""
    tail_lines: Positive
    """Most lines that a heading of the author's own words takes with it at the chapter's end."""
    tail_headings: tuple[Pattern, ...]
    """Such headings."""
    heading: dict[Lang, Pattern]
    """Headings of chapters, with the groups ``number`` and ``name``."""
    rule: tuple[LineRule, ...]
    """Everything else, in the order in which it is tried."""


class Script(Strict):
    """When text is put into simplified characters."""

    threshold: Share
    """Share of traditional among the characters that differ, from which a line is converted."""
    least: Positive
    """Characters that differ in a chapter, below which it is never converted."""


class Language(Strict):
    """How a language is told."""

    least: Positive
    """Letters below which nothing is said."""
    han: Share
    """Share of Chinese characters among the letters from which a text is Chinese."""
    kana: Share
    """Share of kana among Chinese characters and kana from which a text is Japanese."""
    latin: Share
    """Share of Latin letters from which a text may be English."""
    function_words: Share
    """Share of English function words from which Latin text is English."""
    least_words: Positive
    """Words below which nothing is said of Latin text."""
    en: Words
    """Frequent English function words."""
    others: Words
    """Frequent function words of other languages that are no English words."""


class Cleaning(Strict):
    """The whole file."""

    sentences: Sentences
    lines: Lines
    script: Script
    language: Language


@cache
def cleaning() -> Cleaning:
    """The settings that come with the package.

    Raises:
        FormatError: if the file has an unknown key or a wrong value.
        InputError: if it is missing.
    """
    return read_toml(asset(CLEANING), Cleaning)
