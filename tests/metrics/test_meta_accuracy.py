"""Pairwise accuracy with ties on pairs that can be counted by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.metrics.meta_accuracy import calibrate, pairwise_accuracy

# Pairs of four points: human 1 1 2 3, metric .1 .2 .2 .05.
METRIC, HUMAN = np.array([0.1, 0.2, 0.2, 0.05]), np.array([1.0, 1, 2, 3])


def test_counts_by_hand():
    found = pairwise_accuracy([(METRIC, HUMAN)])
    # 12: human tie; 13 concordant; 14 discordant; 23 metric tie; 24, 34 discordant.
    assert (found.concordant, found.discordant) == (1, 3)
    assert (found.human_ties, found.metric_ties, found.both_ties) == (1, 1, 0)
    assert (found.value, found.pairs) == (pytest.approx(1 / 6), 6)


def test_calibration_by_hand():
    # Differences .05: 14 (discordant); .1: 12 (human tie, +1), 13 (concordant, -1); .15: 24, 34.
    found = calibrate([(METRIC, HUMAN)])
    assert (found.epsilon, found.value) == (0, pytest.approx(1 / 6))
    at = pairwise_accuracy([(METRIC, HUMAN)], 0.1)
    assert (at.both_ties, at.concordant, at.discordant, at.metric_ties) == (1, 0, 2, 3)
    # Without point 3 the tie of 1 and 2 is all there is to win.
    found = calibrate([(METRIC[[0, 1, 3]], HUMAN[[0, 1, 3]])])
    assert (found.epsilon, found.value) == (pytest.approx(0.1), pytest.approx(1 / 3))


def test_groups_count_alike_whatever_their_size():
    good = np.arange(4.0), np.arange(4.0)
    bad = np.arange(2.0), -np.arange(2.0)
    lone = np.arange(1.0), np.arange(1.0)
    found = pairwise_accuracy([good, bad, lone])
    assert (found.value, found.pairs, found.concordant) == (0.5, 7, 6)
    assert calibrate([good, bad, lone]).value == 0.5


def test_without_pairs_it_is_undefined():
    for made in (pairwise_accuracy([]), calibrate([(np.ones(1), np.ones(1))])):
        assert (made.value, made.pairs) == (None, 0)
        assert "no pair" in made.reason


@st.composite
def groups(draw):
    size = st.integers(2, 7)
    whole = st.integers(0, 4)
    made = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(size)
        made.append(
            tuple(np.array(draw(st.lists(whole, min_size=n, max_size=n)), float) for _ in range(2))
        )
    return made


@settings(deadline=None, max_examples=40)
@given(groups())
def test_calibration_is_the_best_of_all(made):
    steps = {0.0} | {abs(a - b) for metric, _ in made for a, b in combinations(metric, 2)}
    best = max(pairwise_accuracy(made, step).value for step in steps)
    found = calibrate(made)
    assert found.value == pytest.approx(best)
    assert found.epsilon == min(
        s for s in steps if pairwise_accuracy(made, s).value >= best - 1e-12
    )


@settings(deadline=None, max_examples=40)
@given(groups())
def test_accuracy_asks_for_order_only(made):
    stretched = [(np.exp(metric), 3 * human - 1) for metric, human in made]
    assert pairwise_accuracy(stretched) == pairwise_accuracy(made)
    turned = pairwise_accuracy([(-metric, human) for metric, human in made])
    plain = pairwise_accuracy(made)
    assert (turned.concordant, turned.discordant) == (plain.discordant, plain.concordant)
    assert turned.both_ties == plain.both_ties
