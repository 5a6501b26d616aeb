from __future__ import annotations

from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import pytest

from bwb.errors import FormatError, InputError, UnknownNameError, UsageError
from bwb.metrics.base import Tally
from bwb.metrics.entity import Entity
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.stats_correlation import (
    KINDS,
    correlation,
    matrix,
    mean_matrix,
    williams,
    williams_test,
)
from bwb.metrics.stats_points import add_table, collect

NAN = np.nan
# Hollander and Wolfe 1973, page 187: lightness and quality of canned tuna.
TUNA = np.array(
    [
        [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1],
        [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8],
    ]
)


@pytest.mark.parametrize(
    ("kind", "r", "p"),
    [("pearson", 0.5711816, 0.1082), ("spearman", 0.6, 0.0968), ("kendall", 0.4444444, 0.1194)],
)
def test_correlations_of_textbook_data(kind, r, p):
    # p of Spearman's ρ is exact in the book, by t here: 0.0876.
    found = correlation(*TUNA, kind)
    assert found.r == pytest.approx(r, abs=5e-8)
    assert found.p == pytest.approx(p, abs=1e-2 if kind == "spearman" else 5e-5)
    assert found.points == 9


def test_kendall_corrects_for_ties_as_tau_b():
    one, other = np.array([1.0, 1, 2, 3, 4]), np.array([1.0, 2, 2, 4, 3])
    signs = [
        (np.sign(a - b), np.sign(c - d))
        for (a, c), (b, d) in combinations(zip(one, other, strict=True), 2)
    ]
    wanted = sum(a * b for a, b in signs) / np.sqrt(
        sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)
    )
    assert correlation(one, other, "kendall").r == pytest.approx(wanted)


def test_kendall_p_of_few_points_is_exact():
    one = np.arange(5.0)
    other = np.array([0.0, 2, 1, 3, 4])
    found = correlation(one, other, "kendall")
    every = [abs(correlation(one, np.array(way), "kendall").r) for way in permutations(other)]
    assert found.p == pytest.approx(np.mean([r >= found.r - 1e-12 for r in every]))


@pytest.mark.parametrize("kind", KINDS)
def test_undefined_points_are_left_out_and_constants_have_no_correlation(kind):
    one, other = (
        np.append(row, extra) for row, extra in zip(TUNA, ([NAN, 9], [1, NAN]), strict=True)
    )
    assert correlation(one, other, kind) == correlation(*TUNA, kind)
    for few in (np.array([0.1, 0.2]), np.array([0.3, 0.1 + 0.2, 0.3])):
        found = correlation(few, np.arange(few.size, dtype=float), kind)
        assert (found.r, found.p, found.points) == (None, None, few.size)


def test_correlations_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="columns of 3 and 2 points"):
        correlation(np.ones(3), np.ones(2))
    with pytest.raises(UnknownNameError, match="did you mean 'kendall'"):
        correlation(*TUNA, "kendal")


def test_a_matrix_is_symmetric_and_a_mean_is_of_what_is_defined():
    rng = np.random.default_rng(0)
    columns = {name: rng.random(20) for name in "xyz"}
    columns["z"][3] = NAN
    found = matrix(columns, "spearman")
    assert found.names == ("x", "y", "z")
    assert (
        found.cells[0][2]
        == found.cells[2][0]
        == correlation(columns["x"], columns["z"], "spearman")
    )
    assert [found.cells[i][i].r for i in range(3)] == [1, 1, 1]
    assert found.cells[2][2].points == 19
    other = matrix({**columns, "x": np.zeros(20)}, "spearman")
    mean = mean_matrix([found, other])
    assert mean.cells[0][1].r == found.cells[0][1].r
    assert mean.cells[1][2].r == pytest.approx((found.cells[1][2].r + other.cells[1][2].r) / 2)
    assert mean.cells[0][1].p is None
    for wrong in ([], [found, matrix(columns)]):
        with pytest.raises(InputError, match="same columns and kind"):
            mean_matrix(wrong)


def test_williams_by_a_published_example():
    # The example of r.test in R's psych package: t = -0.89, p < 0.37.
    t, p = williams_test(0.4, 0.5, 0.1, 103)
    assert (t, p) == (pytest.approx(-0.89, abs=5e-3), pytest.approx(0.375, abs=5e-3))
    back, half = williams_test(0.5, 0.4, 0.1, 103, one_sided=True)
    assert (back, half) == (pytest.approx(-t), pytest.approx(p / 2))
    assert williams_test(0.4, 0.5, 0.1, 103, one_sided=True)[1] == pytest.approx(1 - p / 2)
    assert williams_test(0.5, 0.5, 0.3, 20) == (0, 1)


def test_williams_by_hand():
    # K = 1 - .64 - .36 - .25 + .48 = .23; 2 · .23 · 19/17 + 1.4²/4 · .5³ = .514118 + .06125.
    t, p = williams_test(0.8, 0.6, 0.5, 20)
    assert t == pytest.approx(0.2 * np.sqrt(19 * 1.5 / 0.575368), rel=1e-5)
    assert t == pytest.approx(1.40760, abs=5e-5)
    assert 0.17 < p < 0.18  # t of 17 degrees of freedom: 1.333 at .20, 1.740 at .10


