"""Documents to a dataset folder that `datasets` and the Hub read.

    data/<config>/<split>-00000-of-0000N.parquet   one row group a book
    README.md       the dataset card
    croissant.json  the same for machines
    manifest.json   digests and counts

Documents stream through: at most one book is in memory. They may come in any order of books, but
the chapters of a book must come together; in the folder they are sorted by split, book and
chapter, so that the same documents make the same files. All of it is written beside the target
and renamed in the end: an interrupted build leaves nothing, or what was there before.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bwb import __version__
from bwb.annotations.layout import natural_key
from bwb.corpus import (
    FORMAT,
    MANIFEST,
    Config,
    FileEntry,
    LogicalDigest,
    Manifest,
    is_built,
    sha256_file,
)
from bwb.errors import InputError
from bwb.publish.card import About, Size, Sizes, card_template, render_card
from bwb.publish.croissant import CROISSANT, croissant
from bwb.publish.rows import CONFIGS, Rows, config_schema, document_rows
from bwb.records import LANGS, SPLITS, Document, Split
from bwb.schema import SCHEMA_VERSION
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

# 384 books of BWB make 16 shards of the training split.
MAX_SHARD_BOOKS = 24

_COMPRESSION_LEVEL = 3  # 9 saves 4 % for 3.5 times the time


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What was built.

    Attributes:
        folder: The dataset folder.
        manifest: Its manifest: digest, counts, files.
        left_out: ``config/split`` of those that have no rows, and so no file.
    """

    folder: Path
    manifest: Manifest
    left_out: tuple[str, ...]


def build(
    documents: Iterable[Document],
    out: Path,
    *,
    name: str,
    description: str | None = None,
    version: str | None = None,
    license: str | None = None,
    published: str | None = None,
    card: str | None = None,
    default_split: Split | None = None,
    max_shard_books: int = MAX_SHARD_BOOKS,
    overwrite: bool = False,
) -> BuildResult:
    """Write documents as a dataset folder.

    Args:
        documents: The documents; the chapters of a book come one after the other.
        out: Folder to make.
        name: Name of the dataset; ``bwb-sample`` has the card that tells how that was made.
        description: One sentence or a few on what it is.
        version: Version of the data, ``major.minor.patch``; None if it has none.
        license: SPDX identifier of the licence, such as ``CC-BY-4.0``; None if not known.
        published: Date of publication, ISO 8601; None if it is not published.
        card: Template of the card, in place of DATASET_CARD.md.
        default_split: Split of documents that say none.
        max_shard_books: Most books that one Parquet file holds.
        overwrite: Whether to replace a folder that an earlier build wrote.

    Raises:
        InputError: if there are no documents; a document has no split, or the id of another; the
            chapters of a book do not come together, or lie in several splits; or `out` exists
            and is not to be, or not ours to be, overwritten.
    """
    _check_target(out, overwrite=overwrite)
    about = About.of(
        name, description=description, version=version, license=license, published=published
    )
    with _folder_beside(out) as work:
        stage = _Stage(work / "stage", default_split)
        for document in documents:
            stage.add(document)
        stage.finish()
        languages = tuple(lang for lang in LANGS if lang in stage.languages)
        about = dataclasses.replace(about, languages=languages)
        folder = work / "folder"
        manifest = _write(folder, stage, about, card, max_shard_books)
        _move(folder, out, overwrite=overwrite)
    empty = [f"{c}/{s}" for c in CONFIGS for s in SPLITS if s not in manifest.counts.get(c, {})]
    return BuildResult(out, manifest, tuple(empty))


@dataclass(frozen=True, slots=True)
class _Book:
    """A book that lies in the stage: its rows in each configuration, as an Arrow file."""

    id: str
    split: Split
    files: dict[Config, Path] = field(default_factory=dict)


class _Stage:
    """Takes documents, checks them, and puts each book by until all are there."""

    def __init__(self, folder: Path, default_split: Split | None) -> None:
        folder.mkdir()
        self.books: list[_Book] = []
        self.languages: set[str] = set()
        self.digest = LogicalDigest()
        self.documents = 0
        self._folder = folder
        self._default_split = default_split
        self._ids: set[str] = set()
        self._seen_books: set[str] = set()
        self._open: list[tuple[Document, Rows]] = []

    def add(self, document: Document) -> None:
        """Take a document.

        Raises:
            InputError: as `build`.
        """
        if document.split is None and self._default_split is not None:
            document = dataclasses.replace(document, split=self._default_split)
        if document.split is None:
            raise InputError(
                f"{document.id}: the document has no split; expected {', '.join(SPLITS)}"
            )
        if document.id in self._ids:
            raise InputError(f"{document.id}: two documents have this id")
        if self._open and self._open[0][0].book != document.book:
            self._flush()
        if document.book in self._seen_books:
            raise InputError(
                f"{document.id}: chapters of book {document.book!r} come after those of another "
                "book; expected the chapters of a book one after the other"
            )
        if self._open and (first := self._open[0][0]).split != document.split:
            raise InputError(
                f"{document.id}: split {document.split}, but {first.id} is in {first.split}; "
                "expected all chapters of a book in one split"
            )
        rows = document_rows(document)
        self._ids.add(document.id)
        self._open.append((document, rows))
        self.languages.update(side.lang for side in document.sides)
        self.digest.add_row(rows["documents"][0])
        self.documents += 1

    def finish(self) -> None:
        """Say that there are no more documents.

        Raises:
            InputError: if there were none.
        """
        if not self._open:
            raise InputError("there are no documents to build a dataset from")
        self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        first = self._open[0][0]
        book = _Book(first.book, first.split or "train")
        self._open.sort(key=lambda chapter: (natural_key(chapter[0].chapter), chapter[0].id))
        for config in CONFIGS:
            if made := [row for _, rows in self._open for row in rows[config]]:
                path = self._folder / f"{len(self.books)}.{config}.arrow"
                table = pa.Table.from_pylist(made, schema=config_schema(config))
                with pa.ipc.new_file(str(path), table.schema) as writer:
                    writer.write_table(table)
                book.files[config] = path
        self.books.append(book)
        self._seen_books.add(first.book)
        self._open = []


