from __future__ import annotations

import html as escapes
from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.crawl.lines import collapse
from bwb.crawl.page import EmptyBodyError, PageError, SelectorError, next_page, read_chapter
from bwb.crawl.recipe import load_recipes

URL = "http://site.example/book/12.html"

# How sites put the lines of a chapter into its body.
LAYOUTS = {
    "p": lambda lines: "".join(f"<p>{line}</p>" for line in lines),
    "p, pretty": lambda lines: "".join(f"\n  <p>\n    {line}\n  </p>" for line in lines),
    "p, unclosed": lambda lines: "".join(f"<p>　　{line}\n" for line in lines),
    "p in div": lambda lines: "<div>" + "".join(f"<p>{line}</p>" for line in lines) + "</div>",
    "p, empty ones between": lambda lines: "<p>&nbsp;</p>".join(f"<p>{line}</p>" for line in lines),
    "br": lambda lines: "<br>".join(lines),
    "br br": lambda lines: "<br/>\r\n<br />\r\n".join(
        f"&nbsp;&nbsp;&nbsp;&nbsp;{x}" for x in lines
    ),
    "br in p": lambda lines: "<p>" + "<br>".join(f"　　{line}" for line in lines) + "</p>",
    "br at the end": lambda lines: "".join(f"&emsp;&emsp;{line}<br>" for line in lines),
    "div": lambda lines: "".join(f"<div class=line>{line}</div>" for line in lines),
    "li": lambda lines: "<ol>" + "".join(f"<li>{line}" for line in lines) + "</ol>",
    "span shown as block": lambda lines: "".join(
        f'<span style="display: block">{line}</span>' for line in lines
    ),
    "newlines": lambda lines: "\n" + "\n\n".join(f"    {line}" for line in lines) + "\n",
    "newlines, crlf": lambda lines: "\r\n".join(f"　　{line}" for line in lines),
    "pre": lambda lines: "<pre>" + "\n".join(lines) + "</pre>",
    "pre-line": lambda lines: (
        '<div style="white-space:pre-line">' + "\n".join(lines) + "</div><br>x<br>y"
    ),
}


def page(body, title="第一章 灯"):
    head = "<!DOCTYPE html><html><head><meta charset=gbk><title>t</title></head><body>"
    return f"{head}<h1>{title}</h1><div id=content>{body}</div><p>foot</p></body></html>"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_give_the_lines_that_were_put_in(recipe, chinese, english, layout):
    for lines in (chinese[:40], english[:40]):
        text = read_chapter(recipe(), page(LAYOUTS[layout](map(escapes.escape, lines))), URL)
        expected = (*lines, "x", "y") if layout == "pre-line" else lines
        assert text.lines == expected
        assert text.title == "第一章 灯"
        assert not text.removed


INK = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]))


@settings(max_examples=60)
@given(
    lines=st.lists(INK.filter(lambda line: collapse(line) == line != ""), min_size=2),
    layout=st.sampled_from([name for name in LAYOUTS if name != "pre-line"]),
)
def test_layouts_give_any_lines(recipe, lines, layout):
    text = read_chapter(recipe(), page(LAYOUTS[layout](map(escapes.escape, lines))), URL)
    assert text.lines == tuple(lines)


def test_inline_elements_do_not_split_a_line(recipe):
    body = "<p>她<em>只</em>说<a href=x>了</a><span>一句</span><!-- x -->：<b><i>“</i>走</b>”</p>"
    assert read_chapter(recipe(), page(body), URL).lines == ("她只说了一句：“走”",)
    body = "He <em>said</em> <a>so</a>,<wbr> did<font color=red>n’t</font> he?<br>Yes."
    assert read_chapter(recipe(), page(body), URL).lines == ("He said so, didn’t he?", "Yes.")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("a &amp; b &lt;c&gt; &#8220;d&#x201d; &hellip; &mdash;", "a & b <c> “d” … —"),
        ("a&nbsp;&nbsp;b\t\n  c", "a b c"),
        ("&nbsp&nbspa", "a"),
        ("don&#146;t", "don’t"),
        ("他\n    走了，\n“好”", "他走了，“好”"),
        ("第一句　第二句", "第一句　第二句"),
        ("中　　 文", "中 文"),
        ("a\x00b\x07c", "abc"),
        ("a\u2028b", "a b"),
        ("\ufeff\u200bab", "ab"),
        ("<table><tr><td>Name</td><td>Wei</td></tr></table>", "Name Wei"),
    ],
)
def test_characters_and_white_space(recipe, source, line):
    assert read_chapter(recipe(), page(f"<p>{source}</p>"), URL).lines == (line,)


