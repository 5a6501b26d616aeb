from __future__ import annotations

import numpy as np
import pytest

from bwb.errors import InputError, UsageError
from bwb.metrics.base import Tally
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.stats import compare, interval, resample_weights, resampled_scores

METRIC = Pronoun()


def tally(matched, system, reference):
    tally = Tally()
    for key, value in (("matched", matched), ("system", system), ("reference", reference)):
        tally.add(f"all.{key}", value)
    return tally


def test_resamples_draw_as_many_documents_as_there_are():
    weights = resample_weights(7, 200, seed=1)
    assert weights.shape == (200, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == resample_weights(7, 200, seed=1)).all()
    assert (weights != resample_weights(7, 200, seed=2)).any()


def test_a_resampled_score_is_the_corpus_score_of_the_documents_drawn():
    tallies = [tally(1, 2, 3), tally(4, 4, 4), tally(0, 1, 5)]
    weights = resample_weights(3, 50, seed=0)
    values = resampled_scores(METRIC, tallies, weights)
    for row, value in zip(weights, values, strict=True):
        drawn = [t for t, times in zip(tallies, row, strict=True) for _ in range(int(times))]
        assert METRIC.score("s", drawn).score == pytest.approx(value)


def test_undefined_resamples_are_left_out_and_counted():
    found = interval(np.array([np.nan, 0.25, 0.75]))
    assert found.undefined == 1
    assert 0.25 <= found.low < found.high <= 0.75
    assert interval(np.array([np.nan])).low is None


def rows(good, bad, documents=40):
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 3, size=documents)
    return {
        "bad": [tally(bad + n, 20, 20) for n in noise],
        "good": [tally(good + n, 20, 20) for n in noise],
    }


def test_a_real_difference_is_significant_and_none_is_not():
    (found,) = compare(METRIC, rows(15, 10), "bad", resamples=2000)
    assert found.difference == pytest.approx(0.25)
    assert found.interval.low == pytest.approx(0.25)
    assert found.p < 0.001
    assert found.wins == 1
    (same,) = compare(METRIC, rows(10, 10), "bad", resamples=2000)
    assert (same.difference, same.p, same.wins) == (0, 1, 0)


def test_p_values_are_about_uniform_if_there_is_no_difference():
    rng = np.random.default_rng(5)
    small = 0
    for trial in range(200):
        draws = rng.binomial(20, 0.5, size=(2, 30))
        systems = {
            name: [tally(int(k), 20, 20) for k in row]
            for name, row in zip("ab", draws, strict=True)
        }
        (found,) = compare(METRIC, systems, "a", resamples=300, seed=trial)
        small += found.p < 0.1
    assert 8 <= small <= 36  # 20 expected; three standard deviations are 13


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(InputError, match="no system 'x'"):
        compare(METRIC, rows(1, 1), "x")
    systems = {"a": [tally(1, 1, 1)], "b": [tally(1, 1, 1)] * 2}
    with pytest.raises(InputError, match="different numbers"):
        compare(METRIC, systems, "a")
    with pytest.raises(InputError, match="only one"):
        compare(METRIC, {"a": [tally(1, 1, 1)], "b": [tally(1, 1, 1)]}, "a")
    with pytest.raises(UsageError, match="0 resamples"):
        compare(METRIC, rows(1, 1), "bad", resamples=0)
