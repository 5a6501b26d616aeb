"""The sheet: nothing in it is a formula, and what a person said comes back."""

from __future__ import annotations

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.cli import main
from bwb.errors import FormatError
from bwb.judge.replay import replay
from bwb.judge.sheet import (
    LONGEST,
    agreement,
    draw,
    guarded,
    read_sheet,
    sheet_rows,
    unguarded,
    write_sheet,
)


@pytest.fixture
def judged(tmp_path):
    answers = [
        {"Accuracy": {"Mistakes": ["=1+1", {"Type": "Omission", "Details": "'snow', \"new\""}]}},
        {"Accuracy": {"Mistakes": []}},
        {"Accuracy": "?"},
        {"Fluency": {"Score": 4, "Explanation": "+stiff\nin places"}},
    ]
    rows = [
        {"translation2": f"@text {n}", "reference": "-r", "gpt_response": json.dumps(answer)}
        for n, answer in enumerate(answers)
    ]
    rows.append({"translation2": "x" * 40_000, "gpt_response": json.dumps(answers[1])})
    file = tmp_path / "m-zh-en.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return replay([file]).judged


def filled(path, answers):
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, answer in zip(rows, answers, strict=False):
        row["agree"] = answer
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=";")
        writer.writeheader()
        writer.writerows(rows)


def test_a_row_is_a_judgement(judged):
    rows = sheet_rows(judged)
    assert [(row["metric"], row["judgement"]) for row in rows] == [
        ("CE", "=1+1"),
        ("CE", "Type: Omission; Details: 'snow', \"new\""),
        ("CE", "no mistakes"),
        ("CE", "?"),
        ("Fluency", "score 4: +stiff\nin places"),
        ("CE", "no mistakes"),
    ]
    assert rows[1]["about"] == "snow"
    assert rows[0]["direction"] == "zh-en"
    assert len(rows[5]["text"]) < LONGEST + 100
    assert rows[5]["text"].endswith("[… cut: 32,000 of 40,000 characters]")


def test_no_cell_is_a_formula(judged, tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet(sheet_rows(judged), path)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=1+1" in cells
    assert "'@text 0" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@given(st.text())
def test_guarding_can_be_undone(text):
    assert unguarded(guarded(text)) == text or text.startswith("'")
    assert not guarded(text).startswith(("=", "+", "-", "@", "\t", "\r", "＝"))


def test_the_share_of_yes(judged, tmp_path, capsys):
    path = tmp_path / "sheet.csv"
    write_sheet(sheet_rows(judged), path)
    filled(path, ["yes", "NO", "是", "", "ｙ"])
    found = agreement(read_sheet(path))
    whole = {row.metric: row for row in found.rows if row.system is None}
    assert (whole["CE"].yes, whole["CE"].answered, whole["CE"].unfinished) == (2, 3, 2)
    assert whole["CE"].share == pytest.approx(2 / 3)
    # Wilson 1927 for 2 of 3.
    assert whole["CE"].wilson == pytest.approx((0.2077, 0.9385), abs=1e-4)
    assert whole["Fluency"].share == 1
    assert [mark.line for mark in found.unfinished] == [5, 7]
    assert main(["judge", "agreement", str(path), "--json"]) == 3
    body = json.loads(capsys.readouterr().out)
    assert [cell["line"] for cell in body["unfinished"]] == [5, 7]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(";yes;", ";maybe;"), "expected yes, no"),
        (lambda text: text.replace("zh-en", "en-zh"), "do not belong to key"),
        (lambda text: text + text.split("\n", 1)[1], "again"),
        (lambda text: text.replace("agree", "agrees"), "no column agree"),
        (lambda text: text.split("\n", 1)[0], "no rows"),
    ],
)
def test_a_changed_sheet_is_refused(judged, tmp_path, change, message):
    path = tmp_path / "sheet.csv"
    write_sheet(sheet_rows(judged), path)
    filled(path, ["yes"] * 9)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_sheet(path)


def test_a_sample_is_of_each_metric_and_a_larger_one_contains_it(judged):
    rows = sheet_rows(judged)
    small, large = draw(rows, 1, 7), draw(rows, 3, 7)
    assert sorted(row["metric"] for row in small) == ["CE", "Fluency"]
    assert {row["key"] for row in small} <= {row["key"] for row in large}
    assert len(large) == 4


def test_from_answers_to_agreement(judged, tmp_path, capsys):
    path = tmp_path / "sheet.csv"
    source = judged[0].stored.file
    assert main(["judge", "sheet", source, "--out", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["judgements"] == 6
    assert main(["judge", "sheet", source, "--out", str(tmp_path / "sheet.txt")]) == 2
    filled(path, ["yes"] * 6)
    assert main(["judge", "agreement", str(path)]) == 0
    assert "100.0" in capsys.readouterr().out
