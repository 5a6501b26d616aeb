from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bwb.errors import InputError, UnknownNameError, UsageError
from bwb.metrics import stats_resample
from bwb.metrics.base import Tally
from bwb.metrics.entity import Entity
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.stats_resample import (
    bootstrap,
    bootstrap_test,
    interval,
    intervals,
    permutation_test,
    resample_weights,
    resampled_scores,
    score_intervals,
)
from bwb.metrics.stats_table import CountTable

METRIC = Pronoun()


def tally(matched, system, reference):
    made = Tally()
    for key, value in (("matched", matched), ("system", system), ("reference", reference)):
        made.add(f"all.{key}", float(value))
    return made


def random_tallies(documents, seed, share=0.5):
    rng = np.random.default_rng(seed)
    return [tally(rng.binomial(n, share), n, n) for n in rng.integers(5, 25, size=documents)]


def test_an_interval_is_the_central_share_and_rows_are_as_one_by_one():
    values = np.random.default_rng(0).random((4, 999))
    values[1, :10] = np.nan
    values[2] = np.nan
    for confidence in (0.9, 0.95):
        assert intervals(values, confidence) == [interval(row, confidence) for row in values]
    found = interval(np.arange(101.0), 0.9)
    assert (found.low, found.high) == pytest.approx((5, 95))
    assert found.undefined == 0
    assert [row.undefined for row in intervals(values)] == [0, 10, 999, 0]
    assert intervals(values[2:3]) == [interval(values[2])]


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    covered = 0
    for seed in range(200):
        # Documents of one size, so that the expected corpus score is the share itself.
        draws = np.random.default_rng(seed).binomial(20, 0.6, size=40)
        tallies = [tally(matched, 20, 20) for matched in draws]
        ends = score_intervals(METRIC, {"s": tallies}, ["score"], resamples=300)["s"]["score"]
        covered += ends.low <= 0.6 <= ends.high
    assert 177 <= covered <= 199  # 190 expected; three standard deviations are 9


def test_intervals_of_any_score():
    rows = []
    for number in range(12):
        made = tally(number % 4, 5, 6)
        made.add("PER.matched", number % 3)
        made.add("PER.reference", 3.0)
        rows.append(made)
    tallies = {"a": rows, "b": rows[::-1]}
    every = score_intervals(Entity(), tallies, resamples=400, seed=3)
    assert set(every["a"]) == set(every["b"])
    assert {"score", "recall", "PER.recall", "PER.f1"} <= set(every["a"])
    assert "PER.precision" not in every["a"]
    assert "exact_match" not in every["a"]
    few = score_intervals(Entity(), tallies, ["PER.recall"], resamples=400, seed=3)
    assert few["b"] == {"PER.recall": every["b"]["PER.recall"]}
    values = resampled_scores(Entity(), rows, resample_weights(12, 400, 3))
    assert every["a"]["score"] == interval(values)
    narrow = score_intervals(Entity(), tallies, ["score"], resamples=400, seed=3, confidence=0.5)
    assert every["a"]["score"].low < narrow["a"]["score"].low
    assert score_intervals(Entity(), {"a": [Tally()] * 3}, resamples=10) == {"a": {}}


def test_what_cannot_be_resampled_is_refused():
    two = {"a": random_tallies(2, 0)}
    with pytest.raises(InputError, match="only one; give several"):
        score_intervals(METRIC, {"a": random_tallies(1, 0)})
    with pytest.raises(UsageError, match="confidence 1"):
        score_intervals(METRIC, two, confidence=1)
    with pytest.raises(UsageError, match="0 resamples"):
        score_intervals(METRIC, two, resamples=0)
    with pytest.raises(UsageError, match="seed -1"):
        score_intervals(METRIC, two, seed=-1)
    with pytest.raises(UnknownNameError, match="did you mean 'recall'"):
        score_intervals(METRIC, two, ["recal"])


@pytest.mark.parametrize("block", [1 << 20, 60, 1])
def test_blocks_of_draws_change_nothing(monkeypatch, block):
    table = CountTable.of(METRIC, {"a": random_tallies(9, 3), "b": random_tallies(9, 4)})
    wanted = table.scores(resample_weights(9, 100, 5))
    monkeypatch.setattr(stats_resample, "_BLOCK", block)
    np.testing.assert_allclose(bootstrap(table, ("score",), 100, 5), wanted, rtol=1e-14)


def test_the_bootstrap_p_counts_the_shifted_differences():
    deltas = np.array([0.1, 0.2, 0.3, 0.4, np.nan])
    # The mean is .25; two of four are .15 away from it.
    found = bootstrap_test(deltas, 0.15)
    assert found.p == pytest.approx(3 / 5)
    assert (found.used, found.undefined) == (4, 1)
    assert bootstrap_test(deltas, None).p is None
    assert bootstrap_test(np.full(3, np.nan), 0.2).p is None


