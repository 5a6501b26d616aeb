"""A table as a report shows it, and as LaTeX, Markdown and CSV for a paper."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.report.tables import percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "→": r"$\rightarrow$",
        "×": r"$\times$",
        "−": "$-$",
        "“": "``",
        "”": "''",
    }
)


@dataclass(frozen=True, slots=True)
class Datum:
    """A cell.

    Attributes:
        text: What is shown.
        sort: What it is sorted by; the text if None.
        low: Lower end of its interval, a fraction; None if it has none.
        high: Upper end.
        letters: Systems that share a letter do not differ.
        best: Whether nothing in the column is better.
        href: What it links to.
        icon: Place of the system whose sign stands before it.
    """

    text: str
    sort: float | None = None
    low: float | None = None
    high: float | None = None
    letters: str = ""
    best: bool = False
    href: str | None = None
    icon: int | None = None

    @property
    def interval(self) -> str:
        """``60.1–66.0``; empty if there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{percent(self.low)}–{percent(self.high)}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        label: Its head.
        number: Whether it holds numbers, which are aligned to the right.
        title: What the head means, at length.
        falling: Whether to begin with the greatest when it is sorted.
    """

    label: str
    number: bool = True
    title: str = ""
    falling: bool = True


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table.

    Attributes:
        id: Name of its files, and of its place on the page.
        title: What it shows.
        columns: The columns.
        rows: As many cells each as there are columns.
        caption: What is to be said below.
        search: Whether a page offers to filter its rows.
    """

    id: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Datum]]
    caption: str = ""
    search: bool = False


def transposed(table: PageTable, label: str) -> PageTable:
    """The same with a row a column; only for tables whose first column names the rows.

    Args:
        table: The table.
        label: Head of the new first column.
    """
    rest = table.columns[1:]
    head = [Column(label, number=False, falling=False)]
    head += [Column(row[0].text) for row in table.rows]
    rows = [
        [Datum(column.label), *(row[place] for row in table.rows)]
        for place, column in enumerate(rest, 1)
    ]
    return PageTable(table.id, table.title, head, rows, table.caption)


def share(value: float | None, low: float | None = None, high: float | None = None) -> Datum:
    """A fraction in percent, with its interval."""
    return Datum(percent(value), value, low, high)


def number(value: float | None) -> Datum:
    """A number as it is."""
    if value is None:
        return Datum("–")
    return Datum(f"{value:,}" if isinstance(value, int) else f"{value:,.2f}", float(value))


def to_latex(table: PageTable) -> str:
    """A table for the LaTeX package booktabs, bold where it is best, letters raised."""
    form = "".join("r" if column.number else "l" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}; for Chinese, XeLaTeX with \\usepackage{xeCJK}",
        r"\begin{table}",
        r"  \centering",
        rf"  \begin{{tabular}}{{{form}}}",
        r"    \toprule",
        f"    {' & '.join(latex(column.label) for column in table.columns)} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(map(_latex_cell, row))} \\\\" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \caption{{{latex(' '.join(filter(None, [table.title + '.', table.caption])))}}}",
        rf"  \label{{tab:{table.id}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex(text: str) -> str:
    """A text with what LaTeX takes for commands escaped."""
    return " ".join(text.split()).translate(_LATEX)


def _latex_cell(cell: Datum) -> str:
    said = latex(cell.text)
    if cell.best:
        said = rf"\textbf{{{said}}}"
    if cell.letters:
        said += rf"\textsuperscript{{{latex(cell.letters)}}}"
    return f"{said} {{\\scriptsize [{latex(cell.interval)}]}}" if cell.interval else said


def to_markdown(table: PageTable) -> str:
    """A table in Markdown, bold where it is best."""
    rule = ["---:" if column.number else ":---" for column in table.columns]
    rows = [[column.label for column in table.columns], rule]
    body = [[_markdown_cell(cell) for cell in row] for row in table.rows]
    lines = [f"| {' | '.join(row)} |" for row in (*rows, *body)]
    caption = " ".join(filter(None, [f"{table.title}.", table.caption]))
    return "\n".join([*lines, "", caption]) + "\n"


def _markdown_cell(cell: Datum) -> str:
    said = " ".join(cell.text.split())
    for mark in "\\|*_`<[":
        said = said.replace(mark, f"\\{mark}")
    said = f"**{said}**" if cell.best and said else said
    said += f" {cell.letters}" if cell.letters else ""
    return f"{said} [{cell.interval}]" if cell.interval else said


def to_csv(table: PageTable) -> str:
    """A table as CSV: numbers as fractions, and columns of their own for intervals and letters."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    extra = [
        (
            any(row[i].low is not None for row in table.rows),
            any(row[i].letters for row in table.rows),
        )
        for i in range(len(table.columns))
    ]
    head: list[str] = []
    for column, (ends, letters) in zip(table.columns, extra, strict=True):
        label = column.label.rstrip(" ↑↓")
        head += [label, *([f"{label} low", f"{label} high"] if ends else [])]
        head += [f"{label} letters"] if letters else []
    writer.writerow(head)
    for row in table.rows:
        cells: list[str | float | None] = []
        for cell, column, (ends, letters) in zip(row, table.columns, extra, strict=True):
            said = "" if cell.text == "–" else cell.text
            plain = column.number and cell.sort is not None and "(" not in said
            cells.append(cell.sort if plain else said)
            cells += [cell.low, cell.high] if ends else []
            cells += [cell.letters] if letters else []
        writer.writerow(cells)
    return out.getvalue()


def write_table(table: PageTable, folder: Path) -> list[Path]:
    """Write a table in every form; returns the files."""
    from bwb.textio import replacing

    forms = {"tex": to_latex, "md": to_markdown, "csv": to_csv}
    written = []
    for suffix, make in forms.items():
        path = folder / f"{table.id}.{suffix}"
        with replacing(path) as file:
            file.write(make(table))
        written.append(path)
    return written
