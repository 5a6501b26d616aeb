"""Texts of whole documents: a file of one document a line, or JSONL.

A line of a plain file is a document, and an empty line a document without a word. A row of JSONL is
an object with the text under ``text`` or ``output`` (or ``sentences``, a list), and optionally
``id``, ``input`` (the source) and ``target_lang``; other keys are passed over. A row may also be a
string. Two files go together by id if both have ids, else by order.

References and outputs of Sun et al. 2024 have this form.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bwb.errors import Finding, FormatError, InputError, LengthError
from bwb.textio import read_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TEXTS = ("text", "output", "sentences")


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a document.

    Attributes:
        sentences: The text; its sentences if they are told apart, else all of it.
        line: The line of the file it stands in, from 1.
        id: Id of the document; None if the file has no ids.
        source: The source text; None if it is not given.
        target_lang: Language of the text; None if it is not given.
    """

    sentences: tuple[str, ...]
    line: int
    id: str | None = None
    source: str | None = None
    target_lang: str | None = None

    def joined(self, space: str) -> str:
        """The text, with this between sentences."""
        return space.join(self.sentences)


def is_jsonl(path: Path) -> bool:
    """Whether a file is JSONL, by its name."""
    return path.suffix in {".jsonl", ".json"}


def read_texts(path: Path, findings: list[Finding]) -> list[Text]:
    """The documents of a file.

    Args:
        path: JSONL if its name ends so, else a document a line.
        findings: List that repairs are appended to.

    Raises:
        FormatError: if the file is empty, not UTF-8, not in its format, or has an id twice or not
            in all rows.
        InputError: if there is no such file.
    """
    if not is_jsonl(path):
        lines, repairs = read_lines(path)
        findings += repairs
        return [Text((line,), number) for number, line in enumerate(lines, 1)]
    text, repairs = read_text(path)
    findings += repairs
    rows = [
        _row(line, path, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    ]
    if not rows:
        raise _error(path, 0, "empty-file", "the file has no rows; expected a document a line")
    _check_ids(rows, path)
    return rows


def _row(line: str, path: Path, number: int) -> Text:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}"
        raise FormatError(Finding(str(path), number, error.colno, "json", message)) from None
    if isinstance(row, str):
        return Text((row,), number)
    if not isinstance(row, dict):
        message = f"{line[:40]!r}; expected an object with text or output"
        raise _error(path, number, "json", message)
    named = [key for key in _TEXTS if key in row]
    if len(named) != 1:
        found = " and ".join(named) if named else f"keys {', '.join(sorted(row)) or '(none)'}"
        message = f"{found}; expected one of {', '.join(_TEXTS)}"
        raise _error(path, number, "json", message)
    text = row[named[0]]
    sentences = text if named[0] == "sentences" else [text]
    if not isinstance(sentences, list) or not all(isinstance(one, str) for one in sentences):
        kind = "a list of strings" if named[0] == "sentences" else "a string"
        raise _error(path, number, "json", f"{named[0]} is {text!r:.40}; expected {kind}")
    return Text(
        tuple(sentences),
        number,
        _id(row, path, number),
        _string(row, "input", path, number),
        _string(row, "target_lang", path, number),
    )


def _id(row: dict[str, Any], path: Path, number: int) -> str | None:
    value = row.get("id", row.get("document"))
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _error(path, number, "json", f"id is {value!r:.40}; expected a string")


def _string(row: dict[str, Any], key: str, path: Path, number: int) -> str | None:
    value = row.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _error(path, number, "json", f"{key} is {value!r:.40}; expected a string")


def _check_ids(rows: Sequence[Text], path: Path) -> None:
    """See that all rows have an id, each its own, or none."""
    seen: dict[str, int] = {}
    for row in rows:
        if (row.id is None) != (rows[0].id is None):
            message = f"a row {'without' if row.id is None else 'with'} id, unlike those before"
            raise _error(path, row.line, "json", message)
        if row.id is not None:
            if row.id in seen:
                message = f"document {row.id!r} is also in line {seen[row.id]}"
                raise _error(path, row.line, "duplicate-document", message)
            seen[row.id] = row.line


def matched(path: Path, texts: Sequence[Text], other: Path, wanted: Sequence[Text]) -> list[Text]:
    """Texts in the order of the documents of another file.

    Args:
        path: File of the texts, for messages.
        texts: The texts.
        other: File of the others, for messages.
        wanted: One a document.

    Raises:
        InputError: if both have ids, and not the same ones.
        LengthError: if there are more or fewer.
    """
    if texts[0].id is not None and wanted[0].id is not None:
        by_id = {text.id: text for text in texts}
        known = {text.id for text in wanted}
        missing = [str(text.id) for text in wanted if text.id not in by_id]
        extra = [str(text.id) for text in texts if text.id not in known]
        if missing or extra:
            said = [
                f"{what} {len(ids)} ({', '.join(ids[:3])}{', …' if len(ids) > 3 else ''})"
                for what, ids in (("lacks", missing), ("has beyond those", extra))
                if ids
            ]
            raise InputError(f"{path}: of the documents of {other} it {' and '.join(said)}")
        return [by_id[text.id] for text in wanted]
    if len(texts) != len(wanted):
        hint = "" if is_jsonl(path) else "; a document is a line (see --chunks for parts of one)"
        raise LengthError(f"{path} has {len(texts)} documents, {other} has {len(wanted)}{hint}")
    return list(texts)


def _error(path: Path, line: int, code: str, message: str) -> FormatError:
    return FormatError(Finding(str(path), line, 0, code, message))
