"""Heat maps: what is on them, and what is refused."""

from __future__ import annotations

import pytest

from bwb.errors import InputError, UsageError
from bwb.report.heatmap import correlation_heatmap, figure_svg, save_figure

MATRIX = [[1, -0.5, None], [-0.5, 1, 0.25], [None, 0.25, 1]]


def test_names_numbers_and_undefined_cells_are_text():
    figure = correlation_heatmap(["bleu", "流畅", "a$b<c"], MATRIX, title="Pearson's r")
    svg = figure_svg(figure)
    assert svg.startswith("<svg")
    assert svg.rstrip().endswith("</svg>")
    for text in ("bleu", "流畅", "a$b&lt;c", "−0.50", "0.25", ">–<", "Pearson's r"):
        assert text in svg
    again = correlation_heatmap(["bleu", "流畅", "a$b<c"], MATRIX, title="Pearson's r")
    assert figure_svg(again) == svg


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")]
)
def test_files(tmp_path, kind, start):
    path = tmp_path / "new" / f"map.{kind}"
    save_figure(correlation_heatmap(["a"], [[1]]), path)
    assert path.read_bytes().startswith(start)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_what_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"\.svg, \.pdf, \.png, not '\.jpg'"):
        save_figure(correlation_heatmap(["a"], [[1]]), tmp_path / "map.jpg")
    for names, matrix in (([], []), (["a"], [[1, 1]]), (["a", "b"], [[1, 1]])):
        with pytest.raises(InputError, match="a heat map of"):
            correlation_heatmap(names, matrix)
    with pytest.raises(InputError, match=r"1\.5 is no correlation"):
        correlation_heatmap(["a"], [[1.5]])
