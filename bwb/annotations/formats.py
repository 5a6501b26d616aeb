"""The formats that annotations can be read from and written to: one table, one line a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from bwb.annotations.loss import Loss
    from bwb.errors import Finding
    from bwb.records import Document

Write = Callable[[Iterable["Document"], Path], "list[Loss]"]
Read = Callable[[Path], "Iterator[Document]"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes:
        title: What it is.
        write: Writes documents, returns what it could not hold.
        read: Reads documents; None if `bwb.annotations.sources` reads it, which sees by itself
            what lies there.
        suffix: End of the names of its files.
        folder: Whether it is written to a folder rather than to one file.
    """

    title: str
    write: Write
    read: Read | None
    suffix: str
    folder: bool = True


def _late(module: str, function: str) -> Callable[..., Any]:
    """A function whose module is imported when it is called."""

    def call(*args: object) -> Any:  # noqa: ANN401
        return getattr(import_module(f"bwb.annotations.{module}"), function)(*args)

    return call


def _write_jsonl(documents: Iterable[Document], path: Path) -> list[Loss]:
    from bwb.corpus import write_jsonl

    write_jsonl(documents, path)
    return []


FORMATS: dict[str, Format] = {
    "jsonl": Format("one document a line, nothing lost", _write_jsonl, None, ".jsonl", False),
    "inline": Format("BWB's tags in the text", _late("inline_format", "write"), None, ".an.txt"),
    "brat": Format("brat standoff", _late("brat", "write"), _late("brat", "read"), ".ann"),
    "conllu": Format(
        "CorefUD CoNLL-U", _late("conllu", "write"), _late("conllu", "read"), ".conllu"
    ),
    "conll2012": Format(
        "CoNLL-2012", _late("conll2012", "write"), _late("conll2012", "read"), ".conll"
    ),
    "docbin": Format("spaCy DocBin", _late("docbin", "write"), _late("docbin", "read"), ".spacy"),
}


def read_any(
    path: Path, name: str | None, *, strict: bool = True, findings: list[Finding] | None = None
) -> Iterator[Document]:
    """Read documents of a format, or of the one that is seen to lie there.

    Args:
        path: File or folder.
        name: A key of `FORMATS`; None to look.
        strict: As in `bwb.annotations.sources.read_documents`.
        findings: Likewise.

    Raises:
        UnknownNameError: if there is no such format.
        InputError: if nothing that can be read lies there.
    """
    from bwb.annotations.sources import read_documents

    if name is not None and name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if name is None:
        name = _look(path)
    read = FORMATS[name].read
    if read is None:
        return read_documents(path, strict=strict, findings=findings)
    return read(path)


def _look(path: Path) -> str:
    for name, form in FORMATS.items():
        inside = path.is_dir() and next(path.rglob(f"*{form.suffix}"), None) is not None
        if form.read is not None and (inside or path.name.endswith(form.suffix)):
            return name
    return "jsonl"
