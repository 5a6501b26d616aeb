from __future__ import annotations

from dataclasses import replace

from bwb.annotations.distributions import Distributions
from bwb.records import Document, Quote, Side, Span
from tests.report.scored_corpus import document


def test_a_chapter_in_numbers():
    found = Distributions()
    found.add(document())
    (chapter,) = found.chapters
    assert (chapter.id, chapter.book, chapter.genre) == ("book/1", "book", "g")
    en, zh = chapter.sides["en"], chapter.sides["zh"]
    # Lin Xi opened the door / She held her lamp / Who is there he asked / She saw him and her …
    assert (en.sentences, en.units) == (4, 5 + 4 + 5 + 7)
    assert (zh.sentences, zh.units) == (4, 12)
    assert en.omitted == 0.5
    assert (en.speech, zh.omitted) == (None, None)
    assert found.sentence_lengths == {"zh": {3: 4}, "en": {5: 2, 4: 1, 7: 1}}


def test_speech_is_a_share_of_sentences():
    side = Side("en", ("“A", "b” c", "d"), ("quotation",), (), (Quote("q", (Span(0, 4),)),))
    found = Distributions()
    list(found.watch([Document("d", "b", "1", None, side)]))
    assert found.chapters[0].sides["en"].speech == 2 / 3


def test_annotated_and_empty_differs_from_not_annotated():
    found = Distributions()
    found.add(Document("d", "b", "1", None, Side("en", ("x",), ("quotation", "coreference"))))
    shape = found.chapters[0].sides["en"]
    assert (shape.speech, shape.omitted) == (0.0, None)
    one = document()
    found.add(replace(one, zh=None))
    assert list(found.chapters[1].sides) == ["en"]
