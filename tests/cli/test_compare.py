from __future__ import annotations

import json

import pytest

from bwb.cli import COMMANDS, main

SYSTEMS = {"document-level", "sentence-level", "post-edited"}
FEW = ["--metrics", "entity", "--resamples", "300"]


@pytest.fixture(autouse=True)
def commands(monkeypatch):
    monkeypatch.setitem(COMMANDS, "correlate", ("bwb.cli.correlate", ""))


def run(capsys, *arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code
    return capsys.readouterr()


def run_json(capsys, *arguments):
    body = json.loads(run(capsys, *arguments, "--json").out)
    assert body["schema_version"] == "1"
    return body


def test_keys_of_json_are_stable(capsys):
    body = run_json(capsys, "compare", *FEW)
    assert body.keys() == {"schema_version", "comparisons", "systems", "omnibus"}
    assert body["comparisons"][0].keys() == {
        "metric", "baseline", "system", "baseline_score", "system_score", "difference", "interval",
        "p", "wins", "documents", "resamples", "seed", "of", "test", "document_difference",
        "p_holm", "significant", "better", "signature",
    }  # fmt: skip
    outcome = {"test", "statistic", "p", "used", "undefined", "exact"}
    assert body["comparisons"][0]["interval"].keys() == {"low", "high", "undefined"}
    assert body["comparisons"][0]["test"].keys() == outcome
    assert body["systems"][0].keys() == {
        "metric", "of", "system", "score", "interval", "undefined", "letters",
    }  # fmt: skip
    assert body["omnibus"][0].keys() == {"metric", "of", "systems", "kruskal_wallis", "friedman"}
    assert body["omnibus"][0]["friedman"].keys() == outcome


@pytest.mark.parametrize(
    ("test", "named"),
    [
        ("bootstrap", "paired-bootstrap"),
        ("permutation", "paired-permutation"),
        ("t", "paired-t"),
        ("wilcoxon", "wilcoxon"),
        ("kruskal", "kruskal-wallis"),
    ],
)
def test_every_test_is_named_in_the_signature_with_its_draws(capsys, test, named):
    arguments = [*FEW, "--test", test, "--pairs", "all", "--seed", "5"]
    body = run_json(capsys, "compare", *arguments)
    assert len(body["comparisons"]) == 3
    for row in body["comparisons"]:
        fields = row["signature"].split("|")
        assert {
            f"test:{named}",
            "compared:all",
            "correction:holm",
            "resamples:300",
            "seed:5",
        } <= set(fields)
        assert (row["resamples"], row["seed"], row["test"]["test"]) == (300, 5, test)
        assert row["p"] <= row["p_holm"] <= 1
    assert body == run_json(capsys, "compare", *arguments)


def test_all_pairs_get_letters_and_words(capsys):
    out = run(capsys, "compare", *FEW, "--pairs", "all", "--test", "permutation").out
    rows = [line.split() for line in out.splitlines()]
    letters = {row[1]: row[-1] for row in rows[3:6]}
    assert letters == {"post-edited": "a", "document-level": "b", "sentence-level": "c"}
    assert "all 3 systems together: Kruskal-Wallis H = " in out
    assert "post-edited is better than sentence-level (+29.0)" in out
    assert "Holm's correction over the 3 comparisons" in out


def test_against_a_baseline_in_words(capsys):
    out = run(capsys, "compare", *FEW, "--baseline", "sentence-level").out
    assert "against sentence-level: paired bootstrap, 8 documents, 300 resamples" in out
    assert (
        "entity: document-level is better than sentence-level (+18.3); "
        "post-edited is better than sentence-level (+29.0)." in out
    )
    assert "8 documents are few" in out
    err = run(capsys, "compare", *FEW, "--json").err
    assert "8 documents are few" in err
    assert "p too small; --test permutation" in err
    err = run(capsys, "compare", *FEW, "--json", "--test", "permutation").err
    assert "p too small" not in err


def test_no_difference_is_said_to_be_none(capsys):
    arguments = ["--metrics", "quotation", "--resamples", "300", "--test", "t"]
    out = run(capsys, "compare", *arguments).out
    assert "quotation: no difference is shown between post-edited and document-level, nor" in out
    assert not any(line.endswith("*") for line in out.splitlines())


def test_any_score_and_level(capsys):
    body = run_json(capsys, "compare", *FEW, "--of", "PER.recall", "--alpha", "0.2")
    scores = run_json(capsys, "score", "--metrics", "entity")["results"]
    wanted = {row["system"]: row["parts"]["PER"]["recall"] for row in scores}
    assert wanted.keys() == SYSTEMS
    assert {row["system"]: row["score"] for row in body["systems"]} == pytest.approx(wanted)
    assert "|of:PER.recall|" in body["comparisons"][0]["signature"]
    assert "80% interval" in run(capsys, "compare", *FEW, "--alpha", "0.2").out


def test_two_documents_are_too_few_to_show_anything_by_permutation(capsys, tmp_path):
    systems = []
    for name, word in (("good", "Lin Xi"), ("bad", "someone")):
        (tmp_path / name).mkdir()
        for number in (1, 2):
            (tmp_path / name / f"{number}.txt").write_text(f"{word} left.\nIt rained.\n")
        systems.append(f"{name}={tmp_path / name}")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in (1, 2):
        text = "<PER, T, 1>{Lin Xi} left.\nIt rained.\n"
        (corpus / f"{number}.ref_re.an.txt").write_text(text)
        (corpus / f"{number}.chs_re.an.txt").write_text("<PER, T, 1>{林溪}走了。\n下雨了。\n")
    arguments = ["--systems", *systems, "--data", corpus, "--metrics", "entity"]
    result = run(capsys, "compare", *arguments, "--test", "permutation")
    assert "p cannot be less than 0.5000" in result.out
    assert "no difference is shown between bad and good" in result.out


def test_undefined_scores_are_told(capsys):
    out = run(capsys, "compare", *FEW, "--of", "LOC.precision", "--test", "t").out
    assert "the test leaves out 3 of 8 document scores, which are undefined" in out
    assert "undefined)" in out
    out = run(capsys, "compare", *FEW, "--of", "GPE.precision").out
    assert "of 300 resamples, left out" in out
    out = run(capsys, "compare", "--metrics", "quotation", "--of", "exact_match").out
    assert "left out" not in out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--baseline", "x"], 1, "no system 'x'; there are document-level"),
        (["--baseline", "post-edited", "--pairs", "all"], 2, "--baseline goes with"),
        (["--of", "PERR.recall"], 1, "unknown score of entity 'PERR.recall'"),
        (["--alpha", "5"], 2, "between 0 and 1"),
        (["--resamples", "0"], 2, "0 resamples"),
        (["--seed", "-1"], 2, "seed -1"),
    ],
)
def test_what_makes_no_sense_is_refused(capsys, arguments, code, said):
    assert said in run(capsys, "compare", "--metrics", "entity", *arguments, code=code).err


