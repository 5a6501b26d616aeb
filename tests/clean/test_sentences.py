"""Cutting lines into sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.annotations.inline import strip_tags
from bwb.assets import sample
from bwb.clean.sentences import split_line, split_lines
from bwb.clean.splitting import boundaries, read_gold, score

# Each list is a line's sentences; the line is the list joined.
CHINESE = [
    ["天黑了。", "他点起灯！", "谁在外面？", "没有人应。"],
    ["他说：“走吧。别回头。”", "两人便走了。"],
    ["“走吧，”他站起来，“天快黑了。”", "她没有动。"],
    ["“谁？”他喊道。", "没有人应。"],
    ["“谁？”老船工哑着嗓子问，“谁在那儿？”"],
    ["他听见一声“站住！”的喊声，停了下来。"],
    ["“好！”", "“好！”", "三个人都笑了。"],
    ["「走吧。」", "他推开门。", "「『不去』是什么意思？」她问。"],
    ["他想：『完了。全完了。』", "门开了。"],
    ["我……我不去。", "真的不去。"],
    ["桥那头的灯火一盏一盏地灭了下去……", "他转过身。"],
    ["他（那时还年轻。也傻。）一口答应了。", "后来才后悔。", "（其实没有。）", "天亮了。"],
    ["她读完了《谁在敲门？》。", "天亮了。"],
    ["【系统：任务完成。奖励已发放。】", "他松了口气。"],
    ["“我没有收尾的引号。", "他接着说。", "“真的？”", "她不信。"],
    ["没有开头的引号。”", "他说完就走。"],
    ["什么？！", "你再说一遍！！！"],
    ["圆周率是3.14。", "水温37.5度。"],
    ['他说:"走吧。别回头。"', "两人便走了。"],
    ["……他终于开口。", "可是晚了。"],
]
ENGLISH = [
    ["It was dark.", "He lit the lamp!", "Who was there?", "Nobody answered."],
    ["“Go,” he said.", "“Don’t look back.”"],
    ["“Go! Don’t look back!” he said.", "She went."],
    ["“Go!” Wang said.", "She went."],
    ["“Where to?” the old ferryman asked.", "She shrugged."],
    ["“Go!”", "He turned away."],
    ['"Go! Now!" he said.', 'She said, "No. Never."', "They stayed."],
    ["‘Go! Now!’ he said.", "‘I won’t. It’s the boys’ turn.’", "They stayed."],
    ["'Go! Now!' he said.", "'I won't. It's late.'", "They stayed."],
    ["Get 'em out.", "The boys' room is cold.", "'Now! Quick!' he said."],
    ["Mr. Chen met Dr. Li and Mrs. Wu at St. Anne’s.", "It rained."],
    ["He came at 5 p.m. on Monday.", "She left at 6 a.m.", "He slept."],
    ["J. R. Lin wrote it.", "So did I.", "We all knew."],
    ["It cost 3.50 yuan, or No. 7 would do.", "Did he say no?", "He said no.", "It was over."],
    ["I… I can’t.", "He waited…", "Then he left."],
    ["“I—”", "She stopped."],
    ["He waited . . . and waited.", "Nothing came . . .", "The lamp went out."],
    ["“She never came.", "He sighed.", "“Never?”", "It was so."],
    ["She left.”", "He sighed."],
    ["He was (or so he said. Ask him!) a clerk.", "She laughed."],
    ["[System: Quest done. Reward sent.]", "He sighed."],
    ["“Go.”", "“No.”", "“Go!”", "“No!”"],
    ["What?!", "Say that again!!!"],
    ["The U.S. fleet sailed.", "It came from the U.S.", "They waited."],
    ["1. The first rule.", "There are more."],
]


@pytest.mark.parametrize("sentences", CHINESE, ids=lambda s: s[0])
def test_chinese(sentences):
    assert split_line("".join(sentences), "zh") == sentences


@pytest.mark.parametrize("sentences", ENGLISH, ids=lambda s: s[0])
def test_english(sentences):
    assert split_line(" ".join(sentences), "en") == sentences


def test_a_full_stop_before_a_narrators_sentence_ends_the_quotation():
    assert split_line("“Go.” He turned away.", "en") == ["“Go.”", "He turned away."]
    assert split_line("“Go.” He said nothing more to her.", "en") == [
        "“Go.”",
        "He said nothing more to her.",
    ]
    assert split_line("“Go.” He said.", "en") == ["“Go.” He said."]


def test_quotations_may_be_cut_inside():
    assert split_line("他说：“走吧。别回头。”她走了。", "zh", quotes="split") == [
        "他说：“走吧。",
        "别回头。”",
        "她走了。",
    ]
    assert split_line("“Go! Run!” he said. “Now.”", "en", quotes="split") == [
        "“Go!",
        "Run!” he said.",
        "“Now.”",
    ]
    # A quotation mark is never left alone.
    assert split_line("“走。别回头。 ”", "zh", quotes="split") == ["“走。", "别回头。 ”"]


def test_a_missing_space_after_a_quotation():
    assert split_line("“Go.”He went. “Well?”“No.”", "en") == [
        "“Go.”",
        "He went.",
        "“Well?”",
        "“No.”",
    ]
    assert split_line('He left."Go!"', "en") == ["He left.", '"Go!"']


def test_nothing_but_marks_is_no_sentence_of_its_own():
    assert split_line("……", "zh") == ["……"]
    assert split_line("“……”", "zh") == ["“……”"]
    assert split_line("... Then he left.", "en") == ["... Then he left."]


def test_lines_without_text_have_no_sentences():
    assert split_lines(["", "  \u3000", "天黑了。天亮了。"], "zh") == ["天黑了。", "天亮了。"]


def test_english_lines_of_a_chinese_chapter():
    assert split_line("He left. She stayed.", "zh") == ["He left.", "She stayed."]


MARKS = [*"。！？…，：；“”‘’「」『』【】（）《》\"'.!?,;:()[]—- \u3000", "……", "。”", ".” ", '?" ']
WORDS = ["他", "说", "走吧", "我", "的", "他喊道", "He", "he", "said", "I", "Mr", "Go", "a.m", "5"]
TEXT = st.lists(st.sampled_from([*MARKS, *WORDS, " ", " "]), max_size=40).map("".join)


@given(
    TEXT | st.text(max_size=60), st.sampled_from(["zh", "en"]), st.sampled_from(["whole", "split"])
)
def test_nothing_is_lost_and_sentences_stay_as_they_are(line, lang, quotes):
    sentences = split_line(line, lang, quotes=quotes)
    assert "".join("".join(sentences).split()) == "".join(line.split())
    assert all(sentence == sentence.strip() != "" for sentence in sentences)
    assert [split_line(s, lang, quotes=quotes) for s in sentences] == [[s] for s in sentences]


@given(TEXT, st.sampled_from(["zh", "en"]))
def test_keeping_quotations_whole_cuts_no_more_than_cutting_them(line, lang):
    assert len(split_line(line, lang)) <= len(line) + 1
    assert boundaries(split_line(line, lang)) <= {*range(1, len(line))}


def sample_lines(lang):
    gold = read_gold()
    for path in sorted(sample().glob(f"*/*.{lang}.an.txt")):
        chapter = f"{path.parent.name}/{path.name.removesuffix('.an.txt')}"
        for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = strip_tags(raw)
            yield line, gold.pop((chapter, number), [line])


@pytest.mark.parametrize(("lang", "wrong"), [("zh", 1), ("en", 0)])
def test_the_sample(lang, wrong):
    pairs = list(sample_lines(lang))
    for line, sentences in pairs:
        assert "".join("".join(sentences).split()) == "".join(line.split())
    result = score((split_line(line, lang), sentences) for line, sentences in pairs)
    assert result.true > 20
    assert result.lines - result.exact <= wrong


@pytest.mark.parametrize(("lang", "least"), [("zh", 0.99), ("en", 0.995)])
def test_the_sentences_of_mac(shared_data, lang, least):
    pairs = []
    with (shared_data / "mac" / "mac-dev.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            sentences = [s.strip() for s in row["src" if lang == "zh" else "tgt"]]
            for at in range(0, len(sentences), 5):
                run = sentences[at : at + 5]
                line = ("" if lang == "zh" else " ").join(run)
                pairs.append((split_line(line, lang, quotes="split"), run))
    result = score(pairs)
    assert result.true > 1000
    assert result.f1 >= least


def test_scores():
    result = score(
        [(["a b.", "c."], ["ab.", "c."]), (["d.", "e.", "f."], ["d.", "e. f."]), (["g"], ["g"])]
    )
    assert (result.hits, result.found, result.true) == (2, 3, 2)
    assert (result.exact, result.lines) == (2, 3)
    assert result.precision == pytest.approx(2 / 3)
    assert result.recall == 1.0
    assert result.f1 == pytest.approx(0.8)
    assert score([(["g"], ["g"])]).f1 is None
