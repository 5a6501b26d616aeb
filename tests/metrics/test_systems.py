from __future__ import annotations

import dataclasses
import json

import pytest

from bwb.annotations.assemble import assemble
from bwb.errors import FormatError, InputError, LengthError
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.scoring import score_systems
from bwb.metrics.systems import embedded_outputs, read_outputs
from bwb.metrics.terminology import Terminology
from bwb.records import Link, Side, SystemOutput


def document(name, *sentences, systems=()):
    book, _, chapter = name.partition("/")
    zh, en = Side("zh", tuple("句" for _ in sentences)), Side("en", sentences)
    made = assemble(name, book, chapter, zh, en)
    return dataclasses.replace(made, systems=systems)


DOCUMENTS = [document("b/1", "She.", "He."), document("b/2", "It.")]
ONE = DOCUMENTS[1:]


def write(folder, files):
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def read(*specs, documents=DOCUMENTS):
    return read_outputs([str(spec) for spec in specs], documents)


EXPECTED = {"b/1": ("a", "b"), "b/2": ("c",)}


@pytest.mark.parametrize(
    "files",
    [
        {"b/1.txt": "a\nb\n", "b/2.txt": "c"},
        {"deep/down/b/1.txt": "a\nb\n", "deep/down/b/2.txt": "c\n"},
        {"b/1.an.txt": "a\t0\nb\t5\n", "b/2.txt": "c\n"},
        {"1.en.hyp": "a\nb\n", "2.en.hyp": "c\n"},
        {"b_1.txt": "a\nb\n", "b_2.txt": "c\n"},
        {"b.1.hyp": "a\nb\n", "b.2.hyp": "c\n"},
    ],
)
def test_a_folder_with_a_file_a_document(tmp_path, files):
    write(tmp_path / "mine", files)
    assert read(tmp_path / "mine") == {"mine": EXPECTED}
    assert read(f"better={tmp_path / 'mine'}") == {"better": EXPECTED}


def test_a_folder_of_systems(tmp_path):
    for name in ("x", "y"):
        write(tmp_path / name, {"b/1.txt": "a\nb\n", "b/2.txt": "c\n"})
    assert read(tmp_path) == {"x": EXPECTED, "y": EXPECTED}
    with pytest.raises(InputError, match="2 systems, but one name"):
        read(f"z={tmp_path}")


def test_the_release_tells_systems_by_the_ends_of_names(tmp_path):
    write(
        tmp_path,
        {
            **{f"test/b/{i}.{t}.txt": "x\n" for i in (1, 2) for t in ("chs_re", "ref_re", "an")},
            "test/b/1.mt_re.txt": "a\nb\n",
            "test/b/2.mt_re.txt": "c\n",
            "Google/b/1.chs_re.txt.Google": "a\nb\n",
            "Google/b/2.chs_re.txt.Google": "c\n",
        },
    )
    assert read(tmp_path) == {"mt": EXPECTED, "Google": EXPECTED}
    assert read(f"g={tmp_path / 'Google'}") == {"g": EXPECTED}


def test_jsonl(tmp_path):
    rows = [{"id": "b/1", "sentences": ["a", "b"]}, {"document": "b/2", "text": "c\n"}]
    file = tmp_path / "hyp.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", "utf-8")
    assert read(file) == {"hyp": EXPECTED}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"id": "b/1"', "json"),
        ("[1]", "json"),
        ('{"id": "b/1"}', "json"),
        ('{"id": "b/1", "sentences": [1]}', "json"),
        ('{"id": "b/9", "sentences": []}', "unknown-document"),
        ('{"id": "b/2", "sentences": ["c"]}', "duplicate-document"),
    ],
)
def test_a_bad_row_is_named(tmp_path, line, code):
    file = tmp_path / "hyp.jsonl"
    file.write_text('{"id": "b/2", "sentences": ["c"]}\n' + line, "utf-8")
    with pytest.raises(FormatError) as caught:
        read(file)
    assert (caught.value.finding.line, caught.value.finding.code) == (2, code)


def test_one_file_for_one_document(tmp_path):
    write(tmp_path, {"hyp.txt": "c\n"})
    assert read(tmp_path / "hyp.txt", documents=ONE) == {"hyp": {"b/2": ("c",)}}
    with pytest.raises(InputError, match="one file for 2 documents"):
        read(tmp_path / "hyp.txt")


