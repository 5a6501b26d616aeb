from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.errors import InputError, UsageError
from bwb.metrics.stats_tests import friedman, holm, kruskal_wallis, letters, paired_t, wilcoxon

NAN = np.nan

# Student 1908: hours of sleep gained by ten patients with two drugs.
SLEEP = np.array(
    [
        [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
        [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
    ]
)
# Hollander and Wolfe 1973, page 29: depression before and after treatment.
DEPRESSION = np.array(
    [
        [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
        [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
    ]
)
# Page 116: mucociliary efficiency in three groups, of which one is smaller.
EFFICIENCY = np.array(
    [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4, NAN], [2.8, 3.4, 3.7, 2.2, 2]]
)


def test_paired_t_on_student_s_own_data():
    found = paired_t(*SLEEP)
    assert found.statistic == pytest.approx(4.0621, abs=5e-5)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert (found.used, found.undefined) == (10, 0)
    assert paired_t(*SLEEP[::-1]).statistic == pytest.approx(-4.0621, abs=5e-5)


def test_wilcoxon_on_textbook_data():
    found = wilcoxon(*DEPRESSION)
    assert (found.statistic, found.p) == (5, pytest.approx(0.03906, abs=5e-6))


def test_wilcoxon_is_brute_force_and_drops_what_does_not_differ():
    one = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    other = one + np.array([0.0, 0.01, -0.02, 0.03, 0.04, 0.06])
    signed = np.array([1, -2, 3, 4, 5])
    found = wilcoxon(one, other)
    sums = [
        sum(r for r, s in zip(range(1, 6), way, strict=True) if s)
        for way in product((0, 1), repeat=5)
    ]
    low = -signed[signed < 0].sum()
    assert found.statistic == low
    assert found.p == pytest.approx(2 * sum(s <= low for s in sums) / len(sums))
    assert found.used == 6


def test_kruskal_wallis_on_textbook_data():
    found = kruskal_wallis(EFFICIENCY)
    assert found.statistic == pytest.approx(0.7714, abs=5e-5)
    assert found.p == pytest.approx(0.68, abs=5e-3)
    assert (found.used, found.undefined) == (14, 1)


def test_friedman_by_its_formula():
    # Ranks of three systems in four documents: sums 11, 8 and 5.
    scores = np.array([[0.9, 0.8, 0.9, 0.5], [0.5, 0.9, 0.5, 0.4], [0.1, 0.2, 0.3, 0.3]])
    ranks = np.array([[3, 2, 3, 3], [2, 3, 2, 2], [1, 1, 1, 1]]).sum(axis=1)
    wanted = 12 / (4 * 3 * 4) * (ranks**2).sum() - 3 * 4 * 4
    found = friedman(scores)
    assert found.statistic == pytest.approx(wanted)
    assert found.p == pytest.approx(np.exp(-wanted / 2))  # χ² with two degrees of freedom
    lost = np.hstack([scores, [[NAN], [0.1], [0.2]]])
    assert friedman(lost).statistic == pytest.approx(wanted)
    assert (friedman(lost).used, friedman(lost).undefined) == (4, 1)


def test_undefined_documents_are_left_out_in_pairs_and_counted():
    one, other = (
        np.append(row, extra) for row, extra in zip(SLEEP, ([NAN, 1], [2, NAN]), strict=True)
    )
    for test in (paired_t, wilcoxon):
        found, plain = test(one, other), test(*SLEEP)
        assert (found.statistic, found.p, found.used) == (plain.statistic, plain.p, 10)
        assert found.undefined == 2


def test_no_difference_and_a_constant_one():
    one = np.array([0.1, 0.2, 0.3, 0.7])
    for test in (paired_t, wilcoxon):
        assert (test(one, one).statistic, test(one, one).p) == (0, 1)
    # Equal but for rounding: 0.1 + 0.2 is not 0.3.
    found = paired_t(one, one + 0.1)
    assert (found.statistic, found.p) == (None, 0)
    same = np.stack([one] * 3)
    assert friedman(same).p == 1
    assert kruskal_wallis(np.full((3, 4), 0.5)).p == 1


def test_what_is_too_little_is_undefined_or_refused():
    nothing = np.full(3, NAN)
    for test in (paired_t, wilcoxon):
        assert test(nothing, nothing).p is None
        with pytest.raises(InputError, match="paired scores of 3 and 2 documents"):
            test(nothing, nothing[:2])
    assert kruskal_wallis(np.stack([nothing, np.ones(3)])).p is None
    assert friedman(np.stack([nothing] * 3)).p is None
    with pytest.raises(InputError, match="two systems or more, not 1"):
        kruskal_wallis(np.ones((1, 3)))
    with pytest.raises(InputError, match="three systems or more, not 2"):
        friedman(np.ones((2, 3)))


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([0.04, None, 0.01, 0.03]) == [
        pytest.approx(0.06),
        None,
        pytest.approx(0.03),
        pytest.approx(0.06),
    ]
    assert holm([0.7, 0.6]) == [1, 1]
    assert holm([]) == []
    assert holm([None]) == [None]
    for wrong in (1.5, -0.1, NAN):
        with pytest.raises(UsageError, match="no p-value"):
            holm([0.5, wrong])


@given(st.lists(st.none() | st.floats(0, 1), max_size=12))
def test_holm_is_monotone_never_below_p_nor_above_bonferroni(p_values):
    found = holm(p_values)
    defined = [(p, q) for p, q in zip(p_values, found, strict=True) if p is not None]
    assert [q is None for q in found] == [p is None for p in p_values]
    for p, q in defined:
        assert p <= q <= min(1, p * len(defined) + 1e-12)
    ordered = sorted(defined)
    assert [q for _, q in ordered] == sorted(q for _, q in ordered)


def test_letters_of_a_known_display():
    different = [("a", "c"), ("a", "d"), ("b", "d")]
    assert letters("abcd", different) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    assert letters("ab", []) == {"a": "a", "b": "a"}
    assert letters("ab", [("b", "a")]) == {"a": "a", "b": "b"}
    assert letters("", []) == {}


def test_there_are_always_letters():
    names = [f"s{number}" for number in range(30)]
    found = letters(names, combinations(names, 2))
    assert len(set(found.values())) == 30
    assert (found["s25"], found["s26"]) == ("z", "a1")


@given(st.sets(st.sampled_from(list(combinations("abcdefg", 2)))))
def test_systems_share_a_letter_just_where_they_do_not_differ(different):
    found = letters("abcdefg", sorted(different))
    for one, other in combinations("abcdefg", 2):
        assert bool(set(found[one]) & set(found[other])) is ((one, other) not in different)
    assert all(found.values())
    # In a row from the best to the worst a letter begins no later than the next one.
    firsts = [
        min(n for n, name in enumerate("abcdefg") if x in found[name])
        for x in sorted(set("".join(found.values())))
    ]
    assert firsts == sorted(firsts)
