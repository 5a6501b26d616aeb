"""The sheet of an audit: CSV for a spreadsheet, or a page that saves the same CSV.

A row is a link. The person writes into three columns: `mark` (ok or wrong), and for a wrong link
`right zh` and `right en`: the numbers of the sentences that belong together, as they stand in
brackets before the sentences. Several links in place of one are separated by semicolons, in the
same order in both columns; a dash, or nothing, is the side without a counterpart.

Spreadsheets change what looks like a number, a date or a formula. So sentences begin with their
number in brackets, numbers are listed with spaces, and the key begins with a letter. `bwb.sheets`
writes and reads the files.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NoReturn

from bwb import sheets
from bwb.align.audit import Row, rows_of
from bwb.align.base import SentenceLink
from bwb.errors import Finding, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bwb.records import Document, Side

COLUMNS = (
    "document",
    "link",
    "zh",
    "en",
    "mark",
    "right zh",
    "right en",
    "note",
    "method",
    "score",
    "key",
)
_NEEDED = ("document", "link", "mark", "right zh", "right en", "key")
_OK = {"ok", "o", "y", "yes", "right", "correct", "1", "true", "对", "是", "✓", "√"}
_WRONG = {"wrong", "x", "n", "no", "0", "false", "错", "否", "✗", "×"}
_RANGE = re.compile(r"(\d+)\s*[-–~]\s*(\d+)|(\d+)(?:\.0)?")
_ALLOWED = re.compile(r"[\d\s,、+\[\]–~-]*|\d+\.0")
_KEY = re.compile(r"zh((?: \d+)*) \| en((?: \d+)*) \| (k[0-9a-f]{10})")


def sheet_rows(document: Document) -> Iterator[dict[str, str]]:
    """The cells of a document's rows by column."""
    for row, link in zip(rows_of(document), document.links, strict=True):
        numbers = [" ".join(str(i + 1) for i in side) for side in (row.zh, row.en)]
        listed = [" " + side if side else "" for side in numbers]
        yield {
            "document": document.id,
            "link": str(row.number),
            "zh": _shown(document.zh, row.zh),
            "en": _shown(document.en, row.en),
            "mark": "",
            "right zh": "",
            "right en": "",
            "note": "",
            "method": link.method,
            "score": "" if link.score is None else f"{link.score:.4f}",
            "key": f"zh{listed[0]} | en{listed[1]} | {row.key}",
        }


def write_csv(documents: Sequence[Document], path: Path) -> int:
    """Write a sheet for a spreadsheet; returns the number of links."""
    return sheets.write_sheet(
        COLUMNS, (cells for document in documents for cells in sheet_rows(document)), path
    )


def read_sheet(path: Path) -> list[Row]:
    """Read a sheet back.

    Raises:
        FormatError: if it is not a sheet, a row is there twice, or a mark or a list of numbers
            cannot be understood; names the line.
    """
    rows: dict[tuple[str, int], Row] = {}
    for line, cells, _ in sheets.read_sheet(path, _NEEDED, "a sheet of bwb align-audit draw"):
        row = _row(cells, str(path), line)
        if (row.document, row.number) in rows:
            message = f"link {row.number} of {row.document} is on the sheet twice"
            raise FormatError(Finding(str(path), line, 0, "duplicate-row", message))
        rows[row.document, row.number] = row
    return list(rows.values())


def parse_numbers(cell: str) -> list[tuple[int, ...]]:
    """The groups of 0-based indices that a cell of 1-based sentence numbers lists.

    Args:
        cell: Such as ``3 4``, ``[3][4]``, ``3-5``, ``3; 4`` (two groups) or ``-`` (no sentence).

    Raises:
        ValueError: if there is something else in it, a number is 0 or they do not ascend.
    """
    groups = []
    for part in unicodedata.normalize("NFKC", cell).split(";"):
        if not _ALLOWED.fullmatch(part.strip()):
            raise ValueError(part.strip())
        numbers: list[int] = []
        for match in _RANGE.finditer(part):
            first = int(match[1] or match[3])
            numbers += range(first, int(match[2] or first) + 1) or [0]
        if 0 in numbers or numbers != sorted(set(numbers)):
            raise ValueError(part.strip())
        groups.append(tuple(number - 1 for number in numbers))
    return groups


def _shown(side: Side | None, indices: Sequence[int]) -> str:
    sentences = side.sentences if side else ()
    return " ".join(f"[{i + 1}] {sentences[i]}" for i in indices) or "—"


def _row(cells: dict[str, str], file: str, line: int) -> Row:
    def refuse(code: str, message: str) -> NoReturn:
        raise FormatError(Finding(file, line, 0, code, message))

    at = {name: (cells.get(name) or "").strip() for name in _NEEDED}
    key = _KEY.fullmatch(at["key"])
    number = unicodedata.normalize("NFKC", at["link"])
    if key is None or not at["document"] or not re.fullmatch(r"[1-9]\d*(\.0)?", number):
        refuse("row", f"document {at['document']!r}, link {at['link']!r}, key {at['key']!r} were "
               "changed; only mark, right zh, right en and note are to be filled in")  # fmt: skip
    mark = unicodedata.normalize("NFKC", at["mark"]).casefold()
    if mark and mark not in _OK | _WRONG:
        refuse("mark", f"{at['mark']!r}; expected ok or wrong")
    given = bool(at["right zh"] or at["right en"])
    if given and mark not in _WRONG:
        refuse("mark", f"right links are given but the mark is {at['mark']!r}; expected wrong")
    right: tuple[SentenceLink, ...] = ()
    if given:
        try:
            sides = [parse_numbers(at[name]) for name in ("right zh", "right en")]
        except ValueError as error:
            refuse("numbers", f"{str(error)!r}; expected ascending sentence numbers, as 3 4 or 3-5")
        if len(sides[0]) != len(sides[1]):
            refuse("numbers", f"{len(sides[0])} groups in right zh, {len(sides[1])} in right en; "
                   "expected the same number, semicolons between them")  # fmt: skip
        right = tuple(
            SentenceLink(zh, en, None, "manual") for zh, en in zip(*sides, strict=True) if zh or en
        )
        if not right:
            refuse("numbers", "right zh and right en name no sentence; expected one at least")
    zh, en = (tuple(int(i) - 1 for i in key[side].split()) for side in (1, 2))
    return Row(
        document=at["document"],
        number=int(float(number)),
        zh=zh,
        en=en,
        key=key[3],
        ok=None if not mark else mark in _OK,
        right=right,
        place=f"{file}:{line}",
    )
