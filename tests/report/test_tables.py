from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.report import tables
from bwb.report.tables import (
    best,
    colours,
    fold,
    paragraph,
    percent,
    plain,
    rows_table,
    styled,
    table,
    width,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def no_wishes(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def eighty(monkeypatch):
    monkeypatch.setattr(tables, "columns", lambda: 80)


def test_columns_are_aligned_where_chinese_stands_beside_english():
    text = table(["name", "n"], [["林溪", 3], ["Lin Xi", 1200], ["x", None]], indent="")
    assert text.split("\n") == [
        "name        n",
        "──────  ─────",
        "林溪        3",
        "Lin Xi  1,200",
        "x           –",
    ]
    assert {width(line) for line in text.split("\n")} == {13}


def test_a_row_of_another_length_is_an_error():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        table(["a", "b"], [["x"]])


def test_undefined_is_a_dash_and_nothing_is_said():
    assert (percent(None), percent(0.12345)) == ("–", "12.3")
    assert rows_table([]) == "  (nothing)"


@pytest.mark.parametrize(
    ("settings", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_when_there_are_colours(monkeypatch, settings, terminal, expected):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    stream = Terminal() if terminal else io.StringIO()
    assert colours(stream) is expected
    assert (styled("x", "best", stream) != "x") is expected
    assert styled("", "best", stream) == ""


def test_colours_take_no_room(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    bold = styled("12.3", "best")
    assert (width(bold), plain(bold)) == (4, "12.3")
    text = table(["system", "F1"], [["a", bold], ["b", "4.5"]], indent="")
    assert plain(text).split("\n") == [
        "system    F1",
        "──────  ────",
        "a       12.3",
        "b        4.5",
    ]


def test_best_is_by_what_is_shown():
    assert best([0.5, 0.7, None]) == {1}
    assert best([0.5, 0.7], higher=False) == {0}
    # 70.0 and 70.0 are both best; all equal, or one alone, is no choice.
    assert best([0.70001, 0.7, 0.1]) == {0, 1}
    assert best([0.5, 0.5]) == set()
    assert best([0.5, None]) == set()


def test_a_wide_table_goes_on_below_with_its_first_column(eighty):
    header = ["system", *(f"column number {n}" for n in range(8))]
    text = table(header, [["林溪", *range(8)], ["b", *range(8)]])
    assert max(width(line) for line in text.split("\n")) <= 80
    blocks = text.split("\n\n")
    assert len(blocks) == 2
    assert all(block.lstrip().startswith("system") for block in blocks)
    assert re.findall(r"number (\d)", text) == [str(n) for n in range(8)]


def test_columns_of_text_are_wrapped(eighty):
    words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    text = table(["a", "b", "n"], [["x", words, 1], ["y", "short", 2]])
    assert max(width(line) for line in text.split("\n")) <= 80
    assert " ".join(text.split()).count("fourteen") == 1
    assert len(text.split("\n")) == 5


def test_into_a_pipe_nothing_is_wrapped():
    words = " ".join(["word"] * 60)
    assert len(table(["a"], [[words]]).split("\n")) == 3
    assert paragraph(words) == f"  {words}"


def test_a_paragraph_is_indented_on(eighty):
    text = paragraph(" ".join(["word"] * 30))
    lines = text.split("\n")
    assert max(map(width, lines)) <= 80
    assert lines[0].startswith("  word")
    assert all(line.startswith("    word") for line in lines[1:])


def test_chinese_is_folded_anywhere_and_counts_double():
    assert fold("他看见了一条很长的河", 8) == ["他看见了", "一条很长", "的河"]
    assert fold("", 8) == [""]
    assert fold("incomprehensibilities", 8) == ["incompre", "hensibil", "ities"]


@given(st.text(alphabet="ab 他，wide\t", max_size=60), st.integers(2, 30))
def test_folding_loses_nothing_but_spaces(text, limit):
    lines = fold(text, limit)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width(line) <= limit for line in lines)
