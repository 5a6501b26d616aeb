"""The figures of a report on scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.report.plots import (
    INK,
    RULE,
    bar_keys,
    colour,
    hatch,
    legend,
    make_plot,
    marker,
    percent_axis,
    sign_keys,
)
from bwb.report.tables import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bwb.metrics.figures import Binned, Estimated
    from bwb.metrics.stats_correlation import Matrix
    from bwb.report.plots import Plot
    from bwb.report.score_views import View

_BAR = 0.165  # inches a bar
# More books than this are too many to be told apart in one figure.
MOST_BOOKS = 12


def overview(views: Sequence[View], systems: Sequence[str], *, files: bool) -> Plot | None:
    """The score of every system by every metric; None if none is defined."""
    shown = [view for view in views if view.ranked()]
    if not shown:
        return None
    labels = [f"{view.name}{'' if view.higher else ' (lower is better)'}" for view in shown]
    rows = [view.overall for view in shown]
    wins = {system: sum(system in view.best() for view in shown) for system in systems}
    top = max(wins, key=lambda name: wins[name])
    caption = (
        f"{top} has the best score by {wins[top]} of {_plural(len(shown), 'metric')}."
        if wins[top]
        else "No system is better than another by any metric."
    )
    caption += _whiskers(rows)
    return make_plot(
        "scores",
        "Scores by metric",
        caption,
        lambda figure: _bars(figure.subplots(), labels, rows, systems),
        height=_height(len(rows), len(systems)),
        files=files,
    )


def classes(view: View, systems: Sequence[str], *, files: bool) -> Plot | None:
    """A metric's classes; None if it has none."""
    if not view.classes:
        return None
    rows = [row.values for row in view.classes]
    labels = [
        row.name if row.count is None else f"{row.name} ({row.count:,})" for row in view.classes
    ]
    lowest = [
        (found[0], row.name, system)
        for row in view.classes
        for system, found in row.values.items()
        if found[0] is not None and row.count != 0
    ]
    value, name, system = min(lowest)
    caption = f"Lowest: {system} on {name}, {percent(value)}."
    if any(row.count for row in view.classes):
        caption += " Behind a class: how often the reference has it."
    return make_plot(
        f"classes-{view.name}",
        f"{view.name}: {view.shown} by class",
        caption + _whiskers(rows),
        lambda figure: _bars(figure.subplots(), labels, rows, systems),
        height=_height(len(rows), len(systems)),
        files=files,
    )


def spread(view: View, systems: Sequence[str], books: Mapping[str, str], *, files: bool) -> Plot:
    """The scores of single documents, book by book.

    Args:
        view: The metric.
        systems: Names of the systems.
        books: Document → its book.
        files: Whether files are wanted.
    """
    order = list(view.books)
    means = {book: _mean(list(found.values())) for book, found in view.books.items()}
    known = [book for book in order if means[book] is not None]
    known.sort(key=lambda book: means[book] or 0.0, reverse=not view.higher)
    caption = ""
    if len(known) > 1:
        caption = f"{known[0]} is the hardest book for the systems, {known[-1]} the easiest."
    if len(known) > MOST_BOOKS:
        caption += f" Shown are the {MOST_BOOKS} hardest of {len(known)} books."
        known = known[:MOST_BOOKS]
    caption += " Small signs are documents, large ones the book as a whole."

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        values: list[float] = []
        for place, system in enumerate(systems):
            rows = {book: row + _offset(place, len(systems)) for row, book in enumerate(known)}
            found = zip(view.scored.documents, view.single[system], strict=True)
            single = [
                (value, rows[books[name]])
                for name, value in found
                if value is not None and books[name] in rows
            ]
            whole = [
                (value, at)
                for book, at in rows.items()
                if (value := view.books[book][system]) is not None
            ]
            values += [value for value, _ in single]
            look: dict[str, Any] = {"marker": marker(place), "color": colour(place), "ls": ""}
            axes.plot(
                [x for x, _ in single], [y for _, y in single], ms=3.5, alpha=0.6, mew=0, **look
            )
            axes.plot([x for x, _ in whole], [y for _, y in whole], ms=7, mec=INK, mew=0.6, **look)
        _rows(axes, known)
        percent_axis(axes, values)
        legend(axes, sign_keys(systems))

    return make_plot(
        f"documents-{view.name}",
        f"{view.name}: documents and books",
        caption.strip(),
        draw,
        height=_height(len(known), max(2, len(systems) * 0.8)),
        files=files,
    )


