from __future__ import annotations

import pytest

from bwb.clean.filters import load_filters
from bwb.clean.rules import (
    PAIR_RULES,
    RULES,
    SIDE_RULES,
    TextPair,
    decide_pair,
    decide_side,
    pair_rules,
    side_rules,
)
from bwb.clean.text import Text, han_share, join, natural
from bwb.errors import InputError, UsageError
from bwb.records import Chapter
from bwb.schema import dumps

FILTERS = load_filters()
PROSE = {
    "zh": ["船靠岸的时候天还没亮，雾里只看得见一盏灯。", "他把绳子系好，回头喊了一声。"] * 4,
    "en": ["The boat came in before it was light.", "He tied the rope and called back."] * 4,
}


def text(lines, lang="zh", sentences=None):
    chapter = Chapter("book", "7", lang, "", tuple(lines))
    return Text(chapter, tuple(lines if sentences is None else sentences))


def score(name, item):
    return RULES[name](FILTERS).score(item)


def codes(dropped):
    return [] if dropped is None else [dropped.rule, *(reason.rule for reason in dropped.also)]


def test_every_rule_has_its_threshold_and_no_threshold_lacks_a_rule():
    assert set(FILTERS.rules) == set(RULES) == {*SIDE_RULES, *PAIR_RULES}
    assert [rule.name for rule in RULES.values()] == list(RULES)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_prose_breaks_no_rule(lang):
    assert decide_side(text(PROSE[lang], lang), side_rules(FILTERS, lambda _: lang)) is None


def test_four_sentences_are_too_few_and_five_are_not():
    rules = side_rules(FILTERS)
    assert codes(decide_side(text(PROSE["zh"][:4]), rules)) == ["few-sentences"]
    assert decide_side(text(PROSE["zh"][:5]), rules) is None


def test_all_reasons_are_told_the_first_counts():
    dropped = decide_side(text(["……", "！"]), side_rules(FILTERS, lambda _: None))
    assert codes(dropped) == ["empty-body", "few-sentences"]
    assert (dropped.book, dropped.chapter, dropped.lang) == ("book", "7", "zh")
    assert (dropped.score, dropped.threshold) == (0, 1)
    assert '"also":[{"rule":"few-sentences","score":2.0' in dumps(dropped)


def test_no_sentence_is_an_empty_body_whatever_the_lines():
    assert score("empty-body", text(["一行字"], sentences=[])) == 0


def test_another_language_is_what_the_function_says():
    item = text(PROSE["en"], "zh")
    (dropped,) = [decide_side(item, side_rules(FILTERS, lambda _: "en"))]
    assert codes(dropped) == ["wrong-language"]
    assert dropped.detail == "the text is en; expected zh"
    assert decide_side(item, side_rules(FILTERS, lambda _: None)) is None
    assert decide_side(item, side_rules(FILTERS)) is None


@pytest.mark.parametrize(
    ("good", "encoding", "wrong"),
    [
        ("他说“走吧”，就走了。", "utf-8", "cp1252"),
        ("“You’re late,” she said — café…", "utf-8", "cp1252"),
        ("江水很冷，没有人说话。", "utf-8", "latin-1"),
    ],
)
def test_text_read_in_a_wrong_encoding_is_damaged(good, encoding, wrong):
    bad = good.encode(encoding).decode(wrong, "replace")
    assert score("encoding-damage", text([bad])) > 0.2
    assert score("encoding-damage", text([good])) == 0


def test_damage_of_other_kinds():
    assert score("encoding-damage", text(["一二三\ufffd五"])) == 0.2
    assert score("encoding-damage", text(["锟斤拷锟斤拷"])) == 1
    assert score("encoding-damage", text(["a\ue123b\x85"])) == 0.5
    # accents, and quotation marks that stand where they may
    assert score("encoding-damage", text(["À la fête, Æneas’ “œuvre” – naïve, Zoë."], "en")) == 0
    (dropped,) = [decide_side(text([*PROSE["zh"], "\ufffd" * 3]), side_rules(FILTERS))]
    assert "first '\\ufffd'" in dropped.detail


