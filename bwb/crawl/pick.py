"""What a recipe can take from a page: elements by CSS selector, attributes, patterns.

Selectors become XPath (cssselect) and run on lxml; both they and regular expressions are compiled
once a process.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from lxml import etree


@lru_cache(maxsize=2048)
def xpath(selector: str) -> etree.XPath:
    """A CSS selector, compiled; what it matches comes in the order of the page.

    Raises:
        ValueError: if it is not one; the message says why.
    """
    from cssselect import HTMLTranslator, SelectorError
    from lxml import etree

    try:
        return etree.XPath(HTMLTranslator().css_to_xpath(selector))
    except (SelectorError, etree.XPathError) as error:
        raise ValueError(f"{selector!r} is not a CSS selector: {error}") from None


@lru_cache(maxsize=2048)
def regex(pattern: str) -> re.Pattern[str]:
    """A regular expression, compiled.

    Raises:
        ValueError: if it is not one; the message says why.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None


def _check_css(selector: str) -> str:
    xpath(selector)
    return selector


def _check_regex(pattern: str) -> str:
    regex(pattern)
    return pattern


def _many(value: object) -> object:
    """A single thing is a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def _pick(value: object) -> object:
    """A string is a selector."""
    return {"selector": value} if isinstance(value, str) else value


def _picks(value: object) -> object:
    return [_pick(item) for item in value] if isinstance(value, list | tuple) else [_pick(value)]


class Model(BaseModel):
    """A table of a recipe or manifest: frozen, without unknown keys, without conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Text = Annotated[str, Field(min_length=1)]
Css = Annotated[Text, AfterValidator(_check_css)]
Regex = Annotated[Text, AfterValidator(_check_regex)]
Regexes = Annotated[tuple[Regex, ...], BeforeValidator(_many), Field(strict=False)]


class Pick(Model):
    """What to take from a page: elements, an attribute of theirs, or text of the source.

    Attributes:
        selector: Elements that this CSS selector matches …
        text: … if this regular expression is found in their text; with a group, the value is
            what the group matched.
        attribute: Take this attribute instead of the text or the link.
        pattern: Instead of a selector: the value is the first group of this regular expression
            in the source of the page.
        url: Instead of a selector: the same in the address of the page.
    """

    selector: Css | None = None
    text: Regex | None = None
    attribute: Text | None = None
    pattern: Regex | None = None
    url: Regex | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Pick:
        sources = [key for key in ("selector", "pattern", "url") if getattr(self, key)]
        if len(sources) != 1:
            has = " and ".join(sources) or "none of them"
            raise ValueError(f"expected one of selector, pattern and url; it has {has}")
        if sources != ["selector"]:
            if self.attribute or self.text:
                raise ValueError(f"attribute and text go with selector, not with {sources[0]}")
            if not regex(getattr(self, sources[0])).groups:
                raise ValueError(f"{sources[0]} needs a group, (…), for the value")
        return self

    @property
    def name(self) -> str:
        """What the author wrote, for messages."""
        if self.selector is None:
            return f"{'pattern' if self.pattern else 'url'} {self.pattern or self.url!r}"
        extra = f" with text {self.text!r}" if self.text else ""
        return self.selector + (f" ({self.attribute})" if self.attribute else "") + extra


def _elements_only(picks: tuple[Pick, ...]) -> tuple[Pick, ...]:
    for pick in picks:
        if pick.selector is None or pick.attribute is not None:
            raise ValueError("takes elements: a selector, perhaps with text, and nothing else")
    return picks


def _from_elements(picks: tuple[Pick, ...]) -> tuple[Pick, ...]:
    for pick in picks:
        if pick.selector is None:
            raise ValueError("takes a selector, perhaps with text and attribute")
    return picks


OnePick = Annotated[Pick, BeforeValidator(_pick)]
Picks = Annotated[tuple[Pick, ...], BeforeValidator(_picks), Field(strict=False)]
LinkPicks = Annotated[Picks, AfterValidator(_from_elements)]
ElementPicks = Annotated[Picks, AfterValidator(_elements_only)]
