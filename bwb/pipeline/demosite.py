"""The sample corpus as two web sites on this machine, and a corpus rebuilt from their pages.

The pages look like those of the sites that the recipes in `crawl/sites` are for: advertisements,
watermarks, titles repeated in the text, a chapter on two pages, GBK that calls itself gb2312, and
a server that is busy now and then.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bwb.crawl.loopback import Fault, Site
from bwb.crawl.loopback_themes import SiteBook, SiteChapter, chapter_path
from bwb.pipeline.build_corpus import build_corpus
from bwb.pipeline.settings import AlignSettings, CorpusSettings, CrawlSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bwb.crawl.loopback_themes import Theme
    from bwb.pipeline.build_corpus import CorpusReport
    from bwb.records import Document, Side

_MARKS = {
    "zh": "手机用户请浏览 m.example.com 阅读，更优质的用户体验。",
    "en": "This chapter is updated by example.com",
}


def rebuild_sample(
    documents: Iterable[Document], folder: Path, *, aligner: str = "hybrid"
) -> tuple[CorpusReport, CorpusReport, int]:
    """Serve documents as web pages, and build a corpus from the pages, twice.

    Args:
        documents: The chapters; those of a book one after the other.
        folder: Where everything goes.
        aligner: Name of the aligner.

    Returns:
        What the first and the second run did, and how many requests the sites had in the second.
    """
    books: dict[str, list[Document]] = {}
    for document in documents:
        books.setdefault(document.book, []).append(document)
    zh = [_book(name, chapters, "zh", n) for n, (name, chapters) in enumerate(books.items())]
    en = [_book(name, chapters, "en", n) for n, (name, chapters) in enumerate(books.items())]
    busy = {chapter_path(en[0], 2): Fault.busy("0"), chapter_path(en[-1], 1): Fault.error(503, 1)}
    with Site(zh) as chinese, Site(en, faults=busy) as english:
        rows = [
            {
                "book": name,
                "genre": chapters[0].genre,
                "split": chapters[0].split,
                "zh_url": chinese.list_url(name),
                "zh_recipe": zh[n].theme,
                "en_url": english.list_url(name),
                "en_recipe": en[n].theme,
            }
            for n, (name, chapters) in enumerate(books.items())
        ]
        folder.mkdir(parents=True, exist_ok=True)
        manifest = folder / "books.jsonl"
        lines = [json.dumps({k: v for k, v in row.items() if v is not None}) for row in rows]
        manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
        settings = CorpusSettings(
            name="bwb-sample-rebuilt",
            manifest=manifest,
            out=folder / "build",
            workers=1,
            crawl=CrawlSettings(seconds=0, contact="demo@example.com"),
            align=AlignSettings(aligner=aligner),
        )
        first = build_corpus(settings)
        asked = len(chinese.log) + len(english.log)
        second = build_corpus(settings)
        again = len(chinese.log) + len(english.log) - asked
    return first, second, again


def _book(name: str, documents: Iterable[Document], lang: str, number: int) -> SiteBook:
    sides = [document.zh if lang == "zh" else document.en for document in documents]
    chapters = [_chapter(side, place) for place, side in enumerate(sides, 1) if side is not None]
    chinese: tuple[Theme, Theme] = ("biquge", "shudian")
    theme: Theme = "novelfull" if lang == "en" else chinese[number % 2]
    split = {1: 2} if theme == "biquge" else {}
    return SiteBook(name, chapters, theme, split=split, watermark=_MARKS[lang])


def _chapter(side: Side, place: int) -> SiteChapter:
    name = side.title or ""
    title = f"第{place}章 {name}" if side.lang == "zh" else f"Chapter {place}: {name}"
    return SiteChapter(title, side.sentences)
