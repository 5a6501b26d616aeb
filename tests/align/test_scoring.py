"""Counts worked out by hand; Vecalign's scorer gives the same on the golden cases."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.align.base import AlignmentError, SentenceLink
from bwb.align.linkrows import read_comparison, read_rows
from bwb.align.scoring import (
    LinkScore,
    Ratio,
    check_prediction,
    covered_size,
    score_documents,
    score_links,
)
from bwb.errors import FormatError, InputError


def links(*pairs):
    return [SentenceLink(tuple(src), tuple(tgt)) for src, tgt in pairs]


GOLD = links(([0], [0]), ([1], [1, 2]), ([2, 3], [3]), ([4], []), ([5], [4]))

# Name, prediction, (predicted, strict, lax), (gold without nulls, strict, lax).
GOLDEN = [
    ("itself", GOLD, (5, 5, 5), (4, 4, 4)),
    ("nothing", [], (0, 0, 0), (4, 0, 0)),
    # 1-2 split in two: both halves are lax; the 1-2 shares with them, so lax recall is whole.
    (
        "a link split",
        links(([0], [0]), ([1], [1]), ([], [2]), ([2, 3], [3]), ([4], []), ([5], [4])),
        (6, 4, 5),
        (4, 3, 4),
    ),
    # A null link that the gold has not is a miss, strict and lax, and costs no recall by itself.
    (
        "a null too many",
        links(([0], [0]), ([1], [1, 2]), ([2, 3], [3]), ([4], []), ([5], []), ([], [4])),
        (6, 4, 4),
        (4, 3, 3),
    ),
    # A gold null that was linked: precision loses, recall does not.
    (
        "a null linked",
        links(([0], [0]), ([1], [1, 2]), ([2, 3], [3]), ([4, 5], [4])),
        (4, 3, 4),
        (4, 3, 4),
    ),
    (
        "all shifted",
        links(([0], []), ([1], [0]), ([2], [1, 2]), ([], [3, 4])),
        (4, 0, 0),
        (4, 0, 0),
    ),
    ("twice the same", links(([0], [0]), ([0], [0])), (1, 1, 1), (4, 1, 1)),
    ("empty on both sides", links(([], []), ([0], [0])), (1, 1, 1), (4, 1, 1)),
]


@pytest.mark.parametrize(
    ("name", "pred", "precision", "recall"), GOLDEN, ids=[g[0] for g in GOLDEN]
)
def test_counts(name, pred, precision, recall):
    assert score_links(GOLD, pred) == LinkScore(Ratio(*precision), Ratio(*recall))


def test_ratios_of_a_case_by_hand():
    score = score_links(GOLD, GOLDEN[2][1])
    assert score.precision.value("strict") == 4 / 6
    assert score.recall.value("strict") == 3 / 4
    assert score.f1("strict") == pytest.approx(2 * (4 / 6) * (3 / 4) / (4 / 6 + 3 / 4))
    assert score.precision.value("lax") == 5 / 6
    assert score.recall.value("lax") == 1
    assert score.row()["strict"]["hits_predicted"] == 4


def test_without_links_there_is_no_ratio():
    assert score_links([], []).f1("strict") is None
    assert score_links(GOLD, []).precision.value("lax") is None
    assert score_links(GOLD, links(([0], [1]))).f1("strict") == 0


def test_types_are_counted_with_nulls():
    score = score_documents({"a": GOLD}, {"a": GOLDEN[3][1]})
    assert score.types["1-0"] == LinkScore(Ratio(2, 1, 1), Ratio(1, 1, 1))
    assert score.types["0-1"] == LinkScore(Ratio(1, 0, 0), Ratio())
    assert score.types["1-1"] == LinkScore(Ratio(1, 1, 1), Ratio(2, 1, 1))
    assert score.types["1-2"] == LinkScore(Ratio(1, 1, 1), Ratio(1, 1, 1))
    assert next(iter(score.types)) == "1-1"


def test_the_total_is_of_counts_not_of_ratios():
    small = links(([0], [0]))
    score = score_documents({"a": GOLD, "b": small}, {"a": GOLD, "b": links(([0], []), ([], [0]))})
    assert score.total.precision == Ratio(7, 5, 5)
    assert score.total.recall == Ratio(5, 4, 4)
    assert list(score.documents) == ["a", "b"]


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ({"a": GOLD}, "missing from the predictions: b"),
        ({"a": GOLD, "b": GOLD, "c": GOLD}, "not in the gold: c"),
        ({f"x{i}": GOLD for i in range(7)}, "missing from the predictions: a, b"),
    ],
)
def test_ids_must_be_the_same(pred, message):
    with pytest.raises(AlignmentError, match=message):
        score_documents({"a": GOLD, "b": GOLD}, pred)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (links(([], [])), "empty on both"),
        (links(([6], [0])), r"\[6\]:\[0\]: no such source sentence; expected 0 to 5"),
        (links(([0], [5])), "no such target sentence; expected 0 to 4"),
        (links(([1, 0], [0])), "ascending"),
        (links(([0], [1]), ([1], [0])), r"\[0\]:\[1\] and \[1\]:\[0\] cross"),
        (links(([0], [0]), ([0], [1])), "source sentence 0 is in 2 links"),
        (links(([0], [0]), ([], [0])), "target sentence 0 is in 2 links"),
    ],
)
def test_what_cannot_be_scored(bad, message):
    with pytest.raises(AlignmentError, match=message):
        check_prediction(bad, (6, 5))


def test_gold_may_cross_and_share():
    check_prediction(links(([0], [1]), ([1], [0]), ([1], [2])), (2, 3), crossing=True)
    check_prediction(links(([0, 2], [0]), ([1], [])), (3, None))


def test_sizes_are_known_of_covering_links_only():
    assert covered_size(GOLD) == (6, 5)
    assert covered_size(links(([0], [0]), ([2], [1]))) == (None, 2)


PARTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=12
)


def monotone(parts):
    out, at = [], [0, 0]
    for src, tgt in parts:
        sides = [tuple(range(at[k], at[k] + n)) for k, n in enumerate((src, tgt))]
        out.append(SentenceLink(*sides))
        at = [at[0] + src, at[1] + tgt]
    return out


def naive(gold, pred):
    """Hits by the definitions, link by link."""

    def hits(links, others):
        pairs = {(a.src, a.tgt) for a in others}
        strict = sum((x.src, x.tgt) in pairs for x in links)
        lax = sum(
            (x.src, x.tgt) in pairs
            or any(set(x.src) & set(o.src) and set(x.tgt) & set(o.tgt) for o in others)
            for x in links
        )
        return Ratio(len(links), strict, lax)

    whole = [[x for x in side if x.src and x.tgt] for side in (gold, pred)]
    return LinkScore(hits(pred, gold), hits(*whole))


@given(PARTS, PARTS)
def test_the_definitions_hold(one, other):
    gold, pred = monotone(one), monotone(other)
    assert score_links(gold, pred) == naive(gold, pred)
    check_prediction(pred, covered_size(pred))


def test_reading_rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [
        {"id": "a", "src": ["x"], "tgt": ["y", "z"], "gold": [[[0], [0, 1]]]},
        {"id": "b", "links": [[[0], []]]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    first, second = read_rows(path)
    assert first.links == (SentenceLink((0,), (0, 1)),)
    assert first.size == (1, 2)
    assert second.size == (None, None)
    assert second.place.endswith("rows.jsonl:2")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "an object whose id is a string"),
        ("{", "not JSON"),
        ('{"id": "a"}', "expected one of links, gold"),
        ('{"id": "a", "links": [[[0], [0], [0]]]}', "link 0"),
        ('{"id": "a", "links": [[[0], ["0"]]]}', "expected one like"),
        ('{"id": "a", "links": [[[0], [-1]]]}', "expected one like"),
        ('{"id": "a", "links": [[[0], [true]]]}', "expected one like"),
        ('{"id": "a", "links": 3}', "expected one like"),
        ('{"id": "a", "links": [], "src": "text"}', "src is not a list of sentences"),
        ('{"id": "b", "links": []}\n{"id": "b", "links": []}', "rows.jsonl:1 already"),
    ],
)
def test_bad_rows_name_their_line(tmp_path, line, message):
    path = tmp_path / "rows.jsonl"
    path.write_text(line + "\n", "utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read_rows(path)
    assert "rows.jsonl:" in str(caught.value)


def test_comparing_needs_the_same_kind_and_the_same_text(tmp_path):
    text, rows, more = (tmp_path / name for name in ("a.txt", "b.jsonl", "c.jsonl"))
    text.write_text("[0]:[0]\n", "utf-8")
    rows.write_text('{"id": "a", "src": ["x"], "tgt": ["y"], "gold": [[[0], [0]]]}\n', "utf-8")
    more.write_text('{"id": "a", "src": ["x", "z"], "tgt": ["y"], "links": []}\n', "utf-8")
    with pytest.raises(InputError, match="expected the same of both"):
        read_comparison(text, rows)
    with pytest.raises(InputError, match="expected the same text"):
        read_comparison(rows, more)
    gold, pred = read_comparison(text, text)
    assert gold == pred


def test_real_gold_scores_1_against_itself(shared_data):
    for name in ("mac/mac-dev.jsonl", "textberg/textberg-dev.jsonl"):
        rows = read_rows(shared_data / name)
        gold = {row.id: row.links for row in rows}
        score = score_documents(gold, gold)
        assert score.total.f1("strict") == score.total.f1("lax") == 1
