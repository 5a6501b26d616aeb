"""Centering on texts small enough to count by hand, and against the definitions by brute force."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.annotations.sources import read_documents
from bwb.errors import UsageError
from bwb.metrics.base import Tally
from bwb.metrics.centering import Centering
from bwb.metrics.centers import Centers
from bwb.metrics.placing import Placer
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import resampled_scores
from bwb.metrics.systems import embedded_outputs
from bwb.records import Side

VARIANTS = ("kp", "nocb", "jiang-2022b")


def document(*lines, name="b/1"):
    return assemble(name, "b", name[2:], None, read_inline(lines, "en")[0])


def metric(variant="kp", **options):
    return Centering(variant, **{"roles": "position", "normalised": False, **options})


def result(made, doc, *system):
    return made.score("s", [made.count(doc, system or doc.en.sentences)])


# Cf of the utterances: [1, 2], [1, 3], [3], [2]; the fourth line has no entity.
# CB: none, 1 (cheap, salient), 3 (salient), none.
FERRY = document(
    "<PER, T, 1>{Wen Xi} met <PER, T, 2>{Old Shi}.",
    "<P, 1>{She} saw <VEH, N, 3>{the boat}.",
    "<P, 3>{It} sank.",
    "Rain fell.",
    "<PER, T, 2>{Old Shi} wept.",
)


class TestCounts:
    def test_by_hand(self):
        score = result(metric(), FERRY)
        names = ("transitions", "nocb", "cheap", "coherent", "salient")
        assert [score.counts.get(name, 0) for name in names] == [3, 1, 1, 0, 2]
        # One NOCB; not cheap, not coherent, not salient: 2, 3 and 1 of the 3 transitions.
        assert score.score == pytest.approx((1 + 2 + 3 + 1) / 3)
        assert score.parts["cheap"].recall == pytest.approx(1 / 3)
        assert score.parts["coverage"].recall == 1
        assert result(metric("nocb"), FERRY).score == pytest.approx(1 / 3)
        assert result(metric("jiang-2022b"), FERRY).score == pytest.approx((2 + 0 - 1) / 9)

    def test_a_center_after_none_is_coherent_if_asked_for(self):
        score = result(metric(coherence="same-or-unknown"), FERRY)
        assert score.counts["coherent"] == 1
        assert score.score == pytest.approx((1 + 2 + 2 + 1) / 3)

    def test_pronouns_rank_first_but_not_in_the_code_of_jiang(self):
        doc = document(
            "<PER, T, 2>{Old Shi} saw <P, 1>{her}.", "<PER, T, 2>{Old Shi} met <PER, T, 1>{Wen Xi}."
        )
        assert result(metric(), doc).counts.get("salient", 0) == 0  # CB is 1, CP is 2
        assert result(metric("jiang-2022b"), doc).counts["salient"] == 1  # both are 2

    def test_the_highest_mention_ranks_an_entity_but_in_the_code_of_jiang_the_first(self):
        text = "<PER, T, 2>{Old Shi} and <PER, T, 3>{Bo} and <PER, T, 1>{Wen Xi} like <P, 1>{her}."
        placed = Placer((doc := document(text)).en).place(doc.en.sentences)
        assert metric()._utterances(placed, doc.en.sentences) == [["1", "2", "3"]]
        assert metric("jiang-2022b")._utterances(placed, doc.en.sentences) == [["2", "3", "1"]]

    def test_sentences_without_center_in_a_row_are_coherent_in_the_code_of_jiang_only(self):
        doc = document("<PER, T, 1>{A} ate.", "<PER, T, 2>{B} ate.", "<PER, T, 3>{C} ate.")
        assert result(metric("jiang-2022b"), doc).counts["coherent"] == 2
        assert "coherent" not in result(metric(coherence="same-or-unknown"), doc).counts

    @pytest.mark.parametrize("normalised", [False, True])
    @pytest.mark.parametrize("lines", [("Rain fell.",), ("<PER, T, 1>{Bo} ate.", "Rain fell.")])
    def test_without_transitions_it_is_undefined(self, lines, normalised):
        score = result(metric(normalised=normalised), document(*lines))
        assert score.score is None
        assert score.parts["nocb"].recall is None


class TestSystems:
    def test_what_the_system_lacks_is_no_entity_of_its_text(self):
        score = result(metric(), FERRY, "Wen Xi met Rock.", "She saw it.", "It sank.", "", "Rock.")
        assert [(m.sentence, m.name) for m in score.misses] == [
            (0, "Old Shi"),
            (1, "the boat"),
            (4, "Old Shi"),
        ]
        assert score.parts["coverage"].recall == pytest.approx(3 / 6)
        # [1], [1], [3]
        assert (score.counts["transitions"], score.counts["nocb"]) == (2, 1)

    def test_a_mention_gets_the_occurrence_of_its_rank(self):
        doc = document("It rained, and <P, 3>{it} sank near <LOC, N, 4>{<LOC, T, 5>{Jade} Isle}.")
        (row,) = Placer(doc.en).place(["It poured; it sank off Jade Isle."]).values()
        assert [(p.mention.entity, p.start) for p in row] == [("3", 11), ("4", 23), ("5", 23)]
        (row,) = Placer(doc.en).place(["It sank by Jade."]).values()
        assert [(p.mention.entity, p.start) for p in row] == [("3", 0), ("5", 11)]

    def test_each_occurrence_is_used_once(self):
        doc = document("<P, 1>{Her} hand took <P, 2>{her} hand.")
        found = (placer := Placer(doc.en)).place(["Her hand."])
        assert [p.mention.entity for p in found[0]] == ["1"]
        assert [m.entity for m in placer.missing(found)] == ["2"]

    def test_the_mentions_of_a_reference_are_in_the_reference(self):
        for doc in read_documents():
            placed = Placer(doc.en).place(doc.en.sentences)
            spans = {
                p.mention.id: (p.start + doc.en.offsets[line], p.end + doc.en.offsets[line])
                for line, row in placed.items()
                for p in row
            }
            assert spans == {m.id: (m.start, m.end) for m in doc.en.mentions}

    def test_of_the_sample(self):
        docs = list(read_documents())
        outputs = embedded_outputs(docs)
        outputs["reference"] = {doc.id: doc.en.sentences for doc in docs}
        for variant in ("kp", "nocb"):
            (scored,) = score_systems(docs, outputs, [metric(variant, normalised=True)])
            scores = {score.system: score for score in scored.scores()}
            assert scores["reference"].parts["coverage"].recall == 1
            assert scores["document-level"].score > scores["sentence-level"].score
            # The story's own order is better than chance.
            assert scores["reference"].score > 0.7


def cost(utterances, variant):
    """The variant's value of an order, by the definitions; lower is better."""
    total, last = 0, None
    for before, here in pairwise(utterances):
        cb = next((entity for entity in before if entity in here), None)
        if variant == "nocb":
            total += cb is None
        else:
            total += (cb is None) + (cb != before[0]) + (cb is None or cb != last) + (cb != here[0])
        last = cb
    return total


