from __future__ import annotations

from random import Random

import pytest

from bwb.human.settings import Spam
from bwb.human.spam import damage

SPAM = Spam(share=0.1, keep=0.1, least_words=6)


@pytest.mark.parametrize("seed", range(5))
def test_words_are_shuffled_but_for_a_tenth_at_each_end(seed):
    words = [f"w{i}" for i in range(25)]
    (text,) = damage([" ".join(words)], SPAM, Random(seed))
    shuffled = text.split()
    # A tenth of 25 is 2.5: three words stay at each end.
    assert shuffled[:3] == words[:3]
    assert shuffled[-3:] == words[-3:]
    assert sorted(shuffled) == sorted(words)
    assert sum(a != b for a, b in zip(shuffled, words, strict=True)) >= 10


@pytest.mark.parametrize("seed", range(5))
def test_sentences_are_shuffled_but_for_the_first_and_the_last(seed):
    sentences = ("a", "b", "c", "d", "e")
    shuffled = damage(sentences, SPAM, Random(seed))
    assert shuffled[0] == "a"
    assert shuffled[-1] == "e"
    assert shuffled[1:4] in {("c", "d", "b"), ("d", "b", "c")}


@pytest.mark.parametrize(
    "text",
    [["one two three four five"], [" ".join("a" * 9)], ["a", "b", "c"], ["a", "b", "b", "z"]],
)
def test_what_would_look_the_same_is_not_damaged(text):
    assert damage(text, SPAM, Random(0)) is None
