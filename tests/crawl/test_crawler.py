"""Whole crawls of sites on this machine: what is had, how politely, and that none is had twice."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import textwrap
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from bwb.cli import crawl as command
from bwb.crawl import side
from bwb.crawl.crawler import CrawlOptions, crawl
from bwb.crawl.extract import extract_chapter
from bwb.crawl.loopback import Fault, Site, SiteBook, SiteChapter, chapter_path
from bwb.crawl.loopback_themes import list_path
from bwb.crawl.manifest import Book
from bwb.crawl.pace import Clock
from bwb.crawl.patience import BUSY, PUT_OFF, REFUSALS, TRIES
from bwb.crawl.recipe import load_recipes
from bwb.crawl.store import PageStore, StoreError
from bwb.errors import UsageError

FAST = CrawlOptions(seconds=0.0, timeout=0.5)


class QuickClock(Clock):
    """Waits in no time, and lets the time pass on the clock."""

    def __init__(self, days=0.0):
        self.start = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=days)
        self.passed = 0.0

    def monotonic(self):
        return self.passed

    def now(self):
        return self.start + timedelta(seconds=self.passed)

    def wait(self, condition, seconds):
        if seconds is None:
            condition.wait(0.01)
        else:
            self.passed += seconds


def quick(days=0.0, **options):
    """Options of a crawl that waits in no time; one thread, so that time has one owner."""
    return CrawlOptions(timeout=1.0, threads=1, clock=QuickClock(days), **options)


@pytest.fixture
def text(chinese, english):
    """Makes chapters out of sentences of the sample."""

    def make(lang, count, lines=12):
        given = chinese if lang == "zh" else english
        title = "第{}章 灯" if lang == "zh" else "Chapter {}: The Lamp"
        return [
            SiteChapter(
                title.format(n),
                tuple(given[(n * 7 + k) % len(given)].strip() for k in range(lines)),
            )
            for n in range(1, count + 1)
        ]

    return make


@pytest.fixture
def zh(text):
    return SiteBook("deng", text("zh", 12), "biquge", split={4: 3})


def rows(site, *books):
    """Manifest rows of one side each."""
    lang = {"biquge": "zh", "shudian": "zh", "novelfull": "en"}
    return [
        Book.model_validate(
            {
                "book": book.id,
                f"{lang[book.theme]}_url": site.list_url(book.id),
                f"{lang[book.theme]}_recipe": book.theme,
            }
        )
        for book in books
    ]


def texts(folder, book, lang, recipe, recipes):
    with PageStore.open(folder) as store:
        return {
            pages.chapter: extract_chapter(pages, store.get, recipes[recipe]).chapter.lines
            for pages in store.chapters(book, lang)
            if pages.state == "done"
        }


@pytest.fixture(scope="module")
def recipes():
    return load_recipes()


def test_every_page_that_can_be_had_is_had_and_the_text_is_what_was_put_in(tmp_path, text, recipes):
    zh = SiteBook("deng", text("zh", 24), "biquge", split={2: 3, 9: 2})
    shu = SiteBook("shu", text("zh", 8), "shudian", declared="gb2312")
    en = SiteBook("lamp", text("en", 24), "novelfull")
    path = {n: chapter_path(zh, n) for n in range(1, 25)}
    faults = {
        "/robots.txt": Fault.error(503, 1),
        list_path(zh): Fault.truncated(1),
        path[1]: Fault.busy("0"),
        chapter_path(zh, 2, 2): Fault.error(502, 2),
        path[3]: Fault.error(500, 2),
        path[4]: Fault.truncated(2),
        path[5]: Fault.dropped(1),
        path[6]: Fault.moved("/elsewhere"),
        "/elsewhere": Fault.moved(path[6]),
        path[7]: Fault.moved("/moved-to-7", 301),
        "/moved-to-7": Fault.error(410),
        path[8]: Fault.error(404),
        path[10]: Fault.slow(1.5, 1),
        path[11]: [Fault.error(503, 1), Fault.truncated(1), Fault.busy(None, 1)],
        path[12]: Fault.other(b"<html><body><div id=content>cut", 1),
        path[13]: Fault.other(b"", 1),
        path[16]: Fault.error(403),
    }
    robots = f"User-agent: *\nDisallow: {path[15]}\nCrawl-delay: 0.01\n"
    with Site([zh, shu], faults, robots) as one, Site([en]) as two:
        books = [
            Book(
                book="deng",
                zh_url=one.list_url("deng"),
                zh_recipe="biquge",
                en_url=two.list_url("lamp"),
                en_recipe="novelfull",
            ),
            *rows(one, shu),
        ]
        report = crawl(books, recipes, tmp_path, FAST)
        lost = {f.chapter: f.reason for f in report.failures}
        assert lost == {
            "6": "redirect-loop",
            "7": "gone",
            "8": "not-found",
            "15": "robots",
            "16": "refused",
        }
        assert report.states()["done", ""] == 24 + 24 + 8 - 5
        counts = one.log.counts
        assert counts[path[15]] == 0
        assert counts[path[8]] == counts[path[16]] == counts["/moved-to-7"] == 1
        assert counts["/robots.txt"] == 2
        assert one.log.paths[:2] == ["/robots.txt"] * 2
        assert one.log.gap() >= 0.01
        assert two.log.overlaps() == 0
        before = len(one.log), len(two.log)
        again = crawl(books, recipes, tmp_path, FAST)
        assert (len(one.log), len(two.log)) == before
        assert again.states() == report.states()
    for book, lang, site in (("deng", "zh", zh), ("deng", "en", en), ("shu", "zh", shu)):
        put = {str(n): chapter.lines for n, chapter in enumerate(site.chapters, 1)}
        gone = lost if site is zh else {}
        assert texts(tmp_path, book, lang, site.theme, recipes) == {
            place: lines for place, lines in put.items() if place not in gone
        }


def test_the_first_chapter_is_tried_before_all_else(tmp_path, zh, recipes):
    wrong = recipes["biquge"].model_copy(
        update={"chapter": recipes["biquge"].chapter.model_validate({"body": "#text"})}
    )
    with Site([zh]) as site:
        books = rows(site, zh)
        report = crawl(books, {"biquge": wrong}, tmp_path, FAST)
        (side,) = report.sides
        assert side.reason == "selector"
        assert "#text" in side.message
        assert "div#content" in side.message
        assert site.log.paths == ["/robots.txt", list_path(zh), chapter_path(zh, 1)]
        # With the recipe mended only what was not fetched yet is fetched.
        report = crawl(books, recipes, tmp_path, FAST)
        assert not report.failed
        assert max(site.log.counts.values()) == 1


def test_a_list_that_cannot_be_read_is_the_end_of_it(tmp_path, zh, recipes):
    with Site([zh]) as site:
        book = Book(book="b", zh_url=site.list_url("deng"), zh_recipe="shudian")
        (side,) = crawl([book], recipes, tmp_path, FAST).sides
        assert (side.reason, side.wanted) == ("selector", 0)
        assert site.log.paths == ["/robots.txt", list_path(zh)]


def test_a_site_that_hides_behind_a_notice_is_left(tmp_path, text, recipes):
    book = SiteBook("deng", text("zh", 60), "biquge")
    notice = Fault.other(b"<html><body>Prove that you are human</body></html>")
    faults = {chapter_path(book, n): notice for n in range(5, 61)}
    with Site([book], faults) as site:
        report = crawl(rows(site, book), recipes, tmp_path, FAST)
        assert report.sides[0].reason == "selector"
        assert "in a row" in report.sides[0].message
        assert report.sides[0].done == 4
        assert len(site.log) < 40


def test_an_error_of_ours_on_one_page_does_not_end_the_crawl(tmp_path, zh, recipes, monkeypatch):
    read = side.read_chapter

    def odd(recipe, html, url):
        if "1005" in url:
            raise RuntimeError("odd")
        return read(recipe, html, url)

    monkeypatch.setattr(side, "read_chapter", odd)
    with Site([zh]) as site:
        report = crawl(rows(site, zh), recipes, tmp_path, FAST)
        assert [(f.chapter, f.reason) for f in report.failures] == [("5", "unreadable")]
        monkeypatch.undo()
        asked = len(site.log)
        assert not crawl(rows(site, zh), recipes, tmp_path, FAST).failed
        assert len(site.log) == asked


def test_the_next_chapter_is_no_page_of_this_one(tmp_path, zh, recipes):
    loose = recipes["biquge"].chapter.model_copy(update={"next_text": None, "next_url": None})
    loose = {"biquge": recipes["biquge"].model_copy(update={"chapter": loose})}
    with Site([zh]) as site:
        crawl(rows(site, zh), loose, tmp_path, FAST)
    with PageStore.open(tmp_path) as store:
        pages = [len(chapter.pages) for chapter in store.chapters("deng", "zh")]
    assert pages == [3 if n == 4 else 1 for n in range(1, 13)]


def test_a_list_on_several_pages_one_of_which_is_lost(tmp_path, text, recipes):
    book = SiteBook("shu", text("zh", 101, lines=1), "shudian")
    with Site([book], {f"{list_path(book)}?page=3": Fault.error(404)}) as site:
        report = crawl(rows(site, book), recipes, tmp_path, FAST)
        assert report.failed
        assert report.sides[0].reason == "not-found"
        assert report.sides[0].done == 100
        paths = site.log.paths
        assert paths.index(chapter_path(book, 1)) < paths.index(f"{list_path(book)}?page=2")
        assert crawl(rows(site, book), recipes, tmp_path, FAST).sides[0].done == 100
        assert len(site.log) == len(paths)


def test_only_what_the_manifest_wants_is_fetched(tmp_path, zh, recipes):
    with Site([zh]) as site:
        (book,) = rows(site, zh)
        some = book.model_copy(update={"first": 3, "last": 7})
        report = crawl([some], recipes, tmp_path, CrawlOptions(seconds=0.0, limit=2))
        assert (report.sides[0].wanted, report.sides[0].done, report.failed) == (2, 2, False)
        mapped = book.model_copy(update={"chapters": "9:1 11+12:2"})
        assert crawl([mapped], recipes, tmp_path, FAST).sides[0].done == 3
        asked = {path for path in site.log.paths if path.startswith("/book/deng/1")}
        wanted = {chapter_path(zh, n) for n in (3, 4, 9, 11, 12)}
        assert asked == wanted | {chapter_path(zh, 4, page) for page in (2, 3)}


# Robots.


def test_nothing_is_asked_before_robots_txt_answers(tmp_path, zh, recipes):
    with Site([zh], {"/robots.txt": Fault.error(500, 3)}) as site:
        assert not crawl(rows(site, zh), recipes, tmp_path, quick()).failed
        assert site.log.paths[:5] == [*["/robots.txt"] * 4, list_path(zh)]
        assert site.log.counts["/robots.txt"] == 4


@pytest.mark.parametrize("fault", [Fault.error(503), Fault.dropped(None), Fault.slow(9)])
def test_without_an_answer_from_robots_txt_nothing_is_asked(tmp_path, zh, recipes, fault):
    with Site([zh], {"/robots.txt": fault}) as site:
        options = CrawlOptions(timeout=0.1, threads=1, clock=QuickClock())
        report = crawl(rows(site, zh), recipes, tmp_path, options)
        assert set(site.log.paths) == {"/robots.txt"}
        assert report.sides[0].reason == "robots-unreachable"
    with Site([zh]) as site:  # the next run tries again
        assert not crawl(rows(site, zh), recipes, tmp_path, quick()).failed


def test_a_refused_robots_txt_is_a_refusal(tmp_path, zh, recipes):
    with Site([zh], {"/robots.txt": Fault.error(403)}) as site:
        report = crawl(rows(site, zh), recipes, tmp_path, FAST)
        assert site.log.paths == ["/robots.txt"]
        assert report.sides[0].reason == "robots"


def test_robots_txt_is_kept_for_a_day(tmp_path, zh, recipes):
    with Site([zh], robots="User-agent: *\nAllow: /\n") as site:
        for day, robots in ((0, 1), (0.5, 1), (1.1, 2)):
            options = quick(day, limit=2 + int(day * 10))
            crawl(rows(site, zh), recipes, tmp_path, options)
            assert site.log.counts["/robots.txt"] == robots


def test_what_robots_txt_forbids_is_asked_for_once_it_no_longer_does(tmp_path, zh, recipes):
    path = chapter_path(zh, 5)
    with Site([zh], robots=f"User-agent: bwb\nDisallow: {path}") as site:
        for day, forbidden in ((0, 1), (0.9, 1), (1.1, 0)):
            (side,) = crawl(rows(site, zh), recipes, tmp_path, quick(day)).sides
            assert side.failed["robots"] == forbidden
            site.robots = None
        assert site.log.counts["/robots.txt"] == 2
        assert site.log.counts[path] == 1


def test_a_redirect_to_another_host_goes_by_its_robots_and_pace(tmp_path, zh, recipes):
    moved = {}
    robots = f"User-agent: *\nDisallow: {chapter_path(zh, 2)}\nCrawl-delay: 0.1"
    with Site([zh], robots=robots) as other, Site([zh], moved) as site:
        for n in (1, 2, 3):
            path = chapter_path(zh, n)
            site.faults[path] = [Fault.moved(other.url + path, 301)]
        report = crawl(rows(site, zh), recipes, tmp_path, FAST)
        assert [(f.chapter, f.reason) for f in report.failures] == [("2", "robots")]
        assert other.log.paths == ["/robots.txt", chapter_path(zh, 1), chapter_path(zh, 3)]
        assert other.log.gap() >= 0.1
        with PageStore.open(tmp_path) as store:
            page = store.get(site.chapter_url("deng", 1))
        assert page.final_url == other.chapter_url("deng", 1)
        assert page.hops == (site.chapter_url("deng", 1), other.chapter_url("deng", 1))


# Politeness.


def test_the_rate_of_the_recipe_is_kept_on_one_connection(tmp_path, zh, recipes):
    with Site([zh]) as site:
        crawl(rows(site, zh), recipes, tmp_path, CrawlOptions(seconds=0.03, limit=6))
        assert site.log.gap() >= 0.03
        assert site.log.overlaps() == 0


@pytest.mark.parametrize("dated", [False, True])
def test_retry_after_rests_the_host_and_others_go_on(tmp_path, zh, recipes, dated):
    moment = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=2)
    header = format_datetime(moment, usegmt=True) if dated else "1"
    faults = {chapter_path(zh, 2): Fault.busy(header)}
    with Site([zh], faults) as busy, Site([zh]) as other:
        (book,) = rows(busy, zh)
        second = Book(book="b", zh_url=other.list_url("deng"), zh_recipe="biquge")
        assert not crawl([book, second], recipes, tmp_path, FAST).failed
        (told,) = [entry for entry in busy.log if entry.status == 429]
        first = min(entry.began for entry in busy.log if entry.began > told.ended)
        until = moment.timestamp() - time.time() + time.monotonic() if dated else told.ended + 1
        assert first >= until - 0.01  # the two clocks are not read at once
        assert any(told.ended < entry.began < first for entry in other.log)
        assert busy.log.counts[chapter_path(zh, 2)] == 2


def test_a_page_put_off_for_long_is_asked_for_in_a_later_run(tmp_path, zh, recipes):
    path = chapter_path(zh, 3)
    with Site([zh], {path: Fault.busy("86400")}) as site:
        report = crawl(rows(site, zh), recipes, tmp_path, quick())
        assert report.sides[0].pending == {"retry-after": 1}
        assert report.sides[0].done == 11
        asked = len(site.log)
        assert crawl(rows(site, zh), recipes, tmp_path, quick(0.9)).failed
        assert len(site.log) == asked
        assert not crawl(rows(site, zh), recipes, tmp_path, quick(1.1)).failed
        assert site.log.counts[path] == 2


def test_a_host_that_wants_to_be_left_alone_is(tmp_path, zh, recipes):
    faults = {chapter_path(zh, n): Fault.busy("86400", status=503) for n in range(3, 13)}
    with Site([zh], faults) as site:
        report = crawl(rows(site, zh), recipes, tmp_path, quick())
        assert report.sides[0].pending == {"retry-after": 10}
        assert "given up" in report.notes[0]
        asked = len(site.log)
        assert asked == 2 + 2 + PUT_OFF
        assert crawl(rows(site, zh), recipes, tmp_path, quick(0.9)).failed
        assert len(site.log) == asked
        site.faults.clear()
        assert not crawl(rows(site, zh), recipes, tmp_path, quick(1.1)).failed


def test_a_host_that_wants_an_hour_between_requests_is_not_crawled(tmp_path, zh, recipes):
    with Site([zh], robots="User-agent: *\nCrawl-delay: 3600") as site:
        report = crawl(rows(site, zh), recipes, tmp_path, FAST)
        assert report.sides[0].reason == "crawl-delay"
        assert site.log.paths == ["/robots.txt"]


def test_a_host_that_goes_on_refusing_is_left_alone(tmp_path, text, recipes):
    book = SiteBook("deng", text("zh", 50), "biquge")
    refuse = {chapter_path(book, n): Fault.error(403) for n in range(4, 51)}
    with Site([book], refuse) as site:
        report = crawl(rows(site, book), recipes, tmp_path, quick())
        side = report.sides[0]
        assert side.failed == {"refused": REFUSALS}
        assert side.pending == {"host-refuses": 50 - 3 - REFUSALS}
        asked = len(site.log)
        crawl(rows(site, book), recipes, tmp_path, quick(0.5, retry_failed=True))
        assert len(site.log) == asked


def test_a_host_that_is_always_busy_is_left_alone(tmp_path, zh, recipes):
    faults = {chapter_path(zh, n): Fault.busy(None, None) for n in range(1, 13)}
    with Site([zh], faults) as site:
        report = crawl(rows(site, zh), recipes, tmp_path, quick())
        assert report.failed
        assert len(site.log) <= 2 + BUSY


def test_a_host_that_is_down_is_given_up_and_asked_the_next_time(tmp_path, text, recipes):
    book = SiteBook("deng", text("zh", 40), "biquge")
    faults = {chapter_path(book, n): Fault.dropped(None) for n in range(4, 41)}
    with Site([book], faults) as site:
        report = crawl(rows(site, book), recipes, tmp_path, quick())
        assert report.sides[0].pending == {"host-unreachable": 37}
        assert len(site.log) < 20
        site.faults.clear()
        assert not crawl(rows(site, book), recipes, tmp_path, quick()).failed


def test_failures_that_pass_are_asked_for_again_when_told_to(tmp_path, zh, recipes):
    faults = {chapter_path(zh, 2): Fault.error(500), chapter_path(zh, 3): Fault.error(404)}
    with Site([zh], faults) as site:
        assert crawl(rows(site, zh), recipes, tmp_path, quick()).failed
        site.faults.clear()
        crawl(rows(site, zh), recipes, tmp_path, quick())
        assert site.log.counts[chapter_path(zh, 2)] == TRIES
        report = crawl(rows(site, zh), recipes, tmp_path, quick(retry_failed=True))
        assert [f.reason for f in report.failures] == ["not-found"]


def test_a_page_that_never_ends_is_taken_when_it_is_the_same_twice(tmp_path, zh, recipes):
    body = f'<html><body><div id="content">{"河水很冷。" * 5}'.encode("gbk")
    with Site([zh], {chapter_path(zh, n): Fault.other(body) for n in range(1, 13)}) as site:
        # The list of this site ends as it should, so each page is asked for twice.
        report = crawl(rows(site, zh), recipes, tmp_path, quick())
        assert not report.failed
        assert site.log.counts[chapter_path(zh, 1)] == 2
        assert any("ends without </html>" in note for note in report.notes)


def test_a_redirect_to_itself_that_sets_a_cookie_is_no_loop(tmp_path, zh, recipes):
    path = chapter_path(zh, 2)
    cookie = Fault(302, 1, (("Location", path), ("Set-Cookie", "seen=1; Path=/")))
    with Site([zh], {path: cookie}) as site:
        assert not crawl(rows(site, zh), recipes, tmp_path, quick()).failed
        assert [e.headers.get("cookie") for e in site.log if e.path == path] == [None, "seen=1"]


# Going on.


def test_refresh_asks_only_for_what_may_have_changed(tmp_path, text, recipes):
    def book(count):
        return SiteBook("deng", text("zh", count), "biquge")

    with Site([book(5)]) as site:
        crawl(rows(site, book(5)), recipes, tmp_path, FAST)
        asked = len(site.log)
        refresh = CrawlOptions(seconds=0.0, refresh=True)
        report = crawl(rows(site, book(5)), recipes, tmp_path, refresh)
        assert report.unchanged == 1
        assert [(e.path, e.status) for e in site.log[asked:]] == [(list_path(book(5)), 304)]
        site.serve([book(7)])
        report = crawl(rows(site, book(7)), recipes, tmp_path, refresh)
        assert report.sides[0].done == 7
        assert len(site.log) == asked + 1 + 3
        site.faults[list_path(book(7))] = [Fault.error(500)]
        report = crawl(rows(site, book(7)), recipes, tmp_path, quick(refresh=True))
        assert report.sides[0].done == 7
        assert any("old page is kept" in note for note in report.notes)


def test_a_damaged_page_is_fetched_again_and_no_other(tmp_path, zh, recipes):
    with Site([zh]) as site:
        crawl(rows(site, zh), recipes, tmp_path, FAST)
        url = site.chapter_url("deng", 4, 2)
        with PageStore.open(tmp_path) as store:
            row = store.index.row(url)
        file = tmp_path / "warc" / row.file
        body = bytearray(file.read_bytes())
        body[row.start + row.length // 2] ^= 0xFF
        file.write_bytes(body)
        asked = len(site.log)
        report = crawl(rows(site, zh), recipes, tmp_path, FAST)
        assert not report.failed
        assert site.log.paths[asked:] == [chapter_path(zh, 4, 2)]
        assert f"byte {row.start}" in report.notes[0]


def test_a_lost_index_costs_no_request(tmp_path, zh, recipes):
    with Site([zh]) as site:
        crawl(rows(site, zh), recipes, tmp_path, FAST)
        asked = len(site.log)
        for file in tmp_path.glob("pages.sqlite*"):
            file.unlink()
        report = crawl(rows(site, zh), recipes, tmp_path, FAST)
        assert (report.failed, report.sides[0].done, len(site.log)) == (False, 12, asked)


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path, text, recipes):
    book = SiteBook("deng", text("zh", 40), "biquge", split=dict.fromkeys(range(1, 41, 3), 2))
    faults = {chapter_path(book, n): Fault.moved(f"/to/{n}") for n in (5, 6)}
    with Site([book], faults) as site:
        for n in (5, 6):
            site.faults[f"/to/{n}"] = [Fault.moved(chapter_path(book, n) + "?again", 307)]
            site._routes[chapter_path(book, n) + "?again"] = site._routes[chapter_path(book, n)]
        code = f"""
            from pathlib import Path
            from bwb.crawl.crawler import CrawlOptions, crawl
            from bwb.crawl.manifest import Book
            from bwb.crawl.recipe import load_recipes
            book = Book(book="deng", zh_url={site.list_url("deng")!r}, zh_recipe="biquge")
            crawl([book], load_recipes(), Path({str(tmp_path)!r}), CrawlOptions(seconds=0.005))
        """
        kills = 0
        while kills < 3:
            before = len(site.log)
            process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
            while len(site.log) < before + 13 and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        report = crawl(rows(site, book), recipes, tmp_path, FAST)
        assert not report.failed
        # What was under way when the process died has to be asked for again, and nothing else.
        extra = site.log.counts.total() - len(site.log.counts)
        assert extra <= kills
        assert max(site.log.counts.values()) <= 2
    put = {str(n): chapter.lines for n, chapter in enumerate(book.chapters, 1)}
    assert texts(tmp_path, "deng", "zh", "biquge", recipes) == put


def test_an_error_in_a_thread_stops_the_crawl(tmp_path, zh, recipes, monkeypatch):
    def full(*_args, **_kwargs):
        raise StoreError("the disk is full")

    with Site([zh]) as site:
        monkeypatch.setattr(PageStore, "add", full)
        with pytest.raises(StoreError, match="the disk is full"):
            crawl(rows(site, zh), recipes, tmp_path, FAST)
        monkeypatch.undo()
        assert not crawl(rows(site, zh), recipes, tmp_path, FAST).failed
    assert not [t for t in threading.enumerate() if t.name.startswith("crawl-")]


# The command.


def run(manifest, *more):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(manifest), *map(str, more)]))


def manifest(folder, books):
    file = folder / "books.jsonl"
    file.write_text("".join(book.model_dump_json(exclude_none=True) + "\n" for book in books))
    return file


def test_the_command(tmp_path, zh, text, capsys):
    en = SiteBook("lamp", text("en", 3), "novelfull")
    own = tmp_path / "sites"
    own.mkdir()
    (own / "mine.toml").write_text(
        'name = "mine"\nlang = "en"\nseconds = 0\n[list]\nsource = "/ajax/chapter-archive'
        '?novelId={id}"\nid = { selector = "#rating", attribute = "data-novel-id" }\n'
        'links = "a"\n[chapter]\nbody = "#chr-content"\n'
    )
    faults = {chapter_path(en, 2): Fault.error(404)}
    with Site([zh, en], faults) as site:
        books = rows(site, zh, en)
        books[1] = books[1].model_copy(update={"en_recipe": "mine"})
        file = manifest(tmp_path, books)
        options = ("--sites", own, "--out", tmp_path / "out", "--seconds", 0)
        assert run(file, *options, "--books", "deng", "--contact", "me@example.org") == 0
        shown = capsys.readouterr()
        assert "done" in shown.out
        assert "no --contact" not in shown.err
        assert all(e.headers["user-agent"].endswith("(+me@example.org)") for e in site.log)
        assert run(file, *options) == 3
        shown = capsys.readouterr()
        assert "no --contact" in shown.err
        assert "book 'lamp' en chapter 2: not-found" in shown.err
        assert run(file, *options, "--json") == 3
        body = json.loads(capsys.readouterr().out)
        assert body["requests"] == {}
        assert body["failures"][0]["reason"] == "not-found"
        assert {"state": "done", "reason": None, "count": 14} in body["chapters"]


@pytest.mark.parametrize(
    "options",
    [("--limit", 0), ("--seconds", -1), ("--timeout", 0), ("--archive-url", "http://a.example")],
)
def test_calls_that_make_no_sense(tmp_path, options):
    with pytest.raises(UsageError, match="--"):
        run(tmp_path / "books.jsonl", "--out", tmp_path, *options)