def _write(
    folder: Path, stage: _Stage, about: About, card: str | None, max_shard_books: int
) -> Manifest:
    """Write everything: data, then what describes it, then the manifest."""
    entries, sizes = _write_shards(stage.books, folder, max_shard_books)
    entries += _describe(folder, about, sizes, entries, card)
    manifest = _manifest(about, stage, sizes, entries)
    with replacing(folder / MANIFEST) as file:
        body = dataclasses.asdict(manifest)
        file.write(json.dumps(body, ensure_ascii=False, indent=2) + "\n")
    return manifest


def _write_shards(
    books: Iterable[_Book], folder: Path, max_shard_books: int
) -> tuple[list[FileEntry], Sizes]:
    """Write the Parquet files; returns their entries and the sizes of what they hold."""
    folder.mkdir()
    ordered = sorted(books, key=lambda book: (natural_key(book.id), book.id))
    entries: list[FileEntry] = []
    sizes: Sizes = {}
    for config in CONFIGS:
        for split in SPLITS:
            there = [b.files[config] for b in ordered if b.split == split and config in b.files]
            count = -(-len(there) // max_shard_books)
            for shard in range(count):
                path = f"data/{config}/{split}-{shard:05d}-of-{count:05d}.parquet"
                part = there[shard * max_shard_books : (shard + 1) * max_shard_books]
                rows, memory = _write_shard(folder / path, part, config)
                entry = _entry(folder, path, rows=rows, config=config, split=split)
                entries.append(entry)
                sofar = sizes.setdefault(config, {}).get(split, Size(0, 0, 0))
                sizes[config][split] = sofar + Size(rows, memory, entry.bytes)
    return entries, sizes


def _write_shard(path: Path, books: Sequence[Path], config: Config) -> tuple[int, int]:
    """Write books as one file, a row group each; returns rows, and bytes in memory."""
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    rows = memory = 0
    with parquet.ParquetWriter(
        path,
        config_schema(config),
        compression="zstd",
        compression_level=_COMPRESSION_LEVEL,
        use_content_defined_chunking=True,
        write_page_index=True,
    ) as writer:
        for book in books:
            table = _read_arrow(book)
            writer.write_table(table, row_group_size=table.num_rows)
            rows += table.num_rows
            memory += table.nbytes
    return rows, memory


def _read_arrow(path: Path) -> pa.Table:
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _describe(
    folder: Path, about: About, sizes: Sizes, data: Sequence[FileEntry], card: str | None
) -> list[FileEntry]:
    """Write card and Croissant file."""
    template = card_template() if card is None else card
    with replacing(folder / "README.md") as file:
        file.write(render_card(template, about, sizes))
    with replacing(folder / CROISSANT) as file:
        body = croissant(about, data, template)
        file.write(json.dumps(body, ensure_ascii=False, indent=2) + "\n")
    return [_entry(folder, "README.md"), _entry(folder, CROISSANT)]


def _entry(
    folder: Path,
    path: str,
    *,
    rows: int | None = None,
    config: Config | None = None,
    split: Split | None = None,
) -> FileEntry:
    file = folder / path
    return FileEntry(path, sha256_file(file), file.stat().st_size, rows, config, split)


def _manifest(about: About, stage: _Stage, sizes: Sizes, entries: Sequence[FileEntry]) -> Manifest:
    return Manifest(
        format=FORMAT,
        name=about.name,
        version=about.version,
        bwb_version=__version__,
        schema_version=SCHEMA_VERSION,
        digest=stage.digest.hexdigest(),
        documents=stage.documents,
        counts={c: {s: size.rows for s, size in splits.items()} for c, splits in sizes.items()},
        files=tuple(entries),
    )


def _check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse to write over what is there, unless it is a build and is meant to be replaced."""
    if not out.exists() and not out.is_symlink():
        return
    if out.is_dir() and not out.is_symlink() and not any(out.iterdir()):
        return
    if not is_built(out):
        raise InputError(f"{out} exists and is not a folder that bwb build wrote; choose another")
    if not overwrite:
        raise InputError(f"{out} exists; overwrite it (--overwrite) or choose another folder")


@contextlib.contextmanager
def _folder_beside(out: Path) -> Iterator[Path]:
    """A folder in the one `out` will be in, removed in the end."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from None
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _move(folder: Path, out: Path, *, overwrite: bool) -> None:
    """Give the finished folder its name.

    The old folder, if any, is moved into the working folder, where it is removed with it.
    """
    _check_target(out, overwrite=overwrite)
    old = folder.parent / "old"
    try:
        if is_built(out):
            out.rename(old)
        folder.rename(out)  # also over an empty folder
    except OSError as error:
        with contextlib.suppress(OSError):
            old.rename(out)
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from None
