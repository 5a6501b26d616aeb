"""Heat maps of correlations, drawn by matplotlib without a display.

Blue is agreement, red disagreement, grey hatching undefined; each cell says its coefficient.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError, UsageError
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
_CELL = 0.62  # inches
_LABELS = 1.9
# So that the same matrix gives the same file.
_SVG = {"svg.fonttype": "none", "svg.hashsalt": "bwb", "pdf.fonttype": 42}
_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def correlation_heatmap(
    names: Sequence[str], matrix: Sequence[Sequence[float | None]], *, title: str = ""
) -> Figure:
    """Draw a matrix of correlations.

    Args:
        names: A name a row; the columns have the same ones.
        matrix: Coefficients from -1 to 1; None where undefined.
        title: What is written above.

    Raises:
        InputError: if the matrix is empty or not square, or something in it is no correlation.
    """
    import numpy as np
    from matplotlib.figure import Figure

    size = len(names)
    if not size or len(matrix) != size or any(len(row) != size for row in matrix):
        shape = f"{len(matrix)} rows of {sorted({len(row) for row in matrix})}"
        raise InputError(f"a heat map of {size} names needs {size} rows of {size}, not {shape}")
    values = np.array([[np.nan if r is None else r for r in row] for row in matrix], dtype=float)
    if (np.abs(values) > 1 + 1e-9).any():
        raise InputError(f"{values[np.abs(values) > 1 + 1e-9][0]:g} is no correlation")
    side = _LABELS + _CELL * max(size, 3)
    figure = Figure(figsize=(side + 0.6, side), layout="constrained")
    axes = figure.add_subplot()
    axes.set_facecolor("#e4e4e4")
    image = axes.imshow(values, cmap="RdBu", vmin=-1, vmax=1)
    axes.set_xticks(range(size), _plain(names), rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(size), _plain(names))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(size + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(size + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    for (row, column), value in np.ndenumerate(values):
        said = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
        colour = "white" if abs(value) > 0.6 else "black"
        axes.text(column, row, said, ha="center", va="center", color=colour, fontsize=9)
    if title:
        axes.set_title(_plain([title])[0], fontsize=11)
    figure.colorbar(image, ax=axes, shrink=0.8, ticks=[-1, -0.5, 0, 0.5, 1])
    return figure


def figure_svg(figure: Figure) -> str:
    """A figure as an ``<svg>`` element, to be put into a page."""
    text = _written(figure, "svg").decode("utf-8")
    return text[text.index("<svg") :]


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure; the ending of the name says in which format.

    Raises:
        UsageError: for another ending than those of `FORMATS`.
    """
    kind = figure_format(path)
    body = _written(figure, kind)
    with replacing(path) as file:
        file.buffer.write(body)  # type: ignore[attr-defined]


def figure_format(path: Path) -> str:
    """The format that a name asks for.

    Raises:
        UsageError: for another ending than those of `FORMATS`.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise UsageError(f"{path}: a plot is .{', .'.join(FORMATS)}, not {path.suffix!r}")
    return kind


def _written(figure: Figure, kind: str) -> bytes:
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context(_SVG), warnings.catch_warnings():
        # A font without Chinese: the names stay text in SVG, and boxes elsewhere.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format=kind, dpi=150, metadata=_UNDATED[kind])
    return buffer.getvalue()


def _plain(names: Sequence[str]) -> list[str]:
    """Names as they are: a dollar sign does not begin a formula."""
    return [name.replace("$", r"\$") for name in names]
