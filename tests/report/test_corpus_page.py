from __future__ import annotations

import pytest

from bwb.annotations.distributions import Distributions
from bwb.annotations.sources import read_documents
from bwb.annotations.statistics import count_corpus
from bwb.errors import InputError
from bwb.records import Document, Side
from bwb.report.corpus_page import corpus_html, make_corpus_report
from tests.report.scored_corpus import document

EVIL = "<img src=x>&$"


def report(documents, name="corpus"):
    shapes = Distributions()
    return make_corpus_report(name, count_corpus(shapes.watch(documents)), shapes)


def test_the_sample_in_pictures(tmp_path, browser_page):
    made = report(read_documents())
    path = tmp_path / "stats.html"
    path.write_text(corpus_html(made))
    shown = browser_page.open(path)
    assert shown.locator("figure svg").count() == len(made.plots) == 9
    assert shown.locator("#table-chains tbody tr").count() == 6
    shown.set_viewport_size({"width": 390, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    assert browser_page.complaints == []
    assert browser_page.requests == []


def test_captions_say_what_is_seen():
    one, other = document("a/1", "a"), document("b/1", "b", ("Lin Xi slept.",))
    made = report([one, other])
    assert made.lead == [
        "2 chapters of 2 books: 5 sentences of Chinese (15 characters) and 5 sentences of English "
        "(24 words)."
    ]
    captions = {plot.id: plot.caption for plot in made.plots}
    assert captions["genres"] == (
        "The 2 chapters are of 1 genre; the most frequent is g, with 2 (100%)."
    )
    assert captions["entity-types"].startswith("PER is the most frequent type: 100% of English")
    assert "There is no FAC or GPE" in captions["entity-types"]
    assert captions["omitted"] == "a leaves out 50% of the English pronouns."
    assert "speech" not in captions


def test_plain_text_has_fewer_pictures_and_nothing_is_an_error():
    made = report([Document(EVIL, EVIL, "1", None, Side("en", ("One.", "Two words.")))], EVIL)
    assert {plot.id for plot in made.plots} == {"chapter-lengths", "sentence-lengths"}
    assert "<img" not in corpus_html(made)
    with pytest.raises(InputError, match="no documents"):
        report([])
