"""What is derived from the records: JSON Schemas, Arrow schema, dataset features, validation.

Nothing here is written by hand a second time: a field added to a record appears in all of them.
"""

from __future__ import annotations

import dataclasses
import json
import types
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from bwb.errors import Finding, FormatError
from bwb.records import Chapter, Document

if TYPE_CHECKING:
    from pathlib import Path

    import datasets
    import pyarrow as pa
    from pydantic import TypeAdapter

SCHEMA_VERSION = "1"

R = TypeVar("R")


_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}


def adapter(record: type[R]) -> TypeAdapter[R]:
    """The pydantic validator and serialiser of a record (built once: 30 ms for documents)."""
    if record not in _ADAPTERS:
        from pydantic import TypeAdapter

        _ADAPTERS[record] = TypeAdapter(record)
    return _ADAPTERS[record]


def json_schema(record: type[Any] = Document) -> dict[str, Any]:
    """JSON Schema (2020-12) of a record, one line of a JSONL file."""
    schema = adapter(record).json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"Generated from bwb/records.py; schema version {SCHEMA_VERSION}.",
        **schema,
    }


def write_schemas(folder: Path) -> list[Path]:
    """Write every generated schema into a folder; returns the files."""
    files = {"chapter.schema.json": json_schema(Chapter), "document.schema.json": json_schema()}
    written = []
    for name, schema in files.items():
        path = folder / name
        path.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return written


def dumps(record: Any) -> str:  # noqa: ANN401 - any of the records
    """A record as one line of JSON, non-ASCII kept, keys in the order of the record."""
    return adapter(type(record)).dump_json(record).decode("utf-8")


def loads(line: str | bytes, *, file: str = "<string>", number: int = 1) -> Document:
    """Parse and check one line of a JSONL corpus; see `loads_record`."""
    return loads_record(line, Document, file=file, number=number)


def loads_record(
    line: str | bytes, record: type[R], *, file: str = "<string>", number: int = 1
) -> R:
    """Parse and check one line of a JSONL file of records.

    Args:
        line: The JSON text.
        record: What it should be.
        file: Name for messages.
        number: 1-based line number for messages.

    Raises:
        FormatError: with the file, the line, the path to the field, its value and what is
            allowed there.
    """
    from pydantic import ValidationError

    try:
        return adapter(record).validate_json(line, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        value = repr(first.get("input"))
        value = value if len(value) <= 80 else value[:77] + "..."
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        message = f"{where}: {first['msg']}; found {value}{more}"
        raise FormatError(Finding(file, number, 0, "bad-record", message)) from None


def to_row(document: Document) -> dict[str, Any]:
    """A document as nested dicts and lists, as Arrow and JSON want it."""
    row: dict[str, Any] = adapter(Document).dump_python(document, mode="json")
    return row


def from_row(row: dict[str, Any], *, file: str = "<row>", number: int = 1) -> Document:
    """The inverse of `to_row`, checked.

    Raises:
        FormatError: as `loads`.
    """
    return loads(json.dumps(row, ensure_ascii=False), file=file, number=number)


def arrow_schema(record: type[Any] = Document) -> pa.Schema:
    """The Arrow schema of a record; every column explicit, so that an empty list has a type."""
    import pyarrow as pa

    return pa.schema(_arrow_struct(record))


def features(record: type[Any] = Document) -> datasets.Features:
    """The `datasets` features of a record."""
    import datasets

    return datasets.Features.from_arrow_schema(arrow_schema(record))


def _arrow_struct(record: type[Any]) -> pa.StructType:
    import pyarrow as pa

    hints = get_type_hints(record)
    return pa.struct([(f.name, _arrow_type(hints[f.name])) for f in dataclasses.fields(record)])


def _arrow_type(hint: Any) -> pa.DataType:  # noqa: ANN401 - a type expression
    import pyarrow as pa

    scalars = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if hint in scalars:
        return scalars[hint]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _arrow_struct(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _arrow_type(type(arguments[0]))
    if origin in {Union, types.UnionType}:
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return _arrow_type(inner)
    if origin is tuple:
        return pa.list_(_arrow_type(arguments[0]))
    raise TypeError(f"no Arrow type for {hint!r}")
