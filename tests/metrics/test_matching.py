from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.metrics.matching import LemmaMatcher, Matcher, count_words, form_tokens, tokens


def found(forms, text, **options):
    return [(o.form, text[o.start : o.end]) for o in Matcher(forms, **options).find(text)]


@pytest.mark.parametrize(
    ("forms", "text", "expected"),
    [
        # The failures of matching by substring, each seen in reference code.
        (["qiao", "mother of qiao"], "Mother of Qiao met Qiao.", ["Mother of Qiao", "Qiao"]),
        (["mr . xu"], "Here is Mr. Xu.", ["Mr. Xu"]),
        (["Lian"], "Liang and Lian", ["Lian"]),
        (["a+b (c)"], "so A+B (C)!", ["A+B (C)"]),
        # Possessives, apostrophes, case.
        (["Wang Wenhao’s"], "Wang Wenhao's scandal; Wang Wenhao", ["Wang Wenhao", "Wang Wenhao"]),
        (["James’"], "James's hat, James' hat", ["James", "James"]),
        (["WeChat"], "her weChat", ["weChat"]),
        (["the captain's mate"], "The captain’s mate", ["The captain’s mate"]),
        # The longest form first, wherever it stands.
        (["a b", "b c d"], "a b c d", ["b c d"]),
        (["Old Bai", "Bai"], "Old Bai, Bai, old Bai", ["Old Bai", "Bai", "old Bai"]),
        # Chinese: characters are tokens, Latin words are not cut.
        (["闻溪", "溪溪", "溪"], "闻溪说溪溪，溪！", ["闻溪", "溪溪", "溪"]),
        (["K"], "K先生和KK", ["K"]),
        (["x"], "", []),
        ([], "x", []),
        (["", "  "], "x", []),
    ],
)
def test_occurrences(forms, text, expected):
    assert [surface for _, surface in found(forms, text)] == expected


def test_case_can_matter():
    assert found(["Swallow"], "a swallow, the Swallow", case=True) == [("Swallow", "Swallow")]


def test_forms_that_are_the_same_have_one_name():
    matcher = Matcher(["Wen Xi", "wen  xi", "Wen Xi’s"])
    assert {matcher.canonical(form) for form in ("Wen Xi", "WEN XI", "wen xi's")} == {"Wen Xi"}
    assert matcher.canonical("Xi") is None


@given(
    st.lists(st.text("abc 闻'’.", min_size=1, max_size=6), max_size=6),
    st.text("abc 闻'’.", max_size=30),
)
def test_the_order_of_the_forms_does_not_matter_and_nothing_overlaps(forms, text):
    matcher = Matcher(forms)
    first = matcher.find(text)
    shuffled = sorted(set(forms), key=lambda form: random.Random(len(forms)).random())
    again = Matcher(shuffled).find(text)
    assert [(o.start, o.end) for o in first] == [(o.start, o.end) for o in again]
    assert all(a.end <= b.start for a, b in pairwise(first))
    for occurrence in first:
        at = tokens(text[occurrence.start : occurrence.end])
        assert at == form_tokens(occurrence.form)


def test_words_are_counted_as_words():
    classes = {"he": "m", "his": "m", "her": "f", "i": "1"}
    assert count_words("He's here; his HER, I'm hers. the", classes) == {"m": 2, "f": 1, "1": 1}


def test_lemmas_are_a_second_look():
    matcher = Matcher(["the lantern", "walking stick"])
    lemmas = LemmaMatcher(matcher)
    assert lemmas.more("He saw the lanterns.") == ["the lantern"]
    assert lemmas.more("He saw the lantern.") == []
    assert lemmas.more("") == []
