from __future__ import annotations

import re

import pytest

from bwb.report.plots import INK, PALETTE, colour, hatch, make_plot, marker, write_plot


def draw(figure):
    axes = figure.subplots()
    axes.bar([0, 1], [1, 2], hatch="//", label="$林溪 <b>")
    axes.legend()
    axes.set_title("x_1^2 & $y")


def plot(name="p", **more):
    return make_plot(name, "A title", "A caption.", draw, height=2, **more)


def test_the_same_figure_is_the_same_bytes():
    one, other = plot(files=True), plot(files=True)
    assert one.svg == other.svg
    assert one.pdf == other.pdf
    assert not re.search(r"20\d\d-\d\d", one.svg)
    assert b"CreationDate" not in one.pdf


def test_inline_figures_have_ids_of_their_own_and_the_pages_colours():
    one, other = plot("one").inline, plot("other").inline
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', one)) <= ids[0]
    assert "currentColor" in one
    assert INK not in one
    assert one.startswith("<svg viewBox=")
    assert "<metadata" not in one


def test_names_are_text_and_no_formulas():
    inline = plot().inline
    assert "$林溪 &lt;b&gt;" in inline
    assert "x_1^2 &amp; $y" in inline


def test_files(tmp_path):
    names = [path.name for path in write_plot(plot(files=True), tmp_path)]
    assert names == ["p.svg", "p.pdf"]
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    assert INK in (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.pdf", "p.svg"]


@pytest.mark.parametrize("look", [hatch, marker])
def test_systems_of_the_same_colour_look_different(look):
    size = len(PALETTE)
    assert colour(0) == colour(size)
    assert look(0) != look(size)
    assert len({(colour(n), look(n)) for n in range(2 * size)}) == 2 * size
