"""Choices of a metric on the command line, and the reference as one more system."""

from __future__ import annotations

import json

import pytest

from bwb.cli import main


def scored(capsys, *arguments):
    assert main(["score", "--json", *arguments]) == 0
    return {row["system"]: row for row in json.loads(capsys.readouterr().out)["results"]}


def test_a_choice_is_in_the_signature_and_in_the_score(capsys):
    usual = scored(capsys, "--metrics", "ltcr")
    other = scored(capsys, "--metrics", "ltcr", "--set", "ltcr.pairs=entity")
    for system, row in other.items():
        assert "pairs:entity" in row["signature"]
        assert row["score"] == pytest.approx(usual[system]["parts"]["chain"]["recall"])
    numbers = ["--set", "tbleu.epsilon=1", "--set", "tbleu.lowercase=true"]
    (row,) = {r["signature"] for r in scored(capsys, "--metrics", "tbleu", *numbers).values()}
    assert "|eps:1" in row
    assert "|case:lc" in row


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ltcr", "expected METRIC.CHOICE=VALUE"),
        ("ltcr.pairs", "expected METRIC.CHOICE=VALUE"),
        ("ter.case=true", "the metrics scored are ltcr, tbleu"),
        ("ltcr.x=1", "choices of ltcr are pairs, same, unaligned"),
        ("ltcr.pairs=word", "pairs is 'word'; expected form or entity"),
        ("tbleu.epsilon=small", "expected a number"),
        ("tbleu.lowercase=1", "expected true or false"),
    ],
)
def test_what_cannot_be_chosen_is_refused(capsys, given, said):
    assert main(["score", "--metrics", "ltcr,tbleu", "--set", given]) == 2
    assert said in capsys.readouterr().err


def test_the_reference_is_told_from_systems(capsys):
    rows = scored(capsys, "--metrics", "pronoun", "--with-reference")
    assert rows["reference"]["score"] == 1
    assert "discrimination" not in rows["reference"]
    found = rows["sentence-level"]["discrimination"]
    assert (found["reference_higher"], found["ties"], found["documents"]) == (1, 0, 8)
    assert main(["score", "--metrics", "pronoun", "--with-reference"]) == 0
    printed = capsys.readouterr().out
    assert "pronoun: the reference scores higher than document-level in 100.0% of 8 docu" in printed


def test_a_system_cannot_be_called_as_the_reference(capsys, tmp_path):
    (tmp_path / "r.txt").write_text("He left.\n")
    files = ["--system", f"reference={tmp_path / 'r.txt'}", "--reference", str(tmp_path / "r.txt")]
    assert main(["score", "--metrics", "pronoun", "--with-reference", *files]) == 2
    assert "called 'reference'" in capsys.readouterr().err
