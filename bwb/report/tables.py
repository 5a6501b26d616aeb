"""Plain tables for a terminal: aligned, also where Chinese stands beside English."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = str | int | float | None


def width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def percent(value: float | None, digits: int = 1) -> str:
    """A fraction in percent; a dash where it is undefined."""
    return "–" if value is None else f"{100 * value:.{digits}f}"


def cell(value: Cell) -> str:
    """A value as a table shows it: two decimals, a dash for None."""
    if value is None:
        return "–"
    return (
        f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if _int(value) else str(value)
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, indent: str = "  ") -> str:
    """A table with its header underlined; columns of numbers are aligned to the right.

    Args:
        header: Names of the columns.
        rows: As many cells each as the header has.
        indent: What each line begins with.

    Raises:
        ValueError: if a row has another number of cells.
    """
    texts = [[cell(value) for _, value in zip(header, row, strict=True)] for row in rows]
    widths = [max(map(width, column)) for column in zip(header, *texts, strict=True)]
    right = [
        all(not isinstance(row[i], str) or _number(texts[n][i]) for n, row in enumerate(rows))
        for i in range(len(header))
    ]
    lines = [_line(header, widths, right), "  ".join("─" * w for w in widths)]
    lines += [_line(row, widths, right) for row in texts]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def rows_table(rows: Sequence[dict[str, Any]], *, indent: str = "  ") -> str:
    """A table of rows that are dicts with the same keys."""
    if not rows:
        return f"{indent}(nothing)"
    header = list(rows[0])
    return table(
        [h.replace("_", " ") for h in header], [[r[h] for h in header] for r in rows], indent=indent
    )


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, wide, to_right in zip(cells, widths, right, strict=True):
        gap = " " * (wide - width(text))
        padded.append(gap + text if to_right else text + gap)
    return "  ".join(padded)


def _int(value: Cell) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(text: str) -> bool:
    return text == "–" or text.replace(",", "").replace(".", "").lstrip("+-−").isdigit()
