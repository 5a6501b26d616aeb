"""The authors' release of BWB and BlonDe data, in its own folder layout.

    test/book<N>/<i>.chs_re.txt  .ref_re.txt  .ner_re.txt  .an.txt     source … error layer
    test/book<N>/<i>.{mt,sent,ctx,pe}_re.txt, <i>.pe.txt              outputs of systems
    Google/book<N>/<i>.chs_re.txt.Google                              and of other systems
    BWB_annotation/Book<N>/<i>.{chs,ref}_re.an.txt                    the annotation layers

Source: README of the BWB and BlonDe repositories. Files are messy, so reading is lenient; all
that was repaired is reported.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from bwb.annotations.assemble import assemble, type_conflicts
from bwb.annotations.error_marks import read_error_marks
from bwb.annotations.inline import read_inline
from bwb.annotations.layout import natural_key
from bwb.annotations.named_entities import read_named_entities
from bwb.annotations.project import project
from bwb.errors import Finding, InputError, LengthError
from bwb.records import Document, Provenance, Side, SystemOutput
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bwb.records import Lang

_SOURCE = re.compile(r"(.+)\.chs_re\.txt")
# Files beside the source that hold a system's output, and the name the system gets.
_BESIDE = {"mt_re": "mt", "sent_re": "sent", "ctx_re": "ctx", "pe_re": "pe", "pe": "pe"}
_ANNOTATIONS = "BWB_annotation"


def is_release(path: Path) -> bool:
    """Whether a folder looks like the release, or a part of it."""
    return path.is_dir() and next(path.rglob("*.chs_re.txt"), None) is not None


def find_chapters(path: Path) -> list[tuple[str, str, Path]]:
    """(book, chapter, file of the source) of every chapter, in natural order."""
    found = []
    for file in path.rglob("*.chs_re.txt"):
        if match := _SOURCE.fullmatch(file.name):
            found.append((file.resolve().parent.name, match[1], file))
    return sorted(found, key=lambda item: (natural_key(item[0]), natural_key(item[1])))


class ReleaseReader:
    """Reads a release.

    Args:
        path: Its folder, or a folder within it.
        annotations: Folder of the annotation layers; ``BWB_annotation`` in the release if None.

    Attributes:
        findings: What was repaired or could not be read, so far.
    """

    def __init__(self, path: Path, annotations: Path | None = None) -> None:
        """Look at the folders.

        Raises:
            InputError: if there are no chapters, or no such annotation folder.
        """
        self.path = path
        self.findings: list[Finding] = []
        self.chapters = find_chapters(path)
        if not self.chapters:
            raise InputError(f"{path}: no chapters; expected files book<N>/<i>.chs_re.txt in it")
        if annotations is None and (path / _ANNOTATIONS).is_dir():
            annotations = path / _ANNOTATIONS
        if annotations is not None and not annotations.is_dir():
            raise InputError(f"{annotations}: no such folder of annotations")
        self._annotated: dict[tuple[str, str, Lang], Path] = {}
        used = set()
        for lang, tag in (("zh", "chs_re"), ("en", "ref_re")):
            for file in annotations.rglob(f"*.{tag}.an.txt") if annotations else ():
                chapter = file.name.removesuffix(f".{tag}.an.txt")
                key = (file.resolve().parent.name.lower(), chapter, "zh" if lang == "zh" else "en")
                self._annotated[key] = file  # type: ignore[index]
                used.add(key[:2])
        have = {(book.lower(), chapter) for book, chapter, _ in self.chapters}
        for book, chapter in sorted(used - have):
            message = f"annotations of {book}/{chapter}, which the release does not have"
            self.findings.append(Finding(str(annotations), 0, 0, "no-such-chapter", message))
        self._elsewhere = self._outputs_elsewhere()

    def _outputs_elsewhere(self) -> dict[tuple[str, str], dict[str, Path]]:
        """Outputs as ``<i>.chs_re.txt.<System>`` in folders of their own."""
        found: dict[tuple[str, str], dict[str, Path]] = {}
        for file in sorted(self.path.rglob("*.chs_re.txt.*")):
            chapter, _, system = file.name.partition(".chs_re.txt.")
            outputs = found.setdefault((file.resolve().parent.name, chapter), {})
            if system in outputs:
                raise InputError(f"two outputs of {system}: {outputs[system]} and {file}")
            outputs[system] = file
        return found

    def __iter__(self) -> Iterator[Document]:
        """The documents, in natural order."""
        for book, chapter, source in self.chapters:
            yield self.document(book, chapter, source)

    def take_findings(self) -> list[Finding]:
        """The findings since they were last taken."""
        taken, self.findings = self.findings, []
        return taken

    def document(self, book: str, chapter: str, source: Path) -> Document:
        """Read one chapter.

        Raises:
            LengthError: if a file of the chapter has more or fewer lines than the source.
            FormatError: if a file is not UTF-8, is empty, or is not in its format.
        """
        zh = self._plain(source, "zh")
        lines = len(zh.sentences)
        stem = source.with_name(chapter)
        en = None
        reference = stem.with_name(f"{chapter}.ref_re.txt")
        if reference.is_file():
            en = self._plain(reference, "en")
            _same_length(reference, len(en.sentences), source, lines)
            names = stem.with_name(f"{chapter}.ner_re.txt")
            if names.is_file():
                rows = self._lines(names)
                _same_length(names, len(rows), source, lines)
                entities = read_named_entities(rows, file=str(names))
                en = dataclasses.replace(en, named_entities=entities)
        zh = self._annotate(zh, book, chapter)
        en = self._annotate(en, book, chapter) if en else None
        document = assemble(f"{book}/{chapter}", book, chapter, zh, en)
        self.findings += type_conflicts(document, document.id)
        systems = tuple(self._systems(book, chapter, source, lines))
        return dataclasses.replace(document, systems=systems, split="test")

    def _lines(self, file: Path) -> list[str]:
        lines, findings = read_lines(file)
        self.findings += findings
        return lines

    def _plain(self, file: Path, lang: Lang) -> Side:
        sentences = tuple(self._lines(file))
        return Side(lang, sentences, provenance=Provenance(recipe=file.name))

    def _annotate(self, side: Side, book: str, chapter: str) -> Side:
        file = self._annotated.get((book.lower(), chapter, side.lang))
        if file is None:
            return side
        annotated, findings = read_inline(
            self._lines(file), side.lang, file=str(file), strict=False
        )
        self.findings += findings
        side, findings = project(annotated, side, str(file))
        self.findings += findings
        return side

    def _systems(self, book: str, chapter: str, source: Path, lines: int) -> Iterator[SystemOutput]:
        files = {
            name: source.with_name(f"{chapter}.{tag}.txt")
            for tag, name in _BESIDE.items()
            if source.with_name(f"{chapter}.{tag}.txt").is_file()
        }
        files |= self._elsewhere.get((book, chapter), {})
        marked = None
        errors = source.with_name(f"{chapter}.an.txt")
        if errors.is_file():
            marked, findings = read_error_marks(
                self._lines(errors), "mt", file=str(errors), strict=False
            )
            self.findings += findings
            _same_length(errors, len(marked.sentences), source, lines)
        for name, file in files.items():
            sentences = tuple(self._lines(file))
            _same_length(file, len(sentences), source, lines)
            if marked is not None and name == "mt":
                yield self._check_marks(marked, sentences, errors)
                marked = None
            else:
                yield SystemOutput(name, sentences)
        if marked is not None:
            yield marked

    def _check_marks(
        self, marked: SystemOutput, sentences: tuple[str, ...], file: Path
    ) -> SystemOutput:
        """The marked text is the one the positions refer to; say where the plain one differs."""
        pairs = enumerate(zip(marked.sentences, sentences, strict=True), 1)
        for number, (with_marks, plain) in pairs:
            if with_marks.strip() != plain.strip():
                message = f"text differs from the output: {with_marks!r} against {plain!r}"
                kept = "text of the error layer kept"
                self.findings.append(Finding(str(file), number, 1, "text-differs", message, kept))
        return marked


def _same_length(file: Path, lines: int, source: Path, expected: int) -> None:
    if lines != expected:
        raise LengthError(f"{file} has {lines} lines; {source.name} has {expected}")
