"""Reading the outputs of systems, and making sure that each answers the right document.

An output is given as ``NAME=PATH`` or ``PATH``:

- a folder with a file a document, a sentence a line: ``<book>/<chapter>.txt`` or
  ``<book>_<chapter>.txt`` (any ending; one that ends in ``.an.txt`` has its errors marked);
- a folder of such folders, each a system;
- the release's folder, where the part of a file's name behind the chapter tells the system;
- one JSONL file: ``{"id": …, "sentences": […]}``, or ``{"id": …, "text": …}`` with a line feed
  between sentences, and optionally ``"system"``;
- one text file, if there is one document.

Nothing is cut to fit: a document that is missing, extra or doubled, or has the wrong number of
lines, is an error that names it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bwb.annotations.error_marks import read_error_marks
from bwb.errors import Finding, FormatError, InputError, LengthError
from bwb.textio import read_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.records import Document

# System -> document id -> sentences.
Outputs = dict[str, dict[str, tuple[str, ...]]]

# Parts of names in the release that are no output: source, reference, entities, error layer.
_NOT_OUTPUTS = {"chs_re.txt", "ref_re.txt", "ner_re.txt", "an.txt", "chs_re.an.txt"}
_RELEASE_TAGS = {"mt_re.txt": "mt", "sent_re.txt": "sent", "ctx_re.txt": "ctx"}
_RELEASE_TAGS |= {"pe_re.txt": "pe", "pe.txt": "pe"}
_RELEASE = {"chs_re.txt", *_RELEASE_TAGS}


class _Match(NamedTuple):
    """A file's document, the folders in front of its name, and the rest behind it."""

    document: str
    prefix: str
    rest: str


def embedded_outputs(documents: Iterable[Document]) -> Outputs:
    """The outputs that the documents carry."""
    outputs: Outputs = {}
    for document in documents:
        for output in document.systems:
            outputs.setdefault(output.system, {})[document.id] = output.sentences
    return outputs


def read_outputs(
    specs: Sequence[str], documents: Sequence[Document], findings: list[Finding] | None = None
) -> Outputs:
    """Read all outputs that are named.

    Args:
        specs: Each ``NAME=PATH`` or ``PATH``.
        documents: The documents that are to be answered.
        findings: List that repairs (byte order marks, line ends) are appended to.

    Raises:
        InputError: if a path does not exist, a system is named twice, a document is missing,
            extra or doubled.
        LengthError: if an output has not as many lines as its document.
        FormatError: if a file is not in its format.
    """
    reader = _Reader(documents, [] if findings is None else findings)
    outputs: Outputs = {}
    for spec in specs:
        for system, found in reader.read(spec).items():
            if system in outputs:
                raise InputError(f"system {system!r} is given twice; name them: NAME={spec}")
            outputs[system] = found
    return outputs


def check_outputs(
    outputs: Mapping[str, Mapping[str, Sequence[str]]], documents: Sequence[Document]
) -> None:
    """See that every system answers every document, line by line.

    Raises:
        InputError: if one is missing.
        LengthError: if a length differs.
    """
    for system, found in outputs.items():
        missing = [document.id for document in documents if document.id not in found]
        if missing:
            shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
            raise InputError(f"system {system}: {len(missing)} documents are missing: {shown}")
        for document in documents:
            side = document.en or document.zh
            expected = len(side.sentences) if side else 0
            got = len(found[document.id])
            if got != expected:
                hint = "; the last line is empty" if got and not found[document.id][-1] else ""
                raise LengthError(
                    f"system {system}, document {document.id}: {got} sentences, "
                    f"expected {expected}{hint}"
                )


