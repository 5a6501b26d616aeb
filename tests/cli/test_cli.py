from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from bwb.assets import sample
from bwb.cli import COMMANDS, main


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys, *arguments, code=0):
    got, out, _ = run(capsys, *arguments, "--json")
    assert got == code
    body = json.loads(out)
    assert body["schema_version"] == "1"
    return body


@pytest.fixture
def files(tmp_path):
    texts = {
        "sys.txt": "He left.\nIt rained.\n",
        "ref.txt": "She left.\nIt rained.\n",
        "src.txt": "她走了。\n下雨了。\n",
        "ref.an.txt": "<PER, T, 1>{Lin Xi} left.\n<Q, 1>“Rain,”<\\Q> <P, 1>{she} said.\n",
        "src.an.txt": "<PER, T, 1>{林溪}走了。\n<Q, 1>“雨。”<\\Q><P, 1>{她}说。\n",
        "bad.an.txt": "ok\n<P,1>{he} <PER, T, 1>{x\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_without_a_command_it_lists_them(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert f"bwb {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["scoer"], ["score", "--nonsense"], ["convert", "a", "b"]])
def test_a_call_that_makes_no_sense_exits_with_2(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_validate_counts_and_passes_the_sample(capsys):
    body = run_json(capsys, "validate", sample())
    assert body["findings"] == []
    assert body["documents"] >= 8
    assert body["sentences"] == sum(side["sentences"] for side in body["sides"].values())
    code, out, _ = run(capsys, "validate", sample())
    assert code == 0
    assert "0 errors" in out


def test_validate_lists_every_problem_with_its_place(capsys, files):
    body = run_json(capsys, "validate", files / "bad.an.txt", code=1)
    places = [(f["line"], f["column"], f["code"], f["repair"]) for f in body["findings"]]
    assert places == [(2, 1, "header-spacing", None), (2, 11, "unclosed-mention", None)]
    lenient = run_json(capsys, "validate", files / "bad.an.txt", "--lenient")
    assert all(finding["repair"] for finding in lenient["findings"])
    assert (lenient["documents"], lenient["sentences"], lenient["mentions"]) == (1, 2, 1)
    code, out, _ = run(capsys, "validate", files / "bad.an.txt")
    assert code == 1
    assert "bad.an.txt:2:11" in out


def test_validate_of_nothing_is_an_error(capsys, tmp_path):
    code, out, err = run(capsys, "validate", tmp_path / "no")
    assert (code, out) == (1, "")
    assert "no such file or folder" in err


def test_score_on_the_sample_has_one_shape(capsys):
    body = run_json(capsys, "score", "--metrics", "entity,pronoun")
    assert [(r["system"], r["metric"]) for r in body["results"]] == [
        (system, metric)
        for metric in ("entity", "pronoun")
        for system in ("document-level", "post-edited", "sentence-level")
    ]
    keys = {"system", "metric", "unit", "score", "precision", "recall", "f1", "counts", "signature"}
    assert all(keys <= row.keys() for row in body["results"])
    assert body["results"][0]["misses"]


def test_score_of_plain_files_needs_no_corpus(capsys, files):
    plain = ["--system", files / "sys.txt", "--reference", files / "ref.txt"]
    body = run_json(capsys, "score", *plain, "--source", files / "src.txt", "--metrics", "pronoun")
    (row,) = body["results"]
    assert (row["system"], row["f1"], row["counts"]["all.matched"]) == ("sys", 0.5, 1)
    default = run_json(capsys, "score", *plain)
    assert [row["metric"] for row in default["results"]] == ["pronoun", "quotation"]
    code, _, err = run(capsys, "score", *plain, "--metrics", "entity")
    assert code == 1
    assert "layer entity" in err


def test_score_of_annotated_files_has_every_metric(capsys, files):
    body = run_json(
        capsys, "score", "--system", f"mine={files / 'sys.txt'}",
        "--reference", files / "ref.an.txt", "--source", files / "src.an.txt",
        "--metrics", "entity,terminology",
    )  # fmt: skip
    assert [(row["system"], row["recall"]) for row in body["results"]] == [("mine", 0)] * 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--system", "{}/sys.txt"], 2, "need --system and --reference"),
        (["--system", "{}/sys.txt", "--reference", "{}/ref.txt", "--data", "x"], 2, "do not go"),
        (["--metrics", "bleuu"], 1, "unknown metric 'bleuu'"),
        (["--metrics", "entity,entity"], 2, "each once"),
        (["--systems", "x=/nowhere"], 1, "no such file"),
        (["--data", "/nowhere"], 1, "no such file"),
    ],
)
def test_score_says_what_is_wrong_with_a_call(capsys, files, arguments, code, message):
    got, out, err = run(capsys, "score", *[a.format(files) for a in arguments])
    assert (got, out) == (code, "")
    assert message in err


def test_score_table_lists_what_is_missed(capsys):
    code, out, _ = run(capsys, "score", "--metrics", "entity", "--split", "test")
    assert code == 0
    assert "sentence-level misses:" in out
    assert "split:test" in out


def test_compare_finds_the_difference_that_was_planted(capsys):
    arguments = ["compare", "--metrics", "entity", "--baseline", "sentence-level"]
    body = run_json(capsys, *arguments, "--resamples", "500")
    rows = {row["system"]: row for row in body["comparisons"]}
    assert set(rows) == {"document-level", "post-edited"}
    assert all(row["difference"] > 0 and row["p"] < 0.05 for row in rows.values())
    assert "resamples:500" in rows["post-edited"]["signature"]
    code, _, err = run(capsys, "compare", "--baseline", "nobody")
    assert code == 1
    assert "no system 'nobody'" in err


