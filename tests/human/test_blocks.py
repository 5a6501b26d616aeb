from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.errors import UsageError
from bwb.human.blocks import Balance, balance, balanced_blocks


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.integers(2, 5), st.integers(1, 30), st.integers(0, 99))
def test_every_system_is_shown_as_often_as_any_other(systems, size, count, seed):
    blocks = balanced_blocks(systems, size, count, Random(seed))
    found = balance(blocks, systems)
    assert found.blocks == count
    assert found.shown[1] - found.shown[0] <= 1
    assert all(len(set(block)) == min(size, systems) for block in blocks)


def test_a_design_that_exists_is_found():
    # All 4-subsets of 5: each system 4 times, each pair 3 times.
    assert balance(balanced_blocks(5, 4, 5, Random(1)), 5) == Balance(5, (4, 4), (3, 3))
    # Pairs of 4: each once.
    assert balance(balanced_blocks(4, 2, 6, Random(1)), 4) == Balance(6, (3, 3), (1, 1))


def test_many_systems_are_balanced_without_looking_at_every_block():
    found = balance(balanced_blocks(20, 8, 50, Random(1)), 20)
    assert found.shown == (20, 20)
    assert found.together[0] > 0


def test_balance_counts_what_is_never_shown():
    assert balance([(0, 1), (1, 0)], 3) == Balance(2, (0, 2), (0, 2))


def test_a_block_of_one_is_refused():
    with pytest.raises(UsageError, match="1 outputs in an item"):
        balanced_blocks(3, 1, 5, Random(0))
