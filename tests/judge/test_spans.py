"""Finding quoted mistakes: exact, normalised, fuzzy, and not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.judge.spans import Finder, _nearest, quotes_of

TEXT = (
    "Snow fell on the “Half a Cup”.\nThe ferryman said nothing; he lit\u3000the lamp.\n灯渡的老人。"
)


@pytest.mark.parametrize(
    ("quote", "match", "found"),
    [
        ("the lamp", "exact", "the lamp"),
        ("SNOW FELL", "normal", "Snow fell"),
        ('the "half a cup"', "normal", "the “Half a Cup”"),
        ("he lit the lamp", "normal", "he lit\u3000the lamp"),
        ("The ferrymen said nothing", "fuzzy", "The ferryman said nothing"),
        ("Snow fell … the lamp", "exact", TEXT[: TEXT.index("lamp") + 4]),
        ("渡的老人", "exact", "渡的老人"),
    ],
)
def test_quotes_are_found(quote, match, found):
    span = Finder(TEXT).find(quote)
    assert (span.match, TEXT[span.start : span.end]) == (match, found)


@pytest.mark.parametrize(
    "quote", ["", "…", "rain", "the lamp … Snow fell", "a wholly other clause"]
)
def test_quotes_that_are_not_there(quote):
    assert Finder(TEXT).find(quote) is None


def test_similarity_is_one_minus_the_distance_by_the_length():
    span = Finder("the grey ferryman").find("the gray ferryman")
    assert span.similarity == pytest.approx(1 - 1 / 15)


def distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, last = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
    return row[-1]


@given(st.text("ab", min_size=1, max_size=5), st.text("abc", max_size=8))
def test_the_nearest_stretch_is_nearest(pattern, text):
    end, best = _nearest(pattern, text)
    stretches = [text[i:j] for j in range(len(text) + 1) for i in range(j + 1)]
    assert best == min(distance(pattern, stretch) for stretch in stretches)
    assert min(distance(pattern, text[i:end]) for i in range(end + 1)) == best


@given(st.text(min_size=1), st.data())
def test_what_is_in_the_text_is_found_there(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    span = Finder(text).find(quote)
    if quote.strip():
        assert text[span.start : span.end] == quote.strip()


def test_what_an_item_quotes():
    assert quotes_of({"quote": "the lamp", "why": "'lantern'"}) == ["the lamp"]
    assert quotes_of({"quote": " "}) == []
    assert quotes_of("'the lamp' doesn't fit “the lantern”") == ["the lamp", "the lantern"]
    assert quotes_of("「灯」 should be 《渡》") == ["灯", "渡"]
    assert quotes_of("Nothing is quoted; it's all there.") == []