def test_williams_p_is_about_uniform_where_two_metrics_are_equally_good():
    rng = np.random.default_rng(11)
    small = 0
    for _ in range(300):
        gold, shared, *noise = rng.normal(size=(4, 40))
        columns = {"gold": gold, **{n: gold + shared + e for n, e in zip("xy", noise, strict=True)}}
        (found,) = williams(columns, "gold")
        small += found.p < 0.1
    assert 14 <= small <= 46  # 30 expected; three standard deviations are 16


def test_williams_of_columns():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=60)
    columns = {"gold": gold, "good": gold + rng.normal(size=60) / 4, "bad": rng.normal(size=60)}
    columns["bad"][0] = NAN
    (found,) = williams(columns, "gold")
    assert (found.one, found.other, found.points) == ("good", "bad", 59)
    assert found.t > 4
    assert found.p < 1e-4
    copies = williams({"gold": gold, "x": gold**2, "y": 2 * gold**2 + 1}, "gold")[0]
    assert (copies.t, copies.p) == (None, None)
    assert williams({name: column[:3] for name, column in columns.items()}, "gold")[0].p is None
    with pytest.raises(UnknownNameError, match="unknown column 'human'"):
        williams(columns, "human")


def test_williams_refuses_what_is_no_correlation():
    with pytest.raises(UsageError, match=r"1\.2 is no correlation"):
        williams_test(1.2, 0, 0, 10)
    with pytest.raises(InputError, match="four points or more, not 3"):
        williams_test(0.2, 0, 0, 3)
    with pytest.raises(InputError, match="no three variables"):
        williams_test(0.9, -0.9, 0.9, 10)


def scored(metric, documents, values):
    def tally(matched):
        made = Tally()
        made.add("all.matched", matched)
        made.add("all.system", 10.0)
        made.add("all.reference", 10.0)
        return made

    tallies = {name: [tally(v) for v in row] for name, row in values.items()}
    return SimpleNamespace(metric=metric, documents=documents, tallies=tallies)


@pytest.fixture
def points():
    return collect(
        [
            scored(Entity(), ["1", "2"], {"a": [5.0, 7.0], "b": [6.0, 8.0]}),
            scored(Pronoun(), ["2", "3"], {"a": [1.0, 3.0], "b": [2.0, 4.0]}),
        ],
        {"pronoun": ["score", "recall"]},
    )


def test_columns_are_aligned_by_document(points):
    assert points.documents == ("1", "2", "3")
    np.testing.assert_allclose(points.single["entity"], [[0.5, 0.7, NAN], [0.6, 0.8, NAN]])
    np.testing.assert_allclose(points.within("b")["pronoun"], [NAN, 0.2, 0.4])
    np.testing.assert_allclose(points.whole["pronoun.recall"], [0.2, 0.3])
    assert points.pooled()["pronoun"].shape == (6,)


def test_scores_of_a_table_by_document_and_by_system(points, tmp_path):
    path = tmp_path / "human.tsv"
    path.write_text("system\tdocument\tfluency\nb\t1\t4\na\t3\t\n\na\t2\t3.5\na\t1\t2.5\n")
    assert add_table(points, path) == ["fluency"]
    np.testing.assert_allclose(points.single["fluency"], [[2.5, 3.5, NAN], [4, NAN, NAN]])
    np.testing.assert_allclose(points.whole["fluency"], [3, 4])
    path = tmp_path / "human.csv"
    path.write_bytes(b'\xef\xbb\xbfadequacy,system\r\n70,b\r\n"60",a\r\n')
    findings = []
    add_table(points, path, findings)
    assert {"byte-order-mark"} < {finding.code for finding in findings}
    np.testing.assert_allclose(points.whole["adequacy"], [60, 70])
    assert np.isnan(points.single["adequacy"]).all()


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", FormatError, "human.csv: the file is empty"),
        ("\n", FormatError, "columns none; expected system"),
        ("document,x\n1,2\n", FormatError, "human.csv:1.*expected system"),
        ("system\na\n", FormatError, "expected system, document"),
        ("system,x,x\na,1,1\n", FormatError, "each once"),
        ("system,entity\na,1\n", FormatError, "'entity' is the name of a metric"),
        ("system,x\na,1\nb\n", FormatError, "human.csv:3.*1 cells, expected 2"),
        ("system,x\na,one\n", FormatError, "human.csv:2.*'one' is no score"),
        ("system,x\na,nan\n", FormatError, "'nan' is no score"),
        ("system,x\na,1\na,2\n", FormatError, "human.csv:3.*a for a second time"),
        ("system,x\nc,1\n", UnknownNameError, "system in human.csv:2 'c'"),
        ("system,document,x\na,9,1\n", UnknownNameError, "document in human.csv:2 '9'"),
    ],
)
def test_tables_that_do_not_fit_are_refused(points, tmp_path, text, kind, message):
    path = tmp_path / "human.csv"
    path.write_text(text)
    with pytest.raises(kind, match=message):
        add_table(points, path)


def test_nothing_cannot_be_correlated():
    with pytest.raises(InputError, match="no scores"):
        collect([])
