from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter

import pytest
from pyarrow import parquet

from bwb.cli import main
from bwb.corpus import logical_digest, read_manifest, read_parquet, write_jsonl
from bwb.errors import InputError, UsageError
from bwb.publish.build import build
from bwb.publish.rows import CONFIGS, RECORDS, columns, config_schema, document_pairs, is_annotated
from bwb.records import Document, Link, Side
from bwb.schema import arrow_schema


def by_id(documents):
    return {document.id: document for document in documents}


def tree(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_reading_a_folder_gives_back_the_documents(built, documents):
    back = list(read_parquet(built))
    assert by_id(back) == by_id(documents)
    # Split by split, then book and chapter, chapter 10 behind 9.
    assert [document.id for document in back] == [
        *("brook/1", "hill/1", "hill/2", "hill/3", "hill/4"),
        *("lake/1", "lake/2"),
        *("river/2", "river/9", "river/10"),
    ]


def test_what_is_looked_for_and_not_found_differs_from_not_looked_for(built):
    back = by_id(read_parquet(built))
    assert [output.errors for output in back["river/2"].systems[:2]] == [None, ()]
    assert back["lake/1"].en.named_entities
    assert back["river/2"].en.named_entities is None
    assert back["hill/2"].en is None
    assert back["lake/2"].zh.sentences == ()


def test_the_manifest_says_what_there_is(built, documents):
    manifest = read_manifest(built)
    assert (manifest.name, manifest.version, manifest.documents) == ("odd", "2.1.0", 10)
    assert manifest.digest == logical_digest(documents)
    assert manifest.counts == {
        "annotated": {"validation": 1, "test": 2},
        "documents": {"train": 5, "validation": 2, "test": 3},
        "pairs": {"train": 4, "test": 8},
        "systems": {"test": 6},
    }
    there = tree(built)
    assert {file.path for file in manifest.files} == there.keys() - {"manifest.json"}
    for file in manifest.files:
        raw = there[file.path]
        assert (file.bytes, file.sha256) == (len(raw), hashlib.sha256(raw).hexdigest())
        if file.rows is not None:
            assert file.rows == parquet.read_metadata(built / file.path).num_rows


def test_what_has_no_rows_is_left_out_and_reported(tmp_path):
    side = Side("zh", ("一。",))
    result = build([Document("b/1", "b", "1", side, split="test")], tmp_path / "out", name="x")
    assert result.manifest.counts == {"documents": {"test": 1}}
    assert len(result.left_out) == 11
    assert {"annotated/test", "pairs/test", "systems/test", "documents/train"} <= {*result.left_out}
    assert [path.name for path in (tmp_path / "out/data").iterdir()] == ["documents"]


def test_a_row_group_is_a_book(built):
    for config in CONFIGS:
        key = "document" if config in {"pairs", "systems"} else "id"
        for file in (built / "data" / config).iterdir():
            opened = parquet.ParquetFile(file)
            groups = [
                set(opened.read_row_group(n, [key]).column(key).to_pylist())
                for n in range(opened.num_row_groups)
            ]
            books = [{name.partition("/")[0] for name in group} for group in groups]
            assert all(len(book) == 1 for book in books)
            assert len({*map(str, books)}) == len(books)
            assert opened.metadata.row_group(0).column(0).compression == "ZSTD"
            opened.close()


def test_the_schemas_are_those_of_the_records(built):
    for config in CONFIGS:
        for file in (built / "data" / config).iterdir():
            schema = parquet.read_schema(file)
            assert schema.names == config_schema(config).names
    whole = arrow_schema(RECORDS["annotated"])
    assert config_schema("annotated") == whole.remove(whole.get_field_index("systems"))
    side = config_schema("documents").field("zh").type
    assert [field.name for field in side] == ["lang", "sentences", "title", "provenance"]


def test_every_field_is_described():
    def described(fields):
        for column in fields:
            assert column.description, column.path
            described(column.children)

    for config in CONFIGS:
        described(columns(config))


def test_the_same_documents_make_the_same_files(built, documents, tmp_path):
    in_order = {"river": 3, "lake": 1, "brook": 0, "hill": 2}
    shuffled = sorted(documents, key=lambda document: in_order[document.book])
    build(shuffled, tmp_path / "again", name="odd", license="CC-BY-4.0", version="2.1.0")
    assert tree(tmp_path / "again") == tree(built)


def test_one_character_changes_the_digest_and_little_else(built, documents, tmp_path):
    brook = documents[-1]
    changed = dataclasses.replace(brook, en=Side("en", ("One!", "Two.")))
    result = build(
        [*documents[:-1], changed],
        tmp_path / "changed",
        name="odd",
        license="CC-BY-4.0",
        version="2.1.0",
    )
    assert result.manifest.digest != read_manifest(built).digest
    before, after = tree(built), tree(tmp_path / "changed")
    assert {path for path in before if before[path] != after[path]} == {
        "data/documents/train-00000-of-00001.parquet",
        "data/pairs/train-00000-of-00001.parquet",
        "croissant.json",
        "manifest.json",
    }


def test_shards_hold_so_many_books(documents, tmp_path):
    more = [dataclasses.replace(d, split="train") for d in documents]
    build(more, tmp_path / "out", name="x", max_shard_books=3)
    names = sorted(path.name for path in (tmp_path / "out/data/documents").iterdir())
    assert names == ["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"]
    assert by_id(read_parquet(tmp_path / "out")) == by_id(more)


def test_pairs_are_the_links_with_their_text(documents):
    pairs = list(document_pairs(documents[0]))
    assert [(pair.id, pair.zh, pair.en) for pair in pairs] == [
        ("river/10#0", "闻溪提着灯。“谁在那里？”她问。", documents[0].en.sentences[0]),
        ("river/10#1", "没有人。", None),
        ("river/10#2", None, "Nobody."),
    ]
    both = Document("b/1", "b", "1", None, Side("en", ("a", "", "c")), (Link((), (0, 1, 2)),))
    assert next(document_pairs(both)).en == "a  c"


@pytest.mark.parametrize("link", [Link((0,), (2,)), Link((-1,), (0,)), Link((0,), (0,))])
def test_a_link_to_no_sentence_is_an_error(link):
    document = Document("b/1", "b", "1", None, Side("en", ("a", "b")), (link,))
    with pytest.raises(InputError, match=r"link b/1#0: no sentence"):
        list(document_pairs(document))


def test_named_entities_count_as_annotation(documents):
    assert {document.id for document in documents if is_annotated(document)} == {
        *("river/10", "river/2", "lake/1")
    }


def refused(documents, out, match, **options):
    before = Counter(out.parent.iterdir())
    with pytest.raises(InputError, match=match):
        build(documents, out, name="x", **options)
    assert Counter(out.parent.iterdir()) == before


def test_documents_that_do_not_fit_are_refused(documents, tmp_path):
    out = tmp_path / "out"
    first, second = documents[:2]
    refused([first, first], out, "river/10: two documents have this id")
    renamed = dataclasses.replace(documents[3], id=first.id)
    refused([first, renamed], out, "river/10: two documents have this id")
    refused([first, documents[3], second], out, "river/2: chapters of book 'river' come after")
    elsewhere = dataclasses.replace(second, split="train")
    refused([first, elsewhere], out, "river/2: split train, but river/10 is in test")
    undivided = dataclasses.replace(second, split=None)
    refused([first, undivided], out, "river/2: .*no split; expected train, validation, test")
    refused([], out, "no documents")


def test_a_default_split_is_for_documents_without(documents, tmp_path):
    undivided = [dataclasses.replace(document, split=None) for document in documents[:2]]
    result = build(undivided, tmp_path / "out", name="x", default_split="validation")
    assert result.manifest.counts["documents"] == {"validation": 2}
    divided = [dataclasses.replace(document, split="validation") for document in undivided]
    assert result.manifest.digest == logical_digest(divided)


def test_an_interrupted_build_leaves_nothing(documents, tmp_path):
    def interrupted():
        yield from documents[:5]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(interrupted(), tmp_path / "out", name="x")
    assert list(tmp_path.iterdir()) == []


def test_a_build_is_replaced_only_if_asked(documents, tmp_path):
    out = tmp_path / "out"
    build(documents, out, name="first")
    refused(documents, out, "out exists; overwrite it")
    build(documents[:1], out, name="second", overwrite=True)
    assert read_manifest(out).name == "second"
    assert [document.id for document in read_parquet(out)] == ["river/10"]

    def failing():
        yield documents[0]
        raise InputError("no more")

    refused(failing(), out, "no more", overwrite=True)
    assert read_manifest(out).name == "second"


def test_what_is_not_a_build_is_never_replaced(documents, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    build(documents, mine, name="x")  # an empty folder may be filled
    file = tmp_path / "file"
    file.write_text("mine")
    refused(documents, file, "not a folder that bwb build wrote", overwrite=True)
    (mine / "manifest.json").write_text("{}")
    refused(documents, mine, "not a folder that bwb build wrote", overwrite=True)
    with pytest.raises(InputError, match="cannot be written"):
        build(documents, file / "out", name="x")


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "x", "version": "1.0"}, r"version '1\.0': expected major\.minor\.patch"),
        ({"name": "x", "published": "soon"}, "date 'soon': expected year-month-day"),
    ],
)
def test_what_makes_no_sense_is_refused(documents, tmp_path, said, match):
    with pytest.raises(UsageError, match=match):
        build(documents, tmp_path / "out", **said)


