"""Each metric on sentences small enough to count by hand."""

from __future__ import annotations

import dataclasses

import pytest

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.errors import InputError, UnknownNameError
from bwb.metrics import METRICS, metric_class
from bwb.metrics.entity import Entity
from bwb.metrics.names import SOURCE
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation, speech_spans
from bwb.metrics.terminology import Terminology
from bwb.metrics.zero_pronoun import ZeroPronoun
from bwb.records import NamedEntity, Side


def document(zh, en):
    sides = [
        read_inline(lines, lang)[0] if lines else None for lines, lang in ((zh, "zh"), (en, "en"))
    ]
    return assemble("b/1", "b", "1", *sides)


def plain(*sentences):
    return assemble("b/1", "b", "1", None, Side("en", sentences))


def result(metric, doc, *system):
    return metric.score("s", [metric.count(doc, system)])


def triple(score, name="all"):
    counts = {
        key: score.counts.get(f"{name}.{key}", 0) for key in ("matched", "system", "reference")
    }
    return tuple(counts.values())


SHIP = document(
    [
        "<PER, T, 1>{闻溪}上了<VEH, T, 2>{归燕号}。",
        "<PER, N, 1>{船长}看着<LOC, T, 3>{沉璧}，<PER, T, 4>{老石}看着<PER, T, 1>{闻溪}。",
    ],
    [
        "<PER, T, 1>{Wen Xi} boarded the <VEH, T, 2>{Homing Swallow}.",
        "<PER, N, 1>{The captain} watched <LOC, T, 3>{Sunken Jade}; <PER, T, 4>{Old Shi}, "
        "<PER, T, 1>{Wen Xi}; "
        "<PER, T, 5>{nobody else}.",
    ],
)


class TestEntity:
    def test_the_reference_itself_is_perfect(self):
        score = result(Entity(), SHIP, *SHIP.en.sentences)
        assert (score.f1, score.exact_match) == (1, 1)
        assert score.misses == ()

    def test_counts_by_type_against_reference_and_source(self):
        score = result(
            Entity(),
            SHIP,
            "Wen Xi boarded the Homing Swallow and the homing swallow’s deck.",
            "Wen Xi watched Shen Bi; Old Stone, Wen Xi and Wen Xi.",
        )
        # PER: Wen Xi once in line 1; in line 2 entity 1 is wanted twice, found three times.
        assert triple(score, "PER") == (3, 4, 4)
        assert triple(score, "VEH") == (1, 2, 1)
        assert triple(score, "LOC") == (0, 0, 1)
        assert triple(score, "NONPER") == (1, 2, 2)
        assert triple(score) == (4, 6, 6)
        assert triple(score, f"{SOURCE}PER") == (3, 4, 4)
        assert score.parts["LOC"].precision is None
        assert score.parts["LOC"].f1 == 0
        assert (score.counts["exact.same"], score.counts["exact.all"]) == (4, 6)
        assert [(m.sentence, m.name, m.kind) for m in score.misses] == [
            (1, "Sunken Jade", "LOC"),
            (1, "Old Shi", "PER"),
        ]

    def test_an_entity_with_forms_on_one_side_only_does_not_count(self):
        assert "5" not in {target.entity for target in Entity().targets(SHIP)}
        only_english = document(None, ["<PER, T, 5>{Bo} left."])
        assert triple(result(Entity(), only_english, "Bo left."), "PER") == (1, 1, 1)

    def test_a_shared_form_goes_to_whom_the_reference_asks_for(self):
        twins = document(
            ["<PER, N, 1>{师兄}来了。", "<VEH, N, 2>{师兄}来了。"],
            ["<PER, N, 1>{Brother} came.", "<VEH, N, 2>{Brother} came."],
        )
        score = result(Entity(), twins, "Brother came.", "Brother came.")
        assert (triple(score, "PER"), triple(score, "VEH")) == ((1, 1, 1), (1, 1, 1))

    def test_a_nested_name_is_not_counted_twice(self):
        club = document(
            ["<ORG, T, 1>{<PER, T, 2>{林晚}粉丝群}"], ["<ORG, T, 1>{the <PER, T, 2>{Lin Wan} club}"]
        )
        score = result(Entity(), club, "the Lin Wan club")
        assert (triple(score, "ORG"), triple(score, "PER")) == ((1, 1, 1), (0, 0, 0))

    def test_lemmas_are_found_only_if_asked_for(self):
        lamps = document(["<VEH, N, 1>{灯}"], ["<VEH, N, 1>{the lantern}"])
        assert result(Entity(), lamps, "the lanterns").exact_match == 0
        score = result(Entity(lemma=True), lamps, "the lanterns")
        assert (score.exact_match, triple(score)) == (1, (1, 1, 1))
        assert "lemma:en_core_web_sm-" in str(score.signature)

    def test_lists_of_named_entities_serve_where_nothing_is_annotated(self):
        doc = plain("Wen Xi saw Weibo.")
        names = (NamedEntity(0, "PERSON", "Wen Xi", 1), NamedEntity(0, "NONPERSON", "Weibo", 1))
        doc = dataclasses.replace(doc, en=dataclasses.replace(doc.en, named_entities=names))
        score = result(Entity(), doc, "Wen Xi saw a microblog.")
        assert (triple(score, "PER"), triple(score, "NONPER")) == ((1, 1, 1), (0, 0, 1))

    def test_without_entities_it_says_what_is_missing(self):
        assert "layer entity" in Entity().lacks(plain("a"))