def test_metrics_are_listed(capsys):
    body = run_json(capsys, "metrics")
    assert {"entity", "terminology", "pronoun", "zero_pronoun", "quotation"} <= {
        metric["name"] for metric in body["metrics"]
    }


def test_stats_as_table_json_and_csv(capsys):
    body = run_json(capsys, "stats")
    assert {"sizes", "entities", "pronouns", "quotes", "chains"} <= body["tables"].keys()
    assert {row["series"] for row in body["series"]} == {
        "antecedent_distance", "spread", "chain_size",
    }  # fmt: skip
    _, out, _ = run(capsys, "stats", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[0].keys() == {"table", "row", "column", "value"}
    _, out, _ = run(capsys, "stats")
    assert "omitted share %" in out


def test_agreement_of_the_two_annotators(capsys):
    body = run_json(capsys, "agreement", sample(), sample() / "second")
    assert len(body["documents"]) >= 2
    measures = {(row["lang"], row["measure"]): row["f1"] for row in body["agreement"]}
    assert 0.5 < measures["en", "coreference"] < 1
    code, out, _ = run(capsys, "agreement", sample(), sample() / "second")
    assert code == 0
    assert "coreference (CoNLL)" in out


@pytest.mark.parametrize("form", ["inline", "brat", "conllu", "conll2012", "docbin"])
def test_convert_says_what_is_lost_and_comes_back(capsys, tmp_path, form):
    first = run_json(capsys, "convert", sample(), tmp_path / "a.jsonl", "--to", "jsonl")
    assert first["lost"] == {}
    body = run_json(capsys, "convert", tmp_path / "a.jsonl", tmp_path / form, "--to", form)
    assert body["documents"] == first["documents"]
    assert body["lost"]["outputs of systems"] == 3 * body["documents"]
    again = run_json(capsys, "convert", tmp_path / form, tmp_path / "b.jsonl", "--to", "jsonl")
    assert again["documents"] == first["documents"]
    if form in {"inline", "brat", "conllu"}:
        rows = run_json(capsys, "agreement", tmp_path / "a.jsonl", tmp_path / form)["agreement"]
        assert all(row["f1"] == 1 for row in rows)
        report = run_json(capsys, "validate", tmp_path / form)
        assert (report["documents"], report["findings"]) == (body["documents"], [])


def test_convert_refuses_the_wrong_kind_of_target(capsys, tmp_path):
    code, _, err = run(capsys, "convert", sample(), tmp_path, "--to", "jsonl")
    assert code == 2
    assert "is a folder" in err


def test_import_writes_documents_and_reports_repairs(capsys, tmp_path, shared_data):
    out = tmp_path / "bwb.jsonl"
    arguments = [
        "import",
        shared_data / "bwb-release",
        "--annotations",
        shared_data / "bwb-annotated",
    ]
    code, _, err = run(capsys, *arguments, "--out", out)
    assert code == 0
    assert "missing-brace" in err
    assert run_json(capsys, "validate", out)["mentions"] == 32
    body = run_json(capsys, "score", "--data", out, "--metrics", "entity,terminology")
    names = {miss["name"] for row in body["results"] for miss in row["misses"]}
    assert {"Qiao Lian", "Chuan Forever", "Weibo"} <= names
    code, printed, _ = run(capsys, *arguments, "--quiet")
    assert printed == out.read_text("utf-8")


def test_import_can_go_on_without_a_chapter_that_is_broken(capsys, tmp_path):
    for chapter, english in (("0", "A.\n"), ("1", "A.\nB.\n")):
        (tmp_path / "book0").mkdir(exist_ok=True)
        (tmp_path / "book0" / f"{chapter}.chs_re.txt").write_text("甲。\n", "utf-8")
        (tmp_path / "book0" / f"{chapter}.ref_re.txt").write_text(english, "utf-8")
    out = tmp_path / "out.jsonl"
    code, _, err = run(capsys, "import", tmp_path, "--out", out)
    assert (code, out.exists()) == (1, False)
    assert "1.ref_re.txt has 2 lines" in err
    code, _, err = run(capsys, "import", tmp_path, "--out", out, "--keep-going")
    assert code == 3
    assert "left out: book0/1" in err
    assert run_json(capsys, "validate", out)["documents"] == 1


def test_output_to_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m bwb stats --csv | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("table,row")
    assert "Traceback" not in done.stderr


def test_importing_bwb_and_asking_for_help_load_nothing_heavy():
    heavy = [
        "numpy",
        "scipy",
        "pandas",
        "pyarrow",
        "datasets",
        "spacy",
        "pydantic",
        "huggingface_hub",
        "tqdm",
    ]
    for statement in ("import bwb", "from bwb.cli import main, _top; _top()"):
        code = f"{statement}\nimport sys\nprint(*[m for m in {heavy!r} if m in sys.modules])"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == []


def test_metrics_explains_one(capsys):
    assert main(["metrics", "zero_pronoun"]) == 0
    out = capsys.readouterr().out
    assert "found = min(supplied, O)" in out
    assert "Source: Jiang et al. 2023" in out
    assert main(["metrics", "blonde", "--json"]) == 0
    assert "variant" in json.loads(capsys.readouterr().out)["options"]
    assert main(["metrics", "blond"]) == 1
    assert "did you mean 'blonde'" in capsys.readouterr().err
