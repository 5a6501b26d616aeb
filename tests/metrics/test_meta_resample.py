"""Coefficients of many rows at once, and permutation tests."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bwb.errors import UnknownNameError, UsageError
from bwb.metrics.meta_accuracy import pairwise_accuracy
from bwb.metrics.meta_resample import STATISTICS, coefficients, perm_both, permutation_p
from bwb.metrics.stats_correlation import KINDS, correlation

HOW = {"resamples": 500, "seed": 1}
columns = st.integers(3, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-3, 3), min_size=n, max_size=n)] * 2)
)


@pytest.mark.parametrize("size", [12, 120])  # below and above what is sorted row by row
def test_scipy_agrees(size):
    rng = np.random.default_rng(0)
    rows, human = rng.integers(0, 9, (5, size)).astype(float), rng.integers(0, 5, size) * 1.0
    peers = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for kind, peer in peers.items():
        found = coefficients(rows, human, kind)
        assert found == pytest.approx([peer(row, human).statistic for row in rows])


@settings(deadline=None, max_examples=40)
@given(columns)
def test_rows_are_as_one_by_one(pair):
    one, other = (np.array(column, float) for column in pair)
    for kind in KINDS:
        found = coefficients(one[None], other, kind)[0]
        single = correlation(one, other, kind).r
        assert np.isnan(found) if single is None else found == pytest.approx(single)
    assert coefficients(one[None], other, "accuracy")[0] == pytest.approx(
        pairwise_accuracy([(one, other)]).value
    )


@settings(deadline=None, max_examples=40)
@given(columns)
def test_symmetry_sign_and_monotone_maps(pair):
    one, other = (np.array(column, float) for column in pair)
    for kind in KINDS:
        plain = coefficients(one[None], other, kind)
        same = {"nan_ok": True, "abs": 1e-9}
        assert coefficients(other[None], one, kind) == pytest.approx(plain, **same)
        assert coefficients(-one[None], other, kind) == pytest.approx(-plain, **same)
        if kind != "pearson":
            assert coefficients(np.exp(one)[None], other**3, kind) == pytest.approx(plain, **same)


def test_too_few_points_and_unknown_names():
    assert np.isnan(coefficients(np.ones((2, 2)), np.arange(2.0), "pearson")).all()
    assert coefficients(np.arange(2.0)[None], np.arange(2.0), "accuracy") == [1]
    with pytest.raises(UnknownNameError, match="statistic 'tau'"):
        coefficients(np.ones((1, 3)), np.ones(3), "tau")


def test_p_of_few_points_is_exact():
    metric, human = np.array([1.0, 2, 3, 5]), np.array([1.0, 3, 2, 4])
    for kind in KINDS:
        r = correlation(metric, human, kind).r
        every = [abs(correlation(np.array(way), human, kind).r) for way in permutations(metric)]
        p, exact = permutation_p([(metric, human)], kind, r, **HOW)
        assert exact
        assert p == pytest.approx(np.mean([other >= abs(r) - 1e-9 for other in every]))


def test_p_by_draws_is_near_that_of_theory():
    rng = np.random.default_rng(5)
    human = rng.normal(size=40)
    metric = human / 3 + rng.normal(size=40)
    for kind in KINDS:
        found = correlation(metric, human, kind)
        p, exact = permutation_p([(metric, human)], kind, found.r, resamples=2_000, seed=3)
        assert not exact
        assert p == pytest.approx(found.p, abs=0.03)
        assert permutation_p([(metric, human)], kind, found.r, resamples=2_000, seed=3)[0] == p


def test_shuffles_stay_within_groups():
    # Between groups everything agrees, within them nothing does: that is no agreement.
    rng = np.random.default_rng(2)
    pairs = [(rng.normal(size=9) + 50 * k, rng.normal(size=9) + 50 * k) for k in range(6)]
    mean = np.mean([correlation(*pair).r for pair in pairs])
    assert permutation_p(pairs, "pearson", mean, **HOW)[0] > 0.05
    pooled = tuple(np.concatenate(side) for side in zip(*pairs, strict=True))
    assert permutation_p([pooled], "pearson", correlation(*pooled).r, **HOW)[0] < 0.01


def grid(noise, seed=0, shape=(6, 15)):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=shape)
    return human, *(human + s * rng.normal(size=shape) for s in noise)


@pytest.mark.parametrize("kind", STATISTICS)
def test_a_much_better_metric_is_told_apart_and_a_copy_is_not(kind):
    human, good, bad = grid((0.1, 3))
    every = [np.arange(human.size)]
    difference, p = perm_both(good, bad, human, every, kind, **HOW)
    assert difference > 0.25
    assert p < 0.01
    turned = perm_both(bad, good, human, every, kind, **HOW)
    assert turned == (pytest.approx(-difference), pytest.approx(p, abs=0.01))
    assert perm_both(good, 2 * good + 1, human, every, kind, **HOW) == (
        pytest.approx(0, abs=1e-9),
        1,
    )


def test_systems_and_groups():
    human, good, bad = grid((0.1, 5), shape=(8, 10))
    items = list(np.arange(80).reshape(8, 10).T)
    difference, p = perm_both(good, bad, human, items, "pearson", **HOW)
    rows = [
        correlation(good[:, d], human[:, d]).r - correlation(bad[:, d], human[:, d]).r
        for d in range(10)
    ]
    assert (difference, p < 0.01) == (pytest.approx(np.mean(rows)), True)
    whole = human.mean(axis=1)
    difference, p = perm_both(good, bad, whole, None, "pearson", **HOW)
    wanted = correlation(good.mean(axis=1), whole).r - correlation(bad.mean(axis=1), whole).r
    assert difference == pytest.approx(wanted)
    assert p < 0.2
    only = perm_both(good[:, :1], bad[:, :1], human[:, 0], None, "kendall", **HOW)
    assert only[1] > 0


def test_missing_cells_are_left_out_for_both():
    human, good, bad = grid((0.1, 3))
    every = [np.arange(human.size)]
    lame = good.copy()
    lame[0] = np.nan
    difference, _ = perm_both(lame, bad, human, every, "pearson", **HOW)
    wanted = (
        correlation(good[1:].ravel(), human[1:].ravel()).r
        - correlation(bad[1:].ravel(), human[1:].ravel()).r
    )
    assert difference == pytest.approx(wanted)
    assert perm_both(np.full_like(good, np.nan), bad, human, every, "pearson", **HOW) == (
        None,
        None,
    )


def test_numbers_of_resamples():
    pair = np.arange(4.0), np.arange(4.0)
    with pytest.raises(UsageError, match="0 resamples"):
        permutation_p([pair], "pearson", 1, resamples=0, seed=1)
