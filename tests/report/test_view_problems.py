"""Problems get a place and a reason, and are as many as the metrics miss."""

from __future__ import annotations

import csv
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.analysis.english import english
from bwb.annotations.sources import read_documents
from bwb.assets import sample
from bwb.lexicon import pronoun_classes
from bwb.metrics.entity import Entity
from bwb.metrics.matching import count_words
from bwb.metrics.phenomena import Phenomena
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation
from bwb.metrics.systems import embedded_outputs
from bwb.metrics.terminology import Terminology
from bwb.metrics.zero_pronoun import ZeroPronoun
from bwb.records import Mention
from bwb.report.view import _misses
from bwb.report.view_data import document_data
from bwb.report.view_names import Lacking, instead
from bwb.report.view_omitted import ghosts
from bwb.report.view_pronouns import compare, words
from bwb.report.view_tense import shifts, shortfall


@pytest.fixture(scope="module")
def documents():
    return list(read_documents())


@pytest.fixture(scope="module")
def outputs(documents):
    return embedded_outputs(documents)


@pytest.fixture(scope="module")
def data(documents, outputs):
    misses = _misses(documents, outputs)
    return {
        document.id: document_data(
            document,
            {system: found[document.id] for system, found in outputs.items()},
            misses[document.id],
            english(),
        )
        for document in documents
    }


def _problems(data, document, system):
    return [problem for row in data[document]["rows"] for problem in row["s"][system][1]]


METRICS = {
    "E": (Entity, None),
    "T": (Terminology, "T"),
    "P": (Pronoun, None),
    "O": (ZeroPronoun, None),
    "Q": (Quotation, None),
}


@pytest.mark.parametrize("kind", METRICS)
def test_there_are_as_many_problems_as_the_metric_has_misses(kind, documents, outputs, data):
    make, only = METRICS[kind]
    metric = make()
    total = 0
    for document in documents:
        for number, (system, found) in enumerate(outputs.items()):
            misses = metric.count(document, found[document.id]).misses
            by_line = Counter()
            for miss in misses:
                if only is None or miss.kind == only:
                    by_line[miss.sentence] += miss.count
            shown = Counter()
            for line, row in enumerate(data[document.id]["rows"]):
                for problem in row["s"][number][1]:
                    shown[line] += problem[5] * (kind in problem[0])
            assert +shown == by_line, (document.id, system)
            assert data[document.id]["counts"][number][kind] == by_line.total()
            total += by_line.total()
    assert total > 20


def test_tense_is_counted_as_phenomena_counts_it(documents, outputs, data):
    document = documents[0]
    analyse = english().analyse
    for number, found in enumerate(outputs.values()):
        sentences = found[document.id]
        counts = Phenomena(lemma=False).count(document, sentences).counts
        pairs = list(zip(analyse(document.en.sentences), analyse(list(sentences)), strict=True))
        lacking = sum(shortfall(*pair).total() for pair in pairs)
        assert lacking == counts["tense.reference"] - counts["tense.matched"]
        shown = [row["s"][number][1] for row in data[document.id]["rows"]]
        for pair, problems in zip(pairs, shown, strict=True):
            assert sum(p[5] for p in problems if p[0] == "V") <= shortfall(*pair).total()


def test_most_planted_mistakes_are_marked_in_the_words_that_are_wrong(data, outputs):
    """The three systems' mistakes are listed; nine in ten of those that can be told get a mark."""
    kinds = {"gender": "PO", "name": "ET", "term": "ET", "tense": "V"}
    systems = list(outputs)
    marked, planted = Counter(), Counter()
    for file in sorted(sample().glob("planted/*.tsv")):
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows, delimiter="\t"):
                if row["phenomenon"] not in kinds:
                    continue
                planted[row["phenomenon"]] += 1
                line = data[f"{row['book']}/{row['chapter']}"]["rows"][int(row["sentence"]) - 1]
                wrong = row["system_text"].lower()
                marked[row["phenomenon"]] += any(
                    got and (got.lower() in wrong or wrong in got.lower())
                    for got_kinds, _, _, _, _, _, got in line["s"][systems.index(row["system"])][1]
                    if set(got_kinds) & set(kinds[row["phenomenon"]])
                )
    assert planted == {"gender": 53, "name": 58, "term": 74, "tense": 36}
    assert marked["gender"] >= 49
    assert marked["name"] >= 52
    assert marked["term"] >= 70
    assert marked["tense"] >= 31


