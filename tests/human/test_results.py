from __future__ import annotations

import numpy as np
import pytest

from bwb.human.design import Candidate, Item
from bwb.human.evaluate import evaluate
from bwb.human.judgements import Judgement, failed, judge, report_raters
from bwb.human.kappa import agreements
from bwb.human.results import Cell, cells, document_scores, duels, sign_test, standings
from bwb.human.sheet import Answer
from bwb.human.shifts import shifts
from bwb.human.simulate import Noise, simulate_answers


def judgement(item, orders, rater="r01", unit="sentence"):
    others = len(orders) - 1
    values = {
        s: sum((v < o) + 0.5 * (v == o) for t, o in orders.items() if t != s) / others
        for s, v in orders.items()
    }
    return Judgement(rater, "adequacy", unit, item, f"d/{item}", values, orders)


def cell_of(study, judgements):
    plan = study()
    return cells(plan, judgements)[0]


def ranks(*numbers):
    return dict(zip(("alpha", "beta", "gamma"), numbers, strict=True))


def test_gaps_in_ranks_do_not_matter(study):
    plan = study()
    item = next(i for i in plan.items if not i.spam)
    rater = next(r for r in plan.raters if any(t.item == item.id for t in r.tasks))
    one, other = judge(plan, [Answer(rater.name, item.id, v) for v in ((1, 1, 2), (1, 1, 3))])
    assert one.values == other.values == ranks(0.75, 0.75, 0.0)


def test_average_rank_and_share_won(study):
    cell = cell_of(study, [judgement("a", ranks(1, 2, 3)), judgement("b", ranks(1, 1, 3))])
    rows = {row.system: row for row in standings(cell, bws=False, resamples=50)}
    # Ranks 1, 2, 3 and 1.5, 1.5, 3.
    assert [rows[s].rank for s in cell.systems] == [1.25, 1.75, 3.0]
    assert [rows[s].won for s in cell.systems] == [0.875, 0.625, 0.0]
    assert rows["alpha"].rank_interval.low == pytest.approx(1.0)
    assert rows["alpha"].rank_interval.high == pytest.approx(1.5)
    assert rows["alpha"].score is None


def test_an_item_counts_once_whoever_judged_it(study):
    twice = [judgement("a", ranks(1, 2, 3)), judgement("a", ranks(3, 2, 1), "r02")]
    cell = cell_of(study, [*twice, judgement("b", ranks(1, 2, 3))])
    (alpha, *_), found = standings(cell, bws=False, resamples=50), duels(cell)
    assert alpha.system == "alpha"
    assert alpha.won == pytest.approx((0.5 + 1) / 2)
    first = found[0]
    assert (first.system, first.other) == ("alpha", "beta")
    assert (first.wins, first.losses, first.ties) == (2, 1, 0)
    assert (first.items_won, first.items_lost) == (1, 0)


def test_the_sign_test_is_exact():
    assert sign_test(0, 0) is None
    assert sign_test(3, 3) == 1.0
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(9, 1) == sign_test(1, 9) == pytest.approx(22 / 1024)


def test_holm_is_over_the_pairs_of_a_cell(study):
    cell = cell_of(study, [judgement(f"i{n}", ranks(1, 2, 2)) for n in range(6)])
    found = {(d.system, d.other): d for d in duels(cell)}
    assert found["alpha", "beta"].p == pytest.approx(2 / 64)
    assert found["alpha", "beta"].p_holm == pytest.approx(4 / 64)
    assert found["beta", "gamma"].p is None
    assert found["beta", "gamma"].ties == 6


def test_kappa_by_hand(study):
    pairs = [(ranks(1, 2, 3), ranks(1, 2, 3)), (ranks(1, 2, 3), ranks(3, 2, 1))]
    judged = [
        judgement(f"i{n}", orders, rater)
        for n, both in enumerate(pairs)
        for orders, rater in zip(both, ("r01", "r02"), strict=True)
    ]
    (row,), mean = agreements(cell_of(study, judged), resamples=20)
    # 3 of 6 comparisons agree, no ties: chance is 1/2, κ is 0.
    assert (row.items, row.comparisons, row.observed, row.kappa) == (2, 6, 0.5, 0.0)
    assert mean.kappa == 0.0
    assert mean.interval.low == -1.0
    assert mean.interval.high == 1.0


