"""The page of the schema: every record with its fields, an example row, the dataset's columns."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from bwb import records
from bwb.publish.rows import CONFIGS, columns
from bwb.schema import SCHEMA_VERSION, adapter, to_row
from sitegen.text import cell, escape, fence, markdown, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bwb.publish.rows import Column
    from bwb.records import Document

PAGE = "schema.md"
# Items of a list that the example shows, where it is not one.
_SHOWN = {"sentences": 2, "links": 2}
_WIDTH = 92


@cache
def anchors() -> dict[str, type[Any]]:
    """The records by name: documents and what they are made of first, then chapters."""
    found = {
        name: made
        for name, made in vars(records).items()
        if isinstance(made, type) and dataclasses.is_dataclass(made)
    }
    order = ("Document", "Side", "Mention", "Quote", "Span", "Link", "Entity", "SystemOutput")
    return {name: found[name] for name in (*order, *(n for n in found if n not in order))}


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of the page."""
    yield PAGE, page()


def page() -> str:
    """The page."""
    doc = (records.__doc__ or "").partition("\n\n")[2]
    parts = [
        "# Schema",
        f"Version {SCHEMA_VERSION}. Made from `bwb/records.py`, like the JSON Schemas in "
        "`schemas/`, the Arrow schema and the features of the dataset.",
        markdown(doc).rstrip("\n"),
        "## A row",
        "A chapter of the sample, cut: of every list only the beginning is shown.",
        fence(compact(example()), "json"),
        "## Records",
        "`| None` is a value that may be missing; `tuple[X, ...]` is a list in JSON and Arrow.",
    ]
    for name, made in anchors().items():
        rows = [
            [f"`{field}`", _type(kind), cell(text, _link)] for field, kind, text in fields(made)
        ]
        said = (made.__doc__ or "").strip()
        parts += [f"### {name}", escape(said), table(["field", "type", "what it is"], rows)]
    codes = [[str(code), escape(text)] for code, text in records.ERROR_CODES.items()]
    parts += [
        "### Codes of errors { #error_codes }",
        "0, no error, is the absence of a mark.",
        table(["code", "what is wrong"], codes),
        "## Columns of the dataset",
        "What `load_dataset` shows. Each configuration is a view of the same chapters; the columns "
        "have the names of the records' fields.",
    ]
    for config in CONFIGS:
        parts += [f"### Configuration {config}", _columns(columns(config))]
    return "\n\n".join(parts) + "\n"


def fields(made: type[Any]) -> list[tuple[str, str, str]]:
    """Name, type and description of each field of a record."""
    schema = adapter(made).json_schema(mode="serialization")
    # The schema of a record that refers to others stands among the definitions.
    if "$ref" in schema:
        schema = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    described = schema["properties"]
    return [
        (field.name, str(field.type), described[field.name].get("description", ""))
        for field in dataclasses.fields(made)
    ]


@cache
def example() -> dict[str, Any]:
    """A document of the sample with lists cut short."""
    from bwb.annotations.sources import read_documents

    document: Document = next(d for d in read_documents() if d.split == "test")
    cut: dict[str, Any] = _cut(to_row(document))
    return cut


def compact(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - JSON
    """JSON in which what fits on a line stands on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    space = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {compact(inner, indent + 2)}" for key, inner in value.items()]
        ends = "{}"
    else:
        items = [compact(inner, indent + 2) for inner in value]
        ends = "[]"
    inside = f",\n{space}".join(items)
    return f"{ends[0]}\n{space}{inside}\n{' ' * indent}{ends[1]}"


def _cut(value: Any, name: str = "") -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {key: _cut(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        many = len(value) if all(isinstance(item, str | int) for item in value) else 1
        return [_cut(item) for item in value[: _SHOWN.get(name, many)]]
    return value


def _type(kind: str) -> str:
    """The type as in the source, with a link to a record and the values of a choice."""
    for name, made in anchors().items():
        if kind.replace("tuple[", "").split(",")[0].split(" |")[0] == made.__name__:
            return f"[`{kind}`](#{name.lower()})".replace("|", "&#124;")
    shown = kind
    for word in ("Lang", "Split", "EntityType", "Form", "Layer", "QuoteKind", "EntityClass"):
        if word in kind.replace("[", " ").replace(",", " ").split():
            values = getattr(records, word).__args__
            return f"`{shown}`".replace("|", "&#124;") + f": {', '.join(values)}"
    return f"`{shown}`".replace("|", "&#124;")


def _link(name: str) -> str | None:
    known = {made.lower() for made in anchors()} | {"error_codes"}
    return f"#{name.lower()}" if name.lower() in known else None


def _columns(listed: tuple[Column, ...]) -> str:
    rows = [
        [f"`{column.path}`", cell(column.type), cell(column.description)] for column in _all(listed)
    ]
    return table(["column", "type", "what it is"], rows)


def _all(listed: tuple[Column, ...]) -> Iterator[Column]:
    for column in listed:
        yield column
        yield from _all(column.children)
