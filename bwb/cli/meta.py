"""How well do metrics agree with people, or with a judge? Meta-evaluation of tables of scores.

  bwb meta metrics.csv human.csv                    every metric against every human score
  bwb meta scores.json human.tsv --lower mqm        what bwb score --json printed; MQM counts errors
  bwb meta a.jsonl b.jsonl human.jsonl --common     several files of metrics; the last is human
  bwb meta metrics.csv human.csv --plot map.svg     and a heat map of all against all

Tables are CSV, TSV, JSONL or JSON with rows of system, document (left out, or empty: the system as
a whole) and either a column a metric or the columns metric and score; or files that bwb score --out
wrote, which have the scores of documents.

Points are systems (the score given, or else the mean of the documents') and documents:

  none     every document of every system is a point ("no grouping"): these points are not
           independent, so that p is too small
  item     systems are correlated on each document, and the mean taken ("group by item")
  system   documents are correlated within each system, and the mean taken ("group by system")

Coefficients: Pearson's r, Spearman's ρ, Kendall's τ-b, and pairwise accuracy with ties, acc =
(concordant + tied by both) / all pairs (Deutsch et al. 2023); --calibrate also finds the ε below
which two scores of the metric are best called a tie. Scores that are better when lower are turned
round first (our own are known, such as ter; name others with --lower), so that agreement is
positive. p is by permutation (--resamples), Holm-corrected over the metrics. Williams' test, and
PERM-BOTH for the coefficients of --perm-both, tell whether one metric agrees better than another.

To correlate metrics that are still to be computed on a corpus, use bwb correlate.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, note_findings, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from bwb.metrics.meta import Agreement, Difference, Settings
    from bwb.metrics.meta_accuracy import Accuracy
    from bwb.metrics.meta_grid import Grid
    from bwb.metrics.meta_table import Key, ScoreTable
    from bwb.metrics.stats_correlation import Matrix

_KINDS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
_SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ-b", "accuracy": "acc"}
_VIEWS = {
    ("system", "none"): "systems",
    ("document", "none"): "documents, no grouping",
    ("document", "item"): "documents, grouped by item",
    ("document", "system"): "documents, grouped by system",
}
# Differences between metrics to list on a terminal; all are in the JSON.
_LISTED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("scores", nargs="+", type=Path, metavar="SCORES", help="scores of metrics")
    parser.add_argument("human", type=Path, metavar="HUMAN", help="scores by people or a judge")
    what = parser.add_argument_group("what")
    what.add_argument("--metrics", metavar="A,B", help="only these of SCORES")
    what.add_argument("--human-scores", metavar="A,B", help="only these of HUMAN")
    what.add_argument("--lower", metavar="A,B", help="scores that are better when lower")
    what.add_argument(
        "--higher", metavar="A,B", help="scores that are better when higher after all"
    )
    what.add_argument("--common", action="store_true", help="leave out ids that one side lacks")
    what.add_argument("--level", choices=("system", "document"), help="default: both")
    how = parser.add_argument_group("how")
    how.add_argument("--calibrate", action="store_true", help="find the best ε for ties")
    how.add_argument(
        "--perm-both",
        metavar="A,B",
        help="test differences of these too: pearson, spearman, kendall, accuracy",
    )
    how.add_argument(
        "--resamples", type=int, default=1_000, metavar="N", help="default 1000; 0: no p"
    )
    how.add_argument("--seed", type=int, default=12345, help="of the permutations (default 12345)")
    how.add_argument(
        "--kind", choices=tuple(_KINDS), default="pearson", help="of the matrix and the plot"
    )
    how.add_argument("--plot", type=Path, metavar="FILE", help="heat map: .svg, .pdf or .png")
    how.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tqdm import tqdm

    from bwb.metrics.meta import agreements, differences, matrices, views
    from bwb.report.heatmap import figure_format

    if args.plot is not None:
        figure_format(args.plot)
    tables, human, grid = _load(args)
    quiet = not sys.stderr.isatty()
    with tqdm(unit="test", desc="meta", disable=quiet, leave=False) as bar:
        settings = _settings(args, bar.update)
        if not views(grid, settings):
            from bwb.errors import InputError

            raise InputError("no scores of documents on both sides; leave --level document out")
        found = agreements(grid, settings)
        tests = differences(grid, settings)
        between = matrices(grid, settings.levels)
    if args.json:
        print_json(_body(tables, human, grid, settings, found, tests, between))
    else:
        _print(grid, settings, found, tests, between, args.kind)
    if args.plot is not None:
        _plot(between, args)
    return 0


def _names(text: str | None, option: str) -> list[str]:
    from bwb.errors import UsageError

    if text is None:
        return []
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise UsageError(f"{option} {text!r}: expected names, each once")
    return names


def _settings(args: argparse.Namespace, progress: Any) -> Settings:  # noqa: ANN401 - of tqdm
    from bwb.errors import UnknownNameError
    from bwb.metrics.meta import LEVELS, Settings
    from bwb.metrics.meta_resample import STATISTICS

    asked = _names(args.perm_both, "--perm-both")
    for name in asked:
        if name not in STATISTICS:
            raise UnknownNameError("coefficient", name, STATISTICS)
    return Settings(
        levels=[args.level] if args.level else LEVELS,
        calibrated=args.calibrate,
        perm_both=[name for name in STATISTICS if name in asked],
        resamples=args.resamples,
        seed=args.seed,
        progress=progress,
    )


def _load(args: argparse.Namespace) -> tuple[list[ScoreTable], ScoreTable, Grid]:
    from bwb.metrics.meta_grid import join, lower_is_better, merge
    from bwb.metrics.meta_table import read_scores

    tables = [read_scores(path) for path in args.scores]
    human = read_scores(args.human)
    for table in (*tables, human):
        note_findings(table.findings)
        note(_described(table))
    metrics = _chosen(merge(tables), _names(args.metrics, "--metrics"))
    gold = _chosen(human.scores, _names(args.human_scores, "--human-scores"))
    flipped = lower_is_better(
        [*metrics, *gold], _names(args.lower, "--lower"), _names(args.higher, "--higher")
    )
    grid = join(metrics, gold, lower=flipped, common=args.common)
    for where, names in grid.left_out.items():
        note(f"left out, {where}: {', '.join(names)}")
    return tables, human, grid


def _chosen(
    scores: dict[str, dict[Key, float]], names: Sequence[str]
) -> dict[str, dict[Key, float]]:
    from bwb.errors import UnknownNameError

    for name in names:
        if name not in scores:
            raise UnknownNameError("score", name, scores)
    return {name: scores[name] for name in names} if names else scores


def _described(table: ScoreTable) -> str:
    documents = {document for _, document in table.keys if document is not None}
    systems = {system for system, _ in table.keys}
    said = f"{table.path}: {table.form} form, {plural(len(systems), 'system')}, "
    said += plural(len(documents), "document") if documents else "no documents"
    if table.unread:
        said += f"; not read: {', '.join(table.unread)}"
    return f"{said}; scores: {', '.join(table.scores)}"


def _body(
    tables: Sequence[ScoreTable],
    human: ScoreTable,
    grid: Grid,
    settings: Settings,
    found: Sequence[Agreement],
    tests: Sequence[Difference],
    between: Sequence[tuple[str, Matrix]],
) -> dict[str, Any]:
    return {
        "scores": [_file_json(table) for table in tables],
        "human": _file_json(human),
        "systems": list(grid.systems),
        "documents": list(grid.documents),
        "left_out": {where: list(names) for where, names in grid.left_out.items()},
        "columns": {
            name: {
                "direction": "lower" if column.lower else "higher",
                "sign": -1 if column.lower else 1,
                "system_score": "mean of documents" if column.averaged else "given",
            }
            for name, column in grid.columns.items()
        },
        "resamples": settings.resamples,
        "seed": settings.seed,
        "results": [_agreement_json(row) for row in found],
        "comparisons": [asdict(row) for row in tests],
        "matrices": [{"level": level, **_matrix_json(one)} for level, one in between],
    }


def _file_json(table: ScoreTable) -> dict[str, Any]:
    return {
        "file": str(table.path),
        "form": table.form,
        "scores": list(table.scores),
        "not_read": list(table.unread),
    }


def _agreement_json(row: Agreement) -> dict[str, Any]:
    body = asdict(row)
    coefficients: dict[str, Any] = body.pop("coefficients")
    return body | coefficients


def _matrix_json(matrix: Matrix) -> dict[str, Any]:
    return {
        "kind": matrix.kind,
        "names": list(matrix.names),
        "r": [[cell.r for cell in row] for row in matrix.cells],
        "points": [[cell.points for cell in row] for row in matrix.cells],
    }


def _print(
    grid: Grid,
    settings: Settings,
    found: Sequence[Agreement],
    tests: Sequence[Difference],
    between: Sequence[tuple[str, Matrix]],
    kind: str,
) -> None:
    systems, documents = len(grid.systems), len(grid.documents)
    flipped = [name for name, column in grid.columns.items() if column.lower]
    said = f"{plural(systems, 'system')}, {plural(documents, 'document')}"
    print(f"{said}; lower is better, sign turned: {', '.join(flipped) or 'none'}\n")
    for human in grid.human:
        for view, label in _VIEWS.items():
            rows = [row for row in found if (row.human, row.level, row.grouping) == (human, *view)]
            if rows:
                print(f"agreement with {human}: {label}")
                print(f"{_agreements(rows)}\n")
    if settings.resamples:
        print(f"  p by {settings.resamples:,} permutations; * p < 0.05 after Holm's correction")
    _print_reasons(found)
    for level, matrix in between:
        if matrix.kind == kind and len(matrix.names) > 2:
            label = _VIEWS["system" if level == "system" else "document", "none"]
            print(f"\nall against all: {_KINDS[kind]} over {label}")
            print(_matrix(matrix))
    _print_tests(tests)


def _agreements(rows: Sequence[Agreement]) -> str:
    from bwb.report.tables import table

    first = rows[0]
    ranked = sorted(rows, key=_order)
    grouped = first.grouping != "none"
    header = ["metric"]
    for kind in _KINDS:
        header += [_SYMBOLS[kind], "p"]
    header += ["acc"] + (["acc*", "ε"] if first.calibrated is not None else [])
    header += ["pairs", "points"] + (["groups"] if grouped else [])
    body = []
    for row in ranked:
        cells: list[str | int] = [row.metric]
        for found in row.coefficients.values():
            star = "*" if found.p_holm is not None and found.p_holm < 0.05 else " "
            cells += ["–" if found.r is None else f"{found.r:+.3f}{star}", _p(found.p)]
        cells += [_share(row.accuracy)]
        if row.calibrated is not None:
            cells += [_share(row.calibrated), f"{row.calibrated.epsilon:.3g}"]
        cells += [row.accuracy.pairs, row.points]
        if grouped:
            cells += [f"{row.groups} of {row.groups + row.groups_undefined}"]
        body.append(cells)
    return table(header, body)


def _order(row: Agreement) -> tuple[bool, float]:
    """The highest Pearson correlation first, undefined ones last."""
    r = row.coefficients["pearson"].r
    return r is None, -(r or 0.0)


def _print_reasons(found: Sequence[Agreement]) -> None:
    """Why a correlation is undefined, once a reason."""
    said: dict[str, list[str]] = {}
    for row in found:
        reason = row.coefficients["pearson"].reason
        if reason is not None:
            where = f"{row.metric} and {row.human} ({_VIEWS[row.level, row.grouping]})"
            said.setdefault(reason, []).append(where)
    for reason, places in said.items():
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        print(f"  – {'; '.join(places[:3])}{more}: {reason}")


def _matrix(matrix: Matrix) -> str:
    from bwb.report.tables import table

    body = [
        [name, *("–" if cell.r is None else f"{cell.r:+.2f}" for cell in row)]
        for name, row in zip(matrix.names, matrix.cells, strict=True)
    ]
    return table(["", *matrix.names], body)


def _print_tests(tests: Sequence[Difference]) -> None:
    from bwb.report.tables import table

    if not tests:
        return
    ranked = sorted(tests, key=lambda row: (row.p is None, row.p))
    body = [
        [
            row.human,
            _VIEWS[row.level, row.grouping],
            row.one,
            row.other,
            f"{_SYMBOLS[row.kind]} {_signed(row.difference)}",
            row.test,
            _p(row.p),
            f"{_p(row.p_holm)}{'*' if row.p_holm is not None and row.p_holm < 0.05 else ''}",
        ]
        for row in ranked[:_LISTED]
    ]
    header = ["human", "level", "metric", "against", "difference", "test", "p", "Holm"]
    print(f"\ndifferences between metrics\n{table(header, body)}")
    if len(ranked) > _LISTED:
        print(f"  … {len(ranked) - _LISTED} more, with greater p; all with --json")


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value >= 0.001 else "<.001"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _share(accuracy: Accuracy) -> str:
    return "–" if accuracy.value is None else f"{accuracy.value:.3f}"


def _plot(between: Iterable[tuple[str, Matrix]], args: argparse.Namespace) -> None:
    """The matrix of documents, or of systems if there are no documents."""
    from bwb.report.heatmap import correlation_heatmap, save_figure

    level, matrix = [(level, one) for level, one in between if one.kind == args.kind][-1]
    label = _VIEWS["system" if level == "system" else "document", "none"]
    cells = [[cell.r for cell in row] for row in matrix.cells]
    figure = correlation_heatmap(matrix.names, cells, title=f"{_KINDS[args.kind]}: {label}")
    save_figure(figure, args.plot)
    note(f"wrote {args.plot}")
