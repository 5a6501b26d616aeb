"""The tables of the paper on the sample, against counts made another way."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter

import pytest

from bwb.annotations.sources import read_documents
from bwb.assets import sample
from bwb.cli import COMMANDS, main
from bwb.metrics.systems import embedded_outputs
from bwb.records import ERROR_CODES
from bwb.report.paper import ITEMS, Context, make_metric, paper_tables
from bwb.report.paper_table import Estimate, PaperTable
from bwb.report.paper_values import PaperValues, paper_values

# Without what reads the outputs of systems.
QUICK = ["--table", "1", "--table", "3", "--table", "4", "--table", "5", "--table", "6",
         "--table", "9", "--figure", "2", "--figure", "3", "--part", "quotes",
         "--part", "alignment", "--part", "human"]  # fmt: skip
TINY = {
    "1.zh.an.txt": "<PER, T, 1>{闻溪}来了。\n<P, 1>{她}笑了。\n<PER, T, 1>{闻溪}走了。\n",
    "1.en.an.txt": "<PER, T, 1>{Wen Xi} came.\n<P, 1>{She} laughed.\n<PER, T, 1>{Wen Xi} left.\n",
    "2.zh.an.txt": "<PER, T, 2>{老石}睡了。\n醒了。\n又睡了。\n",
    "2.en.an.txt": "<PER, T, 2>{Old Shi} slept.\n<O, 2>{He} woke.\n<O, 2>{He} slept.\n",
}


@pytest.fixture(autouse=True)
def _listed(monkeypatch):
    monkeypatch.setitem(COMMANDS, "paper", ("bwb.cli.paper", "the tables of the BWB paper"))


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def tables(capsys, *arguments):
    code, out, _ = run(capsys, "paper", *arguments, "--json")
    assert code == 0
    body = json.loads(out)
    return body, {table["id"]: table for table in body["tables"]}


@pytest.fixture
def tiny(tmp_path):
    (tmp_path / "corpus" / "b").mkdir(parents=True)
    for name, text in TINY.items():
        (tmp_path / "corpus" / "b" / name).write_text(text, "utf-8")
    for system in ("up", "down"):
        (tmp_path / system / "b").mkdir(parents=True)
        for chapter in ("1", "2"):
            plain = re.sub(r"<[^>]*>|[{}]", "", TINY[f"{chapter}.en.an.txt"])
            lines = plain if system == "up" else "It came.\nIt laughed.\nIt left.\n"
            (tmp_path / system / "b" / f"{chapter}.txt").write_text(lines, "utf-8")
    return tmp_path


def raw(pattern):
    """The text of the sample's annotated files of one side."""
    files = [f for f in sorted(sample().glob(f"*/{pattern}")) if f.parent.name != "second"]
    return "\n".join(file.read_text("utf-8") for file in files)


