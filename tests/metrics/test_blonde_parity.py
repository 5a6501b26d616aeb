"""BlonDe against the numbers of the reference package, and against the paper's own."""

from __future__ import annotations

import argparse
import json
import math

import pytest

from bwb.analysis.base import Analyser
from bwb.analysis.english import English
from bwb.cli import blonde as command
from bwb.errors import InputError, LengthError, UsageError
from bwb.metrics.base import as_arrays, scalar
from bwb.metrics.blonde import Blonde
from bwb.metrics.blonde_compat import BLONDE
from bwb.metrics.blonde_score import all_ratios
from bwb.metrics.blonde_settings import DISCOURSE, Settings

TOLERANCE = 1e-9
# What the package's command line says on wrong or crashing calls, and what ours does.
CRASHES = {
    "sys/smooth_add-k": "TypeError",
    "sys/smooth_floor_value_0.5": "AttributeError",
    "sys/weight_normalize": "AttributeError",
    "sys/README_plus_call_with_plus_categories_no_ann_in_score": "KeyError",
    "sys/bootstrap_100": "ModuleNotFoundError",
}


@pytest.fixture(scope="module")
def analyser():
    return Analyser(English(), cache=False)


@pytest.fixture(scope="module")
def data(shared_data):
    folder = shared_data / "blonde"
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    texts = found["inputs"]["inputs"]
    found["texts"] = {name: [line.strip() for line in lines] for name, lines in texts.items()}
    return found


def near(score, expected):
    """All numbers of a result of the package, categories and means, within the tolerance."""
    pairs = [(score.R, expected["R"]), (score.P, expected["P"]), (score.F1, expected["F1"])]
    for title, values in expected["detail"].items():
        assert list(score.detail[title]) == list(values)
        pairs += [(score.detail[title][name], value) for name, value in values.items()]
    for got, wanted in pairs:
        if wanted == "nan":
            assert math.isnan(got)
        else:
            assert got == pytest.approx(wanted, abs=TOLERANCE, rel=0)


def scorer(run, texts, analyser):
    """The object that a run was made with."""
    given = {"references": [[texts["ref"]]], "annotation": [texts["an"]]}
    given["ner_refined"] = [texts["ner"]]
    init = {k: given[k] if v == "<see inputs>" else v for k, v in run["init"].items()}
    return BLONDE(analyser=analyser, **init)


def call(run, texts, analyser):
    """What a run computed, by our class."""
    name = run["name"].removeprefix("sys/")
    system, reference = texts["sys"], texts["ref"]
    first = scorer(run, texts, analyser)
    if name.startswith("doc"):
        part = slice(10 * int(name[-1]), 10 * int(name[-1]) + 10)
        return first.corpus_score([system[part]], [[reference[part]]])
    if name == "3docs":
        parts = [slice(0, 10), slice(10, 20), slice(20, 30)]
        return first.corpus_score([system[p] for p in parts], [[reference[p] for p in parts]])
    if name == "self":
        return first.corpus_score([system], [[system]])
    if name.startswith("two_refs_"):
        kinds = {"ref": reference, "sys2": texts["sys2"], "self": system}
        names = name.removeprefix("two_refs_").split("+")
        return first.corpus_score([system], [[kinds[kind]] for kind in names])
    if "references" in run["init"]:
        return first.corpus_score([system])
    noted = [texts["an"]] if "plus_categories" in run["init"] else None
    return first.corpus_score([system], [[reference]], annotation=noted)


@pytest.mark.filterwarnings("ignore:ner_refined has no effect")
def test_every_run_of_the_api_that_gives_numbers(data, analyser):
    runs = [run for run in data["api"]["runs"] if "result" in run]
    assert len(runs) >= 24
    for run in runs:
        score = call(run, data["texts"], analyser)
        near(score, run["result"])
        assert str(score) == run["printed"], run["name"]
        if "two_refs" not in run["name"]:  # where the package counts one reference only
            assert score.signature.startswith(run["signature"] + "|")


def test_what_crashes_there_works_here(data, analyser):
    runs = {run["name"]: run for run in data["api"]["runs"] if "result" not in run}
    assert {name: run["error"].split(":")[0] for name, run in runs.items()} == CRASHES
    texts = data["texts"]
    default = BLONDE(analyser=analyser).corpus_score([texts["sys"]], [[texts["ref"]]])
    for name in ("sys/weight_normalize", "sys/smooth_floor_value_0.5"):
        # No order is without a match, and weights that sum to 1 are the same weights.
        assert call(runs[name], texts, analyser) == default
    added = call(runs["sys/smooth_add-k"], texts, analyser)
    assert added.detail["recalls"]["1"] == default.detail["recalls"]["1"]
    # 11 of 673 n-grams of order 4 match; one more of each is added.
    assert added.detail["recalls"]["4"] == pytest.approx((11 + 1) / (673 + 1))
    kept = call(runs["sys/README_plus_call_with_plus_categories_no_ann_in_score"], texts, analyser)
    plus = next(r for r in data["api"]["runs"] if r["name"] == "sys/plus_cached")
    near(kept, plus["result"])
    parts = [slice(start, start + 5) for start in range(0, 30, 5)]
    drawn = BLONDE(analyser=analyser).corpus_score(
        [texts["sys"][p] for p in parts], [[texts["ref"][p] for p in parts]], n_bootstrap=100
    )
    assert drawn.interval.low < drawn.F1 < drawn.interval.high
    near(drawn, next(r for r in data["api"]["runs"] if r["name"] == "sys/default")["result"])


