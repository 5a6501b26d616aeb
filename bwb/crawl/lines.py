"""An element of a page to lines of text, as a reader sees them.

A block element (`p`, `div`, `li` …) and a `br` end a line, inline elements (`em`, `a`, `span` …)
do not; white space is collapsed as a browser does it. Where the body of a chapter is plain text
whose lines only line feeds tell apart, they are its lines. All text that is left out is reported:
a `Removed` each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lxml import etree

from bwb.crawl.html import html

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lxml.etree import _Element as Element

    from bwb.crawl.recipe import ChapterRules

Reason = Literal[
    "removed", "hidden", "ruby", "image", "outside", "dropped", "cut", "after-end", "title"
]

_WIDE_RANGES = "\u2e80-\u303e\u3041-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
_WIDE = re.compile(f"[{_WIDE_RANGES}]")
# CSS Text 3, segment break transformation: a line feed between two wide characters is nothing.
# Quotation marks, dashes and dots are as wide as the text they are in.
_BREAK = re.compile(
    rf"(?<=[{_WIDE_RANGES}“”‘’…—·])[ \t\r\f]*\n[ \t\r\n\f]*(?=[{_WIDE_RANGES}“”‘’…—·])"
)
_SPACE = re.compile(r"\s+")
# What is no ink: `str.strip` takes all white space, but not the zero-width space and the BOM.
_BLANK = " \t\r\n\f\v\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\u200b\ufeff" + (
    "".join(map(chr, range(0x2000, 0x200B)))
)
_CODE = frozenset({"script", "style", "template"})
_STRING = etree.XPath("string()")
_VISIBLE = etree.XPath(
    "descendant::text()[not(ancestor::script or ancestor::style or ancestor::template)]"
)

# How near a piece of text is to plain text whose line feeds are the only sign of its lines.
_IN_PARAGRAPH, _IN_BLOCK, _LOOSE, _PREFORMATTED = range(4)


@dataclass(frozen=True, slots=True)
class Removed:
    """Text that was left out.

    Attributes:
        reason: ``removed`` (a selector of `remove`), ``hidden`` (by style, attribute or
            element), ``ruby``, ``image`` (an image inside a line), ``outside`` (not in an
            element that `paragraphs` selects),
            ``dropped``, ``cut``, ``after-end`` (patterns of `[lines]`), ``title`` (a first line
            that repeats the title).
        rule: The selector or pattern that did it, or what stands for one.
        text: The text, white space collapsed; the address of an image.
    """

    reason: Reason
    rule: str
    text: str


def collapse(text: str) -> str:
    """White space as a reader sees it: none at the ends, one space for a run.

    A run of full-width spaces becomes one full-width space.
    """
    if "\u3000" in text:
        return _SPACE.sub(_one_space, text.strip(_BLANK))
    return " ".join(text.split()).strip(_BLANK)


def collapse_source(text: str) -> str:
    """The same for text of a paragraph: a line feed between two Chinese characters is nothing."""
    if "\n" in text and _WIDE.search(text):
        text = _BREAK.sub("", text.strip(_BLANK))
    return collapse(text)


def _one_space(match: re.Match[str]) -> str:
    return " " if match[0].strip("\u3000") else "\u3000"


def text_of(element: Element) -> str:
    """The text of an element, collapsed; scripts and styles in it are not text."""
    if next(element.iter(*_CODE), None) is not None:
        return collapse("".join(_VISIBLE(element)))
    return collapse(_STRING(element))


def has_text(element: Element) -> bool:
    """Whether an element has any text."""
    if next(element.iter(*_CODE), None) is not None:
        return bool(text_of(element))
    return bool(_STRING(element).strip(_BLANK))


@dataclass(slots=True)
class _Line:
    """A line in the making: its pieces of text, each with how loose it is."""

    pieces: list[tuple[str, int]] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    marked: bool = False


class LineReader:
    """Reads the lines of the elements that are the body of a chapter."""

    def __init__(
        self, rules: ChapterRules, skip: Mapping[Element, str], marked: Collection[Element]
    ) -> None:
        """Start with no lines.

        Args:
            rules: The rules of the recipe.
            skip: Elements to leave out, with the selector that says so.
            marked: The elements that `paragraphs` selects, if it is a selector.
        """
        self.removed: list[Removed] = []
        self._html = html()
        self._rules = rules
        self._skip = skip
        self._marked = marked
        self._lines: list[_Line] = []
        self._line = _Line()
        self._inside = 0  # depth in marked elements
        self._broke = False  # a line ended by a br
        self._breaks = False  # … and text came after it
        self._ruled = rules.paragraphs not in ("auto", "br", "newline")

    def read(self, roots: Sequence[Element]) -> list[str]:
        """The lines of elements, none of which contains another."""
        for root in roots:
            self._walk(root)
            self._end_line()
        split = self._split_from(len(roots))
        lines = []
        for line in self._lines:
            pieces = [
                text.replace("\n", "\0") if loose >= split else text for text, loose in line.pieces
            ]
            # Parsing leaves no NUL in a page.
            texts = [
                text for part in "".join(pieces).split("\0") if (text := collapse_source(part))
            ]
            if self._ruled and not line.marked:
                rule = f"paragraphs = {self._rules.paragraphs!r}"
                self.removed += [Removed("outside", rule, text) for text in texts]
                continue
            lines += texts
            if texts:
                self.removed += [Removed("image", "img", source) for source in line.images]
        return lines

    def _split_from(self, roots: int) -> int:
        """From which looseness on a line feed ends a line."""
        if self._rules.paragraphs == "newline":
            return _IN_PARAGRAPH
        if self._rules.paragraphs != "auto" or self._breaks or roots > 2:
            return _PREFORMATTED
        texts = sum(any(collapse(text) for text, _ in line.pieces) for line in self._lines)
        return _IN_BLOCK if texts == 1 else _LOOSE

    def _walk(self, root: Element) -> None:
        """Add the text of an element; not recursive, as pages nest without bound."""
        around = _IN_PARAGRAPH if root.tag in self._html.paragraphs else _LOOSE
        # Of each open element: how loose its text is, and whether it is a block or marked.
        opened = [(self._looseness(root, around, around), False, False)]
        self._inside += root in self._marked
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        next(walker)
        self._text(root.text, opened[0][0])
        skipped = None
        for event, element in walker:
            if event == "start":
                if element.tag == "br" and element not in self._skip:
                    self._broke = self._end_line() or self._broke
                elif self._left_out(element):
                    walker.skip_subtree()
                    skipped = element
                else:
                    opened.append(self._open(element, opened[-1][0]))
                    self._text(element.text, opened[-1][0])
                continue
            if element is root:
                break
            if event == "end" and element is not skipped and element.tag != "br":
                self._close(opened.pop())
            self._text(element.tail, opened[-1][0])
        self._inside -= root in self._marked

    def _open(self, element: Element, around: int) -> tuple[int, bool, bool]:
        """Begin an element; returns what `opened` holds of it."""
        if element.tag == "img":
            self._line.images.append(element.get("src") or element.get("alt") or "?")
        elif element.tag in ("td", "th"):
            self._text(" ", _IN_PARAGRAPH)
        block, marked = self._is_block(element), element in self._marked
        if block or marked:
            self._end_line()
        self._inside += marked
        if not block:
            return around, block, marked
        within = _IN_PARAGRAPH if element.tag in self._html.paragraphs else _IN_BLOCK
        return self._looseness(element, around, within), block, marked

    def _close(self, element: tuple[int, bool, bool]) -> None:
        _, block, marked = element
        if block or marked:
            self._end_line()
        self._inside -= marked

    def _looseness(self, element: Element, around: int, within: int) -> int:
        """How loose the text of a block is, in text that is as loose as `around`."""
        if around == _PREFORMATTED or element.tag == "pre":
            return _PREFORMATTED
        style = element.get("style")
        return _PREFORMATTED if style and self._html.preformatted.search(style) else within

    def _text(self, text: str | None, loose: int) -> None:
        if text:
            if self._broke and not self._breaks:
                self._breaks = bool(text.strip(_BLANK))
            self._line.pieces.append((text, loose))

    def _end_line(self) -> bool:
        """End the line; returns whether there was one."""
        line, self._line = self._line, _Line()
        line.marked = self._inside > 0
        for text, _ in line.pieces:
            if not text.isspace() and text.strip(_BLANK):
                self._lines.append(line)
                return True
        return False

    def _left_out(self, element: Element) -> bool:
        """Whether an element is left out; if it is, and has text, reports it."""
        if element.tag in self._html.silent:
            if element.tag not in _CODE and has_text(element):
                self.removed.append(Removed("hidden", element.tag, text_of(element)))
            return True
        rule = self._skip.get(element)
        if rule is not None:
            self.removed.append(Removed("removed", rule, text_of(element)))
            if self._is_block(element):
                self._end_line()  # it stands on the page, so it parts lines
            return True
        if element.tag in ("rt", "rp") and self._rules.ruby == "drop":
            self.removed.append(Removed("ruby", element.tag, text_of(element)))
            return True
        if not self._rules.keep_hidden and element.attrib:
            style = element.get("style", "")
            why = self._html.hidden.search(style) if style else None
            if why or "hidden" in element.attrib:
                text = text_of(element)
                if text:
                    self.removed.append(Removed("hidden", why[0] if why else "hidden", text))
                return True
        return False

    def _is_block(self, element: Element) -> bool:
        if not element.attrib:
            return element.tag in self._html.blocks
        style = element.get("style")
        display = self._html.display.search(style) if style else None
        if display:
            return display[1].lower() != "inline"
        return element.tag in self._html.blocks
