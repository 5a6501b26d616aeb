"""The tables of a report on scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.metrics.gender import LEFT_OUT
from bwb.report.gender_plot import SAID
from bwb.report.page_table import Column, Datum, PageTable, number, share
from bwb.report.score_views import turned
from bwb.report.tables import best, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bwb.metrics.figures import Binned
    from bwb.metrics.results import Results
    from bwb.metrics.stats_correlation import Matrix
    from bwb.report.score_views import Genders, View

    # Document, index of a sentence and system → address, None where there is no viewer.
    Linker = Callable[[str, int, str], str | None]

# A character has to have so many pronouns to be listed.
_LEAST = 3


def scores(views: Sequence[View], systems: Sequence[str], alpha: float) -> PageTable:
    """The main table: a row a system, a column a metric."""
    columns = [Column("system", number=False, falling=False)]
    columns += [
        Column(
            f"{v.name} {'↑' if v.higher else '↓'}", title=v.scored.metric.title, falling=v.higher
        )
        for v in views
    ]
    rows = []
    for place, system in enumerate(systems):
        row = [Datum(system, icon=place)]
        for view in views:
            value, low, high = view.overall[system]
            row.append(
                Datum(
                    percent(value),
                    value,
                    low,
                    high,
                    view.letters.get(system, "") if view.comparisons else "",
                    best=system in view.best(),
                )
            )
        rows.append(row)
    tests = {view.test for view in views if view.comparisons}
    caption = "Percent; ↑ more is better, ↓ less is better; the best in bold."
    if any(cell.low is not None for row in rows for cell in row):
        caption += " Below a score: its 95% interval, by resampling documents."
    if tests:
        caption += (
            f" Systems that share a letter do not differ significantly (paired {_listed(tests)} "
            f"test, Holm’s correction over the pairs of a metric, level {alpha:g})."
        )
    return PageTable("scores", "Scores of the systems", columns, rows, caption)


def classes(view: View, systems: Sequence[str]) -> PageTable | None:
    """A metric's classes, a row a class; None if it has none."""
    if not view.classes:
        return None
    columns = [
        Column("class", number=False, falling=False),
        Column("in reference"),
        *map(Column, systems),
    ]
    rows = []
    for one in view.classes:
        top = best([one.values[s][0] for s in systems], higher=view.higher)
        cells = [
            Datum(percent(one.values[s][0]), *one.values[s], best=place in top)
            for place, s in enumerate(systems)
        ]
        rows.append([Datum(one.name), number(one.count), *cells])
    title = f"{view.name}: {view.shown} by class"
    return PageTable(f"classes-{view.name}", title, columns, rows, "Percent; the best in bold.")


def characters(found: Genders, systems: Sequence[str]) -> PageTable | None:
    """What becomes of the pronouns of each character; None if it is not known."""
    columns = [
        Column("character", number=False, falling=False),
        Column("book", number=False, falling=False),
        Column("is", number=False, falling=False),
        Column("times"),
    ]
    columns += [Column(system) for system in systems]
    listed = []
    for (book, name, kind), counts in found.characters.items():
        total = sum(next(iter(counts.values())).values())
        if total < _LEAST or kind not in {"feminine", "masculine"}:
            continue
        cells, lost = [], 0
        for system in systems:
            fates = turned(counts[system], kind)
            other = total - fates["kept"] - fates[LEFT_OUT]
            lost = max(lost, other)
            cells.append(Datum(f"{other} ({fates[LEFT_OUT]})", float(other)))
        head = [Datum(name), Datum(book), Datum(f"“{SAID[kind]}”"), number(total)]
        listed.append((-lost, -total, book, name, [*head, *cells]))
    if not listed:
        return None
    rows = [row[-1] for row in sorted(listed, key=lambda row: row[:-1])]
    caption = (
        "Pronouns of the third person that the reference has for a character, in lines where no "
        "other character has one of that gender. By system: how many become another gender, in "
        f"brackets how many have no pronoun there. Less than {_LEAST} pronouns are not listed."
    )
    title = "Characters, and what becomes of their gender"
    return PageTable("characters", title, columns, rows, caption, search=len(rows) > 12)