def test_one_object_does_not_break_the_next(data, analyser):
    texts = data["texts"]
    plus = BLONDE(plus_categories=("ambiguity", "ellipsis"), analyser=analyser)
    plus.corpus_score([texts["sys"]], [[texts["ref"]]], annotation=[texts["an"]])
    after = BLONDE(analyser=analyser).corpus_score([texts["sys"]], [[texts["ref"]]])
    near(after, next(r for r in data["api"]["runs"] if r["name"] == "sys/default")["result"])


def test_counts_of_every_sentence(data, analyser):
    for name, rows in data["spacy_counts"]["analysis"].items():
        side, _, case = name.partition("/lowercase=")
        for line, row in zip(data["texts"][side], rows, strict=True):
            text = line.lower() if case == "True" else line
            (found,) = analyser.analyse([text])
            assert list(found.tokens) == row["tok"]
            assert list(found.tags) == row["tag"]
            metric = Blonde(variant="blonde-0.1.4", analyser=analyser)
            metric._features.add([found])
            counted = metric._features.text([text])
            assert counted.ngrams == row["count"]["ngram_totals"]
            classes = counted.classes[0].tolist()
            for category in ("tense", "pronoun", "dm"):
                names = metric.settings.lists.classes[category]
                values = classes[metric._features.columns[category]]
                got = dict(zip(names, values, strict=True))
                wanted = row["count"][category]
                assert got == {name: wanted.get(name, 0) for name in names}
            entities = [{}, {}]
            for key, count in counted.entities.items():
                kind, words = metric._features.entities[key & 0xFFFFFFFF]
                entities[kind][words] = count
            assert entities == row["count"]["entity"]


def test_the_worked_example_of_the_paper_by_the_package(data, analyser):
    runs = data["qiao"]["runs"]
    assert len(runs) == 48
    names = {"weights", "lowercase", "average_method", "smooth_method", "effective_order"}
    for run in runs:
        assert set(run["opt"]) <= names
        texts = data["qiao"]["docs"][run["set"]]
        made = BLONDE(analyser=analyser, **run["opt"])
        near(made.corpus_score([texts[run["sys"]]], [[texts["REF"]]]), run["result"])


# Figure 3 and footnote 15 of the paper: counts of entity, tense, pronoun and discourse marker.
FIGURE_3 = {"matched": (1, 2, 4, 0), "system": (1, 7, 6, 0), "reference": (2, 7, 5, 2)}
PRINTED = {"precision": 0.11416, "f1": 0.076}


def dblonde(counts):
    order = ("entity", "tense", "pronoun", "dm")
    totals = {
        f"{category}.{side}": value
        for side, values in counts.items()
        for category, value in zip(order, values, strict=True)
    }
    pair = all_ratios(as_arrays(totals), Settings(categories=DISCOURSE))["BlonDe"]
    return scalar(pair.precision), scalar(pair.recall), scalar(pair.f1)


def test_the_worked_example_of_the_paper_from_its_counts():
    """The formulas of the paper on its counts; the footnote's own arithmetic is off."""
    precision, recall, f1 = dblonde(FIGURE_3)
    assert precision == pytest.approx((1 * 2 / 7 * 4 / 6) ** (1 / 3))
    assert recall == pytest.approx((1 / 2 * 2 / 7 * 4 / 5 * 0.0001 / 2) ** (1 / 4))
    assert (round(precision, 4), round(recall, 4), round(f1, 4)) == (0.5754, 0.0489, 0.0901)
    assert precision != pytest.approx(PRINTED["precision"], abs=0.01)
    assert f1 != pytest.approx(PRINTED["f1"], abs=0.01)
    # MT_B: 5 of the 6 pronouns are right, all else; the paper prints 97.7.
    _, _, f1 = dblonde({"matched": (2, 7, 5, 2), "system": (2, 7, 6, 2), "reference": (2, 7, 5, 2)})
    assert round(100 * f1, 1) == 97.7


CLI_ERRORS = {
    "sys/README_plus_ner_only": (UsageError, "-p counts ambiguity"),
}


def run_command(arguments, capsys):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    code = command.run(parser.parse_args(arguments))
    return code, capsys.readouterr()


@pytest.fixture
def files(data, tmp_path, monkeypatch, analyser):
    for name, lines in data["inputs"]["inputs"].items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.setattr("bwb.analysis.english.english", lambda: analyser)
    return tmp_path


