"""The pages of a chapter to a `Chapter`: raw lines, less only what the recipe takes out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from bwb.crawl.charset import decode_page
from bwb.crawl.page import PageError, PageText, Removed, read_chapter
from bwb.crawl.titles import chapter_number, count_title_lines, without_page
from bwb.errors import InputError
from bwb.records import Chapter, Lang, Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.crawl.charset import Decoded
    from bwb.crawl.recipe import ChapterRules, Recipe

# A line that ends so is whole: what comes on the next page is another.
_WHOLE = tuple("。！？!?.…；;：:”’」』\"'）)】]》>—～~*")


class Page(Protocol):
    """What a fetched page has to say; `bwb.crawl.store.StoredPage` does."""

    @property
    def url(self) -> str:
        """Address that was asked for."""

    @property
    def final_url(self) -> str | None:
        """Address after redirects; None if there was no answer."""

    @property
    def status(self) -> int | None:
        """HTTP status; None if there was no answer."""

    @property
    def fetched(self) -> str | None:
        """Time of the request, ISO 8601."""

    @property
    def captured(self) -> str | None:
        """Time of the archive's capture, ISO 8601; None if the page is from the site itself."""

    @property
    def content_type(self) -> str | None:
        """The header of the answer."""

    @property
    def body(self) -> bytes:
        """The page, any content coding undone."""

    @property
    def sha256_raw(self) -> str | None:
        """Digest of the body as received."""


class Pages(Protocol):
    """A chapter of a list and its pages; `bwb.crawl.store.ChapterPages` is one."""

    @property
    def book(self) -> str:
        """Id of the book."""

    @property
    def lang(self) -> Lang:
        """Language of the edition."""

    @property
    def chapter(self) -> str:
        """Place in the list, from 1."""

    @property
    def url(self) -> str:
        """Address of the first page."""

    @property
    def title(self) -> str | None:
        """Title in the list."""

    @property
    def pages(self) -> Sequence[str]:
        """Addresses of all pages, in order."""


class ExtractError(InputError):
    """A chapter cannot be had from its pages.

    Attributes:
        reason: Stable code: ``no-pages``, ``missing-page``, ``status``, ``selector``,
            ``empty-body`` or ``nesting``.
        url: The page it is about.
    """

    def __init__(self, chapter: Pages, reason: str, url: str, message: str) -> None:
        """Say which chapter it is."""
        where = f"{chapter.book} {chapter.lang} chapter {chapter.chapter}"
        super().__init__(f"{where}: {message}")
        self.reason = reason
        self.url = url


@dataclass(frozen=True, slots=True)
class Extracted:
    """A chapter and how it was got.

    Attributes:
        chapter: The chapter.
        removed: What was left out, page by page.
        replaced: Number of characters that could not be decoded (U+FFFD in the pages).
    """

    chapter: Chapter
    removed: tuple[Removed, ...]
    replaced: int


def extract_chapter(pages: Pages, get: Callable[[str], Page | None], recipe: Recipe) -> Extracted:
    """Extract a chapter.

    Args:
        pages: Its place and the addresses of its pages.
        get: The stored page of an address; None if there is none.
        recipe: The recipe of the site.

    Raises:
        ExtractError: if a page is missing, was not answered with 200, does not match the recipe,
            or has no text.
    """
    if not pages.pages:
        raise ExtractError(pages, "no-pages", pages.url, f"{pages.url} was not fetched")
    texts: list[PageText] = []
    provenance: list[Provenance] = []
    raw = hashlib.sha256()
    replaced = 0
    for url in pages.pages:
        page = _page(pages, get(url), url)
        decoded = decode_page(page.body, page.content_type, recipe)
        try:
            text = read_chapter(recipe, decoded.text, page.final_url or url)
        except PageError as error:
            raise ExtractError(pages, error.reason, url, str(error)) from None
        text = _without_title(text, pages.title, texts, recipe)
        if not text.lines:
            message = f"{url}: the body has no text but the title (empty-body)"
            raise ExtractError(pages, "empty-body", url, message)
        texts.append(text)
        raw.update(page.body)
        replaced += decoded.replaced
        provenance.append(_provenance(page, decoded, text, recipe))
    lines = _join([text.lines for text in texts], recipe.chapter)
    listed = without_page(pages.title) if pages.title else None
    title = texts[0].title or listed
    numbers = (chapter_number(name) for name in (texts[0].title, listed) if name)
    chapter = Chapter(
        book=pages.book,
        chapter=pages.chapter,
        lang=pages.lang,
        url=pages.url,
        lines=lines,
        title=title,
        number=next((number for number in numbers if number is not None), None),
        sha256_raw=raw.hexdigest(),
        sha256_text=digest_lines(lines),
        pages=tuple(provenance),
    )
    return Extracted(chapter, tuple(item for text in texts for item in text.removed), replaced)


def digest_lines(lines: Sequence[str]) -> str:
    """Hexadecimal SHA-256 of lines joined by a line feed, in UTF-8."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _page(pages: Pages, page: Page | None, url: str) -> Page:
    if page is None:
        raise ExtractError(pages, "missing-page", url, f"{url} was not fetched")
    if page.status != 200:
        message = f"{url} was answered with {page.status or 'nothing'}; expected 200"
        raise ExtractError(pages, "status", url, message)
    return page


def _without_title(
    text: PageText, listed: str | None, before: Sequence[PageText], recipe: Recipe
) -> PageText:
    """Without first lines that repeat the title in the list, or that of the first page."""
    titles = [listed or "", (before[0].title or "") if before else ""]
    count = 0 if recipe.chapter.keep_title else count_title_lines(text.lines, titles)
    if not count:
        return text
    removed = tuple(Removed("title", listed or titles[1], line) for line in text.lines[:count])
    return replace(text, lines=text.lines[count:], removed=text.removed + removed)


def _join(pages: Sequence[tuple[str, ...]], rules: ChapterRules) -> tuple[str, ...]:
    """The lines of all pages; a paragraph that a page break cut in two is one again."""
    lines: list[str] = []
    for page in pages:
        rest = page
        cut = rules.join == "always" or (
            rules.join == "unfinished" and lines and not lines[-1].endswith(_WHOLE)
        )
        if cut and lines:
            apart = " " if lines[-1][-1:].isascii() and page[0][:1].isascii() else ""
            lines[-1] += apart + page[0]
            rest = page[1:]
        lines += rest
    return tuple(lines)


def _provenance(page: Page, decoded: Decoded, text: PageText, recipe: Recipe) -> Provenance:
    return Provenance(
        url=page.url,
        final_url=page.final_url if page.final_url != page.url else None,
        captured=page.captured,
        fetched=page.fetched,
        status=page.status,
        charset_declared=decoded.declared,
        charset_used=decoded.used,
        sha256_raw=page.sha256_raw or hashlib.sha256(page.body).hexdigest(),
        sha256_text=digest_lines(text.lines),
        recipe=recipe.signature,
    )
