"""`bwb align`: every output, and what it says to bad input."""

from __future__ import annotations

import argparse
import json
from xml.etree import ElementTree

import pytest

from bwb.align.linkfile import read_links
from bwb.align.pairs import read_folders, read_jsonl
from bwb.align.registry import ALIGNERS, make_aligner
from bwb.cli import align
from bwb.corpus import read_jsonl as read_documents
from bwb.errors import BwbError, InputError, LengthError, UnknownNameError, UsageError

ZH = ["老人走到河边。", "天黑了，", "她在家等他。", "没有人说话。"]
EN = [
    "The old man walked to the river.",
    "It was dark. She waited for him at home.",
    "Nobody spoke.",
]


@pytest.fixture
def files(tmp_path):
    def write(name, lines):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


def run(*arguments):
    parser = argparse.ArgumentParser()
    align.add_arguments(parser)
    return align.run(parser.parse_args([str(x) for x in arguments]))


def test_all_outputs_of_two_files(files, tmp_path, capsys):
    src, tgt = files("c.zh.txt", ZH), files("c.en.txt", EN)
    out = {name: tmp_path / "out" / name for name in ("links", "p", "t.tsv", "t.tmx", "d.jsonl")}
    code = run(
        src, tgt, "--aligner", "bleualign", "--links", out["links"], "--output", out["p"],
        "--tsv", out["t.tsv"], "--tmx", out["t.tmx"], "--documents", out["d.jsonl"],
        "--book", "tale", "--json",
    )  # fmt: skip
    assert code == 0
    links = read_links(out["links"])
    expected = [((0,), (0,)), ((1, 2), (1,)), ((3,), (2,))]
    assert [(x.src, x.tgt) for x in links] == expected
    assert out["links"].read_text().splitlines()[1] == "[1, 2]:[1]"
    assert (tmp_path / "out/p-s").read_text(encoding="utf-8").splitlines()[1] == f"{ZH[1]} {ZH[2]}"
    assert (tmp_path / "out/p-t").read_text(encoding="utf-8").splitlines() == EN
    table = out["t.tsv"].read_text(encoding="utf-8").splitlines()
    assert table[2].split("\t")[:3] == ["c.zh", "1,2", "1"]
    units = ElementTree.parse(out["t.tmx"]).getroot().findall("body/tu")
    assert [unit.findall("tuv/seg")[1].text for unit in units] == EN
    (document,) = read_documents(out["d.jsonl"])
    assert (document.id, document.book) == ("tale/c.zh", "tale")
    assert [(x.zh, x.en) for x in document.links] == expected
    assert json.loads(capsys.readouterr().out)["links"] == 3


def test_languages_exchanged(files, tmp_path):
    src, tgt = files("a.txt", EN), files("b.txt", ZH)
    out = tmp_path / "d.jsonl"
    options = ("--aligner", "galechurch", "--documents", out)
    run(src, tgt, *options, "--src-lang", "en", "--tgt-lang", "zh")
    (document,) = read_documents(out)
    assert document.zh.sentences == tuple(ZH)
    with pytest.raises(UsageError, match="de and en"):
        run(src, tgt, *options, "--src-lang", "de")


def test_jsonl(files, tmp_path):
    rows = [
        {"id": "book/1", "src": ZH, "tgt": EN, "note": "kept"},
        {"id": "book/2", "src": [], "tgt": ["a"]},
    ]
    source = files("in.jsonl", [json.dumps(row) for row in rows])
    out, documents = tmp_path / "out.jsonl", tmp_path / "d.jsonl"
    run("--jsonl", source, out, "--aligner", "bleualign", "--documents", documents)
    done = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert done[0]["links"] == [[[0], [0]], [[1, 2], [1]], [[3], [2]]]
    assert done[0]["note"] == "kept"
    assert len(done[0]["scores"]) == 3
    assert all(0 <= score <= 1 for score in done[0]["scores"])
    assert done[1]["links"] == [[[], [0]]]
    assert [x.id for x in read_documents(documents)] == ["book/1", "book/2"]


def test_translations_of_files_and_rows(files, tmp_path):
    src, tgt = files("a.xx", ["qq ww", "ee rr"]), files("a.yy", ["one two", "three four"])
    mt = files("a.mt", ["one two", "three four"])
    out = tmp_path / "l"
    run(src, tgt, "--aligner", "bleualign", "--translation", mt, "--links", out)
    assert out.read_text().split() == ["[0]:[0]", "[1]:[1]"]
    row = {"id": "r", "src": ["qq ww"], "tgt": ["one two"], "translations": [["one two"]]}
    run("--jsonl", files("in", [json.dumps(row)]), tmp_path / "o", "--aligner", "bleualign")
    assert json.loads((tmp_path / "o").read_text())["scores"] == [1.0]


def test_compat_and_filter(files, tmp_path):
    text = [f"word{k} and word{k + 1} of it" for k in range(6)]
    src, tgt = files("a", text), files("b", [*text[:5], "nothing like it"])
    run(
        src, tgt, "--aligner", "bleualign", "--translation", "-", "--compat",
        "--output", tmp_path / "o", "--filter", "sentence", "--filterthreshold", 60,
        "--links", tmp_path / "l",
    )  # fmt: skip
    assert (tmp_path / "o-s").read_text().splitlines() == text
    good = (tmp_path / "o-good-t").read_text().splitlines()
    bad = (tmp_path / "o-bad-t").read_text().splitlines()
    assert good == text[:4]
    assert bad == [text[4], "nothing like it"]


