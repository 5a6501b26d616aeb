"""Reading a corpus, whatever it lies in."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bwb.annotations.assemble import assemble, type_conflicts
from bwb.annotations.corpus_folder import CorpusFolderReader, is_corpus_folder
from bwb.annotations.formats import FORMATS, seen_format
from bwb.annotations.inline import read_inline
from bwb.annotations.inline_grammar import looks_annotated
from bwb.annotations.layout import DocumentFiles, find_documents, guess_lang
from bwb.annotations.release import ReleaseReader, is_release
from bwb.assets import sample
from bwb.corpus import is_built, read_jsonl, read_parquet
from bwb.errors import InputError, UnknownNameError
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bwb.errors import Finding
    from bwb.records import Document, Lang, Side


def read_documents(
    path: Path | None = None, *, strict: bool = True, findings: list[Finding] | None = None
) -> Iterator[Document]:
    """Read the documents of a corpus one by one.

    Args:
        path: A JSONL file; a folder that `bwb build` wrote, or a Parquet file of it; a folder
            with a `corpus.toml`; the authors' release (always read leniently); a file, or a
            folder of files, in the inline format, or of brat, CoNLL-U, CoNLL-2012 or spaCy
            (always read strictly). None is the embedded sample.
        strict: Raise on the first thing that is not as it should be, instead of repairing it.
        findings: List that repairs and warnings are appended to.

    Raises:
        InputError: if there is nothing to read there, or what is there cannot be read.
    """
    path = sample() if path is None else path
    sink: list[Finding] = [] if findings is None else findings
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file():
        if other := seen_format(path):
            return read_format(other, path)
        if path.suffix in {".jsonl", ".json"}:
            return read_jsonl(path)
        if path.suffix == ".parquet":
            return read_parquet(path)
        return _inline(find_documents(path, inline_suffix(path)), strict=strict, sink=sink)
    return _folder(path, strict=strict, sink=sink)


def _folder(path: Path, *, strict: bool, sink: list[Finding]) -> Iterator[Document]:
    if is_corpus_folder(path):
        return _reporting(CorpusFolderReader(path, strict=strict), sink)
    if is_built(path):
        return read_parquet(path)
    if is_release(path):
        return _reporting(ReleaseReader(path), sink)
    if other := seen_format(path):
        return read_format(other, path)
    for suffix in (".an.txt", ".txt"):
        if groups := find_documents(path, suffix):
            return _inline(groups, strict=strict, sink=sink)
    files = [file for file in sorted(path.rglob("*.jsonl")) if file.is_file()]
    if files:
        return (document for file in files for document in read_jsonl(file))
    raise InputError(
        f"{path}: nothing to read; expected JSONL, files in the inline format (.an.txt), "
        "a corpus.toml, a folder written by bwb build, the BWB release, brat, CoNLL or spaCy files"
    )


def read_format(name: str, path: Path) -> Iterator[Document]:
    """Read documents of one of the formats that have a reader of their own.

    Raises:
        UnknownNameError: if `name` is not one of them.
    """
    readers = {key: form.read for key, form in FORMATS.items() if form.read is not None}
    if name not in readers:
        raise UnknownNameError("format", name, readers)
    return readers[name](path)


def _reporting(
    reader: ReleaseReader | CorpusFolderReader, sink: list[Finding]
) -> Iterator[Document]:
    """Pass on a reader's documents and, as they are found, its findings."""
    sink.extend(reader.take_findings())
    for document in reader:
        sink.extend(reader.take_findings())
        yield document


def inline_suffix(path: Path) -> str:
    """The part of a file's name that is not its document and language."""
    return ".an.txt" if path.name.endswith(".an.txt") else path.suffix


def _inline(
    groups: list[DocumentFiles], *, strict: bool, sink: list[Finding]
) -> Iterator[Document]:
    for group in groups:
        document, findings = read_inline_document(group, strict=strict)
        sink.extend(findings)
        yield document


def read_inline_document(
    files: DocumentFiles, *, strict: bool = True
) -> tuple[Document, list[Finding]]:
    """Read the one or two inline files of a document.

    Raises:
        FormatError: in strict mode, or if a file is empty or not UTF-8.
        LengthError: if the sides differ in length.
        InputError: if a file names no language and its text is in one that is there already.
    """
    findings: list[Finding] = []
    sides: dict[Lang, Side] = {}
    paths: list[tuple[Lang | None, Path]] = [*files.files.items()]
    if files.untagged is not None:
        paths.append((None, files.untagged))
    for lang, file in paths:
        lines, repairs = read_lines(file, strict=strict)
        findings += repairs
        lang = lang or guess_lang("\n".join(lines))
        if lang in sides:
            raise InputError(f"{file}: a second {lang} side of {files.id}")
        side, repairs = read_inline(lines, lang, file=str(file), strict=strict)
        if not file.name.endswith(".an.txt") and not looks_annotated(lines):
            side = dataclasses.replace(side, layers=())  # plain text: nobody looked
        sides[lang] = side
        findings += repairs
    document = assemble(files.id, files.book, files.chapter, sides.get("zh"), sides.get("en"))
    return document, findings + type_conflicts(document, files.id)
