from __future__ import annotations

import json

import numpy as np
import pytest

from bwb.align.chapterscore import FEATURES, ChapterSimilarity
from bwb.align.chapterwords import Vocabulary, merge
from bwb.align.goldset import strip
from bwb.assets import sample
from bwb.clean.filters import load_filters
from bwb.clean.pairing import pair_chapters
from bwb.clean.text import Text
from bwb.records import Chapter
from bwb.textio import read_lines


@pytest.fixture(scope="module")
def halves():
    """Both sides of the halves of the sample's chapters: neighbours share names and subject."""
    zh, en = [], []
    for path in sorted(sample().glob("*/?.zh.an.txt")):
        for side, file in ((zh, path), (en, path.with_name(path.name.replace(".zh.", ".en.")))):
            lines = [strip(line) for line in read_lines(file)[0]]
            side += [lines[: len(lines) // 2], lines[len(lines) // 2 :]]
    return zh, en


def texts(side, lang):
    return [
        Text(Chapter("book", str(k + 1), lang, "", tuple(s), number=k + 1), tuple(s))
        for k, s in enumerate(side)
    ]


def paired(zh, en):
    pairing = pair_chapters(
        texts(zh, "zh"), texts(en, "en"), ChapterSimilarity, load_filters().pairing
    )
    return [(pair.zh, pair.en) for pair in pairing.pairs]


def one_to_one(count):
    return [((k,), (k,)) for k in range(count)]


def test_a_chapter_is_like_its_own_and_like_no_other(halves):
    book = ChapterSimilarity(*halves)
    n = len(halves[0])
    scores = np.array([[book.score([i], [j]) for j in range(n)] for i in range(n)])
    own = scores[np.eye(n, dtype=bool)]
    others = scores[~np.eye(n, dtype=bool)]
    assert own.min() > 0.8
    assert (others > 0.5).mean() < 0.01
    assert (scores.argmax(axis=1) == np.arange(n)).all()
    assert (scores.argmax(axis=0) == np.arange(n)).all()


def test_the_rough_similarity_finds_the_same(halves):
    n = len(halves[0])
    rough = ChapterSimilarity(*halves).rough(range(n), range(2, n))
    assert rough.shape == (n, n - 2)
    assert (rough.argmax(axis=0) == np.arange(2, n)).all()


def test_half_a_chapter_is_not_the_chapter(halves):
    zh, en = halves
    book = ChapterSimilarity(zh, en)
    for k in range(0, len(zh), 2):
        both = [k, k + 1]
        assert book.score(both, both) > 0.9
        assert max(book.score(both, [k]), book.score([k], both)) < 0.3


def test_two_chapters_are_enough_for_a_book(halves):
    zh, en = (side[:2] for side in halves)
    book = ChapterSimilarity(zh, en)
    assert min(book.score([k], [k]) for k in (0, 1)) > 0.8
    assert max(book.score([0], [1]), book.score([1], [0])) < 0.2


def test_a_text_without_words_is_like_nothing(halves):
    zh, en = halves
    book = ChapterSimilarity([*zh[:2], ["……", "！"], []], [*en[:2], ["…"]])
    assert book.features([2], [0]) is None
    assert [book.score([k], [0]) for k in (2, 3)] == [0, 0]
    assert book.score([0], [2]) == 0
    assert book.rough(range(4), range(3))[2:].tolist() == [[0, 0, 0]] * 2


def test_the_plain_order_stands(halves):
    assert paired(*halves) == one_to_one(16)


@pytest.mark.parametrize("at", [0, 7, 15])
def test_a_missing_chapter_shifts_nothing_else(halves, at):
    zh, en = halves
    rest = [((k,), (k,)) if k < at else ((k,), (k - 1,)) for k in range(16) if k != at]
    found = paired(zh, [*en[:at], *en[at + 1 :]])
    assert found == sorted([*rest, ((at,), ())])


@pytest.mark.parametrize("at", [0, 6, 14])
def test_two_chapters_in_one(halves, at):
    zh, en = halves
    merged = [*zh[:at], zh[at] + zh[at + 1], *zh[at + 2 :]]
    expected = [*one_to_one(at), ((at,), (at, at + 1))]
    expected += [((k,), (k + 1,)) for k in range(at + 1, 15)]
    assert paired(merged, en) == expected


def test_a_doubled_a_foreign_and_a_lost_chapter_at_once(halves):
    zh, en = (side[:12] for side in halves)
    foreign = halves[1][14]
    slipped = [*en[:3], en[2], *en[3:6], foreign, *en[7:11]]
    assert paired(zh, slipped) == [
        *one_to_one(3), ((), (3,)), *(((k,), (k + 1,)) for k in range(3, 6)),
        ((6,), ()), ((), (7,)), *(((k,), (k + 1,)) for k in range(7, 11)), ((11,), ()),
    ]  # fmt: skip


def test_wrong_numbers_do_no_harm(halves):
    zh, en = halves
    pairing = pair_chapters(
        texts(zh, "zh"),
        [
            Text(Chapter("book", str(k + 1), "en", "", tuple(s), number=k), tuple(s))
            for k, s in enumerate(en)
        ],
        ChapterSimilarity,
        load_filters().pairing,
    )
    assert [(pair.zh, pair.en) for pair in pairing.pairs] == one_to_one(16)


def test_words_by_longest_match_names_by_pinyin_numbers_as_they_are():
    book = Vocabulary()
    english = book.english("Qin Zhaolan: 48 lanterns; the lanterns burned.")
    names = list(book.stems)
    assert [names[k] for k in english.ids[np.argsort(english.first)]] == [
        "qin", "zhaolan", "48", "lantern", "burn",
    ]  # fmt: skip
    assert [names[k] for k in english.ids[~english.once]] == ["lantern"]
    chinese = book.chinese("秦照澜点了48盏灯笼。")
    found = {names[s] for k in chinese.ids for s in book.translations[k]}
    assert {"qin", "zhaolan", "48", "lantern"} <= found


def test_merged_words_are_those_of_the_whole():
    book = Vocabulary()
    parts = [book.english(text) for text in ("one lamp, ", "two lamps")]
    whole = book.english("one lamp, two lamps")
    merged = merge(parts)
    assert merged.ids.tolist() == whole.ids.tolist()
    assert merged.once.tolist() == whole.once.tolist() == [False, True]
    assert merged.first == pytest.approx(whole.first, abs=1)
    assert merged.size == whole.size


def test_real_chapters_and_their_neighbours(shared_data):
    """Sixths of published novels: the right one of all six, and never a neighbour above half."""
    right = total = 0
    for line in (shared_data / "mac" / "mac-dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        gold = row["gold"]
        cuts = [gold[len(gold) * k // 6 : len(gold) * (k + 1) // 6] for k in range(6)]
        sides = [
            [[row[name][k] for link in part for k in link[side]] for part in cuts]
            for side, name in enumerate(("src", "tgt"))
        ]
        book = ChapterSimilarity(*sides)
        for i in range(6):
            scores = [book.score([i], [j]) for j in range(6)]
            right += scores[i] > 0.5 > max(scores[:i] + scores[i + 1 :])
            total += 1
    assert right == total == 36


def test_features_are_those_that_have_weights(halves):
    values = ChapterSimilarity(*halves).features([0], [0])
    assert len(values) == len(FEATURES)
    assert ChapterSimilarity(*halves, weights={"bias": 0.0, **dict.fromkeys(FEATURES, 0.0)}).score(
        [0], [0]
    ) == pytest.approx(0.5)