class TestCounts:
    def test_tables_of_the_corpus_against_the_files_themselves(self, capsys):
        body, found = tables(capsys, *QUICK)
        assert (body["corpus"], body["documents"], body["paper_corpus"]) == (
            "bwb-sample",
            8,
            "none",
        )
        assert list(found) == [item for item in ITEMS if item in found]
        for lang in ("zh", "en"):
            text = raw(f"*.{lang}.an.txt")
            kinds = Counter(re.findall(r"<(PER|FAC|GPE|LOC|VEH|ORG), ", text))
            rows = {r["kind"]: r for r in found["table-4"]["rows"] if r["lang"] == lang}
            assert {kind: rows[kind]["mentions"] for kind in kinds} == kinds
            assert rows["all"]["mentions"] == kinds.total()
            assert rows["TERM"]["mentions"] == len(re.findall(r"<[A-Z]{3}, T, ", text))
            omitted, overt = (len(re.findall(rf"<{tag}, ", text)) for tag in "OP")
            (all_,) = (
                r for r in found["table-5"]["rows"] if (r["lang"], r["class"]) == (lang, "all")
            )
            assert (all_["omitted"], all_["pronouns"]) == (omitted, omitted + overt)
            assert all_["omitted_share"] == omitted / (omitted + overt)
            (quotes,) = (r for r in found["quotes"]["rows"] if r["lang"] == lang)
            assert quotes["quotes"] == len(re.findall(r"<Q, [^>+]*>", text))
            (size,) = (
                r for r in found["table-1"]["rows"] if (r["split"], r["lang"]) == ("all", lang)
            )
            assert size["sentences"] == len(text.replace("\n\n", "\n").strip().split("\n"))
        assert sum(row["documents"] for row in found["figure-2"]["rows"]) == 8
        (row,) = (
            r
            for r in found["table-3"]["rows"]
            if (r["lang"], r["layer"]) == ("en", "coreference (CoNLL)")
        )
        assert 0.9 < row["F1"] < 1
        sizes = [r for r in found["figure-3-series"]["rows"] if r["series"] == "chain_size"]
        total = sum(r["value"] * r["count"] for r in sizes if r["lang"] == "en")
        assert total == len(re.findall(r"<(?:[A-Z]{3}|O|P), ", raw("*.en.an.txt")))

    def test_error_types_are_counted_by_sentence_and_may_be_several(self, capsys):
        _, found = tables(capsys, "--table", "6")
        marked = {row["system"] for row in found["table-6"]["rows"]}
        assert marked == {"document-level", "sentence-level"}
        lines = [
            line
            for file in sorted((sample() / "systems" / "sentence-level").rglob("*.an.txt"))
            for line in file.read_text("utf-8").rstrip("\n").split("\n")
        ]
        codes = [{field[0] for field in line.split("\t")[1:]} for line in lines]
        expected = Counter(code for found in codes for code in found)
        rows = {r["code"]: r for r in found["table-6"]["rows"] if r["system"] == "sentence-level"}
        assert {code: rows[code]["sentences"] for code in map(str, ERROR_CODES)} == {
            str(code): expected[str(code)] for code in ERROR_CODES
        }
        assert rows["0"]["sentences"] == expected["0"]
        assert rows["0"]["share"] == expected["0"] / len(lines)
        assert rows["1-7"]["sentences"] + rows["0"]["sentences"] == len(lines)

    def test_what_cannot_be_computed_says_why(self, capsys):
        _, found = tables(capsys, *QUICK)
        for name, word in (("appendix-d", "--audit"), ("human", "ratings")):
            assert found[name]["rows"] == []
            assert word in found[name]["missing"][0]["why"]
        _, out, _ = run(capsys, "paper", "--part", "human")
        assert "not computed: all: needs ratings" in out

    def test_every_contradiction_of_the_paper_is_a_footnote(self, capsys):
        _, found = tables(capsys, "--table", "4", "--table", "5")
        assert "4,210" in found["table-4"]["notes"][0]
        assert "64.9%" in found["table-5"]["notes"][0]
        assert found["table-5"]["paper"] == []


