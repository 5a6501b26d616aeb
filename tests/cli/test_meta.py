"""`bwb meta`, end to end."""

from __future__ import annotations

import argparse
import json

import pytest

from bwb.cli import main, neural_options
from bwb.errors import UsageError

# Metrics of three systems by document; ter is better when lower.
METRICS = """system,document,bleu,ter
a,1,0.10,0.9
a,2,0.20,0.7
a,3,0.15,0.8
b,1,0.30,0.6
b,2,0.25,0.7
b,3,0.35,0.5
c,1,0.50,0.2
c,2,0.40,0.4
c,3,0.45,
"""
HUMAN = """{"system": "a", "document": "1", "metric": "fluency", "score": 1}
{"system": "a", "document": "2", "metric": "fluency", "score": 3}
{"system": "a", "document": "3", "metric": "fluency", "score": 2}
{"system": "b", "document": "1", "metric": "fluency", "score": 3}
{"system": "b", "document": "2", "metric": "fluency", "score": 3}
{"system": "b", "document": "3", "metric": "fluency", "score": 4}
{"system": "c", "document": "1", "metric": "fluency", "score": 5}
{"system": "c", "document": "2", "metric": "fluency", "score": 4}
{"system": "c", "document": "3", "metric": "fluency", "score": 5}
"""


@pytest.fixture
def files(tmp_path):
    for name, text in (("m.csv", METRICS), ("h.jsonl", HUMAN)):
        (tmp_path / name).write_text(text)
    return [str(tmp_path / "m.csv"), str(tmp_path / "h.jsonl")]