def share(given, others):
    beaten = sum(given < other for other in others) + sum(given == other for other in others) / 2
    return beaten / (len(others) + 1)


class Walked:
    """An utterance of the code of Jiang et al. 2022b: it keeps its CB until it gets another."""

    def __init__(self, cf):
        self.cf, self.cb = cf, None


def walk_jiang(utterances):
    value = 0
    for before, here in pairwise(utterances):
        cb = next((entity for entity in before.cf if entity in here.cf), None)
        if cb is not None:
            here.cb = cb
        value += (here.cb == here.cf[0]) + (here.cb == before.cb) - (cb is None)
    return -value


FOUR = [["1", "2"], ["1", "3"], ["3"], ["2"]]
TEXTS = st.lists(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True), min_size=2, max_size=5
)


def score_of(utterances, made):
    tally = Tally()
    made._count(tally, Centers(utterances))
    return tally.counts


class TestPermutations:
    @pytest.mark.parametrize("variant", ["kp", "nocb"])
    def test_four_sentences_by_brute_force(self, variant):
        score = result(metric(variant, normalised=True), FERRY)
        others = [cost(order, variant) for order in list(permutations(FOUR))[1:]]
        assert score.counts["orders"] == 24
        assert score.score == pytest.approx(share(cost(FOUR, variant), others))

    @given(TEXTS)
    def test_any_text_by_brute_force(self, utterances):
        for variant in ("kp", "nocb"):
            counts = score_of(utterances, metric(variant, normalised=True, permutations=120))
            assert counts.get("value", 0) == cost(utterances, variant)
            others = [cost(order, variant) for order in list(permutations(utterances))[1:]]
            expected = share(cost(utterances, variant), others)
            assert counts.get("beaten", 0) / counts["orders"] == pytest.approx(expected)

    @given(TEXTS)
    def test_the_code_of_jiang_by_walking_as_it_does(self, utterances):
        walked = [Walked(cf) for cf in utterances]
        given = walk_jiang(walked)
        others = [walk_jiang(order) for order in list(permutations(walked))[1:]]
        counts = score_of(utterances, metric("jiang-2022b", normalised=True, permutations=120))
        assert counts.get("value", 0) == -given
        assert counts.get("beaten", 0) / counts["orders"] == pytest.approx(share(given, others))

    def test_a_long_text_is_sampled_the_same_way_every_time(self):
        utterances = [[str(number), str(number + 1)] for number in range(30)]
        first, again, other = (
            score_of(utterances, metric(normalised=True, permutations=50, seed=seed))
            for seed in (1, 1, 2)
        )
        assert first == again
        # A chain is hardly ever beaten by chance.
        assert (first["beaten"], first["orders"]) == (50, 51)
        orders = Centers(utterances).orders(50, 1)
        assert orders.shape == (50, 30)
        assert (np.sort(orders, axis=1) == np.arange(30)).all()
        assert (orders != Centers(utterances).orders(50, 2)).any()
        assert other["orders"] == 51

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_a_text_of_one_thing_ties_with_itself(self, variant):
        counts = score_of([["1"]] * 4, metric(variant, normalised=True))
        if variant == "kp":  # coherence fails once in any order
            assert counts["value"] == 1
        if variant != "jiang-2022b":
            assert counts["beaten"] == 23 / 2