class TestTerminology:
    def test_terms_and_other_mentions_are_told_apart(self):
        score = result(
            Terminology(), SHIP, "The captain boarded the Homing Swallow.", SHIP.en.sentences[1]
        )
        # Line 1: a T missed, an N too many. The reported score is that of T.
        assert triple(score, "T") == (4, 4, 5)
        assert triple(score, "N") == (1, 2, 1)
        assert score.score == score.f1 == pytest.approx(8 / 9)
        assert score.exact_match == pytest.approx(4 / 5)
        assert [(m.name, m.kind) for m in score.misses] == [("Wen Xi", "T")]


class TestPronoun:
    def test_counts_by_class(self):
        doc = plain("She lost her lamp; they saw it.", "He left.", "Rain.")
        score = result(Pronoun(), doc, "He lost her lamp; they saw it.", "He left.", "It rained.")
        assert triple(score, "feminine") == (1, 1, 2)
        assert triple(score, "masculine") == (1, 2, 1)
        assert triple(score, "epicene") == (1, 1, 1)
        assert triple(score, "neuter") == (1, 2, 1)
        assert triple(score) == (4, 6, 5)
        assert score.exact_match == 0.5
        assert [(m.sentence, m.name, m.count) for m in score.misses] == [(0, "feminine", 1)]

    def test_theirs_counts_and_hers_is_no_her(self):
        score = result(Pronoun(), plain("Hers, not theirs."), "Hers, not theirs.")
        assert (triple(score, "feminine"), triple(score, "epicene")) == ((1, 1, 1), (1, 1, 1))

    def test_no_pronoun_anywhere_is_undefined(self):
        score = result(Pronoun(), plain("Rain."), "Rain.")
        assert (score.score, score.f1, score.exact_match) == (None, None, None)


class TestZeroPronoun:
    DOC = document(
        None,
        [
            "<P, 1>{She} curled <O, 1>{her} lips.",
            "<O, 1>{She} rose; <O, 2>{his} hat fell.",
            "<P, 1>{She} ran.",
        ],
    )

    def test_overt_pronouns_are_answered_first(self):
        score = result(
            ZeroPronoun(), self.DOC, "She curled lips.", "He rose; his hat fell.", "He ran."
        )
        assert triple(score, "feminine") == (0, 0, 2)
        assert triple(score, "masculine") == (1, 2, 1)
        assert score.exact_match == 0
        assert [(m.sentence, m.name, m.kind) for m in score.misses] == [
            (0, "her", "feminine"),
            (1, "She", "feminine"),
        ]

    def test_the_reference_itself_is_perfect(self):
        score = result(ZeroPronoun(), self.DOC, *self.DOC.en.sentences)
        assert (score.f1, score.exact_match) == (1, 1)

    def test_it_needs_the_layer(self):
        assert "coreference" in ZeroPronoun().lacks(plain("a"))


@pytest.mark.parametrize(
    ("sentence", "spans"),
    [
        ("“Go,” she said, “home.”", ["“Go,”", "“home.”"]),
        ('"Go," she said.', ['"Go,"']),
        ("‘Don’t go,’ she said; ’tis James’ hat.", ["‘Don’t go,’"]),
        ("She didn’t. It’s the dogs’.", []),
        ("“and so it ran on", ["“and so it ran on"]),
        ("to the end.” He left.", ["to the end.”"]),
        ('to the end." He left. "And so', ['to the end."', '"And so']),
        ('He said "no"; "yes".', ['"no"', '"yes"']),
        ("[Bo: Hi.] 「走」", ["[Bo: Hi.]", "「走」"]),
        ("“He said ‘no’ to me.”", ["“He said ‘no’ to me.”"]),
        ('"Really?" "', ['"Really?"']),
        ("", []),
    ],
)
def test_speech_is_told_by_its_marks(sentence, spans):
    assert [sentence[start:end] for start, end in speech_spans(sentence)] == spans


class TestQuotation:
    DOC = document(
        None,
        [
            r"<Q, 1>“Go,”<\Q> <P, 1>{she} said, <Q, 1, +>“home.”<\Q>",
            "He read the “Book of Tides”.",
            r"<Q, 2>No marks here<\Q>, he thought.",
        ],
    )

    def test_quotes_lost_and_other_marks_allowed(self):
        kept = result(
            Quotation(), self.DOC, '"Go," she said, "home."', 'He read "Tides".', "Nothing."
        )
        assert (triple(kept), kept.exact_match) == ((2, 2, 2), 1)
        lost = result(Quotation(), self.DOC, '"Go," she said.', "He read it.", '"Now!"')
        assert (triple(lost), lost.exact_match) == ((1, 2, 2), 0)
        assert {miss.name for miss in lost.misses} == {"“Go,”", "“home.”"}
        assert kept.counts["undetectable"] == 1

    def test_without_the_layer_marks_alone_count(self):
        score = result(Quotation(), plain("“Go.”", "He left."), "Go.", '"He left."')
        assert triple(score) == (0, 1, 1)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_what_it_is(name):
    metric = metric_class(name)()
    assert metric.name == name
    assert metric.paper
    assert metric.title
    assert str(metric.signature({"data": "x"})).startswith(f"{name}|")


def test_an_unknown_metric_is_refused_with_a_hint():
    with pytest.raises(UnknownNameError, match="did you mean 'entity'"):
        metric_class("entty")


def test_a_metric_without_documents_is_an_error():
    with pytest.raises(InputError, match="no documents"):
        Pronoun().score("s", [])


def test_the_corpus_score_sums_counts_before_dividing():
    metric = Pronoun()
    tallies = [metric.count(plain("He."), ["He."]), metric.count(plain("She. She. She."), ["He."])]
    score = metric.score("s", tallies)
    assert (score.precision, score.recall) == (0.5, 0.25)
    assert score.documents == 2