def test_the_heroines_gender_is_lost_by_one_system(data, outputs):
    gender = dict.fromkeys(outputs, 0)
    for document in data:
        for number, system in enumerate(outputs):
            gender[system] += data[document]["counts"][number]["gender"]
    assert gender["sentence-level"] > 2 * gender["document-level"] > 4 * gender["post-edited"] > 0


@given(st.text("heHEr sItİ’'.him她", max_size=40))
def test_pronouns_are_those_that_are_counted(text):
    found = words(text)
    assert Counter(word.kind for word in found) == count_words(text, pronoun_classes("en"))
    assert all(text[word.start : word.end] == word.text for word in found)


def test_a_pronoun_stands_for_one_that_does_the_same():
    reference = words("She walked, a sword on her back.")
    system = words("A sword on his back, he walked.")
    found = compare(reference, system)
    assert [(due.text, got.text) for due, got in found.missing] == [("She", "he"), ("her", "his")]
    assert found.same == ()


def test_a_pronoun_too_many_is_left_alone():
    assert compare(words("She slept."), words("She slept, and he ate.")).missing == ()


def test_a_pronoun_that_answers_another_use_stands_for_the_missing_one():
    found = compare(words("Like him, she stood in the bow."), words("He stood there likewise."))
    assert [(due.text, got.text) for due, got in found.missing] == [("she", "He")]
    assert found.same == ()


def test_omitted_pronouns_are_missing_first():
    mention = Mention("m1", "1", 15, 18, 0, "her", form="pronoun", omitted=True)
    reference = words("She looked at her own hands.", [mention])
    assert [word.omitted for word in reference] == [False, False]
    mention = Mention("m1", "1", 14, 17, 0, "her", form="pronoun", omitted=True)
    reference = words("She looked at her own hands.", [mention])
    found = compare(reference, words("Own hands she looked at."))
    assert [(due.text, got) for due, got in found.missing] == [("her", None)]


@pytest.mark.parametrize(
    ("due", "chinese", "sentence", "found"),
    [
        ("Slowwater", "迟水", "He saw the late water at last.", "late water"),
        ("Sanniang", "三娘", "Third Mother grabbed the seeds.", "Third Mother"),
        ("Sanniang", "三娘", "San Niang grabbed the seeds.", "San Niang"),
        ("Frostbough Sect", "霜枝宗", "From the Frost Branch Sect?", "Frost Branch Sect"),
        ("Wei Zhenxi", "卫枕溪", "One day Wei Pillow Creek left.", "Wei Pillow Creek"),
        ("Lantern Crossing", "灯渡", "The rules of Dengdu are three.", "Dengdu"),
        ("Slowwater", "迟水", "He saw nothing of the kind.", None),
        ("Slowwater", "迟水", "", None),
    ],
)
def test_another_rendering_of_a_name_is_found(due, chinese, sentence, found):
    (place,) = instead(sentence, [Lacking(due, (due,), (chinese,), 0.5)], [])
    assert (sentence[slice(*place)] if place else None) == found


def test_the_form_itself_stands_for_no_other_mention():
    name = Lacking("Shen Lan", ("Shen Lan",), ("沈岚",), 0.5)
    assert instead("Shen Lan slept.", [name], []) == [None]
    other = Lacking("Shen Lan", ("Shen Lan", "the captain"), ("沈岚",), 0.5)
    assert instead("Shen Lan slept, the captain.", [other], []) == [(16, 27)]


def test_what_is_taken_is_not_taken_again():
    name = Lacking("Slowwater", ("Slowwater",), ("迟水",), 0.5)
    assert instead("The late water.", [name], [(4, 14)]) == [None]
    assert instead("The late water.", [name, name], []) == [(4, 14), None]


def test_chinese_gets_the_pronouns_that_it_leaves_out():
    chinese, english_ = "攥紧了拳头，走了。", "She clenched her fists and left."
    mentions = [
        Mention("m1", "1", 0, 3, 0, "She", form="pronoun", omitted=True),
        Mention("m2", "1", 13, 16, 0, "her", form="pronoun", omitted=True),
        Mention("m3", "1", 17, 22, 0, "fists", form="nominal"),
    ]
    found = ghosts(chinese, english_, 0, mentions)
    assert [(ghost.text, ghost.at) for ghost in found] == [("她", 0), ("她", 3)]
    assert ghosts("走了。", "He left.", 0, []) == []


def test_tense_of_speech_is_not_that_of_the_narration():
    told, said, same = english().analyse(
        ["He walked away.", "He walks away.", "“He walks away,” she said."]
    )
    (shift,) = shifts(told, said)
    assert (shift.due, said.text[shift.start : shift.end], shift.past) == ("walked", "walks", True)
    assert shifts(told, same) == []
