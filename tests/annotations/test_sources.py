from __future__ import annotations

import shutil

import pytest

from bwb.annotations.check import check
from bwb.annotations.corpus_folder import CorpusFolderReader, read_config
from bwb.annotations.release import ReleaseReader
from bwb.annotations.sources import read_documents
from bwb.corpus import write_jsonl
from bwb.errors import FormatError, InputError, LengthError
from bwb.records import LAYERS

ZH = "<PER, T, 1>{闻溪}说：<Q, 1>“走。”<\\Q>\n<O, 1>{她}走了。\n"
EN = "<PER, T, 1>{Wen Xi} said, <Q, 1>“Go.”<\\Q>\nAnd <O, 1>{she} went.\n"
TOML = """
name = "tiny"
version = "1"
license = "CC0"
[[books]]
id = "b"
genre = "fantasy"
split = "test"
chapters = [{ id = "1", title_en = "One" }]
"""


@pytest.fixture
def folder(tmp_path):
    files = {
        "corpus.toml": TOML,
        "b/1.zh.an.txt": ZH,
        "b/1.en.an.txt": EN,
        "systems/x/b/1.an.txt": "He said go.\t2,she, He <pos/1,2>\nGone.\t0\n",
        "systems/y/b/1.txt": "a\nb\n",
        "second/b/1.zh.an.txt": ZH,
        "second/b/1.en.an.txt": EN.replace("T, 1", "N, 1"),
    }
    for name, text in files.items():
        file = tmp_path / "tiny" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path / "tiny"


def codes(report):
    return [finding.code for finding in report.findings]


def test_a_corpus_folder(folder):
    (document,) = read_documents(folder)
    assert (document.id, document.genre, document.split) == ("b/1", "fantasy", "test")
    assert document.en.title == "One"
    assert document.en.layers == LAYERS
    assert [output.system for output in document.systems] == ["x", "y"]
    assert document.systems[0].errors[0].text == "He"
    assert document.systems[1].errors is None
    (second,) = CorpusFolderReader(folder, second=True)
    assert second.en.mentions[0].term is False
    assert second.systems == ()


def test_a_corpus_folder_is_checked_whole(folder):
    report = check([folder])
    assert (report.documents, report.total("sentences"), codes(report)) == (2, 8, [])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ('license = "CC0"\nlicence = "x"', "licence: Extra inputs"),
        ('license = "CC0', "Expected|Illegal|Unterminated|string"),
        ("license = 3", "license: Input should be a valid string; found 3"),
    ],
)
def test_a_wrong_key_of_the_configuration_is_an_error(folder, change, match):
    file = folder / "corpus.toml"
    file.write_text(TOML.replace('license = "CC0"', change), "utf-8")
    with pytest.raises(FormatError, match=match):
        read_config(folder)


def test_a_chapter_listed_twice_or_not_at_all_is_an_error(folder):
    file = folder / "corpus.toml"
    file.write_text(TOML.replace('{ id = "1"', '{ id = "1" }, { id = "1"'), "utf-8")
    with pytest.raises(FormatError, match="b/1 is listed twice"):
        read_config(folder)
    file.write_text(TOML, "utf-8")
    (folder / "b" / "2.zh.an.txt").write_text("x\n", "utf-8")
    with pytest.raises(FormatError, match="b/2 is not among the chapters"):
        list(read_documents(folder))


def test_sides_and_outputs_of_different_length_are_errors(folder):
    (folder / "systems/y/b/1.txt").write_text("a\n", "utf-8")
    with pytest.raises(LengthError, match="has 1 lines; expected 2"):
        list(read_documents(folder))
    (folder / "b/1.en.an.txt").write_text(EN + "More.\n", "utf-8")
    with pytest.raises(LengthError, match="2 Chinese and 3 English"):
        list(read_documents(folder))
    assert "length-mismatch" in codes(check([folder]))