def test_what_is_not_text_is_left_out_and_hidden_text_is_reported(recipe):
    body = (
        "<script>x</script><style>y</style>一<br><ruby>漢<rp>(</rp><rt>hàn</rt><rp>)</rp></ruby>字"
        '<br><span style="display:none">藏</span>二<p hidden>匿</p><i style="font-size:0px">小</i>'
        '<img src="/w.png">三<noscript>n</noscript>'
    )
    text = read_chapter(recipe(), page(body), URL)
    assert text.lines == ("一", "漢字", "二三")
    found = [(item.reason, item.text) for item in text.removed if item.reason != "ruby"]
    hidden = [("hidden", text) for text in ("藏", "匿", "小", "n")]
    assert found == [*hidden, ("image", "/w.png")]
    kept = recipe('chapter.ruby = "keep"\nchapter.keep_hidden = true')
    text = read_chapter(kept, page(body), URL)
    assert text.lines == ("一", "漢(hàn)字", "藏二", "匿", "小三")


def test_remove_by_selector_and_text(recipe):
    body = (
        "<div class=ad>买<script>s</script></div>一<div class=ad></div>点<p>Translator: me</p>"
        "<p>二<sup>1</sup></p>"
    )
    rules = 'chapter.remove = [".ad", { selector = "p", text = "^Translator" }, "sup", "#content"]'
    text = read_chapter(recipe(rules), page(body), URL)
    assert text.lines == ("一", "点", "二")
    assert [(item.rule, item.text) for item in text.removed] == [
        (".ad", "买"),
        (".ad", ""),
        ("p with text '^Translator'", "Translator: me"),
        ("sup", "1"),
    ]


def test_body_selectors_first_with_text_and_all_it_matches(recipe):
    html = (
        "<div id=a></div><div class=part>一</div><i>x</i>"
        "<div class=part>二<p class=part>三</p></div>"
    )
    with pytest.raises(EmptyBodyError, match="#a is there and has no text"):
        read_chapter(recipe(body="#a"), html, URL)
    rules = recipe(body='#none", "#a", ".part').chapter
    assert [pick.selector for pick in rules.body] == ["#none", "#a", ".part"]
    whole = recipe().model_copy(update={"chapter": rules})
    assert read_chapter(whole, html, URL).lines == ("一", "二", "三")


def test_paragraphs_by_selector(recipe):
    body = "外<p><span class=l>一<b>点</b></span><span class=l>二</span></p>"
    text = read_chapter(recipe('chapter.paragraphs = "span.l"'), page(body), URL)
    assert text.lines == ("一点", "二")
    assert [(item.reason, item.text) for item in text.removed] == [("outside", "外")]
    with pytest.raises(EmptyBodyError, match="no text is in what paragraphs = 'li' selects"):
        read_chapter(recipe('chapter.paragraphs = "li"'), page(body), URL)


def test_line_feeds_by_word(recipe):
    body = "<p>一\n二</p>三<br>四"
    for word, lines in [("newline", "一 二 三 四"), ("br", "一二 三 四"), ("auto", "一二 三 四")]:
        text = read_chapter(recipe(f'chapter.paragraphs = "{word}"'), page(body), URL)
        assert text.lines == tuple(lines.split()), word


def test_patterns_of_lines(recipe):
    rules = (
        "lines.drop = ['天才.*']\nlines.cut = ['\\(www\\S+\\)', '广告$']\nlines.end = ['\\(完\\)']"
    )
    lines = ["天\u200b才记住", "天(www.x.y)才", "他说天才。", "广告", "(完)", "作者的话"]
    body = "".join(f"<p>{line}</p>" for line in lines)
    text = read_chapter(recipe(rules), page(body), URL)
    assert text.lines == ("天才", "他说天才。")
    assert [(item.reason, item.text) for item in text.removed] == [
        ("dropped", "天\u200b才记住"),
        ("cut", "(www.x.y)"),
        ("cut", "广告"),
        ("after-end", "(完)"),
        ("after-end", "作者的话"),
    ]


def test_title_line(recipe):
    body = "<p>第1章　灯</p><p>灯</p><p>灯亮了。</p>"
    text = read_chapter(recipe(), page(body, "第一章 灯（1/2）"), URL)
    assert (text.title, text.lines) == ("第一章 灯", ("灯亮了。",))
    assert [item.reason for item in text.removed] == ["title", "title"]
    assert len(read_chapter(recipe("chapter.keep_title = true"), page(body), URL).lines) == 3


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ('".t"', "Named"),
        ('[".none", "title"]', "Shown_site"),
        ('{ selector = "title", text = "^(.*)_" }', "Shown"),
        ('{ selector = "a", attribute = "title" }', "In full"),
        ("{ pattern = \"var t = '(.*?)'\" }", "Scripted"),
        ('{ url = "book/(.*)\\\\.html" }', "12"),
        ('".none"', None),
    ],
)
def test_where_a_title_can_be(recipe, title, found):
    html = (
        "<title>Shown_site</title><script>var t = 'Scripted';</script><b class=t>Named</b>"
        '<a title="In full">x</a><div id=content>y</div>'
    )
    assert read_chapter(recipe(f"chapter.title = {title}"), html, URL).title == found


