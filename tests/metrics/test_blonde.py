"""BlonDe on sentences small enough to count by hand, by an analyser that needs no model."""

from __future__ import annotations

import dataclasses
import math
import random
from array import array
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.analysis.base import Analyser, Analysis, NamedSpan
from bwb.annotations.assemble import assemble
from bwb.errors import InputError, LengthError, MissingDependencyError, UnknownNameError, UsageError
from bwb.metrics.base import as_arrays
from bwb.metrics.blonde import Blonde
from bwb.metrics.blonde_counts import Ngrams, Text
from bwb.metrics.blonde_score import all_ratios
from bwb.metrics.blonde_settings import Settings, word_lists
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import compare, interval, resample_weights, resampled_scores
from bwb.records import ErrorMark, NamedEntity, Side, SystemOutput

TAGS = {"saw": "VBD", "left": "VBD", "sees": "VBZ", "will": "MD", "see": "VB"}
LABELS = {"Bo": "PERSON", "Lin": "PERSON", "Bo’s": "PERSON", "Jade": "GPE", "Two": "CARDINAL"}


class Words:
    """Cuts at spaces; knows the tags and the names above."""

    name = "words"

    def run(self, texts):
        for text in texts:
            starts, ends, tags, names = array("H"), array("H"), [], []
            at = 0
            for word in text.split(" "):
                if word in LABELS:
                    names.append(NamedSpan(LABELS[word], len(starts), len(starts) + 1))
                starts.append(at)
                ends.append(at + len(word))
                tags.append(TAGS.get(word, "NN"))
                at += len(word) + 1
            yield Analysis.of(text, starts, ends, tags, names)


def blonde(**choices):
    return Blonde(analyser=Analyser(Words(), cache=False), **choices)


def document(*sentences, name="b/1", systems=(), listed=None):
    made = assemble(name, "b", "1", None, Side("en", sentences, named_entities=listed))
    return dataclasses.replace(made, systems=systems)


def result(metric, doc, *system):
    return metric.score("s", [metric.count(doc, system)])


def triple(score, name):
    counts = score.parts[name].counts
    return tuple(counts[key] for key in ("matched", "system", "reference"))


REFERENCE = ("Bo saw her but she left", "then Lin saw Jade so they left", "it will see him")
SYSTEM = ("Bo sees her and he left", "then Lin saw Jade still", "it will see Bo")