def test_every_run_of_the_command_line(data, files, capsys):
    codes = {}
    for name, run in data["cli"]["runs"].items():
        arguments = [word.replace("example/", f"{files}/") for word in run["argv"][1:]]
        if name in CLI_ERRORS:
            error, said = CLI_ERRORS[name]
            with pytest.raises(error, match=said):
                run_command(arguments, capsys)
            continue
        code, printed = run_command(arguments, capsys)
        codes[name] = (run["rc"], code)
        if run["rc"] == 0:
            assert printed.out.rstrip("\n") == run["stdout"].rstrip("\n"), name
        else:
            assert printed.out.startswith("BLONDE = 0."), name
    assert (0, 0) in codes.values()
    assert (1, 0) in codes.values()


def test_the_command_line_says_what_it_leaves_out(files, capsys):
    base = ["-r", str(files / "ref.txt"), str(files / "sys.txt"), "-s", str(files / "sys.txt")]
    _, printed = run_command(base, capsys)
    assert "only the first reference is read" in printed.err
    _, printed = run_command([*base, "--variant", "paper", "--json"], capsys)
    assert (json.loads(printed.out)["F1"], printed.err) == (1, "")
    _, printed = run_command([*base, "--all-references", "-lc", ""], capsys)
    assert "R: 56.45%" in printed.out
    _, printed = run_command([*base, "-lc", "False"], capsys)
    assert "any text means lower case" in printed.err
    _, printed = run_command([*base, "-ner", str(files / "ner.txt")], capsys)
    assert "ner_refined has no effect" in printed.err


def test_listed_entities_count_in_the_papers_variant(data, analyser):
    texts = data["texts"]
    made = BLONDE(variant="paper", ner_refined=[texts["ner"]], analyser=analyser)
    score = made.corpus_score([texts["ref"]], [[texts["ref"]]])
    assert score.F1 == 1
    listed = made.corpus_score([texts["sys"]], [[texts["ref"]]])
    model = BLONDE(variant="paper", analyser=analyser).corpus_score(
        [texts["sys"]], [[texts["ref"]]]
    )
    assert listed.detail["recalls"]["entity"] != model.detail["recalls"]["entity"]
    assert listed.detail["recalls"]["tense"] == model.detail["recalls"]["tense"]


LINES = ["He left.", "She saw it."]


class TestBadInput:
    @pytest.mark.parametrize(
        ("system", "references", "error", "said"),
        [
            (LINES, [[LINES]], InputError, "the system is a list of strings .'He left.'"),
            ("He left.", [[LINES]], InputError, "the system is a str; expected a list of doc"),
            ([LINES], [LINES], InputError, "reference 1 is a list of strings"),
            ([LINES], LINES, InputError, "reference 1 is a str"),
            ([LINES], [], InputError, "there are no references"),
            ([LINES], None, InputError, "no references; give them here"),
            ([], [[LINES]], InputError, "the system is empty"),
            ([[]], [[[]]], InputError, "document 1 of reference 1 is empty|document 1 of the sys"),
            ([LINES, []], [[LINES, LINES]], InputError, "document 2 of the system is empty"),
            ([[*LINES, 7]], [[LINES]], InputError, "sentence 3 of document 1 .* is a int"),
            ([7], [[LINES]], InputError, "document 1 of the system is a int"),
            ([LINES[:1]], [[LINES]], LengthError, "reference 1 has 2 sentences, the system has 1"),
            ([LINES], [[LINES, LINES]], LengthError, "reference 1 has 2 documents"),
            ([LINES], [[LINES], [LINES[:1]]], LengthError, "reference 2 has 1 sentences"),
        ],
    )
    def test_is_told_apart_from_a_low_score(self, system, references, error, said, analyser):
        with pytest.raises(error, match=said):
            BLONDE(analyser=analyser).corpus_score(system, references)

    def test_annotation_that_does_not_fit(self, analyser):
        plus = BLONDE(plus_categories=["ellipsis"], analyser=analyser)
        with pytest.raises(InputError, match=r"BlonDe\+ needs annotation"):
            plus.corpus_score([LINES], [[LINES]])
        with pytest.raises(LengthError, match="annotation has 1 sentences, the reference has 2"):
            plus.corpus_score([LINES], [[LINES]], annotation=[["He left.\t0"]])
        with pytest.raises(InputError, match="annotation is a list of strings"):
            plus.corpus_score([LINES], [[LINES]], annotation=["He left.\t0", "x\t0"])

    def test_one_document_cannot_be_drawn_from(self, analyser):
        with pytest.raises(InputError, match="only one"):
            BLONDE(analyser=analyser).corpus_score([LINES], [[LINES]], n_bootstrap=10)

    def test_weights(self, analyser):
        with pytest.raises(UsageError, match="cannot be normalised"):
            BLONDE(weights={"entity": [0, 0]}, weight_normalize=True)

    def test_one_plus_category_alone(self, analyser):
        plus = BLONDE(plus_categories=["ellipsis"], analyser=analyser)
        noted = [["He left.\t3,He, x <pos/1,2>", "She saw it.\t0"]]
        score = plus.corpus_score([LINES], [[LINES]], annotation=noted)
        assert score.detail["recalls"]["ellipsis"] == 1
        assert "ambiguity" not in score.detail["recalls"]
        assert plus.get_signature().startswith("nrefs:1|case:mixed|eff:no|variant:blonde-0.1.4")
