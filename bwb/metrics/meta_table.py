"""Tables of scores for meta-evaluation: what each metric, or judge, or person gave to what.

A row is of a system, and of one of its documents unless the score is of the system as a whole.
Five forms are read, and which one it was is said:

    wide    CSV, TSV or JSONL: system, document (optional), and a column a metric
    long    the same with the columns metric and score; further ones are not read, and named
    report  what ``bwb score --json`` prints (JSON with ``results``), or any JSON list of such rows
    results what ``bwb score --out`` writes, with the scores of all documents

An empty cell, or null, is undefined. An empty document means the system as a whole.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from bwb.errors import Finding, FormatError, InputError
from bwb.metrics.results import FORMAT, read_results
from bwb.textio import read_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Form = Literal["wide", "long", "report", "results"]
# A system, and a document or None for the system as a whole.
Key = tuple[str, str | None]

_IDS = ("system", "document")
_LONG = ("metric", "score")


@dataclass(slots=True)
class ScoreTable:
    """What one file says.

    Attributes:
        path: The file.
        form: The form that it was found to have.
        scores: Metric → (system, document) → score; nan where undefined.
        unread: Columns of a long table that hold something else.
        findings: What was repaired in the file.
    """

    path: Path
    form: Form
    scores: dict[str, dict[Key, float]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    findings: list[Finding] = field(default_factory=list)

    @property
    def keys(self) -> set[Key]:
        """Everything that has a score, or an undefined one."""
        return {key for rows in self.scores.values() for key in rows}


def read_scores(path: Path) -> ScoreTable:
    """Read a table of scores; its name says whether it is CSV, TSV, JSONL or JSON.

    Raises:
        FormatError: for a header without ``system``, a cell that is no finite number, a row that
            is too short or there twice; names file and line.
        InputError: if there is no such file, or no such kind of file.
    """
    kind = path.suffix.lower()
    if kind in {".csv", ".tsv", ".tab"}:
        found = _from_lines(path, "\t" if kind != ".csv" else ",")
    elif kind in {".jsonl", ".ndjson"}:
        found = _from_jsonl(path)
    elif kind == ".json":
        found = _from_json(path)
    else:
        raise InputError(f"{path}: a table of scores is .csv, .tsv, .jsonl or .json, not {kind!r}")
    if not found.keys:
        _refuse(path, 0, "no scores; expected rows of system, document (optional) and scores")
    return found


def _from_lines(path: Path, delimiter: str) -> ScoreTable:
    lines, findings = read_lines(path)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    rows: Iterator[tuple[int, list[str]]] = ((reader.line_num, row) for row in reader)
    try:
        _, first = next(rows, (1, []))
        header = [name.strip() for name in first]
        form, unread = _form(path, 1, header)
        table = ScoreTable(path, form, unread=unread, findings=findings)
        for line, row in rows:
            if not "".join(row).strip():
                continue
            if len(row) != len(header):
                _refuse(path, line, f"{len(row)} cells, the header has {len(header)}")
            _add_row(table, dict(zip(header, map(str.strip, row), strict=True)), line)
    except csv.Error as error:
        _refuse(path, reader.line_num, f"{error}; expected cells in closed quotes")
    return table


def _from_jsonl(path: Path) -> ScoreTable:
    lines, findings = read_lines(path)
    table: ScoreTable | None = None
    unread: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _object(path, number, line)
        form, more = _form(path, number, list(row))
        unread |= dict.fromkeys(more)
        if table is None:
            table = ScoreTable(path, form, findings=findings)
        elif form != table.form:
            _refuse(path, number, f"a row in {form} form after rows in {table.form} form")
        _add_row(table, row, number)
    table = table or ScoreTable(path, "wide")
    table.unread = tuple(unread)
    return table


def _from_json(path: Path) -> ScoreTable:
    text, findings = read_text(path)
    try:
        body = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(path, error.lineno, f"no JSON: {error.msg}")
    if isinstance(body, dict) and body.get("format") == FORMAT:
        return _from_results(path)
    rows = body.get("results") if isinstance(body, dict) else body
    if not isinstance(rows, list):
        _refuse(path, 0, "expected a list of rows, or an object with `results`, as of bwb score")
    table = ScoreTable(path, "report", findings=findings)
    for number, row in enumerate(rows, 1):
        where = f"result {number}"
        if not isinstance(row, dict):
            _refuse(path, 0, f"{where}: {row!r} is no object")
        if "results" in row or not {"system", *_LONG} <= set(row):
            _refuse(path, 0, f"{where}: keys {', '.join(row)}; expected system, metric, score")
        _add_row(table, row, 0, where)
    return table


def _from_results(path: Path) -> ScoreTable:
    table = ScoreTable(path, "results")
    for row in read_results(path).scored:
        for system, tallies in row.tallies.items():
            given = {None: tallies} | {
                document: [tally] for document, tally in zip(row.documents, tallies, strict=True)
            }
            for document, some in given.items():
                score = row.metric.score(system, some).score
                body = {"system": system, "document": document, "metric": row.metric.name}
                _add_row(table, body | {"score": score}, 0)
    return table


def _object(path: Path, line: int, text: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(path, line, f"no JSON: {error.msg}")
    if not isinstance(row, dict):
        _refuse(path, line, f"{text.strip()[:40]!r} is no object")
    return row


def _form(path: Path, line: int, header: list[str]) -> tuple[Form, tuple[str, ...]]:
    """Wide or long, and the columns that are not read."""
    others = [name for name in header if name not in _IDS]
    long = set(_LONG) <= set(others)
    if "system" not in header or not others or "" in header or len(set(header)) < len(header):
        listed = ", ".join(map(repr, header)) or "none"
        _refuse(
            path,
            line,
            f"columns {listed}; expected system, document (optional) and then a column a metric, "
            "or metric and score, each name once",
        )
    return ("long", tuple(n for n in others if n not in _LONG)) if long else ("wide", ())


def _add_row(table: ScoreTable, row: Mapping[str, Any], line: int, where: str = "") -> None:
    path = table.path
    system, document = (_name(path, line, row, key) for key in _IDS)
    if system is None:
        _refuse(path, line, f"{where or 'a row'} without a system")
    key = (system, document)
    if table.form == "wide":
        cells = {name: value for name, value in row.items() if name not in _IDS}
    else:
        metric = _name(path, line, row, "metric")
        if metric is None:
            _refuse(path, line, f"{where or 'a row'} without a metric")
        cells = {metric: row["score"]}
    for metric, value in cells.items():
        scores = table.scores.setdefault(metric, {})
        if key in scores:
            said = " ".join(part for part in key if part is not None)
            _refuse(path, line, f"{metric} of {said} for a second time")
        scores[key] = _value(path, line, metric, value)


def _name(path: Path, line: int, row: Mapping[str, Any], key: str) -> str | None:
    """An id as text; None if it is empty or not there."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        _refuse(path, line, f"{key} {value!r}; expected a name")
    return str(value).strip() or None if value is not None else None


def _value(path: Path, line: int, metric: str, value: object) -> float:
    if value is None or value == "":
        return math.nan
    try:
        number = math.inf if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.inf
    if not math.isfinite(number):
        _refuse(path, line, f"{metric} {value!r} is no score; expected a number, or nothing")
    return number


def _refuse(path: Path, line: int, message: str) -> NoReturn:
    raise FormatError(Finding(str(path), line, 0, "score-table", message))