_B1, _B2 = {"b/1.txt": "a\nb\n"}, {"b/2.txt": "c\n"}


@pytest.mark.parametrize(
    ("files", "error", "match"),
    [
        (_B1, InputError, "1 documents are missing: b/2"),
        (_B1 | _B2 | {"b/3.txt": "d\n"}, InputError, "3.txt: of no document"),
        (_B1 | _B2 | {"b/1.out": "a\nb\n"}, InputError, "two outputs for b/1"),
        (_B2 | {"b/1.txt": "a\n"}, LengthError, "document b/1: 1 sentences, expected 2"),
        (_B2 | {"b/1.txt": "a\nb\n\n"}, LengthError, "the last line is empty"),
        (_B2 | {"b/1.txt": ""}, FormatError, "the file is empty"),
        (_B2 | {"b/1.txt": "她\n它\n".encode("gb18030")}, FormatError, "gb18030"),
        (_B2 | {"b/1.txt": "a\nb\n".encode("utf-16")}, FormatError, "UTF-16"),
        (_B2 | {"b/1.txt": b"a\0\nb\n"}, FormatError, "NUL"),
        ({"notes.md": "x"}, InputError, "no outputs in it"),
    ],
)
def test_what_does_not_fit_is_refused_and_named(tmp_path, files, error, match):
    write(tmp_path / "mine", files)
    with pytest.raises(error, match=match):
        score_systems(DOCUMENTS, read(tmp_path / "mine"), [Pronoun()])


def test_a_system_named_twice_and_a_path_that_is_not_there(tmp_path):
    write(tmp_path / "mine", {"b/1.txt": "a\nb\n", "b/2.txt": "c\n"})
    with pytest.raises(InputError, match="'mine' is given twice"):
        read(tmp_path / "mine", tmp_path / "mine")
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "yours")


def test_marks_and_line_ends_of_windows_are_repaired_and_reported(tmp_path):
    write(tmp_path / "mine", {"b/1.txt": "\ufeffa\r\nb\r\n", "b/2.txt": "c\n"})
    findings = []
    assert read_outputs([str(tmp_path / "mine")], DOCUMENTS, findings) == {"mine": EXPECTED}
    assert [finding.code for finding in findings] == ["byte-order-mark", "line-ends"]


def test_a_line_ends_at_a_line_feed_only(tmp_path):
    write(tmp_path, {"hyp.txt": "a\u2028b\x0cc\x85d\n"})
    assert read(tmp_path / "hyp.txt", documents=ONE)["hyp"]["b/2"] == ("a\u2028b\x0cc\x85d",)


def test_outputs_that_documents_carry():
    docs = [document("b/1", "She.", systems=(SystemOutput("x", ("He.",)),))]
    assert embedded_outputs(docs) == {"x": {"b/1": ("He.",)}}


def test_scoring_counts_every_document_for_every_system():
    outputs = {
        "same": {d.id: d.en.sentences for d in DOCUMENTS},
        "he": {"b/1": ("He.", "He."), "b/2": ("He.",)},
    }
    (scored,) = score_systems(DOCUMENTS, outputs, [Pronoun()], data={"data": "x"})
    same, he = scored.scores()
    assert (same.system, same.score, same.documents) == ("same", 1, 2)
    assert he.recall == pytest.approx(1 / 3)
    assert str(he.signature) == str(same.signature)


def test_documents_that_lack_a_layer_are_left_out_or_refused():
    with pytest.raises(InputError, match=r"terminology cannot score any document: b/1: terms"):
        score_systems(DOCUMENTS, {"s": {d.id: d.en.sentences for d in DOCUMENTS}}, [Terminology()])


def test_nothing_to_score_is_an_error():
    with pytest.raises(InputError, match="no documents"):
        score_systems([], {"s": {}}, [Pronoun()])
    with pytest.raises(InputError, match="no systems"):
        score_systems(DOCUMENTS, {}, [Pronoun()])


def test_sides_that_do_not_correspond_line_by_line_are_refused():
    made = document("b/1", "a", "b")
    crossed = dataclasses.replace(made, links=(Link((0, 1), (0,)), Link((), (1,))))
    with pytest.raises(InputError, match=r"link 1 is \[0, 1\]:\[0\]"):
        score_systems([crossed], {"s": {"b/1": ("a", "b")}}, [Pronoun()])
