"""How many chapter pages a second are extracted on one core?

Makes chapter pages of made-up text (about 100 lines and 30 KB each), in the layouts and charsets of
the recipes that come with the package, and runs the whole of extraction on them in one thread:
charset, parsing, body, lines, title, patterns, digests. Prints the rate a layout in pages a second
of processor time, what each step takes, and whether the lines are those that were put in.

    python benchmarks/extract.py [--pages 200] [--lines 100]
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.crawl.charset import decode_page
from bwb.crawl.extract import extract_chapter
from bwb.crawl.page import next_page, read_chapter
from bwb.crawl.recipe import load_recipes
from bwb.report.tables import table

if TYPE_CHECKING:
    from bwb.crawl.recipe import Recipe
    from bwb.records import Lang

TARGET = 150  # pages a second and core
_URL = "http://127.0.0.1/book/1/{}.html"
_ZH = "钟声灯火渡口山寺江湖少年姑娘老人县令掌柜走来听见想起推开问道低声说着慢慢忽然一只两盏的了"
_EN = "the lamp ferry bell rang over a slow river and nobody said where old men went at night"
_MENU = "".join(f'<li><a href="/sort/{n}.html" title="nav">menu {n}</a></li>' for n in range(80))
_SCRIPT = "<script>var a=[" + ",".join(map(str, range(400))) + "];</script>"


@dataclass(frozen=True)
class Page:
    """What extraction reads of a stored page."""

    url: str
    body: bytes
    content_type: str | None = None
    final_url: str | None = None
    status: int | None = 200
    fetched: str | None = None
    captured: str | None = None
    sha256_raw: str | None = None


@dataclass(frozen=True)
class Pages:
    """A chapter of one page."""

    book: str
    lang: Lang
    chapter: str
    url: str
    title: str | None
    pages: tuple[str, ...]


def make_lines(dice: random.Random, lang: Lang, count: int) -> list[str]:
    """Lines of made-up text."""
    if lang == "zh":
        return ["".join(dice.choices(_ZH, k=dice.randint(20, 120))) + "。" for _ in range(count)]
    return [" ".join(dice.choices(_EN.split(), k=dice.randint(20, 60))) + "." for _ in range(count)]


def make_page(name: str, title: str, lines: list[str]) -> str:
    """A page of the theme of a recipe."""
    if name == "novelfull":
        body = "".join(f"<p>{line}</p>\n" for line in lines)
        half = body.index("</p>", len(body) // 2) + 4
        ad = '<div class="ads ads-holder"><script>x()</script></div>'
        text = f'<a class="chr-title" title="{title}"><span class="chr-text">{title}</span></a>'
        text += f'<div id="chr-content"><p>{title}</p>{body[:half]}{ad}{body[half:]}</div>'
        charset = "utf-8"
    elif name == "biquge":
        text = f'<div class="bookname"><h1>{title}</h1></div><div id="content">'
        text += "<br/><br/>".join(f"&nbsp;&nbsp;&nbsp;&nbsp;{line}" for line in lines)
        text += '</div><a id="pager_next" href="9999.html">下一章</a>'
        charset = "gb2312"
    else:
        body = "".join(f"<p>　　{line}</p>" for line in lines)
        text = f'<h3 class="j_chapterName">{title}</h3><div class="j_readContent">{body}</div>'
        charset = ""
    meta = f'<meta charset="{charset}">' * bool(charset)
    return f"<html><head>{meta}{_SCRIPT}</head><body><ul>{_MENU}</ul>{text}</body></html>"


def measure(recipe: Recipe, codec: str, pages: int, lines: int) -> list[str]:
    """One row of the table."""
    dice = random.Random(7)
    stored: dict[str, Page] = {}
    put: dict[str, list[str]] = {}
    for number in range(1, pages + 1):
        title = f"第{number}章 灯" if recipe.lang == "zh" else f"Chapter {number}: The Lamp"
        url = _URL.format(number)
        put[url] = make_lines(dice, recipe.lang, lines)
        stored[url] = Page(url, make_page(recipe.name, title, put[url]).encode(codec))
    wrong = 0
    start = time.process_time()
    for number, url in enumerate(stored, 1):
        pages_of = Pages("book", recipe.lang, str(number), url, None, (url,))
        found = extract_chapter(pages_of, stored.get, recipe)
        wrong += list(found.chapter.lines) != put[url]
    whole = time.process_time() - start
    start = time.process_time()
    decoded = [decode_page(page.body, None, recipe) for page in stored.values()]
    charset = time.process_time() - start
    start = time.process_time()
    for url, page in zip(stored, decoded, strict=True):
        read_chapter(recipe, page.text, url)
        next_page(recipe, page.text, url)
    reading = time.process_time() - start
    size = sum(len(page.body) for page in stored.values()) / pages / 1000
    rate = pages / whole
    return [
        recipe.name,
        codec,
        f"{size:.0f}",
        f"{rate:,.0f}",
        f"{rate / TARGET:.1f}",
        f"{1000 * charset / pages:.2f}",
        f"{1000 * reading / pages:.2f}",
        f"{wrong}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--lines", type=int, default=100)
    args = parser.parse_args()
    recipes = load_recipes()
    runs = [("novelfull", "utf-8"), ("biquge", "gbk"), ("shudian", "utf-8"), ("shudian", "gbk")]
    # Once for what is read and compiled once a process.
    measure(recipes["biquge"], "gbk", 2, 10)
    rows = [measure(recipes[name], codec, args.pages, args.lines) for name, codec in runs]
    header = ["recipe", "bytes are", "KB", "pages/s", f"to {TARGET}", "charset ms", "page ms"]
    print(table([*header, "wrong"], rows))
    print("pages/s: whole extraction on one core; the shudian pages declare no charset")


if __name__ == "__main__":
    main()
