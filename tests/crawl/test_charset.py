from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.crawl.charset import charset_name, declared_charsets, decode_page

META = '<meta charset="{}">'
HTTP_EQUIV = '<META http-equiv=Content-Type content="text/html; charset={}">'
XML = '<?xml version="1.0" encoding="{}"?>'


def page(lines, head="", indent="　　"):
    body = "".join(f"<p>{indent}{line}</p>\n" for line in lines)
    return f"<html><head>{head}<title>x</title></head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("GB2312", "gb18030"),
        ("x-gbk", "gb18030"),
        ("cp936", "gb18030"),
        ("Big5-HKSCS", "big5"),
        ("UTF8", "utf-8"),
        ("ISO-8859-1", "cp1252"),
        ("Shift_JIS", "shift_jis"),
        ("base64", None),
        ("rot13", None),
        ("idna", None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_names(label, name):
    assert charset_name(label) == name


def test_declarations_in_order():
    body = (XML + META).format("big5", "GBK").encode()
    assert declared_charsets(body, "text/html; Charset='UTF-8'") == ["utf-8", "gbk", "big5"]
    assert declared_charsets(HTTP_EQUIV.format("gb2312").encode(), None) == ["gb2312"]
    assert declared_charsets(b"<!-- <meta charset=big5> --><meta charset=gbk>", None) == ["gbk"]
    late = b" " * 3000 + b"<meta charset=gbk>"
    assert declared_charsets(late, "text/html") == ["gbk"]
    assert declared_charsets(b" " * 9000 + b"<meta charset=gbk>", None) == []


# What the bytes are, what they are reported as, and all that may be said of them.
DECLARATIONS = [
    (None, ""),
    ("text/html", ""),
    ("text/html; charset=ISO-8859-1", ""),
    ("text/html; charset=utf-8", ""),
    ("text/html; charset=gbk", ""),
    ("text/html; charset=big5", ""),
    ("text/html; charset=nonsense", ""),
    (None, META.format("utf-8")),
    (None, META.format("gb2312")),
    (None, META.format("gb18030")),
    (None, HTTP_EQUIV.format("gbk")),
    (None, HTTP_EQUIV.format("big5")),
    ("text/html; charset=utf-8", META.format("gbk")),
    ("text/html; charset=gbk", META.format("utf-8")),
    ("text/html; charset=utf-8", META.format("big5")),
    ("text/html; charset=ISO-8859-1", META.format("gb2312")),
    (None, XML.format("gb2312")),
    (None, META.format("shift_jis")),
    (None, META.format("euc-kr")),
    (None, META.format("windows-1251")),
]


@pytest.mark.parametrize(("content_type", "head"), DECLARATIONS)
def test_the_bytes_decide_whatever_is_declared(chinese, traditional, content_type, head):
    for codec, name, lines in [
        ("gb18030", "gb18030", chinese[:25]),
        ("gbk", "gb18030", chinese[25:50]),
        ("gbk", "gb18030", traditional[:25]),
        ("cp950", "big5", traditional[:25]),
        ("big5hkscs", "big5", traditional[25:50]),
        ("utf-8", "utf-8", chinese[:25]),
        ("utf-8", "utf-8", traditional[:25]),
        ("utf-16-le", "utf-16-le", chinese[:25]),
        ("utf-16-be", "utf-16-be", chinese[:25]),
    ]:
        text = page([line for line in lines if fits(line, codec)], head)
        decoded = decode_page(text.encode(codec), content_type)
        assert (decoded.used, decoded.replaced) == (name, 0), codec
        assert decoded.text == text, codec


def fits(line, codec):
    try:
        return line.encode(codec).decode(codec) == line
    except UnicodeEncodeError:
        return False


@pytest.mark.parametrize("codec", ["gb18030", "big5", "utf-8"])
def test_a_line_is_enough(chinese, traditional, codec):
    lines = traditional if codec == "big5" else chinese
    wrong = []
    for line in lines:
        if fits(line, codec) and len(line) >= 8:
            decoded = decode_page(line.encode(codec), None)
            wrong += [line] * (decoded.text != line)
    assert not wrong


@pytest.mark.parametrize("codec", ["gb18030", "big5", "utf-8"])
@pytest.mark.parametrize("declared", ["", "gbk", "big5", "utf-8"])
def test_a_few_broken_bytes_do_not_change_the_charset(traditional, codec, declared):
    lines = [line for line in traditional[:40] if fits(line, codec)]
    whole = page(lines, META.format(declared) if declared else "")
    raw = whole.encode(codec)
    cut = raw.replace("</p>".encode(codec), "燈".encode(codec)[:1] + b"</p>", 3)
    decoded = decode_page(cut, None)
    assert decoded.used == codec
    assert decoded.replaced == 3
    assert decoded.text.replace("\ufffd", "") == whole
    truncated = decode_page(raw[: raw.index(b"</p>") - 1], None)
    assert truncated.used == codec
    assert truncated.text.count("\ufffd") == truncated.replaced == 1


def test_replacement_characters_of_the_page_itself_do_not_count(chinese):
    text = page([*chinese[:5], "坏\ufffd字"])
    for codec in ("utf-8", "gb18030"):
        assert decode_page(text.encode(codec), None).replaced == 0


def test_byte_order_marks(chinese):
    text = page(chinese[:5], META.format("gbk"))
    for codec, name in [("utf-8-sig", "utf-8"), ("utf-16", "utf-16-le"), ("utf-32", "utf-32-le")]:
        decoded = decode_page(text.encode(codec), "text/html; charset=big5")
        assert (decoded.text, decoded.used, decoded.declared) == (text, name, "big5")
    # A template saved with a mark around a page in GBK.
    assert decode_page(b"\xef\xbb\xbf" + text.encode("gbk"), None).text == text


def test_english_pages(english):
    text = page(english[:30], indent="")
    for codec, name in [("utf-8", "utf-8"), ("cp1252", "cp1252")]:
        for declared in (None, "text/html; charset=ISO-8859-1", "text/html; charset=utf-8"):
            decoded = decode_page(text.encode(codec), declared)
            assert (decoded.text, decoded.used) == (text, name), declared
    plain = page(["It rang."], indent="")
    assert decode_page(plain.encode(), "text/html; charset=gbk").text == plain
    accents = page(["A café, naïve and déjà vu; the fiancé’s résumé."], indent="")
    assert decode_page(accents.encode("cp1252"), None).text == accents


def test_little_text_that_two_charsets_could_be():
    for text, codec in [("这", "utf-8"), ("汉字", "gbk"), ("联通", "gbk"), ("的", "gbk")]:
        raw = f"<p>{text}</p>".encode(codec)
        assert decode_page(raw, "text/html; charset=gbk").text == f"<p>{text}</p>"


def test_the_recipe_counts_as_a_declaration(recipe, chinese):
    text = page(chinese[:10])
    right = recipe('charset = "gbk"')
    assert decode_page(text.encode("gbk"), None, right).used == "gb18030"
    assert decode_page(text.encode("utf-8"), None, right).used == "utf-8"
    forced = recipe('charset = "big5"\ncharset_wrong = true')
    decoded = decode_page(text.encode("gbk"), "text/html; charset=gbk", forced)
    assert (decoded.used, decoded.declared) == ("big5", "gbk")


def test_what_browsers_read():
    assert decode_page(b"<p>\x80</p>" + "照晚寺的钟又响了。".encode("gbk"), None).text[3] == "€"
    assert decode_page("<p>鰂魚涌的鐘又響了。</p>".encode("big5hkscs"), None).replaced == 0
    assert decode_page(b"don\x92t", "text/html").text == "don’t"


@given(st.binary(max_size=300), st.sampled_from([None, "text/html; charset=gbk", "charset=utf-16"]))
def test_never_fails(raw, content_type):
    decoded = decode_page(raw, content_type)
    assert decoded.replaced >= 0
    assert decoded.text.count("\ufffd") >= decoded.replaced
