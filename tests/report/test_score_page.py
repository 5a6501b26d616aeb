"""The page of scores, in a browser and without one."""

from __future__ import annotations

import re

import pytest

from bwb.metrics.entity import Entity
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation
from bwb.report.score_page import make_report, report_html, write_figures
from bwb.report.score_views import Options
from tests.report.scored_corpus import GOOD, document, large, results

FEW = Options(resamples=200)
EVIL = '<img src=x onerror="alert(1)">&"$_'


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report_html(make_report(results(), FEW, view="my%20view.html")))
    return path


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    path = tmp_path_factory.mktemp("big") / "report.html"
    path.write_text(report_html(make_report(large(), FEW)))
    return path


def test_a_stranger_learns_who_loses_her_gender_and_where(page, browser_page):
    shown = browser_page.open(page)
    lead = shown.locator(".lead").inner_text()
    assert "bad changes gender most" in lead
    card = shown.locator(".card", has_text="Last by").inner_text()
    assert "Turns 4 of 8 feminine pronouns into masculine ones" in card
    link = shown.locator(".card a", has_text="book/1, line 2").first
    assert link.get_attribute("href") == "my%20view.html#doc=book/1&line=2&system=bad"
    assert browser_page.complaints == []
    assert browser_page.requests == []


def test_heads_sort_and_a_field_filters(page, browser_page):
    shown = browser_page.open(page)
    table = shown.locator("#table-documents")
    column = "tbody tr:not([hidden]) > :nth-child({})"

    def texts(place):
        return [text.strip() for text in table.locator(column.format(place)).all_inner_texts()]

    head = table.locator("thead th", has_text="pronoun")
    head.locator("button").click()
    # The worst first.
    worst = [float(text) for text in texts(7)]
    assert worst == sorted(worst)
    assert worst[0] < worst[-1]
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").click()
    assert [float(text) for text in texts(7)] == worst[::-1]
    table.locator("input").fill("OTHER good")
    assert texts(1) == ["other/1"]
    assert table.locator("[role=status]").inner_text() == "1 of 4"
    assert browser_page.complaints == []


@pytest.mark.parametrize("width", [390, 1400])
def test_the_page_is_as_wide_as_its_window(page, big, browser_page, width):
    for path in (page, big):
        shown = browser_page.open(path)
        shown.set_viewport_size({"width": width, "height": 800})
        shown.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert browser_page.complaints == []


def test_eighty_documents_of_seven_systems(big, browser_page):
    assert big.stat().st_size < 15_000_000
    shown = browser_page.open(big)
    assert shown.locator("#table-documents tbody tr").count() == 80 * 7
    assert shown.locator(".card").count() == 7
    assert browser_page.complaints == []
    assert browser_page.requests == []


def test_it_says_everything_without_script(page, browser):
    context = browser.new_context(java_script_enabled=False)
    shown = context.new_page()
    shown.goto(page.as_uri())
    assert shown.locator("#table-documents tbody tr").count() == 4
    assert shown.locator("button, input").count() == 0
    shown.locator("#metric-ter summary").click()
    assert shown.locator("#figure-documents-ter svg").is_visible()
    context.close()


def test_dark_pages_have_light_figures(page, browser_page):
    shown = browser_page.open(page)
    look = "getComputedStyle(document.querySelector('#figure-scores svg text')).fill"
    light = shown.evaluate(look)
    shown.emulate_media(color_scheme="dark")
    assert shown.evaluate(look) != light


def test_paper_has_no_folds(page, browser_page):
    shown = browser_page.open(page)
    shut = "document.querySelectorAll('details:not([open])').length"
    assert shown.evaluate(shut) > 0
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown.evaluate(shut) == 0
    shown.evaluate("dispatchEvent(new Event('afterprint'))")
    assert shown.evaluate(shut) > 0


def test_all_names_and_texts_are_escaped(tmp_path, browser_page):
    lines = (EVIL, "She held her lamp.", "“Who?” he asked.", "She saw him and her hand shook.")
    documents = [document(f"{EVIL}/{n}", f"{EVIL}{n}", lines) for n in range(2)]
    bad = ("x", "He held his lamp.", EVIL, EVIL)
    outputs = {EVIL: {d.id: lines for d in documents}, "b": {d.id: bad for d in documents}}
    text = report_html(make_report(results(outputs, documents, [Entity()]), FEW))
    assert "<img" not in text
    path = tmp_path / "evil.html"
    path.write_text(text)
    shown = browser_page.open(path)
    assert shown.locator("img").count() == 0
    assert EVIL in shown.locator("#short").inner_text()
    assert browser_page.complaints == []


def test_the_same_results_make_the_same_page():
    one, other = (report_html(make_report(results(metrics=[Quotation()]), FEW)) for _ in range(2))
    assert one == other


def test_one_document_of_one_system_without_texts(tmp_path, browser_page):
    one = document()
    made = results({"good": {one.id: GOOD}}, [one], [Pronoun()], texts=False)
    path = tmp_path / "one.html"
    path.write_text(report_html(make_report(made, FEW)))
    shown = browser_page.open(path)
    assert "only system" in shown.locator(".lead").inner_text()
    assert "no intervals" in shown.locator("#short").inner_text()
    assert browser_page.complaints == []


def test_every_figure_and_table_is_a_file(tmp_path):
    report = make_report(results(metrics=[Pronoun()]), FEW, files=True)
    names = {path.name for path in write_figures(report, tmp_path / "paper")}
    assert {"scores.svg", "scores.pdf", "scores.tex", "scores.md", "scores.csv"} <= names
    assert {"gender.pdf", "characters.tex", "classes-pronoun.pdf", "comparisons.csv"} <= names
    assert names == {path.name for path in (tmp_path / "paper").iterdir()}
    assert len(names) == 2 * len(report.plots()) + 3 * len(report.tables())


def test_ids_are_unique(page):
    ids = re.findall(r'\bid="([^"]+)"', page.read_text())
    assert len(ids) == len(set(ids))
