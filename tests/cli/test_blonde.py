"""`bwb score --metrics blonde`: the call that stays stable."""

from __future__ import annotations

import json

import pytest

from bwb.analysis.base import Analyser
from bwb.analysis.english import English
from bwb.cli import main
from bwb.metrics.blonde_settings import CATEGORIES, PLUS

FILES = {
    "sys.txt": "Wen Xi left her lamp but he came back.\nSo they saw Old Shi.\n",
    "ref.txt": "Wen Xi left his lamp, but he came back.\nThen she saw Old Shi.\n",
    "ref2.txt": "Wen Xi left her lamp but he came back.\nSo they saw Old Shi.\n",
    "an.txt": "Wen Xi left her lamp but he came back.\t3,his, her <pos/13,15>\n"
    "So they saw Old Shi.\t1,Then, So <pos/1,2>\t2\n",
    "ner.txt": "PERSON: (Wen Xi: 1; )\tNONPERSON: ()\nPERSON: (Old Shi: 1; )\tNONPERSON: ()\n",
}


@pytest.fixture(scope="module")
def analyser():
    return Analyser(English(), cache=False)


@pytest.fixture
def files(tmp_path, monkeypatch, analyser):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bwb.analysis.english.english", lambda: analyser)
    return tmp_path


PLAIN = ["score", "--system", "sys.txt", "--reference", "ref.txt"]
BLONDE = [*PLAIN, "--metrics", "blonde"]


def score(capsys, *arguments):
    code = main([*BLONDE, *arguments, "--json"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    (row,) = json.loads(printed.out)["results"]
    return row


def error(capsys, *arguments, code=1):
    assert main(list(arguments)) == code
    return capsys.readouterr().err


def test_every_category_is_a_part(files, capsys):
    row = score(capsys)
    assert set(row["parts"]) >= {*CATEGORIES, *PLUS, "BlonDe", "dBlonDe", "sBlonDe", "BlonDe+"}
    tense = row["parts"]["tense"]
    assert (tense["precision"], tense["recall"], tense["f1"]) == (1, 1, 1)
    assert row["parts"]["ambiguity"]["f1"] is None
    assert row["parts"]["dm"]["counts"] == {"matched": 1, "system": 2, "reference": 2}
    assert row["f1"] == row["score"] == row["parts"]["BlonDe"]["f1"]
    assert "|variant:paper|plus:no|case:mixed|" in row["signature"]


def test_variant_and_case(files, capsys):
    paper = score(capsys, "--lowercase")
    package = score(capsys, "--lowercase", "--variant", "blonde-0.1.4")
    assert "|variant:blonde-0.1.4|plus:no|case:lc|" in package["signature"]
    assert package["parts"]["pronoun"]["counts"]["system"] == 2
    assert paper["parts"]["pronoun"]["counts"]["system"] == 3


def test_errors_make_it_plus(files, capsys):
    row = score(capsys, "--errors", "an.txt")
    assert row["parts"]["ellipsis"]["counts"] == {"matched": 0, "system": 0, "reference": 1}
    assert row["parts"]["ambiguity"]["recall"] == 0
    assert "|plus:yes@" in row["signature"]
    assert row["f1"] == row["parts"]["BlonDe+"]["f1"] != row["parts"]["BlonDe"]["f1"]


def test_listed_entities_count(files, capsys):
    row = score(capsys, "--entities", "ner.txt")
    assert row["parts"]["entity"]["counts"] == {"matched": 2, "system": 2, "reference": 2}
    (files / "ner.txt").write_text(
        "PERSON: (Wen Xi: 1; Bo: 1; )\tNONPERSON: (lamp: 1; )\nPERSON: ()\tNONPERSON: ()\n"
    )
    assert main([*BLONDE, "--entities", "ner.txt", "--json"]) == 0
    printed = capsys.readouterr()
    (row,) = json.loads(printed.out)["results"]
    assert row["parts"]["entity.NONPERSON"]["counts"]["matched"] == 1
    assert row["parts"]["entity"]["counts"]["reference"] == 2
    assert "'Bo' is not in line 1 of ref.txt" in printed.err


def test_the_nearest_of_several_references(files, capsys):
    row = score(capsys, "--reference", "ref2.txt")
    assert row["score"] == 1
    assert "|refs:2@" in row["signature"]


def test_tables_show_f1_of_categories(files, capsys):
    assert main([*BLONDE, "--errors", "an.txt"]) == 0
    out = capsys.readouterr().out
    assert "F1 BlonDe+" in out
    assert "F1 tense" in out
    assert "feminine" not in out.split("misses")[0]


def test_it_is_not_run_unless_asked_for(files, capsys):
    assert main([*PLAIN, "--json"]) == 0
    names = {row["metric"] for row in json.loads(capsys.readouterr().out)["results"]}
    assert "pronoun" in names
    assert "blonde" not in names


def test_other_metrics_read_the_first_reference(files, capsys):
    arguments = [*PLAIN, "--reference", "ref2.txt", "--metrics", "blonde,pronoun", "--json"]
    assert main(arguments) == 0
    assert "the other metrics read the first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([*PLAIN, "--variant", "paper"], 2, "--variant: only blonde has this"),
        ([*PLAIN, "--reference", "ref2.txt"], 2, "a second --reference: only blonde"),
        ([*BLONDE, "--variant", "blond"], 1, "unknown variant 'blond'"),
        ([*BLONDE, "--categories", "tense,dn"], 1, "unknown category 'dn'"),
        ([*BLONDE, "--plus"], 1, "no errors are marked"),
        ([*BLONDE, "--listed-entities"], 1, "named entities of the reference are not listed"),
        ([*BLONDE, "--workers", "0"], 2, "0 workers"),
        ([*BLONDE, "--errors", "short.txt"], 1, "short.txt has 1 lines, ref.txt has 2"),
        ([*BLONDE, "--entities", "short.txt"], 1, "short.txt has 1 lines, ref.txt has 2"),
        ([*BLONDE, "--reference", "short.txt"], 1, "short.txt has 1 lines, ref.txt has 2"),
        ([*BLONDE, "--reference", "empty.txt"], 1, "the file is empty"),
        ([*BLONDE, "--system", "short.txt"], 1, "1 sentences, expected 2"),
        (["score", "--errors", "an.txt"], 2, "need --system and --reference"),
    ],
)
def test_what_does_not_fit_is_refused(files, capsys, arguments, code, said):
    (files / "short.txt").write_text("one line\n")
    (files / "empty.txt").write_text("")
    assert said in error(capsys, *arguments, code=code)


def test_the_sample_and_a_comparison(monkeypatch, capsys, analyser):
    monkeypatch.setattr("bwb.analysis.english.english", lambda: analyser)
    assert main(["score", "--metrics", "blonde", "--json"]) == 0
    rows = {row["system"]: row for row in json.loads(capsys.readouterr().out)["results"]}
    assert rows["document-level"]["score"] > rows["sentence-level"]["score"]
    arguments = ["compare", "--metrics", "blonde", "--resamples", "200", "--json"]
    assert main([*arguments, "--baseline", "sentence-level"]) == 0
    compared = json.loads(capsys.readouterr().out)["comparisons"]
    row = next(row for row in compared if row["system"] == "document-level")
    assert row["difference"] == pytest.approx(
        rows["document-level"]["score"] - rows["sentence-level"]["score"]
    )
