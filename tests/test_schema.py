from __future__ import annotations

import dataclasses
import json

import pyarrow as pa
import pytest

from bwb.annotations.corpus_folder import CorpusFolderReader
from bwb.assets import sample
from bwb.errors import FormatError
from bwb.records import Document, Mention, Side
from bwb.schema import (
    arrow_schema,
    dumps,
    features,
    from_row,
    json_schema,
    loads,
    to_row,
    write_schemas,
)


@pytest.fixture(scope="module")
def document():
    return next(iter(CorpusFolderReader(sample())))


def test_the_schemas_in_the_repository_are_those_of_the_records(repository, tmp_path):
    for file in write_schemas(tmp_path):
        committed = repository / "schemas" / file.name
        assert committed.read_text("utf-8") == file.read_text("utf-8"), "run: make schemas"
    assert {f.name for f in tmp_path.iterdir()} == {
        f.name for f in (repository / "schemas").iterdir() if f.suffix == ".json"
    }


def test_every_field_is_described():
    schema = json_schema()
    for name, record in {**schema["$defs"], "Document": schema}.items():
        assert record["additionalProperties"] is False, name
        for field, what in record["properties"].items():
            assert what.get("description"), f"{name}.{field} has no docstring"


def test_a_document_survives_json_and_arrow(document):
    assert loads(dumps(document)) == document
    table = pa.Table.from_pylist([to_row(document)], schema=arrow_schema())
    assert from_row(table.to_pylist()[0]) == document
    assert features().arrow_schema.names == arrow_schema().names


def test_arrow_has_a_type_for_every_empty_list():
    empty = Document("a/1", "a", "1", zh=Side("zh", ()))
    table = pa.Table.from_pylist([to_row(empty)], schema=arrow_schema())
    assert "null" not in str(table.schema).split()
    assert from_row(table.to_pylist()[0]) == empty


def test_annotated_and_empty_is_told_from_not_annotated():
    looked = Document("a/1", "a", "1", en=Side("en", ("Rain.",), layers=("entity",)))
    never = Document("a/1", "a", "1", en=Side("en", ("Rain.",)))
    assert loads(dumps(looked)).en.layers == ("entity",)
    assert loads(dumps(looked)) != loads(dumps(never))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "colour: Unexpected keyword argument; found 'red'"),
        ({"id": 7}, "id: Input should be a valid string; found 7"),
        ({"split": "dev"}, "split: Input should be 'train', 'validation' or 'test'; found 'dev'"),
    ],
)
def test_a_bad_line_is_named_with_its_field_value_and_what_is_allowed(document, change, message):
    line = json.dumps({**to_row(document), **change})
    with pytest.raises(FormatError) as caught:
        loads(line, file="c.jsonl", number=3)
    assert str(caught.value).startswith("c.jsonl:3: ")
    assert message in str(caught.value)


def test_numbers_as_text_are_not_numbers(document):
    row = to_row(document)
    row["en"]["mentions"][0]["start"] = "0"
    with pytest.raises(FormatError, match=r"mentions\.0\.start"):
        loads(json.dumps(row))


def test_records_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Mention("m1", "1", 0, 1, 0, "a").start = 2
