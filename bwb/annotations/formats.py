"""The formats that annotations can be read from and written to: one table, one line a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bwb.annotations.loss import Loss
    from bwb.records import Document

Write = Callable[[Iterable["Document"], Path], "list[Loss]"]
Read = Callable[[Path], "Iterator[Document]"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes:
        title: What it is.
        write: Writes documents, returns what it could not hold.
        read: Reads documents; None if `bwb.annotations.sources` does, which sees by itself what
            lies there.
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


def seen_format(path: Path) -> str | None:
    """Name of the format with a reader of its own whose files a path is or holds; None if none."""
    for name, form in FORMATS.items():
        inside = path.is_dir() and next(path.rglob(f"*{form.suffix}"), None) is not None
        if form.read is not None and (inside or path.name.endswith(form.suffix)):
            return name
    return None
