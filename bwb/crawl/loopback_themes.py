"""The pages of a book in the three themes that `crawl/sites` has recipes for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Theme = Literal["novelfull", "biquge", "shudian"]

# Chapters on a page of the list, where the theme has several.
LIST_PAGE = 50


@dataclass(frozen=True, slots=True)
class Page:
    """An answer.

    Attributes:
        content_type: The header.
        body: The content.
        status: The status.
        headers: More headers.
    """

    content_type: str
    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SiteChapter:
    """A chapter: its title, and its text, a paragraph a line."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class SiteBook:
    """A book on a site.

    Attributes:
        id: Part of its addresses.
        chapters: Its chapters.
        theme: How its pages look.
        charset: What pages are encoded in; None is GBK for biquge and UTF-8 for the others.
        declared: Charset that pages name in their meta element; None is gb2312 for biquge and
            what is true for the others; an empty text names none.
        header: Charset that the Content-Type header names; None names none.
        split: Number of pages of chapters that have several, by place from 1.
        watermark: A line put into the middle of every page.
        repeat_title: Whether the text begins with the title once more.
    """

    id: str
    chapters: Sequence[SiteChapter]
    theme: Theme
    charset: str | None = None
    declared: str | None = None
    header: str | None = None
    split: Mapping[int, int] = field(default_factory=dict)
    watermark: str | None = None
    repeat_title: bool = True

    @property
    def encoding(self) -> str:
        """What pages are encoded in."""
        return self.charset or ("gbk" if self.theme == "biquge" else "utf-8")


def list_path(book: SiteBook) -> str:
    """Where a manifest says that the list of chapters is."""
    return {
        "novelfull": f"/{book.id}.html",
        "biquge": f"/book/{book.id}/",
        "shudian": f"/shu/{book.id}/catalog",
    }[book.theme]


def chapter_path(book: SiteBook, place: int, page: int = 1) -> str:
    """Where a page of a chapter is, both from 1."""
    more = f"_{page}" if page > 1 else ""
    if book.theme == "novelfull":
        return f"/{book.id}/chapter-{place}{more}.html"
    if book.theme == "biquge":
        return f"/book/{book.id}/{1000 + place}{more}.html"
    return f"/shu/{book.id}/{place}{more}.html"


def routes(books: Iterable[SiteBook]) -> dict[str, Callable[[], Page]]:
    """All pages of the books, by path and query; made when they are asked for."""
    made: dict[str, Callable[[], Page]] = {}
    for number, book in enumerate(books, 17):
        made.update(_lists(book, number))
        for place in range(1, len(book.chapters) + 1):
            for page in range(1, book.split.get(place, 1) + 1):
                path = chapter_path(book, place, page)
                made[path] = partial(_chapter, book, place, page)
    return made


