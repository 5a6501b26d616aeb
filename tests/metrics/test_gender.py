from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.lexicon import THIRD_PERSON
from bwb.metrics.gender import LEFT_OUT, pronoun_lines, shifts
from tests.report.scored_corpus import BAD, GOOD, document

COUNTS = st.dictionaries(st.sampled_from(THIRD_PERSON), st.integers(0, 5))


@pytest.mark.parametrize(
    ("reference", "output", "expected"),
    [
        ({"feminine": 2}, {"masculine": 2}, {("feminine", "masculine"): 2}),
        ({"feminine": 2}, {"feminine": 2}, {("feminine", "feminine"): 2}),
        ({"feminine": 2}, {}, {("feminine", LEFT_OUT): 2}),
        ({}, {"masculine": 3}, {}),
        # Of what is too much, "she" takes "he" first, and the rest is left out.
        (
            {"feminine": 2, "neuter": 1},
            {"masculine": 2},
            {("feminine", "masculine"): 2, ("neuter", LEFT_OUT): 1},
        ),
        (
            {"feminine": 3, "masculine": 1},
            {"feminine": 1, "masculine": 2},
            {
                ("feminine", "feminine"): 1,
                ("feminine", "masculine"): 1,
                ("feminine", LEFT_OUT): 1,
                ("masculine", "masculine"): 1,
            },
        ),
    ],
)
def test_what_becomes_of_a_line(reference, output, expected):
    assert shifts(reference, output) == expected


@given(COUNTS, COUNTS)
def test_every_pronoun_of_the_reference_is_somewhere_once(reference, output):
    found = shifts(reference, output)
    for name in THIRD_PERSON:
        assert sum(n for (one, _), n in found.items() if one == name) == reference.get(name, 0)
        used = sum(n for (_, other), n in found.items() if other == name)
        assert used <= output.get(name, 0)


def test_lines_know_whose_pronouns_they_hold():
    one = document()
    lines = list(pronoun_lines([one], {"good": {one.id: GOOD}, "bad": {one.id: BAD}}))
    assert [line.sentence for line in lines] == [1, 2, 3]
    assert lines[0].reference == {"feminine": 2}
    assert lines[0].owners == {"feminine": "Lin Xi"}
    assert lines[0].of("good") == {"feminine": 2}
    assert lines[0].of("bad") == {"masculine": 2}
    # "he" is nobody's that is annotated.
    assert lines[1].owners == {}


def test_a_line_that_two_characters_share_is_nobodys():
    one = document()
    mentions = list(one.en.mentions)
    place = next(n for n, m in enumerate(mentions) if m.sentence == 1 and m.text == "her")
    from dataclasses import replace

    mentions[place] = replace(mentions[place], entity="2")
    shared = replace(one, en=replace(one.en, mentions=tuple(mentions)))
    first = next(iter(pronoun_lines([shared], {})))
    assert (first.sentence, first.owners) == (1, {})


def test_a_document_without_english_has_no_lines():
    from dataclasses import replace

    assert list(pronoun_lines([replace(document(), en=None)], {})) == []


def test_systems_pronouns_alone_are_a_line_too():
    from bwb.records import Document, Side

    one = Document("d", "", "", None, Side("en", ("Rain.",)))
    (line,) = pronoun_lines([one], {"s": {"d": ("It rained.",)}})
    assert (line.reference, line.of("s")) == ({}, {"neuter": 1})
    assert shifts(line.reference, line.of("s")) == Counter()
