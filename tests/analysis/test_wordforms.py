"""Lemmas by word and tag."""

from __future__ import annotations

import pytest

from bwb.analysis import wordforms
from bwb.analysis.english import english, lemmas
from bwb.analysis.wordforms import Lemmas
from bwb.annotations.sources import read_documents


def test_the_tag_decides():
    found = Lemmas(keep=False).look_up([("boats", "NNS"), ("left", "VBD"), ("left", "JJ")])
    assert found["boats", "NNS"] == "boat"
    assert found["left", "VBD"] == "leave"
    assert found["left", "JJ"] == "left"


def test_names_keep_their_case():
    assert Lemmas(keep=False).look_up([("Lanterns", "NNP")])["Lanterns", "NNP"] == "Lanterns"


def test_a_lemma_does_not_depend_on_what_is_looked_up_with_it():
    pairs = [("’s", "POS"), ("n’t", "RB"), ("lamps", "NNS"), ("was", "VBD"), ("\ud800", "NN")]
    together = Lemmas(keep=False).look_up(pairs)
    assert Lemmas(keep=False).look_up(pairs[::-1]) == together
    assert together == {pair: Lemmas(keep=False).look_up([pair])[pair] for pair in pairs}


def test_what_is_on_disk_is_not_computed_again(tmp_path, monkeypatch):
    monkeypatch.setenv("BWB_CACHE", str(tmp_path))
    pairs = [("lamps", "NNS"), ("ran", "VBD"), ("\udc00s", "NNS")]
    first = dict(Lemmas().look_up(pairs))
    with monkeypatch.context() as context:
        context.setattr(wordforms, "_compute", lambda pairs: pytest.fail(f"computed {pairs}"))
        assert Lemmas().look_up(pairs) == first
    assert Lemmas().look_up([*pairs, ("gates", "NNS")])["gates", "NNS"] == "gate"


def test_nouns_of_the_sample_are_those_of_the_whole_pipeline():
    document = next(iter(read_documents()))
    analyses = english().analyse(document.en.sentences)
    expected = lemmas([analysis.tokens for analysis in analyses])
    table = Lemmas(keep=False)
    seen = 0
    for analysis, row in zip(analyses, expected, strict=True):
        for word, tag, lemma in zip(analysis.tokens, analysis.tags, row, strict=True):
            if tag in {"NN", "NNS"}:
                seen += 1
                assert table.look_up([(word, tag)])[word, tag].casefold() == lemma
    assert seen > 50