def _lists(book: SiteBook, number: int) -> dict[str, Callable[[], Page]]:
    if book.theme == "novelfull":
        about = f'<div id="rating" data-novel-id="{number}"></div><p>A book.</p>'
        return {
            list_path(book): partial(_page, book, book.id, about),
            f"/ajax/chapter-archive?novelId={number}": partial(_novelfull_list, book),
        }
    if book.theme == "biquge":
        return {list_path(book): partial(_biquge_list, book)}
    pages = range(1, max(1, -(-len(book.chapters) // LIST_PAGE)) + 1)
    first = list_path(book)
    return {
        first if page == 1 else f"{first}?page={page}": partial(_shudian_list, book, page)
        for page in pages
    }


def _page(book: SiteBook, title: str, body: str) -> Page:
    """A whole page, encoded."""
    named = book.declared
    if named is None:
        named = "gb2312" if book.theme == "biquge" else book.encoding
    meta = f'<meta charset="{named}">' if named else ""
    html = (
        f"<!DOCTYPE html>\n<html><head>{meta}<title>{escape(title)}</title></head>\n"
        f'<body><div class="nav"><a href="/">Home</a></div>\n{body}\n'
        '<div class="footer">A site on this machine</div></body></html>\n'
    )
    kind = f"text/html; charset={book.header}" if book.header else "text/html"
    return Page(kind, html.encode(book.encoding, "xmlcharrefreplace"))


def _novelfull_list(book: SiteBook) -> Page:
    rows = "".join(
        f'<li><a href="{chapter_path(book, place)}" title="{escape(chapter.title)}">'
        f'<span class="chapter-text">{escape(chapter.title)}</span></a></li>'
        for place, chapter in enumerate(book.chapters, 1)
    )
    return Page("text/html; charset=utf-8", f'<ul class="list-chapter">{rows}</ul>'.encode())


def _biquge_list(book: SiteBook) -> Page:
    rows = "".join(
        f'<dd><a href="{1000 + place}.html">{escape(chapter.title)}</a></dd>\n'
        for place, chapter in enumerate(book.chapters, 1)
    )
    body = f'<div id="list"><dl><dt>《{escape(book.id)}》正文</dt>\n{rows}</dl></div>'
    return _page(book, book.id, body)


def _shudian_list(book: SiteBook, page: int) -> Page:
    start = (page - 1) * LIST_PAGE
    rows = "".join(
        f'<li><a href="{chapter_path(book, place)}">{escape(chapter.title)}</a></li>\n'
        for place, chapter in enumerate(book.chapters[start : start + LIST_PAGE], start + 1)
    )
    more = start + LIST_PAGE < len(book.chapters)
    link = f'<a class="next" href="?page={page + 1}">下一页</a>' if more else ""
    return _page(book, book.id, f'<ul class="chapter-list">{rows}</ul>{link}')


def _chapter(book: SiteBook, place: int, page: int) -> Page:
    chapter = book.chapters[place - 1]
    pages = book.split.get(place, 1)
    lines = list(_part(chapter.lines, page, pages))
    if book.watermark is not None:
        lines.insert((len(lines) + 1) // 2, book.watermark)
    if book.repeat_title and page == 1 and book.theme != "shudian":
        lines.insert(0, chapter.title)
    make = {"novelfull": _novelfull, "biquge": _biquge, "shudian": _shudian}[book.theme]
    shown = f"{chapter.title}({page}/{pages})" if pages > 1 and book.theme == "biquge" else None
    following = None
    if page < pages:
        following = chapter_path(book, place, page + 1)
    body = make(book, place, shown or chapter.title, lines, following)
    return _page(book, chapter.title, body)


def _part(lines: Sequence[str], page: int, pages: int) -> Sequence[str]:
    """The lines of one of several pages, near enough of the same number."""
    return lines[len(lines) * (page - 1) // pages : len(lines) * page // pages]


def _novelfull(
    book: SiteBook, place: int, title: str, lines: Sequence[str], following: str | None
) -> str:
    shown = "".join(f"<p>{escape(line)}</p>\n" for line in lines)
    more = f'<a id="next_part" href="{following}">Next page</a>' if following else ""
    return (
        f'<h2><a class="chr-title" href="#" title="{escape(title)}">'
        f'<span class="chr-text">{escape(title)}</span></a></h2>\n'
        '<div id="chr-content" class="chr-c">'
        '<div class="ads ads-holder"><p>An advertisement</p></div>'
        f'<script>var place = {place};</script>\n{shown}<div id="pf-7-1">Another one</div></div>'
        f'<div class="unlock-buttons">{more}</div>'
    )


def _biquge(
    book: SiteBook, place: int, title: str, lines: Sequence[str], following: str | None
) -> str:
    shown = "<br/><br/>\n".join(f"&nbsp;&nbsp;&nbsp;&nbsp;{escape(line)}" for line in lines)
    last = place >= len(book.chapters)
    link = following or ("./" if last else chapter_path(book, place + 1))
    label = "下一页" if following else "下一章"
    return (
        f'<div class="bookname"><h1>{escape(title)}</h1></div>\n<div id="content">{shown}</div>\n'
        f'<div class="bottem2"><a id="pager_next" href="{link}">{label}</a></div>'
    )


def _shudian(
    book: SiteBook, place: int, title: str, lines: Sequence[str], following: str | None
) -> str:
    shown = "".join(f"<p>　　{escape(line)}</p>\n" for line in lines)
    more = f'<a class="next-part" href="{following}">下一页</a>' if following else ""
    return (
        f'<h3 class="j_chapterName">{escape(title)}</h3>\n'
        f'<div class="read-content j_readContent">{shown}</div>{more}'
    )
