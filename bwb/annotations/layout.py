"""Which file holds which side of which document.

A document's sides lie beside each other, told apart by a part of the name before the suffix:
``river/3.zh.an.txt`` and ``river/3.en.an.txt``, or as the BWB release has it,
``Book0/3.chs_re.an.txt`` and ``Book0/3.ref_re.an.txt``. The document's id is ``river/3``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bwb.records import Lang

LANG_TAGS: dict[str, Lang] = {"zh": "zh", "en": "en", "chs_re": "zh", "ref_re": "en"}

_CJK = re.compile("[㐀-鿿豈-﫿]")
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class DocumentFiles:
    """The files of one document.

    Attributes:
        id: ``book/chapter``.
        book: Name of the folder the files lie in.
        chapter: Name of the files without language and suffix.
        files: Path of each side; `untagged` files have not said their language.
        untagged: A file whose name names no language.
    """

    id: str
    book: str
    chapter: str
    files: Mapping[Lang, Path] = field(default_factory=dict)
    untagged: Path | None = None


def guess_lang(text: str) -> Lang:
    """Chinese if a tenth of the characters are Han characters, else English."""
    return "zh" if len(_CJK.findall(text)) * 10 > len(text) else "en"


def natural_key(text: str) -> list[tuple[int, int, str]]:
    """Sort key under which chapter 10 follows chapter 9."""
    parts = _DIGITS.split(text)
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts]


def find_documents(path: Path, suffix: str) -> list[DocumentFiles]:
    """Group the files with a suffix into documents, in natural order.

    Args:
        path: One file, or a folder that is searched with all its subfolders.
        suffix: End of the names, with its dot, such as ``.an.txt``.

    Raises:
        InputError: if there is no such file, or two files claim the same side of a document.
    """
    if path.is_file():
        files, root = [path], path.parent.parent
    elif path.is_dir():
        files, root = [f for f in path.rglob(f"*{suffix}") if f.is_file()], path
    else:
        raise InputError(f"{path}: no such file or folder")
    groups: dict[str, dict[Lang | None, Path]] = {}
    names: dict[str, tuple[str, str]] = {}
    for file in sorted(files):
        if any(part.startswith(".") for part in file.relative_to(root).parts):
            continue
        stem = file.name.removesuffix(suffix)
        chapter, _, tag = stem.rpartition(".")
        lang = LANG_TAGS.get(tag)
        if lang is None:
            chapter = stem
        folder = file.parent.resolve()
        book = folder.name
        inner = file.parent.relative_to(root).as_posix() if file.parent != root else ""
        # A folder of chapters that is named directly is itself the book.
        key = f"{inner or book}/{chapter}"
        sides = groups.setdefault(key, {})
        if lang in sides:
            raise InputError(f"{key}: two files for the same side: {sides[lang]} and {file}")
        sides[lang] = file
        names[key] = (inner or book, chapter)
    return [
        DocumentFiles(
            key,
            *names[key],
            files={lang: file for lang, file in groups[key].items() if lang is not None},
            untagged=groups[key].get(None),
        )
        for key in sorted(groups, key=natural_key)
    ]


def side_path(folder: Path, document_id: str, lang: Lang, suffix: str) -> Path:
    """Where a side is written: ``folder/book/chapter.lang.suffix``.

    Raises:
        InputError: if the id would lead out of the folder.
    """
    parts = document_id.split("/")
    if any(part in {"", ".", ".."} or "\0" in part for part in parts):
        raise InputError(f"document id {document_id!r} cannot be used as a file name")
    return folder.joinpath(*parts[:-1], f"{parts[-1]}.{lang}{suffix}")
