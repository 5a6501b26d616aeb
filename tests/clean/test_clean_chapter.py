"""Cleaning a chapter."""

from __future__ import annotations

import hashlib

from bwb.clean.chapter import clean_chapter
from bwb.records import Chapter

TRADITIONAL = (
    "第十二章　夜雨",
    "　　鐘聲響了，誰也不敢數下去。",
    "最新章節請到www.shudian.com",
    "天亮了（注：五更）。",
    "「誰？」他說。",
    "（本章完）",
)


def chapter(lines, lang="zh", **keys):
    return Chapter("bell-county", "12", lang, "http://127.0.0.1/12", tuple(lines), **keys)


def test_a_traditional_chapter():
    raw = chapter(TRADITIONAL, title="第十二章 夜雨", number=12)
    cleaned, removed, changed = clean_chapter(raw)
    assert cleaned.lines == ("钟声响了，谁也不敢数下去。", "天亮了。", "「谁？」他说。")
    assert cleaned.original == (
        "鐘聲響了，誰也不敢數下去。",
        "天亮了（注：五更）。",
        "「誰？」他說。",
    )
    assert cleaned.sha256_text == hashlib.sha256("\n".join(cleaned.lines).encode()).hexdigest()
    assert [(r.line, r.reason, r.part) for r in removed] == [
        (0, "title", False),
        (2, "watermark", False),
        (3, "note", True),
        (5, "chapter-end", False),
    ]
    assert changed == {"space": 1, "simplified": 2, "note": 1}
    assert (cleaned.book, cleaned.chapter, cleaned.title) == ("bell-county", "12", "第十二章 夜雨")


def test_a_simplified_chapter_keeps_no_original():
    cleaned, removed, changed = clean_chapter(chapter(["他姓沈，名乾。", "　　天亮了。"]))
    assert cleaned.lines == ("他姓沈，名乾。", "天亮了。")
    assert cleaned.original is None
    assert removed == []
    assert changed == {"space": 1}


def test_an_english_chapter():
    raw = chapter(
        ["Chapter 12: Night Rain", "It was&nbsp;dark.", "***", "He left."], "en", number=12
    )
    cleaned, removed, changed = clean_chapter(raw)
    assert cleaned.lines == ("It was dark.", "He left.")
    assert [(r.line, r.reason) for r in removed] == [(0, "title"), (2, "separator")]
    assert changed == {"entity": 1, "space": 1}


def test_a_cleaned_chapter_stays_as_it_is():
    once = clean_chapter(chapter(TRADITIONAL, title="第十二章 夜雨", number=12))[0]
    twice, removed, changed = clean_chapter(once)
    assert (twice, removed, changed) == (once, [], {})


def test_a_chapter_of_nothing():
    cleaned, removed, changed = clean_chapter(chapter(["***", "\u200b"]))
    assert (cleaned.lines, [r.reason for r in removed], changed) == ((), ["separator", "empty"], {})
    assert clean_chapter(chapter([]))[0].lines == ()