VERSE = ["灯下水声长，舟中客梦凉。", "三更人不语，一夜月如霜。"]


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (VERSE, 1),
        (["灯下水声长", "舟中客梦凉", "三更人不语", "一夜月如霜"], 1),
        (["“灯下水声长，舟中客梦凉，三更人不语，一夜月如霜。”他念道。", "好。"], 0),
        ([*VERSE, *PROSE["zh"][:2]], 0.5),
        (["上联：水上灯一盏", "下联：舟中客两人", "横批：夜渡", "众人叫好。"], 0.75),
        (["你怎么来了？", "我不能来吗？"], 0),  # five characters each, but only two
        (["你来了。", "嗯。", "去哪里？", "回家去。"], 0),
    ],
)
def test_chinese_verse(lines, share):
    assert score("poetry", text(lines)) == share


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["The lamp burns low upon the quay,", "And no one calls", "For any name we knew"] * 2, 1),
        (["“Go.”", "“No.”", "“Why not?”", "“Because I said so.”"] * 2, 0),
        (["Strength: 12", "Speed: 9", "Name: Lu Wen", "Level 3"] * 2, 0),
        (["A line that stands alone", *PROSE["en"][:3]], 0),
    ],
)  # fmt: skip
def test_english_verse(lines, share):
    assert score("poetry", text(lines, "en")) == share


def pair(zh, en, alignment=None):
    return TextPair(text(zh, "zh"), text(en, "en"), alignment)


def test_sequence_ratio_above_three_goes_either_way_round():
    rules = pair_rules(FILTERS)
    zh, en = ["句子很长很长很长很长很长很长。"], ["A sentence."]
    assert "sequence-ratio" not in codes(decide_pair(pair(zh * 6, en * 18), rules))
    assert "sequence-ratio" in codes(decide_pair(pair(zh * 6, en * 19), rules))
    dropped = decide_pair(pair(zh * 19, en * 6), rules)
    assert "sequence-ratio" in codes(dropped)
    assert dropped.lang is None
    assert score("sequence-ratio", pair([], en)) is None


def test_length_ratio_makes_english_as_long_as_chinese():
    assert score("length-ratio", pair(["十个汉字正好在这一行"], ["x" * 40])) == 1
    assert score("length-ratio", pair(["十个汉字正好在这一行"], ["x" * 10])) == 4


def test_untranslated_sentences():
    zh = ["他走了。", "Lu Wen!", "……"]
    en = ["He left.", "Lu Wen!", "他走了。", "The sign said 渡口 in red.", "……"]
    assert score("untranslated", pair(zh, en)) == 0.4


def test_low_alignment_applies_only_after_alignment():
    rules = pair_rules(FILTERS)
    zh, en = PROSE["zh"], PROSE["en"]
    assert decide_pair(pair(zh, en), rules) is None
    assert codes(decide_pair(pair(zh, en, 0.1), rules)) == ["low-alignment"]


def test_a_rule_can_be_switched_off_or_moved():
    few = text(PROSE["zh"][:4])
    off = load_filters({"rules": {"few-sentences": {"enabled": False}}})
    assert decide_side(few, side_rules(off)) is None
    moved = load_filters({"rules": {"few-sentences": {"threshold": 4}}})
    assert decide_side(few, side_rules(moved)) is None
    assert moved.rules["poetry"] == FILTERS.rules["poetry"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"rules": {"few-sentence": {"threshold": 4}}}, "rules.few-sentence: no such rule"),
        ({"pairing": {"shure": 0.9}}, r"'shure' in \[pairing\].*did you mean 'sure'"),
        ({"pairing": {"sure": 1.5}}, r"pairing.sure is 1\.5: input should be less than 1"),
        ({"pairing": {"sure": 0.1}}, r"sure is 0\.1; expected at least accept \(0\.5\)"),
        ({"duplicates": {"bands": 7}}, r"expected a multiple of bands \(7\)"),
        ({"verse": {"couplet": "("}}, "verse.couplet: .*no regular expression"),
        ({"rules": 3}, "rules"),
    ],
)
def test_settings_that_are_refused(overrides, message):
    with pytest.raises(InputError, match=f"my.toml.*{message}"):
        load_filters(overrides, file="my.toml")


def test_sides_of_a_pair_may_not_be_exchanged():
    item = pair(PROSE["zh"], PROSE["en"])
    with pytest.raises(UsageError, match="a pair of en and zh"):
        decide_pair(TextPair(item.en, item.zh), pair_rules(FILTERS))


def test_joined_chapters_keep_lines_and_pages_in_order():
    first, second = text(["甲"]), text(["乙", "丙"])
    whole = join([first, second])
    assert whole.sentences == whole.chapter.lines == ("甲", "乙", "丙")
    assert whole.chapter.chapter == "7+7"
    assert join([first]) is first
    with pytest.raises(UsageError, match=r"book \(zh\) and of book \(en\)"):
        join([first, text(["a"], "en")])


def test_han_share_and_natural_order():
    assert han_share("汉 word") == 0.2
    assert han_share("12 …") is None
    assert sorted(["b10", "b9", "a", "b"], key=natural) == ["a", "b", "b9", "b10"]
