from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.crawl.titles import (
    Title,
    chapter_number,
    chinese_number,
    count_title_lines,
    repeats_title,
    split_title,
    without_page,
)

DIGITS = "零一二三四五六七八九"


def numeral(number):
    """A number below 100,000 as Chinese writes it."""
    if number < 10:
        return DIGITS[number]
    for unit, sign in ((10000, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if number >= unit:
            head, rest = divmod(number, unit)
            zero = "零" if 0 < rest < unit // 10 else ""
            return numeral(head) + sign + zero + (numeral(rest) if rest else "")
    raise AssertionError


@pytest.mark.parametrize(
    ("title", "number", "name"),
    [
        ("第一百零三章 灯渡", 103, "灯渡"),
        ("第两千章", 2000, ""),
        ("第１２章　灯", 12, "灯"),
        ("第二〇三章", 203, ""),
        ("第一百二章", 120, ""),
        ("第廿五回 灯", 25, "灯"),
        ("卷三 第5回", 5, ""),
        ("第一卷 第十二章：灯", 12, "灯"),
        ("正文 第12章 灯", 12, "灯"),
        ("12、灯", 12, "灯"),
        ("一百零三、灯", 103, "灯"),
        ("012 灯", 12, "灯"),
        ("12 灯渡", 12, "灯渡"),
        ("第一章 灯（2/3）", 1, "灯"),
        ("第一章 灯 第2页", 1, "灯"),
        ("Chapter 12: The Lamp", 12, "The Lamp"),
        ("CHAPTER 12 – The Lamp", 12, "The Lamp"),
        ("Ch. 12", 12, ""),
        ("Vol. 2 Ch. 7 The Lamp", 7, "The Lamp"),
        ("Chapter #12 The Lamp", 12, "The Lamp"),
        ("12. The Lamp", 12, "The Lamp"),
        ("Chapter Twelve", 12, ""),
        ("Chapter Twenty-One: The Lamp", 21, "The Lamp"),
        ("Chapter One Hundred and Three", 103, ""),
        ("Chapter XII. The Lamp", 12, "The Lamp"),
        ("Chapter 7 (Part 2)", 7, "(Part 2)"),
        ("Chapter 5: The Lamp (Page 2)", 5, "The Lamp"),
        ("Chapter 12", 12, ""),
        ("12", 12, ""),
    ],
)
def test_numbers_and_names(title, number, name):
    found = split_title(title)
    assert (found.number, found.name) == (number, name)


@pytest.mark.parametrize(
    "title",
    [
        "楔子",
        "Prologue",
        "3 天后",
        "3 days later",
        "2012年的雪",
        "第一千零一夜",
        "番外第3章",
        "Side Story: Chapter 2",
        "Chapters of Life",
        "10:30 p.m.",
        "",
    ],
)
def test_titles_without_a_number(title):
    assert chapter_number(title) is None


@given(st.integers(0, 99_999))
def test_chinese_numerals(number):
    assert chinese_number(numeral(number)) == number
    assert chinese_number(str(number)) == number
    assert chapter_number(f"第{numeral(number)}章 灯") == number


@given(st.text(max_size=60))
def test_any_title_can_be_split(title):
    assert isinstance(split_title(title), Title)
    assert repeats_title(title, "") is False


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Chapter 12: The Lamp", "Chapter 12: The Lamp"),
        ("chapter 12 - the lamp", "Chapter 12: The Lamp"),
        ("The Lamp", "Chapter 12: The Lamp"),
        ("Chapter 12: The Lamp", "The Lamp"),
        ("Chapter 12", "Chapter 12: The Lamp"),
        ("Chapter Twelve: The Lamp", "Chapter 12: The Lamp"),
        ("Volume 2: The Sea, Chapter 12", "Chapter 12: The Lamp"),
        ("第十二章　灯", "第12章 灯"),
        ("第十二章", "第12章 灯"),
        ("第十二章 灯（1/3）", "第12章 灯"),
        ("《灯渡》 第一章 灯", "第一章 灯"),
        ("第一卷 灯火 第十二章 灯", "第十二章 灯"),
        ("Stop!", "Chapter 3: Stop!"),
    ],
)
def test_lines_that_repeat_the_title(line, title):
    assert repeats_title(line, title)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("灯。", "第十二章 灯"),
        ("“灯！”", "第十二章 灯"),
        ("No.", "Chapter 3: No"),
        ("Chapter 13: The Lamp", "Chapter 12: The Lamp"),
        ("Chapter 12: The Lamps", "Chapter 12: The Lamp"),
        ("He opened the book at Chapter 12.", "Chapter 12: The Lamp"),
        ("第十二章 灯", "Chapter 12"),
        ("……", "第一章"),
        ("The Lamp was lit.", "The Lamp"),
        ("灯下坐着一个人。", "第十二章 灯"),
    ],
)
def test_lines_that_do_not(line, title):
    assert not repeats_title(line, title)


def test_only_first_lines_and_not_too_many():
    titles = ["第十二章 灯"]
    assert count_title_lines(["第十二章", "灯", "她来了。", "灯"], titles) == 2
    assert count_title_lines(["她来了。", "第十二章 灯"], titles) == 0
    assert count_title_lines(["灯"] * 9, titles) == 3
    assert count_title_lines([], titles) == 0
    assert count_title_lines(["灯"], [""]) == 0


def test_page_marks():
    assert without_page("第一章 灯(第2页)") == "第一章 灯"
    assert without_page("Chapter 1 - Page 2 of 3") == "Chapter 1"
    assert without_page("（2/3）") == "（2/3）"
    assert without_page("第2页") == "第2页"