def test_one_document_and_one_system_are_refused(capsys, tmp_path):
    for name in ("ref", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("She left.\n")
    one = ["compare", "--metrics", "pronoun", "--reference", tmp_path / "ref.txt"]
    one += ["--system", tmp_path / "a.txt"]
    assert "one system only" in run(capsys, *one, code=1).err
    both = [*one, "--system", tmp_path / "b.txt"]
    assert "there is only one; give several" in run(capsys, *both, code=1).err


def test_correlations_as_a_heat_map(capsys, tmp_path):
    path = tmp_path / "map.svg"
    arguments = ["correlate", "--metrics", "pronoun,entity", "--kind", "kendall", "--plot"]
    assert run(capsys, *arguments, str(path)).err.endswith(f"heat map in {path}\n")
    assert "documents of all systems" in path.read_text("utf-8")
    assert "a plot is .svg" in run(capsys, *arguments, str(tmp_path / "map.doc"), code=2).err


def test_correlations_between_metrics(capsys):
    body = run_json(capsys, "correlate", "--of", "pronoun,entity,entity.PER.recall")
    assert body.keys() == {"schema_version", "correlations", "williams", "signatures"}
    tables = {(row["level"], row["kind"]): row for row in body["correlations"]}
    assert len(tables) == 9
    pooled = tables["documents", "pearson"]
    assert pooled["names"] == ["pronoun", "entity", "entity.PER.recall"]
    assert pooled["points"][0][1] == 24
    assert pooled["r"][1][2] == pooled["r"][2][1] > 0.8
    assert pooled["p"][1][2] < 0.001
    within = tables["within", "kendall"]
    assert within["systems"].keys() == SYSTEMS
    parts = [part["r"][0][1] for part in within["systems"].values()]
    assert within["r"][0][1] == pytest.approx(sum(parts) / 3)
    assert tables["systems", "spearman"]["r"][0][1] == 1
    assert body["williams"] == []
    assert body["signatures"].keys() == {"pronoun", "entity"}


def test_correlations_with_a_table(capsys, tmp_path):
    table = tmp_path / "human.tsv"
    rows = [f"{name}\t{n}\n" for n, name in enumerate(sorted(SYSTEMS))]
    table.write_text("system\tadequacy\n" + "".join(rows))
    arguments = ["correlate", "--metrics", "entity,pronoun,quotation", "--table", table]
    result = run(capsys, *arguments, "--gold", "adequacy", "--kind", "pearson")
    assert "3 systems, 8 documents" in result.out
    assert "Williams' test: which correlates more highly with adequacy" in result.out
    assert "too few points" in result.err
    body = run_json(capsys, *arguments, "--gold", "pronoun", "--level", "documents")
    tests = {(row["one"], row["other"]): row for row in body["williams"]}
    found = tests["entity", "quotation"]
    assert found["points"] == 24
    assert found["p"] <= found["p_holm"]
    assert tests["entity", "adequacy"]["p"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--metrics", "entity"], 1, "one score only (entity)"),
        (["--of", "entity,bleuu"], 1, "unknown metric 'bleuu'"),
        (["--of", "entity,entity.X.f1"], 1, "unknown score of entity 'X.f1'"),
        (["--of", "entity,entity"], 2, "each once"),
        (["--of", "entity,pronoun", "--metrics", "entity"], 2, "leave --metrics out"),
        (["--gold", "human"], 1, "unknown column 'human'"),
        (["--table", "/nowhere.csv"], 1, "No such file"),
    ],
)
def test_correlations_that_make_no_sense_are_refused(capsys, arguments, code, said):
    assert said in run(capsys, "correlate", *arguments, code=code).err
