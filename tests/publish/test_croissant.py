from __future__ import annotations

import json
import logging
import warnings

import mlcroissant
import pytest

from bwb.annotations.sources import read_documents
from bwb.corpus import read_manifest, read_parquet
from bwb.publish.build import build
from bwb.publish.rows import CONFIGS, columns, document_pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("croissant") / "bwb-sample"
    build(read_documents(), out, name="bwb-sample")
    return out


def opened(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rdflib and pandas, about themselves
        return mlcroissant.Dataset(jsonld=folder / "croissant.json")


def records(folder, config):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [plain(record) for record in opened(folder).records(config)]


def plain(value):
    """Without what mlcroissant makes of it: bytes for text, numpy numbers, ids for names."""
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return value.item() if hasattr(value, "item") else value


def test_it_is_valid_without_errors_or_warnings(folder, caplog):
    with caplog.at_level(logging.WARNING):
        issues = opened(folder).metadata.ctx.issues
    assert (issues.errors, issues.warnings) == (set(), set())
    assert caplog.messages == []


def test_of_another_corpus_only_what_is_not_known_is_missing(built, tmp_path, documents):
    build(documents, tmp_path / "out", name="odd")
    issues = opened(tmp_path / "out").metadata.ctx.issues
    assert not issues.errors
    named = {warning.split('"')[1].rpartition("/")[2] for warning in issues.warnings}
    assert named == {"datePublished", "license", "version"}


def test_every_file_has_its_digest(built):
    body = json.loads((built / "croissant.json").read_text(encoding="utf-8"))
    files = {file.path: file.sha256 for file in read_manifest(built).files if file.config}
    objects = [entry for entry in body["distribution"] if entry["@type"] == "cr:FileObject"]
    assert {entry["contentUrl"]: entry["sha256"] for entry in objects} == files
    sets = [entry["includes"] for entry in body["distribution"] if "includes" in entry]
    assert sets == [f"data/{config}/*.parquet" for config in CONFIGS]


def test_every_field_is_described_but_lists_in_lists(built):
    def paths(fields, prefix=""):
        for field in fields:
            yield prefix + field["name"]
            yield from paths(field.get("subField", ()), f"{prefix}{field['name']}.")

    def wanted(fields, *, in_list=False):
        for column in fields:
            if not (in_list and column.is_list and column.children):
                yield column.path.replace("[]", "")
                yield from wanted(column.children, in_list=column.is_list)

    body = json.loads((built / "croissant.json").read_text(encoding="utf-8"))
    for record_set in body["recordSet"]:
        assert [*paths(record_set["field"])] == [*wanted(columns(record_set["@id"]))]
    text = json.dumps(body)
    assert text.count("Its lists of structs are not described here: spans.") == 2
    assert body["citeAs"].startswith("@inproceedings{jiang-etal-2022-blonde")


def test_records_are_the_rows(folder):
    documents = {document.id: document for document in read_parquet(folder)}
    read = records(folder, "annotated")
    assert {record["id"] for record in read} == documents.keys()
    for record in read:
        side = documents[record["id"]].en
        assert record["en"]["sentences"] == list(side.sentences)
        assert [m["text"] for m in record["mentions"]] == [m.text for m in side.mentions]
        assert [m["start"] for m in record["mentions"]] == [m.start for m in side.mentions]
        links = documents[record["id"]].links
        assert [link["zh"] for link in record["links"]] == [list(link.zh) for link in links]
    pairs = {pair.id: pair for d in documents.values() for pair in document_pairs(d)}
    for record in records(folder, "pairs"):
        assert (record["zh"], record["en"]) == (pairs[record["id"]].zh, pairs[record["id"]].en)
    assert len(records(folder, "systems")) == sum(len(d.systems) for d in documents.values())
    assert len(records(folder, "documents")) == len(documents)


@pytest.mark.parametrize("config", CONFIGS)
def test_records_with_gaps_can_be_read_too(built, config):
    rows = sum(read_manifest(built).counts[config].values())
    assert len(records(built, config)) == rows
