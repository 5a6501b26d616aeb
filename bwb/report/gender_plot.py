"""The figure of what becomes of "she" and "he": who keeps them, and what they turn into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.metrics.gender import LEFT_OUT
from bwb.report.plots import INK, legend, make_plot, percent_axis
from bwb.report.score_views import turned
from bwb.report.tables import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bwb.report.plots import Plot
    from bwb.report.score_views import Genders

# A pronoun of each class, to be read.
SAID = {"masculine": "he", "feminine": "she", "neuter": "it", "epicene": "they"}
# What became of a pronoun: colour, hatch, and what is said of it.
_FATES = {
    "kept": ("#A9B4C0", "", "kept"),
    "masculine": ("#D55E00", "////", "became “he”"),
    "feminine": ("#CC79A7", "\\\\\\\\", "became “she”"),
    "neuter": ("#E69F00", "xxxx", "became “it”"),
    "epicene": ("#009E73", "||||", "became “they”"),
    LEFT_OUT: ("none", "", LEFT_OUT),
}
# Less than this share of the width has no room for a number.
_ROOM = 0.035

# Class, system, and what became of that class.
_Row = tuple[str, str, "Mapping[str, int]"]


def genders(found: Genders, systems: Sequence[str], *, files: bool) -> Plot | None:
    """What became of feminine and masculine pronouns; None if there is none of either."""
    kinds = [name for name in ("feminine", "masculine") if found.total[name]]
    if not kinds:
        return None
    rows: list[_Row] = []
    for kind in kinds:
        for system in systems:
            counts = {b: n for (a, b), n in found.systems[system].items() if a == kind}
            rows.append((kind, system, turned(counts, kind)))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        # Room between the genders.
        places = [number + 0.6 * kinds.index(kind) for number, (kind, _, _) in enumerate(rows)]
        for at, (kind, _, fates) in zip(places, rows, strict=True):
            _bar(axes, at, fates, found.total[kind])
        axes.set_yticks(places, [f"{SAID[kind]}: {system}" for kind, system, _ in rows])
        axes.invert_yaxis()
        axes.grid(visible=False)
        percent_axis(axes, [])
        axes.set_xlabel("percent of the reference’s pronouns")
        _keys(axes, {fate for _, _, fates in rows for fate, count in fates.items() if count})

    return make_plot(
        "gender",
        "What becomes of “she” and “he”",
        _caption(rows, found.total),
        draw,
        height=0.9 + 0.3 * len(rows) + 0.18 * len(kinds),
        files=files,
    )


def _caption(rows: Sequence[_Row], total: Mapping[str, int]) -> str:
    lost = {(kind, system): 1 - fates["kept"] / total[kind] for kind, system, fates in rows}
    kind, system = max(lost, key=lambda key: lost[key])
    if not lost[kind, system]:
        return "Every pronoun is kept."
    said = f"{system} loses {percent(lost[kind, system], 0)}% of the reference’s {kind} pronouns"
    return f"{said}, more than any loses of either gender." if len(rows) > 1 else f"{said}."


def _bar(axes: Axes, at: float, fates: Mapping[str, int], total: int) -> None:
    """A row: what was kept first, what was left out last."""
    left = 0.0
    for fate, (fill, lines, _) in _FATES.items():
        count = fates.get(fate, 0)
        wide = count / total
        if count:
            axes.barh(at, wide, left=left, height=0.74, color=fill, hatch=lines, ec=INK, lw=0.5)
        if wide > _ROOM:
            # On something light, dark also on a dark page.
            ink = INK if fate == LEFT_OUT else "#111111"
            box = {"fc": "white", "ec": "none", "pad": 1, "alpha": 0.8} if lines else None
            axes.text(left + wide / 2, at, str(count), ha="center", va="center", color=ink,
                      fontsize=8, bbox=box)  # fmt: skip
        left += wide


def _keys(axes: Axes, there: set[str]) -> None:
    from matplotlib.patches import Patch

    keys = [
        Patch(fc=fill, hatch=lines, ec=INK, lw=0.5, label=said)
        for fate, (fill, lines, said) in _FATES.items()
        if fate in there
    ]
    legend(axes, keys, 3)
