"""`bwb score`: units of text, groups of metrics, and the published cells of tables."""

from __future__ import annotations

import json

import pytest

from bwb.cli import main
from bwb.metrics import GROUPS, METRICS, group


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def results(capsys, *arguments):
    code, out, err = run(capsys, "score", *arguments, "--json")
    assert code == 0, err
    return {(row["system"], row["metric"]): row for row in json.loads(out)["results"]}


@pytest.fixture
def files(tmp_path):
    """Two documents: one as in the reference, one with a word wrong."""
    (tmp_path / "hyp.txt").write_text("The cat sat on it.\nA dog ran.\n", "utf-8")
    (tmp_path / "ref.txt").write_text("The cat sat on it.\nA fox ran.\n", "utf-8")
    rows = [
        {"id": "b", "output": "A fox ran.", "input": "狐跑了。", "target_lang": "en"},
        {"id": "a", "output": "The cat sat on it.", "input": "猫坐在上面。", "target_lang": "en"},
    ]
    ref = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "ref.jsonl").write_text(ref, "utf-8")
    rows = [{"id": "a", "text": "The cat sat on it."}, {"id": "b", "text": "A dog ran."}]
    hyp = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "hyp.jsonl").write_text(hyp, "utf-8")
    return tmp_path


METRICS_OF_DOCUMENTS = ["--unit", "document", "--metrics", "avgbleu,dbleu,tbleu"]


def test_documents_a_line_and_documents_by_id_are_the_same(capsys, files):
    pair = ["--system", files / "hyp.txt", "--reference", files / "ref.txt"]
    plain = results(capsys, *pair, *METRICS_OF_DOCUMENTS)
    pair = ["--system", f"hyp={files / 'hyp.jsonl'}", "--reference", files / "ref.jsonl"]
    named = results(capsys, *pair, *METRICS_OF_DOCUMENTS)
    assert plain.keys() == named.keys() == {("hyp", m) for m in ("avgbleu", "dbleu", "tbleu")}
    for key, row in plain.items():
        assert named[key]["score"] == row["score"]
        assert (row["unit"], row["documents"]) == ("document", 2)
        assert "unit:document" in row["signature"]
    single = plain["hyp", "avgbleu"]["document_scores"]
    assert single["1"] == 1
    assert plain["hyp", "avgbleu"]["score"] == pytest.approx((1 + single["2"]) / 2)
    assert named["hyp", "avgbleu"]["document_scores"] == {"b": single["2"], "a": 1}


def test_several_systems_and_references(capsys, files):
    (files / "more.txt").write_text("x\nA dog ran.\n", "utf-8")
    found = results(
        capsys, "--system", f"a={files / 'hyp.txt'}", "--system", f"b={files / 'ref.txt'}",
        "--reference", files / "ref.txt", "--reference", files / "more.txt", "--unit", "document",
    )  # fmt: skip
    assert found["a", "dbleu"]["score"] == found["b", "avgbleu"]["score"] == 1
    assert "refs:2" in found["a", "dbleu"]["signature"]


def test_chunks_become_documents(capsys, files):
    (files / "chunks.txt").write_text("A dog ran.\nThe cat \nsat on it.\n", "utf-8")
    (files / "sources.txt").write_text("狐跑了。\n猫坐 在\n上面。\n", "utf-8")
    arguments = ["--system", files / "chunks.txt", "--reference", files / "ref.jsonl"]
    chunks = ["--chunks", files / "sources.txt"]
    found = results(capsys, *arguments, *chunks, "--unit", "document", "--metrics", "chrf,dbleu")
    # "The cat" and "sat on it." are joined with nothing; characters do not mind.
    assert found["chunks", "chrf"]["document_scores"]["a"] == 1
    assert found["chunks", "dbleu"]["document_scores"]["a"] < 1
    code, _, err = run(capsys, "score", *arguments, "--unit", "document")
    assert code == 1
    assert "has 3 documents" in err
    code, _, err = run(
        capsys, "score", "--system", files / "chunks.txt", "--reference", files / "ref.txt",
        *chunks, "--unit", "document",
    )  # fmt: skip
    assert code == 2
    assert "--chunks needs the sources" in err


