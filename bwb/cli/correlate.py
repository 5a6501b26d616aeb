"""How far do metrics agree? Correlations between them, as a matrix with p-values.

  bwb correlate                                        all quick metrics on the sample
  bwb correlate --kind spearman --level systems        one coefficient, one level
  bwb correlate --of entity.PER.recall,pronoun         any scores, each metric's own by its name
  bwb correlate --table human.tsv --gold adequacy      and with scores by others
  bwb correlate --kind kendall --plot map.svg          a heat map

Coefficients: Pearson's r, Spearman's ρ, Kendall's τ-b. Levels:

  documents   every document of every system is a point; documents that several systems translate
              are not independent, so these p-values are too small
  within      every document of a system is a point: the mean over the systems (each with its
              p-values in --json)
  systems     every system is a point, by its corpus score

The table of --table is CSV, or TSV if its name ends so, with the columns system, document (if it
has scores of documents) and one a score. With --gold, Williams' test tells for every two other
columns whether one correlates with that column more highly (Pearson; Graham and Baldwin 2014),
Holm-corrected over the pairs of a level.

To hold tables of scores, by anybody, against human or judge scores, use bwb meta.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli import scoring
from bwb.cli.common import done, note, note_findings, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bwb.errors import Finding
    from bwb.metrics.stats_correlation import Correlation, Matrix, Williams
    from bwb.metrics.stats_points import Points

    # Level, matrix, and the matrices it is the mean of.
    Table = tuple[str, Matrix, dict[str, Matrix]]

_KINDS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
_LEVELS = {
    "documents": "documents of all systems",
    "within": "documents within a system, mean over systems",
    "systems": "systems",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    scoring.add_arguments(parser)
    group = parser.add_argument_group("correlation")
    group.add_argument("--kind", choices=tuple(_KINDS), help="coefficient (default: all three)")
    group.add_argument("--level", choices=tuple(_LEVELS), help="what a point is (default: all)")
    group.add_argument("--of", metavar="A,B", help="scores, such as pronoun,entity.PER.recall")
    group.add_argument("--table", type=Path, metavar="FILE", help="further scores by others")
    group.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="the first table as a heat map, .svg, .pdf or .png; see --kind and --level",
    )
    group.add_argument("--gold", metavar="NAME", help="column that the others are held against")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.errors import InputError, UnknownNameError
    from bwb.metrics.stats_points import add_table, collect

    of = _scores(args)
    scored = scoring.score(args)
    points = collect(scored, of)
    if args.table is not None:
        findings: list[Finding] = []
        add_table(points, args.table, findings)
        note_findings(findings)
    if args.gold is not None and args.gold not in points.whole:
        raise UnknownNameError("column", args.gold, points.whole)
    if len(points.whole) < 2:
        raise InputError(f"one score only ({', '.join(points.whole)}): nothing to correlate")
    tables = [
        table
        for level in ([args.level] if args.level else _LEVELS)
        for table in _tables(points, level, [args.kind] if args.kind else list(_KINDS))
    ]
    tests = _williams(points, args) if args.gold is not None else []
    if args.plot is not None:
        _plot(tables[0], args.plot)
    if args.json:
        body = [_table_json(*table) for table in tables]
        signatures = {row.metric.name: str(row.metric.signature(row.data)) for row in scored}
        print_json({"correlations": body, "williams": tests, "signatures": signatures})
        return 0
    count = f"{plural(len(points.systems), 'system')}, {plural(len(points.documents), 'document')}"
    print(f"{count}; above the diagonal the coefficient (* p < 0.05), below it p\n")
    for level, matrix, _ in tables:
        print(f"{_KINDS[matrix.kind]} over {_LEVELS[level]} ({_points(matrix)})")
        print(f"{_matrix(matrix)}\n")
    if tests:
        _print_williams(tests, args.gold)
    for row in scored:
        print(f"  {row.metric.signature(row.data)}")
    if any(cell.r is None for _, matrix, _ in tables for row in matrix.cells for cell in row):
        note("– : too few points (three are needed), or a score is the same everywhere")
    if args.plot is not None:
        done(f"heat map in {args.plot}")
    return 0


def _plot(table: Table, path: Path) -> None:
    from bwb.report.heatmap import correlation_heatmap, save_figure

    level, matrix, _ = table
    cells = [[cell.r for cell in row] for row in matrix.cells]
    title = f"{_KINDS[matrix.kind]} over {_LEVELS[level]}"
    save_figure(correlation_heatmap(matrix.names, cells, title=title), path)


def _scores(args: argparse.Namespace) -> dict[str, list[str]]:
    """What --of asks of each metric; the metrics of --metrics follow from it.

    Raises:
        UsageError: if a name is repeated, or --metrics leaves out a metric it needs.
        UnknownNameError: if it begins with no metric.
    """
    from bwb.errors import UsageError
    from bwb.metrics import metric_class

    if args.of is None:
        return {}
    names = [name.strip() for name in args.of.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise UsageError(f"--of {args.of!r}: expected names of scores, each once")
    found: dict[str, list[str]] = {}
    for name in names:
        metric, _, score = name.partition(".")
        metric_class(metric)
        found.setdefault(metric, []).append(score or "score")
    if args.metrics is not None:
        raise UsageError("--of names the metrics too; leave --metrics out")
    args.metrics = ",".join(found)
    return found


def _tables(points: Points, level: str, kinds: Sequence[str]) -> list[Table]:
    """Level, matrix, and the matrices it is the mean of, for each kind."""
    from bwb.metrics.stats_correlation import KINDS, matrix, mean_matrix

    found: list[Table] = []
    for kind in (kind for kind in KINDS if kind in kinds):
        if level == "within":
            parts = {name: matrix(points.within(name), kind) for name in points.systems}
            found.append((level, mean_matrix(list(parts.values())), parts))
        else:
            columns = points.pooled() if level == "documents" else points.whole
            found.append((level, matrix(columns, kind), {}))
    return found


def _table_json(level: str, matrix: Matrix, parts: dict[str, Matrix]) -> dict[str, Any]:
    body = {"level": level, **_matrix_json(matrix)}
    if parts:
        body["systems"] = {name: _matrix_json(part) for name, part in parts.items()}
    return body


def _matrix_json(matrix: Matrix) -> dict[str, Any]:
    rows = matrix.cells
    return {
        "kind": matrix.kind,
        "names": list(matrix.names),
        "r": [[cell.r for cell in row] for row in rows],
        "p": [[cell.p for cell in row] for row in rows],
        "points": [[cell.points for cell in row] for row in rows],
    }


def _williams(points: Points, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Williams' test at each level that has one: points pooled, and systems."""
    from bwb.metrics.stats_correlation import williams
    from bwb.metrics.stats_tests import holm

    found = []
    for level, columns in (("documents", points.pooled()), ("systems", points.whole)):
        if args.level in {None, level}:
            rows: list[Williams] = williams(columns, args.gold)
            corrected = holm([row.p for row in rows])
            found += [
                {"level": level, "gold": args.gold, **asdict(row), "p_holm": p}
                for row, p in zip(rows, corrected, strict=True)
            ]
    return found


