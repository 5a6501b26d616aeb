"""Pages out of a web archive on this machine."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bwb.crawl.archive import Archive, Capture, nearest, parse_cdx
from bwb.crawl.captures import capture_of, raw_capture, read_date
from bwb.crawl.crawler import CrawlOptions, crawl
from bwb.crawl.extract import extract_chapter
from bwb.crawl.loopback import Fault
from bwb.crawl.loopback_archive import ArchiveSite, Snapshot, snapshots
from bwb.crawl.loopback_themes import Page, SiteBook, SiteChapter, chapter_path
from bwb.crawl.manifest import Book
from bwb.crawl.recipe import load_recipes
from bwb.crawl.store import PageStore
from bwb.errors import InputError

ORIGIN = "http://novel.example"


@pytest.fixture
def site(chinese):
    chapters = [
        SiteChapter(f"第{n}章 灯", tuple(line.strip() for line in chinese[n * 5 : n * 5 + 5]))
        for n in range(1, 9)
    ]
    return SiteBook("deng", chapters, "biquge", split={3: 2})


@pytest.fixture
def book():
    return Book(book="deng", zh_url=f"{ORIGIN}/book/deng/", zh_recipe="biquge")


def options(archive, **more):
    return CrawlOptions(seconds=0.0, timeout=1.0, archive=archive.url, **more)


def test_a_book_out_of_an_archive(tmp_path, site, book):
    captures = snapshots(ORIGIN, [site], "20200102030405")
    del captures[ORIGIN + chapter_path(site, 5)]
    captures[ORIGIN + chapter_path(site, 6)] = [Snapshot("20200101000000", Page("", b"", 404))]
    recipes = load_recipes()
    with ArchiveSite(captures) as archive:
        report = crawl([book], recipes, tmp_path, options(archive))
        assert report.sides[0].failed == {"missing": 2}
        assert report.sides[0].done == 6
        assert archive.log.overlaps() == 0
        assert archive.log.counts["/robots.txt"] == 1
        assert max(archive.log.counts.values()) == 1
        asked = len(archive.log)
        crawl([book], recipes, tmp_path, options(archive))
        assert len(archive.log) == asked
    with PageStore.open(tmp_path) as store:
        for pages, chapter in zip(store.chapters("deng", "zh"), site.chapters, strict=True):
            if pages.state == "done":
                made = extract_chapter(pages, store.get, recipes["biquge"]).chapter
                assert made.lines == chapter.lines
                assert {page.captured for page in made.pages} == {"2020-01-02T03:04:05Z"}
                assert made.pages[0].url == pages.url


@pytest.mark.parametrize(
    ("date", "time"),
    [
        (None, "20220101000000"),
        ("2018-05-01", "20180601000000"),
        ("20210801000000", "20220101000000"),
        ("2010-01-01", "20180601000000"),
    ],
)
def test_the_nearest_capture_is_taken(tmp_path, site, book, date, time):
    made = {when: snapshots(ORIGIN, [site], when) for when in ("20180601000000", "20220101000000")}
    captures = {url: [shots[url][0] for shots in made.values()] for url in made[time]}
    more = {"archive_date": read_date(date) if date else None, "limit": 1}
    with ArchiveSite(captures, page_size=1) as archive:
        assert not crawl([book], load_recipes(), tmp_path, options(archive, **more)).failed
        shown = [path[5:19] for path in archive.log.paths if path.startswith("/web/")]
    assert set(shown) == {time}


def test_the_capture_that_answered_is_the_one_recorded(tmp_path, site, book):
    captures = snapshots(ORIGIN, [site], "20200101000000")
    url = ORIGIN + chapter_path(site, 1)
    # The index knows of a capture that the archive cannot show: it leads to another one.
    later = f"/web/20210101000000id_/{url}"
    with ArchiveSite(captures) as archive:
        archive.faults[later] = [Fault.moved(f"/web/20200101000000/{url}")]
        shots = archive.captures[url]
        archive.captures[url] = [*shots, Snapshot("20210101000000", shots[0].page)]
        assert not crawl([book], load_recipes(), tmp_path, options(archive, limit=1)).failed
        assert f"/web/20200101000000id_/{url}" in archive.log.paths
        with PageStore.open(tmp_path) as store:
            page = store.get(url)
    assert page.captured == "2020-01-01T00:00:00Z"
    assert page.final_url == url
    assert "frame" not in page.body.decode("gbk")


def test_a_capture_that_cannot_be_had_is_passed_over(tmp_path, site, book):
    captures = snapshots(ORIGIN, [site], "20200101000000")
    url = ORIGIN + chapter_path(site, 1)
    captures[url] = [*captures[url], Snapshot("20210101000000", captures[url][0].page)]
    with ArchiveSite(captures) as archive:
        archive.faults[f"/web/20210101000000id_/{url}"] = [Fault.error(404)]
        assert not crawl([book], load_recipes(), tmp_path, options(archive, limit=1)).failed
        with PageStore.open(tmp_path) as store:
            assert store.get(url).captured == "2020-01-01T00:00:00Z"


def test_an_archive_that_leads_to_the_site_is_not_followed(tmp_path, site, book):
    captures = snapshots(ORIGIN, [site])
    with ArchiveSite({}) as live, ArchiveSite(captures) as archive:
        path = f"/web/20200101000000id_/{book.zh_url}"
        archive.faults[path] = [Fault.moved(f"{live.url}/book/deng/")]
        report = crawl([book], load_recipes(), tmp_path, options(archive))
        assert report.sides[0].reason == "left-archive"
        assert live.log == []


def test_an_archive_that_is_busy_or_refuses_is_treated_as_any_host(tmp_path, site, book):
    captures = snapshots(ORIGIN, [site])
    list_cdx = Archive("").cdx_address(book.zh_url)
    with ArchiveSite(captures, {list_cdx: Fault.busy("0", 2)}) as archive:
        assert not crawl([book], load_recipes(), tmp_path / "a", options(archive)).failed
    with ArchiveSite(captures, robots="User-agent: *\nDisallow: /") as archive:
        report = crawl([book], load_recipes(), tmp_path / "b", options(archive))
        assert report.sides[0].reason == "robots"
        assert archive.log.paths == ["/robots.txt"]


def test_the_index_of_captures_is_read():
    body = b"""[["urlkey","timestamp","original","statuscode"],
        ["a","20200101000000","http://a.example/","200"],
        ["a","20210101000000","http://a.example/","404"],
        ["a","2021","http://a.example/","200"],
        [],["a 20210101000001"]]"""
    captures, key = parse_cdx(body)
    assert captures == [Capture("20200101000000", "http://a.example/")]
    assert key == "a 20210101000001"
    assert parse_cdx(b"[]") == parse_cdx(b"") == ([], None)
    for wrong in (b"<html>", b'{"a": 1}', b'[["timestamp"], ["x"]]', b"[1]"):
        with pytest.raises(InputError, match="not an index"):
            parse_cdx(wrong)


def test_captures_by_nearness_and_their_addresses():
    times = ("20190101000000", "20200101000000", "20210101000000")
    captures = [Capture(time, "http://a.example/") for time in times]
    date = datetime(2020, 3, 1, tzinfo=UTC)
    assert [c.time for c in nearest(captures, date)] == [times[1], times[2], times[0]]
    assert [c.time for c in nearest(captures, None)] == list(reversed(times))
    url = "https://web.archive.org/web/20200101000000im_/http://a.example/x?y=/web/1"
    assert capture_of(url) == ("2020-01-01T00:00:00Z", "http://a.example/x?y=/web/1")
    assert raw_capture(url).startswith("https://web.archive.org/web/20200101000000id_/http://a")
    assert capture_of("http://a.example/web/20209901000000id_/http://b.example/") == (None, None)
    assert read_date("2020-06-30") == datetime(2020, 6, 30, 12, tzinfo=UTC)
    assert read_date("June") is None
