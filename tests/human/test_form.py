from __future__ import annotations

import pytest

from bwb.human.sheet import read_answers, write_form
from tests.human.conftest import HARM


@pytest.fixture
def form(study, tmp_path):
    """Writes the first rater's form: ``form("bws")`` → plan, file."""

    def make(design):
        plan = study(design=design)
        path = tmp_path / "form.html"
        write_form(plan, plan.raters[0], path)
        return plan, path

    return make


def saved(page, path):
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename == "ratings-r01.csv"
    download.value.save_as(path)
    return path


def test_ranks_are_given_by_keyboard_kept_and_read(form, browser_page, tmp_path):
    plan, file = form("ranking")
    page = browser_page.open(file)
    for key in ("2", "1", "1"):
        page.keyboard.press(key)
    assert page.text_content("#order") == "B = C  >  A"
    page.keyboard.press("Enter")
    page.keyboard.press("C")
    page.keyboard.press("3")
    page.reload()
    assert page.text_content("#count") == "1 of 20 answered"
    assert "Item 2 of 20" in page.text_content("#place")
    assert page.text_content("[aria-pressed=true]") == "3"
    page.keyboard.press("ArrowLeft")
    page.fill("#note", 'a "note", with a comma')
    page.keyboard.press("1")  # goes into nothing: the note has the keyboard
    findings = []
    (answer,) = read_answers(plan, [saved(page, tmp_path / "r.csv")], findings)
    task = plan.raters[0].tasks[0]
    assert answer.item == task.item
    assert [answer.values[index] for index in task.order] == [2, 1, 1]
    assert answer.seconds >= 0
    assert "no rank for A, B" in str(findings[0])
    # A text with a script in it is shown as it is.
    assert HARM in page.text_content(".words")
    assert page.title() == "Adequacy · r01"
    assert browser_page.complaints == browser_page.requests == []


def test_best_and_worst_on_a_phone(form, browser_page, tmp_path):
    plan, file = form("bws")
    browser_page.page.set_viewport_size({"width": 390, "height": 844})
    page = browser_page.open(file)
    cards = page.locator(".text")
    cards.nth(0).get_by_text("best", exact=True).click()
    cards.nth(1).get_by_text("best", exact=True).click()
    cards.nth(0).get_by_text("worst", exact=True).click()
    assert page.text_content("#order") == "best B, worst A"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#next")
    page.keyboard.press("+")
    (answer,) = read_answers(plan, [saved(page, tmp_path / "r.csv")], [])
    order = plan.raters[0].tasks[0].order
    assert [answer.values[index] for index in order] == [3, 1, 2]
    assert browser_page.complaints == browser_page.requests == []
