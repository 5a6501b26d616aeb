"""The sample corpus is what its guidelines, its card and its table of mistakes say it is."""

from __future__ import annotations

import csv
import dataclasses

import pytest

from bwb.annotations.agreement import agreement, pair_documents
from bwb.annotations.check import check
from bwb.annotations.corpus_folder import CorpusFolderReader
from bwb.annotations.inline_writer import write_inline
from bwb.assets import sample
from bwb.lexicon import THIRD_PERSON, pronoun_classes
from bwb.metrics.entity import Entity
from bwb.metrics.matching import Matcher, count_words
from bwb.metrics.pronoun import Pronoun
from bwb.records import LAYERS

COLUMNS = [
    "book",
    "chapter",
    "sentence",
    "system",
    "phenomenon",
    "source",
    "reference",
    "system_text",
    "note",
]
PHENOMENA = {
    "name",
    "term",
    "gender",
    "tense",
    "pronoun",
    "ambiguity",
    "ellipsis",
    "idiom",
    "quotation",
}


@pytest.fixture(scope="module")
def documents():
    return {document.id: document for document in CorpusFolderReader(sample())}


@pytest.fixture(scope="module")
def planted():
    rows = []
    for file in sorted((sample() / "planted").glob("*.tsv")):
        with file.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            assert reader.fieldnames == COLUMNS
            rows += [(f"{file.name}:{number}", row) for number, row in enumerate(reader, 2)]
    return rows


def test_it_has_no_findings():
    assert check([sample()]).findings == []


def test_its_size(documents):
    assert len(documents) >= 8
    assert len({document.book for document in documents.values()}) >= 4
    assert len({document.genre for document in documents.values()}) >= 4
    assert {document.split for document in documents.values()} == {"train", "validation", "test"}
    assert all(len(document.links) >= 25 for document in documents.values())
    systems = {tuple(o.system for o in document.systems) for document in documents.values()}
    assert systems == {("document-level", "post-edited", "sentence-level")}


def test_splits_are_by_book(documents):
    splits = {}
    for document in documents.values():
        assert splits.setdefault(document.book, document.split) == document.split


def test_writing_it_gives_the_files(documents):
    for document in documents.values():
        for side in document.sides:
            file = sample() / f"{document.id}.{side.lang}.an.txt"
            assert "".join(f"{line}\n" for line in write_inline(side)) == file.read_text("utf-8")


def test_every_layer_is_there_on_both_sides(documents):
    for document in documents.values():
        for side in document.sides:
            assert side.layers == LAYERS
            assert any(mention.term for mention in side.mentions)
            assert any(mention.term is False for mention in side.mentions)
            assert any(mention.pronoun for mention in side.mentions)
            assert side.quotes
        assert sum(mention.omitted for mention in document.en.mentions) >= 15


def test_what_the_layers_allow_occurs(documents):
    sides = [side for document in documents.values() for side in document.sides]
    quotes = [quote for side in sides for quote in side.quotes]
    assert any(len(quote.spans) > 1 for quote in quotes)
    assert any(quote.speaker is None for quote in quotes)
    texts = [side.text[s.start : s.end] for side in sides for q in side.quotes for s in q.spans]
    assert any("\n" in text for text in texts)
    nested = [
        (outer, inner)
        for side in sides
        for outer in side.mentions
        for inner in side.mentions
        if outer.start <= inner.start and inner.end <= outer.end and outer.id != inner.id
    ]
    assert nested


def test_pronouns_are_pronouns(documents):
    for document in documents.values():
        for side in document.sides:
            known = pronoun_classes(side.lang)
            odd = [m.text for m in side.mentions if m.pronoun and m.text.casefold() not in known]
            assert odd == [], (document.id, side.lang)


def test_an_entity_has_one_type_and_keeps_it_through_its_book(documents):
    types = {}
    for document in documents.values():
        for entity in document.entities:
            if entity.type is not None:
                assert types.setdefault((document.book, entity.id), entity.type) == entity.type


