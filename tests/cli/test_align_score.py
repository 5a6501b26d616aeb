from __future__ import annotations

import argparse
import json

import pytest

from bwb.align.base import AlignmentError
from bwb.cli import align_score


def call(capsys, *arguments):
    parser = argparse.ArgumentParser()
    align_score.add_arguments(parser)
    code = align_score.run(parser.parse_args([str(argument) for argument in arguments]))
    return code, capsys.readouterr().out


@pytest.fixture
def files(tmp_path):
    rows = {
        "gold.jsonl": [
            {"id": "a", "src": ["x"] * 3, "tgt": ["y"] * 3, "gold": [[[0], [0]], [[1, 2], [1, 2]]]},
            {"id": "b", "src": ["x"], "tgt": [], "gold": [[[0], []]]},
        ],
        "pred.jsonl": [
            {"id": "b", "links": [[[0], []]], "scores": [0.1]},
            {"id": "a", "links": [[[0], [0]], [[1], [1]], [[2], [2]]]},
        ],
        "short.jsonl": [{"id": "a", "links": []}],
        "far.jsonl": [{"id": "a", "links": [[[3], [0]]]}, {"id": "b", "links": []}],
        "cross.jsonl": [
            {"id": "a", "links": [[[0], [1]], [[1], [0]]]},
            {"id": "b", "links": []},
        ],
    }
    for name, body in rows.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in body), "utf-8")
    (tmp_path / "gold.txt").write_text("[0]:[0]\n[1, 2]:[1, 2]\n[]:[3]\n", "utf-8")
    (tmp_path / "pred.txt").write_text("[0]:[0]:0.5\n[1]:[1]\n[2]:[2]\n[]:[3]\n", "utf-8")
    return tmp_path


def test_json_holds_total_types_and_documents(capsys, files):
    code, out = call(capsys, files / "gold.jsonl", files / "pred.jsonl", "--json")
    body = json.loads(out)
    assert code == 0
    assert body["total"]["strict"] == {
        "precision": 2 / 4,
        "recall": 1 / 2,
        "f1": 0.5,
        "hits_predicted": 2,
        "predicted": 4,
        "hits_gold": 1,
        "gold": 2,
    }
    assert body["total"]["lax"]["f1"] == 1
    assert list(body["documents"]) == ["a", "b"]
    assert body["documents"]["b"]["strict"]["recall"] is None
    assert body["types"]["1-0"]["strict"]["recall"] == 1
    assert body["types"]["2-2"]["lax"]["recall"] == 1


def test_files_of_links(capsys, files):
    _, out = call(capsys, files / "gold.txt", files / "pred.txt", "--json")
    strict = json.loads(out)["total"]["strict"]
    assert (strict["hits_predicted"], strict["predicted"]) == (2, 4)
    assert (strict["hits_gold"], strict["gold"]) == (1, 2)


def test_the_table_shows_all(capsys, files):
    code, out = call(capsys, files / "gold.jsonl", files / "pred.jsonl")
    assert code == 0
    assert "all documents" in out
    assert "2-2" in out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("short.jsonl", "missing from the predictions: b"),
        ("far.jsonl", r"far\.jsonl:1: link \[3\]:\[0\]: no such source sentence; expected 0 to 2"),
        ("cross.jsonl", r"cross\.jsonl:1: links .* cross"),
    ],
)
def test_what_is_refused(capsys, files, name, message):
    with pytest.raises(AlignmentError, match=message):
        call(capsys, files / "gold.jsonl", files / name, "--json")


def test_lenient_scores_links_that_cross(capsys, files):
    code, _ = call(capsys, files / "gold.jsonl", files / "cross.jsonl", "--lenient", "--json")
    assert code == 0
