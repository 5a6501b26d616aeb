from __future__ import annotations

import pytest

from bwb.crawl.page import ChapterRef, ListPage, SelectorError, merge_lists, read_list
from bwb.crawl.recipe import ListRules, load_recipes

URL = "http://site.example/book/1/"


def links(numbers, title="第{}章 灯"):
    return "".join(f'<dd><a href="{n}.html">{title.format(n)}</a></dd>' for n in numbers)


def listed(numbers, title="第{}章 灯"):
    return f"<dl id=list>{links(numbers, title)}</dl>"


def places(found):
    chapters = found.chapters if isinstance(found, ListPage) else found
    return [int(ref.url.removeprefix(URL).removesuffix(".html")) for ref in chapters]


@pytest.mark.parametrize("title", ["第{}章 灯", "Chapter {}", "灯{}", ""])
@pytest.mark.parametrize(
    "numbers",
    [
        range(1, 21),
        [20, 19, 18, *range(1, 21)],
        [1, 20, *range(1, 21)],
        [*range(1, 21), 20, 19, 18],
        [*range(1, 21), *range(1, 21)],
    ],
)
def test_each_chapter_once_in_its_place(recipe, numbers, title):
    found = read_list(recipe(), listed(numbers, title), URL)
    assert places(found) == list(range(1, 21))
    assert sum(ref.times for ref in found.chapters) == len(numbers)


def test_a_short_list_that_is_all_in_the_block_of_latest(recipe):
    found = read_list(recipe(), listed([3, 2, 1, 1, 2, 3]), URL)
    assert places(found) == [1, 2, 3]
    found = read_list(recipe(), listed([1, 2, 3, 3, 2, 1]), URL)
    assert places(found) == [1, 2, 3]


def test_reverse_and_remove(recipe):
    assert places(read_list(recipe("list.reverse = true"), listed([3, 2, 1]), URL)) == [1, 2, 3]
    html = f"<dl id=list><div class=new>{links([3])}</div>{links([1, 2, 3])}</dl>"
    found = read_list(recipe('list.remove = "div.new"'), html, URL)
    assert [ref.times for ref in found.chapters] == [1, 1, 1]


def test_which_links_are_chapters(recipe):
    html = (
        "<div id=list><a href='javascript:x'>x</a><a href='#'>top</a><a>none</a>"
        "<a href='/vote.html'>vote</a><a href=' 1.html#top '><b>第一章</b>\n 灯</a>"
        "<a href='//site.example/book/1/2.html' title='第二章 长长的名字'>第二章 长长…</a>"
        "<a href='3 灯.html'></a><a href='mailto:x@y.z'>mail</a><a href='http://[x'>bad</a></div>"
    )
    found = read_list(recipe("list.url = '/\\d\\S*\\.html$'"), html, URL)
    assert [(ref.url, ref.title) for ref in found.chapters] == [
        (f"{URL}1.html", "第一章 灯"),
        (f"{URL}2.html", "第二章 长长的名字"),
        (f"{URL}3%20%E7%81%AF.html", None),
    ]
    assert len(read_list(recipe(), html, URL).chapters) == 4
    only = recipe().model_copy(update={"listing": _by_text()})
    assert [ref.title for ref in read_list(only, html, URL).chapters] == ["第一章 灯"]


def _by_text():
    return ListRules.model_validate({"links": {"selector": "#list a", "text": "灯$"}})


def test_first_selector_with_links_and_other_attributes(recipe):
    html = "<ul id=l><li data-u=1.html>第一章</li><li data-u=2.html>第二章</li></ul><a href=x>x</a>"
    rules = recipe(links='#none a", "a.none", "#l li')
    assert len(rules.listing.links) == 3
    with pytest.raises(SelectorError):
        read_list(rules, html, URL)
    picked = rules.listing.links[2].model_copy(update={"attribute": "data-u"})
    listing = rules.listing.model_copy(update={"links": (*rules.listing.links[:2], picked)})
    found = read_list(rules.model_copy(update={"listing": listing}), html, URL)
    assert places(found) == [1, 2]
    assert found.chapters[0].title == "第一章"


def test_base_and_next_page(recipe):
    html = (
        "<base href='/b/'><div id=list><a href=1.html>1</a></div><a class=next href='?page=2'>n</a>"
    )
    found = read_list(recipe('list.next = "a.next"'), html, URL)
    assert found.chapters[0].url == "http://site.example/b/1.html"
    assert found.next == "http://site.example/b/?page=2"
    only = recipe('list.next = "a"\nlist.next_text = "下一页"')
    assert read_list(only, html, URL).next is None


def test_list_elsewhere():
    rules = load_recipes()["novelfull"]
    found = read_list(rules, '<div id="rating" data-novel-id="17 b"></div>', URL)
    assert found == ListPage((), None, "http://site.example/ajax/chapter-archive?novelId=17%20b")
    answer = '<ul class="list-chapter"><li><a href="/s/1.html" title="Chapter 1: X">Chap…</a></ul>'
    read = read_list(rules, answer, found.source)
    assert read.chapters == (ChapterRef("http://site.example/s/1.html", "Chapter 1: X"),)
    with pytest.raises(SelectorError, match="no links at all"):
        read_list(rules, "<p>busy</p>", URL)


def test_source_without_id_is_not_asked_for_twice(recipe):
    rules = recipe('list.source = "all.html"')
    html = listed([1, 2])
    assert read_list(rules, html, URL).source == f"{URL}all.html"
    assert places(read_list(rules, html, f"{URL}all.html")) == [1, 2]
    assert places(read_list(rules, html, f"{URL}index", at_source=True)) == [1, 2]


def test_no_links_says_what_there_is(recipe):
    html = "<div class='menu'><ul>" + "<li><a href=/x>y</a>" * 7 + "</ul></div>"
    with pytest.raises(SelectorError) as error:
        read_list(recipe(), html, URL)
    assert "the most links (7) are in div.menu > ul, such as '/x'" in str(error.value)
    assert error.value.selector == "#list a"


@pytest.mark.parametrize("block", [[], [9, 8, 7]])
@pytest.mark.parametrize("first", [True, False])
def test_pages_of_a_list(recipe, block, first):
    rules = recipe()
    pages = []
    for numbers in ([1, 2, 3], [4, 5, 6, 7], [8, 9]):
        numbers = [*block, *numbers] if first else [*numbers, *block]
        pages.append(read_list(rules, listed(numbers), URL))
    assert places(merge_lists(rules, pages)) == list(range(1, 10))


def test_pages_of_a_reversed_list(recipe):
    rules = recipe("list.reverse = true")
    pages = [read_list(rules, listed(numbers), URL) for numbers in ([5, 4], [3, 2], [1])]
    assert places(merge_lists(rules, pages)) == [1, 2, 3, 4, 5]
