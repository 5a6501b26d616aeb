"""Gale-Church: by hand, and what must always hold."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.align.base import check_links
from bwb.align.galechurch import GaleChurch, compat_beads, tail
from bwb.errors import UsageError

texts = st.lists(st.integers(0, 60).map(lambda n: "x" * n), max_size=14)


def pairs(links):
    return [(link.src, link.tgt) for link in links]


def test_tail_by_hand():
    # l_s = 10, l_t = 16, c = 1: m = 13, δ = 6/√(13·6.8) = .6381, P = erfc(.6381/√2) = .5234
    assert tail(10, 16, 1, 6.8) == pytest.approx(0.52337, abs=1e-5)
    assert tail(10, 10, 1, 6.8) == 1
    assert tail(0, 0, 1, 6.8) == 0


def test_equal_lengths_are_linked_one_to_one():
    src = ["x" * n for n in (10, 40, 25, 5)]
    assert pairs(GaleChurch().align(src, src)) == [((i,), (i,)) for i in range(4)]


def test_a_split_and_a_missing_sentence_are_found():
    src = ["a" * 50, "b" * 90, "c" * 30, "d" * 70]
    tgt = ["a" * 50, "b" * 45, "b" * 46, "c" * 30, "d" * 70]
    assert pairs(GaleChurch(c=1).align(src, tgt)) == [
        ((0,), (0,)), ((1,), (1, 2)), ((2,), (3,)), ((3,), (4,))
    ]  # fmt: skip
    assert ((), (2,)) in pairs(
        GaleChurch(c=1).align(["a" * 50, "b" * 90], ["a" * 50, "b" * 90, "x" * 300])
    )


def test_the_ratio_comes_from_the_document():
    src = ["x" * n for n in (10, 30, 20, 40)]
    tgt = ["y" * 4 * n for n in (10, 30, 20, 40)]
    assert pairs(GaleChurch().align(src, tgt)) == [((i,), (i,)) for i in range(4)]


def test_long_texts_do_not_underflow():
    lengths = [20 + 37 * k % 90 for k in range(1500)]
    src = ["x" * n for n in lengths]
    del lengths[700:703]
    tgt = ["x" * n for n in lengths]
    links = GaleChurch().align(src, tgt)
    check_links(links, 1500, 1497)
    assert pairs(links)[:600] == [((i,), (i,)) for i in range(600)]
    assert pairs(links)[-600:] == [((i + 3,), (i,)) for i in range(897, 1497)]


def test_compat_by_hand():
    # An insertion at the start is free, so 1-1 and 1-1 (41 → 51, 53 → 59) beat 1-2 and 1-1.
    assert compat_beads([41, 53], [38, 51, 59]) == [((0,), (1,)), ((1,), (2,))]
    # A deletion at the start is free: 1-2 of what is left beats 2-2.
    assert compat_beads([36, 89], [84, 49]) == [((1,), (0, 1))]
    assert compat_beads([], [3]) == []


def test_compat_takes_no_probability_for_granted():
    best = math.erfc(abs(12 - 10) / math.sqrt(11 * 6.8) / math.sqrt(2)) * 0.89
    assert tail(10, 12, 1, 6.8) * 0.89 == pytest.approx(best)
    assert compat_beads([10], [12]) == [((0,), (0,))]


@pytest.mark.parametrize("compat", [False, True])
@given(src=texts, tgt=texts)
def test_monotone_and_covering(src, tgt, compat):
    links = GaleChurch(compat=compat).align(src, tgt)
    check_links(links, len(src), len(tgt))
    assert all(link.score is None or 0 <= link.score <= 1 for link in links)


def test_empty_sides():
    assert pairs(GaleChurch().align([], ["a", "b"])) == [((), (0,)), ((), (1,))]
    assert GaleChurch().align([], []) == []


def test_one_to_ten_is_null_filled_with_low_scores():
    links = GaleChurch().align(["x" * 20] * 10, ["y" * 20] * 100)
    check_links(links, 10, 100)
    assert sum(not link.src for link in links) >= 50
    assert max(link.score for link in links) < 0.35


@pytest.mark.parametrize(
    "options", [{"c": 0}, {"s2": -1}, {"priors": {(1, 1): 1}}, {"priors": {(1, 0): 2, (0, 1): 1}}]
)
def test_settings_that_make_no_sense(options):
    with pytest.raises(UsageError, match=r"expected|lack"):
        GaleChurch(**options)


def test_floor_on_mac(shared_data):
    text = (shared_data / "mac/mac-dev.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    hits = total = gold = 0
    for row in rows:
        links = set(pairs(GaleChurch().align(row["src"], row["tgt"])))
        wanted = {(tuple(a), tuple(b)) for a, b in row["gold"]}
        hits += len(links & wanted)
        total += len(links)
        gold += len(wanted)
    assert 2 * hits / (total + gold) >= 0.50
