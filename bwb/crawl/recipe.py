"""Site recipes: where a site keeps its chapters, in one TOML file a site.

``crawl/README.md`` explains every key to an author. A recipe is checked when it is read: unknown
keys, selectors and patterns that do not compile, and keys that need each other are errors with
file, line and key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from bwb.assets import asset
from bwb.crawl.pick import (
    ElementPicks,
    LinkPicks,
    Model,
    OnePick,
    Pick,
    Picks,
    Regex,
    Regexes,
    Text,
    regex,
    xpath,
)
from bwb.errors import Finding, FormatError, InputError, UnknownNameError
from bwb.records import Lang  # noqa: TC001 - pydantic reads it
from bwb.tomlfile import parse_toml, problems

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_WORDS = ("auto", "br", "newline")


class ListRules(Model):
    """Where the list of chapters is: ``[list]``."""

    links: Annotated[LinkPicks, Field(min_length=1)]
    remove: ElementPicks = ()
    url: Regex | None = None
    next: Picks = ()
    next_text: Regex | None = None
    next_url: Regex | None = None
    source: Text | None = None
    id: OnePick | None = None
    reverse: bool = False

    @model_validator(mode="after")
    def _together(self) -> ListRules:
        _next_needs(self.next, self.next_text, self.next_url)
        has_place = self.source is not None and "{id}" in self.source
        if has_place != (self.id is not None):
            raise ValueError("a source with {id} and the key id need each other")
        if self.source is not None and re.search(r"[{}]", self.source.replace("{id}", "")):
            raise ValueError(f"source {self.source!r}: the only place to fill is {{id}}")
        return self


class ChapterRules(Model):
    """Where the text of a chapter is: ``[chapter]``."""

    title: Picks = (Pick(selector="h1"),)
    body: Annotated[ElementPicks, Field(min_length=1)]
    remove: ElementPicks = ()
    paragraphs: Text = "auto"
    next: Picks = ()
    next_text: Regex | None = None
    next_url: Regex | None = None
    join: Literal["never", "unfinished", "always"] = "never"
    ruby: Literal["drop", "keep"] = "drop"
    keep_hidden: bool = False
    keep_title: bool = False

    @field_validator("paragraphs")
    @classmethod
    def _check_paragraphs(cls, value: str) -> str:
        from lxml.html import defs

        if value in _WORDS:
            return value
        if re.fullmatch(r"\w+", value) and value.lower() not in defs.tags:
            raise ValueError(f"{value!r} is neither of {', '.join(_WORDS)} nor an HTML element")
        xpath(value)
        return value

    @model_validator(mode="after")
    def _together(self) -> ChapterRules:
        _next_needs(self.next, self.next_text, self.next_url)
        return self


class LineRules(Model):
    """What a site adds to the lines: ``[lines]``."""

    drop: Regexes = ()
    cut: Regexes = ()
    end: Regexes = ()

    @field_validator("drop", "cut", "end")
    @classmethod
    def _check_patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            if regex(pattern).fullmatch(""):
                raise ValueError(f"{pattern!r} matches the empty text, so it would match anything")
        return value


class Recipe(Model):
    """A site recipe; see ``crawl/README.md`` for the meaning of the keys."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    version: Annotated[int, Field(ge=1)] = 1
    lang: Lang
    description: str = ""
    charset: Text | None = None
    charset_wrong: bool = False
    seconds: Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)] = 2.5
    listing: Annotated[ListRules, Field(alias="list")]
    chapter: ChapterRules
    lines: LineRules = LineRules()

    @field_validator("charset")
    @classmethod
    def _check_charset(cls, value: str | None) -> str | None:
        from bwb.crawl.charset import charset_name

        if value is not None and charset_name(value) is None:
            raise ValueError(f"{value!r} is not a charset; usual are utf-8, gbk, gb18030, big5")
        return value

    @model_validator(mode="after")
    def _together(self) -> Recipe:
        if self.charset_wrong and self.charset is None:
            raise ValueError("charset_wrong needs charset: what to decode with instead")
        return self

    @property
    def signature(self) -> str:
        """Name and version: ``novelfull-1``."""
        return f"{self.name}-{self.version}"


def _next_needs(picks: tuple[Pick, ...], text: str | None, url: str | None) -> None:
    if not picks and (text or url):
        raise ValueError("next_text and next_url are conditions on next, which is missing")


def check_recipe(path: Path) -> tuple[Recipe | None, list[Finding]]:
    """Read a recipe and list everything that is wrong with it.

    Returns:
        The recipe, or None if there is an error; and the findings.

    Raises:
        InputError: if there is no such file.
    """
    try:
        body, text = parse_toml(path)
    except FormatError as error:
        return None, [error.finding]
    try:
        return Recipe.model_validate(body), []
    except ValidationError as error:
        return None, problems(error, Recipe, str(path), text)


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        FormatError: for the first thing that is wrong with it.
        InputError: if there is no such file.
    """
    recipe, findings = check_recipe(path)
    if recipe is None:
        raise FormatError(findings[0])
    return recipe


def load_recipes(*folders: Path, own: bool = True) -> dict[str, Recipe]:
    """Read all recipes (``*.toml``) of some folders, by name.

    Args:
        folders: The folders; of two recipes with a name, that of the later folder is taken.
        own: Whether the recipes that come with the package are there too, before all others.

    Raises:
        FormatError: if a recipe is wrong, or two in one folder have the same name.
        InputError: if there is no such folder.
    """
    found: dict[str, Recipe] = {}
    for folder in (*((asset("crawl/sites"),) if own else ()), *folders):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder; expected one of site recipes (*.toml)")
        here: dict[str, Path] = {}
        for path in sorted(folder.glob("*.toml")):
            recipe = load_recipe(path)
            first = here.setdefault(recipe.name, path)
            if first != path:
                message = f"recipe {recipe.name!r} is in {first} already; expected another name"
                raise FormatError(Finding(str(path), 0, 0, "duplicate-recipe", message))
            found[recipe.name] = recipe
    return found


def find_recipe(recipes: Mapping[str, Recipe], name: str) -> Recipe:
    """The recipe of a name.

    Raises:
        UnknownNameError: if there is none.
    """
    if name not in recipes:
        raise UnknownNameError("recipe", name, recipes)
    return recipes[name]