class TestSystems:
    def test_table_7_is_what_the_metrics_say(self, capsys):
        import sacrebleu

        body, found = tables(
            capsys, "--split", "validation", "--table", "7", "--figure", "5", "--figure", "6",
            "--figure", "7", "--over", "bleu", "--edges", "0,.6,1", "--resamples", "300",
        )  # fmt: skip
        documents = [d for d in read_documents() if d.split == "validation"]
        outputs = embedded_outputs(documents)
        rows = {row["system"]: row for row in found["table-7"]["rows"]}
        assert list(rows) == body["systems"] == list(outputs)
        reference = [[line for d in documents for line in d.en.sentences]]
        for system, row in rows.items():
            lines = [line for d in documents for line in outputs[system][d.id]]
            direct = sacrebleu.corpus_bleu(lines, reference).score / 100
            assert row["BLEU"]["value"] == pytest.approx(direct)
            assert row["BLEU"]["low"] <= direct <= row["BLEU"]["high"]
            phrases = _phrases(documents)
            there = sum(
                len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", found, re.IGNORECASE)) > 0
                for document, line, text in phrases
                for found in [outputs[system][document][line]]
            )
            # Found as it is; by lemmas it can only be more.
            assert row["ambiguity EM"]["value"] >= there / len(phrases)
            assert row["METEOR"] is None
        assert rows["post-edited"]["ambiguity EM"]["value"] > 0.5
        assert rows["sentence-level"]["ambiguity EM"]["value"] == 0
        missing = {m["what"] for m in found["table-7"]["missing"]}
        assert missing == {"METEOR", "BERTScore", "COMET"}
        assert {r["class"] for r in found["figure-5"]["rows"]} == {"T", "N"}
        assert {r["class"] for r in found["figure-6"]["rows"]} == {"PER", "NONPER"}
        bins = {(r["low"], r["high"], r["documents"]) for r in found["figure-7"]["rows"]}
        assert bins == {(0, 0.6, 1), (0.6, 1, 1)}
        assert found["figure-7"]["rows"][0]["score"]["low"] is None

    def test_table_8_has_the_reference_beside_the_systems(self, capsys, tiny):
        arguments = ["--systems", tiny / "up", tiny / "down", "--resamples", "50"]
        _, found = tables(capsys, tiny / "corpus", *arguments, "--table", "8")
        rows = {row["system"]: row for row in found["table-8"]["rows"]}
        assert list(rows) == ["up", "down", "(reference)"]
        # "up" is the reference, word for word.
        scores = [
            name for name in found["table-8"]["columns"] if name not in {"system", "coherence_rank"}
        ]
        assert {name: rows["up"][name] for name in scores} == {
            name: rows["(reference)"][name] for name in scores
        }
        assert (rows["up"]["coverage"], rows["down"]["coverage"]) == (1, 0)
        assert rows["down"]["B3"]["value"] == 0
        assert rows["up"]["coherence_rank"] == 1
        assert rows["(reference)"]["coherence_rank"] is None

    def test_a_corpus_without_systems_still_has_its_other_tables(self, capsys, tiny):
        body, found = tables(capsys, tiny / "corpus", *QUICK, "--table", "7", "--figure", "7")
        assert body["systems"] == []
        assert found["table-1"]["rows"][-1]["sentences"] == 6
        assert "name some with --systems" in found["table-7"]["missing"][-1]["why"]
        assert "no errors are marked" in found["table-6"]["missing"][0]["why"]
        assert found["figure-7"]["rows"] == []
        assert "--second" in found["table-3"]["missing"][0]["why"]

    def test_systems_are_turned_into_columns_where_intervals_are_wide(self, capsys):
        code, out, err = run(capsys, "paper", "--split", "validation", "--table", "7",
                             "--resamples", "100")  # fmt: skip
        assert code == 0
        assert re.search(r"BLEU %\s+\d+\.\d \[\d+\.\d, \d+\.\d\]", out)
        assert "not computed: COMET" in out
        assert "2 documents are few" in err

    def test_an_audit_sheet_gives_appendix_d(self, capsys, tiny):
        jsonl, sheet = tiny / "c.jsonl", tiny / "sheet.csv"
        run(capsys, "convert", tiny / "corpus", jsonl, "--to", "jsonl")
        run(capsys, "align-audit", "draw", jsonl, "--documents", "2", "--out", sheet)
        _mark_all_but_the_first(sheet)
        _, found = tables(capsys, jsonl, "--part", "alignment", "--audit", sheet)
        (row,) = found["appendix-d"]["rows"]
        assert (row["documents"], row["links"], row["right"]) == (2, 6, 5)
        assert row["accuracy"]["value"] == 5 / 6
        assert row["accuracy"]["low"] <= 5 / 6 <= row["accuracy"]["high"]

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["--over", "gleu"], 1, "unknown metric 'gleu'"),
            (["--edges", "a,b"], 2, "expected numbers"),
            (["--figure", "7", "--over", "bleu", "--edges", "1,0"], 2, "that ascend"),
            (["--resamples", "0"], 2, "expected 1 or more"),
            (["/nowhere"], 1, "no such file"),
            (["--systems", "x=/nowhere"], 1, "no such file"),
        ],
    )
    def test_a_call_that_makes_no_sense(self, capsys, arguments, code, message):
        got, out, err = run(capsys, "paper", *arguments)
        assert (got, out) == (code, "")
        assert message in err


