"""The list of chapters of a book: its pages, and one list out of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import quote

from bwb.crawl.lines import collapse, text_of
from bwb.crawl.pick import regex
from bwb.crawl.select import (
    SelectorError,
    absolute,
    base_of,
    elements,
    links_hint,
    next_link,
    parse,
    values,
)
from bwb.crawl.titles import split_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.etree import _Element as Element

    from bwb.crawl.recipe import Recipe


@dataclass(frozen=True, slots=True)
class ChapterRef:
    """A chapter in a list.

    Attributes:
        url: Absolute address, without fragment.
        title: Text of the link; None if it has none.
        times: How often the page links it; the place kept is that in the main list.
    """

    url: str
    title: str | None
    times: int = 1


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of the list of chapters.

    Attributes:
        chapters: In order of reading, each once; empty if the list is elsewhere.
        next: The next page of the list; None if this is the last.
        source: Where the list really is; None if it is here.
    """

    chapters: tuple[ChapterRef, ...]
    next: str | None
    source: str | None


def read_list(recipe: Recipe, html: str, url: str, *, at_source: bool = False) -> ListPage:
    """Read a page of the list of chapters.

    Args:
        recipe: The recipe.
        html: The page.
        url: Its address, after redirects.
        at_source: Whether the page was fetched as the `source` of the list: then it holds the
            list and refers to no other place.

    Raises:
        SelectorError: if no chapter is linked and the list is not elsewhere.
    """
    rules = recipe.listing
    tree = parse(html, url)
    base = base_of(tree, url)
    if rules.source is not None and not at_source:
        source = _source(recipe, tree, html, url, base)
        if source is not None and source != url:
            return ListPage((), None, source)
    refs = _links(recipe, tree, base)
    if not refs:
        tried = " or ".join(pick.name for pick in rules.links)
        hint = links_hint(tree)
        raise SelectorError(recipe.name, "[list] links", tried, url, hint)
    if rules.reverse:
        refs.reverse()
    found = next_link(rules.next, rules.next_text, rules.next_url, tree, html, url)
    return ListPage(tuple(_once(refs)), found, None)


def merge_lists(recipe: Recipe, pages: Sequence[ListPage]) -> tuple[ChapterRef, ...]:
    """The chapters of all pages of a list, in order of reading, each once.

    Args:
        recipe: The recipe; with `reverse` the first page has the last chapters.
        pages: The pages, as their `next` lead from one to the other.

    Returns:
        The chapters. Of one that several pages link, as in a block of latest chapters, the place
        is that on the page that links it most often, else the last.
    """
    ordered = list(reversed(pages)) if recipe.listing.reverse else pages
    refs = [ref for page in ordered for ref in page.chapters]
    best: dict[str, int] = {}
    for place, ref in enumerate(refs):
        kept = best.setdefault(ref.url, place)
        if ref.times >= refs[kept].times:
            best[ref.url] = place
    return tuple(refs[place] for place in sorted(best.values()))


def _source(recipe: Recipe, tree: Element, html: str, url: str, base: str) -> str | None:
    """Where the list is, if this page says so."""
    rules = recipe.listing
    template = rules.source or ""
    if rules.id is not None:
        value = next(values(rules.id, tree, html, url), None)
        if value is None:
            return None
        template = template.replace("{id}", quote(value, safe=""))
    return absolute(base, template)


def _links(recipe: Recipe, tree: Element, base: str) -> list[ChapterRef]:
    """The chapters that the first of the selectors that gives any gives, as often as linked."""
    rules = recipe.listing
    ignored = {element for pick in rules.remove for element in elements(pick, tree)}
    for pick in rules.links:
        refs = []
        for element in elements(pick, tree):
            if ignored and any(above in ignored for above in (element, *element.iterancestors())):
                continue
            made = absolute(base, element.get(pick.attribute or "href"))
            if made and (rules.url is None or regex(rules.url).search(made)):
                refs.append(ChapterRef(made, _link_title(element)))
        if refs:
            return refs
    return []


def _link_title(element: Element) -> str | None:
    """The text of a link, or its title where the text is missing or cut short."""
    text = text_of(element)
    full = collapse(element.get("title", ""))
    short = re.sub(r"(\.{2,}|…+)$", "", text)
    if full and (not text or (short != text and full.startswith(short.strip()))):
        return full
    return text or full or None


def _once(refs: list[ChapterRef]) -> list[ChapterRef]:
    """Each chapter once, at its place in the main list.

    Pages begin (or end) with a block of latest chapters. Of a chapter linked there too, either
    the first or the last link is the one in the main list: the order in which the numbers of
    the chapters ascend more often is taken, without numbers the one that a leading block allows.
    """
    times = Counter(ref.url for ref in refs)
    if len(times) == len(refs):
        return refs
    firsts = {ref.url: place for place, ref in reversed(list(enumerate(refs)))}
    lasts = {ref.url: place for place, ref in enumerate(refs)}
    orders = [[refs[place] for place in sorted(places.values())] for places in (lasts, firsts)]
    if times[refs[0].url] == 1:
        orders.reverse()
    chosen = max(orders, key=_ascents)
    titles: dict[str, str] = {}
    for ref in refs:
        if len(ref.title or "") > len(titles.get(ref.url, "")):
            titles[ref.url] = ref.title or ""
    return [ChapterRef(ref.url, ref.title or titles.get(ref.url), times[ref.url]) for ref in chosen]


def _ascents(refs: Iterable[ChapterRef]) -> int:
    numbers = [split_title(ref.title).number if ref.title else None for ref in refs]
    known = [number for number in numbers if number is not None]
    return sum(a < b for a, b in pairwise(known))
