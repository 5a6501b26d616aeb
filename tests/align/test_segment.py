"""The segmenter against jieba, on known and on unknown text."""

from __future__ import annotations

import json
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.align.segment import quiet_jieba, segmenter


@pytest.fixture(scope="module")
def jieba():
    module = quiet_jieba()
    tokenizer = module.Tokenizer()
    tokenizer.initialize()
    return tokenizer


MIXED = st.text(
    st.sampled_from("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会")
    | st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
    | st.sampled_from("abXY0 19.%-_#&+\r\n\t　“”，。！㐀鿿豈𠀀々〇é"),
    max_size=30,
)


@settings(max_examples=400, deadline=None)
@given(text=MIXED)
def test_words_are_those_of_jieba(jieba, text):
    assert segmenter().cut(text) == list(jieba.cut(text))


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_words_of_the_dictionary_in_a_row_are_cut_as_jieba_does(jieba, data):
    words = [word for word in list(jieba.FREQ)[:60_000:37] if len(word) > 1]
    text = "".join(data.draw(st.lists(st.sampled_from(words), max_size=8)))
    assert segmenter().cut(text) == list(jieba.cut(text))


def test_real_sentences_are_cut_as_jieba_does(jieba, shared_data):
    lines = (shared_data / "mac" / "mac-dev.jsonl").read_text("utf-8").splitlines()
    sentences = [sentence for line in lines[:2] for sentence in json.loads(line)["src"]]
    assert len(sentences) > 100
    assert [segmenter().cut(s) for s in sentences] == [list(jieba.cut(s)) for s in sentences]


def test_a_cut_by_hand():
    assert segmenter().cut("老师在图书馆看书，3.5%。\n") == [
        *("老师", "在", "图书馆", "看书", "，", "3.5%", "。", "\n"),
    ]
    assert segmenter().cut("") == []


def test_a_character_in_no_word_has_the_probability_jieba_gives_it(jieba):
    assert segmenter()._least == -log(jieba.total)


def test_cuts_of_unknown_words_do_not_pile_up(monkeypatch):
    monkeypatch.setattr("bwb.align.segment._REMEMBERED", 3)
    cut = segmenter()
    cut._known.clear()
    for k in range(20):
        cut.cut(chr(0x4E00 + 7 * k) + chr(0x8000 + 11 * k))
        assert len(cut._known) <= 3