class TestCounts:
    def test_every_class_by_hand(self):
        score = result(blonde(), document(*REFERENCE), *SYSTEM)
        assert triple(score, "tense") == (4, 5, 6)
        assert triple(score, "tense.VBD") == (2, 2, 4)
        assert triple(score, "tense.VBZ") == (0, 1, 0)
        assert triple(score, "pronoun") == (2, 3, 5)
        assert triple(score, "pronoun.feminine") == (1, 1, 2)
        assert triple(score, "pronoun.neuter") == (1, 1, 1)
        assert triple(score, "pronoun.epicene") == (0, 0, 1)
        # Each sentence apart: the masculine pronouns are in sentence 1 here, in 3 there.
        assert triple(score, "pronoun.masculine") == (0, 1, 1)
        assert triple(score, "entity") == (3, 4, 3)
        assert triple(score, "entity.NONPERSON") == (1, 1, 1)
        assert triple(score, "dm") == (1, 2, 3)
        assert triple(score, "dm.temporal") == (1, 1, 1)
        assert triple(score, "dm.comparison") == (0, 1, 1)
        assert [triple(score, order) for order in "1234"] == [
            (10, 15, 17),
            (5, 12, 14),
            (3, 9, 11),
            (1, 6, 8),
        ]

    def test_scores_are_means_of_ratios(self):
        score = result(blonde(), document(*REFERENCE), *SYSTEM)
        recalls = [4 / 6, 2 / 5, 3 / 3, 1 / 3, 10 / 17, 5 / 14, 3 / 11, 1 / 8]
        precisions = [4 / 5, 2 / 3, 3 / 4, 1 / 2, 10 / 15, 5 / 12, 3 / 9, 1 / 6]
        recall, precision = (math.prod(x) ** (1 / 8) for x in (recalls, precisions))
        assert score.recall == pytest.approx(recall)
        assert score.precision == pytest.approx(precision)
        assert (
            score.score == score.f1 == pytest.approx(2 * recall * precision / (recall + precision))
        )
        assert score.parts["dBlonDe"].recall == pytest.approx(math.prod(recalls[:4]) ** 0.25)
        discourse = math.prod(recalls[:4]) ** 0.25
        assert score.parts["sBlonDe"].recall == pytest.approx(
            (math.prod(recalls[4:]) * discourse) ** 0.2
        )
        assert score.parts["BlonDe+"].f1 is None

    def test_what_is_missed(self):
        score = result(blonde(), document(*REFERENCE), *SYSTEM)
        assert [(m.sentence, m.name, m.kind, m.count) for m in score.misses] == [
            (0, "feminine", "pronoun", 1),
            (0, "comparison", "dm", 1),
            (1, "epicene", "pronoun", 1),
            (1, "contingency", "dm", 1),
            (2, "masculine", "pronoun", 1),
        ]

    def test_the_reference_itself_is_perfect(self):
        for variant in ("paper", "blonde-0.1.4"):
            score = result(blonde(variant=variant), document(*REFERENCE), *REFERENCE)
            assert (score.score, score.precision, score.recall) == (1, 1, 1)
            assert score.misses == ()

    def test_the_packages_weights_leave_classes_out(self):
        score = result(blonde(variant="blonde-0.1.4"), document(*REFERENCE), *SYSTEM)
        assert triple(score, "pronoun") == (1, 2, 3)
        assert triple(score, "entity") == (2, 3, 2)
        weights = {"pronoun": [1, 1, 1, 1], "entity": [0.5, 0.5]}
        score = result(
            blonde(variant="blonde-0.1.4", class_weights=weights), document(*REFERENCE), *SYSTEM
        )
        assert triple(score, "pronoun") == (2, 3, 5)
        assert triple(score, "entity") == (3, 4, 3)

    def test_markers_of_several_words_count_once(self):
        metric = blonde()
        metric.count(document("a"), ["a"])
        lines = {
            "As a result he left": {"contingency": 1},
            "now that Bo left now": {"contingency": 1},
            "on the other hand but on the hand": {"comparison": 2},
            "at the same time then": {"temporal": 2},
            "at the same": {},
            "But BUT however": {"comparison": 3},
            "else": {"expansion": 1},
            "instead of and as soon as": {},
        }
        for line, expected in lines.items():
            score = result(metric, document(line), line)
            found = {
                name.removeprefix("dm."): part.counts["system"]
                for name, part in score.parts.items()
                if name.startswith("dm.") and part.counts["system"]
            }
            assert found == expected, line

    def test_possessives_are_taken_off_names(self):
        score = result(blonde(), document("Bo’s lamp"), "Bo lamp")
        assert triple(score, "entity") == (1, 1, 1)

    def test_white_space_at_the_ends_of_a_line_is_nothing(self):
        score = result(blonde(), document("Bo left"), " Bo left ")
        assert score.parts["2"].f1 == 1

    def test_lower_case_comes_before_the_analysis(self):
        score = result(blonde(lowercase=True), document("Bo SAW her"), "bo saw her")
        assert triple(score, "1") == (3, 3, 3)
        assert score.parts["entity"].f1 is None


class TestUndefined:
    def test_is_none_and_left_out(self):
        score = result(blonde(), document("a b c d e"), "a b c d e")
        assert score.score == 1
        for name in ("tense", "pronoun", "entity", "dm", "dBlonDe", "ellipsis", "ambiguity"):
            part = score.parts[name]
            assert (part.precision, part.recall, part.f1) == (None, None, None), name

    def test_half_defined(self):
        score = result(blonde(), document("but a b c d"), "a b c d e")
        part = score.parts["dm"]
        assert (part.precision, part.recall, part.f1) == (None, 0, 0)
        assert score.recall == pytest.approx((1e-4 * 4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.2)
        assert score.precision == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)

    def test_nothing_at_all(self):
        score = result(blonde(), document(""), "")
        # An empty line still has a token here: the analyser cuts at spaces only.
        assert score.parts["2"].f1 is None

    def test_a_system_of_empty_lines_scores_low_but_scores(self):
        score = result(blonde(categories=["tense"]), document("Bo left", "Bo saw"), "", "")
        assert (score.precision, score.score) == (None, 0)