def documents(views: Sequence[View], results: Results, link: Linker) -> PageTable:
    """Every document of every system."""
    columns = [
        Column("document", number=False, falling=False),
        Column("genre", number=False, falling=False),
        Column("system", number=False, falling=False),
        Column("lines"),
        Column("omitted", title="pronouns that the Chinese leaves out, percent"),
        *(Column(f"{v.name} {'↑' if v.higher else '↓'}", falling=not v.higher) for v in views),
    ]
    places = [{name: n for n, name in enumerate(view.scored.documents)} for view in views]
    rows = []
    for chapter in results.documents:
        values = [
            [view.single[s][at[chapter.id]] if chapter.id in at else None for s in results.systems]
            for view, at in zip(views, places, strict=True)
        ]
        tops = [best(one, higher=view.higher) for one, view in zip(values, views, strict=True)]
        for place, system in enumerate(results.systems):
            head = [
                Datum(chapter.id, href=link(chapter.id, 0, system)),
                Datum(chapter.genre or "–"),
                Datum(system, icon=place),
                number(chapter.sentences),
                share(chapter.omitted.get("en")),
            ]
            cells = [
                Datum(percent(one[place]), one[place], best=place in top)
                for one, top in zip(values, tops, strict=True)
            ]
            rows.append([*head, *cells])
    caption = "Percent; the best system of a document in bold. A head sorts, the worst first."
    return PageTable("documents", "Documents", columns, rows, caption, search=True)


def comparisons(views: Sequence[View]) -> PageTable | None:
    """Every two systems by every metric; None if there is nothing to compare."""
    texts = ("metric", "better", "worse")
    columns = [
        *(Column(name, number=False, falling=False) for name in texts),
        Column("difference"),
        Column("p", falling=False),
        Column("p (Holm)", falling=False),
        Column("significant", number=False),
    ]
    rows = [
        [
            Datum(view.name),
            Datum(one.system),
            Datum(one.baseline),
            Datum(_signed(one.difference), one.difference, one.interval.low, one.interval.high),
            _p(one.p),
            _p(one.p_holm),
            Datum("yes" if one.significant else "no", best=bool(one.significant)),
        ]
        for view in views
        for one in view.comparisons
    ]
    if not rows:
        return None
    caption = "Differences in points of percent, with 95% intervals; p by paired tests."
    return PageTable(
        "comparisons", "Which differences are real", columns, rows, caption, search=True
    )


def correlations(matrix: Matrix) -> PageTable:
    """The matrix of the heat map."""
    columns = [Column("", number=False, falling=False), *map(Column, matrix.names)]
    rows = [
        [Datum(name), *(number(cell.r) for cell in row)]
        for name, row in zip(matrix.names, matrix.cells, strict=True)
    ]
    return PageTable("correlations", "Spearman’s ρ between metrics, over documents", columns, rows)


def omitted(name: str, binned: Binned, systems: Sequence[str]) -> PageTable:
    """A metric over the ratio of omitted pronouns."""
    columns = [Column("from"), Column("to"), Column("documents"), *map(Column, systems)]
    rows = []
    for one in binned.bins:
        by_system: Mapping[str, Datum] = {
            point.system: share(point.value, point.low, point.high) for point in one.points
        }
        rows.append(
            [
                share(one.low),
                share(one.high),
                number(len(one.documents)),
                *(by_system[s] for s in systems),
            ]
        )
    title = f"{name} over the share of pronouns that the Chinese leaves out"
    return PageTable(f"omitted-{name}", title, columns, rows, "Percent.")


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}".replace("-", "−")


def _p(value: float | None) -> Datum:
    if value is None:
        return Datum("–")
    return Datum(f"{value:.4f}" if value >= 0.0001 else "<0.0001", value)


def _listed(names: set[str]) -> str:
    return " or ".join(sorted(names))
