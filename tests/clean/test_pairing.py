from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.clean.chain import Chain, heaviest
from bwb.clean.filters import load_filters
from bwb.clean.pairing import REASONS, ChapterPair, pair_chapters
from bwb.clean.text import Text
from bwb.errors import InputError
from bwb.records import Chapter

PAIRING = load_filters().pairing
LENGTH = 4  # words that a chapter has, each its own; a piece of a chapter has some of them


def chapter(lang, place, topics, number=None):
    """A chapter about some words; the script shows the language, and so does nothing else."""
    letters = "汉字" if lang == "zh" else "word "
    sentences = tuple(letters * 3 + str(topic) for topic in topics)
    row = Chapter("book", str(place), lang, "", sentences, number=number)
    return Text(row, sentences)


def book(lang, topics, numbers=None):
    """Chapters by their topics; a topic is an int (a whole chapter) or a list of words."""
    numbers = numbers or [None] * len(topics)
    return [
        chapter(lang, k + 1, words(topic), number)
        for k, (topic, number) in enumerate(zip(topics, numbers, strict=True))
    ]


def words(topic):
    return [topic * LENGTH + k for k in range(LENGTH)] if isinstance(topic, int) else topic


class Overlap:
    """Similarity of two texts: Jaccard index of their words, made a probability."""

    def __init__(self, zh, en):
        self.sides = [[[_topic(s) for s in text] for text in side] for side in (zh, en)]
        self.scored = 0

    def score(self, zh, en):
        self.scored += 1
        left, right = (
            {word for k in group for word in self.sides[side][k]}
            for side, group in enumerate((zh, en))
        )
        return 0.02 + 0.96 * len(left & right) / max(len(left | right), 1)

    def rough(self, zh, en):
        return np.array([[self.score([i], [j]) for j in en] for i in zh], np.float32)


def _topic(sentence):
    return int("".join(filter(str.isdigit, sentence)))


def links(pairing):
    return [(pair.zh, pair.en) for pair in pairing.pairs]


def pair(zh, en, chapter_map=None, compare=Overlap):
    return pair_chapters(zh, en, compare, PAIRING, chapter_map)


def test_index_stands_where_the_content_agrees():
    made = []

    def compare(zh, en):
        made.append(Overlap(zh, en))
        return made[0]

    pairing = pair(book("zh", range(50)), book("en", range(50)), compare=compare)
    assert links(pairing) == [((k,), (k,)) for k in range(50)]
    assert {row.how for row in pairing.pairs} == {"number"}
    assert made[0].scored == 50


def test_a_missing_chapter():
    pairing = pair(book("zh", range(6)), book("en", [0, 1, 3, 4, 5]))
    assert links(pairing) == [
        ((0,), (0,)), ((1,), (1,)), ((2,), ()), ((3,), (2,)), ((4,), (3,)), ((5,), (4,)),
    ]  # fmt: skip
    assert pairing.pairs[2] == ChapterPair((2,), (), None, "unpaired", "no-counterpart")


@pytest.mark.parametrize("at", range(5))
def test_a_doubled_chapter_is_paired_once_and_the_first_time(at):
    topics = list(range(5))
    topics.insert(at, at)
    pairing = pair(book("zh", range(5)), book("en", topics))
    left = [row for row in pairing.pairs if row.how == "unpaired"]
    assert left == [ChapterPair((), (at + 1,), None, "unpaired", "repeated")]
    assert [row.zh for row in pairing.pairs if row.zh] == [(k,) for k in range(5)]


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("side", ["zh", "en"])
def test_a_split_chapter(side, size):
    parts = [words(1)[k::size] for k in range(size)]
    lists = {"zh": list(range(4)), "en": list(range(4))}
    lists[side][1:2] = parts
    pairing = pair(book("zh", lists["zh"]), book("en", lists["en"]))
    many, one = tuple(range(1, size + 1)), (1,)
    assert links(pairing)[1] == ((many, one) if side == "zh" else (one, many))
    assert pairing.pairs[1].how == "content"
    assert len(pairing.pairs) == 4


def test_a_foreign_chapter_in_place_of_the_right_one():
    pairing = pair(book("zh", range(4)), book("en", [0, 77, 2, 3]))
    reasons = [(row.zh, row.en, row.reason) for row in pairing.pairs if row.reason]
    assert reasons == [((1,), (), "content-differs"), ((), (1,), "content-differs")]


def test_a_page_in_the_other_language_is_never_paired():
    zh = book("zh", range(4))
    zh.insert(1, chapter("en", 99, words(1)))
    zh[1] = Text(dataclasses.replace(zh[1].chapter, lang="zh"), zh[1].sentences)
    pairing = pair(zh, book("en", range(4)))
    assert pairing.pairs[1] == ChapterPair((1,), (), None, "unpaired", "wrong-language")
    assert links(pairing)[2:] == [((2,), (1,)), ((3,), (2,)), ((4,), (3,))]