def omitted(view: View, binned: Binned, systems: Sequence[str], *, files: bool) -> Plot:
    """A metric over the share of pronouns that Chinese omits: Figure 7 of the BWB paper."""
    bins = [one for one in binned.bins if one.documents]
    labels = [
        f"{percent(one.low, 0)}–{percent(one.high, 0)}%\n{_plural(len(one.documents), 'doc')}"
        for one in bins
    ]
    first = {point.system: point.value for point in bins[0].points}
    last = {point.system: point.value for point in bins[-1].points}
    drops = {
        name: (first[name] or 0) - (last[name] or 0)
        for name in systems
        if first.get(name) is not None and last.get(name) is not None
    }
    caption = ""
    if drops and len(bins) > 1:
        name = max(drops, key=lambda key: abs(drops[key]))
        way = "loses" if drops[name] > 0 else "gains"
        caption = (
            f"From the documents that omit fewest pronouns to those that omit most, {name} {way} "
            f"{percent(abs(drops[name]))} points of {view.name}."
        )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, system in enumerate(systems):
            shift = 0.06 * (place - (len(systems) - 1) / 2)
            known = [
                (x + shift, point.value, point.low, point.high)
                for x, one in enumerate(bins)
                for point in one.points
                if point.system == system and point.value is not None
            ]
            ends = [(x, low, high) for x, _, low, high in known if None not in (low, high)]
            if ends:
                at, low, high = zip(*ends, strict=True)
                axes.vlines(at, low, high, colors=colour(place), lw=1, alpha=0.7)
            xs, ys = [row[0] for row in known], [row[1] for row in known]
            axes.plot(xs, ys, marker=marker(place), color=colour(place),
                      lw=1.6, ms=6, mec=INK, mew=0.5)  # fmt: skip
        axes.set_xticks(range(len(bins)), labels)
        axes.set_xlim(-0.4, len(bins) - 0.6)
        axes.set_xlabel("pronouns that the Chinese leaves out, percent of a document’s pronouns")
        percent_axis(
            axes, [p.value for one in bins for p in one.points if p.value is not None], "y"
        )
        legend(axes, sign_keys(systems))

    return make_plot(
        f"omitted-{view.name}",
        f"{view.name} where Chinese omits more pronouns",
        caption,
        draw,
        height=3.2,
        files=files,
    )


def heat(matrix: Matrix, *, files: bool) -> Plot:
    """How metrics agree."""
    from bwb.report.heatmap import correlation_heatmap
    from bwb.report.plots import plot_of

    pairs = [
        (cell.r, one, other)
        for i, (one, row) in enumerate(zip(matrix.names, matrix.cells, strict=True))
        for other, cell in zip(matrix.names[:i], row[:i], strict=True)
        if cell.r is not None
    ]
    caption = ""
    if pairs:
        (high, a, b), (low, c, d) = max(pairs), min(pairs)
        caption = f"Closest are {a} and {b} (ρ = {high:.2f})"
        caption += f", furthest apart {c} and {d} ({low:.2f})." if len(pairs) > 1 else "."
    cells = [[cell.r for cell in row] for row in matrix.cells]
    figure = correlation_heatmap(matrix.names, cells)
    title = "How far metrics agree: Spearman’s ρ over documents of all systems"
    return plot_of(figure, "correlations", title, caption, files=files)


def _bars(
    axes: Axes,
    labels: Sequence[str],
    rows: Sequence[Mapping[str, Estimated]],
    systems: Sequence[str],
) -> None:
    """Horizontal bars in groups, a group a row, with intervals."""
    thick = 0.8 / len(systems)
    seen: list[float] = []
    for place, system in enumerate(systems):
        found = [
            (number + _offset(place, len(systems)), *row[system]) for number, row in enumerate(rows)
        ]
        known = [(at, value) for at, value, _, _ in found if value is not None]
        ends = [(at, low, high) for at, _, low, high in found if None not in (low, high)]
        seen += [value for _, value in known] + [high or 0.0 for _, _, high in ends]
        axes.barh([row[0] for row in known], [row[1] for row in known], height=thick,
                  color=colour(place), hatch=hatch(place), ec=INK, lw=0.5)  # fmt: skip
        if ends:
            at, low, high = zip(*ends, strict=True)
            axes.hlines(at, low, high, colors="white", lw=3, alpha=0.7)
            axes.hlines(at, low, high, colors=INK, lw=1.2)
    _rows(axes, labels)
    percent_axis(axes, seen)
    legend(axes, bar_keys(systems))


def _offset(place: int, count: int) -> float:
    return (place - (count - 1) / 2) * 0.8 / count


def _rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.45, -0.55)
    axes.grid(visible=False, axis="y")
    for row in range(1, len(labels)):
        axes.axhline(row - 0.5, color=RULE, lw=0.5)


def _height(groups: int, bars: float) -> float:
    return 0.75 + groups * (_BAR * bars + 0.12) + 0.2 * (bars // 5)


def _whiskers(rows: Sequence[Mapping[str, Estimated]]) -> str:
    some = any(found[1] is not None for row in rows for found in row.values())
    return " Lines are 95% intervals." if some else ""


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _plural(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
