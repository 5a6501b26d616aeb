"""The five phenomena, BLEU and TER, and the figures, on texts small enough to count by hand."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.errors import InputError, LengthError, UsageError
from bwb.metrics.bleu import Bleu
from bwb.metrics.entity import Entity
from bwb.metrics.figures import (
    estimates,
    omitted_ratio,
    over_omitted_ratio,
    person_against_rest,
    quantile_edges,
    terminology_recall,
)
from bwb.metrics.phenomena import PHENOMENA, Phenomena
from bwb.metrics.scoring import Scored, score_systems
from bwb.metrics.stats import score_intervals
from bwb.metrics.ter import Ter
from bwb.metrics.terminology import Terminology
from bwb.records import ErrorMark, Side, SystemOutput


def document(zh, en, name="1"):
    sides = [
        read_inline(lines, lang)[0] if lines else None for lines, lang in ((zh, "zh"), (en, "en"))
    ]
    return assemble(f"b/{name}", "b", name, *sides)


def plain(*sentences, name="1"):
    return assemble(f"b/{name}", "b", name, None, Side("en", sentences))


def marked(doc, **systems):
    """The document with outputs that carry nothing but marks: (sentence, code, phrase)."""
    outputs = tuple(
        SystemOutput(name, doc.en.sentences, tuple(ErrorMark(*mark) for mark in marks))
        for name, marks in systems.items()
    )
    return dataclasses.replace(doc, systems=outputs)


def result(metric, doc, *system):
    return metric.score("s", [metric.count(doc, system)])


def triple(score, name):
    return tuple(score.counts.get(f"{name}.{key}", 0) for key in ("matched", "system", "reference"))


DOOR = marked(
    plain("She logged in at home, home at last.", "Her lamp was out."),
    one=[(0, 1, "logged in"), (0, 1, "Home"), (1, 3, "her"), (1, 1, None)],
    other=[(0, 1, "home"), (0, 1, "home"), (1, 3, "her"), (0, 4, "Zhao")],
)


class TestPhenomena:
    def test_noted_phrases_count_as_often_as_one_output_notes_them(self):
        score = result(Phenomena(), DOOR, "She signed in at home.", "A lamp was out.")
        # F1: "logged in" is once in the reference, "home" twice; the system has one "home".
        assert triple(score, "ambiguity") == (1, 1, 3)
        assert score.parts["ambiguity"].f1 == 0.5
        # EM: one output notes "home" twice, so three phrases are asked for; one is there.
        assert triple(score, "EM ambiguity") == (1, 3, 3)
        assert triple(score, "ellipsis") == (0, 0, 1)
        assert score.parts["EM ellipsis"].f1 == 0
        assert score.counts["ambiguity.no_phrase"] == 1
        noted = [(m.sentence, m.name, m.kind, m.count) for m in score.misses]
        assert (0, "logged in", "ambiguity", 1) in noted
        assert (0, "home", "ambiguity", 1) in noted
        assert (1, "her", "ellipsis", 1) in noted

    def test_a_phrase_is_found_by_its_lemmas_where_it_is_not_as_it_is(self):
        lines = ("She logs in.", "Her lamp.")
        assert triple(result(Phenomena(), DOOR, *lines), "EM ambiguity")[0] == 1
        assert triple(result(Phenomena(lemma=False), DOOR, *lines), "EM ambiguity")[0] == 0

    def test_no_place_is_used_twice(self):
        doc = marked(plain("He took off."), one=[(0, 1, "took"), (0, 1, "took off")])
        assert triple(result(Phenomena(), doc, "He took off."), "EM ambiguity") == (1, 2, 2)
        found = result(Phenomena(), doc, "He took it and took off.")
        assert triple(found, "EM ambiguity") == (2, 2, 2)

    def test_characters_of_regular_expressions_are_characters(self):
        doc = marked(plain("No (really?)."), one=[(0, 1, "(really?)"), (0, 1, "[a-z]+")])
        score = result(Phenomena(), doc, "Yes (really?).")
        assert triple(score, "EM ambiguity") == (1, 2, 2)

    def test_tense_and_pronouns_are_exact_by_recall(self):
        doc = plain("She walked home.", "He laughed.")
        score = result(Phenomena(), doc, "He walked home.", "He laughed.")
        assert triple(score, "tense") == (2, 2, 2)
        assert triple(score, "pronoun") == (1, 2, 2)
        assert triple(score, "EM pronoun") == (1, 2, 2)
        assert score.parts["EM pronoun"].f1 == score.parts["pronoun"].recall == 0.5

    def test_entities_are_exact_by_their_occurrences_in_the_source(self):
        doc = document(
            ["<PER, T, 1>{闻溪}看<PER, T, 1>{闻溪}。", "<PER, T, 2>{老石}走了。"],
            ["<PER, T, 1>{Wen Xi} sees <P, 1>{herself}.", "<PER, T, 2>{Old Shi} left."],
        )
        score = result(Phenomena(), doc, "Wen Xi sees Wen Xi.", "The old stone left.")
        assert triple(score, "EM entity") == (2, 3, 3)
        alone = result(Phenomena(), document(None, ["<PER, T, 1>{Wen Xi} left."]), "Wen Xi left.")
        assert alone.parts["EM entity"].f1 is None

    def test_what_nobody_marked_is_undefined_and_there_is_no_number_for_all(self):
        score = result(Phenomena(), plain("She left."), "She left.")
        defined = {name for name in PHENOMENA if score.parts[name].f1 is not None}
        assert defined == {"tense", "pronoun"}
        assert score.parts["EM ambiguity"].f1 is None
        assert (score.score, score.f1, score.exact_match) == (None, None, None)

    def test_the_reference_itself_is_perfect(self):
        score = result(Phenomena(), DOOR, *DOOR.en.sentences)
        values = {name: part.f1 for name, part in score.parts.items() if part.f1 is not None}
        assert set(values) >= {"ambiguity", "EM ellipsis", "tense", "EM pronoun"}
        # "home" stands twice in the reference, and is noted twice.
        assert set(values.values()) == {1.0}

    def test_documents_without_marks_stand_beside_documents_with(self):
        bare = plain("She left.", name="2")
        outputs = {"s": {d.id: d.en.sentences for d in (DOOR, bare)}}
        (row,) = score_systems([DOOR, bare], outputs, [Phenomena()])
        assert row.documents == ["b/1", "b/2"]
        assert row.scores()[0].parts["ambiguity"].f1 == 1

    def test_the_signature_says_what_exact_match_is(self):
        metric = Phenomena(variant="blonde-0.1.4", lemma=False)
        assert {"variant:blonde-0.1.4", "em-lemma:no", "em-tense:recall"} <= set(
            str(metric.signature({})).split("|")
        )


WORDS = st.lists(st.sampled_from(list("abcde.")), min_size=0, max_size=9).map(" ".join)


class TestBleuAndTer:
    @settings(deadline=None, max_examples=60)
    @given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
    def test_sums_over_documents_are_what_sacrebleu_says_of_all(self, pairs):
        import sacrebleu

        documents = [plain(reference, name=str(n)) for n, (_, reference) in enumerate(pairs)]
        system = [hypothesis for hypothesis, _ in pairs]
        references = [[reference for _, reference in pairs]]
        for metric, direct in ((Bleu(), sacrebleu.corpus_bleu), (Ter(), sacrebleu.corpus_ter)):
            tallies = [metric.count(d, [line]) for d, line in zip(documents, system, strict=True)]
            score = metric.score("s", tallies).score
            if score is None:
                assert not any(references[0])
            else:
                assert score == pytest.approx(direct(system, references).score / 100, abs=1e-12)

    def test_ter_counts_edits_per_word(self):
        score = result(Ter(), plain("a b c d", "E f"), "a b d", "e g")
        assert (score.counts["edits"], score.counts["words"], score.score) == (2, 6, 2 / 6)
        assert result(Ter(case=True), plain("E f"), "e f").score == 0.5

    def test_nothing_to_compare_is_undefined(self):
        assert result(Bleu(), plain(""), "").score is None
        assert result(Ter(), plain(""), "a").score is None

    @pytest.mark.parametrize("make", [Bleu, Ter])
    def test_several_references(self, make):
        metric = make(references={"b/1": [["the cat sat on it"]]})
        perfect = result(metric, plain("a dog lay on it"), "the cat sat on it").score
        assert perfect == (1 if make is Bleu else 0)
        assert "refs:2" in str(metric.signature({}))
        with pytest.raises(LengthError, match="reference 2 has 2 sentences"):
            make(references={"b/1": [["x", "y"]]}).count(plain("z"), ["z"])

    @pytest.mark.parametrize("make", [Bleu, Ter, Phenomena])
    def test_an_output_of_another_length_is_refused(self, make):
        with pytest.raises(LengthError, match="2 sentences, expected 1"):
            make().count(plain("a"), ["a", "b"])


def chapter(name, omitted, overt):
    """A document with so many omitted and overt pronouns; its one name is Wen Xi."""
    pronouns = " ".join(["<O, 1>{she}"] * omitted + ["<P, 1>{she}"] * overt)
    zh = ["<PER, T, 1>{闻溪}和<LOC, N, 2>{河}。"]
    return document(zh, [f"<PER, T, 1>{{Wen Xi}} {pronouns} <LOC, N, 2>{{the river}}"], name)


CHAPTERS = [chapter("1", 1, 3), chapter("2", 1, 1), chapter("3", 3, 1), chapter("4", 2, 0)]
OUTPUTS = {
    "good": {d.id: ("Wen Xi, the river.",) for d in CHAPTERS},
    "mixed": {d.id: ("Wen Xi." if int(d.chapter) % 2 else "the river",) for d in CHAPTERS},
}


class TestFigures:
    def test_terms_against_the_rest_and_persons_against_the_rest(self):
        terms, entities = score_systems(CHAPTERS, OUTPUTS, [Terminology(), Entity()])
        found = {(p.system, p.series): (p.value, p.count) for p in terminology_recall(terms)}
        assert found == {
            ("good", "T"): (1, 4), ("good", "N"): (1, 4),
            ("mixed", "T"): (0.5, 4), ("mixed", "N"): (0.5, 4),
        }  # fmt: skip
        f1 = {(p.system, p.series): p.value for p in person_against_rest(entities)}
        # Two of four found and nothing else claimed: P = 1, R = 1/2.
        assert f1["mixed", "PER"] == f1["mixed", "NONPER"] == pytest.approx(2 / 3)
        point = person_against_rest(entities)[2]
        between = score_intervals(
            entities.metric, entities.tallies, ["PER.f1"], resamples=2_000, seed=12345
        )["mixed"]["PER.f1"]
        assert (point.low, point.high) == (between.low, between.high)

    def test_the_ratio_of_omitted_pronouns(self):
        assert [omitted_ratio(d) for d in CHAPTERS] == [0.25, 0.5, 0.75, 1]
        assert omitted_ratio(CHAPTERS[0], "zh") is None
        assert omitted_ratio(plain("She left.")) is None

    def test_bins_by_edges_hold_each_document_once(self):
        (row,) = score_systems(CHAPTERS, OUTPUTS, [Entity()])
        found = over_omitted_ratio(row, CHAPTERS, edges=[0.25, 0.5, 1])
        assert [one.documents for one in found.bins] == [("b/1",), ("b/2", "b/3", "b/4")]
        first, second = found.bins
        assert [(p.system, p.low, p.high) for p in first.points] == [
            ("good", None, None), ("mixed", None, None),
        ]  # fmt: skip
        assert {p.system: p.value for p in second.points}["good"] == 1
        assert all(p.low is not None and p.low <= p.value <= p.high for p in second.points)
        assert found.left_out == {}

    def test_documents_in_no_bin_are_told(self):
        bare = plain("She left.", name="9")
        documents = [*CHAPTERS, bare]
        outputs = {"s": {d.id: d.en.sentences for d in documents}}
        (row,) = score_systems(documents, outputs, [Bleu()])
        found = over_omitted_ratio(row, documents, edges=[0, 0.5, 0.9])
        assert [len(one.documents) for one in found.bins] == [1, 2]
        assert found.left_out == {
            "b/9": "no annotated pronouns on the en side",
            "b/4": "ratio 1.000 is outside 0 to 0.9",
        }
        empty = over_omitted_ratio(row, documents, edges=[0, 0.1, 1]).bins[0]
        assert empty.documents == ()
        assert [(p.value, p.documents) for p in empty.points] == [(None, 0)]

    def test_bins_by_quantiles(self):
        (row,) = score_systems(CHAPTERS, OUTPUTS, [Entity()])
        bins = over_omitted_ratio(row, CHAPTERS, quantiles=2).bins
        assert [(one.low, one.high, len(one.documents)) for one in bins] == [
            (0.25, 0.625, 2), (0.625, 1, 2),
        ]  # fmt: skip
        assert quantile_edges([0.5, 0.5], 4) == (0.5, 0.5)
        (only,) = over_omitted_ratio(row, [CHAPTERS[0]], quantiles=4).bins
        assert only.documents == ("b/1",)

    def test_edges_and_bins_that_make_no_sense(self):
        (row,) = score_systems(CHAPTERS, OUTPUTS, [Entity()])
        for edges in ([0.5], [1, 0]):
            with pytest.raises(UsageError, match="expected two or more numbers that ascend"):
                over_omitted_ratio(row, CHAPTERS, edges=edges)
        with pytest.raises(UsageError, match="0 bins"):
            over_omitted_ratio(row, CHAPTERS, quantiles=0)
        with pytest.raises(InputError, match="no document has annotated pronouns"):
            over_omitted_ratio(row, [plain("a")])

    def test_estimates_are_the_scores(self):
        metric = Phenomena()
        documents = [DOOR, plain("She left.", "They were out.", name="2")]
        outputs = {"s": {d.id: ("He left it.", "Her lamp is out.") for d in documents}}
        (row,) = score_systems(documents, outputs, [metric])
        names = [f"{name}.f1" for name in metric.classes]
        made = estimates(row, names, resamples=200)["s"]
        score = row.scores()[0]
        for name in metric.classes:
            value, low, high = made[f"{name}.f1"]
            assert value == (pytest.approx(score.parts[name].f1) if value is not None else None)
            assert (low is None) == (value is None)
            if value is not None:
                assert low <= value <= high
        nothing = estimates(Scored(metric, [], {"s": []}, {}), ["score"])
        assert nothing == {"s": {"score": (None, None, None)}}