class TestReferences:
    MORE: ClassVar = {"b/1": [("Lin saw him", "they left")]}

    def test_a_system_equal_to_one_reference_is_perfect(self):
        doc = document("Bo left her", "she will see Jade")
        metric = blonde(references=self.MORE)
        for system in (doc.en.sentences, self.MORE["b/1"][0]):
            assert result(metric, doc, *system).score == 1
        union = blonde(references=self.MORE, variant="blonde-0.1.4")
        score = result(union, doc, *doc.en.sentences)
        assert (score.precision, triple(score, "1")) == (1, (7, 7, 12))

    def test_each_document_has_its_own_nearest(self):
        docs = [document("Bo left", name="b/1"), document("Bo left", name="b/2")]
        metric = blonde(references={d.id: [("she saw Lin",)] for d in docs})
        tallies = [metric.count(docs[0], ["Bo left"]), metric.count(docs[1], ["she saw Lin"])]
        assert metric.score("s", tallies).score == 1
        assert "refs:2@" in str(metric.signature({}))

    def test_of_another_shape_they_are_refused(self):
        doc = document("a", "b")
        with pytest.raises(LengthError, match="reference 2 has 1 sentences, reference 1 has 2"):
            blonde(references={"b/1": [("a",)]}).counter(doc)
        with pytest.raises(InputError, match="reference 2 is no list of sentences"):
            blonde(references={"b/1": ["ab"]}).counter(doc)


def marked(*marks):
    errors = tuple(ErrorMark(line, code, phrase) for line, code, phrase in marks)
    return (SystemOutput("mt", ("", ""), errors),)


class TestPlus:
    DOC = document(
        "He called her (a*b) and she left",
        "the press was kind",
        systems=marked(
            (0, 3, "her"), (0, 1, "(a*b)"), (1, 1, "press"), (1, 2, "kind"), (1, 1, None)
        ),
    )

    def test_annotated_phrases_are_looked_for_in_both_texts(self):
        score = result(blonde(plus=True), self.DOC, "He (A*B) left there her HER", "the pressing")
        assert triple(score, "ellipsis") == (1, 2, 1)
        # Regular expression characters are only characters; "pressing" is no "press".
        assert triple(score, "ambiguity") == (1, 1, 2)
        assert score.score == score.parts["BlonDe+"].f1 != score.parts["BlonDe"].f1

    def test_it_needs_marks(self):
        assert "no errors are marked" in blonde(plus=True).lacks(document("a"))
        with pytest.raises(InputError, match="no errors are marked"):
            blonde(plus=True).counter(document("a"))
        assert blonde().lacks(document("a")) is None


class TestListedEntities:
    LISTED = (
        NamedEntity(0, "PERSON", "Old Shi", 1),
        NamedEntity(1, "NONPERSON", "Jade (upper)", 1),
        NamedEntity(1, "PERSON", "Old Shi’s", 1),
    )

    def test_they_replace_those_of_the_model(self):
        doc = document("Old Shi saw Bo", "Old Shi’s Jade (upper)", listed=self.LISTED)
        metric = blonde(entities="annotated")
        assert result(metric, doc, *doc.en.sentences).score == 1
        score = result(metric, doc, "Old Shi Old Shi", "Bo’s Jade (upper)")
        assert triple(score, "entity.PERSON") == (1, 2, 2)
        assert triple(score, "entity.NONPERSON") == (1, 1, 1)
        model = result(blonde(), doc, "Old Shi Old Shi", "Bo’s Jade (upper)")
        assert triple(model, "entity") == (1, 2, 2)

    def test_without_lists_it_says_so(self):
        assert "not listed" in blonde(entities="annotated").lacks(document("a"))
        with pytest.raises(UsageError, match="expected 'model' or 'annotated'"):
            blonde(entities="human")


