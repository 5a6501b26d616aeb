"""Plain tables for a terminal: aligned, also where Chinese stands beside English.

On a terminal a table is made to fit: columns of text are wrapped, and what is still too wide goes
on below with the first column repeated. Into a pipe or a file everything goes on one line.

Colour is for terminals only. ``NO_COLOR`` turns it off, ``FORCE_COLOR`` on, ``TERM=dumb`` off.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = str | int | float | None

_STYLES = {"bold": "1", "best": "1;32", "good": "32", "bad": "31", "faint": "2"}
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_GAP = "  "
# A column of text is not made narrower than this.
_NARROWEST = 18


def width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in plain(text)
    )


def plain(text: str) -> str:
    """A text without its colours."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def colours(stream: IO[str] | None = None) -> bool:
    """Whether a stream, standard output if None, is to get colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return os.environ.get("TERM") != "dumb" and (stream or sys.stdout).isatty()


def styled(text: str, style: str, stream: IO[str] | None = None) -> str:
    """A text in a style of `_STYLES`, if the stream gets colours."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text and colours(stream) else text


def columns(stream: IO[str] | None = None) -> int | None:
    """Width of the terminal that a stream writes to; None if it is no terminal."""
    if not (stream or sys.stdout).isatty():
        return None
    return max(shutil.get_terminal_size().columns, 40)


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


def best(values: Sequence[float | None], *, higher: bool = True) -> set[int]:
    """Places of the best values, as they are shown; none if there is nothing to choose from."""
    shown = {i: round(value, 3) for i, value in enumerate(values) if value is not None}
    if len(set(shown.values())) < 2:
        return set()
    top = (max if higher else min)(shown.values())
    return {i for i, value in shown.items() if value == top}


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
    limit = columns()
    blocks = [list(range(len(header)))]
    if limit is not None:
        widths = _narrowed(widths, right, limit - width(indent))
        blocks = _blocks(widths, limit - width(indent))
    lines: list[str] = []
    for block in blocks:
        chosen, sides = [widths[i] for i in block], [right[i] for i in block]
        lines += [""] if lines else []
        for row in (list(header), None, *texts):
            if row is None:
                lines.append(styled(_GAP.join("─" * w for w in chosen), "faint"))
            else:
                lines += _wrapped([row[i] for i in block], chosen, sides)
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def rows_table(rows: Sequence[dict[str, Any]], *, indent: str = "  ") -> str:
    """A table of rows that are dicts with the same keys."""
    if not rows:
        return f"{indent}(nothing)"
    header = list(rows[0])
    return table(
        [h.replace("_", " ") for h in header], [[r[h] for h in header] for r in rows], indent=indent
    )


def paragraph(text: str, *, indent: str = "  ", further: str = "    ") -> str:
    """A text that is wrapped on a terminal, its further lines indented more."""
    limit = columns()
    if limit is None:
        return f"{indent}{text}"
    lines = fold(text, limit - width(further))
    return "\n".join([f"{indent}{lines[0]}", *(f"{further}{line}" for line in lines[1:])])


def fold(text: str, limit: int) -> list[str]:
    """A text in lines of at most so many columns, cut at spaces, and in Chinese anywhere."""
    lines, line = [], ""
    for piece in re.findall(r"\s+|[^\s⺀-鿿＀-￯]+|.", text):
        if width(line) + width(piece) > limit and line.strip():
            lines.append(line.rstrip())
            line = ""
        while width(piece) > limit:
            cut = _cut(piece, limit)
            lines.append(piece[:cut])
            piece = piece[cut:]
        line += piece if line or not piece.isspace() else ""
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _cut(text: str, limit: int) -> int:
    """How many characters fit."""
    count = len(text)
    while count > 1 and width(text[:count]) > limit:
        count -= 1
    return count


def _narrowed(widths: list[int], right: Sequence[bool], limit: int) -> list[int]:
    """Widths with columns of text made narrower, the widest first, until the table fits.

    If it cannot, each column is made to fit beside the first one alone.
    """
    made = list(widths)
    while sum(made) + len(_GAP) * (len(made) - 1) > limit:
        texts = [i for i in range(len(made)) if not right[i] and made[i] > _NARROWEST]
        if not texts:
            most = max(limit - made[0] - len(_GAP), _NARROWEST)
            return [made[0], *(min(wide, most) for wide in widths[1:])]
        made[max(texts, key=made.__getitem__)] -= 1
    return made


def _blocks(widths: Sequence[int], limit: int) -> list[list[int]]:
    """Which columns stand beside each other; every block begins with the first column."""
    blocks, used = [[0]] if widths else [[]], widths[0] if widths else 0
    for i in range(1, len(widths)):
        if used + len(_GAP) + widths[i] > limit and len(blocks[-1]) > 1:
            blocks.append([0])
            used = widths[0]
        blocks[-1].append(i)
        used += len(_GAP) + widths[i]
    return blocks


def _wrapped(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """The lines of a row."""
    folded = [
        [text] if width(text) <= wide else fold(plain(text), wide)
        for text, wide in zip(cells, widths, strict=True)
    ]
    return [
        _line([parts[n] if n < len(parts) else "" for parts in folded], widths, right)
        for n in range(max(map(len, folded), default=0))
    ]


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, wide, to_right in zip(cells, widths, right, strict=True):
        gap = " " * (wide - width(text))
        padded.append(gap + text if to_right else text + gap)
    return _GAP.join(padded)


def _int(value: Cell) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(text: str) -> bool:
    text = plain(text)
    return text == "–" or text.replace(",", "").replace(".", "").lstrip("+-−").isdigit()
