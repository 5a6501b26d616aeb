from __future__ import annotations

import pytest

from bwb.report.tables import percent, rows_table, table, width


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
