"""From objects to scores: types, ranges, and lists that say that there is nothing."""

from __future__ import annotations

import pytest

from bwb.judge.layout import Place, reading_rules
from bwb.judge.scores import find, item_text, judge_answer, says_none

FLUENCY, ACCURACY = reading_rules().published[:2]


def one(value, place):
    [judgement] = judge_answer(value, [place])
    return judgement


@pytest.mark.parametrize(
    ("said", "score", "note"),
    [
        ("4", 4.0, None),
        (4, 4.0, None),
        (4.5, 4.5, None),
        (" 4 ", 4.0, None),
        ("4/5", 4.0, "score-as-words"),
        ("4 out of 5", 4.0, "score-as-words"),
        ("Score: 3", 3.0, "score-as-words"),
    ],
)
def test_scores_of_many_forms(said, score, note):
    judgement = one({"Fluency": {"Score": said, "Explanation": "stiff"}}, FLUENCY)
    assert (judgement.score, judgement.note, judgement.explanation) == (score, note, "stiff")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (0, "out-of-range"),
        ("6", "out-of-range"),
        ("8/10", "out-of-range"),
        (True, "wrong-type"),
        ("four", "wrong-type"),
        ([4], "wrong-type"),
        (None, "wrong-type"),
        (float("nan"), "wrong-type"),
    ],
)
def test_what_is_no_score_is_a_problem(said, problem):
    judgement = one({"Fluency": {"Score": said}}, FLUENCY)
    assert judgement.score is None
    assert judgement.problem == problem
    assert judgement.message


@pytest.mark.parametrize(
    ("said", "count", "note"),
    [
        ([], 0, None),
        (["a", "b"], 2, None),
        ([{"Type": "Omission", "Details": "a"}, {"Type": "Others", "Details": "b"}], 2, None),
        ([["a", "b"]], 1, None),
        (["No mistakes."], 0, None),
        ("None", 0, "string-for-list"),
        ("The snow is missing.", 1, "string-for-list"),
        ({"Omission": ["a", "b"], "Addition": []}, 2, "object-for-list"),
        ({"Type": "Omission", "Details": "a"}, 1, "object-for-list"),
    ],
)
def test_counts_of_many_forms(said, count, note):
    judgement = one({"Accuracy": {"Mistakes": said}}, ACCURACY)
    assert (judgement.score, judgement.note) == (count, note)


def test_a_number_in_place_of_a_list_is_a_problem():
    assert one({"Accuracy": {"Mistakes": 3}}, ACCURACY).problem == "wrong-type"
    assert one({"Accuracy": {"Mistakes": None}}, ACCURACY).problem == "wrong-type"
    assert one({"Accuracy": {}}, ACCURACY).problem == "missing"


@pytest.mark.parametrize(
    "item",
    [
        "", "None", "n/a", "No mistakes", "No errors found.", "There are no mistakes in the text.",
        "No lexical cohesion mistakes were found in the text to evaluate", "没有错误", "无", "[]",
        {},
    ],
)  # fmt: skip
def test_items_that_say_that_there_is_none(item):
    assert says_none(item)


@pytest.mark.parametrize(
    "item",
    [
        "No mention of the snow.", "There is no lamp in the reference.", "No errors but one: snow.",
        "No mistakes, except that the ferry is missing", "Not translated", "没有翻译",
        {"Type": "Omission"}, "The text has no errors of tense but the pronoun is wrong",
    ],
)  # fmt: skip
def test_items_that_are_mistakes(item):
    assert not says_none(item)


def test_other_keys_and_nestings_are_found():
    assert find({"accuracy": {"MISTAKES": ["a"]}}, ACCURACY).value == ["a"]
    assert one({"Mistakes": ["a"]}, ACCURACY).note == "other-nesting"
    assert one({"result": {"Accuracy": {"Mistakes": ["a"]}}}, ACCURACY).score == 1
    assert find([], ACCURACY) is None


def test_scales_are_those_of_the_place():
    place = Place(metric="m", scale="score", path=("score",), low=0, high=100)
    assert one({"score": "88/100"}, place).score == 88
    assert one({"score": 101}, place).problem == "out-of-range"


def test_the_faults_of_a_score_are_its_items_and_its_reasons():
    place = Place(metric="m", scale="score", path=("score",))
    faults = [{"quote": "a boat", "why": "stiff"}, {"quote": "b", "why": "odd"}]
    judgement = one({"faults": faults, "score": 3}, place)
    assert judgement.items == tuple(faults)
    assert judgement.explanation == "quote: a boat; why: stiff / quote: b; why: odd"


def test_the_words_of_items():
    assert item_text({"Type": "Omission", "Details": ["a", "b"]}) == "Type: Omission; Details: a; b"
    assert item_text(3) == "3"
