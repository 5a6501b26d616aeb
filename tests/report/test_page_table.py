from __future__ import annotations

import csv
import io

from bwb.report.page_table import (
    Column,
    Datum,
    PageTable,
    latex,
    number,
    share,
    to_csv,
    to_latex,
    to_markdown,
    transposed,
    write_table,
)

TABLE = PageTable(
    "scores",
    "Scores",
    [Column("system", number=False), Column("entity ↑"), Column("n")],
    [
        [Datum("a_b|c"), Datum("93.1", 0.931, 0.9, 0.95, "ab", best=True), number(3)],
        [Datum("50% & 林溪"), share(None), number(1200)],
    ],
    "Percent.",
)


def test_latex_is_escaped_and_bold():
    text = to_latex(TABLE)
    assert r"a\_b|c & \textbf{93.1}\textsuperscript{ab} {\scriptsize [90.0--95.0]} & 3 \\" in text
    assert r"50\% \& 林溪 & -- & 1,200 \\" in text
    assert r"entity $\uparrow$" in text
    assert text.count("rule") == 3
    assert r"\begin{tabular}{lrr}" in text
    assert latex("a\\b{c}~^#$\n d") == (
        r"a\textbackslash{}b\{c\}\textasciitilde{}\textasciicircum{}\#\$ d"
    )


def test_markdown_is_escaped_and_bold():
    lines = to_markdown(TABLE).split("\n")
    assert lines[:4] == [
        "| system | entity ↑ | n |",
        "| :--- | ---: | ---: |",
        r"| a\_b\|c | **93.1** ab [90.0–95.0] | 3 |",
        "| 50% & 林溪 | – | 1,200 |",
    ]
    assert lines[5] == "Scores. Percent."


def test_csv_has_fractions_and_columns_for_intervals_and_letters():
    rows = list(csv.reader(io.StringIO(to_csv(TABLE))))
    assert rows == [
        ["system", "entity", "entity low", "entity high", "entity letters", "n"],
        ["a_b|c", "0.931", "0.9", "0.95", "ab", "3.0"],
        ["50% & 林溪", "", "", "", "", "1200.0"],
    ]


def test_two_numbers_in_a_cell_stay_together_in_csv():
    table = PageTable("x", "X", [Column("n")], [[Datum("15 (8)", 15.0)]])
    assert to_csv(table) == "n\n15 (8)\n"


def test_a_table_is_turned():
    turned = transposed(TABLE, "metric")
    assert [column.label for column in turned.columns] == ["metric", "a_b|c", "50% & 林溪"]
    assert [row[0].text for row in turned.rows] == ["entity ↑", "n"]
    assert turned.rows[0][1] is TABLE.rows[0][1]


def test_files(tmp_path):
    written = write_table(TABLE, tmp_path)
    assert [path.name for path in written] == ["scores.tex", "scores.md", "scores.csv"]
    assert all(path.read_text(encoding="utf-8") for path in written)