def test_the_record_of_a_dialogue_is_an_output(capsys, files):
    turns = [("狐跑了。", "A dog\nran."), ("猫坐在", "The cat"), ("上面。", "sat on it.")]
    record = "".join(f"USER: Translate.\n\n{s}\n\nASSISTANT: {a}\n" for s, a in turns)
    (files / "record.txt").write_text(record, "utf-8")
    arguments = ["--reference", files / "ref.jsonl", "--unit", "document", "--metrics", "chrf"]
    found = results(capsys, "--system", files / "record.txt", *arguments)
    assert found["record", "chrf"]["document_scores"]["a"] == 1


def test_chinese_is_tokenized_as_chinese(capsys, files):
    (files / "zh.txt").write_text("猫坐在垫子上。\n狗跑了。\n", "utf-8")
    pair = ["--system", files / "zh.txt", "--reference", files / "zh.txt", "--metrics", "dbleu"]
    found = results(capsys, *pair, "--unit", "document")
    assert "tok:zh" in found["zh", "dbleu"]["signature"]
    found = results(capsys, *pair, "--tokenize", "char")
    assert "tok:char" in found["zh", "dbleu"]["signature"]


def test_sentences_of_documents_in_jsonl(capsys, tmp_path):
    (tmp_path / "ref.jsonl").write_text('{"text": "He ran.\\nShe sat."}\n', "utf-8")
    (tmp_path / "hyp.jsonl").write_text('{"sentences": ["He ran.", "He sat."]}\n', "utf-8")
    pair = ["--system", tmp_path / "hyp.jsonl", "--reference", tmp_path / "ref.jsonl"]
    found = results(capsys, *pair, "--metrics", "pronoun")
    assert found["hyp", "pronoun"]["recall"] == 0.5
    (tmp_path / "hyp.jsonl").write_text('{"text": "He ran."}\n', "utf-8")
    code, _, err = run(capsys, "score", *pair)
    assert code == 1
    assert "1 sentences, expected 2" in err


