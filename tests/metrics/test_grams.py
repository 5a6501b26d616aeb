"""Counting n-grams against an index is what counting them one by one is."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.metrics.grams import GramIndex, totals

SEGMENT = st.text("abc", max_size=8)
TEXTS = st.integers(1, 4).flatmap(
    lambda size: st.lists(st.lists(SEGMENT, min_size=size, max_size=size), min_size=2, max_size=4)
)


def grams(segment, order):
    return Counter(tuple(segment[i : i + order]) for i in range(len(segment) - order + 1))


def clipped(text, references, order):
    """Matches of an order, each n-gram as often as the reference that has it most."""
    found = 0
    for segment, *others in zip(text, *references, strict=True):
        most = Counter()
        for other in others:
            most |= grams(other, order)
        found += (grams(segment, order) & most).total()
    return found


@settings(deadline=None)
@given(TEXTS)
def test_matches_are_those_of_counters(texts):
    text, *references = texts
    index = GramIndex(references, 4)
    assert index.matches(text) == [clipped(text, references, n) for n in range(1, 5)]
    lengths = [len(segment) for segment in text]
    assert totals(lengths, 4) == [
        sum(grams(segment, n).total() for segment in text) for n in range(1, 5)
    ]


@settings(deadline=None)
@given(TEXTS, st.sampled_from([0, 1 << 21]))
def test_characters_and_large_texts_are_counted_in_other_ways(texts, size):
    text, *references = texts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bwb.metrics.grams._TABLE", size)
        expected = GramIndex(references, 4).matches(text)
        assert GramIndex(references, 4, characters=True).matches(text) == expected
    strange = [f"{segment}\U0001f600\ud800\n" for segment in text]
    assert GramIndex(references, 4, characters=True).matches(strange) == expected


@settings(deadline=None)
@given(TEXTS)
def test_credits_of_weight_one_are_matches(texts):
    text, *references = texts
    index = GramIndex(references, 4)
    weights = np.ones(sum(len(segment) + 1 for segment in text))
    assert [one.sum() for one in index.credits(text, weights)] == index.matches(text)


def test_of_equal_ngrams_those_of_most_weight_count():
    index = GramIndex([[["a", "b"]]], 2)
    one, two = index.credits([["a", "b", "a", "b"]], np.array([0.5, 1, 0.75, 0.25, 1]))
    assert one.tolist() == [0, 1, 0.75, 0, 0]
    assert two.tolist() == [0.75, 0, 0, 0, 0]


def test_ngrams_do_not_run_over_the_ends_of_segments():
    assert GramIndex([["ab", "cd"]], 3).matches(["ab", "cd"]) == [4, 2, 0]
    assert GramIndex([["ab", "cd"]], 2).matches(["cd", "ab"]) == [0, 0]
    assert GramIndex([["", ""]], 2).matches(["a", ""]) == [0, 0]


def test_a_text_of_many_distinct_tokens_is_counted_right():
    text = [list(range(3000))]
    assert GramIndex([text], 4).matches(text) == pytest.approx([3000, 2999, 2998, 2997])