def test_an_inline_folder_pairs_its_sides(folder):
    (document,) = read_documents(folder / "b")
    assert (document.id, len(document.en.quotes), len(document.links)) == ("b/1", 1, 2)
    (alone,) = read_documents(folder / "b" / "1.en.an.txt")
    assert alone.zh is None


def test_two_inline_files_given_to_check_are_one_document(folder):
    report = check([folder / "b/1.zh.an.txt", folder / "b/1.en.an.txt"])
    assert (report.documents, report.total("mentions"), report.total("quotes")) == (1, 4, 2)
    with pytest.raises(InputError, match="two files for the same side"):
        check([folder / "b/1.zh.an.txt", folder / "b/1.zh.an.txt"])


def test_a_file_that_names_no_language_is_told_by_its_script(folder):
    shutil.copy(folder / "b/1.zh.an.txt", folder / "b" / "plain.txt")
    (document,) = read_documents(folder / "b" / "plain.txt")
    assert document.zh is not None
    assert document.en is None


def test_plain_text_is_not_taken_for_annotated_and_empty(tmp_path):
    for name, layers in (("x.en.txt", ()), ("y.en.an.txt", LAYERS)):
        (tmp_path / name).write_text("It rained.\n", "utf-8")
        (document,) = read_documents(tmp_path / name)
        assert document.en.layers == layers


def test_jsonl_is_read_and_its_bad_lines_are_named(folder, tmp_path):
    file = tmp_path / "c.jsonl"
    write_jsonl(read_documents(folder), file)
    assert list(read_documents(file)) == list(read_documents(folder))
    good = file.read_text("utf-8")
    file.write_text(good + "{}\n" + good + "not json\n", "utf-8")
    report = check([file])
    assert codes(report) == ["bad-record", "duplicate-id", "bad-record"]
    assert [f.line for f in report.findings if f.code == "bad-record"] == [2, 4]
    assert report.documents == 2


@pytest.mark.parametrize(
    ("raw", "code", "line"),
    [
        (b"", "empty-file", 0),
        ("他\n".encode("gb18030"), "encoding", 1),
        ("ok\nhe\n".encode("utf-16"), "encoding", 1),
        (b"ok\n\xff\n", "encoding", 2),
        (b"ok\na\0b\n", "encoding", 2),
    ],
)
def test_files_that_cannot_be_read_are_findings(tmp_path, raw, code, line):
    file = tmp_path / "x.en.an.txt"
    file.write_bytes(raw)
    for lenient in (False, True):
        report = check([file], lenient=lenient)
        assert [(f.code, f.line, f.fails) for f in report.findings] == [(code, line, True)]
        assert report.failed
    with pytest.raises(FormatError):
        list(read_documents(file))


@pytest.mark.parametrize(
    ("raw", "code"),
    [(b"\xef\xbb\xbfHe.\n", "byte-order-mark"), (b"He.\r\nShe.\r\n", "line-ends")],
)
def test_what_can_be_repaired_fails_only_if_strict(tmp_path, raw, code):
    file = tmp_path / "x.en.an.txt"
    file.write_bytes(raw)
    assert codes(check([file])) == [code]
    assert check([file]).failed
    report = check([file], lenient=True)
    assert (codes(report), report.failed) == ([code], False)
    with pytest.raises(FormatError):
        list(read_documents(file))
    findings = []
    (document,) = read_documents(file, strict=False, findings=findings)
    assert document.en.sentences[0] == "He."
    assert findings[0].code == code


def test_unknown_entities_are_found(tmp_path):
    file = tmp_path / "x.en.an.txt"
    file.write_text("<PER, T, 1>{Bo} said <Q, 9>“Go.”<\\Q>\n", "utf-8")
    report = check([file])
    (finding,) = report.findings
    assert (finding.code, finding.line, finding.column) == ("unknown-entity", 1, 9)


