"""A table or a figure's series of the BWB paper, computed for a corpus: as JSON, or as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bwb.report.tables import percent, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bwb.report.tables import Cell


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score with its 95% interval.

    Attributes:
        value: The score; None if undefined.
        low: Lower end; None if there is no interval.
        high: Upper end.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Printed:
    """A number that the paper prints.

    Attributes:
        what: What it is of.
        printed: The number; a fraction where the unit is percent.
        ours: The number here; None where the paper does not say what exactly it counted.
        unit: ``percent`` or ``count``.
    """

    what: str
    printed: float
    ours: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table, or one series of a figure.

    Attributes:
        id: Such as ``table-7``.
        title: What it shows.
        columns: Names of the columns, in order.
        rows: By column: a text, a number, an `Estimate`, or None where undefined.
        units: Columns that are fractions and read in percent: ``percent``.
        notes: Footnotes.
        missing: What cannot be computed, and why.
        paper: The paper's own numbers, if the corpus is the paper's or a part of it.
        long: Whether the rows are too many to print.
    """

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    units: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    paper: tuple[Printed, ...] = ()
    long: bool = False

    def to_json(self) -> dict[str, Any]:
        """As plain values; an estimate is ``{"value", "low", "high"}``."""
        return {
            "id": self.id,
            "title": self.title,
            "columns": list(self.columns),
            "units": dict(self.units),
            "rows": [{name: _plain(row[name]) for name in self.columns} for row in self.rows],
            "notes": list(self.notes),
            "missing": [{"what": what, "why": why} for what, why in self.missing.items()],
            "paper": [
                {"what": p.what, "printed": p.printed, "ours": p.ours, "unit": p.unit}
                for p in self.paper
            ],
        }

    def to_text(self) -> str:
        """As a person reads it; fractions in percent."""
        lines = [f"{_heading(self.id)}. {self.title}"]
        if self.long:
            lines.append(f"  {len(self.rows):,} points; --json lists them")
        elif self.rows:
            lines.append(self._table())
        lines += [f"  not computed: {what}: {why}" for what, why in self.missing.items()]
        for printed in self.paper:
            ours = _number(printed.ours, printed.unit)
            said = _number(printed.printed, printed.unit)
            lines.append(f"  the paper prints {said} ({printed.what}); here {ours}")
        lines += [f"  * {text}" for text in self.notes]
        return "\n".join(lines)

    def _table(self) -> str:
        header = [self._label(name) for name in self.columns]
        rows = [[self._cell(row[name], name) for name in self.columns] for row in self.rows]
        if any(isinstance(value, Estimate) for row in self.rows for value in row.values()) and (
            self.columns[0] == "system" and len(self.columns) > 6
        ):
            # Intervals are wide: a column a system instead of a row.
            turned = [list(column) for column in zip(header, *rows, strict=True)]
            return table([str(name) for name in turned[0]], turned[1:])
        return table(header, rows)

    def _label(self, name: str) -> str:
        said = name.replace("_", " ")
        return f"{said} %" if self.units.get(name) == "percent" else said

    def _cell(self, value: Any, name: str) -> Cell:  # noqa: ANN401 - what rows hold
        scale = self.units.get(name) == "percent"
        if isinstance(value, Estimate):
            whole = _number(value.value, "percent" if scale else "")
            if value.low is None or value.high is None:
                return whole
            ends = [_number(end, "percent" if scale else "") for end in (value.low, value.high)]
            return f"{whole} [{', '.join(ends)}]"
        if scale and isinstance(value, int | float):
            return percent(value)
        result: Cell = value
        return result


def _heading(name: str) -> str:
    kind, _, number = name.partition("-")
    said = number.upper() if len(number) == 1 else number.replace("-", ", ")
    return f"{kind.capitalize()} {said}".strip()


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "percent":
        return percent(value)
    return f"{value:,.0f}" if unit == "count" else f"{value:,.3f}"


def _plain(value: Any) -> Any:  # noqa: ANN401 - what rows hold
    if isinstance(value, Estimate):
        return {"value": value.value, "low": value.low, "high": value.high}
    return value
