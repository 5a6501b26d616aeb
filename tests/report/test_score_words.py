from __future__ import annotations

import pytest

from bwb.report import score_tables
from bwb.report.score_quotes import gender_quotes, pieces, worst_quotes
from bwb.report.score_views import (
    Options,
    make_binned,
    make_genders,
    make_matrix,
    make_view,
    turned,
)
from bwb.report.score_words import Place, gender_headline, headline, portraits
from tests.report.scored_corpus import BAD, GOOD, document, results

FEW = Options(resamples=200)


def nowhere(document, sentence, system):
    return None


def views_of(made, options=FEW):
    return [
        make_view(row, made, one.signature, options)
        for row, one in zip(made.scored, made.metrics, strict=True)
    ]


@pytest.fixture(scope="module")
def made():
    return results()


@pytest.fixture(scope="module")
def views(made):
    return views_of(made)


def said(words):
    return "".join(str(word) for word in words)


def test_who_is_best_is_said(made, views):
    assert headline(views, made.systems) == [
        "good has the best score by 3 of 3 metrics".replace("3 of 3", "all 3")
        + ", never significantly ahead of all others."
    ]


def test_direction_of_the_metric_counts(views):
    ter = next(view for view in views if view.name == "ter")
    assert not ter.higher
    assert ter.best() == ["good"]
    assert ter.ranked() == ["good", "bad"]
    # What all do equally well tells nothing.
    assert next(view for view in views if view.name == "quotation").best() == []


def test_who_loses_whose_gender_and_where_is_said(made, views):
    found = make_genders(made)
    (text,) = gender_headline(found)
    assert text.startswith("bad changes gender most: 4 of the reference’s 8 feminine pronouns")
    assert "Lin Xi (other), who is “he” twice out of 4" in text
    good, bad = portraits(made, views, found)
    assert (good.system, good.verdict, good.points[0][0]) == (
        "good",
        "Best by all 3 metrics.",
        "Gender",
    )
    assert (bad.system, bad.verdict) == ("bad", "Last by all 3 metrics.")
    head, _, words = bad.points[0]
    assert head == "Gender"
    assert said(words).startswith(
        "Turns 4 of 8 feminine pronouns into masculine ones and has none at all for 4 more; "
        "0% stay “she”."
    )
    assert Place("book/1", 1, "bad") in words
    head, about, words = bad.points[1]
    assert (head, about) == ("entity", "entities of the reference")
    assert said(words) == (
        "0.0 (good: 100.0). Misses “Lin Xi” (PER) most often, twice, first in book/1, line 1."
    )


def test_pronouns_are_summed_by_system_and_character(made):
    found = make_genders(made)
    assert found.total == {"feminine": 8, "masculine": 4}
    assert found.systems["good"] == {("feminine", "feminine"): 8, ("masculine", "masculine"): 4}
    assert found.systems["bad"]["feminine", "masculine"] == 4
    assert found.characters["book", "Lin Xi", "feminine"]["bad"] == {
        "masculine": 2,
        "left out": 2,
    }
    assert turned({"masculine": 3, "feminine": 1}, "feminine") == {
        "kept": 1,
        "masculine": 3,
        "left out": 0,
    }


def test_one_system_is_compared_with_nothing():
    one = document()
    made = results({"good": {one.id: GOOD}}, [one])
    views = views_of(made)
    assert headline(views, made.systems) == [
        "good is the only system here, so there is nothing to compare it with."
    ]
    assert gender_headline(make_genders(made)) == []
    assert all(not view.letters and not view.comparisons for view in views)
    assert score_tables.comparisons(views) is None
    table = score_tables.scores(views, made.systems, 0.05)
    assert {(cell.low, cell.letters) for cell in table.rows[0][1:]} == {(None, "")}


def test_letters_and_the_best_stand_in_the_main_table(made, views):
    table = score_tables.scores(views, made.systems, 0.05)
    assert [column.label for column in table.columns] == [
        "system",
        "entity ↑",
        "pronoun ↑",
        "quotation ↑",
        "ter ↓",
    ]
    good, bad = table.rows
    assert [cell.best for cell in good[1:]] == [True, True, False, True]
    assert not any(cell.best for cell in bad)
    assert good[1].letters == bad[1].letters == "a"
    assert "permutation" in table.caption


def test_twenty_documents_are_tested_by_the_bootstrap():
    documents = [document(f"b/{n}", "b") for n in range(20)]
    outputs = {"good": {d.id: GOOD for d in documents}, "bad": {d.id: BAD for d in documents}}
    from bwb.metrics.pronoun import Pronoun

    (view,) = views_of(results(outputs, documents, [Pronoun()]))
    assert view.test == "bootstrap"
    assert view.letters == {"good": "a", "bad": "b"}
    assert view.differ("bad", "good")


def test_books_and_documents_are_scored_apart(made, views):
    pronoun = next(view for view in views if view.name == "pronoun")
    assert pronoun.single["good"] == [1.0, 1.0]
    assert pronoun.books.keys() == {"book", "other"}
    assert pronoun.books["book"]["good"] == 1.0
    assert pronoun.books["book"]["bad"] == pronoun.single["bad"][0]


def test_agreement_needs_two_metrics(made):
    from bwb.metrics.pronoun import Pronoun

    assert make_matrix(results(metrics=[Pronoun()])) is None
    assert make_matrix(made).names == ("entity", "pronoun", "quotation", "ter")


def test_a_curve_needs_documents_that_differ(made):
    assert make_binned(made.scored[0], made, FEW) is None


def test_lines_are_quoted_with_what_matters_marked(made):
    one, *_ = gender_quotes(made, "bad", nowhere, 5)
    assert (one.document, one.line, one.href) == ("book/1", 2, None)
    assert one.about == ["“she” → “he” ×2 (Lin Xi)"]
    assert one.en == [("She", "she"), (" held ", ""), ("her", "she"), (" lamp.", "")]
    assert one.output == [("He", "he"), (" held ", ""), ("his", "he"), (" lamp.", "")]
    assert gender_quotes(made, "good", nowhere, 5) == []
    worst = worst_quotes(made, "bad", lambda *place: f"#{place}", 6)
    first = next(quote for quote in worst if quote.line == 1)
    assert first.about == ["Lin Xi"]
    assert first.en[0] == ("Lin Xi", "missed")
    assert first.href == "#('book/1', 0, 'bad')"


def test_without_texts_places_are_left():
    bare = results(texts=False)
    one, *_ = gender_quotes(bare, "bad", nowhere, 1)
    assert (one.zh, one.en, one.output) == (None, (), ())


def test_pieces_are_the_whole_text_and_regard_words():
    text = "The theme: she, HERS, hero. (a+b) “she”"
    assert "".join(piece for piece, _ in pieces(text, ["(a+b)", "hero"])) == text
    assert [p for p in pieces(text, ["(a+b)", "hero"]) if p[1]] == [
        ("she", "she"),
        ("HERS", "she"),
        ("hero", "missed"),
        ("(a+b)", "missed"),
        ("she", "she"),
    ]
