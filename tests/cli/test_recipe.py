from __future__ import annotations

import argparse
import json

import pytest

from bwb.cli import recipe as command
from bwb.crawl.page import SelectorError
from bwb.errors import FormatError, InputError, UnknownNameError

RECIPE = """
name = "mini"
lang = "zh"
list.links = "#list a"
chapter.body = "#content"
chapter.next = "a.next"
lines.drop = ["看书就来.*", "天才"]
"""
CHAPTER = (
    "<meta charset=gb2312><h1>第一章 灯</h1><div id=content>第一章 灯<br>她来了。<br>看书就来此处"
    "<br>天才来了。</div><a class=next href=1_2.html>下一页</a>"
)


@pytest.fixture
def run(capsys):
    def run(*arguments):
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        code = command.run(parser.parse_args([str(argument) for argument in arguments]))
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


@pytest.fixture
def files(tmp_path):
    (tmp_path / "mini.toml").write_text(RECIPE, encoding="utf-8")
    (tmp_path / "chapter.html").write_bytes(CHAPTER.encode("gbk"))
    rows = "".join(f"<a href={n}.html>第{n}章 灯</a>" for n in range(20, 0, -1))
    (tmp_path / "list.html").write_text(f"<div id=list>{rows}</div>", encoding="utf-8")
    return tmp_path


def test_what_a_recipe_keeps_and_drops(run, files):
    code, out, err = run("test", files / "mini.toml", files / "chapter.html")
    assert code == 0
    for part in (
        "charset: gb18030 (declared: gb2312)",
        "title: 第一章 灯",
        "next page: http://localhost/1_2.html",
        "kept: 2 lines\n  她来了。\n  天才来了。\n",
        "dropped by 看书就来.*: 看书就来此处",
        "title by 第一章 灯: 第一章 灯",
    ):
        assert part in out
    assert "drop = '天才' matches a part of '天才来了。'" in err


def test_the_same_as_json(run, files):
    page = files / "chapter.html"
    url = "http://h.example/2/1.html"
    body = json.loads(run("test", "mini", page, "--sites", files, "--url", url, "--json")[1])
    assert body["kind"] == "chapter"
    assert body["lines"] == ["她来了。", "天才来了。"]
    assert body["next"] == "http://h.example/2/1_2.html"
    assert [item["reason"] for item in body["removed"]] == ["dropped", "title"]
    assert (body["charset_declared"], body["charset_used"]) == ("gb2312", "gb18030")


def test_lists(run, files):
    code, out, err = run("test", files / "mini.toml", files / "list.html")
    assert code == 0
    assert "chapters: 20" in out
    assert "10 more" in out
    assert "from 20 to 1" in err
    assert "reverse" in err
    page = files / "list.html"
    body = json.loads(run("test", files / "mini.toml", page, "--kind", "list", "--json")[1])
    assert body["chapters"][0]["number"] == 20
    assert "第10章" in run("test", files / "mini.toml", page, "--all")[1]
    book = files / "book.html"
    book.write_text('<p id="rating" data-novel-id="17">')
    out = run("test", "novelfull", book, "--kind", "list")[1]
    assert "the list is elsewhere: http://localhost/ajax/chapter-archive?novelId=17" in out


def test_faults(run, files):
    (files / "other.html").write_text("<div class=x>text</div>")
    with pytest.raises(SelectorError, match=r"div\.x \(4 characters\)"):
        run("test", files / "mini.toml", files / "other.html")
    with pytest.raises(SelectorError, match="links"):
        run("test", files / "mini.toml", files / "chapter.html", "--kind", "list")
    with pytest.raises(InputError, match="No such file"):
        run("test", files / "mini.toml", files / "none.html")
    with pytest.raises(UnknownNameError, match="did you mean 'biquge'"):
        run("test", "biqug", files / "chapter.html")
    (files / "bad.toml").write_text("x = 1")
    with pytest.raises(FormatError, match="unknown key 'x'"):
        run("test", files / "bad.toml", files / "chapter.html")


def test_check(run, files):
    assert run("check", files / "mini.toml") == (
        0,
        f"{files / 'mini.toml'}: mini-1, zh: good\n",
        "",
    )
    (files / "bad.toml").write_text(RECIPE + "[linse]\n")
    code, out, _ = run("check", files / "mini.toml", files / "bad.toml")
    assert code == 1
    assert "did you mean 'lines'?" in out
    body = json.loads(run("check", files / "bad.toml", "--json")[1])
    assert body["findings"][0]["code"] == "unknown-key"


def test_list(run, files):
    out = run("list", "--sites", files)[1]
    assert all(name in out for name in ("biquge", "novelfull", "shudian", "mini"))
    names = [row["name"] for row in json.loads(run("list", "--json")[1])["recipes"]]
    assert {"biquge", "novelfull", "shudian"} <= set(names)
