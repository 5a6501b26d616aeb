"""A site of 2,000 pages on this machine, with faults: what is had, how politely, at what cost.

Prints pages had of those that can be had, requests a page, the least gap between two requests to a
host against the one asked for, requests that robots.txt forbids, chapters whose text is not what
was put in, requests of a second run, and seconds a page beside waiting.

    python benchmarks/crawl.py [--chapters 640] [--seconds 0.004] [--faults 0.12]
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.crawl.crawler import CrawlOptions, crawl
from bwb.crawl.extract import extract_chapter
from bwb.crawl.loopback import Fault, Site, SiteBook, SiteChapter, chapter_path
from bwb.crawl.manifest import Book
from bwb.crawl.recipe import load_recipes
from bwb.crawl.store import PageStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Lang

_ZH = "第{n}章里的第{k}句话：守灯的人提着{a}盏灯，沿着河岸走了{b}里路，天色渐渐暗了。"
_EN = "Sentence {k} of chapter {n}: the keeper took {a} lamps and walked {b} miles by the river."

# What cannot be had, and why.
_LOST = {"gone": "not-found", "loop": "redirect-loop", "forbidden": "robots", "refused": "refused"}


def chapters(lang: Lang, count: int, chance: random.Random) -> list[SiteChapter]:
    """Template text: no one's prose. Some chapters are there twice, some in the other language."""
    made: list[SiteChapter] = []
    for n in range(1, count + 1):
        odd = chance.random()
        if made and odd < 0.01:
            made.append(made[-1])
            continue
        other = odd > 0.99
        template = _ZH if (lang == "zh") != other else _EN
        lines = tuple(
            template.format(n=n, k=k, a=chance.randint(2, 99), b=chance.randint(2, 99))
            for k in range(49)
        )
        title = f"第{n}章 灯火{n}" if lang == "zh" else f"Chapter {n}: Lamp {n}"
        made.append(SiteChapter(title, lines))
    return made


def faults_of(
    book: SiteBook, share: float, chance: random.Random
) -> tuple[dict[str, Fault | Sequence[Fault]], dict[int, str], list[str]]:
    """Faults for some chapters; what is lost by place; what robots.txt forbids."""
    passing = [
        *(Fault.busy("0"), Fault.busy(None), Fault.error(500, 2), Fault.error(503, 1)),
        *(Fault.truncated(2), Fault.dropped(1), Fault.slow(1.0, 1), Fault.other(b"", 1)),
        Fault.other(b"<html><body><p>cut", 1),
    ]
    faults: dict[str, Fault | Sequence[Fault]] = {}
    lost: dict[int, str] = {}
    forbidden: list[str] = []
    for place in range(3, len(book.chapters) + 1):
        path = chapter_path(book, place)
        if chance.random() >= share:
            continue
        kind = chance.choice([*range(len(passing)), "moved", *_LOST])
        if isinstance(kind, int):
            faults[path] = passing[kind]
        elif kind == "moved":
            faults[path] = [Fault.moved(f"{path}?moved", times=1)]
            faults[f"{path}?moved"] = Fault.moved(chapter_path(book, 1))
        else:
            lost[place] = _LOST[kind]
        if kind == "gone":
            faults[path] = Fault.error(404)
        elif kind == "loop":
            faults[path] = Fault.moved(f"{path}?loop")
            faults[f"{path}?loop"] = Fault.moved(path)
        elif kind == "refused":
            faults[path] = Fault.error(403)
        elif kind == "forbidden":
            forbidden.append(path)
    return faults, lost, forbidden


def main() -> None:
    """Crawl and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--chapters", type=int, default=640, help="of each of three books")
    parser.add_argument("--seconds", type=float, default=0.004, help="between two requests")
    parser.add_argument("--faults", type=float, default=0.12, help="share of chapters")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    count = args.chapters
    split = dict.fromkeys(range(2, count, 3), 2)
    books = [
        SiteBook("deng", chapters("zh", count, chance), "biquge", split=split),
        SiteBook("lamp", chapters("en", count, chance), "novelfull"),
        SiteBook("shu", chapters("zh", count, chance), "shudian", charset="gbk", declared="utf-8"),
    ]
    made = [faults_of(book, args.faults, chance) for book in books]
    sites = []
    for book, (faults, _, forbidden) in zip(books, made, strict=True):
        rules = "".join(f"Disallow: {path}$\n" for path in forbidden)
        sites.append(Site([book], faults, f"User-agent: *\n{rules}"))
    with sites[0], sites[1], sites[2], tempfile.TemporaryDirectory() as folder:
        _run(sites, books, made, Path(folder), args.seconds)


def _run(
    sites: list[Site],
    books: list[SiteBook],
    made: Sequence[tuple[object, dict[int, str], list[str]]],
    folder: Path,
    seconds: float,
) -> None:
    recipes = load_recipes()
    zh, en, shu = (site.list_url(book.id) for site, book in zip(sites, books, strict=True))
    rows = [
        Book(book="deng", zh_url=zh, zh_recipe="biquge", en_url=en, en_recipe="novelfull"),
        Book(book="shu", zh_url=shu, zh_recipe="shudian"),
    ]
    options = CrawlOptions(seconds=seconds, timeout=0.5)
    cpu, began = time.process_time(), time.perf_counter()
    report = crawl(rows, recipes, folder, options)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    asked = sum(len(site.log) for site in sites)
    pages = sum(len({entry.path for entry in site.log if entry.status == 200}) for site in sites)
    again = crawl(rows, recipes, folder, options)
    keys: list[tuple[str, Lang, str]] = [
        ("deng", "zh", "biquge"),
        ("deng", "en", "novelfull"),
        ("shu", "zh", "shudian"),
    ]
    had = possible = wrong = 0
    reasons = {(f.book, f.lang, int(f.chapter)): f.reason for f in report.failures}
    with PageStore.open(folder) as store:
        for (name, lang, recipe), book, (_, lost, _) in zip(keys, books, made, strict=True):
            possible += len(book.chapters) - len(lost)
            for place, listed in enumerate(store.chapters(name, lang), 1):
                if listed.state == "done":
                    had += 1
                    got = extract_chapter(listed, store.get, recipes[recipe]).chapter
                    moved = f"{chapter_path(book, place)}?moved" in made[books.index(book)][0]  # type: ignore[operator]
                    put = book.chapters[0 if moved else place - 1]
                    wrong += not moved and got.lines != put.lines
                elif lost.get(place) != reasons.get((name, lang, place)):
                    print("unexpected:", name, lang, place, reasons.get((name, lang, place)))
    forbidden = sum(
        entry.path in paths
        for site, (_, _, paths) in zip(sites, made, strict=True)
        for entry in site.log
    )
    gaps = [gap for site in sites if (gap := site.log.gap()) is not None]
    print(f"chapters had           {had:,} of {possible:,} that can be had")
    print(f"pages served           {pages:,}")
    print(f"requests a page        {asked / pages:.3f}")
    print(f"least gap a host       {min(gaps):.4f} s, asked for {seconds:.4f} s")
    print(f"forbidden by robots    {forbidden} requests")
    print(f"text differs           {wrong} chapters")
    print(f"second run             {again.requests.total()} requests in {again.seconds:.2f} s")
    print(f"wall clock a page      {1000 * wall / pages:.2f} ms, three hosts side by side")
    print(f"CPU a page             {1000 * cpu / pages:.2f} ms, server included")
    print(f"peak memory            {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
