"""A sheet on which a person says yes or no to each judgement of the judge.

A row is a judgement: a score with its reasons, one mistake of a list, or an empty list. The share
of yes is the human agreement of Sun et al. (2024), by metric and direction; a 95 % interval of
Wilson stands beside it.

The sheet is CSV with a byte order mark and CRLF, as spreadsheets like it. A cell that a
spreadsheet would take for a formula has an apostrophe put in front, and taken off when it is
read. The key of a row is a digest of where it belongs, so that a cell that was changed is found.
"""

from __future__ import annotations

import csv
import hashlib
import heapq
import io
import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.align.audit import wilson
from bwb.errors import Finding, FormatError
from bwb.judge.scores import item_text
from bwb.judge.spans import quotes_of
from bwb.textio import read_text, replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bwb.judge.replay import Judged
    from bwb.judge.scores import Judgement

COLUMNS = (
    "metric",
    "direction",
    "system",
    "document",
    "judgement",
    "about",
    "text",
    "reference",
    "agree",
    "note",
    "number",
    "key",
)
_FILLED = ("agree", "note")
_KEYED = ("metric", "direction", "system", "document", "number")
_NEEDED = (*_KEYED, "agree", "key")
_YES = {"yes", "y", "1", "true", "ja", "是", "对", "✓", "√"}
_NO = {"no", "n", "0", "false", "nein", "否", "不", "错", "✗", "×"}
_FORMULA = tuple("=+-@\t\r＝＋－＠")

# A spreadsheet takes no more than 32,767 characters in a cell.
LONGEST = 32_000


def sheet_rows(judged: Iterable[Judged]) -> list[dict[str, str]]:
    """The rows of a sheet, by column; answers without a score have none."""
    rows: list[dict[str, str]] = []
    for one in judged:
        for judgement in one.judgements:
            for words, about in _said(judgement):
                row = {
                    "metric": judgement.metric,
                    "direction": one.stored.direction or "",
                    "system": one.stored.system,
                    "document": one.stored.document,
                    "judgement": _fit(words),
                    "about": _fit(about),
                    "text": _fit(one.stored.text),
                    "reference": _fit(one.stored.reference or ""),
                    "agree": "",
                    "note": "",
                    "number": f"#{len(rows) + 1}",
                }
                rows.append({**row, "key": row_key(row)})
    return rows


def _said(judgement: Judgement) -> list[tuple[str, str]]:
    """What is judged yes or no, in words, with the words of the text that it is about."""
    if judgement.score is None:
        return []
    if judgement.scale == "score":
        return [(f"score {judgement.score:g}: {judgement.explanation}".rstrip(": "), "")]
    found = [(item_text(item), "; ".join(quotes_of(item)[:1])) for item in judgement.items]
    return found or [("no mistakes", "")]


def row_key(row: dict[str, str]) -> str:
    """Digest of where a row belongs; a letter, so that it is no number, and ten digits."""
    body = json.dumps([row[name] for name in _KEYED])
    return "k" + hashlib.sha256(body.encode()).hexdigest()[:10]


def draw(rows: Sequence[dict[str, str]], count: int, seed: int) -> list[dict[str, str]]:
    """A sample: so many rows of each metric of each system and direction, in their order.

    Which are drawn depends on the seed and the keys: those with the smallest digest of both.
    """

    def rank(row: dict[str, str]) -> str:
        return hashlib.sha256(f"{seed}:{row['key']}".encode()).hexdigest()

    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["metric"], row["direction"], row["system"]), []).append(row)
    chosen = {
        row["key"] for group in groups.values() for row in heapq.nsmallest(count, group, key=rank)
    }
    return [row for row in rows if row["key"] in chosen]


