"""Shares of documents in which the reference's number is higher."""

from __future__ import annotations

import pytest

from bwb.annotations.assemble import assemble
from bwb.errors import InputError, LengthError, UnknownNameError
from bwb.metrics.cohesion import Cohesion
from bwb.metrics.discriminate import Discrimination, discriminate, reference_tallies
from bwb.metrics.pronoun import Pronoun
from bwb.records import Side

METRIC = Cohesion(measure="rc", related="none")
LESS, SAME, MORE = ("A boat. Rain.", "Rain."), ("A boat.", "A boat."), ("Boats.", "Boats.")


def document(number, *sentences):
    return assemble(f"b/{number}", "b", str(number), None, Side("en", sentences))


DOCUMENTS = [
    document(n, *reference) for n, reference in enumerate((SAME, SAME, SAME, LESS, ("", "")))
]
OUTPUTS = [LESS, LESS, SAME, MORE, SAME]


def tallies(metric=METRIC):
    return [metric.count(doc, out) for doc, out in zip(DOCUMENTS, OUTPUTS, strict=True)]


def test_by_hand():
    reference = reference_tallies(METRIC, DOCUMENTS)
    (found,) = discriminate(METRIC, {"s": tallies()}, reference)
    assert found == Discrimination("cohesion", "score", "s", 2 / 4, 1 / 4, 1 / 4, 4, 1)


def test_any_score_by_its_name():
    reference = reference_tallies(METRIC, DOCUMENTS)
    (found,) = discriminate(METRIC, {"s": tallies()}, reference, "freq.recall")
    # Rain, rain: 2; boat, boat: 2. All ties, but in the last document.
    assert (found.of, found.ties, found.documents) == ("freq.recall", 1, 4)
    (found,) = discriminate(METRIC, {"s": tallies()}, reference, "lexical_chain.recall")
    # Three systems of four have none of the reference's chains: rain is not boat.
    assert (found.reference_higher, found.documents) == (3 / 4, 4)
    with pytest.raises(UnknownNameError, match="frequency"):
        discriminate(METRIC, {"s": tallies()}, reference, "frequency")


def test_any_metric():
    metric = Pronoun()
    docs = [document(n, "She saw him.") for n in range(2)]
    made = {"good": ["She saw him."], "bad": ["She saw it."]}
    rows = {name: [metric.count(doc, out) for doc in docs] for name, out in made.items()}
    good, bad = discriminate(metric, rows, reference_tallies(metric, docs))
    assert (good.ties, good.reference_higher) == (1, 0)
    assert (bad.ties, bad.reference_higher) == (0, 1)


def test_nothing_to_compare_is_undefined():
    docs = [document(0, "")]
    rows = [METRIC.count(doc, ("",)) for doc in docs]
    (found,) = discriminate(METRIC, {"s": rows}, rows)
    assert (found.reference_higher, found.system_higher, found.ties) == (None, None, None)
    assert (found.documents, found.undefined) == (0, 1)


def test_it_agrees_with_the_counts_of_the_metric():
    score = METRIC.score("s", tallies())
    (found,) = discriminate(METRIC, {"s": tallies()}, reference_tallies(METRIC, DOCUMENTS))
    assert score.parts["reference_higher"].recall == found.reference_higher


def test_bad_input():
    reference = reference_tallies(METRIC, DOCUMENTS)
    with pytest.raises(LengthError, match="2 documents of the systems, 5 of the reference"):
        discriminate(METRIC, {"s": tallies()[:2]}, reference)
    with pytest.raises(InputError, match="no English reference"):
        reference_tallies(METRIC, [assemble("b/1", "b", "1", Side("zh", ("雨。",)), None)])
