"""Looking into a page: elements, values, links, and what to say when there are none.

Pages are parsed by lxml. The tree of a page is shared and never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from lxml import etree

from bwb.crawl.html import html as known
from bwb.crawl.lines import collapse, text_of
from bwb.crawl.pick import Pick, regex, xpath
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element as Element

_DEPTH = 2048  # of libxml2, with huge_tree
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")


class PageError(InputError):
    """A page is not as its recipe says.

    Attributes:
        reason: Stable code: ``selector``, ``empty-body`` or ``nesting``.
        url: Address of the page.
    """

    def __init__(self, reason: str, url: str, message: str) -> None:
        """Say which page it is."""
        super().__init__(f"{url}: {message} ({reason})")
        self.reason = reason
        self.url = url


class SelectorError(PageError):
    """A selector of the recipe matches nothing that it should.

    Attributes:
        selector: The selector, or all that were tried.
    """

    def __init__(self, recipe: str, key: str, selector: str, url: str, hint: str) -> None:
        """Say which selector it is, and what the page has instead."""
        message = f"recipe {recipe}: {key} = {selector} matches nothing on this page{hint}"
        super().__init__("selector", url, message)
        self.selector = selector


class EmptyBodyError(PageError):
    """The body of a chapter is there, and has no text."""

    def __init__(self, recipe: str, url: str, message: str) -> None:
        """Say why there is none."""
        super().__init__("empty-body", url, f"recipe {recipe}: {message}")


def parse(html: str, url: str) -> Element:
    """The tree of a page; callers leave it as it is.

    Raises:
        PageError: if elements are nested so deep that the parser gives up.
    """
    tree = _tree(html)
    if tree is None:
        message = f"elements are nested more than {_DEPTH:,} deep; the rest cannot be read"
        raise PageError("nesting", url, message)
    return tree


@lru_cache(maxsize=4)
def _tree(html: str) -> Element | None:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    # As bytes in UTF-8 with that said: of a str lxml would believe what its meta element says.
    raw = _CONTROLS.sub("", html).encode("utf-8", "replace")
    tree = etree.fromstring(raw, parser) if raw.strip() else None
    if tree is None:
        return etree.fromstring(b"<html><body></body></html>", parser)
    # lxml returns what was read until then.
    gave_up = etree.ErrorTypes.ERR_RESOURCE_LIMIT
    return None if any(entry.type == gave_up for entry in parser.error_log) else tree


def base_of(tree: Element, url: str) -> str:
    """What addresses on the page are relative to."""
    found = tree.find(".//base[@href]")
    return urljoin(url, found.get("href").strip()) if found is not None else url


def absolute(base: str, link: str | None) -> str | None:
    """The address a link leads to; None if it leads to no page."""
    link = re.sub(r"[\t\r\n]", "", link or "").strip()
    if not link or link.startswith("#"):
        return None
    try:
        made = urldefrag(urljoin(base, link))[0]
        parts = urlsplit(made)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    return quote(made, safe="%/:=&?~#+!$,;'@()*[]|")


def elements(pick: Pick, tree: Element) -> Iterator[Element]:
    """The elements a pick selects, in the order of the page."""
    if pick.selector is None:
        return
    for element in xpath(pick.selector)(tree):
        if pick.text is None or regex(pick.text).search(text_of(element)):
            yield element


def values(pick: Pick, tree: Element, html: str, url: str) -> Iterator[str]:
    """The texts a pick gives: an attribute, a group of its pattern, or the whole text."""
    if pick.selector is None:
        found = regex(pick.pattern or pick.url or "").search(html if pick.pattern else url)
        if found and found[1]:
            yield collapse(found[1])
        return
    for element in elements(pick, tree):
        value = collapse(element.get(pick.attribute, "")) if pick.attribute else text_of(element)
        if pick.text and not pick.attribute and regex(pick.text).groups:
            match = regex(pick.text).search(value)
            value = collapse(match[1] or "") if match else ""
        if value:
            yield value


def next_link(
    picks: Sequence[Pick],
    text: str | None,
    wanted: str | None,
    tree: Element,
    html: str,
    url: str,
    *,
    chapter: bool = False,
) -> str | None:
    """Where "next page" leads; None if it leads nowhere, back here, or to another chapter."""
    base = base_of(tree, url)
    here = absolute(url, url)
    other = known().other_chapter
    for pick in picks:
        found = list(elements(pick, tree)) if pick.selector else [None]
        for element in found:
            if element is None:
                link = next(values(pick, tree, html, url), None)
            else:
                label = text_of(element) or collapse(element.get("title", ""))
                if text is not None and not regex(text).search(label):
                    continue
                if text is None and wanted is None and chapter and other.search(label):
                    continue
                link = element.get(pick.attribute or "href")
            made = absolute(base, link)
            if made and made != here and (wanted is None or regex(wanted).search(made)):
                return made
    return None


def text_hint(tree: Element) -> str:
    """Where the most text is, to go after a message."""
    sizes: Counter[Element] = Counter()
    places = _containers(tree)
    for element, place in places.items():
        if element.tag not in known().silent:
            sizes[place] += len((element.text or "").strip())
        above = element.getparent()
        if above is not None:
            sizes[places[above]] += len((element.tail or "").strip())
    if not sizes or not max(sizes.values()):
        return "; the page has no text at all"
    (place, size) = sizes.most_common(1)[0]
    return f"; the largest text is in {_describe(place)} ({size:,} characters)"


def links_hint(tree: Element) -> str:
    """Where the most links are, to go after a message."""
    sizes: Counter[Element] = Counter()
    for element, place in _containers(tree).items():
        if element.tag == "a" and element.get("href"):
            sizes[place] += 1
    if not sizes:
        return "; the page has no links at all"
    place, count = sizes.most_common(1)[0]
    example = next(link.get("href") for link in place.iter("a") if link.get("href"))
    return f"; the most links ({count:,}) are in {_describe(place)}, such as {example!r}"


def _containers(tree: Element) -> dict[Element, Element]:
    """Of each element the nearest block that is more than a paragraph, perhaps itself."""
    places: dict[Element, Element] = {}
    for element in tree.iter(etree.Element):
        above = element.getparent()
        own = element.tag in known().containers or above is None
        places[element] = element if own else places[above]
    return places


def _describe(element: Element) -> str:
    """A CSS selector for an element, from the nearest one up that has an id or a class."""
    path: list[str] = []
    while True:
        name = element.tag
        if element.get("id"):
            path.append(f"{name}#{element.get('id')}")
        elif element.get("class", "").strip():
            path.append(".".join((name, *element.get("class").split())))
        else:
            path.append(name)
        above = element.getparent()
        if path[-1] != name or above is None or name == "body":
            return " > ".join(reversed(path))
        element = above