class TestPaperValues:
    def test_the_file_speaks_of_items_and_columns_that_exist(self):
        values = paper_values()
        named = {v.table for v in values.printed} | {t for n in values.footnote for t in n.tables}
        assert named <= set(ITEMS)
        context = Context(list(read_documents()), {})
        made = {table.id: table for table in paper_tables(context, ["table-4", "table-5"])}
        for value in values.printed:
            assert value.column is None or value.column in made[value.table].columns
            assert (value.row is None) == (value.column is None)
            if value.row is not None:
                rows = made[value.table].rows
                assert any(value.row.items() <= row.items() for row in rows)

    def test_a_corpus_is_the_papers_by_its_books(self):
        documents = list(read_documents())
        values = PaperValues.model_validate(
            {
                "corpus": {"books": sorted({d.book for d in documents}), "documents": 8},
                "printed": [],
                "footnote": [],
            }
        )
        assert values.share(documents) == "whole"
        assert values.share(documents[:2]) == "part"
        assert paper_values().share(documents) == "none"
        assert paper_values().share([]) == "none"

    def test_the_real_release_chapter(self, capsys, tmp_path, shared_data):
        out = tmp_path / "release.jsonl"
        run(capsys, "import", shared_data / "bwb-release", "--annotations",
            shared_data / "bwb-annotated", "--out", out)  # fmt: skip
        body, found = tables(capsys, out, "--table", "5", "--table", "6", "--table", "7")
        assert (body["paper_corpus"], body["systems"]) == ("part", ["mt"])
        (printed,) = found["table-5"]["paper"]
        assert (printed["printed"], printed["ours"]) == (0.649, pytest.approx(4 / 12))
        assert "1 of the paper's 80 documents" in found["table-5"]["notes"][0]
        (row,) = found["table-7"]["rows"]
        for name in ("BLEU", "TER", "BlonDe", "ambiguity EM", "entity F1", "tense EM"):
            assert (row[name]["low"], row[name]["high"]) == (None, None)
            assert row[name]["value"] is not None
        codes = {r["code"]: r["sentences"] for r in found["table-6"]["rows"]}
        assert (codes["6"], codes["0"]) == (15, 2)
        _, text, err = run(capsys, "paper", out, "--table", "5")
        assert "the paper prints 64.9 (share of omitted pronouns); here 33.3" in text
        assert "one document: there are no intervals" in err


def test_an_item_that_the_paper_does_not_have_is_refused():
    from bwb.errors import UnknownNameError

    with pytest.raises(UnknownNameError, match="table-77"):
        list(paper_tables(Context(list(read_documents()), {}), ["table-77"]))
    with pytest.raises(UnknownNameError, match="unknown metric"):
        make_metric("gleu")


def test_a_table_as_text_and_as_json():
    made = PaperTable(
        "table-1", "T", ("name", "share", "n"),
        ({"name": "a", "share": Estimate(0.5, 0.25, 1), "n": 1_000},
         {"name": "b", "share": Estimate(None), "n": None}),
        {"share": "percent"}, ("A note.",), {"c": "why"},
    )  # fmt: skip
    title, header, _, first, second, *rest = made.to_text().split("\n")
    assert (title, header.split()) == ("Table 1. T", ["name", "share", "%", "n"])
    assert first.split() == ["a", "50.0", "[25.0,", "100.0]", "1,000"]
    assert second.split() == ["b", "–", "–"]
    assert rest == ["  not computed: c: why", "  * A note."]
    body = made.to_json()
    assert body["rows"][0] == {
        "name": "a",
        "share": {"value": 0.5, "low": 0.25, "high": 1},
        "n": 1000,
    }
    assert body["missing"] == [{"what": "c", "why": "why"}]


