from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

from bwb.corpus import (
    LogicalDigest,
    changed_files,
    is_built,
    logical_digest,
    read_jsonl,
    read_manifest,
    read_parquet,
    write_jsonl,
)
from bwb.errors import FormatError, InputError
from bwb.publish.build import build
from bwb.records import Document, Link, Side
from bwb.schema import dumps


def document(chapter="1", text="One."):
    sides = {"zh": Side("zh", ("一。",)), "en": Side("en", (text,))}
    return Document(f"b/{chapter}", "b", chapter, **sides, links=(Link((0,), (0,)),), split="test")


DOCUMENTS = [document("1"), document("2", "Two."), document("10", "Ten.")]


def test_jsonl_round_trip(tmp_path):
    path = tmp_path / "corpus.jsonl"
    assert write_jsonl(DOCUMENTS, path) == 3
    assert list(read_jsonl(path)) == DOCUMENTS
    assert path.read_bytes().count(b"\n") == 3


def test_line_separators_within_a_sentence_end_no_line(tmp_path):
    path = tmp_path / "corpus.jsonl"
    odd = document(text="a\u2028b\x85c\x0bd")
    write_jsonl([odd], path)
    assert list(read_jsonl(path)) == [odd]


@pytest.mark.parametrize(
    ("lines", "line", "code", "said"),
    [
        (["{}"], 1, "bad-record", "id: Field required"),
        ([dumps(DOCUMENTS[0]), "nonsense"], 2, "bad-record", "Invalid JSON"),
        ([dumps(DOCUMENTS[0]), "", dumps(DOCUMENTS[1])], 2, "empty-line", "an empty line"),
        (
            [dumps(DOCUMENTS[0]), dumps(DOCUMENTS[1]), dumps(DOCUMENTS[0])],
            3,
            "duplicate-id",
            "document 'b/1' is on line 1 already",
        ),
        (["\ufeff" + dumps(DOCUMENTS[0])], 1, "byte-order-mark", "byte order mark"),
    ],
)
def test_a_bad_line_is_named(tmp_path, lines, line, code, said):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FormatError) as raised:
        list(read_jsonl(path))
    finding = raised.value.finding
    assert (finding.file, finding.line, finding.code) == (str(path), line, code)
    assert said in finding.message


def test_an_empty_or_missing_file_is_an_error(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(FormatError, match="the file is empty"):
        list(read_jsonl(tmp_path / "empty.jsonl"))
    with pytest.raises(InputError, match="No such file"):
        list(read_jsonl(tmp_path / "none.jsonl"))


def test_writing_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "corpus.jsonl"
    write_jsonl(DOCUMENTS[:1], path)

    def failing():
        yield DOCUMENTS[1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_jsonl(failing(), path)
    assert list(read_jsonl(path)) == DOCUMENTS[:1]
    assert list(tmp_path.iterdir()) == [path]


def test_the_digest_is_of_what_the_documents_say():
    digest = logical_digest(DOCUMENTS)
    assert digest == logical_digest(reversed(DOCUMENTS))
    assert digest != logical_digest(DOCUMENTS[:2])
    assert digest != logical_digest([*DOCUMENTS, DOCUMENTS[0]])
    assert digest != logical_digest([document(text="One!"), *DOCUMENTS[1:]])
    incremental = LogicalDigest()
    for one in DOCUMENTS:
        incremental.add(one)
    assert incremental.hexdigest() == digest


def test_the_digest_is_pinned():
    """It is written into scores and manifests: only a new schema version may change it."""
    pinned = "b613cc079cf3497823ac4589e4cfb08443ef0e1baa714b6872e8c22a3e05ed2c"
    assert logical_digest(DOCUMENTS) == pinned


def test_a_score_that_is_no_number_has_no_digest():
    bad = dataclasses.replace(DOCUMENTS[0], links=(Link((0,), (0,), "x", float("nan")),))
    with pytest.raises(InputError, match="b/1: a score is not finite"):
        logical_digest([bad])


@pytest.fixture
def folder(tmp_path):
    build(DOCUMENTS, tmp_path / "built", name="tiny")
    return tmp_path / "built"


def test_a_built_folder_is_told_by_its_manifest(folder, tmp_path):
    assert is_built(folder)
    (tmp_path / "manifest.json").write_text('{"format": "something else"}')
    assert not is_built(tmp_path)
    (tmp_path / "manifest.json").write_text("not JSON")
    assert not is_built(tmp_path)


def test_one_file_of_a_folder_can_be_read(folder):
    annotated = folder / "data/documents/test-00000-of-00001.parquet"
    assert [d.id for d in read_parquet(annotated)] == ["b/1", "b/2", "b/10"]
    with pytest.raises(FormatError, match=r"columns id, document, .*these are not documents"):
        list(read_parquet(folder / "data/pairs/test-00000-of-00001.parquet"))


def test_a_folder_that_is_not_built_is_an_error(tmp_path):
    with pytest.raises(InputError, match="not a folder that bwb build wrote"):
        list(read_parquet(tmp_path))


def test_a_damaged_file_is_an_error(folder):
    file = folder / "data/documents/test-00000-of-00001.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(FormatError, match="cannot be read as Parquet"):
        list(read_parquet(folder))


def test_a_manifest_of_another_schema_is_an_error(folder):
    file = folder / "manifest.json"
    body = json.loads(file.read_text())
    file.write_text(json.dumps(body | {"schema_version": "99"}))
    with pytest.raises(FormatError, match="schema version '99'"):
        read_manifest(folder)
    file.write_text(json.dumps(body | {"typo": 1}))
    with pytest.raises(FormatError, match="typo: Unexpected keyword argument"):
        read_manifest(folder)


def test_files_that_changed_are_named(folder):
    manifest = read_manifest(folder)
    assert changed_files(folder, manifest) == []
    pairs = folder / "data/pairs/test-00000-of-00001.parquet"
    raw = pairs.read_bytes()
    pairs.write_bytes(raw[:100] + b"!" + raw[101:])
    (folder / "README.md").write_text("short")
    (folder / "croissant.json").unlink()
    assert changed_files(folder, manifest) == [
        "data/pairs/test-00000-of-00001.parquet has other bytes than were built",
        f"README.md has 5 bytes, not {manifest.files[-2].bytes}",
        "croissant.json is missing",
    ]


def test_configurations_that_contradict_each_other_are_an_error(folder, tmp_path):
    other = tmp_path / "other"
    annotated = dataclasses.replace(document("3"), en=Side("en", ("One.",), ("entity",)))
    build([annotated], other, name="tiny")
    shutil.copytree(other / "data/annotated", folder / "data/annotated")
    manifest = json.loads((folder / "manifest.json").read_text())
    theirs = json.loads((other / "manifest.json").read_text())["files"]
    manifest["files"] += [file for file in theirs if file["config"] == "annotated"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match="'b/3' is not in the configuration documents"):
        list(read_parquet(folder))
