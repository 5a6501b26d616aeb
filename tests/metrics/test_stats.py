from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bwb.errors import InputError, UnknownNameError, UsageError
from bwb.metrics.base import Tally
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.stats import (
    PAIRS,
    TESTS,
    compare,
    holm,
    interval,
    omnibus,
    resample_weights,
    resampled_scores,
    standings,
)
from bwb.metrics.stats_table import CountTable
from bwb.metrics.stats_tests import friedman, kruskal_wallis, paired_t, wilcoxon

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


def test_where_less_is_better_the_lower_score_wins():
    class Errors(Pronoun):
        higher_is_better = False

    (found,) = compare(Errors(), rows(15, 10), "good", resamples=200)
    assert found.difference == pytest.approx(-0.25)
    assert (found.better, found.wins) == (True, 1)
    (found,) = compare(METRIC, rows(15, 10), "good", resamples=200)
    assert (found.better, found.wins) == (False, 0)
    (recall,) = compare(Errors(), rows(15, 10), "good", resamples=200, of="recall")
    assert recall.better is False
    (equal,) = compare(Errors(), rows(10, 10), "good", resamples=200)
    assert equal.better is None
    assert [row.system for row in standings(Errors(), rows(15, 10), resamples=50)] == [
        "bad",
        "good",
    ]
    (ranked,) = compare(Errors(), rows(15, 10), pairs="all", resamples=50)
    assert (ranked.system, ranked.baseline) == ("bad", "good")


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
    for wrong, what in (("test", "tt"), ("pairs", "every"), ("of", "PER.recall")):
        with pytest.raises(UnknownNameError, match=what):
            compare(METRIC, rows(1, 1), **{wrong: what})
    for alpha in (0, 1, 5):
        with pytest.raises(UsageError, match="between 0 and 1"):
            compare(METRIC, rows(1, 1), alpha=alpha)
    with pytest.raises(InputError, match="one system only"):
        compare(METRIC, {"a": [tally(1, 1, 1)] * 3})


def four(documents=30):
    """Two good systems that differ little, a middling and a bad one, in no order."""
    rng = np.random.default_rng(2)
    shares = {"middle": 0.5, "best": 0.8, "bad": 0.2, "second": 0.79}
    return {
        name: [tally(int(k), 20, 20) for k in rng.binomial(20, share, size=documents)]
        for name, share in shares.items()
    }


@pytest.mark.parametrize("test", TESTS)
def test_every_test_tells_apart_what_differs(test):
    found = compare(METRIC, four(), pairs="all", test=test, resamples=400)
    told = {frozenset((row.system, row.baseline)) for row in found if row.significant}
    assert len(found) == 6
    assert len(told) == 5
    assert frozenset(("best", "second")) not in told
    assert all(row.difference >= 0 and row.test.test == test for row in found)
    assert [row.p_holm for row in found] == holm([row.p for row in found])
    table = standings(METRIC, four(), found, resamples=400)
    assert [row.system for row in table[2:]] == ["middle", "bad"]
    assert [row.letters for row in table] == ["a", "a", "b", "c"]


def test_document_tests_are_of_document_scores():
    systems = four(12)
    scores = CountTable.of(METRIC, systems).by_document()[0]
    wanted = {"t": paired_t(*scores[:2]), "wilcoxon": wilcoxon(*scores[:2])}
    wanted["kruskal"] = kruskal_wallis(scores[:2])
    for test, outcome in wanted.items():
        found = compare(METRIC, systems, "middle", test=test, resamples=10)[0]
        assert found.test == outcome
        assert found.document_difference == pytest.approx((scores[1] - scores[0]).mean())
    together = omnibus(METRIC, systems)
    assert together.friedman == friedman(scores)
    assert together.kruskal_wallis == kruskal_wallis(scores)
    assert omnibus(METRIC, dict(list(systems.items())[:2])) is None


def test_pairs_are_those_asked_for():
    def names(**how):
        return [(row.system, row.baseline) for row in compare(METRIC, four(), resamples=9, **how)]

    assert PAIRS == ("baseline", "all", "ranked")
    first = standings(METRIC, four(), resamples=9)
    ranked = [row.system for row in first]
    assert {row.letters for row in first} == {None}
    assert names() == [("best", "middle"), ("bad", "middle"), ("second", "middle")]
    assert names(baseline="bad") == [("middle", "bad"), ("best", "bad"), ("second", "bad")]
    assert names(pairs="ranked") == list(pairwise(ranked))
    assert len(names(pairs="all")) == len(set(names(pairs="all"))) == 6


@pytest.mark.parametrize("test", TESTS)
def test_another_system_changes_no_p_and_no_interval(test):
    systems = four()
    pair = {name: systems[name] for name in ("middle", "best")}
    (alone,) = compare(METRIC, pair, test=test, resamples=200)
    together = compare(METRIC, systems, test=test, resamples=200)[0]
    assert (alone.p, alone.interval, alone.test) == (together.p, together.interval, together.test)
    assert alone.p_holm == alone.p <= together.p_holm


def test_undefined_scores_are_reported_and_tested_by_nothing():
    systems = {**rows(15, 10, 4), "none": [Tally()] * 4}
    for test in TESTS:
        found = {row.system: row for row in compare(METRIC, systems, test=test, resamples=50)}
        lost = found["none"]
        assert (lost.difference, lost.p, lost.p_holm, lost.significant) == (None,) * 4
        assert (lost.interval.low, lost.interval.undefined) == (None, 50)
        # What is undefined is no member of the family.
        assert found["good"].p_holm == found["good"].p
    table = standings(METRIC, systems, resamples=50)
    assert [row.system for row in table] == ["good", "bad", "none"]
    assert (table[2].score, table[2].undefined, table[2].interval.low) == (None, 4, None)
    some = {name: [*found, Tally()] for name, found in rows(15, 10, 4).items()}
    (found,) = compare(METRIC, some, test="t", resamples=50)
    assert (found.test.used, found.test.undefined) == (4, 1)


def test_the_level_sets_the_interval_and_the_verdict():
    rng = np.random.default_rng(8)
    draws = rng.binomial(20, (0.5, 0.56), size=(30, 2)).T
    systems = {n: [tally(int(k), 20, 20) for k in row] for n, row in zip("ab", draws, strict=True)}
    (loose,) = compare(METRIC, systems, alpha=0.5, resamples=500)
    (strict,) = compare(METRIC, systems, alpha=0.0001, resamples=500)
    assert (loose.significant, strict.significant) == (True, False)
    assert strict.interval.low < loose.interval.low < loose.interval.high < strict.interval.high
    assert loose.p == strict.p
