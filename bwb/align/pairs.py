"""Texts to align: two files, two folders, or rows of a JSONL file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bwb.errors import Finding, FormatError, InputError, LengthError
from bwb.textio import decode, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

AS_IS = "-"  # in place of a translation: the text itself


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts and what translations there are of them.

    Attributes:
        id: Name of the pair.
        src: Source sentences.
        tgt: Target sentences.
        translations: Translations of the source.
        back_translations: Translations of the target.
        row: The row of the JSONL file it was read from; None if it was not.
    """

    id: str
    src: list[str]
    tgt: list[str]
    translations: list[list[str]] = field(default_factory=list)
    back_translations: list[list[str]] = field(default_factory=list)
    row: dict[str, Any] | None = None


def sentences(path: Path) -> list[str]:
    """The lines of a file; none if it is empty.

    Raises:
        InputError: if there is no such file, or it is not UTF-8.
    """
    text, _ = read_text(path)
    return text.removesuffix("\n").split("\n") if text else []


def read_files(
    src: Path, tgt: Path, translations: Sequence[Path] = (), back: Sequence[Path] = ()
) -> TextPair:
    """A pair of files.

    Args:
        src: Source, a sentence a line.
        tgt: Target.
        translations: Translations of the source, line by line; ``-`` is the source itself.
        back: Translations of the target, likewise.

    Raises:
        LengthError: if a translation has not as many lines as its text.
        InputError: if a file is missing or unreadable.
    """
    texts = sentences(src), sentences(tgt)
    forward = [_translation(path, src, texts[0]) for path in translations]
    backward = [_translation(path, tgt, texts[1]) for path in back]
    return TextPair(src.stem, *texts, forward, backward)


def _translation(path: Path, own: Path, text: list[str]) -> list[str]:
    if str(path) == AS_IS:
        return list(text)
    lines = sentences(path)
    if len(lines) != len(text):
        raise LengthError(
            f"{path} has {len(lines)} lines, but {own}, which it translates, has {len(text)}; "
            "expected a line of translation for each line"
        )
    return lines


def read_folders(
    src: Path, tgt: Path, translations: Sequence[Path] = (), back: Sequence[Path] = ()
) -> Iterator[TextPair]:
    """The pairs of two folders: files with the same name but for the last suffix.

    Args:
        src: Folder of source files.
        tgt: Folder of target files.
        translations: Folders of translations of the source files; ``-`` is the source itself.
        back: Folders of translations of the target files.

    Raises:
        InputError: if a file lacks a counterpart, two files of a folder differ only in the
            suffix, or there are no files.
    """
    folders = [src, tgt, *translations, *back]
    listed = {folder: _files(folder) for folder in dict.fromkeys(folders) if str(folder) != AS_IS}
    for folder, files in listed.items():
        for name in sorted({*listed[src], *files}):
            if name not in files or name not in listed[src]:
                has, lacks = (src, folder) if name in listed[src] else (folder, src)
                raise InputError(
                    f"{listed[has][name]} has no counterpart in {lacks}; expected {name} with any "
                    "suffix"
                )
    for name in sorted(listed[src]):
        given = [
            [folder if str(folder) == AS_IS else listed[folder][name] for folder in part]
            for part in (translations, back)
        ]
        yield read_files(listed[src][name], listed[tgt][name], *given)


def _files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            if path.stem in files:
                raise InputError(
                    f"{files[path.stem]} and {path} differ only in their suffix; expected one "
                    "file a text in a folder"
                )
            files[path.stem] = path
    if not files:
        raise InputError(f"{folder}: no files")
    return files


def read_jsonl(path: Path) -> Iterator[TextPair]:
    """The rows of a file: `id`, `src`, `tgt`; perhaps `translations`, `back_translations`.

    Raises:
        FormatError: if a line is no such row, or has the id of an earlier one; if the file is
            empty.
        InputError: if there is no such file.
    """
    seen: dict[str, int] = {}
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                text, _ = decode(line, str(path))
                pair = _row(text, str(path), number)
                if seen.setdefault(pair.id, number) != number:
                    message = f"id {pair.id!r} is on line {seen[pair.id]} already"
                    raise FormatError(Finding(str(path), number, 0, "duplicate-id", message))
                yield pair
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if not seen:
        message = "the file is empty; expected rows with id, src and tgt"
        raise FormatError(Finding(str(path), 0, 0, "empty-file", message))


def _row(line: str, file: str, number: int) -> TextPair:
    def wrong(message: str) -> FormatError:
        return FormatError(Finding(file, number, 0, "row", message))

    try:
        row = json.loads(line)
    except ValueError as error:
        raise wrong(f"not JSON: {error}") from None
    except RecursionError:
        raise wrong("not a row: nested too deeply") from None
    if not isinstance(row, dict):
        raise wrong(f"{line[:40]!r}; expected an object with id, src and tgt")
    if not isinstance(row.get("id"), str) or not row["id"]:
        raise wrong(f"id is {row.get('id')!r}; expected a text that is not empty")
    for key in ("src", "tgt"):
        if not _is_texts(row.get(key)):
            raise wrong(f"{key} is missing or no list of texts; expected a list of sentences")
    given = []
    for key, own in (("translations", "src"), ("back_translations", "tgt")):
        lists = row.get(key) or []
        if not isinstance(lists, list) or not all(map(_is_texts, lists)):
            raise wrong(f"{key} is no list of lists of texts; expected one list a translation")
        for lines in lists:
            if len(lines) != len(row[own]):
                raise LengthError(
                    f"{file}:{number}: {key} has {len(lines)} lines, {own} has {len(row[own])}; "
                    "expected a line of translation for each sentence"
                )
        given.append(lists)
    return TextPair(row["id"], row["src"], row["tgt"], given[0], given[1], row)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
