"""Sheets that people fill in: CSV that spreadsheets leave alone, and data inside a page.

Files are written with a byte order mark (else Excel takes UTF-8 for the local code page) and CRLF
(RFC 4180); they are read with or without these, with commas, semicolons or tabs between the cells.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from bwb.errors import Finding, FormatError
from bwb.textio import read_text, replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def write_sheet(columns: Sequence[str], rows: Iterable[Mapping[str, str]], path: Path) -> int:
    """Write rows; returns how many there are.

    A cell that begins with ``=``, ``+``, ``-`` or ``@`` is a formula to a spreadsheet: callers put
    something in front of free text.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\r\n")
    writer.writeheader()
    count = 0
    for count, cells in enumerate(rows, 1):  # noqa: B007 - the last count is returned
        writer.writerow(cells)
    with replacing(path) as file:
        file.write("\ufeff" + text.getvalue())
    return count


def read_sheet(
    path: Path, needed: Sequence[str], what: str
) -> list[tuple[int, dict[str, str], dict[str, int]]]:
    """Read a sheet back.

    Args:
        path: The file.
        needed: Columns it must have; others may be there too.
        what: What it should be, for messages.

    Returns:
        For each row that is not empty the line it begins on, its cells without white space around
        them, and the number of each column from 1.

    Raises:
        FormatError: if it is no CSV, lacks a column or has no rows.
        InputError: if there is no such file.
    """
    text, _ = read_text(path)
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    names: list[str] | None = None
    begins = 1
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if names is None:
                names = [cell.strip() for cell in cells]
                lacking = [name for name in needed if name not in names]
                if lacking:
                    message = f"no column {', '.join(lacking)}; expected {what}"
                    raise FormatError(Finding(str(path), 1, 0, "columns", message))
                continue
            if not any(cell.strip() for cell in cells):
                continue  # spreadsheets leave lines of empty cells at the end
            if len(cells) > len(names):
                message = f"{len(cells)} cells, but {len(names)} columns"
                raise FormatError(Finding(str(path), line, 0, "csv", message))
            padded = [cell.strip() for cell in cells] + [""] * (len(names) - len(cells))
            numbers = {name: number for number, name in enumerate(names, 1)}
            rows.append((line, dict(zip(names, padded, strict=True)), numbers))
    except csv.Error as error:
        raise FormatError(Finding(str(path), begins, 0, "csv", f"not CSV: {error}")) from None
    if not rows:
        raise FormatError(Finding(str(path), 0, 0, "empty-file", "the sheet has no rows"))
    return rows


def script_json(body: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """JSON that may stand in a script element.

    ``</script>`` and ``<!--`` in a text would end the element; an escaped ``<`` is the same to
    whoever reads the JSON.
    """
    return json.dumps(body, ensure_ascii=False).replace("<", "\\u003c")
