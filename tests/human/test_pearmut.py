from __future__ import annotations

import json

import pytest

from bwb.errors import InputError
from bwb.human.pearmut import campaigns, write_campaigns


@pytest.mark.parametrize("design", ["ranking", "bws"])
def test_the_shape_that_pearmut_checks(study, tmp_path, design):
    plan = study(design=design)
    assert write_campaigns(plan, tmp_path / "p.json") == 2
    made = json.loads((tmp_path / "p.json").read_text("utf-8"))
    assert [c["campaign_id"] for c in made] == [
        f"bwb-{plan.id}-{n}" for n in ("adequacy", "fluency")
    ]
    for campaign in made:
        info = campaign["info"]
        assert (info["assignment"], info["protocol"], info["shuffle"]) == (
            "task-based",
            "DA",
            False,
        )
        assert len(info["users"]) == len(campaign["data"]) == 4
        for task in campaign["data"]:
            assert len(task) == 20
            for (item,) in task:
                assert all(isinstance(text, str) for text in item["tgt"].values())
                assert ("src" in item) == campaign["campaign_id"].endswith("adequacy")
                check = plan.by_id[item["item_id"]].spam
                assert set(item["tgt"]) <= {*plan.systems, "damaged"}
                assert ("damaged" in item["tgt"]) == ("validation" in item) == check
                for rule in item.get("validation", {}).values():
                    assert rule == {"score_greaterthan": "damaged"}
    assert "<script>" not in json.dumps(made)


@pytest.mark.parametrize("name", ["7", "damaged"])
def test_names_that_pearmut_cannot_show(study, name):
    with pytest.raises(InputError, match=f"a system called '{name}'"):
        campaigns(study(systems=("alpha", name)))
