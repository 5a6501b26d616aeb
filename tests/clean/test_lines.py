"""Taking out of a chapter what is not its text, and nothing else."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.annotations.inline import strip_tags
from bwb.assets import sample
from bwb.clean.lines import RemovedLine, clean_lines
from bwb.clean.settings import Cleaning, cleaning
from bwb.errors import FormatError
from bwb.tomlfile import check

# Sixteen lines a side, so that the rules for the ends of a chapter leave the middle alone.
STORY = {
    "zh": [f"第{n}盏灯漂下来的时候，她数到了{n}，河水还是那样慢。" for n in "一二三四五六七八九"]
    + [
        "“你数错了。”老船工说。",
        "“没有。”",
        "……",
        "“哈哈哈！”",
        "“哈哈哈！”",
        "雾散了。",
        "天亮了。",
    ],
    "en": [
        f"When lantern number {n} came down she counted it, and the river was slow."
        for n in range(9)
    ]
    + [
        "“You miscounted,” said the ferryman.",
        "“No.”",
        "“No.”",
        "…",
        "“Ha!”",
        "The fog lifted.",
        "It was day.",
    ],
}


def among(line, lang):
    """The line in the middle of a story."""
    return [*STORY[lang][:8], line, *STORY[lang][8:]]


def reasons(lines, lang, **keys):
    """Reason codes by line."""
    return {r.line: r.reason for r in clean_lines(lines, lang, **keys).removed}


# reason, where the line stands (start, middle, end), the line
REMOVED = {
    "zh": [
        ("title", 0, "第十二章 夜雨"),
        ("title", 0, "第十二章"),
        ("title", 0, "第12章：夜雨"),
        ("title", 0, "第十二章夜雨"),
        ("title", 0, "正文 第十二章 夜雨"),
        ("title", 0, "夜雨"),
        ("title", 8, "第十二章 夜雨（2/3）"),
        ("credit", 0, "作者：某人 更新时间：2020-01-02 10:11 字数：3021"),
        ("chapter-end", 16, "(本章完)"),
        ("chapter-end", 16, "（未完待续。）"),
        ("chapter-end", 8, "本章未完，请点击下一页继续阅读"),
        ("note", 8, "译注：半盏，半杯的意思。"),
        ("author-note", 16, "PS：今天第二更，求月票。"),
        ("author-note", 16, "求月票，求推荐票！！！"),
        ("author-note", 8, "跪求收藏~"),
        ("author-note", 16, "月底了，求月票！"),
        ("author-note", 16, "月票满500加更一章！"),
        ("navigation", 16, "上一章 | 目录 | 下一章"),
        ("navigation", 16, "上一页 下一页"),
        ("navigation", 16, "加入书签"),
        ("watermark", 8, "手机用户请浏览m.shudian.example.com阅读，更优质的阅读体验。"),
        ("watermark", 8, "天才一秒记住本站地址：www.shudian.com"),
        ("watermark", 8, "www.shudian.com"),
        ("watermark", 8, "一秒记住【书店小说网www.shudian.com】，为您提供精彩小说阅读。"),
        ("watermark", 8, "ｗｗｗ．ｓｈｕｄｉａｎ．ｃｏｍ"),
        ("watermark", 8, "w w w . s h u d i a n . c o m"),
        ("watermark", 8, "最新章节请到ｓｈｕｄｉａｎ．ｃｏｍ"),
        ("watermark", 8, "《灯渡》最新章节首发，无弹窗全文阅读"),
        ("watermark", 8, "请记住本书首发域名：shudian。com"),
        ("watermark", 8, "书店小说网首发，更新最快"),
        ("watermark", 16, "喜欢灯渡请大家收藏：(www.shudian.com)灯渡书店更新速度最快。"),
        ("advertisement", 8, "请下载书店APP，无广告阅读"),
        ("advertisement", 16, "书友群：123456789"),
        ("advertisement", 8, "广告"),
        ("separator", 8, "***"),
        ("separator", 8, "———"),
        ("separator", 8, "◆ ◆ ◆"),
        ("empty", 8, "\u200b\u3000"),
    ],
    "en": [
        ("title", 0, "Chapter 12: Night Rain"),
        ("title", 0, "Chapter 12"),
        ("title", 0, "CHAPTER 12 – Night Rain"),
        ("title", 0, "Ch. 12 Night Rain"),
        ("title", 0, "Volume 2, Chapter 12: Night Rain"),
        ("title", 0, "Night Rain"),
        ("title", 8, "Chapter 12: Night Rain (2/3)"),
        ("credit", 0, "Translator: Paper Lantern Editor: Slow River"),
        ("credit", 0, "Translated by Paper Lantern"),
        ("note", 8, "T/N: half a lamp is half a cup."),
        ("note", 8, "[TL note: half a lamp is half a cup.]"),
        ("note", 8, "Translator’s note: “lamp” also means cup."),
        ("author-note", 16, "Author’s note: thank you all for reading."),
        ("author-note", 16, "Please vote for this novel with your Power Stones!"),
        ("chapter-end", 16, "To be continued…"),
        ("chapter-end", 16, "(End of chapter)"),
        ("navigation", 16, "Prev Next"),
        ("navigation", 16, "← Previous Chapter | Table of Contents | Next Chapter →"),
        ("watermark", 8, "Read the latest chapters at slowriver.example.com"),
        ("watermark", 8, "This chapter is updated by slowriver.com"),
        ("watermark", 8, "This chapter is updated by s l o w r i v e r . c o m"),
        ("watermark", 8, "Ｒｅａｄ at ｓｌｏｗｒｉｖｅｒ．ｃｏｍ"),
        ("watermark", 8, "The source of this content is slow/river[.]net"),
        ("watermark", 8, "New novel chapters are published on slowriver.com."),
        ("watermark", 8, "Visit slowriver.com for more chapters"),
        ("watermark", 8, "slowriver.com"),
        (
            "watermark",
            8,
            "This story has been taken without permission; report it if you see it on Amazon.",
        ),
        ("advertisement", 8, "Advertisement"),
        (
            "advertisement",
            16,
            "If you find any errors (broken links), please let us know so we can fix it.",
        ),
        ("advertisement", 16, "Tip: You can use the left and right keyboard keys to browse."),
        ("separator", 8, "* * *"),
        ("separator", 8, "~~~~~"),
        ("empty", 8, "\ufeff"),
    ],
}
CASES = [(lang, *case) for lang, cases in REMOVED.items() for case in cases]
TITLE = {"zh": "第十二章 夜雨", "en": "Chapter 12: Night Rain"}


@pytest.mark.parametrize(("lang", "reason", "at", "line"), CASES, ids=lambda v: str(v)[:24])
def test_what_is_not_the_story_goes(lang, reason, at, line):
    lines = [*STORY[lang][:at], line, *STORY[lang][at:]]
    cleaned = clean_lines(lines, lang, title=TITLE[lang], number=12)
    assert cleaned.lines == tuple(STORY[lang])
    assert cleaned.removed == (RemovedLine(at, line, reason),)
    assert not cleaned.changed
    assert [lines[i] for i in cleaned.kept] == STORY[lang]


# People of a story visit sites, read novels, beg, number things, and write letters.
STAYS = {
    "zh": [
        "“你去www.baozi.com看看，”他说，“最新章节都在上面。”",
        "他打开www.baozi.com，开始阅读那本小说。",
        "她在浏览器里输入baozi.com，页面却打不开。",
        "他点开了最新章节，脸色一变。",
        "公司的手机用户突破千万，他到楼下请大家吃饭。",
        "他一秒记住了所有的密码。",
        "记住我们的约定。",
        "请记住，本书只借三天。",
        "白鹿书院提供膳食，首发的名单上有他。",
        "主播在屏幕里大喊：求打赏，求关注！",
        "她来求票，被人赶了出去。",
        "他的书在中文网首发那天，她哭了。",
        "第三回合开始了。",
        "第十二章写得最好，他把那一页折了起来。",
        "第一节课迟到了。",
        "百度一下那本小说的名字，什么也没有。",
        "他下载了一个app，开始记账。",
        "她关注了一个公众号。",
        "PS：我爱你。",
        "【注：此丹每日只能服用一粒。】",
        "【系统提示：未完待续任务已刷新。】",
        "“未完待续。”他合上书。",
        "下一章该写什么，她还没有想好。",
        "目录上没有这个名字。",
        "作者：佚名。这四个字刻在碑上。",
        "广告上说，这里能看见海。",
        "……",
        "？？？",
        "“……”",
        "1",
        "啊——",
        "本章程自公布之日起施行。",
        "群里有人喊：群号多少？",
        "译者注视着他。",
        "他注：水银有毒。",
        "天才一秒记住www.shudian.com外面下着雨。",
    ],
    "en": [
        "“Go to www.dumplings.com and read the latest chapter,” he said.",
        "'Visit www.dumplings.com,' he said.",
        "He opened www.dumplings.com and read the latest chapters of the novel.",
        "At www.dumplings.com he found the recipe.",
        "Chapter 12 of the manual lay open on the desk.",
        "Chapter 12 was missing, and so was she.",
        "The next chapter of her life began.",
        "Next!",
        "The book had been stolen from the library.",
        "His story was taken without permission, and he let it go.",
        "Unauthorized use of magic is punishable by death.",
        "The source of this novel is a dream he had.",
        "New chapters are published on Mondays.",
        "She was the translator: nobody thanked her.",
        "The editor: a man of few words.",
        "[Ed: What happened?]",
        "[Qiao: What happened?]",
        "“To be continued,” he said, and closed the book.",
        "P.S. Don’t forget the cat.",
        "The advertisement said that one could see the sea.",
        "Please vote for me.",
        "He joined the server on Discord and said nothing.",
        "“Author’s note? I never read those.”",
        "The sea. Come and look. Net gain: nothing.",
        "He lived at No. 5, St. Mary’s. Info on him was scarce.",
        "…",
        "“…”",
        "?!",
        "Unlock the rest of the doors!",
        "[Ding! You have received 100 points.]",
        "Report to the captain.",
        "Night Rain",
    ],
}
STAYING = [(lang, line) for lang, lines in STAYS.items() for line in lines]


@pytest.mark.parametrize(("lang", "line"), STAYING, ids=lambda v: str(v)[:24])
@pytest.mark.parametrize("at", [4, 8, 15])
def test_the_story_stays(lang, line, at):
    lines = [*STORY[lang][:at], line, *STORY[lang][at:]]
    cleaned = clean_lines(lines, lang, title=TITLE[lang], number=12)
    assert cleaned.lines == tuple(lines)
    assert (cleaned.removed, cleaned.changed) == ((), {})


@pytest.mark.parametrize(("lang", "line"), [case for case in STAYING if case[1] != "Night Rain"])
def test_the_story_stays_where_a_title_might_stand(lang, line):
    assert clean_lines([line, *STORY[lang]], lang, title=TITLE[lang], number=12).lines[0] == line


PARTS = [
    (
        "zh",
        "watermark",
        "他走了出去。一秒记住www.shudian.com，外面下着雨。",
        "他走了出去。外面下着雨。",
    ),
    (
        "zh",
        "watermark",
        "他走了出去。（最新章节请到www.shudian.com）外面下着雨。",
        "他走了出去。外面下着雨。",
    ),
    ("zh", "watermark", "请记住本站www.shudian.com。外面下着雨，天黑了。", "外面下着雨，天黑了。"),
    ("zh", "watermark", "外面下着雨。手机用户请浏览m.shudian.com阅读。", "外面下着雨。"),
    ("zh", "watermark", "他走了出去(shudian.com)，外面下着雨。", "他走了出去，外面下着雨。"),
    ("zh", "note", "他叫半盏（注：半杯的意思），没有姓。", "他叫半盏，没有姓。"),
    ("zh", "author-note", "雾散了。（求月票，拜谢！）", "雾散了。"),
    ("zh", "author-note", "雾散了（求月票）。", "雾散了。"),
    (
        "en",
        "note",
        "They call it Half Lamp (T/N: half a cup), and that is all.",
        "They call it Half Lamp , and that is all.",
    ),
    ("en", "note", "“Half Lamp.” [TL: half a cup] She left.", "“Half Lamp.” She left."),
    (
        "en",
        "watermark",
        "He left. New novel chapters are published on slowriver.com. It rained.",
        "He left. It rained.",
    ),
    ("en", "watermark", "He left. (Read at slowriver.com) It rained.", "He left. It rained."),
]


@pytest.mark.parametrize(("lang", "reason", "line", "rest"), PARTS, ids=lambda v: str(v)[:24])
def test_parts_of_lines_are_cut_out_and_written_down(lang, reason, line, rest):
    cleaned = clean_lines(among(line, lang), lang)
    assert cleaned.lines == tuple(among(rest.replace(" ,", ","), lang))
    (gone,) = cleaned.removed
    assert (gone.line, gone.reason, gone.part) == (8, reason, True)
    assert gone.text in line
    assert cleaned.changed == Counter([reason])


def test_an_afterword_goes_with_all_its_lines():
    for lang, heading in (("zh", "作者有话说："), ("en", "Translator’s Thoughts")):
        lines = [*STORY[lang], heading, STORY[lang][0], STORY[lang][1]]
        assert reasons(lines, lang) == dict.fromkeys([16, 17, 18], "author-note")
        # In the first half of a chapter it is no afterword.
        assert not reasons([*STORY[lang][:3], heading, *STORY[lang][3:]], lang)


LONG = {
    "zh": "照晚寺的钟又响了，整个县城都从床上坐了起来，谁也不敢再往下数。",
    "en": "The bell of the temple rang again, and the whole county sat up in bed to count.",
}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_long_paragraph_twice_in_a_row_is_a_mistake(lang):
    lines = [*STORY[lang][:3], LONG[lang], LONG[lang], *STORY[lang][3:]]
    assert reasons(lines, lang) == {4: "duplicate"}
    # Speech and messages may come twice, and so may a paragraph further down.
    for line in (f"“{LONG[lang]}”", f"【{LONG[lang]}】"):
        assert not reasons([*STORY[lang], line, line], lang)
    assert not reasons([LONG[lang], *STORY[lang], LONG[lang]], lang)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_block_twice_in_a_row_is_a_mistake(lang):
    block = [LONG[lang], "“" + LONG[lang] + "”", *STORY[lang][:2]]
    cleaned = clean_lines([*block, *block, *STORY[lang][2:]], lang)
    assert cleaned.lines == (*block, *STORY[lang][2:])
    assert {r.reason for r in cleaned.removed} == {"repeated-block"}
    # A page that comes again, and a title between.
    page = [LONG[lang], LONG[lang][::-1], *STORY[lang][:9]]
    twice = [*page, "***", "“End.”", *page]
    assert set(reasons(twice, lang)) == {11, *range(13, 24)}
    # Four short lines of dialogue are said twice.
    short = ["“Go.”", "“No.”"] * 2
    assert not reasons(short, lang)


def test_a_title_further_down_only_with_its_number():
    lines = [*STORY["zh"][:5], "夜雨", *STORY["zh"][5:]]
    assert not reasons(lines, "zh", title="第十二章 夜雨", number=12)
    assert not reasons(
        [*STORY["en"][:5], "Chapter 3", *STORY["en"][5:]], "en", title="Chapter 12", number=12
    )


def test_a_title_in_quotation_marks_is_speech():
    assert not reasons(["“Run!”", *STORY["en"]], "en", title="Chapter 12: Run!", number=12)
    assert reasons(["Run!", *STORY["en"]], "en", title="Chapter 12: Run!", number=12) == {
        0: "title"
    }


def test_a_line_without_letters_is_no_title():
    for title in (None, "第十二章", "……", "第十二章 夜雨"):
        assert not reasons(["……", *STORY["zh"]], "zh", title=title, number=12)


def test_a_title_in_words():
    found = reasons(["Chapter Twelve", *STORY["en"]], "en", title="Chapter Twelve", number=12)
    assert found == {0: "title"}


def test_titles_and_credits_in_any_order():
    head = ["Translator: Paper Lantern", "Chapter 12", "Night Rain", "Editor: Slow River"]
    found = reasons([*head, *STORY["en"]], "en", title="Chapter 12: Night Rain", number=12)
    assert found == {0: "credit", 1: "title", 2: "title", 3: "credit"}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_cleaning_what_was_cleaned_changes_nothing(lang):
    bad = [line for where, reason, _, line in CASES if where == lang and reason != "title"]
    lines = [*STORY[lang], *bad, *STAYS[lang], *STORY[lang][::-1]]
    once = clean_lines(lines, lang)
    assert len(once.removed) > 20
    twice = clean_lines(once.lines, lang)
    assert (twice.lines, twice.removed, twice.changed) == (once.lines, (), {})


@given(
    st.lists(st.text(max_size=60) | st.sampled_from(STORY["zh"]), max_size=12),
    st.sampled_from(["zh", "en"]),
)
def test_every_line_stays_or_is_written_down(lines, lang):
    cleaned = clean_lines(lines, lang)
    gone = {removed.line for removed in cleaned.removed if not removed.part}
    assert gone.isdisjoint(cleaned.kept)
    assert gone.union(cleaned.kept) == set(range(len(lines)))
    assert len(cleaned.lines) == len(cleaned.kept)
    assert all(line and "\n" not in line for line in cleaned.lines)


def test_the_sample_is_clean():
    count = 0
    for path in sorted(sample().glob("*/*.an.txt")):
        lang = path.name.split(".")[1]
        lines = [strip_tags(line) for line in path.read_text(encoding="utf-8").splitlines()]
        cleaned = clean_lines(lines, lang)
        assert (cleaned.lines, cleaned.removed) == (tuple(lines), ())
        count += len(lines)
    assert count > 400


def test_published_novels_are_clean(shared_data):
    count = 0
    with (shared_data / "mac" / "mac-dev.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            for lang, key in (("zh", "src"), ("en", "tgt")):
                assert clean_lines(row[key], lang).removed == ()
                count += len(row[key])
    assert count > 3000
    for name, lang in (("chs_re", "zh"), ("ref_re", "en"), ("mt_re", "en")):
        path = shared_data / "bwb-release" / "test" / "book0" / f"0.{name}.txt"
        assert clean_lines(path.read_text(encoding="utf-8").splitlines(), lang).removed == ()


def test_unknown_settings_are_refused():
    data = cleaning().model_dump()
    data["lines"]["watermarks"] = []
    with pytest.raises(FormatError, match=r"unknown key 'watermarks' in \[lines\]"):
        check(data, Cleaning, "cleaning.toml")
    data = cleaning().model_dump()
    data["lines"]["rule"][0]["patterns"] = ["(["]
    with pytest.raises(FormatError, match="no regular expression"):
        check(data, Cleaning, "cleaning.toml")


def test_every_pattern_can_be_reached_by_its_triggers():
    """A rule whose trigger is upper-case, or is in no language, would never fire."""
    for rule in cleaning().lines.rule:
        assert all(t == "SITE" or t == t.lower() for t in rule.triggers), rule.reason