@pytest.mark.parametrize("name", ["", "empty"])
def test_nothing_to_read_is_an_error(tmp_path, name):
    path = tmp_path / name if name else tmp_path / "missing"
    if name:
        path.mkdir()
    with pytest.raises(InputError):
        list(read_documents(path))
    with pytest.raises(InputError):
        check([path])


# --- the authors' release -------------------------------------------------------------------


@pytest.fixture
def release(tmp_path):
    files = {
        "test/book0/0.chs_re.txt": "闻溪说：“走。”\n她走了。\n",
        "test/book0/0.ref_re.txt": "Wen Xi said, “Go.”\nAnd she went.\n",
        "test/book0/0.ner_re.txt": "PERSON: (Wen Xi: 1; )\tNONPERSON: ()\n"
        "PERSON: ()\tNONPERSON: ()\n",
        "test/book0/0.mt_re.txt": "He said go.\nGone.\n",
        "test/book0/0.an.txt": "He said go.\t2,she, He <pos/1,2>\nGone.\t0\n",
        "test/book0/0.pe_re.txt": "Wen Xi said go.\nGone.\n",
        "SMT_Hiero/book0/0.chs_re.txt.SMT": "a\nb\n",
        "BWB_annotation/Book0/0.chs_re.an.txt": ZH,
        "BWB_annotation/Book0/0.ref_re.an.txt": EN.replace("And ", "And  "),
    }
    for name, text in files.items():
        file = tmp_path / "release" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path / "release"


def test_a_release_is_read_whole(release):
    reader = ReleaseReader(release)
    (document,) = reader
    assert document.id == "book0/0"
    assert {output.system for output in document.systems} == {"mt", "pe", "SMT"}
    mt = next(output for output in document.systems if output.system == "mt")
    assert [(mark.code, mark.text, mark.start) for mark in mt.errors] == [(2, "He", 0)]
    assert document.en.named_entities[0].text == "Wen Xi"
    assert [m.text for m in document.en.mentions] == ["Wen Xi", "she"]
    assert document.en.sentences[1] == "And she went."
    assert [f.code for f in reader.findings] == ["white-space"]
    assert check([release], lenient=True).documents == 1


@pytest.mark.parametrize("name", ["ref_re", "ner_re", "mt_re", "an", "pe_re"])
def test_a_file_with_another_number_of_lines_is_an_error(release, name):
    file = release / f"test/book0/0.{name}.txt"
    file.write_text(file.read_text("utf-8") + "PERSON: ()\tNONPERSON: ()\n", "utf-8")
    with pytest.raises(LengthError, match=rf"0\.{name}\.txt has 3 lines"):
        list(ReleaseReader(release))


def test_annotations_of_no_chapter_and_folders_without_chapters_are_reported(release, tmp_path):
    extra = release / "BWB_annotation/Book7/3.chs_re.an.txt"
    extra.parent.mkdir()
    extra.write_text(ZH, "utf-8")
    assert [f.code for f in ReleaseReader(release).findings] == ["no-such-chapter"]
    with pytest.raises(InputError, match="no such folder of annotations"):
        ReleaseReader(release, tmp_path / "no")
    with pytest.raises(InputError, match="no chapters"):
        ReleaseReader(tmp_path / "no")


def test_the_real_release_is_read(shared_data):
    reader = ReleaseReader(shared_data / "bwb-release", shared_data / "bwb-annotated")
    (document,) = reader
    assert (len(document.zh.sentences), len(document.en.mentions), len(document.zh.mentions)) == (
        30,
        20,
        12,
    )
    (mt,) = document.systems
    assert len(mt.errors) == 56
    assert all(mt.text[mark.start : mark.end] == mark.text for mark in mt.errors if mark.text)
    assert all(m.text == document.en.text[m.start : m.end] for m in document.en.mentions)
    assert len(document.en.named_entities) == 25
    assert {f.code for f in reader.findings if f.repair} == {
        "unknown-flag", "missing-flag", "missing-brace", "header-spacing", "white-space",
        "position", "phrase-spacing",
    }  # fmt: skip