def test_marked_errors_are_in_the_text(documents):
    for document in documents.values():
        marks = {o.system: o.errors for o in document.systems}
        assert marks["post-edited"] is None
        assert len(marks["sentence-level"]) > len(marks["document-level"]) > 0
        for output in document.systems:
            for mark in output.errors or ():
                if mark.text is not None:
                    assert output.text[mark.start : mark.end] == mark.text


def test_no_output_is_the_reference(documents):
    for document in documents.values():
        for output in document.systems:
            same = sum(a == b for a, b in zip(output.sentences, document.en.sentences, strict=True))
            assert same <= 3


def test_what_is_planted_is_there_and_is_scored(documents, planted):
    assert len(planted) >= 150
    for place, row in planted:
        assert row["phenomenon"] in PHENOMENA, place
        document = documents[f"{row['book']}/{row['chapter']}"]
        index = int(row["sentence"]) - 1
        output = next(o for o in document.systems if o.system == row["system"])
        texts = (document.zh.sentences, document.en.sentences, output.sentences)
        for column, sentences in zip(("source", "reference", "system_text"), texts, strict=True):
            assert row[column] == "-" or row[column] in sentences[index], (place, column)
        _assert_scored(place, row, document, index, output.sentences[index])


def _assert_scored(place, row, document, index, sentence):
    """A planted mistake costs the metric that is about it."""
    reference = document.en.sentences[index]
    if row["phenomenon"] in {"name", "term"}:
        assert not Matcher([row["reference"]]).find(sentence), place
        entity = next(e for e in document.entities if row["reference"] in e.en)
        only = list(document.en.sentences)
        only[index] = sentence
        names = [m.name for m in Entity().count(document, only).misses if m.sentence == index]
        # Another name of the same entity is an answer: "Smelling Xiaoman" still has "Xiaoman".
        other = Matcher(entity.en).find(sentence)
        assert other or Matcher([row["reference"]]).find(" / ".join(names)), place
    elif row["phenomenon"] == "gender":
        classes = {w: c for w, c in pronoun_classes("en").items() if c in THIRD_PERSON}
        assert count_words(reference, classes) != count_words(sentence, classes), place


def test_the_post_edited_system_has_few_slips(planted):
    slips = [row for _, row in planted if row["system"] == "post-edited"]
    assert 0 < len(slips) <= 8


def test_systems_rank_as_they_were_written_to(documents):
    for metric in (Entity(), Pronoun()):
        scores = {}
        for name in ("sentence-level", "document-level", "post-edited"):
            tallies = [
                metric.count(d, next(o for o in d.systems if o.system == name).sentences)
                for d in documents.values()
            ]
            scores[name] = metric.score(name, tallies).score
        assert scores["sentence-level"] < scores["document-level"] < scores["post-edited"]


def test_the_second_annotation_differs_honestly():
    pairs = pair_documents(CorpusFolderReader(sample()), CorpusFolderReader(sample(), second=True))
    assert len(pairs) >= 2
    for pair in pairs:
        rows = {(row.lang, row.measure): row.f1 for row in agreement([pair])}
        assert all(0.5 < value <= 1 for value in rows.values() if value is not None)
        assert rows["en", "mention"] < 1
        assert rows["en", "coreference"] < 1


def test_entities_are_shared_by_the_sides(documents):
    for document in documents.values():
        shared = [entity for entity in document.entities if entity.zh and entity.en]
        named = [entity for entity in document.entities if entity.term]
        assert len(shared) >= len(document.entities) * 0.7
        assert all(entity.zh and entity.en for entity in named)


def test_the_reference_scores_one_against_itself(documents):
    from bwb.metrics import METRICS

    # No similarity to the reference: LTCR asks whether a text agrees with itself, centering and
    # cohesion how it holds together, TER counts errors, phenomena have no number for all, a
    # resolver errs.
    other = {"ltcr", "centering", "cohesion", "ter", "phenomena", "coreference"}
    metrics = [make() for name, make in METRICS.items() if name not in other]
    metrics = [metric for metric in metrics if metric.download is None]
    for document in documents.values():
        for metric in metrics:
            tally = metric.count(document, document.en.sentences)
            assert metric.score("reference", [tally]).score == pytest.approx(1, abs=1e-12)
            assert dataclasses.asdict(tally)["misses"] == []
