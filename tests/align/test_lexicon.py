from __future__ import annotations

import pytest

from bwb.align.lexicon import ChineseEnglish, Cognates, english_stems, stem


@pytest.fixture(scope="module")
def lexicon():
    return ChineseEnglish()


@pytest.mark.parametrize(
    "words",
    [
        ("walk", "walks", "walked", "walking"),
        ("stop", "stops", "stopped", "stopping"),
        ("cry", "cries", "cried", "crying"),
        ("make", "makes", "made", "making"),
        ("wish", "wishes", "wished"),
        ("write", "wrote", "written", "writing"),
        ("foot", "feet"),
        ("child", "children"),
        ("slow", "slowly"),
    ],
)
def test_forms_of_a_word_share_a_stem(words):
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize("words", [("king", "k"), ("red", "r"), ("this", "thi")])
def test_words_do_not_collapse(words):
    assert stem(words[0]) != stem(words[1])


def test_english_is_stems_without_stop_words_or_doubles():
    assert english_stems("The ferries, and a FERRY: the café's 12 boats!") == [
        "ferri",
        "caf",
        "12",
        "boat",
    ]


def test_a_word_becomes_its_glosses(lexicon):
    words = lexicon.source("老师在图书馆看书")
    assert "teacher" in words["老师"]
    assert "librari" in words["图书馆"]


def test_traditional_headwords_are_known(lexicon):
    assert "librari" in set().union(*lexicon.source("圖書館").values())


def test_words_of_which_only_stop_words_are_left_are_passed_over(lexicon):
    assert "我" not in lexicon.source("我的书")


def test_notes_in_glosses_are_no_translation(lexicon):
    assert {"book", "letter"} <= lexicon.source("书")["书"]
    assert not {"cl", "jing1", "shu1", "ben3"} & lexicon.source("书")["书"]


def test_names_become_pinyin(lexicon):
    assert "beij" in {s for stems in lexicon.source("北京").values() for s in stems}
    found = set().union(*lexicon.source("陈清扬笑了").values())
    assert {stem("chen"), stem("qingyang")} <= found


def test_latin_in_chinese_is_itself(lexicon):
    assert lexicon.source("他买了 2 张 CD")["CD"] == {"cd"}


def test_nothing_gives_nothing(lexicon):
    assert lexicon.source("") == {}
    assert lexicon.target("") == []
    assert lexicon.source("，。！") == {}


def test_cognates():
    lexicon = Cognates()
    assert set(lexicon.source("Expedition im Himalaya , 8848 m")) == {"exped", "himal", "8848"}
    assert set(lexicon.target("Expédition à l' Himalaya ( 8848 m )")) == {"exped", "himal", "8848"}
    assert lexicon.source("und so") == {}
