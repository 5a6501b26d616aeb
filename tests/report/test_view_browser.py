"""The page in a browser: followed, filtered, linked to, printed, and attacked."""

from __future__ import annotations

import dataclasses
import io
import re

import pytest

from bwb.analysis.english import english
from bwb.annotations.sources import read_documents
from bwb.records import Document, Entity, Link, Mention, Side, SystemOutput
from bwb.report.view import fragment, write_view


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Half of the sample."""
    path = tmp_path_factory.mktemp("view") / "page.html"
    books = ("lantern-ferry", "bell-county")
    documents = [document for document in read_documents() if document.book in books]
    write_view(path, documents, analyser=english(), title="bwb-sample")
    return path


@pytest.fixture
def quiet(browser_page):
    """The page, which must complain of nothing and ask for nothing."""
    browser_page.page.set_default_timeout(5000)
    yield browser_page
    assert browser_page.complaints == []
    assert browser_page.requests == []


def said(page):
    return page.text_content("#said")


def hash_of(page):
    return page.evaluate("location.hash")


def test_a_stranger_is_told_who_loses_the_heroines_gender_and_where(quiet, page_file):
    page = quiet.open(page_file)
    findings = page.locator("#findings li").all_text_contents()
    assert findings[0].startswith("sentence-level gets the gender wrong")
    assert "for Wei Zhenxi (“he” for “she”), in lines 1, 2, 19, 21." in findings[0]
    assert findings[2] == "post-edited keeps everybody’s gender."
    page.locator("#findings li").first.get_by_role("button", name="2", exact=True).click()
    assert hash_of(page) == "#doc=lantern-ferry/1&line=2&chain=1&system=sentence-level"
    assert said(page).startswith("sentence-level, line 2 The reference has “her” (Wei Zhenxi) here")
    assert page.evaluate("document.activeElement.firstChild.textContent") == "his"
    assert page.locator("#row-1 mark.gender.here").is_visible()
    assert "Wei Pillow Creek" in page.text_content("#card")


def test_a_chain_is_followed_through_both_languages(quiet, page_file):
    page = quiet.open(page_file)
    page.locator("#row-0 td[data-column=en] .m", has_text="Wei Zhenxi").click()
    assert "卫枕溪" in said(page)
    assert page.text_content("#chain-position").startswith("3 of ")
    seen = []
    for key in "[[]]]]":
        page.keyboard.press(key)
        here = page.locator(".m.here")
        assert here.count() == 1
        column = here.evaluate("node => node.closest('td').dataset.column")
        seen.append((column, here.text_content()))
    assert seen == [
        ("zh", "她"), ("zh", "卫枕溪"), ("zh", "她"),
        ("en", "Wei Zhenxi"), ("en", "her"), ("zh", "她"),
    ]  # fmt: skip
    assert page.locator("#row-0 td[data-column=zh] .ghost.on").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#text .m.on").count() == 0
    page.keyboard.press("c")
    assert page.locator("#chains").input_value() == "0"


def test_keys_go_from_line_to_line_and_from_problem_to_problem(quiet, page_file):
    page = quiet.open(page_file)
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("tr.current").get_attribute("id") == "row-1"
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.id") == "row-0"
    page.keyboard.press("n")
    first = page.locator(".here[data-problem]")
    assert first.get_attribute("data-due") == "her"
    assert page.text_content("#position").startswith("1 of ")
    page.keyboard.press("p")
    assert re.fullmatch(r"(\d+) of \1", page.text_content("#position"))
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()
    page.keyboard.press("3")
    assert page.locator("th[data-column=s0]").is_hidden()
    page.keyboard.press("n")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('#text [role=button]')")


def test_filters_and_counts_agree(quiet, page_file):
    page = quiet.open(page_file)
    names = ["entities", "terms", "pronouns", "omitted pronouns", "quotes", "tense"]
    for name in names:
        page.locator("#kinds").get_by_role("button", name=name, exact=False).first.click()
    assert page.text_content("#position") == "no problems shown"
    assert page.locator("#text .m:not(.off)").count() == 0
    page.check("#only")
    assert page.locator("#text tbody tr:not([hidden])").count() == 0
    page.locator("#kinds [data-kind=T]").click()
    lines = page.locator("#text tbody tr:not([hidden])").count()
    assert 0 < lines < 32
    for number in range(3):
        marks = page.locator(f"td[data-column=s{number}] [data-problem]:not(.off)")
        shown = sum(int(node.get_attribute("data-count")) for node in marks.all())
        button = page.locator(f".count[data-kind=T][data-system='{number}'] strong")
        assert shown == int(button.text_content())
    page.locator(".count[data-kind=P][data-system='2']").click()
    assert page.locator("#kinds [data-kind=P]").get_attribute("aria-pressed") == "true"
    assert "line 1" in said(page)


def test_a_problem_of_another_chain_is_passed_over(quiet, page_file):
    page = quiet.open(page_file)
    page.select_option("#chains", label="G · Slowwater 迟水")
    page.keyboard.press("n")
    chains = page.locator("#text [data-problem]:not(.off)")
    assert {node.get_attribute("data-chain") for node in chains.all()} == {"6"}
    assert page.locator(".here[data-problem]").get_attribute("data-due") == "Slowwater"


def test_a_link_opens_the_place(quiet, page_file):
    page = quiet.open(page_file, fragment("lantern-ferry/2", 8, "1", "document-level"))
    assert page.locator("tr.current").get_attribute("id") == "row-7"
    assert page.locator(".here[data-problem]").text_content().startswith("He")
    assert page.locator("#row-7").is_visible()
    assert page.evaluate("document.querySelector('#row-7').getBoundingClientRect().top") < 900
    page.evaluate("location.hash = '#doc=bell-county/1&line=9'")
    page.wait_for_function("document.querySelector('#where').textContent.startsWith('bell')")
    assert page.locator("tr.current").get_attribute("id") == "row-8"
    # What no link of ours says is passed over.
    page = quiet.open(page_file, "#doc=nobody&line=x&chain=%E0%A4%A&system=")
    assert page.text_content("#where").startswith("bell-county/1")


def test_the_strip_leads_to_the_line(quiet, page_file):
    page = quiet.open(page_file)
    box = page.locator(".track[data-chain='3'] svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * (25.5 / 32), box["y"] + box["height"] / 4)
    assert page.locator("tr.current").get_attribute("id") == "row-25"
    assert page.locator(".track.on .who").text_content() == "DQi Hengqiu"


def test_a_phone_needs_no_scrolling_sideways(quiet, page_file):
    quiet.page.set_viewport_size({"width": 390, "height": 844})
    page = quiet.open(page_file)
    for number in range(4):
        page.select_option("#documents", str(number))
        wide, seen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= seen
    cell = page.locator("#row-0 td[data-column=s2]").bounding_box()
    assert cell["width"] > 330
    assert page.locator("#filters").is_hidden()
    page.click("#more")
    assert page.locator("#filters").is_visible()


def test_paper_has_the_text_and_not_the_buttons(quiet, page_file):
    page = quiet.open(page_file)
    page.emulate_media(media="print")
    assert page.locator("#bar").is_hidden()
    assert page.locator("#say").is_hidden()
    assert page.locator("#row-31 td[data-column=s2]").is_visible()
    assert page.locator("#row-1 mark.gender .due").first.is_visible()


def test_everything_that_acts_has_a_name(quiet, page_file):
    page = quiet.open(page_file)
    nameless = page.evaluate(
        """[...document.querySelectorAll("button, select, input, [role=button], svg[role=img]")]
        .filter(node => !(node.getAttribute("aria-label") || node.textContent.trim()
          || (node.labels && node.labels.length)))
        .map(node => node.outerHTML)"""
    )
    assert nameless == []
    assert page.locator("[role=table] [role=row] [role=columnheader]").count() == 6
    assert page.locator("#text [tabindex='0']").count() > 1


def test_without_systems_there_are_no_problems_to_go_to(quiet, tmp_path):
    document = dataclasses.replace(next(read_documents()), systems=())
    path = tmp_path / "page.html"
    write_view(path, [document])
    page = quiet.open(path)
    assert page.locator("#next, #only, #summary, #pick, #persons").filter(visible=True).count() == 0
    assert page.locator("#tracks .track").count() == 10
    page.keyboard.press("n")
    page.keyboard.press("]")
    page.keyboard.press("c")
    assert said(page).startswith("A · Wei Zhenxi")


HARM = """</script><script>window.harmed=1</script><img src=x onerror="harmed=1"> "onload="x"""


def test_harmful_text_is_text(quiet, tmp_path):
    zh = Side("zh", (HARM, "\u202e她\u202c走\u2028了。"), ("entity",), ())
    name = "<b>😀 Lan</b>"
    text = f"😀\u202e She met {name} there."
    start = text.index(name)
    mentions = (Mention("m", "<e>", 37 + start, 37 + start + len(name), 1, name, "PER", "name"),)
    first = HARM[:36]
    en = Side("en", (first, text), ("entity", "coreference"), mentions, title=HARM)
    assert en.text[mentions[0].start : mentions[0].end] == name
    entity = Entity("<e>", "PER", None, (), (name,))
    links = (Link((0,), (0,)), Link((1,), (1,)))
    systems = (SystemOutput(HARM, (HARM, f"😀😀 He met {name}.")),)
    document = Document("b/1", "b", "1", zh, en, links, (entity,), systems)
    path = tmp_path / "page.html"
    write_view(path, [document], title=HARM)
    page = quiet.open(path)
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, b:has-text('Lan')").count() == 0
    assert page.locator("#title").text_content() == HARM
    assert page.locator("#row-1 td[data-column=en] .m").text_content() == name
    assert page.locator("#row-1 mark.gender").evaluate("node => node.firstChild.data") == "He"
    lines = page.locator("td[data-column=zh] .line").all_text_contents()
    assert lines == list(zh.sentences)


# How much of each part of the first screen is inked, from 0 to 9: a title, two panels side by side,
# one below. Fonts differ from machine to machine, so only the likeness of the whole counts.
INKED = """
4454310000
3432100000
3421123111
3553244542
2431152353
2433355331
2323235542
2311111221
4343255421
4331245311
"""


def _ink(png):
    """Share of the pixels of each part of a picture, ten by ten, that are unlike the ground."""
    import numpy as np
    from matplotlib.image import imread

    pixels = imread(io.BytesIO(png))[:, :, :3]
    unlike = np.abs(pixels - pixels[0, 0]).max(2) > 0.15
    height, width = (size // 10 for size in unlike.shape)
    parts = unlike[: 10 * height, : 10 * width].reshape(10, height, 10, width)
    return parts.mean((1, 3))


def test_the_first_screen_looks_as_it_did(quiet, page_file):
    import numpy as np

    quiet.page.set_viewport_size({"width": 1400, "height": 1000})
    found = _ink(quiet.open(page_file).screenshot())
    assert found.max() > 0.05
    drawn = "\n".join("".join(str(round(9 * min(1, 4 * x))) for x in row) for row in found)
    expected = np.array([[int(x) for x in row] for row in INKED.split()])
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.7, drawn