def test_kappa_does_not_depend_on_which_system_is_named_first(study):
    def kappa(order):
        orders = [(ranks(1, 2, 3), ranks(1, 3, 2)), (ranks(1, 1, 3), ranks(1, 2, 3))]
        judged = [
            judgement(f"i{n}", {s: o[s] for s in order}, rater)
            for n, both in enumerate(orders)
            for o, rater in zip(both, ("r01", "r02"), strict=True)
        ]
        return agreements(cell_of(study, judged), resamples=5)[0][0].kappa

    assert kappa(("alpha", "beta", "gamma")) == pytest.approx(kappa(("gamma", "alpha", "beta")))


def test_kappa_of_raters_who_never_prefer_is_undefined(study):
    judged = [judgement("a", ranks(1, 1, 1), rater) for rater in ("r01", "r02")]
    (row,), mean = agreements(cell_of(study, judged), resamples=5)
    assert (row.observed, row.kappa, mean.kappa, mean.interval) == (1.0, None, None, None)


def test_without_common_items_there_is_no_agreement(study):
    judged = [judgement("a", ranks(1, 2, 3)), judgement("b", ranks(1, 2, 3), "r02")]
    assert agreements(cell_of(study, judged)) == ([], None)


def test_orders_that_differ_between_units(study):
    plan = study()
    judged = [judgement(f"s{n}", ranks(1, 2, 3)) for n in range(4)]
    judged += [judgement(f"d{n}", ranks(2, 1, 3), unit="document") for n in range(4)]
    rows, orders = shifts(*cells(plan, judged), resamples=30)
    assert orders.sentence == ("alpha", "beta", "gamma")
    assert orders.document == ("beta", "alpha", "gamma")
    assert orders.swapped == (("alpha", "beta"),)
    assert orders.tau == pytest.approx(1 / 3)
    assert orders.same == 0.0
    assert [row.difference for row in rows] == [-0.5, 0.5, 0.0]
    assert rows[0].interval.low == rows[0].interval.high == -0.5


def test_best_minus_worst(study):
    plan = study(design="bws")
    item = [i for i in plan.items if not i.spam and i.unit == "sentence" and i.part == 1][:2]
    name = next(r.name for r in plan.raters if {i.id for i in item} <= {t.item for t in r.tasks})
    answers = [Answer(name, item[0].id, (1, 2, 3)), Answer(name, item[1].id, (1, 3, 2))]
    (cell,) = cells(plan, judge(plan, answers))
    rows = {row.system: row for row in standings(cell, bws=True, resamples=20)}
    assert [rows[s].score for s in plan.systems] == [1.0, -0.5, -0.5]
    assert (rows["alpha"].best, rows["beta"].worst) == (1.0, 0.5)


def test_a_check_is_failed_by_a_tie():
    texts = [
        Candidate(("a",), ("x",)),
        Candidate(("b",), ("y",), damaged=True),
        Candidate(("c",), ("z",)),
    ]
    item = Item("i1", 1, "sentence", "d/1", 0, 1, (), tuple(texts))
    assert not failed(item, (1, 3, 2))
    assert not failed(item, (1, 2, 1))
    assert failed(item, (1, 3, 3))
    assert failed(item, (2, 1, 3))


def test_who_fails_checks_is_dropped_and_said(study):
    plan = study()
    answers = simulate_answers(plan, Noise(noise=0.1, spammers=1), 4)
    kept = {report.rater: report.kept for report in report_raters(plan, answers)}
    assert [name for name, is_kept in kept.items() if not is_kept] == [plan.raters[-1].name]
    assert all(report.kept for report in report_raters(plan, answers, max_failed=1.0))
    found = evaluate(plan, answers, resamples=20)
    assert sum(cell.raters for cell in found.cells) == 2 * (len(plan.raters) - 1)


def test_scores_by_document(study):
    plan = study()
    judged = [judgement("a", ranks(1, 2, 3)), judgement("b", ranks(3, 2, 1))]
    rows = document_scores(cells(plan, judged))
    assert ("alpha", "d/a", "human.adequacy.sentence", 1.0) in rows
    assert ("alpha", "d/b", "human.adequacy.sentence", 0.0) in rows
    assert len(rows) == 6


def test_a_system_that_is_not_shown_has_no_score():
    table = np.array([[1.0, 0.0, np.nan], [1.0, 0.0, np.nan]])
    judged = tuple(judgement(i, {"a": 1, "b": 2}) for i in "xy")
    cell = Cell("sentence", "adequacy", ("a", "b", "c"), judged, ("x", "y"), table, table, table)
    last = standings(cell, bws=False, resamples=10)[-1]
    assert (last.system, last.items, last.rank, last.rank_interval.low) == ("c", 0, None, None)
