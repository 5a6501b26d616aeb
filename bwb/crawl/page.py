"""A page of a site by its recipe: the list of chapters, the next page, title and lines.

Pages come as text (`bwb.crawl.charset` decodes them). A selector that matches nothing is an error
that says what the page has instead.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.crawl.lines import LineReader, Removed, collapse, has_text
from bwb.crawl.listing import ChapterRef, ListPage, merge_lists, read_list
from bwb.crawl.pick import regex, xpath
from bwb.crawl.select import (
    EmptyBodyError,
    PageError,
    SelectorError,
    elements,
    next_link,
    parse,
    text_hint,
    values,
)
from bwb.crawl.titles import count_title_lines, without_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.etree import _Element as Element

    from bwb.crawl.recipe import LineRules, Recipe

__all__ = [
    "ChapterRef",
    "EmptyBodyError",
    "ListPage",
    "PageError",
    "PageText",
    "Removed",
    "SelectorError",
    "merge_lists",
    "next_page",
    "read_chapter",
    "read_list",
]

_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page of a chapter.

    Attributes:
        title: Title of the chapter, without the mark of a page; None if the page has none.
        lines: The lines, none empty.
        removed: What was left out.
    """

    title: str | None
    lines: tuple[str, ...]
    removed: tuple[Removed, ...]


def next_page(recipe: Recipe, html: str, url: str) -> str | None:
    """Address of the next page of the same chapter; None if this is its last."""
    rules = recipe.chapter
    if not rules.next:
        return None
    tree = parse(html, url)
    return next_link(rules.next, rules.next_text, rules.next_url, tree, html, url, chapter=True)


def read_chapter(recipe: Recipe, html: str, url: str) -> PageText:
    """Read a page of a chapter.

    Raises:
        SelectorError: if the body selectors match nothing.
        EmptyBodyError: if the body has no text, or none is left of it.
    """
    rules = recipe.chapter
    tree = parse(html, url)
    roots = _body(recipe, tree, url)
    title = next((text for pick in rules.title for text in values(pick, tree, html, url)), None)
    skip = {
        element: pick.name
        for pick in rules.remove
        for element in elements(pick, tree)
        if element not in roots
    }
    ruled = rules.paragraphs not in ("auto", "br", "newline")
    marked = frozenset(xpath(rules.paragraphs)(tree)) if ruled else frozenset()
    reader = LineReader(rules, skip, marked)
    lines = reader.read(roots)
    removed = reader.removed
    lines = _line_rules(recipe.lines, lines, removed)
    title = without_page(title) if title else None
    if title and not rules.keep_title:
        count = count_title_lines(lines, [title])
        removed += [Removed("title", title, line) for line in lines[:count]]
        lines = lines[count:]
    if not lines:
        raise EmptyBodyError(recipe.name, url, _why_empty(len(roots), removed, rules.paragraphs))
    return PageText(title, tuple(lines), tuple(removed))


def _body(recipe: Recipe, tree: Element, url: str) -> list[Element]:
    """The elements of the first body selector that has text, none within another."""
    empty = None
    for pick in recipe.chapter.body:
        found = list(elements(pick, tree))
        known = set(found)
        roots = [
            element
            for element in found
            if not any(above in known for above in element.iterancestors())
        ]
        if any(has_text(element) for element in roots):
            return roots
        empty = empty or (pick.name if roots else None)
    if empty is not None:
        message = f"[chapter] body = {empty} is there and has no text{text_hint(tree)}"
        raise EmptyBodyError(recipe.name, url, message)
    tried = " or ".join(pick.name for pick in recipe.chapter.body)
    raise SelectorError(recipe.name, "[chapter] body", tried, url, text_hint(tree))


def _line_rules(rules: LineRules, lines: list[str], removed: list[Removed]) -> list[str]:
    """What `[lines]` leaves of the lines; adds the rest to `removed`."""
    if not (rules.drop or rules.cut or rules.end):
        return lines
    kept: list[str] = []
    for place, line in enumerate(lines):
        end = _matching(rules.end, line)
        if end is not None:
            removed += [Removed("after-end", end, text) for text in lines[place:]]
            break
        drop = _matching(rules.drop, line)
        if drop is not None:
            removed.append(Removed("dropped", drop, line))
            continue
        for pattern in rules.cut:
            found = [match[0] for match in regex(pattern).finditer(line) if match[0]]
            if found:
                removed += [Removed("cut", pattern, text) for text in found]
                line = collapse(regex(pattern).sub("", line))
        if line:
            kept.append(line)
    return kept


def _matching(patterns: Sequence[str], line: str) -> str | None:
    """The first pattern that matches the whole line; zero-width characters do not count."""
    if not patterns:
        return None
    plain = _ZERO_WIDTH.sub("", line)
    for pattern in patterns:
        whole = regex(pattern)
        if whole.fullmatch(line) or (plain != line and whole.fullmatch(plain)):
            return pattern
    return None


def _why_empty(roots: int, removed: Iterable[Removed], paragraphs: str) -> str:
    """Why nothing is left of a body that has text."""
    reasons = Counter(item.reason for item in removed if item.text)
    if not reasons:
        return f"the body ({roots} elements) has no line of text"
    reason, count = reasons.most_common(1)[0]
    rule = next(item.rule for item in removed if item.reason == reason)
    if reason == "outside":
        return f"no text is in what paragraphs = {paragraphs!r} selects; {count} lines are outside"
    return f"nothing is left of the body: {count} pieces {reason}, by {rule!r} for one"