def _matrix(matrix: Matrix) -> str:
    from bwb.report.tables import table

    body = [
        [name, *(_cell(cell, j - i) for j, cell in enumerate(row))]
        for i, (name, row) in enumerate(zip(matrix.names, matrix.cells, strict=True))
    ]
    return table(["", *matrix.names], body)


def _cell(cell: Correlation, side: int) -> str:
    """A coefficient above the diagonal, its p below, nothing on it."""
    if side == 0:
        return ""
    if side < 0:
        return "" if cell.p is None else f"{cell.p:.3f}" if cell.p >= 0.001 else "<.001"
    if cell.r is None:
        return "–"
    return f"{cell.r:+.3f}{'*' if cell.p is not None and cell.p < 0.05 else ''}"


def _points(matrix: Matrix) -> str:
    counts = {
        cell.points for i, row in enumerate(matrix.cells) for j, cell in enumerate(row) if i != j
    }
    low, high = min(counts), max(counts)
    return plural(low, "point") if low == high else f"{low:,} to {high:,} points"


def _print_williams(tests: list[dict[str, Any]], gold: str) -> None:
    from bwb.report.tables import table

    print(f"Williams' test: which correlates more highly with {gold} (Pearson's r)")
    header = ["level", "one", "r", "other", "r", "between", "t", "p", "Holm", ""]
    body = [
        [
            row["level"],
            row["one"],
            *(_number(row["one_r"], "+.3f"), row["other"], _number(row["other_r"], "+.3f")),
            *(_number(row["between"], "+.3f"), _number(row["t"], "+.2f")),
            *(_number(row["p"], ".4f"), _number(row["p_holm"], ".4f")),
            "*" if row["p_holm"] is not None and row["p_holm"] < 0.05 else "",
        ]
        for row in tests
    ]
    print(table(header, body))
    print("  * p < 0.05 by Holm's correction over the pairs of a level\n")


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)
