from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import pytest

from bwb.crawl.extract import ExtractError, digest_lines, extract_chapter

URL = "http://site.example/1/12{}.html"


@dataclass(frozen=True)
class Page:
    url: str
    body: bytes
    content_type: str | None = None
    final_url: str | None = None
    status: int | None = 200
    fetched: str | None = "2024-05-01T00:00:00Z"
    captured: str | None = None
    sha256_raw: str | None = None


@dataclass(frozen=True)
class Pages:
    book: str = "lamp"
    lang: str = "zh"
    chapter: str = "12"
    url: str = URL.format("")
    title: str | None = "第十二章 灯"
    pages: tuple[str, ...] = ()


def site(pages, title="第十二章 灯（{}/{}）", codec="gbk"):
    """The stored pages of a chapter, and its place."""
    stored = {}
    for number, lines in enumerate(pages, 1):
        url = URL.format("" if number == 1 else f"_{number}")
        heading = title.format(number, len(pages))
        body = "".join(f"<p>{line}</p>" for line in lines)
        html = f"<meta charset=gb2312><h1>{heading}</h1><div id=content>{body}</div>"
        stored[url] = Page(url, html.encode(codec), "text/html")
    return Pages(pages=tuple(stored)), stored


def test_a_chapter_of_several_pages(recipe, chinese):
    parts = [["第十二章 灯", *chinese[:7]], ["第12章 灯（2/3）", *chinese[7:15]], chinese[15:20]]
    pages, stored = site(parts)
    found = extract_chapter(pages, stored.get, recipe())
    chapter = found.chapter
    assert chapter.lines == chinese[:20]
    assert (chapter.book, chapter.lang, chapter.chapter) == ("lamp", "zh", "12")
    assert (chapter.title, chapter.number, chapter.url) == ("第十二章 灯", 12, pages.url)
    bodies = b"".join(page.body for page in stored.values())
    assert chapter.sha256_raw == hashlib.sha256(bodies).hexdigest()
    assert chapter.sha256_text == digest_lines(chinese[:20])
    assert [page.url for page in chapter.pages] == list(pages.pages)
    first = chapter.pages[0]
    assert (first.charset_declared, first.charset_used) == ("gb2312", "gb18030")
    assert (first.status, first.recipe) == (200, "mini-1")
    assert first.sha256_raw == hashlib.sha256(stored[pages.url].body).hexdigest()
    assert first.sha256_text == digest_lines(chinese[:7])
    assert [item.reason for item in found.removed] == ["title", "title"]
    assert found.replaced == 0


def test_the_title_of_the_list_is_removed_too(recipe):
    pages, stored = site([["第十二章 灯", "钟响了。"]], title="")
    found = extract_chapter(pages, stored.get, recipe())
    assert found.chapter.lines == ("钟响了。",)
    assert found.chapter.title == "第十二章 灯"
    assert [(item.reason, item.rule) for item in found.removed] == [("title", "第十二章 灯")]
    kept = extract_chapter(pages, stored.get, recipe("chapter.keep_title = true"))
    assert len(kept.chapter.lines) == 2


def test_number_by_the_title_on_the_page_or_else_in_the_list(recipe):
    pages, stored = site([["钟响了。"]], title="灯")
    assert extract_chapter(pages, stored.get, recipe()).chapter.number == 12
    none = replace(pages, title=None)
    found = extract_chapter(none, stored.get, recipe()).chapter
    assert (found.title, found.number) == ("灯", None)


@pytest.mark.parametrize(
    ("join", "lines"),
    [
        ("never", ["他走", "了。", "她来了。", "灯灭了。"]),
        ("unfinished", ["他走了。", "她来了。", "灯灭了。"]),
        ("always", ["他走了。", "她来了。灯灭了。"]),
    ],
)
def test_paragraphs_over_page_breaks(recipe, join, lines):
    pages, stored = site([["他走"], ["了。", "她来了。"], ["灯灭了。"]])
    found = extract_chapter(pages, stored.get, recipe(f'chapter.join = "{join}"'))
    assert list(found.chapter.lines) == lines


def test_english_is_joined_by_a_space(recipe):
    pages, stored = site([["He went"], ["home."]])
    rules = recipe('chapter.join = "unfinished"', lang="en")
    assert extract_chapter(pages, stored.get, rules).chapter.lines == ("He went home.",)


def test_broken_characters_are_counted(recipe):
    pages, stored = site([["照晚寺的钟又响了。", "数到第三声。"]])
    page = stored[pages.url]
    stored[pages.url] = replace(page, body=page.body.replace(b"</p>", b"\xc4</p>", 1))
    found = extract_chapter(pages, stored.get, recipe())
    assert found.replaced == 1
    assert found.chapter.lines == ("照晚寺的钟又响了。\ufffd", "数到第三声。")


@pytest.mark.parametrize(
    ("change", "reason", "part"),
    [
        (lambda page: None, "missing-page", "was not fetched"),
        (lambda page: replace(page, status=404), "status", "answered with 404; expected 200"),
        (lambda page: replace(page, status=None), "status", "answered with nothing"),
        (lambda page: replace(page, body=b"<p>busy</p>"), "selector", "#content"),
        (lambda page: replace(page, body=b"<p id=content></p>"), "empty-body", "no text"),
        (lambda page: replace(page, body=b""), "selector", "no text at all"),
        (
            lambda page: replace(page, body="<p id=content>第12章 灯</p>".encode()),
            "empty-body",
            "no text but the title",
        ),
    ],
)
def test_chapters_that_cannot_be_had(recipe, change, reason, part):
    pages, stored = site([["一。"], ["二。"]])
    second = pages.pages[1]
    changed = change(stored[second])
    stored = {url: page for url, page in stored.items() if url != second}
    if changed is not None:
        stored[second] = changed
    with pytest.raises(ExtractError) as error:
        extract_chapter(pages, stored.get, recipe())
    assert (error.value.reason, error.value.url) == (reason, second)
    assert part in str(error.value)
    assert "lamp zh chapter 12" in str(error.value)


def test_a_chapter_without_pages(recipe):
    with pytest.raises(ExtractError) as error:
        extract_chapter(Pages(), {}.get, recipe())
    assert error.value.reason == "no-pages"