class TestMetric:
    def test_resamples_are_scores_of_summed_counts(self):
        docs = [FERRY, document("<PER, T, 1>{A} ate.", "<P, 1>{She} slept.", name="b/2")]
        for variant in VARIANTS:
            for normalised in (True, False):
                made = metric(variant, normalised=normalised)
                tallies = [made.count(doc, doc.en.sentences) for doc in docs]
                whole = made.score("s", tallies).score
                values = resampled_scores(made, tallies, np.array([[1.0, 1.0], [0.0, 2.0]]))
                assert values == pytest.approx([whole, made.score("s", tallies[1:]).score])

    def test_the_signature_names_what_the_score_depends_on(self):
        signature = str(result(metric(normalised=True, seed=7), FERRY).signature)
        for field in ("variant:kp", "coherence:same", "seed:7", "roles:position"):
            assert field in signature
        assert "seed" not in str(result(metric(), FERRY).signature)
        assert "parser" in str(metric(roles="parser").signature({}))

    def test_which_way_is_up(self):
        assert metric(normalised=True).higher_is_better
        assert metric("jiang-2022b").higher_is_better
        assert not metric().higher_is_better
        assert not metric("nocb").higher_is_better

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"variant": "bfp"}, "variant 'bfp'; known are kp, nocb, jiang-2022b"),
            ({"roles": "srl"}, "source of roles 'srl'"),
            ({"coherence": "no"}, "rule of coherence 'no'"),
            ({"permutations": 0}, "0 permutations"),
        ],
    )
    def test_it_refuses_what_it_does_not_know(self, options, said):
        with pytest.raises(UsageError, match=said):
            metric(**options)

    def test_without_chains_it_says_what_is_missing(self):
        assert "layer coreference" in metric().lacks(
            assemble("b/1", "b", "1", None, Side("en", ()))
        )

    def test_the_parser_tells_subjects(self):
        doc = document(
            "On <VEH, N, 3>{the boat} <PER, T, 1>{Wen Xi} saw <PER, T, 2>{Old Shi}.",
            "<PER, T, 2>{Old Shi} slept.",
        )
        made = metric(roles="parser")
        placed = Placer(doc.en).place(doc.en.sentences)
        assert made._utterances(placed, doc.en.sentences) == [["1", "2", "3"], ["2"]]
        assert metric()._utterances(placed, doc.en.sentences)[0] == ["3", "1", "2"]
