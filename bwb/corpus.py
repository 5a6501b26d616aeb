"""Documents on disk: JSONL files, and the Parquet folders that `bwb build` writes.

A built folder holds ``data/<config>/<split>-00000-of-0000N.parquet``, a card and a manifest. Its
documents are put together again from three of the configurations: `annotated` and `systems` name
documents in the order in which `documents` lists them, so one pass over the three is enough.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bwb.errors import Finding, FormatError, InputError
from bwb.records import SPLITS, Document, Split, SystemOutput
from bwb.schema import SCHEMA_VERSION, R, dumps, from_row, loads_record, to_row
from bwb.textio import read_text, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Config = Literal["annotated", "documents", "pairs", "systems"]

MANIFEST = "manifest.json"
FORMAT = "bwb dataset folder"

_STRICT = {"extra": "forbid"}
_BATCH = 64  # rows decoded at a time
_OUTPUT_FIELDS = tuple(field.name for field in dataclasses.fields(SystemOutput))


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of a built folder."""

    __pydantic_config__ = _STRICT
    path: str
    """Path within the folder, with forward slashes."""
    sha256: str
    """Digest of its bytes."""
    bytes: int
    """Size."""
    rows: int | None = None
    """Number of rows; None if it is not a Parquet file."""
    config: Config | None = None
    """Configuration it belongs to; None if it is not a Parquet file."""
    split: Split | None = None
    """Split it belongs to; None if it is not a Parquet file."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a built folder holds."""

    __pydantic_config__ = _STRICT
    format: str
    """Always `FORMAT`."""
    name: str
    """Name of the dataset."""
    version: str | None
    """Version of the dataset; None if it has none."""
    bwb_version: str
    """Version of bwb that built it."""
    schema_version: str
    """Version of the records."""
    digest: str
    """Logical digest of the documents, see `logical_digest`."""
    documents: int
    """Number of documents."""
    counts: dict[Config, dict[Split, int]]
    """Rows of each configuration and split; what has no rows is not named."""
    files: tuple[FileEntry, ...]
    """Every file but the manifest itself."""


class LogicalDigest:
    """A digest of documents that depends on what they say and on nothing else.

    It is the SHA-256 of the sorted SHA-256 digests of the documents' canonical JSON (keys sorted,
    no spaces, non-ASCII kept). So it does not depend on the order of the documents, on how they
    lie in files, or on the version of any library; it does change with `SCHEMA_VERSION`, as a new
    field is new in every document. Takes 32 bytes a document.
    """

    def __init__(self) -> None:
        """Start with no documents."""
        self._digests: list[bytes] = []

    def add(self, document: Document) -> None:
        """Add a document."""
        self.add_row(to_row(document))

    def add_row(self, row: dict[str, Any]) -> None:
        """Add a document given as `bwb.schema.to_row` gives it.

        Raises:
            InputError: if it holds a number that is not finite: JSON has no such number.
        """
        try:
            canonical = json.dumps(
                row, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
            )
        except ValueError:
            raise InputError(f"{row['id']}: a score is not finite; expected a number") from None
        self._digests.append(hashlib.sha256(canonical.encode("utf-8")).digest())

    def hexdigest(self) -> str:
        """The digest of what was added so far, 64 hexadecimal digits."""
        return hashlib.sha256(b"".join(sorted(self._digests))).hexdigest()


def logical_digest(documents: Iterable[Document]) -> str:
    """The digest of documents that is the same wherever and however they are stored.

    See `LogicalDigest`.
    """
    digest = LogicalDigest()
    for document in documents:
        digest.add(document)
    return digest.hexdigest()


def read_jsonl(path: Path) -> Iterator[Document]:
    """Read a file of one JSON document a line; see `read_records`."""
    return read_records(path, Document, lambda document: document.id, "document")


def read_records(
    path: Path, record: type[R], key: Callable[[R], str], what: str, *, empty: bool = False
) -> Iterator[R]:
    """Read a file of one JSON record a line, each checked.

    Args:
        path: The file.
        record: What a line holds.
        key: Id of a record, which no other may have.
        what: What a record is called in messages.
        empty: Whether the file may be empty.

    Raises:
        FormatError: if a line is not such a record, is empty, or has the id of an earlier one; or
            if the file is empty.
        InputError: if there is no such file.
    """
    seen: dict[str, int] = {}
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    message = f"an empty line; expected a {what} in JSON"
                    raise FormatError(Finding(str(path), number, 0, "empty-line", message))
                if line.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
                    message = "the file begins with a byte order mark; expected plain UTF-8"
                    raise FormatError(Finding(str(path), number, 1, "byte-order-mark", message))
                made = loads_record(line, record, file=str(path), number=number)
                name = key(made)
                first = seen.setdefault(name, number)
                if first != number:
                    message = f"{what} {name!r} is on line {first} already"
                    raise FormatError(Finding(str(path), number, 0, "duplicate-id", message))
                yield made
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if not seen and not empty:
        message = f"the file is empty; expected one {what} a line"
        raise FormatError(Finding(str(path), 0, 0, "empty-file", message))