def test_an_output_without_a_word_is_told_and_a_reference_without_one_is_refused(capsys, files):
    (files / "hole.txt").write_text("The cat sat on it.\n\n", "utf-8")
    pair = ["--system", files / "hole.txt", "--reference", files / "ref.txt", "--unit", "document"]
    code, out, err = run(capsys, "score", *pair, "--metrics", "avgbleu", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["score"] == 0.5
    assert "hole: 1 document without a word (2)" in err
    code, _, err = run(capsys, "score", *pair[:2], "--reference", files / "hole.txt", *pair[4:])
    assert code == 1
    assert "hole.txt:2: a reference without a word (empty-document)" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--unit", "document", "--metrics", "pronoun"], 2, "pronoun: needs sentences that stand"),
        (["--unit", "document", "--metrics", "dbleu,ter"], 2, "ter: needs sentences"),
        (["--unit", "document", "--data", "x"], 2, "do not go with"),
        (["--unit", "document", "--entities", "x"], 2, "--errors and --entities are of lines"),
        (["--unit", "document", "--chunk-size", "3"], 2, "need each other"),
        (["--chunks", "x"], 2, "need --unit document"),
        (["--metrics", "dbleu,dbleu"], 2, "each once"),
        (["--metrics", "chrf", "--tokenize", "zh"], 2, "--tokenize is for --metrics bleu"),
        (["--metrics", "bleu", "--epsilon", "1"], 2, "--epsilon is for --metrics tbleu"),
        (["--metrics", "tbleu", "--epsilon", "2"], 1, "expected a distance from 0 to 1"),
        (["--metrics", "bleu", "--tokenize", "flores"], 1, "unknown tokenizer 'flores'"),
        (["--unit", "document", "--system", "{}/ref.txt", "--system", "{}/ref.jsonl"], 1,
         "system 'ref' is given twice"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(capsys, files, arguments, code, message):
    pair = ["--system", files / "hyp.txt", "--reference", files / "ref.txt"]
    got, out, err = run(capsys, "score", *pair, *(str(a).format(files) for a in arguments))
    assert (got, out) == (code, "")
    assert message in err


def test_the_sample_as_documents(capsys):
    found = results(capsys, "--unit", "document", "--split", "test")
    sentences = results(
        capsys, "--metrics", "dbleu,avgbleu,bleu", "--split", "test", "--by-document"
    )
    assert {metric for _, metric in found} == {"dbleu", "avgbleu"}
    for (system, metric), row in found.items():
        other = sentences[system, metric]
        assert (row["score"], row["document_scores"]) == (other["score"], other["document_scores"])
        assert other["unit"] == "document"
        assert sentences[system, "bleu"]["unit"] == "sentence"


def test_groups_leave_out_what_does_not_fit(capsys, files):
    pair = ["--system", files / "hyp.txt", "--reference", files / "ref.txt"]
    code, out, err = run(capsys, "score", *pair, "--metrics", "default,chrf", "--json")
    assert code == 0
    made = {row["metric"] for row in json.loads(out)["results"]}
    assert {"pronoun", "quotation", "chrf"} <= made
    assert "left out: entity" in err
    assert "layer entity" in err


def test_groups_follow_from_what_metrics_say_of_themselves():
    made = {name: make() for name, make in METRICS.items()}
    assert GROUPS == ("default", "all-offline")
    assert group("all-offline") == [n for n, m in made.items() if m.download is None]
    assert group("default") == [n for n, m in made.items() if not m.expensive]
    assert {"dbleu", "avgbleu"} <= set(group("default", "document"))
    assert all("document" in made[name].units for name in group("default", "document"))


def test_the_list_of_metrics_says_what_each_costs_and_needs(capsys):
    code, out, _ = run(capsys, "metrics", "--json")
    assert code == 0
    body = json.loads(out)
    rows = {row["name"]: row for row in body["metrics"]}
    assert rows.keys() == METRICS.keys()
    assert all(
        row["cost"] in body["costs"] and row["needs"] and row["paper"] for row in rows.values()
    )
    assert rows["avgbleu"]["units"] == ["sentence", "document"]
    assert rows["avgbleu"]["groups"] == ["all-offline"]
    assert rows["ter"]["higher_is_better"] is False
    _, out, _ = run(capsys, "metrics")
    assert "download" in out
    assert "--metrics all-offline" in out


def published(folder, measure, strategy, direction):
    cells = json.loads((folder / "expected_bleu.json").read_text("utf-8"))[measure]
    (cell,) = [c for c in cells if (c["strategy"], c["dir"]) == (strategy, direction)]
    return cell["ours"] / 100


@pytest.mark.parametrize("direction", ["zh-en", "en-zh"])
def test_published_documents(capsys, shared_data, direction):
    folder = shared_data / "docmt"
    outputs = folder / "BLEU/DOC/Vicuna-7B-V1.5" / direction
    found = results(
        capsys, "--system", f"v={outputs / f'prediction_{direction}.txt.hyp'}",
        "--reference", folder / f"Reference/wmt22_{direction}_doc_combined.jsonl",
        "--unit", "document", "--metrics", "avgbleu,dbleu",
    )  # fmt: skip
    for measure in ("avgbleu", "dbleu"):
        assert found["v", measure]["score"] == pytest.approx(
            published(folder, measure, "DOC", direction), rel=1e-12
        )
    theirs = json.loads((outputs / f"{direction}_doc_result.txt").read_text("utf-8"))[1:]
    ours = [100 * score for score in found["v", "avgbleu"]["document_scores"].values()]
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("record_alone", [False, True])
def test_published_chunks(capsys, shared_data, record_alone):
    folder = shared_data / "docmt"
    outputs = folder / "BLEU/ST3/Vicuna-7B-V1.5/zh-en"
    record = outputs / "prediction_zh-en.txt"
    system = [f"v={record}"] if record_alone else [f"v={record}.hyp", "--chunks", record]
    (sentences,) = folder.glob("BLEU/ST1/*/zh-en/*sent2doc_ref.jsonl")
    found = results(
        capsys, "--system", *system,
        "--reference", folder / "Reference/wmt22_zh-en_doc_combined.jsonl",
        "--chunk-size", 3, "--reference-sentences", sentences, "--unit", "document",
    )  # fmt: skip
    for measure in ("avgbleu", "dbleu"):
        assert found["v", measure]["score"] == pytest.approx(
            published(folder, measure, "ST3", "zh-en"), rel=1e-12
        )
    theirs = json.loads((outputs / "zh-en_st_result.txt.st2doc.txt").read_text("utf-8"))[1:]
    ours = [100 * score for score in found["v", "avgbleu"]["document_scores"].values()]
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
