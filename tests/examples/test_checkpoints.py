"""The example that compares checkpoints, on checkpoints made from the sample's systems."""

from __future__ import annotations

import csv
import importlib.util
import sys

import pytest

import bwb

# The better the system, the later the step; the last is the document-level one, which is not best.
STEPS = {1000: "sentence-level", 2000: "post-edited", 10000: "document-level"}


@pytest.fixture(scope="module")
def example(repository):
    spec = importlib.util.spec_from_file_location(
        "checkpoints", repository / "examples" / "checkpoints.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["checkpoints"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["checkpoints"]


@pytest.fixture
def checkpoints(tmp_path):
    for document in bwb.read_documents():
        by_name = {output.system: output for output in document.systems}
        for step, name in STEPS.items():
            path = tmp_path / "runs" / f"v2-step-{step}" / document.book
            path.mkdir(parents=True, exist_ok=True)
            text = "\n".join(by_name[name].sentences) + "\n"
            (path / f"{document.chapter}.txt").write_text(text, "utf-8")
    return tmp_path / "runs"


def test_a_table_a_csv_and_a_plot(example, checkpoints, tmp_path, capsys):
    out = tmp_path / "out"
    assert example.main([str(checkpoints), "--out", str(out), "--metrics", "pronoun"]) == 0
    printed = capsys.readouterr().out.split("\n")
    assert [line.split()[0] for line in printed[3:6]] == ["1000", "2000", "10000"]
    assert [line.endswith("*") for line in printed[3:6]] == [False, True, True]
    assert "step 2000 scores best, and is better than the last (p = 0.0234)" in printed[6]
    with (out / "checkpoints.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == ["1000", "2000", "10000"]
    scores = [float(row["score"]) for row in rows]
    assert float(rows[1]["difference"]) == pytest.approx(scores[1] - scores[0])
    assert rows[0]["difference"] == ""
    assert all(float(row["low"]) < float(row["score"]) < float(row["high"]) for row in rows)
    assert (out / "checkpoints.png").read_bytes().startswith(b"\x89PNG")


def test_the_last_may_be_the_best(example, checkpoints, tmp_path, capsys):
    (checkpoints / "v2-step-2000").rename(checkpoints / "v2-step-20000")
    assert example.main([str(checkpoints), "--out", str(tmp_path), "--metrics", "pronoun"]) == 0
    assert "the last step, 20000, is the best" in capsys.readouterr().out


def test_a_folder_that_is_none(example, tmp_path, capsys):
    assert example.main([str(tmp_path / "none")]) == 1
    assert "no such folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "0 checkpoints; expected two or more"),
        (("step-1",), "1 checkpoints"),
        (("step-1", "last"), "last: no number in its name"),
        (("a-1", "b-1"), "are both step 1"),
    ],
)
def test_folders_that_are_no_checkpoints(example, tmp_path, capsys, names, message):
    for name in names:
        (tmp_path / name).mkdir()
    assert example.main([str(tmp_path)]) == 1
    assert message in capsys.readouterr().err


def test_an_output_that_lacks_a_line(example, checkpoints, capsys):
    path = checkpoints / "v2-step-1000" / "bell-county" / "1.txt"
    path.write_text(path.read_text("utf-8").split("\n", 1)[1], "utf-8")
    assert example.main([str(checkpoints)]) == 1
    assert "bell-county/1" in capsys.readouterr().err
