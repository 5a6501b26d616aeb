from __future__ import annotations

import json

import pytest

from bwb.cli import main


@pytest.fixture
def folder(tmp_path, capsys):
    few = ["--sentences", "9", "--documents", "4"]
    assert main(["human", "plan", "--out", str(tmp_path / "s"), *few]) == 0
    assert "plan p" in capsys.readouterr().out
    return tmp_path / "s"


def test_from_a_plan_to_results(folder, tmp_path, capsys):
    names = sorted(path.name for path in (folder / "forms").iterdir())
    assert names == [f"r0{n}.html" for n in range(1, 9)]
    ratings = tmp_path / "back"
    simulate = [
        "human",
        "simulate",
        str(folder),
        "--runs",
        "1",
        "--noise",
        "0.2",
        "--spammers",
        "1",
    ]
    assert main([*simulate, "--write", str(ratings), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"]["caught"] == 1
    files = [str(path) for path in sorted(ratings.iterdir())]
    scores = tmp_path / "human.csv"
    read = ["human", "read", str(folder), *files, "--resamples", "50", "--scores", str(scores)]
    assert main([*read, "--json"]) == 0
    out, err = capsys.readouterr()
    assert "r08 dropped: failed" in err
    body = json.loads(out)
    assert body["design"] == "ranking"
    first = {(c["criterion"], c["unit"]): c["standings"][0]["system"] for c in body["cells"]}
    assert set(first.values()) == {"document-level"}
    assert len(first) == 4
    assert scores.read_text("utf-8").startswith("system,document,metric,score\ndocument-level,")
    assert main([*read[:-2], "--max-failed", "1"]) == 0
    out, err = capsys.readouterr()
    assert "the orders do not differ" in out
    assert "dropped:" not in err
    assert main([*read[:4]]) == 0
    assert "nothing from r02" in capsys.readouterr().err


def test_a_plan_is_not_overwritten_by_another(folder, capsys):
    few = ["--sentences", "9", "--documents", "4", "--out", str(folder)]
    assert main(["human", "plan", *few, "--export", "pearmut", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folder"] == str(folder)
    assert (folder / "pearmut.json").exists()
    assert main(["human", "plan", *few, "--seed", "1"]) == 1
    assert "holds another plan" in capsys.readouterr().err


def test_other_words_for_raters(tmp_path, capsys):
    words = tmp_path / "words.toml"
    words.write_text("[spam]\nshare = 2\n", "utf-8")
    plan = ["human", "plan", "--out", str(tmp_path / "s"), "--instructions", str(words)]
    assert main(plan) == 1
    assert "words.toml" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["plan", "--units", "word", "--out", "x"], 1),
        (["plan", "--raters", "2", "--out", "x"], 2),
        (["read", "nowhere", "x.csv"], 1),
        (["read", "nowhere", "x.csv", "--max-failed", "3"], 2),
        (["simulate", "nowhere"], 1),
    ],
)
def test_calls_that_fail(arguments, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["human", *arguments]) == code
    assert capsys.readouterr().err.startswith("bwb: error: ")
    assert not (tmp_path / "x").exists()
