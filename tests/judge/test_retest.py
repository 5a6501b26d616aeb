"""Agreement of repeats, against values worked out by hand."""

from __future__ import annotations

import pytest

from bwb.judge.retest import alpha, retest


def test_pairs_by_hand():
    found = retest([[3, 3], [2, 4], [5, 5, 4], [1]], "ordinal")
    assert (found.items, found.pairs) == (3, 5)
    assert found.equal == pytest.approx(2 / 5)
    assert found.difference == pytest.approx((0 + 2 + 0 + 1 + 1) / 5)


def test_nothing_to_compare_is_undefined():
    found = retest([[3], []], "ordinal")
    assert (found.items, found.equal, found.difference, found.alpha) == (0, None, None, None)
    assert alpha([[3, 3], [3, 3]], "ordinal") is None


def test_alpha_is_one_if_all_agree():
    assert alpha([[1, 1], [5, 5]], "ordinal") == 1
    assert alpha([[1, 1], [5, 5]], "interval") == 1


def test_interval_alpha_by_hand():
    # Values 1, 2, 2, 4. Observed: (2·1 + 2·4)/4 = 2.5; expected: all pairs of values, squared
    # differences 1, 1, 9, 0, 4, 4, twice, by 4·3.
    assert alpha([[1, 2], [2, 4]], "interval") == pytest.approx(1 - 2.5 / (2 * 19 / 12))


def test_ordinal_alpha_by_hand():
    # One each of 1, 2, 3, 4: the ordinal differences are those of the ranks.
    assert alpha([[1, 3], [2, 4]], "ordinal") == pytest.approx(alpha([[1, 3], [2, 4]], "interval"))
    # Two of 2: g(1,2) = 1 + 2 - (1+2)/2 = 1.5, g(2,4) = 1.5, g(1,4) = 4 - 1 = 3.
    # Observed 2·(1.5² + 1.5²)/4 = 2.25; expected 2·(2·1.5² + 2·1.5² + 3²)/(4·3) = 3.
    assert alpha([[1, 2], [2, 4]], "ordinal") == pytest.approx(1 - 2.25 / 3)