def test_an_empty_chapter_is_called_so():
    zh = book("zh", [0, [], 2])
    assert pair(zh, book("en", [0, 2])).pairs[1].reason == "empty"


def test_numbers_help_where_the_list_slips_and_do_not_hinder_where_they_are_wrong():
    right = [((0,), (0,)), ((1,), ()), ((2,), (1,)), ((3,), (2,))]
    for numbers in ([1, 3, 4], [1, 2, 3], [3, 4, 1], [None] * 3, [7, 7, 7]):
        zh = book("zh", range(4), [1, 2, 3, 4])
        pairing = pair(zh, book("en", [0, 2, 3], numbers))
        assert links(pairing) == right, numbers


def test_content_that_says_nothing_leaves_it_to_the_numbers():
    class Silent(Overlap):
        def score(self, zh, en):
            return 0.2

    pairing = pair(book("zh", [0, 1, 2]), book("en", [7, 8, 9]), compare=Silent)
    assert links(pairing) == [((k,), (k,)) for k in range(3)]


def test_one_side_or_both_may_be_empty():
    assert pair([], []).pairs == ()
    assert links(pair(book("zh", range(2)), [])) == [((0,), ()), ((1,), ())]


def test_the_map_wins_and_a_contradiction_is_told():
    zh, en = book("zh", range(4)), book("en", [0, 2, 3])
    right = [((1,), (1,)), ((3,), (2,)), ((4,), (3,))]
    pairing = pair(zh, en, right)
    assert links(pairing) == [((0,), (0,)), ((1,), ()), ((2,), (1,)), ((3,), (2,))]
    assert pairing.pairs[1].reason == "not-in-map"
    assert pairing.contradictions == ()
    pairing = pair(zh, en, [((1,), (1,)), ((2,), (2,))])
    assert links(pairing)[1] == ((1,), (1,))
    (wrong,) = pairing.contradictions
    assert (wrong.zh, wrong.en) == ((1,), (1,))
    assert wrong.message.startswith("2:2 has similarity 0.02")
    pairing = pair(zh, en, [((1,), (1,)), ((2,), (2, 3))])
    assert pairing.contradictions[0].message.startswith("2:2+3 has")


def test_the_map_names_places_and_not_indices():
    zh, en = book("zh", range(4)), book("en", range(4))
    del zh[1]  # dropped before: the others keep their places
    pairing = pair(zh, en, [((k,), (k,)) for k in range(1, 5)])
    assert links(pairing) == [((0,), (0,)), ((), (1,)), ((1,), (2,)), ((2,), (3,))]
    assert [note.message for note in pairing.contradictions] == [
        "2:2 names Chinese chapter 2, not among the chapters"
    ]


@pytest.mark.parametrize(
    ("chapter_map", "message"),
    [
        ([((1,), (2,)), ((2,), (1,))], "English chapter 1 after 2"),
        ([((1,), (1,)), ((1,), (2,))], "Chinese chapter 1 after 1"),
        ([((1, 3), (1,))], "1\\+3:1; expected neighbours"),
    ],
)
def test_maps_that_are_refused(chapter_map, message):
    with pytest.raises(InputError, match=message):
        pair(book("zh", range(4)), book("en", range(4)), chapter_map)


TOPICS = st.lists(
    st.one_of(st.integers(0, 6), st.lists(st.integers(0, 27), max_size=4)), max_size=9
)


@settings(max_examples=150, deadline=None)
@given(TOPICS, TOPICS, st.data())
def test_every_chapter_is_in_one_group_and_none_cross(left, right, data):
    numbers = st.lists(st.none() | st.integers(1, 9), min_size=len(right), max_size=len(right))
    zh = book("zh", left, [k + 1 for k in range(len(left))])
    en = book("en", right, data.draw(numbers))
    pairs = pair(zh, en).pairs
    assert [k for row in pairs for k in row.zh] == list(range(len(zh)))
    assert [k for row in pairs for k in row.en] == list(range(len(en)))
    for row in pairs:
        assert (row.reason in REASONS) == (row.how == "unpaired") == (not row.zh or not row.en)
        assert (row.score is None) == (row.how == "unpaired")


CHAINS = st.lists(
    st.builds(
        lambda i, a, j, b, w: Chain(tuple(range(i, i + a)), tuple(range(j, j + b)), w),
        st.integers(0, 6), st.integers(1, 2), st.integers(0, 6), st.integers(1, 2),
        st.integers(1, 9).map(float),
    ),
    max_size=8,
)  # fmt: skip


@given(CHAINS)
def test_the_chain_is_the_heaviest_of_all(chains):
    def follows(a, b):
        return a.left[-1] < b.left[0] and a.right[-1] < b.right[0]

    def best(last):
        rest = [c for c in chains if last is None or follows(last, c)]
        return max((c.weight + best(c) for c in rest), default=0.0)

    found = heaviest(chains)
    assert all(follows(a, b) for a, b in pairwise(found))
    assert sum(c.weight for c in found) == best(None)