class TestSettings:
    TOTALS = as_arrays(
        {
            "1.matched": 2, "1.system": 4, "1.reference": 5,
            "2.system": 3, "2.reference": 4, "3.system": 2, "3.reference": 3,
            "tense.matched": 1, "tense.system": 2, "tense.reference": 4,
        }
    )  # fmt: skip

    def recalls(self, **choices):
        found = all_ratios(self.TOTALS, Settings(**choices))
        return {name: float(pair.recall[0]) for name, pair in found.items()}

    @pytest.mark.parametrize(
        ("choices", "second", "third"),
        [
            ({}, 1 / 8, 1 / 12),
            ({"variant": "blonde-0.1.4"}, 2 / 4, 4 / 3),
            ({"smoothing": "floor"}, 0.1 / 4, 0.1 / 3),
            ({"smoothing": "floor", "smooth_value": 0.5}, 0.5 / 4, 0.5 / 3),
            ({"smoothing": "add-k"}, 1 / 5, 1 / 4),
            ({"smoothing": "add-k", "smooth_value": 2}, 2 / 6, 2 / 5),
            ({"smoothing": "none"}, 0, 0),
            ({"effective_order": True}, math.nan, math.nan),
        ],
    )
    def test_smoothing(self, choices, second, third):
        found = self.recalls(**choices)
        assert found["1"] == 2 / 5
        assert [found["2"], found["3"]] == pytest.approx([second, third], nan_ok=True)
        assert math.isnan(found["4"])

    def test_the_paper_floors_matches_the_package_ratios(self):
        found = self.recalls(categories=["tense", "2"], smoothing="none")
        assert found["BlonDe"] == pytest.approx(math.sqrt(1 / 4 * 1e-4 / 4))
        found = self.recalls(categories=["tense", "2"], smoothing="none", variant="blonde-0.1.4")
        assert found["BlonDe"] == pytest.approx(math.sqrt(1 / 4 * 1e-5))
        found = self.recalls(categories=["tense", "2"], smoothing="none", average="arithmetic")
        assert found["BlonDe"] == pytest.approx(1 / 8)

    def test_a_subset_of_categories(self):
        assert self.recalls(categories=["1"])["BlonDe"] == pytest.approx(2 / 5)
        found = self.recalls(categories=["n-gram"])
        assert set(found) == {"1", "2", "3", "4", "BlonDe", "dBlonDe", "sBlonDe"}
        assert math.isnan(found["dBlonDe"])

    def test_importance_weights(self):
        found = self.recalls(categories=["tense", "1"], importance={"tense": 3})
        assert found["BlonDe"] == pytest.approx((1 / 4) ** 0.75 * (2 / 5) ** 0.25)
        found = self.recalls(
            categories=["1", "2"], smoothing="floor", class_weights={"n-gram": [3, 1, 0, 0]}
        )
        assert found["BlonDe"] == pytest.approx((2 / 5) ** 0.75 * (0.1 / 4) ** 0.25)

    @pytest.mark.parametrize(
        ("choices", "error", "said"),
        [
            ({"variant": "blond"}, UnknownNameError, "known are blonde-0.1.4, paper"),
            ({"average": "median"}, UnknownNameError, "unknown average 'median'"),
            ({"smoothing": "exq"}, UnknownNameError, "did you mean 'exp'"),
            ({"categories": ["tens"]}, UnknownNameError, "did you mean 'tense'"),
            ({"categories": "tense"}, UsageError, "expected a list of names"),
            ({"categories": []}, UsageError, "expected a list of names"),
            ({"categories": ["ambiguity"]}, InputError, "only BlonDe\\+ has these"),
            ({"importance": {"dn": 1}}, UnknownNameError, "unknown category 'dn'"),
            ({"importance": {"dm": -1}}, UsageError, "importance of dm is -1"),
            ({"importance": {"dm": math.inf}}, UsageError, "expected a number"),
            ({"importance": {"dm": 0}, "categories": ["dm"]}, UsageError, "importance 0"),
            ({"class_weights": {"entity": [1]}}, UsageError, "expected 2, for PERSON, NONPERSON"),
            ({"class_weights": {"entity": [0, 0]}}, UsageError, "all weights of entity are 0"),
            ({"class_weights": {"entity": ["1", 0]}}, UsageError, "weight in entity is '1'"),
            ({"class_weights": {"1": [1]}}, UnknownNameError, "category with classes"),
            ({"smooth_value": 1}, UsageError, "goes with floor and add-k, not exp"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, choices, error, said):
        with pytest.raises(error, match=said):
            Settings(**choices)

    def test_the_signature_tells_choices_apart(self):
        choices = [
            {},
            {"variant": "blonde-0.1.4"},
            {"lowercase": True},
            {"plus": True},
            {"entities": "annotated"},
            {"average": "arithmetic"},
            {"smoothing": "floor"},
            {"smoothing": "floor", "smooth_value": 0.2},
            {"effective_order": True},
            {"categories": ["tense"]},
            {"importance": {"tense": 2}},
            {"class_weights": {"entity": [1, 0]}},
            {"references": {"b/1": [("a",)]}},
            {"references": {"b/1": [("b",)]}},
        ]
        signatures = {str(blonde(**choice).signature({})) for choice in choices}
        assert len(signatures) == len(choices)
        assert all("|model:words|" in signature for signature in signatures)


class TestBadInput:
    def test_an_empty_document(self):
        with pytest.raises(InputError, match=r"b/1: the document is empty"):
            blonde().counter(document())

    def test_another_number_of_sentences(self):
        with pytest.raises(LengthError, match=r"b/1: 1 sentences, expected 2"):
            blonde().count(document("a", "b"), ["a"])

    def test_a_missing_model(self, monkeypatch):
        monkeypatch.setattr("bwb.analysis.english.find_spec", lambda name: None)
        from bwb.analysis.english import English

        metric = Blonde(analyser=Analyser(English(), cache=False))
        with pytest.raises(MissingDependencyError, match="pip install"):
            metric.count(document("a"), ["a"])
        assert "model:none" in str(Blonde().signature({}))


def test_a_corpus_is_analysed_once_and_summed(tmp_path):
    asked = []

    class Told(Words):
        def run(self, texts):
            asked.extend(texts)
            return super().run(texts)

    docs = [document("Bo left", "she saw Bo", name="b/1"), document("Bo left", name="b/2")]
    outputs = {
        "one": {"b/1": ("Bo left", "he saw Bo"), "b/2": ("Lin left",)},
        "two": {"b/1": ("Bo left", "she saw"), "b/2": ("Bo left",)},
    }
    metric = Blonde(analyser=Analyser(Told(), cache=tmp_path))
    (scored,) = score_systems(docs, outputs, [metric])
    assert sorted(asked) == sorted(set(asked))
    one, two = scored.scores()
    assert triple(one, "1") == (5, 7, 7)
    assert (one.documents, one.parts["pronoun"].f1) == (2, 0)
    weights = resample_weights(2, 500, 1)
    values = resampled_scores(metric, scored.tallies["two"], weights)
    assert values.shape == (500,)
    assert values.max() == 1
    ends = interval(values)
    assert ends.low <= two.score <= ends.high
    (row,) = compare(metric, scored.tallies, "one", resamples=200)
    assert row.difference == pytest.approx(two.score - one.score)


def test_resamples_are_the_scores_of_the_summed_counts():
    rng = random.Random(5)
    words = ["Bo", "Lin", "left", "saw", "he", "she", "but", "then", "a", "b", "c"]
    docs = [
        document(*(" ".join(rng.choices(words, k=6)) for _ in range(3)), name=f"b/{i}")
        for i in range(4)
    ]
    for choices in ({}, {"variant": "blonde-0.1.4"}, {"effective_order": True}):
        metric = blonde(**choices)
        tallies = [
            metric.count(d, [" ".join(rng.choices(words, k=6)) for _ in range(3)]) for d in docs
        ]
        weights = resample_weights(4, 30, 3)
        values = resampled_scores(metric, tallies, weights)
        for row, value in zip(weights.astype(int), values, strict=True):
            drawn = [t for t, count in zip(tallies, row, strict=True) for _ in range(count)]
            assert metric.score("s", drawn).score == pytest.approx(value)


SENTENCES = st.lists(st.lists(st.integers(0, 3), max_size=7), min_size=2, max_size=2)


def as_text(sentences):
    keys = [key for i, s in enumerate(sentences) for key in (*((i << 32) | t for t in s), -1)]
    lengths = [[max(0, len(s) - n) for s in sentences] for n in range(4)]
    return Text(np.array(keys), np.zeros((2, 1)), Counter(), [sum(row) for row in lengths])


def by_counters(sentences, n):
    return [Counter(tuple(s[i : i + n]) for i in range(len(s) - n + 1)) for s in sentences]


@given(SENTENCES, SENTENCES, SENTENCES, st.sampled_from([0, 4_000_000]))
def test_ngrams_are_counted_exactly(one, other, system, dense):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bwb.metrics.blonde_counts._DENSE", dense)
        found = Ngrams([as_text(one), as_text(other)])
        matched = found.matched(as_text(system))
    for n in range(1, 5):
        union = [a | b for a, b in zip(by_counters(one, n), by_counters(other, n), strict=True)]
        both = [a & b for a, b in zip(union, by_counters(system, n), strict=True)]
        assert found.totals[n - 1] == sum(c.total() for c in union)
        assert matched[n - 1] == sum(c.total() for c in both)


def test_word_lists_are_sound():
    for variant in ("paper", "blonde-0.1.4"):
        lists = word_lists(variant)
        assert all(word == word.lower() for words in lists.markers for word in words)
        assert not set(lists.pronouns) & {words[0] for words in lists.markers if len(words) == 1}
    assert "theirs" in word_lists("paper").pronouns
    assert ("else",) not in word_lists("blonde-0.1.4").markers
    assert len(word_lists("paper").classes["dm"]) == 4
