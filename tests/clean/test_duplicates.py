from __future__ import annotations

import dataclasses
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.clean.duplicates import Fingerprint, find_duplicates, fingerprints
from bwb.clean.filters import load_filters
from bwb.clean.fingerprints import minhash, ngram_hashes, normalise
from bwb.clean.text import Text
from bwb.errors import InputError
from bwb.records import Chapter

DUPLICATES = load_filters().duplicates
HAN = [chr(code) for code in range(0x4E00, 0x5E00)]


def lines(seed, count=20, size=40):
    rng = random.Random(seed)
    return tuple("".join(rng.choices(HAN, k=size)) + "。" for _ in range(count))


def text(book, place, body, lang="zh"):
    return Text(Chapter(book, str(place), lang, "", tuple(body)), tuple(body))


def prints(*books):
    return [row for book in books for row in fingerprints(book, DUPLICATES)]


def found(*books):
    return [
        (row.book, row.chapter, row.kind.removeprefix("duplicate-"), row.of_book, row.of_chapter)
        for row in find_duplicates(prints(*books), DUPLICATES)
    ]


def test_the_same_letters_are_an_exact_duplicate():
    body = lines(1)
    other = [line.replace("。", " ！") for line in body]
    assert found([text("a", 1, body), text("a", 2, other), text("a", 3, lines(2))]) == [
        ("a", "2", "exact", "a", "1")
    ]


def test_a_few_other_lines_are_a_near_duplicate_and_many_are_not():
    body = lines(1)
    near, far = [*body[:19], *lines(5, 1)], [*body[:12], *lines(6, 8)]
    book = [text("a", 1, body), text("a", 2, near), text("a", 3, far)]
    assert found(book) == [("a", "2", "near", "a", "1")]


def test_the_first_is_kept_in_natural_order_of_books_and_chapters():
    body = lines(1)
    books = [[text(book, place, body)] for book, place in (("b10", 2), ("b9", 11), ("b9", 2))]
    kept = [row[3:] for row in found(*books)]
    assert kept == [("b9", "2"), ("b9", "2")]
    assert [row[:2] for row in found(*books)] == [("b9", "11"), ("b10", "2")]


def test_no_chapter_goes_for_one_that_went_itself():
    """A is like B and B like C, but A is not like C: only B goes."""
    body = lines(1, 40)
    a, b, c = body, [*body[4:], *lines(7, 4)], [*body[8:], *lines(7, 4), *lines(8, 4)]
    book = [text("x", 1, a), text("x", 2, b), text("x", 3, c)]
    assert found(book) == [("x", "2", "near", "x", "1")]


def test_a_copy_of_a_near_duplicate_goes_for_the_one_that_is_kept():
    body = lines(1)
    near = [*body[:19], *lines(5, 1)]
    book = [text("a", 1, body), text("a", 2, near), text("a", 3, near)]
    assert [row[3:] for row in found(book)] == [("a", "1")] * 2


def test_boilerplate_does_not_join_chapters_of_a_book():
    notice = lines(99, 30)
    book = [text("a", k, [*notice, *lines(k, 3)]) for k in range(1, 9)]
    assert found(book) == []
    # what is nothing but boilerplate is an exact duplicate all the same
    assert found([text("a", k, notice) for k in range(1, 9)])[0] == ("a", "2", "exact", "a", "1")


def test_languages_are_apart():
    body = lines(1)
    assert found([text("a", 1, body), text("a", 1, body, "en")]) == []


def test_short_chapters_are_compared_by_digest_only():
    assert (
        found(
            [
                text("a", 1, ["未完待续，敬请期待下一章"]),
                text("a", 2, ["未完待续，敬请期待下一章吧"]),
            ]
        )
        == []
    )


def test_thousands_of_copies_take_one_comparison_each():
    body = lines(1)
    (row,) = prints([text("a", 1, body)])
    copies = [
        dataclasses.replace(row, chapter=str(k), sha256=k.to_bytes(32, "big"))
        for k in range(1, 3001)
    ]
    assert [d.of_chapter for d in find_duplicates(copies, DUPLICATES)] == ["1"] * 2999


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_minhash_estimates_the_jaccard_index(share):
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(40):
        both = rng.integers(0, 2**64, round(1000 * share), np.uint64)
        rest = rng.integers(0, 2**64, (2, (1000 - len(both)) // 2), np.uint64)
        one, other = (minhash(np.concatenate([both, r]), 128) for r in rest)
        errors.append((one == other).mean() - len(both) / 1000)
    assert abs(np.mean(errors)) < 0.025
    assert np.std(errors) < 1.5 * np.sqrt(share * (1 - share) / 128)


@given(st.text(max_size=30), st.integers(1, 6))
def test_equal_ngrams_have_equal_hashes_and_others_do_not(body, size):
    grams = [body[k : k + size] for k in range(len(body) - size + 1)]
    hashes = ngram_hashes(body, size)
    assert len(hashes) == len(grams)
    assert len(set(hashes.tolist())) == len(set(grams))


def test_normal_form_and_hashes_do_not_move():
    """Fingerprints are kept between runs: a change here makes them useless."""
    assert normalise("Ｌｕ Wén—12，他_说。") == "luwén12他说"
    assert ngram_hashes("abc", 2).tolist() == [11212571532317065199, 7751614740463969706]
    assert minhash(ngram_hashes("abcd", 2), 3).tolist() == [316350342, 728703449, 1630455225]


def test_nothing_depends_on_the_hash_of_python():
    code = (
        "from bwb.clean.fingerprints import *; print(minhash(ngram_hashes('灯下水声长' * 3, 5), 4))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert said[0] == said[1]


def test_fingerprints_that_are_refused():
    row = Fingerprint("a", "1", "zh", b"x" * 32, 100, np.zeros(64, np.uint32))
    with pytest.raises(InputError, match=r"a/1 \(zh\): a fingerprint of 64 numbers; expected 128"):
        list(find_duplicates([row], DUPLICATES))
    with pytest.raises(InputError, match=r"two fingerprints of a/1 \(zh\)"):
        list(find_duplicates([row, row], DUPLICATES))


def test_what_is_written_down():
    body = lines(1)
    (row,) = find_duplicates(prints([text("a", 1, body), text("b", 4, body)]), DUPLICATES)
    dropped = row.dropped(DUPLICATES)
    assert (dropped.book, dropped.chapter, dropped.lang) == ("b", "4", "zh")
    assert (dropped.rule, dropped.detail) == ("duplicate-exact", "the same as a/1")
