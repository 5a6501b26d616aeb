from __future__ import annotations

import dataclasses

import pytest

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.annotations.statistics import count_corpus, length
from bwb.records import Side

ZH = ("<PER, T, 1>{闻溪}上了<VEH, N, 2>{船}。", "点灯，<Q, 1>“走。”<\\Q>", "<P, 2>{它}走了。")
EN = (
    "<PER, T, 1>{Wen Xi} went aboard <VEH, N, 2>{the ship}.",
    "<O, 1>{She} lit <O, 1>{her} lamp. <Q, 1>“Go.”<\\Q>",
    "<P, 2>{It} left.",
)


@pytest.fixture(scope="module")
def statistics():
    zh, en = read_inline(ZH, "zh")[0], read_inline(EN, "en")[0]
    document = assemble("b/1", "b", "1", zh, en)
    return count_corpus([dataclasses.replace(document, split="test", genre="fantasy")])


def rows(statistics, table, **where):
    found = [
        row
        for row in statistics.tables()[table]
        if all(row[key] == value for key, value in where.items())
    ]
    return found[0] if len(found) == 1 else found


def test_sizes(statistics):
    row = rows(statistics, "sizes", split="test", lang="en")
    assert (row["documents"], row["sentences"], row["length"]) == (1, 3, 6 + 5 + 2)
    assert rows(statistics, "sizes", split="all", lang="zh")["length"] == 6 + 7 + 4


def test_entities(statistics):
    row = rows(statistics, "entities", lang="en", kind="PER")
    assert (row["mentions"], row["entities"], row["share"], row["repetition"]) == (1, 1, 0.5, 1.0)
    assert rows(statistics, "entities", lang="zh", kind="TERM")["mentions"] == 1
    assert rows(statistics, "entities", lang="zh", kind="GPE")["repetition"] is None


def test_pronouns(statistics):
    row = rows(statistics, "pronouns", lang="en", **{"class": "feminine"})
    assert (row["pronouns"], row["omitted"], row["omitted_share"]) == (2, 2, 1.0)
    total = rows(statistics, "pronouns", lang="en", **{"class": "all"})
    assert (total["pronouns"], total["omitted"]) == (3, 2)


def test_quotes(statistics):
    row = rows(statistics, "quotes", lang="zh")
    assert (row["quotes"], row["distinct_speakers"], row["sentences_with_speech"]) == (1, 1, 1)
    assert row["share_of_sentences"] == pytest.approx(1 / 3)


def test_series(statistics):
    found = {
        (row["series"], row["value"]): row["count"]
        for row in statistics.series()
        if row["lang"] == "en"
    }
    assert found == {
        ("antecedent_distance", 0): 1,
        ("antecedent_distance", 1): 1,
        ("antecedent_distance", 2): 1,
        ("spread", 1): 1,
        ("spread", 2): 1,
        ("chain_size", 2): 1,
        ("chain_size", 3): 1,
    }


def test_layers_that_were_not_annotated_are_not_counted():
    document = assemble("b/1", "b", "1", Side("zh", ("海。",)), Side("en", ("Sea.",)))
    tables = count_corpus([document]).tables()
    assert tables["quotes"][0]["share_of_sentences"] is None
    assert tables["pronouns"][0]["share"] is None


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [("Don’t half-wait, Bo!", "en", 3), ("她 说：OK。", "zh", 6), ("", "en", 0)],
)
def test_lengths(text, lang, expected):
    assert length(text, lang) == expected