def write_sheet(rows: Iterable[dict[str, str]], path: Path) -> None:
    """Write a sheet."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: guarded(value) for name, value in row.items()})
    with replacing(path) as file:
        file.write("\ufeff" + text.getvalue())


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return "'" + cell if cell.lstrip().startswith(_FORMULA) or cell.startswith(_FORMULA) else cell


def unguarded(cell: str) -> str:
    """A cell as it was before `guarded`; also if the spreadsheet has taken the apostrophe off."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person said to a judgement.

    Attributes:
        line: Number of its row on the sheet, the header being 1.
        metric: Name of the metric.
        direction: Source and target language; empty if not known.
        system: Whose text was judged.
        document: Which document.
        key: Key of the row.
        agree: Yes or no; None if the cell is empty.
    """

    line: int
    metric: str
    direction: str
    system: str
    document: str
    key: str
    agree: bool | None


@dataclass(frozen=True, slots=True)
class Share:
    """Share of yes of some judgements.

    Attributes:
        metric: Name of the metric.
        direction: Source and target language; empty if not known.
        system: The system; None is all of them.
        yes: Number of yes.
        answered: Number of judgements with yes or no.
        unfinished: Number of those without.
        share: Share of yes; None if none is answered.
        wilson: 95 % interval; None as above.
    """

    metric: str
    direction: str
    system: str | None
    yes: int
    answered: int
    unfinished: int
    share: float | None
    wilson: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """What a sheet says.

    Attributes:
        rows: For each metric and direction all systems together, then each by itself.
        unfinished: The cells that are empty.
    """

    rows: tuple[Share, ...]
    unfinished: tuple[Mark, ...]


def agreement(marks: Sequence[Mark]) -> HumanAgreement:
    """The share of yes by metric, direction and system."""
    groups: dict[tuple[str, str], dict[str, list[Mark]]] = {}
    for mark in marks:
        systems = groups.setdefault((mark.metric, mark.direction), {})
        systems.setdefault(mark.system, []).append(mark)
    rows = []
    for (metric, direction), systems in groups.items():
        everything = [mark for of in systems.values() for mark in of]
        rows.append(_share(metric, direction, None, everything))
        rows += [_share(metric, direction, system, of) for system, of in systems.items()]
    return HumanAgreement(tuple(rows), tuple(mark for mark in marks if mark.agree is None))


def _share(metric: str, direction: str, system: str | None, marks: Sequence[Mark]) -> Share:
    answered = [mark for mark in marks if mark.agree is not None]
    yes = sum(bool(mark.agree) for mark in answered)
    return Share(
        metric=metric,
        direction=direction,
        system=system,
        yes=yes,
        answered=len(answered),
        unfinished=len(marks) - len(answered),
        share=yes / len(answered) if answered else None,
        wilson=wilson(yes, len(answered)) if answered else None,
    )


def read_sheet(path: Path) -> list[Mark]:
    """Read a sheet back, with commas, semicolons or tabs between the cells.

    Raises:
        FormatError: if it is not a sheet, a row is there twice or was changed, or a cell is
            neither yes nor no; names the row.
        InputError: if there is no such file.
    """
    text, _ = read_text(path)
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    lacking = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
    if lacking:
        message = f"no column {', '.join(lacking)}; expected a sheet of bwb judge sheet"
        raise FormatError(Finding(str(path), 1, 0, "columns", message))
    marks: dict[str, Mark] = {}
    try:
        for number, cells in enumerate(reader, 2):
            if not any(value for value in cells.values() if isinstance(value, str)):
                continue  # spreadsheets leave lines of empty cells at the end
            mark = _mark(cells, str(path), number)
            if mark.key in marks:
                message = f"the judgement of row {marks[mark.key].line} again"
                raise FormatError(Finding(str(path), number, 0, "duplicate-row", message))
            marks[mark.key] = mark
    except csv.Error as error:
        raise FormatError(Finding(str(path), 0, 0, "csv", f"not CSV: {error}")) from None
    if not marks:
        raise FormatError(Finding(str(path), 0, 0, "empty-file", "the sheet has no rows"))
    return list(marks.values())


def _mark(cells: dict[str, str], file: str, number: int) -> Mark:
    row = {name: unguarded(cells.get(name) or "") for name in _NEEDED}
    key = row["key"].strip()
    if key != row_key(row):
        told = ", ".join(f"{name} {row[name]!r}" for name in _KEYED)
        only = " and ".join(_FILLED)
        message = f"{told}: do not belong to key {key!r}; only {only} are to be filled in"
        raise FormatError(Finding(file, number, 0, "row", message))
    said = unicodedata.normalize("NFKC", row["agree"]).strip().casefold()
    if said and said not in _YES | _NO:
        message = f"agree is {row['agree']!r}; expected yes, no, or nothing if not decided yet"
        raise FormatError(Finding(file, number, COLUMNS.index("agree") + 1, "agree", message))
    return Mark(
        line=number,
        metric=row["metric"],
        direction=row["direction"],
        system=row["system"],
        document=row["document"],
        key=key,
        agree=None if not said else said in _YES,
    )


def _fit(text: str) -> str:
    """A text that a cell can hold; one that was cut says so."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} [… cut: {LONGEST:,} of {len(text):,} characters]"