def write_jsonl(documents: Iterable[Any], path: Path) -> int:
    """Write documents, or other records, one JSON object a line; returns how many.

    The file takes its name when all of it is written: an error leaves what was there before.
    """
    count = 0
    with replacing(path) as file:
        for document in documents:
            file.write(dumps(document) + "\n")
            count += 1
    return count


def is_built(path: Path) -> bool:
    """Whether a folder is one that `bwb build` wrote."""
    if not (path / MANIFEST).is_file():
        return False
    try:
        body = json.loads((path / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(body, dict) and body.get("format") == FORMAT


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of a built folder.

    Raises:
        InputError: if there is none.
        FormatError: if it is not one of ours, or of a schema version this bwb does not read.
    """
    from pydantic import TypeAdapter, ValidationError

    file = folder / MANIFEST
    text, _ = read_text(file)
    try:
        manifest = TypeAdapter(Manifest).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        message = f"{where}: {first['msg']}; expected what bwb build writes"
        raise FormatError(Finding(str(file), 0, 0, "manifest", message)) from None
    if manifest.schema_version != SCHEMA_VERSION:
        message = f"schema version {manifest.schema_version!r}; this bwb reads {SCHEMA_VERSION!r}"
        raise FormatError(Finding(str(file), 0, 0, "schema-version", message))
    return manifest


def changed_files(folder: Path, manifest: Manifest) -> list[str]:
    """What of a built folder is no longer as its manifest says: a sentence a file.

    Every file is read and hashed.
    """
    wrong = []
    for entry in manifest.files:
        path = folder / entry.path
        if not path.is_file():
            wrong.append(f"{entry.path} is missing")
        elif path.stat().st_size != entry.bytes:
            wrong.append(f"{entry.path} has {path.stat().st_size} bytes, not {entry.bytes}")
        elif sha256_file(path) != entry.sha256:
            wrong.append(f"{entry.path} has other bytes than were built")
    return wrong


def sha256_file(path: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_parquet(path: Path) -> Iterator[Document]:
    """Read the documents of a built folder, or of one of its files.

    At no time are more than a few dozen documents in memory. From a folder the documents come
    back as they were built, split by split, sorted by book and chapter. From a file of the
    configuration `annotated` they lack the outputs of systems, from one of `documents` also the
    annotations; the other configurations hold no documents.

    Raises:
        InputError: if the folder is not one that `bwb build` wrote.
        FormatError: if a file is damaged, or the configurations contradict each other.
    """
    if path.is_file():
        yield from _read_file(path)
        return
    if not is_built(path):
        raise InputError(f"{path}: not a folder that bwb build wrote; it has no {MANIFEST} of ours")
    manifest = read_manifest(path)
    annotated = _Matching(_rows(path, manifest, "annotated"), "id")
    systems = _Matching(_rows(path, manifest, "systems"), "document")
    for file, number, row in _rows(path, manifest, "documents"):
        whole = annotated.take(row["id"])
        if len(whole) > 1:
            message = f"{row['id']} has {len(whole)} rows of annotations; expected one"
            raise FormatError(Finding(str(file), number, 0, "duplicate-id", message))
        full = whole[0] if whole else row
        full["systems"] = [
            {name: output[name] for name in _OUTPUT_FIELDS} for output in systems.take(row["id"])
        ]
        yield from_row(full, file=str(file), number=number)
    annotated.finish()
    systems.finish()


class _Matching:
    """Rows that belong to documents, taken document by document in the order they lie in."""

    def __init__(self, rows: Iterator[tuple[Path, int, dict[str, Any]]], key: str) -> None:
        self._rows = rows
        self._key = key
        self._next = next(rows, None)

    def take(self, document: str) -> list[dict[str, Any]]:
        """The rows of a document, if they come next."""
        taken = []
        while self._next is not None and self._next[2].get(self._key) == document:
            taken.append(self._next[2])
            self._next = next(self._rows, None)
        return taken

    def finish(self) -> None:
        """Make sure that every row was taken.

        Raises:
            FormatError: if one was not.
        """
        if self._next is not None:
            file, number, row = self._next
            message = (
                f"{row.get(self._key)!r} is not in the configuration documents, or in another "
                "order there; was a file exchanged or renamed?"
            )
            raise FormatError(Finding(str(file), number, 0, "no-such-document", message))


def _rows(
    folder: Path, manifest: Manifest, config: Config
) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """The rows of a configuration, split by split, with their file and 1-based number in it."""
    entries = [entry for entry in manifest.files if entry.config == config and entry.split]
    entries.sort(key=lambda entry: (SPLITS.index(entry.split or "train"), entry.path))
    for entry in entries:
        path = folder / entry.path
        for number, row in enumerate(_file_rows(path), 1):
            yield path, number, row


def _file_rows(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as error:
        message = f"cannot be read as Parquet: {error}"
        raise FormatError(Finding(str(path), 0, 0, "parquet", message)) from None


def _read_file(path: Path) -> Iterator[Document]:
    for number, row in enumerate(_file_rows(path), 1):
        if not {"id", "book", "chapter", "links"} <= row.keys():
            message = (
                f"columns {', '.join(row)}: these are not documents; expected a file of the "
                "configuration annotated or documents"
            )
            raise FormatError(Finding(str(path), 0, 0, "columns", message))
        yield from_row(row, file=str(path), number=number)