def body(capsys, *arguments):
    assert main(["meta", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json(files, capsys):
    found = body(capsys, *files, "--calibrate", "--perm-both", "accuracy", "--resamples", "20")
    assert (found["systems"], found["documents"]) == (["a", "b", "c"], ["1", "2", "3"])
    assert found["scores"][0]["form"] == "wide"
    assert found["human"]["form"] == "long"
    assert found["columns"]["ter"] == {
        "direction": "lower",
        "sign": -1,
        "system_score": "mean of documents",
    }
    rows = {(row["metric"], row["level"], row["grouping"]): row for row in found["results"]}
    assert len(rows) == 8
    ter = rows["ter", "document", "none"]
    assert ter["pearson"]["r"] > 0.8
    assert (ter["points"], ter["accuracy"]["pairs"]) == (8, 28)
    assert ter["calibrated"]["value"] >= ter["accuracy"]["value"]
    system = rows["bleu", "system", "none"]
    assert (system["kendall"]["r"], system["kendall"]["exact"]) == (pytest.approx(1), True)
    assert system["kendall"]["p"] == pytest.approx(2 / 6)
    assert {row["test"] for row in found["comparisons"]} == {"williams", "perm-both"}
    assert len(found["matrices"]) == 6


def test_table_and_plot(files, capsys, tmp_path):
    plot = tmp_path / "map.svg"
    assert main(["meta", *files, "--plot", str(plot), "--resamples", "20"]) == 0
    printed = capsys.readouterr()
    assert "sign turned: ter" in printed.out
    assert "agreement with fluency: documents, grouped by item" in printed.out
    assert "m.csv: wide form, 3 systems, 3 documents; scores: bleu, ter" in printed.err
    assert "fluency" in plot.read_text()


def test_undefined_is_null_with_a_reason(tmp_path, capsys):
    (tmp_path / "m.csv").write_text("system,x\na,1\nb,1\nc,1\n")
    (tmp_path / "h.csv").write_text("system,y\na,1\nb,2\nc,3\n")
    files = [str(tmp_path / "m.csv"), str(tmp_path / "h.csv")]
    (row,) = body(capsys, *files)["results"]
    assert row["spearman"] == {
        "r": None,
        "p": None,
        "p_holm": None,
        "p_theory": None,
        "exact": False,
        "reason": "the metric's scores are all the same",
    }
    assert row["accuracy"]["metric_ties"] == 3
    assert main(["meta", *files, "--plot", str(tmp_path / "m.pdf")]) == 0
    assert "the metric's scores are all the same" in capsys.readouterr().out


def test_choices_and_ids(files, capsys, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("system,document,extra\na,1,1\nb,1,2\nd,9,3\n")
    assert main(["meta", files[0], str(more), files[1]]) == 1
    assert "without human scores (1): 'd'" in capsys.readouterr().err
    found = body(capsys, files[0], str(more), files[1], "--common", "--metrics", "extra,bleu")
    assert found["left_out"]["documents without human scores"] == ["9"]
    assert list(found["columns"]) == ["extra", "bleu", "fluency"]
    found = body(capsys, *files, "--lower", "fluency", "--higher", "ter", "--level", "system")
    assert {row["level"] for row in found["results"]} == {"system"}
    assert found["columns"]["fluency"]["sign"] == -1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--metrics", "blue"], 1, "unknown score 'blue'"),
        (["--human-scores", "x"], 1, "unknown score 'x'"),
        (["--lower", ","], 2, "expected names"),
        (["--perm-both", "tau"], 1, "unknown coefficient 'tau'"),
        (["--resamples", "-1"], 2, "-1 resamples"),
        (["--plot", "map.gif"], 2, "not '.gif'"),
    ],
)
def test_bad_calls(files, capsys, arguments, code, message):
    assert main(["meta", *files, *arguments]) == code
    assert message in capsys.readouterr().err


def test_a_level_that_is_not_there(tmp_path, capsys):
    for name in ("m", "h"):
        (tmp_path / f"{name}.csv").write_text(f"system,{name}\na,1\nb,2\nc,3\n")
    files = [str(tmp_path / "m.csv"), str(tmp_path / "h.csv")]
    assert main(["meta", *files, "--level", "document"]) == 1
    assert "no scores of documents on both sides" in capsys.readouterr().err


def test_what_bwb_score_prints_is_read(tmp_path, capsys):
    texts = {"reference": "a b c d e", "x": "a b c d e", "y": "a b c d x", "z": "x y z"}
    call = ["score", "--metrics", "bleu,ter", "--json"]
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(f"{text}\n")
        call += ["--reference", str(path)] if name == "reference" else ["--system", str(path)]
    assert main(call) == 0
    (tmp_path / "scores.json").write_text(capsys.readouterr().out)
    names = {row["system"] for row in json.loads((tmp_path / "scores.json").read_text())["results"]}
    rows = "".join(f"{name},{place}\n" for place, name in enumerate(sorted(names, reverse=True)))
    (tmp_path / "h.csv").write_text(f"system,adequacy\n{rows}")
    found = body(capsys, str(tmp_path / "scores.json"), str(tmp_path / "h.csv"))
    assert found["scores"][0]["form"] == "report"
    for row in found["results"]:
        assert (row["points"], row["kendall"]["r"] > 0.8) == (3, True)


def options(*arguments):
    parser = argparse.ArgumentParser()
    neural_options.add_arguments(parser)
    return parser.parse_args(arguments)


def test_options_of_neural_metrics():
    args = options("--model", "comet=m", "--context", "2", "--batch", "4", "--no-synonyms")
    assert neural_options.choices(args, ["comet", "meteor"]) == {
        "comet": {"context": 2, "batch": 4, "model": "m"},
        "bertscore": {"batch": 4},
        "meteor": {"synonyms": False},
    }
    assert neural_options.choices(options(), ["bleu"]) == {}
    for arguments, message in (
        (("--layer", "2"), "--layer is for bertscore"),
        (("--model", "bertscore=x"), "add --metrics bertscore"),
        (("--model", "x"), "expected METRIC=MODEL"),
    ):
        with pytest.raises(UsageError, match=message):
            neural_options.choices(options(*arguments), ["bleu"])
