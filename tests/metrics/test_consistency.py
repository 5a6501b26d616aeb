"""Consistency and zero pronouns on sentences small enough to count by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.annotations.sources import read_documents
from bwb.errors import UsageError
from bwb.metrics.consistency import Ltcr, TermConsistency, pair_counts
from bwb.metrics.rendering import counterparts, normal_forms
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import resampled_scores
from bwb.metrics.systems import embedded_outputs
from bwb.metrics.zero_accuracy import ZeroPronounAccuracy
from bwb.metrics.zero_pronoun import ZeroPronoun
from bwb.records import Link


def document(zh, en, name="b/1"):
    sides = (read_inline(lines, lang)[0] for lines, lang in ((zh, "zh"), (en, "en")))
    return assemble(name, "b", name[2:], *sides)


def result(metric, doc, *system):
    return metric.score("s", [metric.count(doc, system or doc.en.sentences)])


# The reference itself calls the boat by two names.
BOAT = document(
    ["<VEH, T, 1>{灯舟}来了。"] * 4 + ["<PER, N, 2>{船长}笑了。"] * 2,
    ["The <VEH, T, 1>{Lamp Boat} came."] * 3
    + ["The <VEH, T, 1>{Lantern Skiff} came."]
    + ["<PER, N, 2>{The captain} smiled."] * 2,
)
SYSTEM = (
    "The Lamp Boat came.",
    "A lamp boat came.",
    "The Lantern Skiff came.",
    "A canoe came.",
    "The captain smiled.",
    "And the captain’s smile!",
)


class TestLtcr:
    def test_by_hand(self):
        score = result(Ltcr(), BOAT, *SYSTEM)
        # Of the boat's six pairs one is the same, three have both renderings; of the captain's 1.
        keys = ("same", "aligned", "pairs")
        assert [score.counts[f"term.{key}"] for key in keys] == [1, 3, 6]
        assert [score.counts[f"other.{key}"] for key in keys] == [1, 1, 1]
        assert score.score == score.recall == pytest.approx(2 / 7)
        assert score.parts["term"].recall == pytest.approx(1 / 6)
        assert score.parts["other"].recall == 1
        assert score.parts["coverage"].recall == pytest.approx(5 / 6)
        assert [(m.sentence, m.name, m.kind) for m in score.misses] == [
            (2, "Lamp Boat", "term"),
            (3, "Lamp Boat", "term"),
        ]

    def test_what_is_not_found_may_be_left_out(self):
        score = result(Ltcr(unaligned="left_out"), BOAT, *SYSTEM)
        assert score.score == pytest.approx(2 / 4)
        assert [m.sentence for m in score.misses] == [2]

    def test_renderings_may_have_to_be_the_same_to_the_letter(self):
        score = result(Ltcr(same="exact"), BOAT, *SYSTEM)
        assert "entity.same" not in score.counts
        assert score.score == 0

    def test_lemmas(self):
        doc = document(
            ["<VEH, N, 1>{灯}亮了。"] * 2,
            ["<VEH, N, 1>{The lantern} shone.", "<VEH, N, 1>{The lanterns} shone."],
        )
        assert result(Ltcr(), doc).score == 0
        score = result(Ltcr(same="lemma"), doc)
        assert score.score == 1
        assert "lemma:en_core_web_sm-" in str(score.signature)

    def test_a_reference_scores_what_it_is(self):
        assert result(Ltcr(), BOAT).score == pytest.approx((3 + 1) / 7)
        steady = document(["<VEH, T, 1>{灯舟}来了。"] * 3, ["<VEH, T, 1>{Lamp Boat} came."] * 3)
        score = result(Ltcr(), steady)
        assert (score.score, score.misses) == (1, ())
        assert result(TermConsistency(), steady).score == 1

    def test_other_words_for_an_entity_are_other_words(self):
        doc = document(
            ["<PER, T, 1>{闻溪}来了。", "<PER, N, 1>{船长}来了。"],
            ["<PER, T, 1>{Wen Xi} came.", "<PER, N, 1>{The captain} came."],
        )
        score = result(Ltcr(), doc)
        assert (score.score, score.parts["chain"].recall) == (None, 0)
        score = result(Ltcr(pairs="entity"), doc)
        assert (score.score, score.parts["term"].recall) == (0, None)

    def test_one_mention_has_no_pairs(self):
        doc = document(["<VEH, T, 1>{灯舟}来了。"], ["<VEH, T, 1>{Lamp Boat} came."])
        for metric in (Ltcr(), Ltcr(unaligned="left_out"), TermConsistency()):
            assert result(metric, doc).score is None
            assert result(metric, doc, "Rain.").misses == ()

    def test_pairs_are_made_within_documents(self):
        docs = [
            document(["<VEH, T, 1>{灯舟}"], [f"<VEH, T, 1>{{{name}}}"], name=f"b/{number}")
            for number, name in enumerate(("Lamp Boat", "Skiff"), 1)
        ]
        metric = Ltcr()
        assert metric.score("s", [metric.count(d, d.en.sentences) for d in docs]).score is None

    def test_if_nothing_is_found_the_reference_says_what_was_expected(self):
        score = result(Ltcr(), BOAT, *["Rain."] * 6)
        assert score.score == 0
        assert [m.name for m in score.misses] == ["Lamp Boat"] * 3 + ["Lantern Skiff"] + [
            "The captain"
        ] * 2

    def test_counting_pairs(self):
        assert pair_counts(["a", "a", "a", "b", None]) == (3, 6, 10)
        assert pair_counts([]) == (0, 0, 0)


class TestCounterparts:
    def test_terms_are_paired_with_terms_and_pronouns_take_no_part(self):
        doc = document(
            ["<PER, N, 1>{船长}就是<PER, T, 1>{闻溪}，<P, 1>{她}笑了。"],
            ["<PER, T, 1>{Wen Xi} was <PER, N, 1>{the captain}; <P, 1>{she} smiled."],
        )
        found = [(pair.source.text, pair.reference.text) for pair in counterparts(doc)]
        assert found == [("船长", "the captain"), ("闻溪", "Wen Xi")]

    def test_what_the_reference_does_not_name_is_not_asked_for(self):
        doc = document(["<PER, T, 1>{闻溪}笑了。"] * 2, ["<P, 1>{She} smiled."] * 2)
        assert counterparts(doc) == []
        assert result(Ltcr(), doc).score is None

    def test_linked_sentences(self):
        doc = document(
            ["<PER, T, 1>{闻溪}笑了，", "<PER, T, 2>{老石}也笑了。"],
            ["<PER, T, 2>{Old Shi} and <PER, T, 1>{Wen Xi}", "smiled."],
        )
        assert [pair.source.text for pair in counterparts(doc)] == ["闻溪"]
        doc = dataclasses.replace(doc, links=(Link((0, 1), (0, 1)),))
        found = [(pair.source.text, pair.reference.text) for pair in counterparts(doc)]
        assert found == [("闻溪", "Wen Xi"), ("老石", "Old Shi")]

    def test_a_mention_inside_another_has_its_own_rendering(self):
        doc = document(
            ["<ORG, T, 1>{<PER, T, 2>{林晚}粉丝群}里有<PER, T, 2>{林晚}。"],
            ["<ORG, T, 1>{The <PER, T, 2>{Lin Wan} club} had <PER, T, 2>{Lin Wan}."],
        )
        assert result(Ltcr(), doc).score == 1
        assert result(Ltcr(), doc, "The Lin Wan club was full.").score == 0

    def test_normal_forms(self):
        texts = ["The  Lamp-Boat’s", "lamp boat", "a Lamp Boat", "the"]
        assert normal_forms(texts, "normalised") == ["lamp boat"] * 3 + ["the"]
        assert normal_forms(texts, "exact") == texts


class TestTermConsistency:
    def test_a_mean_over_terms(self):
        doc = document(
            ["<VEH, T, 1>{灯舟}来了。"] * 4 + ["<PER, T, 2>{闻溪}和<PER, N, 3>{船长}。"] * 2,
            ["<VEH, T, 1>{Lamp Boat} came."] * 3
            + ["<VEH, T, 1>{Lantern Skiff} came."]
            + ["<PER, T, 2>{Wen Xi} and <PER, N, 3>{the captain}."] * 2,
        )
        score = result(TermConsistency(), doc, *SYSTEM[:4], *["Wen Xi and the captain."] * 2)
        assert (score.counts["terms"], score.score) == (2, pytest.approx((1 / 6 + 1) / 2))
        left_out = TermConsistency(unaligned="left_out")
        score = result(left_out, doc, *SYSTEM[:4], "Wen Xi.", "Rain.")
        assert (score.counts["terms"], score.score) == (1, pytest.approx(1 / 3))

    def test_it_needs_terms_on_both_sides(self):
        lacks = TermConsistency().lacks
        assert lacks(BOAT) is None
        assert lacks(dataclasses.replace(BOAT, zh=None)) == "no source"
        bare = dataclasses.replace(BOAT.zh, layers=("entity",))
        assert "layer terminology" in lacks(dataclasses.replace(BOAT, zh=bare))
        assert Ltcr().lacks(dataclasses.replace(BOAT, zh=bare)) is None


ZERO = document(
    ["<PER, T, 1>{闻溪}来了。", "笑了。", "关上门。"],
    [
        "<PER, T, 1>{Wen Xi} came.",
        "<P, 2>{He} saw that <O, 1>{she} smiled.",
        "<O, 1>{She} shut <O, 1>{her} door.",
    ],
)


class TestZeroPronounAccuracy:
    def test_by_hand(self):
        system = ("Wen Xi came.", "He saw her smile.", "Wen Xi shut his door, and she left.")
        scores = {
            accept: result(ZeroPronounAccuracy(accept=accept), ZERO, *system)
            for accept in ("form", "class", "name")
        }
        assert scores["form"].score == pytest.approx(1 / 3)
        assert scores["class"].score == pytest.approx(2 / 3)
        assert scores["name"].score == 1
        assert scores["class"].parts["feminine"].recall == pytest.approx(2 / 3)
        assert scores["class"].parts["masculine"].recall is None
        misses = [(m.sentence, m.name, m.kind) for m in scores["class"].misses]
        assert misses == [(2, "her", "feminine")]

    def test_pronouns_answer_first_for_those_that_are_not_omitted(self):
        doc = document(["她来了。"], ["<P, 1>{She} said <O, 2>{she} came."])
        assert result(ZeroPronounAccuracy(), doc, "She came.").score == 0
        assert result(ZeroPronounAccuracy(), doc).score == 1

    def test_a_pronoun_in_no_list_is_itself(self):
        doc = document(["来了。"], ["<O, 1>{Thou} camest."])
        score = result(ZeroPronounAccuracy(), doc, "You came.")
        assert (score.score, score.parts["other"].recall) == (0, 0)
        assert result(ZeroPronounAccuracy(), doc).score == 1

    def test_without_zero_pronouns_it_is_undefined(self):
        doc = document(["她来了。"], ["<P, 1>{She} came."])
        assert result(ZeroPronounAccuracy(), doc).score is None

    def test_by_default_it_is_the_recall_of_zero_pronoun(self):
        docs = list(read_documents())
        metrics = [ZeroPronounAccuracy(), ZeroPronoun()]
        accuracy, found = score_systems(docs, embedded_outputs(docs), metrics)
        for one, two in zip(accuracy.scores(), found.scores(), strict=True):
            assert one.score == pytest.approx(two.recall)


def test_the_systems_of_the_sample():
    docs = list(read_documents())
    outputs = embedded_outputs(docs)
    outputs["reference"] = {doc.id: doc.en.sentences for doc in docs}
    metrics = [
        Ltcr(),
        Ltcr(same="exact"),
        Ltcr(pairs="entity"),
        Ltcr(unaligned="left_out"),
        TermConsistency(),
        ZeroPronounAccuracy(),
    ]
    for scored in score_systems(docs, outputs, metrics):
        scores = {score.system: score for score in scored.scores()}
        assert scores["document-level"].score > scores["sentence-level"].score
        if isinstance(scored.metric, TermConsistency | ZeroPronounAccuracy):
            assert scores["reference"].score == 1
            assert scores["reference"].misses == ()
        if not isinstance(scored.metric, ZeroPronounAccuracy):
            assert scores["reference"].parts["coverage"].recall == 1


@pytest.mark.parametrize(
    "metric", [Ltcr(), TermConsistency(), ZeroPronounAccuracy()], ids=lambda metric: metric.name
)
def test_resamples_are_scores_of_summed_counts(metric):
    docs = [doc for doc in read_documents() if doc.book in {"quiet-ledger", "ninth-tide"}]
    system = embedded_outputs(docs)["sentence-level"]
    tallies = [metric.count(doc, system[doc.id]) for doc in docs]
    weights = np.eye(len(docs))
    weights[0] = 1
    values = resampled_scores(metric, tallies, weights)
    assert values[0] == pytest.approx(metric.score("s", tallies).score)
    assert values[1] == pytest.approx(metric.score("s", tallies[1:2]).score)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Ltcr(pairs="word"), "pairs is 'word'; expected form or entity"),
        (lambda: Ltcr(same="stem"), "same is 'stem'"),
        (lambda: TermConsistency(unaligned="no"), "unaligned is 'no'"),
        (lambda: ZeroPronounAccuracy(accept="all"), "accept is 'all'; expected form, class, name"),
    ],
)
def test_settings_that_are_not_known_are_refused(make, said):
    with pytest.raises(UsageError, match=said):
        make()
