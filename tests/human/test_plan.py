from __future__ import annotations

import dataclasses
import json
from itertools import pairwise

import pytest

from bwb.errors import FormatError, InputError, UnknownNameError, UsageError
from bwb.human.design import read_plan, write_plan
from bwb.human.plan import Options, make_plan
from bwb.human.planned import summary
from bwb.human.settings import read_settings
from tests.human.conftest import document, outputs_of


def texts_seen(plan, rater):
    """(document, sentence) of all items of a rater."""
    items = [plan.by_id[task.item] for task in rater.tasks]
    return [(i.document, line) for i in items for line in range(i.first, i.last)]


def test_the_seed_decides_and_nothing_else(study):
    assert study(seed=3) == study(seed=3)
    assert study(seed=3).id == study(seed=3).id
    assert study(seed=3).id != study(seed=4).id
    assert study(seed=3).items != study(seed=4).items


def test_criterion_between_raters_unit_within_and_no_text_twice(study):
    plan = study(raters=8)
    assert [r.criterion for r in plan.raters] == ["adequacy"] * 4 + ["fluency"] * 4
    books = {1: set(), 2: set()}
    for item in plan.items:
        books[item.part].add(item.document.split("/")[0])
    assert not books[1] & books[2]
    for rater in plan.raters:
        seen = texts_seen(plan, rater)
        assert len(seen) == len(set(seen))
        cells = {(plan.by_id[t.item].unit, plan.by_id[t.item].part) for t in rater.tasks}
        assert cells in ({("sentence", 1), ("document", 2)}, {("sentence", 2), ("document", 1)})
        units = [plan.by_id[t.item].unit for t in rater.tasks]
        assert sum(a != b for a, b in pairwise(units)) == 1
    # Each group of a criterion and an order has two raters, with the same items in other orders.
    first, second = plan.raters[:2]
    assert {t.item for t in first.tasks} == {t.item for t in second.tasks}
    assert first.tasks != second.tasks


def test_a_tenth_are_checks_of_both_kinds(study):
    plan = study()
    for rater in plan.raters:
        checks = [plan.by_id[t.item] for t in rater.tasks if plan.by_id[t.item].spam]
        assert sorted(item.unit for item in checks) == ["document", "sentence"]
        assert len(rater.tasks) == 20
    for item in plan.items:
        hurt = [c for c in item.candidates if c.damaged]
        assert len(hurt) <= 1
        if hurt:
            (system,) = hurt[0].systems
            number = plan.systems.index(system)
            whole = " ".join(hurt[0].sentences)
            assert sorted(whole.split()).count(f"{number}.") == len(hurt[0].sentences)


def test_overlap_spreads_the_work(study):
    plan = study(raters=16, overlap=2)
    groups = [plan.raters[i : i + 4] for i in range(0, 16, 4)]
    for group in groups:
        times = {}
        for rater in group:
            for task in rater.tasks:
                if not plan.by_id[task.item].spam:
                    times[task.item] = times.get(task.item, 0) + 1
        assert set(times.values()) == {2}
        loads = [sum(not plan.by_id[t.item].spam for t in r.tasks) for r in group]
        assert max(loads) - min(loads) <= 2
        assert all(any(plan.by_id[t.item].spam for t in r.tasks) for r in group)


def test_one_unit_needs_no_second_book(documents):
    one_book = [d for d in documents if d.book == "x"]
    options = Options(units=("sentence",), criteria=("fluency",), raters=2, sentences=5)
    plan = make_plan(one_book, outputs_of(one_book), options, read_settings())
    assert {item.part for item in plan.items} == {1}
    assert all(item.source == () for item in plan.items)
    with pytest.raises(InputError, match="one book only"):
        make_plan(one_book, outputs_of(one_book), Options(), read_settings())


def test_equal_outputs_are_one_candidate_and_no_item(documents):
    outputs = outputs_of(documents)
    outputs["beta"] = outputs["alpha"]
    same = {d.id: (("same",) * 15 + o[15:]) for d in documents for o in [outputs["alpha"][d.id]]}
    outputs = {"alpha": same, "beta": same, "gamma": {
        d.id: ("same",) * 15 + outputs["gamma"][d.id][15:] for d in documents}}  # fmt: skip
    plan = make_plan(documents, outputs, Options(sentences=5, documents=3), read_settings())
    assert plan.left_out["all systems say the same"] > 0
    for item in plan.items:
        assert item.last > 15
        assert [c.systems for c in item.candidates] == [("alpha", "beta"), ("gamma",)]


def test_blocks_of_systems_are_balanced(study):
    plan = study(systems=tuple("abcdef"), design="bws", shown=3, sentences=20, documents=5)
    for cell in summary(plan)["cells"]:
        assert cell["shown"][1] - cell["shown"][0] <= 1
    assert {len(item.candidates) for item in plan.items} == {3}


def test_the_reference_can_be_judged(documents):
    options = Options(reference=True, sentences=5, documents=3)
    plan = make_plan(documents, outputs_of(documents), options, read_settings())
    assert plan.systems == ("alpha", "beta", "gamma", "reference")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"raters": 3}, UsageError, "3 raters; expected 4 or more"),
        ({"overlap": 3}, UsageError, "--overlap 3; expected 1 to 2"),
        ({"criteria": ("fluancy",)}, UnknownNameError, "did you mean 'fluency'"),
        ({"units": ()}, UsageError, "--units ''"),
        ({"sentences": 0}, UsageError, "--sentences 0"),
        ({"shown": 1}, UsageError, "--shown 1; expected 2"),
        ({"length": 2}, UsageError, "--length 2; expected 4"),
        ({"documents": 500}, InputError, "cannot draw 500 and 56 for checks"),
    ],
)
def test_choices_that_make_no_sense(study, options, error, message):
    with pytest.raises(error, match=message):
        study(**options)


def test_one_system_is_not_enough(documents):
    with pytest.raises(InputError, match="1 systems"):
        make_plan(documents, outputs_of(documents, ("a",)), Options(), read_settings())


def test_a_source_that_cannot_be_shown():
    lone = [dataclasses.replace(document(f"{b}/1"), zh=None, links=()) for b in "xy"]
    with pytest.raises(InputError, match="x/1 has no Chinese side"):
        make_plan(lone, outputs_of(lone), Options(), read_settings())


def test_a_plan_is_read_as_written_and_not_when_changed(study, tmp_path):
    plan = study()
    path = tmp_path / "plan.json"
    write_plan(plan, path)
    assert read_plan(tmp_path) == plan
    body = json.loads(path.read_text("utf-8"))
    body["items"][0]["candidates"][0]["systems"] = ["beta"]
    path.write_text(json.dumps(body), "utf-8")
    with pytest.raises(FormatError, match="it was changed"):
        read_plan(tmp_path)
    del body["items"]
    path.write_text(json.dumps(body), "utf-8")
    with pytest.raises(FormatError, match="items: Field required"):
        read_plan(tmp_path)
    path.write_text("{", "utf-8")
    with pytest.raises(FormatError, match="not JSON"):
        read_plan(tmp_path)
