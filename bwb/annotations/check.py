"""Checking whatever a person points at, collecting all findings instead of stopping at one."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bwb.annotations.corpus_folder import CorpusFolderReader, is_corpus_folder
from bwb.annotations.formats import seen_format
from bwb.annotations.layout import DocumentFiles, find_documents
from bwb.annotations.release import ReleaseReader, is_release
from bwb.annotations.sources import inline_suffix, read_documents, read_inline_document
from bwb.annotations.validate import validate
from bwb.corpus import is_built, read_parquet
from bwb.errors import BwbError, Finding, FormatError, InputError, LengthError
from bwb.schema import loads
from bwb.textio import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from bwb.records import Document


@dataclass(slots=True)
class Report:
    """What was checked and what was found.

    Attributes:
        documents: Number of documents that could be read.
        sides: For each language, the numbers of sentences, mentions and quotes.
        findings: All findings.
    """

    documents: int = 0
    sides: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def total(self, what: str) -> int:
        """Sentences, mentions or quotes of both languages."""
        return sum(side[what] for side in self.sides.values())

    @property
    def failed(self) -> bool:
        """Whether any finding is an error that is not repaired."""
        return any(finding.fails for finding in self.findings)


def check(paths: Sequence[Path], *, lenient: bool = False) -> Report:
    """Check files and folders.

    Everything is read leniently, so that one problem does not hide the next; without `lenient`
    what would have been repaired is an error.

    Args:
        paths: JSONL files, inline files (the two sides of a document may be given as two paths),
            folders of either, corpus folders, releases, built datasets.
        lenient: Whether repairs are acceptable.

    Raises:
        InputError: if a path does not exist or there is nothing to check in it.
    """
    report = Report()
    seen: dict[str, str] = {}
    for origin, document, findings in _read_all(paths):
        report.findings += findings if lenient else map(_unrepaired, findings)
        if document is None:
            continue
        report.documents += 1
        if document.id in seen:
            message = f"document id {document.id!r} is also in {seen[document.id]}"
            report.findings.append(Finding(origin, 0, 0, "duplicate-id", message))
        seen.setdefault(document.id, origin)
        report.findings += validate(document)
        for side in document.sides:
            counts = report.sides.setdefault(side.lang, Counter())
            counts["sentences"] += len(side.sentences)
            counts["mentions"] += len(side.mentions)
            counts["quotes"] += len(side.quotes)
    if not report.documents and not report.findings:
        raise InputError(f"nothing to check in {', '.join(map(str, paths))}")
    return report


# Where a document was read from, the document (None if it could not be read), what was found.
_Read = tuple[str, "Document | None", list[Finding]]


def _unrepaired(finding: Finding) -> Finding:
    return dataclasses.replace(finding, repair=None)


def _read_all(paths: Sequence[Path]) -> Iterator[_Read]:
    inline: list[DocumentFiles] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        own = path.suffix in {".jsonl", ".json", ".parquet"} or seen_format(path)
        if path.is_file() and not own:
            inline += find_documents(path, inline_suffix(path))
        elif seen_format(path) and not is_built(path):
            yield from _other(path)
        elif path.is_file():
            yield from _jsonl(path) if path.suffix != ".parquet" else _built(path)
        elif is_corpus_folder(path):
            yield from _corpus_folder(path)
        elif is_built(path):
            yield from _built(path)
        elif is_release(path):
            yield from _release(path)
        else:
            for file in sorted(path.rglob("*.jsonl")):
                yield from _jsonl(file)
            found = find_documents(path, ".an.txt")
            inline += found or find_documents(path, ".txt")
    for group in _merged(inline):
        yield _caught(group.id, partial(read_inline_document, group, strict=False))


def _merged(groups: Iterable[DocumentFiles]) -> list[DocumentFiles]:
    """Join the sides of a document that were given as separate paths."""
    merged: dict[str, DocumentFiles] = {}
    for group in groups:
        other = merged.get(group.id)
        if other is None:
            merged[group.id] = group
            continue
        both = set(other.files) & set(group.files)
        if both or (other.untagged and group.untagged):
            side = next(iter(both), None)
            first = other.files[side] if side else other.untagged
            second = group.files[side] if side else group.untagged
            raise InputError(f"{group.id}: two files for the same side: {first} and {second}")
        merged[group.id] = dataclasses.replace(
            other,
            files={**other.files, **group.files},
            untagged=other.untagged or group.untagged,
        )
    return list(merged.values())


def _caught(origin: str, read: Callable[[], tuple[Document | None, list[Finding]]]) -> _Read:
    """Run a reader; an error becomes a finding."""
    try:
        document, findings = read()
    except FormatError as error:
        return origin, None, [error.finding]
    except LengthError as error:
        return origin, None, [Finding(origin, 0, 0, "length-mismatch", str(error))]
    except BwbError as error:
        return origin, None, [Finding(origin, 0, 0, "unreadable", str(error))]
    return origin, document, findings


def _jsonl(path: Path) -> Iterator[_Read]:
    with path.open("rb") as file:
        number = 0
        for number, raw in enumerate(file, 1):
            place = f"{path}:{number}"
            if raw.strip():
                yield _caught(place, partial(_line, raw, path, number))
        if not number:
            yield str(path), None, [Finding(str(path), 0, 0, "empty-file", "the file is empty")]


def _line(raw: bytes, path: Path, number: int) -> tuple[Document, list[Finding]]:
    try:
        text, findings = decode(raw.rstrip(b"\r\n"), str(path))
    except FormatError as error:
        raise FormatError(dataclasses.replace(error.finding, line=number)) from None
    return loads(text, file=str(path), number=number), findings


def _other(path: Path) -> Iterator[_Read]:
    """Documents of brat, CoNLL or spaCy files; the first error ends them."""
    documents = read_documents(path)
    while True:
        read = _caught(str(path), partial(_next, documents))
        if read[1] is None:
            break
        yield read
    if read[2]:
        yield read


def _next(documents: Iterator[Document]) -> tuple[Document | None, list[Finding]]:
    return next(documents, None), []


def _built(path: Path) -> Iterator[_Read]:
    for document in read_parquet(path):
        yield str(path), document, []


def _corpus_folder(path: Path) -> Iterator[_Read]:
    for second in (False, True):
        reader = CorpusFolderReader(path, strict=False, second=second)
        for book in reader.config.books:
            for chapter in book.chapters:
                name = f"{book.id}/{chapter.id}"
                if second and not (reader.root / f"{name}.zh.an.txt").exists():
                    continue
                read = partial(_with_findings, reader, partial(reader.document, book, chapter))
                origin, document, findings = _caught(str(reader.root / name), read)
                if second and document is not None:
                    document = dataclasses.replace(document, id=f"second/{document.id}")
                yield origin, document, findings


def _release(path: Path) -> Iterator[_Read]:
    reader = ReleaseReader(path)
    for book, chapter, source in reader.chapters:
        read = partial(_with_findings, reader, partial(reader.document, book, chapter, source))
        yield _caught(f"{book}/{chapter}", read)


def _with_findings(
    reader: CorpusFolderReader | ReleaseReader, read: Callable[[], Document]
) -> tuple[Document, list[Finding]]:
    return read(), reader.take_findings()
