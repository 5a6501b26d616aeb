from __future__ import annotations

import argparse
import json
import sys

import pytest

from bwb.cli import main
from bwb.cli.common import command_line, progress
from bwb.metrics.results import read_results

FEW = ["--metrics", "pronoun", "--misses", "0"]


def run(capsys, *arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code
    return capsys.readouterr()


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    path = tmp_path_factory.mktemp("scored") / "results.json"
    assert main(["score", *FEW, "--out", str(path)]) == 0
    return path


def test_results_say_how_they_were_made(scored, capsys):
    results = read_results(scored)
    assert results.command == ["bwb", "score", "--metrics", "pronoun"]
    assert results.systems == ["document-level", "post-edited", "sentence-level"]
    assert {(d.book, d.genre, d.split) for d in results.documents} >= {
        ("ninth-tide", "science fiction", "test")
    }
    assert all("en" in document.omitted for document in results.documents)
    said = run(capsys, "score", *FEW, "--out", scored.with_name("x.json"), "--no-text")
    assert said.err.splitlines()[-1].startswith(f"bwb: results in {scored.with_name('x.json')}")
    assert read_results(scored.with_name("x.json")).quoted == []


def test_a_page_and_the_viewers_page(scored, capsys):
    said = run(capsys, "report", scored, "--resamples", 100, "--with-view", "--json")
    body = json.loads(said.out)
    assert body["page"] == str(scored.with_suffix(".html"))
    view = scored.with_name("results-view.html")
    assert body["view"] == str(view)
    assert view.is_file()
    text = scored.with_suffix(".html").read_text(encoding="utf-8")
    assert (
        'href="results-view.html#doc=lantern-ferry/1&amp;line=2&amp;system=sentence-level"' in text
    )
    assert "Wei Zhenxi" in text
    assert said.err.splitlines()[-1].startswith("bwb: report in ")


def test_a_view_that_is_there_is_linked_from_where_the_page_is(scored, tmp_path, capsys):
    view = tmp_path / "my pages" / "view.html"
    view.parent.mkdir()
    view.write_text("")
    out = tmp_path / "out" / "page.html"
    figures = tmp_path / "paper"
    arguments = ["--resamples", 100, "--out", out, "--view", view, "--figures", figures]
    said = run(capsys, "report", scored, *arguments)
    assert "sentence-level comes last" in said.out
    assert said.out.splitlines()[-1] == str(out)
    assert 'href="../my%20pages/view.html#doc=' in out.read_text(encoding="utf-8")
    assert (figures / "scores.tex").is_file()


def test_without_the_texts_there_is_a_page_all_the_same(scored, tmp_path, capsys):
    body = json.loads(scored.read_text())
    body["data"]["data"] = "bwb-sample@0123456789ab"
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(body))
    said = run(capsys, "report", path, "--resamples", 100, "--with-view")
    assert "no page of texts: the texts of bwb-sample have changed since" in said.err
    assert path.with_suffix(".html").is_file()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nothing.json"], 1, "nothing.json: No such file"),
        (["{}", "--resamples", "0"], 2, "--resamples 0"),
        (["{}", "--alpha", "1"], 2, "between 0 and 1"),
        (["{}", "--out", "{}"], 2, "is the file of results"),
        (["{}", "--view", "none.html"], 1, "bwb view --out none.html makes it"),
    ],
)
def test_calls_that_make_no_sense(scored, capsys, arguments, code, said):
    filled = [argument.format(scored) for argument in arguments]
    assert said in run(capsys, "report", *filled, code=code).err


def test_the_command_line_is_made_again():
    module = sys.modules[__name__]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["x y", "--many", "a", "b", "--one", "1", "--one", "2", "--flag", "--hidden", "z"]
    args = parser.parse_args(words)
    assert command_line("do", module, args, {"hidden"}) == ["bwb", "do", *reorder(words[:-2])]
    assert command_line("do", module, parser.parse_args([])) == ["bwb", "do"]


def reorder(words):
    """In the order in which the arguments are declared."""
    return [*words[1:], words[0]]


def add_arguments(parser):
    parser.add_argument("--many", nargs="+", action="extend", default=[])
    parser.add_argument("--one", action="append", default=[])
    parser.add_argument("--flag", action="store_true")
    parser.add_argument("--hidden")
    parser.add_argument("what", nargs="?")


def test_progress_passes_everything_on_and_says_nothing_into_a_pipe(capsys):
    assert list(progress(iter("abc"), "letter")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


def test_pictures_of_a_corpus(tmp_path, capsys):
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    said = run(capsys, "stats", "--html", page)
    assert said.out == ""
    assert said.err.splitlines()[-1] == f"bwb: page in {page}; open it in a browser"
    assert "bwb-sample in pictures" in page.read_text(encoding="utf-8")
    assert not figures.exists()


def test_the_best_stand_out_where_there_are_colours(monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    few = ["score", "--metrics", "ter", "--misses", 0]
    monkeypatch.setenv("FORCE_COLOR", "1")
    rows = run(capsys, *few).out.splitlines()
    # Lower is better.
    assert [row.split()[0] for row in rows if "\x1b[1;32m" in row] == ["post-edited"]
    monkeypatch.delenv("FORCE_COLOR")
    assert "\x1b" not in run(capsys, *few).out
