"""The gold set is what its generator makes; no aligner falls below its floor."""

from __future__ import annotations

import json

import pytest

from bwb.align import goldset
from bwb.align.base import SentenceLink
from bwb.align.floors import DATA, KINDS, data_path, measure, raised, read_floors
from bwb.align.linkrows import read_rows
from bwb.align.scoring import check_prediction
from bwb.annotations.inline import strip_tags
from bwb.assets import asset, sample
from bwb.corpus import sha256_file
from bwb.errors import BwbError, InputError, UnknownNameError

FLOORS = read_floors()
CASES = [(data, name) for data, entry in FLOORS.items() for name in entry["f1"]]


@pytest.mark.parametrize(("data", "name"), CASES, ids=[" ".join(case) for case in CASES])
def test_no_aligner_is_below_its_floor(data, name, request):
    if DATA[data].startswith("shared/"):
        request.getfixturevalue("shared_data")
    digest = sha256_file(data_path(data))
    assert digest == FLOORS[data]["sha256"], "other data: python -m bwb.align.floors --new-data"
    found = measure(name, data)
    reached = {kind: found.f1(kind) for kind in KINDS}
    assert all(reached[kind] >= FLOORS[data]["f1"][name][kind] for kind in KINDS), reached


def test_floors_are_of_known_data():
    assert FLOORS.keys() <= DATA.keys()
    assert "sample" in FLOORS


def test_floors_only_rise():
    floors = {"sample": {"sha256": "a", "f1": {"x": {"strict": 0.5, "lax": 0.9}}}}
    up = raised(floors, "sample", "a", "x", {"strict": 0.61789, "lax": 0.902})
    assert up["sample"]["f1"]["x"] == {"strict": 0.614, "lax": 0.9}
    assert floors["sample"]["f1"]["x"]["strict"] == 0.5
    assert raised(floors, "sample", "a", "y", {"strict": 1.0, "lax": 1.0})["sample"]["f1"]["y"] == {
        "strict": 0.997,
        "lax": 0.997,
    }
    with pytest.raises(InputError, match="--new-data"):
        raised(floors, "sample", "b", "x", {"strict": 1.0, "lax": 1.0})


def test_the_gold_set_is_what_its_generator_makes():
    text = asset(goldset.GOLD).read_text("utf-8")
    assert text == goldset.dumps(goldset.build()), "python -m bwb.align.goldset"


def test_tags_are_cut_as_the_reader_cuts_them():
    for path in sample().glob("*/*.an.txt"):
        for line in path.read_text("utf-8").split("\n"):
            assert goldset.strip(line) == strip_tags(line)


def test_the_gold_set_has_all_kinds_of_links_and_none_crosses():
    kinds = set()
    for row in read_rows(asset(goldset.GOLD), ("gold",)):
        check_prediction(row.links, row.size)
        assert {i for link in row.links for i in link.src} == set(range(len(row.src)))
        assert {i for link in row.links for i in link.tgt} == set(range(len(row.tgt)))
        kinds |= {(len(link.src), len(link.tgt)) for link in row.links}
        assert all(text == text.strip() != "" for text in (*row.src, *row.tgt))
    assert {(1, 1), (1, 2), (2, 1), (2, 2), (1, 0), (0, 1)} <= kinds


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("He left. She did not.", ["He left.", "She did not."]),
        ("“Go!” he said. “Now.”", ["“Go!” he said.", "“Now.”"]),
        ("“走。”他说。“好！”", ["“走。”", "他说。", "“好！”"]),
        ("3.5 metres", ["3.5 metres"]),
        ("铛……铛。", ["铛……", "铛。"]),
    ],
)
def test_lines_are_cut_at_sentence_ends(line, pieces):
    assert goldset.sentences(line) == pieces


def test_what_is_not_here_is_an_error():
    with pytest.raises(UnknownNameError, match="sample"):
        data_path("sampel")
    assert issubclass(InputError, BwbError)
    assert json.loads(json.dumps(SentenceLink((0,), ()).src)) == [0]