def test_selector_that_matches_nothing_says_what_there_is(recipe):
    html = f"<div class='a b'><p>{'字' * 3120}</p></div><div id=menu>short</div>"
    with pytest.raises(SelectorError) as error:
        read_chapter(recipe(body=".x"), html, URL)
    for part in (URL, ".x", "the largest text is in div.a.b (3,120 characters)", "selector"):
        assert part in str(error.value)
    assert error.value.reason == "selector"
    with pytest.raises(SelectorError, match="no text at all"):
        read_chapter(recipe(), "", URL)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("<script>x</script>", "no text"),
        ("<p hidden>x</p>", "nothing is left of the body: 1 pieces hidden, by 'hidden'"),
        ("<p>第一章 灯</p>", "1 pieces title"),
        ("", "no text"),
    ],
)
def test_empty_bodies_are_errors(recipe, body, why):
    with pytest.raises(EmptyBodyError, match=why) as error:
        read_chapter(recipe(), page(body), URL)
    assert error.value.reason == "empty-body"


def test_deep_and_broken_markup(recipe):
    body = "<font>" * 1500 + "<p>一<p>二</div></div>"
    assert read_chapter(recipe(), page(body), URL).lines == ("一", "二")
    with pytest.raises(PageError, match="nested more than 2,048 deep"):
        read_chapter(recipe(), page("</b>" * 300 + "<font>" * 3000 + "<p>一"), URL)
    with pytest.raises(SelectorError, match="the largest text is in body"):
        read_chapter(recipe(body="#x"), page(body + "<p>" + "字" * 20), URL)
    xml = f"<?xml version='1.0' encoding='gbk'?>{page('<p>一</p>')}"
    assert read_chapter(recipe(), xml, URL).lines == ("一",)


@pytest.mark.parametrize(
    ("link", "more", "found"),
    [
        ("<a class=n href=12_2.html>下一页</a>", "", "12_2.html"),
        ("<a class=n href=13.html>下一章</a>", "", None),
        ("<a class=n href=13.html>Next Chapter</a>", "", None),
        ("<a class=n href=13.html>下一章</a>", "next_text = '下一页'", None),
        ("<a class=n href=13.html>下一页</a>", "next_url = '_\\d+\\.html$'", None),
        ("<a class=n href=12_2.html>&gt;&gt;</a>", "next_url = '_\\d+\\.html$'", "12_2.html"),
        ("<a class=n href='javascript:x()'>下一页</a>", "", None),
        ("<a class=n href='#top'>下一页</a>", "", None),
        ("<a class=n href='12.html#b'>下一页</a>", "", None),
        ("<a class=n>下一页</a>", "", None),
        ("<a class=n href=' /book/12_2.html '>下一页</a>", "", "12_2.html"),
        ("<base href='/other/'><a class=n href=2.html>下一页</a>", "", "../other/2.html"),
        ("<a class=n href=a.html>x</a><a class=n href=b.html>y</a>", "next_text = 'y'", "b.html"),
    ],
)
def test_next_page(recipe, link, more, found):
    rules = recipe(f'chapter.next = "a.n"\n{"chapter." if more else ""}{more}')
    assert next_page(rules, link, URL) == (urljoin(URL, found) if found else None)


def test_next_page_in_a_script(recipe):
    rules = recipe("chapter.next = { pattern = 'next_page = \"(.*?)\"' }")
    script = '<script>var next_page = "{}";</script>'
    assert next_page(rules, script.format("12_2.html"), URL) == URL.replace("12", "12_2")
    assert next_page(rules, script.format(""), URL) is None
    assert next_page(recipe(), script, URL) is None


def test_our_recipes_read_their_themes():
    recipes = load_recipes()
    english = (
        '<a class="chr-title" title="Chapter 1: The Lamp"><span class="chr-text">Chapter 1: …'
        '</span></a><div id="chr-content" class="chr-c"><div id="pf-1">ad</div>'
        '<p>Chapter 1: The Lamp</p><p>It <em>rang</em>.</p><div class="ads ads-x">buy</div>'
        "<script>x</script><p>Again.</p></div>"
    )
    text = read_chapter(recipes["novelfull"], english, "http://h/slug/chapter-1.html")
    assert (text.title, text.lines) == ("Chapter 1: The Lamp", ("It rang.", "Again."))
    chinese = (
        '<div class="bookname"><h1>第一章 灯</h1></div><div id="content">&nbsp;&nbsp;&nbsp;&nbsp;'
        "钟响了。<br/><br/>天才一秒记住本站地址：x<br><br>（本章未完，请点击下一页继续阅读）</div>"
        '<a id="pager_next" href="1001_2.html">下一页</a>'
    )
    url = "http://h/book/1/1001.html"
    assert read_chapter(recipes["biquge"], chinese, url).lines == ("钟响了。",)
    assert next_page(recipes["biquge"], chinese, url) == "http://h/book/1/1001_2.html"
    last = chinese.replace("1001_2.html", "1002.html").replace("下一页", "下一章")
    assert next_page(recipes["biquge"], last, url) is None
    shop = (
        '<h3 class="j_chapterName">第一章 灯</h3>'
        '<div class="read-content j_readContent"><p>　　钟响了。'
    )
    assert read_chapter(recipes["shudian"], shop, url).lines == ("钟响了。",)
