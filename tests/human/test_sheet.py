from __future__ import annotations

import csv
import io

import pytest

from bwb.errors import FormatError, InputError
from bwb.human.sheet import read_answers, require_answers, write_answers, write_csv, write_form
from bwb.human.simulate import Noise, simulate_answers


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def put(path, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), "utf-8")
    return path


@pytest.fixture(params=["ranking", "bws"])
def plan(study, request):
    return study(design=request.param)


def test_answers_are_read_as_written(plan, tmp_path):
    answers = simulate_answers(plan, Noise(), 1)
    paths = [tmp_path / f"{rater.name}.csv" for rater in plan.raters]
    for rater, path in zip(plan.raters, paths, strict=True):
        write_answers(plan, rater, answers, path)
    assert read_answers(plan, paths) == answers
    assert read_answers(plan, paths[::-1]) == answers


@pytest.mark.parametrize("kind", ["csv", "html"])
def test_no_name_of_a_system_and_no_source_for_fluency(plan, tmp_path, kind):
    for rater in plan.raters:
        path = tmp_path / f"{rater.name}.{kind}"
        write_form(plan, rater, path) if kind == "html" else write_csv(plan, rater, path)
        text = path.read_text("utf-8")
        assert not [name for name in plan.systems if name in text]
        assert ("句。" in text) == (rater.criterion == "adequacy")


def test_a_form_has_no_markup_from_a_text(plan, tmp_path):
    write_form(plan, plan.raters[0], tmp_path / "f.html")
    page = (tmp_path / "f.html").read_text("utf-8")
    assert "<script>document" not in page
    assert page.count("<script") == 2
    assert "<b>bold" not in page


def test_the_sheet_is_filled_in_by_hand(study, tmp_path):
    plan = study()
    path = tmp_path / "r01.csv"
    write_csv(plan, plan.raters[0], path)
    rows = rows_of(path)
    assert all(row["text"].startswith(f"[{row['label']}] ") for row in rows)
    first = plan.raters[0].tasks[0]
    for row, rank in zip(rows, ("1.0", "３", "1"), strict=False):
        row["rank"] = rank
    rows[3]["rank"] = "2"  # half an answer to the second item
    findings = []
    (answer,) = read_answers(plan, [put(path, rows)], findings)
    ranks = dict(zip(first.order, (1, 3, 1), strict=True))
    assert answer.values == tuple(ranks[i] for i in range(3))
    assert answer.seconds is None
    (warning,) = findings
    assert "no rank for B, C; taken as not judged" in str(warning)
    assert warning.severity == "warning"
    assert warning.line > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rater": "r99"}, r":2:1: rater 'r99' is not in the plan, which has r01, r02"),
        ({"item": "i999"}, r":2:2: item 'i999' is not one that r01 was to judge"),
        ({"label": "D"}, r":2:3: label 'D'; expected one of A, B, C \(unknown-label\)"),
        ({"key": "k0"}, r":2:7: key 'k0' is not that of r01"),
        ({"rank": "4"}, r":2:4: rank '4'; expected 1 to 3 \(out-of-range\)"),
        ({"rank": "best"}, r":2:4: rank 'best'; expected 1 to 3"),
        ({"rank": "0"}, r":2:4: rank '0'"),
        ({"seconds": "-1"}, r":2:5: seconds '-1'"),
    ],
)
def test_a_row_that_is_wrong(study, tmp_path, change, message):
    plan = study()
    path = tmp_path / "r.csv"
    write_answers(plan, plan.raters[0], simulate_answers(plan, Noise(), 1), path)
    rows = rows_of(path)
    rows[0].update(change)
    with pytest.raises(FormatError, match=message):
        read_answers(plan, [put(path, rows)])


def test_a_row_that_is_there_twice(study, tmp_path):
    plan = study()
    path = tmp_path / "r.csv"
    write_answers(plan, plan.raters[0], simulate_answers(plan, Noise(), 1), path)
    with pytest.raises(FormatError, match=r"A of i\d+ by r01 is there twice; first at .*r.csv:2"):
        read_answers(plan, [path, path])


def test_two_that_are_the_best(study, tmp_path):
    plan = study(design="bws")
    path = tmp_path / "r.csv"
    write_answers(plan, plan.raters[0], simulate_answers(plan, Noise(), 1), path)
    rows = rows_of(path)
    for row in rows[:2]:
        row["choice"] = "Best"
    with pytest.raises(FormatError, match=r":3:4: i\d+: A, B are all marked best"):
        read_answers(plan, [put(path, rows)])


def test_files_that_are_no_sheets(study, tmp_path):
    plan = study()
    path = tmp_path / "r.csv"
    path.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(FormatError, match="no column rater, item, label, rank, key"):
        read_answers(plan, [path])
    write_csv(plan, plan.raters[0], path)
    assert read_answers(plan, [path]) == []
    with pytest.raises(InputError, match="no item is answered"):
        require_answers([], [path])
    path.write_text('rater,item,label,rank,key\n"r01', "utf-8")
    with pytest.raises(FormatError, match="not CSV"):
        read_answers(plan, [path])