def brute_force(left, right, metric=METRIC):
    """p over all ways to swap, by the metric's own scores."""
    found = metric.score("r", right).score - metric.score("l", left).score
    extreme = 0
    for swaps in product((False, True), repeat=len(left)):
        one = [b if swap else a for a, b, swap in zip(left, right, swaps, strict=True)]
        other = [a if swap else b for a, b, swap in zip(left, right, swaps, strict=True)]
        delta = metric.score("r", other).score - metric.score("l", one).score
        extreme += abs(delta) >= abs(found) - 1e-12
    return extreme / 2 ** len(left)


@pytest.mark.parametrize("documents", [2, 3, 7])
def test_the_exact_permutation_test_is_brute_force(documents):
    for seed in range(5):
        tallies = {
            "a": random_tallies(documents, seed),
            "b": random_tallies(documents, seed + 50, 0.7),
        }
        table = CountTable.of(METRIC, tallies)
        for one, other in ("ab", "ba"):
            found = permutation_test(table, one, other, "score", resamples=64, seed=0)
            assert found.exact
            assert found.used == 2 ** (documents - 1)
            assert found.p == pytest.approx(brute_force(tallies[one], tallies[other]))


def test_the_random_permutation_test_comes_near_brute_force():
    tallies = {"a": random_tallies(9, 3), "b": random_tallies(9, 4, 0.58)}
    wanted = brute_force(tallies["a"], tallies["b"])
    assert 0.05 < wanted < 0.95
    table = CountTable.of(METRIC, tallies)
    assert permutation_test(table, "a", "b", "score", resamples=256, seed=0).exact
    found = permutation_test(table, "a", "b", "score", resamples=255, seed=0)
    assert (found.exact, found.used) == (False, 255)
    assert found.p == pytest.approx(wanted, abs=0.1)
    tallies = {"a": random_tallies(12, 3), "b": random_tallies(12, 4, 0.58)}
    table = CountTable.of(METRIC, tallies)
    exact = permutation_test(table, "a", "b", "score", resamples=5000, seed=0)
    drawn = [
        permutation_test(table, "a", "b", "score", resamples=2000, seed=seed) for seed in (1, 1, 2)
    ]
    assert exact.exact
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0].p == pytest.approx(exact.p, abs=0.04)


@pytest.mark.parametrize("documents", [9, 30])
def test_blocks_of_swaps_change_nothing(monkeypatch, documents):
    table = CountTable.of(
        METRIC, {"a": random_tallies(documents, 3), "b": random_tallies(documents, 4)}
    )
    whole = permutation_test(table, "a", "b", "score", resamples=300, seed=7)
    assert whole.exact is (documents == 9)
    monkeypatch.setattr(stats_resample, "_BLOCK", 7 * documents)
    assert permutation_test(table, "a", "b", "score", resamples=300, seed=7) == whole


def test_permutation_p_values_are_about_uniform_if_there_is_no_difference():
    small = middle = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(5, 25, size=30)
        draws = rng.binomial(sizes, 0.5, size=(2, 30))
        tallies = {
            name: [tally(k, n, n) for k, n in zip(row, sizes, strict=True)]
            for name, row in zip("ab", draws, strict=True)
        }
        table = CountTable.of(METRIC, tallies)
        p = permutation_test(table, "a", "b", "score", resamples=199, seed=seed).p
        small += p <= 0.1
        middle += p <= 0.5
    assert 14 <= small <= 46  # 30 expected; three standard deviations are 16
    assert 124 <= middle <= 176  # 150 expected; three standard deviations are 26


def test_undefined_arrangements_are_left_out_and_counted():
    # If both halves that have counts go to one system, the other's score is undefined.
    left, right = [tally(1, 2, 2), Tally(), Tally()], [Tally(), tally(2, 2, 2), Tally()]
    table = CountTable.of(METRIC, {"a": left, "b": right})
    found = permutation_test(table, "a", "b", "score", resamples=100, seed=0)
    assert (found.used, found.undefined) == (2, 2)
    assert found.p == 1
    nothing = CountTable.of(METRIC, {"a": left, "b": [Tally()] * 3})
    assert permutation_test(nothing, "a", "b", "score", resamples=9, seed=0).p is None


def test_many_documents_are_not_enumerated():
    table = CountTable.of(METRIC, {"a": random_tallies(100, 0), "b": random_tallies(100, 0, 0.9)})
    found = permutation_test(table, "a", "b", "score", resamples=99, seed=0)
    assert not found.exact
    assert found.p == pytest.approx(0.01)
