from __future__ import annotations

import dataclasses

import pytest

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.annotations.validate import RULES, validate
from bwb.records import (
    Document,
    Entity,
    ErrorMark,
    Link,
    Mention,
    NamedEntity,
    Quote,
    Side,
    Span,
    SystemOutput,
)


@pytest.fixture
def document():
    zh, _ = read_inline(["<PER, T, 1>{闻溪}说：<Q, 1>“走。”<\\Q>", "海。"], "zh")
    en, _ = read_inline(["<PER, T, 1>{Wen Xi} said, <Q, 1>“Go.”<\\Q>", "The sea."], "en")
    return assemble("b/1", "b", "1", zh, en)


def side(document, **changes):
    return dataclasses.replace(document, en=dataclasses.replace(document.en, **changes))


def mention(document, **changes):
    return side(document, mentions=(dataclasses.replace(document.en.mentions[0], **changes),))


def add_mention(document, *more):
    return side(document, mentions=document.en.mentions + more)


def outputs(document, *systems):
    return dataclasses.replace(document, systems=systems)


_A = Mention("m9", "1", 0, 3, 0, "Wen")
_BROKEN = {
    "no-sides": lambda d: dataclasses.replace(d, zh=None, en=None, links=(), entities=()),
    "wrong-side": lambda d: dataclasses.replace(d, zh=dataclasses.replace(d.zh, lang="en")),
    "line-feed": lambda d: side(d, sentences=(d.en.sentences[0], "The\nsea.")),
    "empty-sentence": lambda d: side(d, sentences=(d.en.sentences[0], " ")),
    "span": lambda d: mention(d, end=999),
    "span-text": lambda d: mention(d, text="Wen"),
    "span-sentence": lambda d: mention(d, sentence=1),
    "crosses-sentence": lambda d: mention(d, end=22, text=d.en.text[:22]),
    "duplicate-id": lambda d: add_mention(d, dataclasses.replace(_A, id="m1")),
    "duplicate-mention": lambda d: add_mention(d, dataclasses.replace(d.en.mentions[0], id="m2")),
    "crossing": lambda d: add_mention(d, dataclasses.replace(_A, start=4, end=11, text="Xi said")),
    "quote-order": lambda d: side(d, quotes=(Quote("q", (Span(5, 9), Span(1, 6)), "1"),)),
    "unknown-entity": lambda d: side(d, quotes=(Quote("q", (Span(5, 9),), "7"),)),
    "unused-entity": lambda d: dataclasses.replace(
        d, entities=(*d.entities, Entity("8", "PER", True))
    ),
    "speaker-without-mention": lambda d: dataclasses.replace(
        side(d, quotes=(Quote("q", (Span(5, 9),), "8"),)),
        entities=(*d.entities, Entity("8", None, None)),
    ),
    "omitted": lambda d: mention(d, omitted=True),
    "term": lambda d: mention(d, form="pronoun"),
    "layer": lambda d: side(d, layers=("entity", "coreference")),
    "link-range": lambda d: dataclasses.replace(d, links=(*d.links, Link((), (2,)))),
    "link-monotone": lambda d: dataclasses.replace(d, links=tuple(reversed(d.links))),
    "link-cover": lambda d: dataclasses.replace(d, links=d.links[:1]),
    "named-entity": lambda d: side(d, named_entities=(NamedEntity(5, "PERSON", "x", 1),)),
    "output-length": lambda d: outputs(d, SystemOutput("s", ("a",))),
    "duplicate-system": lambda d: outputs(d, *[SystemOutput("s", ("a", "b"))] * 2),
    "error-code": lambda d: outputs(d, SystemOutput("s", ("a", "b"), (ErrorMark(1, 9),))),
    "error-span": lambda d: outputs(
        d, SystemOutput("s", ("a", "b"), (ErrorMark(1, 4, None, "x", 2, 3),))
    ),
}


def test_a_right_document_has_no_findings(document):
    assert validate(document) == []


def test_every_rule_has_a_case():
    assert set(_BROKEN) == set(RULES)


@pytest.mark.parametrize("code", RULES)
def test_every_rule_is_seen_when_broken(document, code):
    findings = validate(_BROKEN[code](document), "f.jsonl")
    found = [finding for finding in findings if finding.code == code]
    assert found
    assert ("(warning)" in RULES[code]) == (found[0].severity == "warning")
    assert found[0].file.startswith("f.jsonl")


def test_a_place_is_a_sentence_and_a_column(document):
    broken = add_mention(document, Mention("m9", "7", 23, 26, 1, "sea"))
    finding = next(f for f in validate(broken) if f.code == "unknown-entity")
    assert (finding.file, finding.line, finding.column) == ("b/1 [en]", 2, 5)
    assert "'7'" in finding.message
    assert "has 1" in finding.message


def test_a_side_alone_is_a_document():
    en, _ = read_inline(["<PER, T, 1>{Bo}"], "en")
    assert validate(Document("b/1", "b", "1", en=en, entities=(Entity("1", "PER", True),))) == []


def test_mentions_without_side():
    assert validate(Document("b/1", "b", "1", zh=Side("zh", ("海。",)))) == []
