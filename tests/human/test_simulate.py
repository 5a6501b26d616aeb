from __future__ import annotations

import pytest

from bwb.errors import UsageError
from bwb.human.simulate import Noise, recovery, simulate_answers


@pytest.mark.parametrize("design", ["ranking", "bws"])
def test_careful_raters_find_the_true_order(study, design):
    plan = study(design=design, sentences=20)
    rows, caught = recovery(plan, Noise(noise=0.5, bias=0.1), runs=5)
    assert len(rows) == 4
    assert all(row.order == 1.0 and row.wrong == 0.0 for row in rows)
    assert caught.dropped == caught.spammers == 0


def test_spammers_are_caught_and_noise_costs(study):
    plan = study(sentences=20)
    quiet, _ = recovery(plan, Noise(noise=0.5, bias=0.1), runs=5)
    rows, caught = recovery(plan, Noise(noise=4, spammers=2), runs=5)
    assert caught.spammers == 10
    assert caught.caught >= 7
    assert sum(row.power for row in rows) < sum(row.power for row in quiet)


def test_runs_without_raters_find_nothing_and_are_counted(study):
    plan = study(raters=4)
    rows, caught = recovery(plan, Noise(spammers=4), runs=3, max_failed=0)
    lost = {(row.runs, row.lost, row.order) for row in rows}
    assert caught.caught > 0
    assert any(count for _, count, _ in lost)
    assert all(order <= 1 - count / runs for runs, count, order in lost)


def test_ranks_of_perceived_qualities(study):
    plan = study()
    answers = simulate_answers(plan, Noise(noise=0, bias=0, tie=0), 1)
    real = [a.values for a in answers if not plan.by_id[a.item].spam]
    assert set(real) == {(1, 2, 3)}
    tied = simulate_answers(plan, Noise(noise=0, bias=0, tie=99), 1, ("gamma", "beta", "alpha"))
    assert {a.values for a in tied if not plan.by_id[a.item].spam} <= {(1, 1, 1), (2, 2, 1)}


@pytest.mark.parametrize(
    ("noise", "message"),
    [
        (Noise(noise=-1), "--noise -1"),
        (Noise(tie=float("nan")), "--tie nan"),
        (Noise(spammers=9), "--spammers 9; expected 0 to 8"),
    ],
)
def test_noise_that_makes_no_sense(study, noise, message):
    with pytest.raises(UsageError, match=message):
        recovery(study(), noise)
    with pytest.raises(UsageError, match="0 runs"):
        recovery(study(), Noise(), runs=0)
