"""A corpus that people edit: annotated text files, and a `corpus.toml` that says what they are.

    corpus.toml                            name, version, licence, books with genre and split
    <book>/<chapter>.{zh,en}.an.txt        the two sides in the inline format
    systems/<system>/<book>/<chapter>.an.txt   an output with its errors marked, or
    systems/<system>/<book>/<chapter>.txt      an output without
    second/<book>/<chapter>.{zh,en}.an.txt     the same chapter by a second annotator

The sample corpus in `annotations/sample` is one.
"""

from __future__ import annotations

import dataclasses
import tomllib
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from bwb.annotations.assemble import assemble, type_conflicts
from bwb.annotations.error_marks import read_error_marks
from bwb.annotations.inline import read_inline
from bwb.errors import Finding, FormatError, InputError, LengthError
from bwb.records import Document, Provenance, Side, Split, SystemOutput
from bwb.textio import read_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bwb.records import Lang

CONFIG = "corpus.toml"
_TAKEN = ("systems", "second", "planted")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Chapter(_Strict):
    """A chapter in `corpus.toml`."""

    id: str
    title_zh: str | None = None
    title_en: str | None = None


class Book(_Strict):
    """A book in `corpus.toml`."""

    id: str
    title_zh: str | None = None
    title_en: str | None = None
    genre: str | None = None
    split: Split
    chapters: tuple[Chapter, ...]


class CorpusConfig(_Strict):
    """`corpus.toml`; an unknown key is an error."""

    name: str
    version: str
    license: str
    description: str = ""
    books: tuple[Book, ...]


def is_corpus_folder(path: Path) -> bool:
    """Whether a folder has a `corpus.toml`."""
    return (path / CONFIG).is_file()


def read_config(path: Path) -> CorpusConfig:
    """Read and check `corpus.toml`.

    Raises:
        FormatError: if it is not TOML, a key is unknown or missing, or an id occurs twice.
    """
    file = path / CONFIG
    text, _ = read_text(file)
    try:
        config = CorpusConfig.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(Finding(str(file), 0, 0, "toml", str(error))) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = f"{where}: {first['msg']}; found {first.get('input')!r}"
        raise FormatError(Finding(str(file), 0, 0, "config", message)) from None
    seen: set[str] = set()
    for book in config.books:
        if book.id in _TAKEN or "/" in book.id:
            message = f"book id {book.id!r}: it may not hold '/' or be one of {', '.join(_TAKEN)}"
            raise FormatError(Finding(str(file), 0, 0, "config", message))
        for name in (book.id, *(f"{book.id}/{chapter.id}" for chapter in book.chapters)):
            if name in seen:
                message = f"{name} is listed twice"
                raise FormatError(Finding(str(file), 0, 0, "duplicate-id", message))
            seen.add(name)
    return config


class CorpusFolderReader:
    """Reads a corpus folder.

    Args:
        path: The folder.
        strict: Raise on the first thing that is not as it should be.
        second: Read the second annotator's files instead (only the chapters that have them).

    Attributes:
        config: What `corpus.toml` says.
        findings: What was repaired, so far.
    """

    def __init__(self, path: Path, *, strict: bool = True, second: bool = False) -> None:
        """Read the configuration and see that every file on disk is listed in it."""
        self.path = path
        self.strict = strict
        self.root = path / "second" if second else path
        self.second = second
        self.config = read_config(path)
        self.findings: list[Finding] = []
        self.systems = sorted(
            folder.name
            for folder in (path / "systems").glob("*")
            if folder.is_dir() and not folder.name.startswith(".")
        )
        self._refuse_unlisted()

    def _refuse_unlisted(self) -> None:
        listed = {
            f"{book.id}/{chapter.id}" for book in self.config.books for chapter in book.chapters
        }
        roots = [self.path, self.path / "second"]
        roots += [self.path / "systems" / system for system in self.systems]
        for root in roots:
            for file in sorted(root.glob("*/*.txt")):
                folder = file.parent.name
                if root == self.path and folder in _TAKEN:
                    continue
                name = f"{folder}/{file.name.split('.')[0]}"
                if name not in listed:
                    message = f"{name} is not among the chapters of {CONFIG}"
                    raise FormatError(Finding(str(file), 0, 0, "not-listed", message))

    def __iter__(self) -> Iterator[Document]:
        """The documents, in the order of `corpus.toml`."""
        for book in self.config.books:
            for chapter in book.chapters:
                name = self.root / book.id / f"{chapter.id}.zh.an.txt"
                if not self.second or name.exists():
                    yield self.document(book, chapter)

    def take_findings(self) -> list[Finding]:
        """The findings since they were last taken."""
        taken, self.findings = self.findings, []
        return taken

    def document(self, book: Book, chapter: Chapter) -> Document:
        """Read one chapter.

        Raises:
            FormatError: if a file is not in its format.
            LengthError: if the sides, or a system's output, differ in length.
            InputError: if a side is missing.
        """
        name = f"{book.id}/{chapter.id}"
        zh = dataclasses.replace(self._side(name, "zh"), title=chapter.title_zh)
        en = dataclasses.replace(self._side(name, "en"), title=chapter.title_en)
        document = assemble(name, book.id, chapter.id, zh, en)
        self.findings += type_conflicts(document, name)
        systems = () if self.second else tuple(self._outputs(name, len(zh.sentences)))
        return dataclasses.replace(document, genre=book.genre, split=book.split, systems=systems)

    def _side(self, name: str, lang: Lang) -> Side:
        file = self.root / f"{name}.{lang}.an.txt"
        lines, findings = read_lines(file, strict=self.strict)
        self.findings += findings
        side, findings = read_inline(lines, lang, file=str(file), strict=self.strict)
        self.findings += findings
        recipe = f"{self.config.name} {self.config.version}"
        return dataclasses.replace(side, provenance=Provenance(recipe=recipe))

    def _outputs(self, name: str, expected: int) -> Iterator[SystemOutput]:
        for system in self.systems:
            root = self.path / "systems" / system
            files = [root / f"{name}{suffix}" for suffix in (".an.txt", ".txt")]
            present = [file for file in files if file.is_file()]
            if not present:
                continue
            if len(present) > 1:
                raise InputError(f"two outputs of {system}: {present[0]} and {present[1]}")
            yield self._output(present[0], system, expected)

    def _output(self, file: Path, system: str, expected: int) -> SystemOutput:
        lines, findings = read_lines(file, strict=self.strict)
        self.findings += findings
        if file.name.endswith(".an.txt"):
            output, findings = read_error_marks(lines, system, file=str(file), strict=self.strict)
            self.findings += findings
        else:
            output = SystemOutput(system, tuple(lines))
        if len(output.sentences) != expected:
            raise LengthError(f"{file} has {len(output.sentences)} lines; expected {expected}")
        return output
