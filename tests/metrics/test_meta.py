"""Agreement at every level, of scores that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bwb.errors import UsageError
from bwb.metrics.meta import Settings, agreements, differences, matrices, views
from bwb.metrics.meta_grid import join

QUICK = Settings(resamples=0)


def table(**columns):
    """Columns of rows of systems a, b, c …; a cell a document."""
    return {
        name: {
            ("abcdefgh"[i], str(j)): float(value)
            for i, row in enumerate(rows)
            for j, value in enumerate(row)
            if value is not None
        }
        for name, rows in columns.items()
    }


METRIC = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
HUMAN = [[1, 2, 3], [2, 4, 3], [3, 6, 5]]


def found(grid, settings=QUICK):
    return {(row.metric, row.level, row.grouping): row for row in agreements(grid, settings)}


def test_levels_and_groupings_by_hand():
    rows = found(join(table(m=METRIC), table(h=HUMAN)))
    assert list(rows) == [
        ("m", "system", "none"),
        ("m", "document", "none"),
        ("m", "document", "item"),
        ("m", "document", "system"),
    ]
    # The systems' means are 2, 2, 2 against 2, 3, 4⅔: constant.
    system = rows["m", "system", "none"]
    assert system.coefficients["pearson"].r is None
    assert system.coefficients["pearson"].reason == "the metric's scores are all the same"
    assert (system.points, system.documents, system.accuracy.metric_ties) == (3, 0, 3)
    pooled = rows["m", "document", "none"]
    assert pooled.coefficients["pearson"].r == pytest.approx(
        stats.pearsonr(np.ravel(METRIC), np.ravel(HUMAN)).statistic
    )
    assert (pooled.points, pooled.accuracy.pairs, pooled.groups) == (9, 36, 0)
    # Documents: 1 2 3 with 1 2 3, 2 3 1 with 2 4 6, 3 1 2 with 3 3 5.
    item = rows["m", "document", "item"]
    assert item.coefficients["spearman"].r == pytest.approx((1 - 0.5 + 0) / 3)
    assert item.coefficients["kendall"].r == pytest.approx((1 - 1 / 3 + 0) / 3)
    assert (item.groups, item.groups_undefined, item.accuracy.pairs) == (3, 0, 9)
    assert item.accuracy.value == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    # Systems: 1 2 3 with 1 2 3, 2 3 1 with 2 4 3, 3 1 2 with 3 6 5.
    by_system = rows["m", "document", "system"]
    assert by_system.coefficients["spearman"].r == pytest.approx((1 + 0.5 - 1) / 3)
    assert by_system.documents == 3


def test_lower_is_better_turns_every_sign():
    rows = found(join(table(m=METRIC), table(h=HUMAN)))
    both = found(join(table(m=METRIC), table(h=HUMAN), lower=["m", "h"]))
    one = found(join(table(m=METRIC), table(h=HUMAN), lower=["m"]))
    for key, row in rows.items():
        for kind, plain in row.coefficients.items():
            assert both[key].coefficients[kind] == plain
            if plain.r is not None:
                assert one[key].coefficients[kind].r == pytest.approx(-plain.r)


def test_groups_that_have_no_correlation_are_left_out_and_counted():
    human = [[1, 1, None], [2, 1, 1], [3, 1, 2]]
    rows = found(join(table(m=METRIC), table(h=human)))
    item = rows["m", "document", "item"]
    assert item.coefficients["pearson"].r == pytest.approx(1)
    assert (item.groups, item.groups_undefined, item.points) == (1, 2, 8)
    flat = found(join(table(m=METRIC), table(h=[[1, 1, 1]] * 3)))
    for row in flat.values():
        assert row.coefficients["kendall"].r is None
        assert row.coefficients["kendall"].reason
    two = found(join(table(m=METRIC[:2]), table(h=HUMAN[:2])))
    assert "2 points with both scores" in two["m", "system", "none"].coefficients["pearson"].reason
    assert two["m", "document", "item"].coefficients["pearson"].reason.startswith("in no group")


def noisy(noise, seed=1, shape=(6, 12)):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=shape) + np.arange(shape[0])[:, None] / 2
    return table(**{n: human + s * rng.normal(size=shape) for n, s in noise.items()}), table(
        h=human
    )


def test_p_values_and_holm():
    grid = join(*noisy({"good": 0.3, "noise": 30}))
    rows = found(grid, Settings(resamples=200))
    good, noise = (rows[name, "document", "none"].coefficients["pearson"] for name in grid.metrics)
    assert (good.p, good.p_holm) == (pytest.approx(1 / 201), pytest.approx(2 / 201))
    assert noise.p == noise.p_holm > 0.01
    assert good.p_theory < 1e-10
    assert not good.exact
    item = rows["good", "document", "item"].coefficients["kendall"]
    assert (item.p, item.p_theory) == (pytest.approx(1 / 201), None)
    assert found(grid)["good", "system", "none"].coefficients["pearson"].p is None


def test_calibration_is_never_worse():
    metrics, human = noisy({"m": 1})
    rounded = {"h": {key: round(value) for key, value in human["h"].items()}}
    for row in agreements(join(metrics, rounded), Settings(resamples=0, calibrated=True)):
        assert row.calibrated.value >= row.accuracy.value
        assert row.calibrated.pairs == row.accuracy.pairs
    assert agreements(join(metrics, human), QUICK)[0].calibrated is None


def test_differences():
    grid = join(*noisy({"good": 0.3, "bad": 5, "worse": 9}))
    how = Settings(resamples=200, perm_both=("pearson", "accuracy"))
    rows = differences(grid, how)
    williams = [row for row in rows if row.test == "williams"]
    assert {(row.level, row.grouping) for row in williams} == {
        ("system", "none"),
        ("document", "none"),
    }
    (first, *_) = (row for row in williams if row.level == "document")
    single = found(grid)
    wanted = [single[n, "document", "none"].coefficients["pearson"].r for n in ("good", "bad")]
    assert (first.one, first.other) == ("good", "bad")
    assert first.difference == pytest.approx(wanted[0] - wanted[1])
    assert (first.points, first.p_holm < 0.01) == (72, True)
    swapped = {
        (row.level, row.grouping, row.kind): row
        for row in rows
        if row.test == "perm-both" and (row.one, row.other) == ("good", "bad")
    }
    assert len(swapped) == 8
    pooled = swapped["document", "none", "pearson"]
    assert pooled.difference == pytest.approx(first.difference)
    assert pooled.p == pytest.approx(1 / 201)
    assert pooled.p_holm >= pooled.p
    assert swapped["system", "none", "accuracy"].points == 6
    assert not differences(grid, Settings(tests=False))


def test_matrices_hold_metrics_and_people():
    grid = join(*noisy({"good": 0.3, "bad": 5}))
    made = {(level, one.kind): one for level, one in matrices(grid)}
    assert len(made) == 6
    assert made["system", "kendall"].names == ("good", "bad", "h")
    single = found(grid)["good", "document", "none"].coefficients["spearman"].r
    assert made["document", "spearman"].cells[0][2].r == pytest.approx(single)


def test_without_documents_there_are_systems_only():
    whole = {"m": {(name, None): float(k) for k, name in enumerate("abcd")}}
    grid = join(whole, {"h": {(name, None): float(k**2) for k, name in enumerate("abcd")}})
    assert views(grid, QUICK) == [("system", "none")]
    (row,) = agreements(grid, Settings(resamples=100))
    assert row.coefficients["kendall"].r == pytest.approx(1)
    assert row.coefficients["kendall"].exact
    assert row.coefficients["kendall"].p == pytest.approx(2 / 24)
    (williams, *_) = differences(join(whole | {"n": whole["m"]}, {"h": whole["m"]}), QUICK)
    assert williams.p is None  # two copies of one metric


def test_settings_that_make_no_sense():
    with pytest.raises(UsageError, match="-1 resamples"):
        Settings(resamples=-1)
    with pytest.raises(UsageError, match="0 resamples"):
        Settings(resamples=0, perm_both=("pearson",))