class _Reader:
    def __init__(self, documents: Sequence[Document], findings: list[Finding]) -> None:
        self.documents = documents
        self.findings = findings
        self.by_id = {document.id: document for document in documents}
        self.books = {document.book for document in documents}
        # Files may have the id with another mark for the slash.
        self.names = dict(self.by_id)
        for mark in "_-.":
            for document in documents:
                self.names.setdefault(document.id.replace("/", mark), document)

    def read(self, spec: str) -> Outputs:
        name, equals, rest = spec.partition("=")
        if equals and not Path(spec).exists():
            path = Path(rest)
        else:
            name, path = "", Path(spec)
        if not path.exists():
            raise InputError(f"{path}: no such file or folder (outputs of a system)")
        if path.is_dir():
            found = self._folder(path, name)
        elif path.suffix in {".jsonl", ".json"}:
            found = self._jsonl(path, name)
        else:
            found = self._file(path, name)
        if not found:
            raise InputError(f"{path}: no outputs in it; expected files <book>/<chapter>.txt")
        return found

    def _file(self, path: Path, name: str) -> Outputs:
        if len(self.documents) != 1:
            ids = ", ".join(list(self.by_id)[:3])
            message = f"{path} is one file for {len(self.documents)} documents ({ids}, …)"
            raise InputError(f"{message}; expected a folder or JSONL")
        system = name or path.name.split(".")[0]
        return {system: {self.documents[0].id: self._lines(path)}}

    def _lines(self, path: Path) -> tuple[str, ...]:
        lines, findings = read_lines(path)
        self.findings += findings
        if path.name.endswith(".an.txt"):
            output, findings = read_error_marks(lines, "", file=str(path), strict=False)
            self.findings += findings
            return output.sentences
        return tuple(lines)

    def _folder(self, path: Path, name: str) -> Outputs:
        files = [f for f in sorted(path.rglob("*")) if f.is_file() and not _hidden(f, path)]
        matched = {file: self._match(file, path) for file in files}
        found = {file: match for file, match in matched.items() if match is not None}
        release = any(
            match.rest in _RELEASE or "chs_re.txt." in match.rest for match in found.values()
        )
        if release:
            found = {file: match for file, match in found.items() if match.rest not in _NOT_OUTPUTS}
        elif found and len(found) < len(files):
            extra = [file for file in files if file not in found]
            ids = ", ".join(list(self.by_id)[:3])
            message = f"{extra[0]}: of no document that is scored ({ids}, …)"
            raise InputError(f"{message}; {len(extra)} such files in {path}")
        several = len({match.prefix for match in found.values()}) > 1
        outputs: Outputs = {}
        origin: dict[tuple[str, str], Path] = {}
        for file, match in found.items():
            if release:
                system = _RELEASE_TAGS.get(match.rest, match.rest.removeprefix("chs_re.txt."))
            else:
                system = match.prefix.rpartition("/")[2] if several else path.resolve().name
            key = (system, match.document)
            if key in origin:
                raise InputError(f"two outputs for {match.document}: {origin[key]} and {file}")
            origin[key] = file
            outputs.setdefault(system, {})[match.document] = self._lines(file)
        if name and len(outputs) > 1:
            listed = ", ".join(sorted(outputs))
            message = f"{path} holds {len(outputs)} systems, but one name: {name}"
            raise InputError(f"{message} ({listed})")
        return {name or system: sentences for system, sentences in outputs.items()}

    def _match(self, file: Path, root: Path) -> _Match | None:
        """Which document a file is of; None if of none."""
        parts = file.relative_to(root).parts
        candidates = [
            ("/".join(parts[:step]), "/".join(parts[step:])) for step in range(len(parts))
        ]
        candidates.append(("", f"{root.resolve().name}/{'/'.join(parts)}"))
        if len(self.books) == 1:
            candidates.append(("", f"{next(iter(self.books))}/{parts[-1]}"))
        for prefix, path in candidates:
            for at in (i for i, character in enumerate(path) if character == "."):
                if path[:at] in self.names:
                    return _Match(self.names[path[:at]].id, prefix, path[at + 1 :])
            if path in self.names:
                return _Match(self.names[path].id, prefix, "")
        return None

    def _jsonl(self, path: Path, name: str) -> Outputs:
        text, findings = read_text(path)
        self.findings += findings
        outputs: Outputs = {}
        seen: dict[tuple[str, str], int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            row = _row(line, path, number)
            document, sentences = _sentences(row, path, number)
            system = name or str(row.get("system") or path.stem)
            if document not in self.by_id:
                ids = ", ".join(list(self.by_id)[:3])
                message = f"document {document!r} is not among those scored ({ids}, …)"
                raise FormatError(Finding(str(path), number, 0, "unknown-document", message))
            if (system, document) in seen:
                message = f"document {document!r} is also in line {seen[system, document]}"
                raise FormatError(Finding(str(path), number, 0, "duplicate-document", message))
            seen[system, document] = number
            outputs.setdefault(system, {})[document] = sentences
        if not outputs:
            raise FormatError(Finding(str(path), 0, 0, "empty-file", "the file has no rows"))
        return outputs


def _row(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}"
        raise FormatError(Finding(str(path), number, error.colno, "json", message)) from None
    if not isinstance(row, dict):
        message = f"{line[:40]!r}; expected an object with id and sentences"
        raise FormatError(Finding(str(path), number, 1, "json", message))
    return row


def _sentences(row: dict[str, Any], path: Path, number: int) -> tuple[str, tuple[str, ...]]:
    document = row.get("id", row.get("document"))
    sentences = row.get("sentences")
    for key in ("text", "output"):
        if sentences is None and isinstance(row.get(key), str):
            sentences = row[key].removesuffix("\n").split("\n")
    right = isinstance(sentences, list) and all(isinstance(s, str) for s in sentences)
    if not isinstance(document, str) or not right or sentences is None:
        message = f"keys {sorted(row)}; expected id and sentences (a list of strings), or text"
        raise FormatError(Finding(str(path), number, 0, "json", message))
    return document, tuple(sentences)


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)