def test_the_manifest_is_plain_json(built):
    body = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    assert body["format"] == "bwb dataset folder"
    assert body["schema_version"] == "1"


def test_the_command_builds_the_sample(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["build", "--out", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    body = json.loads(captured.out)
    assert captured.err == ""
    manifest = read_manifest(out)
    assert (body["schema_version"], body["name"], body["version"]) == ("1", "bwb-sample", "1.0.0")
    assert body["counts"] == manifest.counts
    assert body["digest"] == manifest.digest
    assert body["left_out"] == []
    assert main(["build", "--out", str(out)]) == 1
    assert "overwrite it (--overwrite)" in capsys.readouterr().err
    assert main(["build", "--out", str(out), "--overwrite"]) == 0
    assert "bwb-sample: 8 documents" in capsys.readouterr().out
    assert read_manifest(out).digest == manifest.digest


def test_the_command_builds_other_corpora(documents, tmp_path, capsys):
    undivided = [dataclasses.replace(document, split=None) for document in documents[:2]]
    write_jsonl(undivided, tmp_path / "mine.jsonl")
    own = [str(tmp_path / "mine.jsonl"), "--out", str(tmp_path / "out")]
    assert main(["build", *own]) == 1
    assert "river/10: the document has no split" in capsys.readouterr().err
    options = ["--split", "test", "--version", "0.1.0", "--license", "CC0-1.0", "--date"]
    assert main(["build", *own, *options, "2026-01-31"]) == 0
    captured = capsys.readouterr()
    assert "mine: 2 documents" in captured.out
    assert "left out: annotated/train" in captured.err
    body = json.loads((tmp_path / "out/croissant.json").read_text(encoding="utf-8"))
    assert (body["name"], body["version"]) == ("mine", "0.1.0")
    assert (body["license"], body["datePublished"]) == (
        "https://spdx.org/licenses/CC0-1.0",
        "2026-01-31",
    )
    # A built folder is a corpus like any other.
    again = ["build", str(tmp_path / "out"), "--out", str(tmp_path / "again"), "--name", "other"]
    assert main(again) == 0
    manifest = read_manifest(tmp_path / "again")
    assert manifest.name == "other"
    assert manifest.digest == read_manifest(tmp_path / "out").digest
    (tmp_path / "card.md").write_text("---\nlicense: mit\n---\n<!-- title -->\nOwn.\n")
    own_card = ["--overwrite", "--split", "test", "--card", str(tmp_path / "card.md")]
    assert main(["build", *own, *own_card]) == 0
    assert (tmp_path / "out/README.md").read_text().endswith("# mine\nOwn.\n")