def test_parity_of_the_command(shared_data, tmp_path):
    folder = shared_data / "textberg/bleualign-eval1957"
    given = folder / "input"
    name = "eval1957.SACunidir.europarlfull.europarllight.google."
    run(
        given / "eval1957.de", given / "eval1957.fr", "--aligner", "bleualign", "--compat",
        "--translation",
        *(given / f"eval1957.{x}.fr" for x in name.removesuffix(".").split(".")[1:]),
        "--output", tmp_path / name, "--filter", "sentence",
    )  # fmt: skip
    for part in ("-s", "-t", "-good-s", "-good-t", "-bad-s", "-bad-t"):
        assert (tmp_path / (name + part)).read_bytes() == (
            folder / "expected" / (name + part)
        ).read_bytes()


def test_folders(files, tmp_path):
    for k in (1, 2):
        files(f"zh/{k}.txt", ZH[: k + 1])
        files(f"en/{k}.txt", EN[:k])
    options = ("--aligner", "galechurch", "--links", tmp_path / "l", "--output", tmp_path / "o")
    run(tmp_path / "zh", tmp_path / "en", *options)
    assert sorted(p.name for p in (tmp_path / "l").iterdir()) == ["1.links", "2.links"]
    assert sorted(p.name for p in (tmp_path / "o").iterdir()) == ["1-s", "1-t", "2-s", "2-t"]
    files("zh/3.txt", ZH)
    with pytest.raises(InputError, match=r"3\.txt has no counterpart in .*en"):
        list(read_folders(tmp_path / "zh", tmp_path / "en"))
    files("en/3.x", EN)
    files("en/3.y", EN)
    with pytest.raises(InputError, match="differ only in their suffix"):
        list(read_folders(tmp_path / "zh", tmp_path / "en"))
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no files"):
        list(read_folders(tmp_path / "none", tmp_path / "en"))


def test_boundaries(files, tmp_path):
    src, tgt = files("a", [*ZH, ".EOA", ZH[0]]), files("b", [*EN, ".EOA", EN[0]])
    out = tmp_path / "d"
    run(src, tgt, "--aligner", "bleualign", "--links", tmp_path / "l", "--documents", out)
    assert "[4]:[3]" in (tmp_path / "l").read_text()
    (document,) = read_documents(out)
    assert ".EOA" not in document.zh.sentences
    assert document.links[-1].zh == (4,)
    files("b", EN)
    with pytest.raises(LengthError, match="source 2, target 1"):
        run(src, tgt, "--aligner", "bleualign", "--links", tmp_path / "l")


def test_short_and_missing_translation(files, tmp_path):
    src, tgt, mt = files("a", ZH), files("b", EN), files("m", ["one"])
    options = ("--aligner", "bleualign", "--links", tmp_path / "l", "--translation")
    with pytest.raises(LengthError, match=r"m has 1 lines, but .*a, which it translates, has 4"):
        run(src, tgt, *options, mt)
    with pytest.raises(InputError, match="none"):
        run(src, tgt, *options, tmp_path / "none")
    assert not (tmp_path / "l").exists()


def test_empty_file(files, tmp_path):
    run(files("a", []), files("b", EN), "--aligner", "bleualign", "--links", tmp_path / "l")
    assert (tmp_path / "l").read_text().split() == ["[]:[0]", "[]:[1]", "[]:[2]"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"id": 3}', "id is 3"),
        ('{"id": "a", "src": ["x"]}', "tgt is missing"),
        ('{"id": "a", "src": "x", "tgt": []}', "src is missing or no list"),
        ('{"id": "a", "src": ["x"], "tgt": [], "translations": ["x"]}', "list of lists"),
        ('{"id": "a", "src": ["x"], "tgt": [], "translations": [[]]}', "0 lines, src has 1"),
    ],
)
def test_bad_rows(files, tmp_path, line, said):
    path = tmp_path / files("in.jsonl", ['{"id": "ok", "src": [], "tgt": []}', line])
    with pytest.raises(BwbError, match=said) as error:
        list(read_jsonl(path))
    assert "in.jsonl:2" in str(error.value)


def test_duplicate_chapters_and_empty_input(files, tmp_path):
    row = '{"id": "a", "src": [], "tgt": []}'
    with pytest.raises(InputError, match="on line 1 already"):
        list(read_jsonl(tmp_path / files("in.jsonl", [row, row])))
    with pytest.raises(InputError, match="the file is empty"):
        list(read_jsonl(tmp_path / files("in.jsonl", [])))
    source, out = files("in.jsonl", [row, row]), tmp_path / "out"
    with pytest.raises(InputError):
        run("--jsonl", source, out, "--aligner", "galechurch")
    assert not out.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a",),
        ("a", "b"),
        ("a", "b", "--jsonl", "c", "d"),
        ("--jsonl", "c", "d", "--translation", "e"),
        ("--jsonl", "c", "d", "--links", "e"),
        ("a", "b", "--links", "l", "--translation", "e", "--aligner", "galechurch"),
        ("a", "b", "--links", "l", "--translation", "e", "--translator", "gloss"),
        ("a", "b", "--links", "l", "--filter", "article", "--aligner", "bleualign"),
        ("a", "b", "--links", "l", "--ngrams", "3", "--aligner", "galechurch"),
    ],
)
def test_calls_that_make_no_sense(arguments):
    with pytest.raises(UsageError):
        run(*arguments)


def test_registry():
    assert list(ALIGNERS) == sorted(ALIGNERS)
    assert make_aligner("bleualign", compat=True).compat
    with pytest.raises(UnknownNameError, match="did you mean 'bleualign'"):
        make_aligner("blualign")
    with pytest.raises(UsageError, match="no option 'wings'"):
        make_aligner("galechurch", wings=2)
