from __future__ import annotations

import numpy as np
import pytest

from bwb.errors import InputError, UnknownNameError
from bwb.metrics import stats_table
from bwb.metrics.base import Tally
from bwb.metrics.blonde import Blonde
from bwb.metrics.entity import Entity
from bwb.metrics.stats_table import CountTable, score_names


def draw(metric, names, documents, seed=0):
    """Counts of classes, with exact match; every fifth document is empty."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(documents):
        tally = Tally()
        for name in names if number % 5 else ():
            system, reference = rng.integers(1, 9, size=2)
            tally.add(f"{name}.matched", float(rng.integers(0, min(system, reference) + 1)))
            tally.add(f"{name}.system", float(system))
            tally.add(f"{name}.reference", float(reference))
            tally.add("exact.all", 1.0)
            tally.add("exact.same", float(rng.integers(0, 2)))
        rows.append(tally)
    return rows


def named(score):
    """A `Score` by the names of its numbers."""
    found = {
        name: getattr(score, name) for name in ("score", "precision", "recall", "f1", "exact_match")
    }
    for kind, part in score.parts.items():
        found |= {f"{kind}.{name}": getattr(part, name) for name in ("precision", "recall", "f1")}
    return found


@pytest.mark.parametrize(
    ("metric", "classes"),
    [
        (Entity(), ("all", "PER", "ORG", "source:PER")),
        (Blonde(), ("tense", "tense.VBD", "pronoun", "entity", "dm", "1", "2", "3", "4")),
        (Blonde(variant="blonde-0.1.4", plus=True), ("tense", "1", "ambiguity", "ellipsis")),
    ],
)
def test_every_score_is_that_of_the_metric(metric, classes):
    tallies = {"a": draw(metric, classes, 7, 1), "b": draw(metric, classes[:2], 7, 2)}
    names = score_names(metric)
    table = CountTable.of(metric, tallies)
    found = table.corpus(names)
    single = table.by_document(names)
    defined = 0
    for place, (system, rows) in enumerate(tallies.items()):
        wanted = named(metric.score(system, rows))
        assert set(names) == wanted.keys()
        first = named(metric.score(system, rows[1:2]))
        for number, name in enumerate(names):
            for value, expected in (
                (found[number, place], wanted),
                (single[number, place, 1], first),
            ):
                expected = np.nan if expected[name] is None else expected[name]
                assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), name
                defined += not np.isnan(value)
    assert defined > 20
    assert np.isnan(single[0, :, 0]).all()


def test_blocks_change_nothing(monkeypatch):
    tallies = {name: draw(Entity(), ("all", "PER"), 6, seed) for seed, name in enumerate("ab")}
    table = CountTable.of(Entity(), tallies)
    weights = np.random.default_rng(0).integers(0, 4, size=(50, 6)).astype(float)
    of = ("score", "PER.recall")
    whole = table.scores(weights, of)
    monkeypatch.setattr(stats_table, "BLOCK", 40)
    assert len(list(stats_table._blocks(weights, len(table.keys) * 2))) > 10
    np.testing.assert_array_equal(table.scores(weights, of), whole)


def test_where_nothing_was_counted_every_score_is_undefined():
    table = CountTable.of(Entity(), {"a": [Tally(), Tally()]})
    assert table.keys == ()
    assert np.isnan(table.scores(np.ones((3, 2)), ("score", "exact_match", "PER.f1"))).all()


def test_pooled_documents_are_those_of_the_first_system_then_of_the_second():
    tallies = {name: draw(Entity(), ("all",), 4, seed) for seed, name in enumerate("abc")}
    table = CountTable.of(Entity(), tallies)
    pooled = table.pooled("c", "a")
    assert pooled.documents == 8
    np.testing.assert_allclose(pooled.scores(np.eye(8))[0, 0, :4], table.by_document()[0, 2])
    np.testing.assert_allclose(pooled.scores(np.eye(8))[0, 0, 4:], table.by_document()[0, 0])


def test_what_cannot_be_laid_out_is_refused():
    with pytest.raises(InputError, match=r"different numbers of documents: \[1, 2\]"):
        CountTable.of(Entity(), {"a": [Tally()], "b": [Tally()] * 2})
    for nothing in ({}, {"a": []}):
        with pytest.raises(InputError, match="no documents"):
            CountTable.of(Entity(), nothing)


@pytest.mark.parametrize("name", ["PERR.recall", "PER.accuracy", "PER", "", "score.f1"])
def test_unknown_scores_are_refused(name):
    table = CountTable.of(Entity(), {"a": [Tally()]})
    with pytest.raises(UnknownNameError, match="unknown score of entity"):
        table.corpus((name,))