class TestScoreIntervals:
    def test_intervals_are_in_the_table_and_in_json(self, capsys):
        from bwb.metrics.entity import Entity
        from bwb.metrics.scoring import score_systems
        from bwb.metrics.stats import score_intervals

        arguments = ["score", "--metrics", "entity", "--intervals", "--resamples", "400"]
        code, out, err = run(capsys, *arguments, "--json")
        assert code == 0
        assert "8 documents are few" in err
        documents = list(read_documents())
        (row,) = score_systems(documents, embedded_outputs(documents), [Entity()])
        direct = score_intervals(row.metric, row.tallies, resamples=400)
        for result in json.loads(out)["results"]:
            between = direct[result["system"]]
            assert (result["low"], result["high"]) == (between["score"].low, between["score"].high)
            assert result["low"] < result["score"] < result["high"]
            per = result["intervals"]["PER.recall"]
            assert per["low"] <= result["parts"]["PER"]["recall"] <= per["high"]
        code, out, _ = run(capsys, *arguments)
        assert re.search(r"R PER\s+\d+\.\d \[\d+\.\d, \d+\.\d\]", out)

    def test_without_the_option_nothing_is_added(self, capsys):
        _, out, _ = run(capsys, "score", "--metrics", "entity", "--json")
        assert not {"low", "high", "intervals"} & json.loads(out)["results"][0].keys()

    def test_one_document_has_no_interval(self, capsys, tmp_path):
        for name, text in (("sys.txt", "He left.\n"), ("ref.txt", "He left.\n")):
            (tmp_path / name).write_text(text, "utf-8")
        plain = ["--system", tmp_path / "sys.txt", "--reference", tmp_path / "ref.txt"]
        arguments = ["score", *plain, "--metrics", "pronoun", "--intervals"]
        _, out, err = run(capsys, *arguments, "--json")
        (result,) = json.loads(out)["results"]
        assert (result["score"], result["low"], result["high"], result["intervals"]) == (
            1, None, None, {},
        )  # fmt: skip
        assert "there is only one" in err
        _, out, _ = run(capsys, *arguments)
        assert "100.0" in out

    def test_one_class_of_metrics_takes_the_options_of_blonde(self, capsys, tmp_path, monkeypatch):
        from bwb.metrics import METRICS
        from bwb.metrics.bleu import Bleu
        from bwb.metrics.phenomena import Phenomena

        monkeypatch.setitem(METRICS, "phenomena", Phenomena)
        monkeypatch.setitem(METRICS, "bleu", Bleu)
        for name, text in (("sys.txt", "HE LEFT.\n"), ("ref.txt", "He left.\n"), ("r2.txt", "x\n")):
            (tmp_path / name).write_text(text, "utf-8")
        plain = ["score", "--system", tmp_path / "sys.txt", "--reference", tmp_path / "ref.txt"]
        code, out, _ = run(capsys, *plain, "--metrics", "phenomena,bleu", "--lowercase",
                           "--variant", "blonde-0.1.4", "--reference", tmp_path / "r2.txt",
                           "--json")  # fmt: skip
        assert code == 0
        first, second = json.loads(out)["results"]
        assert "variant:blonde-0.1.4" in first["signature"]
        assert "refs:2" in second["signature"]
        assert first["parts"]["pronoun"]["f1"] == 1
        code, _, err = run(capsys, *plain, "--metrics", "bleu", "--variant", "paper")
        assert code == 2
        assert "--variant: only blonde has this" in err


def _phrases(documents):
    """Each phrase that an output notes beside an ambiguity, once a sentence."""
    found = {
        (document.id, mark.sentence, mark.reference.casefold())
        for document in documents
        for output in document.systems
        for mark in output.errors or ()
        if mark.code == 1 and mark.reference
    }
    return sorted(found)


def _mark_all_but_the_first(sheet):
    """Mark the first link of a sheet wrong, the others right."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for number, row in enumerate(rows):
            writer.writerow({**row, "mark": "ok" if number else "wrong"})
