"""Figures: matplotlib without a display, the same bytes every time, in one look.

Colours are those of Okabe and Ito 2008, which people who see few colours can tell apart; hatches
and markers say the same once more. On a page, text and lines take the colours of the page, so that
a figure can be read on a dark one; in a file they are black and grey.
"""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito without black, which a dark page has no contrast to, yellow last.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C", "#F0E442")
# Lines only: a tile of dots is a hundred times as long.
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||", "++++", "//")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Nearly black and light grey; on a page, the colours of its text and of its rules.
INK, RULE = "#010203", "#c9cacb"
WIDTH = 5.5  # inches

_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": RULE,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.size": 8.5,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "hatch.color": INK,
    "hatch.linewidth": 0.4,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "savefig.facecolor": "none",
    "text.color": INK,
    # A dollar sign in a name begins no formula.
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}
# Tried in turn for characters that the first does not have.
_FONTS = ("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC",
          "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "SimHei", "Microsoft YaHei", "PingFang SC",
          "Arial Unicode MS")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure, ready for a page and for files.

    Attributes:
        id: Name of its files, and of its place on the page.
        title: What it shows.
        caption: What is seen, in a sentence.
        inline: SVG for a page.
        svg: SVG for a file.
        pdf: PDF for a file.
    """

    id: str
    title: str
    caption: str
    inline: str
    svg: str = ""
    pdf: bytes = b""


def colour(place: int) -> str:
    """The colour of the system at a place."""
    return PALETTE[place % len(PALETTE)]


def hatch(place: int) -> str:
    """Its hatch; another one when the colours begin again."""
    return HATCHES[(place + place // len(PALETTE)) % len(HATCHES)]


def marker(place: int) -> str:
    """Its marker."""
    return MARKERS[(place + place // len(PALETTE)) % len(MARKERS)]


def make_plot(
    name: str,
    title: str,
    caption: str,
    draw: Callable[[Figure], object],
    *,
    height: float,
    width: float = WIDTH,
    files: bool = False,
) -> Plot:
    """Draw a figure.

    Args:
        name: See `Plot`.
        title: See `Plot`.
        caption: See `Plot`.
        draw: Draws on an empty figure.
        height: In inches.
        width: In inches.
        files: Whether it is wanted as files too.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**_STYLE, "font.family": list(_fonts())}):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        return plot_of(figure, name, title, caption, files=files)


def plot_of(figure: Figure, name: str, title: str, caption: str, *, files: bool) -> Plot:
    """A figure that is drawn already, see `make_plot`."""
    import matplotlib as mpl

    style = {"svg.fonttype": "none", "svg.hashsalt": name, "pdf.fonttype": 42}
    svg, pdf = io.BytesIO(), io.BytesIO()
    with mpl.rc_context(style), warnings.catch_warnings():
        # A character that no font has is drawn as a box in PDF; browsers bring their own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # Laid out once, here: savefig would do it again, and draw a second time to do so.
        if (engine := figure.get_layout_engine()) is not None:
            engine.execute(figure)
            figure.set_layout_engine("none")
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
        if files:
            figure.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Title": title})
    text = svg.getvalue().decode("utf-8")
    return Plot(name, title, caption, _inline(text, name, title), text, pdf.getvalue())


def percent_axis(axes: Axes, values: list[float], axis: str = "x") -> None:
    """Ticks in percent, over 0 to 100 or, where values go beyond, as far as they do."""
    from matplotlib.ticker import PercentFormatter

    low, high = min([0.0, *values]), max([1.0, *values])
    chosen = axes.xaxis if axis == "x" else axes.yaxis
    (axes.set_xlim if axis == "x" else axes.set_ylim)(low, high * 1.02)
    chosen.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=""))


def legend(axes: Axes, keys: Sequence[Artist], columns: int = 4) -> None:
    """A legend above, in columns."""
    axes.legend(
        handles=keys,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=min(len(keys), columns),
        borderaxespad=0.2,
        handlelength=1.6,
        columnspacing=1.4,
    )


def bar_keys(systems: Sequence[str]) -> list[Artist]:
    """What a legend of bars shows, also of a system that has none."""
    from matplotlib.patches import Patch

    return [
        Patch(fc=colour(place), hatch=hatch(place), ec=INK, lw=0.5, label=_label(system))
        for place, system in enumerate(systems)
    ]


def sign_keys(systems: Sequence[str]) -> list[Artist]:
    """What a legend of signs shows."""
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [], [], ls="", marker=marker(n), color=colour(n), mec=INK, mew=0.5, label=_label(name)
        )
        for n, name in enumerate(systems)
    ]


def _label(system: str) -> str:
    """A name for a legend, which leaves out what begins with an underscore."""
    return f"\u200b{system}" if system.startswith("_") else system


def write_plot(plot: Plot, folder: Path) -> list[Path]:
    """Write a figure as SVG and PDF; returns the files."""
    from bwb.textio import replacing

    with replacing(folder / f"{plot.id}.svg") as file:
        file.write(plot.svg)
    pdf = folder / f"{plot.id}.pdf"
    part = pdf.with_name(f".{pdf.name}.part")
    part.write_bytes(plot.pdf)
    part.replace(pdf)
    return [folder / f"{plot.id}.svg", pdf]


@cache
def _fonts() -> tuple[str, ...]:
    """Those of `_FONTS` that are installed."""
    from matplotlib import font_manager

    known = set(font_manager.get_font_names())
    return tuple(name for name in _FONTS if name in known)


def _inline(svg: str, name: str, title: str) -> str:
    """An SVG file as a part of a page: its own ids, the page's colours, the width of its place."""
    from html import escape

    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    opening, _, rest = body.partition(">")
    box = re.search(r'viewBox="([^"]+)"', opening)
    ids = re.compile(r'(\bid="|href="#|url\(#)')
    rest = ids.sub(lambda found: f"{found.group(1)}{name}-", rest)
    rest = re.sub(r"(\.\d\d)\d+", r"\1", rest)
    rest = rest.replace(INK, "currentColor").replace(RULE, "var(--rule)")
    view = box.group(1) if box else "0 0 460 300"
    return f'<svg viewBox="{view}" role="img" aria-label="{escape(title)}">{rest}'.strip()
