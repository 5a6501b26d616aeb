"""The four configurations of a dataset: what a row of each is.

    annotated   a chapter with everything annotated on it      Document without `systems`
    documents   a chapter: sentences, links, provenance        Document without annotations
    pairs       a link: sentences that translate each other    Pair
    systems     a system's output for a chapter                SystemRow

No schema is written out here: a configuration is a record, less the fields it leaves out.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from bwb.corpus import Config
from bwb.errors import InputError
from bwb.records import Document, ErrorMark, Split
from bwb.schema import arrow_schema, to_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from bwb.records import Side

CONFIGS: tuple[Config, ...] = get_args(Config)
Rows = dict[Config, list[dict[str, Any]]]

# Read by pydantic: the docstring below a field is its description.
_DESCRIBED = {"use_attribute_docstrings": True}


@dataclass(frozen=True, slots=True)
class Pair:
    """A link between sentences, with the sentences."""

    __pydantic_config__ = _DESCRIBED
    id: str
    """``<document>#<n>``, n counting the document's links from 0."""
    document: str
    """Id of the document."""
    book: str
    """Id of the book."""
    chapter: str
    """Id of the chapter within its book."""
    split: Split | None
    """Split of the book."""
    genre: str | None
    """Genre of the book."""
    zh: str | None
    """The Chinese sentences, joined with nothing between; None if the link has none."""
    en: str | None
    """The English sentences, joined with spaces; None if the link has none."""
    zh_sentences: tuple[int, ...]
    """Indices of the Chinese sentences in the document, from 0."""
    en_sentences: tuple[int, ...]
    """Indices of the English sentences in the document, from 0."""
    method: str
    """How the link was made."""
    score: float | None
    """The method's confidence; None if it has none."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system's output for a document."""

    __pydantic_config__ = _DESCRIBED
    document: str
    """Id of the document."""
    book: str
    """Id of the book."""
    chapter: str
    """Id of the chapter within its book."""
    split: Split | None
    """Split of the book."""
    system: str
    """Name of the system."""
    sentences: tuple[str, ...]
    """As many as the Chinese side has; a sentence may be empty."""
    errors: tuple[ErrorMark, ...] | None
    """Marked errors; empty if looked for and none found, None if never looked for."""


RECORDS: dict[Config, type[Any]] = {
    "annotated": Document,
    "documents": Document,
    "pairs": Pair,
    "systems": SystemRow,
}

# What a configuration leaves out of its record, by path.
_ANNOTATIONS = ("layers", "mentions", "quotes", "named_entities")
_DROPPED: dict[Config, frozenset[str]] = {
    "annotated": frozenset({"systems"}),
    "documents": frozenset(
        {"systems", "entities", *(f"{side}.{f}" for side in ("zh", "en") for f in _ANNOTATIONS)}
    ),
    "pairs": frozenset(),
    "systems": frozenset(),
}

_PAIR_FIELDS = tuple(field.name for field in dataclasses.fields(Pair))


@cache
def config_schema(config: Config) -> pa.Schema:
    """The Arrow schema of a configuration."""
    import pyarrow as pa

    return pa.schema(_without(arrow_schema(RECORDS[config]), _DROPPED[config]))


def _without(fields: pa.Schema | pa.StructType, dropped: frozenset[str]) -> list[pa.Field]:
    """Fields less those dropped; a path with a dot drops a field of a struct."""
    import pyarrow as pa

    kept = []
    for field in fields:
        if field.name in dropped:
            continue
        prefix = f"{field.name}."
        inner = frozenset(d.removeprefix(prefix) for d in dropped if d.startswith(prefix))
        kept.append(field.with_type(pa.struct(_without(field.type, inner))) if inner else field)
    return kept


def is_annotated(document: Document) -> bool:
    """Whether a document carries any annotation: a layer, or the release's named entities."""
    return bool(document.entities) or any(
        side.layers or side.mentions or side.quotes or side.named_entities is not None
        for side in document.sides
    )


def document_rows(document: Document) -> Rows:
    """The rows that a document has in each configuration, perhaps none.

    A row may hold more than its configuration's schema has: Arrow takes what the schema names.
    """
    row = to_row(document)
    place = {key: row[key] for key in ("book", "chapter", "split")}
    return {
        "annotated": [row] if is_annotated(document) else [],
        "documents": [row],
        "pairs": [
            {name: getattr(pair, name) for name in _PAIR_FIELDS}
            for pair in document_pairs(document)
        ],
        "systems": [{"document": document.id, **place, **output} for output in row["systems"]],
    }


def document_pairs(document: Document) -> Iterator[Pair]:
    """The links of a document with their sentences.

    Raises:
        InputError: if a link names a sentence that there is not.
    """
    for number, link in enumerate(document.links):
        name = f"{document.id}#{number}"
        yield Pair(
            id=name,
            document=document.id,
            book=document.book,
            chapter=document.chapter,
            split=document.split,
            genre=document.genre,
            zh=_joined("", link.zh, document.zh, name),
            en=_joined(" ", link.en, document.en, name),
            zh_sentences=link.zh,
            en_sentences=link.en,
            method=link.method,
            score=link.score,
        )


def _joined(between: str, indices: tuple[int, ...], side: Side | None, name: str) -> str | None:
    sentences = side.sentences if side else ()
    for index in indices:
        if not 0 <= index < len(sentences):
            raise InputError(f"link {name}: no sentence {index}; the side has {len(sentences)}")
    return between.join(sentences[index] for index in indices) if indices else None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a configuration, or a field within one.

    Attributes:
        name: Name of the field.
        path: Path from the row, with dots, and ``[]`` after a list: ``zh.mentions[].start``.
        type: As the card says it: ``string``, ``list of int64``, ``list of struct``.
        description: The docstring of the record's field.
        children: The fields of the struct, or of the structs in the list.
    """

    name: str
    path: str
    type: str
    description: str
    children: tuple[Column, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether it holds a list."""
        return self.type.startswith("list of ")


@cache
def columns(config: Config) -> tuple[Column, ...]:
    """The columns of a configuration with their descriptions, which are the records' own."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(RECORDS[config]).json_schema(mode="serialization")
    return _columns(config_schema(config), schema, schema.get("$defs", {}), "")


def _columns(
    fields: pa.Schema | pa.StructType,
    schema: dict[str, Any],
    definitions: dict[str, Any],
    prefix: str,
) -> tuple[Column, ...]:
    import pyarrow as pa

    made = []
    for field in fields:
        described = schema["properties"][field.name]
        inner = field.type.value_type if pa.types.is_list(field.type) else field.type
        path = f"{prefix}{field.name}"
        children: tuple[Column, ...] = ()
        if pa.types.is_struct(inner):
            deeper = f"{path}[]." if pa.types.is_list(field.type) else f"{path}."
            children = _columns(inner, _referred(described, definitions), definitions, deeper)
        name = "struct" if pa.types.is_struct(inner) else str(inner)
        kind = f"list of {name}" if pa.types.is_list(field.type) else name
        made.append(Column(field.name, path, kind, described.get("description", ""), children))
    return tuple(made)


def _referred(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of the object that a property is, or may be, or is a list of."""
    if "$ref" in schema:
        referred: dict[str, Any] = definitions[schema["$ref"].rpartition("/")[2]]
        return referred
    for inner in (*schema.get("anyOf", ()), schema.get("items", {})):
        if inner and inner.get("type") != "null":
            return _referred(inner, definitions)
    return schema
