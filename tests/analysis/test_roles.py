"""Roles of phrases: the rules on trees written by hand, and the parser on a few sentences."""

from __future__ import annotations

from array import array

import pytest

from bwb.analysis import roles
from bwb.analysis.base import Analyser, Analysis, decode, encode
from bwb.analysis.roles import Parser, span_role


def tree(text, *tags):
    starts, at = [], 0
    for word in text.split(" "):
        starts.append(at)
        at += len(word) + 1
    ends = [start + len(word) for start, word in zip(starts, text.split(" "), strict=True)]
    return Analysis.of(text, array("H", starts), array("H", ends), tags)


def role(analysis, phrase):
    start = analysis.text.index(phrase)
    return span_role(analysis, start, start + len(phrase))


SAW = tree(
    "Old Shi and Bo saw the boat near Jade Isle",
    *("compound@1", "nsubj@4", "cc@1", "conj@1", "ROOT@4"),
    *("det@6", "dobj@4", "prep@4", "compound@9", "pobj@7"),
)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Old Shi", "subject"),
        ("Old", "other"),
        ("Old Shi and Bo", "subject"),
        ("Bo", "subject"),
        ("the boat", "object"),
        ("Jade Isle", "other"),
        ("saw", "other"),
    ],
)
def test_the_role_of_a_phrase_is_that_of_its_head(phrase, expected):
    assert role(SAW, phrase) == expected


def test_a_mark_that_hangs_elsewhere_is_not_the_head():
    assert role(tree("“ Bo slept", "punct@2", "nsubj@2", "ROOT@2"), "“ Bo") == "subject"


def test_a_phrase_without_words_has_no_role():
    assert span_role(SAW, 7, 8) == "other"  # the space behind Shi


def test_a_cycle_ends():
    assert role(tree("a b", "conj@1", "conj@0"), "a") == "other"


def test_a_tree_survives_the_cache():
    assert decode(SAW.text, encode(SAW)) == SAW


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("The old captain gave her the lantern.", "The old captain", "subject"),
        ("The old captain gave her the lantern.", "the lantern", "object"),
        ("The lantern was stolen by the captain.", "The lantern", "subject"),
        ("The lantern was stolen by the captain.", "the captain", "other"),
    ],
)
def test_the_parser(text, phrase, expected):
    (analysis,) = Analyser(Parser(), cache=False).analyse([text])
    assert role(analysis, phrase) == expected


def test_without_model_it_is_not_available(monkeypatch):
    monkeypatch.setattr("bwb.analysis.english._MODELS", ("no_such_model",))
    assert not roles.available()
