"""One request, its pace, what robots.txt says, what an answer means."""

from __future__ import annotations

import gzip
import random
import zlib
from datetime import UTC, datetime, timedelta

import pytest

from bwb.crawl.address import host_of, is_loopback, robots_url, target
from bwb.crawl.fetch import Answer, Fetcher, decompress, user_agent
from bwb.crawl.loopback import Fault, Server
from bwb.crawl.loopback_themes import Page
from bwb.crawl.pace import LEAST_SECONDS, back_off, interval, jittered, retry_after
from bwb.crawl.robots import read_rules
from bwb.crawl.verdict import judge
from bwb.errors import UsageError

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


class Pages(Server):
    """Serves given pages."""

    def __init__(self, pages, faults=None):
        super().__init__(faults)
        self.pages = pages

    def page(self, path):
        return self.pages.get(path)


HTML = b"<html><body>" + b"<p>river</p>" * 200 + b"</body></html>"


@pytest.fixture
def fetcher():
    made = Fetcher(user_agent("reader@example.org"), timeout=0.4, max_body=50_000)
    yield made
    made.close()


def test_a_page_comes_whole_and_says_who_asked(fetcher):
    with Pages({"/a": Page("text/html", HTML)}) as site:
        answer = fetcher.get(f"{site.url}/a")
    assert (answer.status, answer.body, answer.trouble) == (200, HTML, None)
    assert answer.unclosed is False
    agent = site.log[0].headers["user-agent"]
    assert agent.startswith("bwb/")
    assert agent.endswith("(+reader@example.org)")


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        (Fault.truncated(), "truncated"),
        (Fault.dropped(), "connection"),
        (Fault.slow(2.0), "timeout"),
        (Fault.other(b""), "empty"),
        (Fault.other(b"x" * 60_000), "too-large"),
        (Fault(headers=(("Content-Encoding", "br"),)), "content-encoding"),
        (Fault(headers=(("Content-Encoding", "gzip"),)), "truncated"),
    ],
)
def test_what_is_not_whole_is_not_taken(fetcher, fault, trouble):
    with Pages({"/a": Page("text/html", HTML)}, {"/a": fault}) as site:
        answer = fetcher.get(f"{site.url}/a")
    assert answer.trouble == trouble
    assert judge(answer, "chapter").error == trouble


def test_no_server_is_a_connection_error(fetcher):
    with Pages({}) as site:
        gone = site.url
    assert fetcher.get(gone).trouble == "connection"


@pytest.mark.parametrize(
    "url", ["http://a..example/", "http://a.example:99999/", "ftp://a.example"]
)
def test_an_address_that_cannot_be_asked(fetcher, url):
    assert fetcher.get(url).trouble == "bad-url"
    assert not judge(fetcher.get(url), "chapter").again


def test_redirects_are_answers_and_not_followed(fetcher):
    with Pages({}, {"/a": Fault.moved("/b", 301)}) as site:
        answer = fetcher.get(f"{site.url}/a")
    assert (answer.status, answer.header("location")) == (301, "/b")
    assert site.log.paths == ["/a"]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw"])
def test_compression_is_undone_and_must_end(coding):
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(coding)
    raw = zlib.compressobj(wbits=-15)
    wire = pack(HTML) if pack else raw.compress(HTML) + raw.flush()
    name = "deflate" if coding == "raw" else coding
    assert decompress(wire, name, 10**6) == (HTML, None, "")
    assert decompress(wire[:-10], name, 10**6)[1] == "truncated"
    assert decompress(wire, name, 100)[1] == "too-large"


@pytest.mark.parametrize("contact", ["", " ", "a\nb", "河"])
def test_a_contact_must_fit_into_a_header(contact):
    with pytest.raises(UsageError, match="contact"):
        user_agent(contact)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("Sunday", None),
        ("-3", None),
        ("", None),
        (None, None),
        ("1.5", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert retry_after(header, NOW) == seconds


def test_waiting_doubles_and_is_capped():
    chance = random.Random(1)
    waits = [back_off(n, 2.5, chance) for n in range(1, 40)]
    assert 5 <= waits[0] <= 6.25
    assert 10 <= waits[1] <= 12.5
    assert max(waits) <= 375
    assert all(2 <= jittered(2, chance) <= 2.5 for _ in range(100))


def test_only_this_machine_may_be_asked_faster_than_the_recipe_says():
    assert interval("https://novel.example/1", 2.5, 0.1) == 2.5
    assert interval("https://novel.example/1", 2.5, 5.0) == 5.0
    assert interval("https://novel.example/1", 0.0, None) == LEAST_SECONDS
    assert interval("http://127.0.0.1:8000/1", 2.5, 0.01) == 0.01
    assert interval("http://localhost/1", 2.5, None) == 2.5


def test_addresses():
    assert host_of("https://Novel.Example:443/a") == host_of("http://novel.example/b")
    assert host_of("http://novel.example:8080/") == "novel.example:8080"
    assert robots_url("http://novel.example:8080/a?b") == "http://novel.example:8080/robots.txt"
    assert is_loopback("http://[::1]/")
    assert not is_loopback("http://localhost.example/")
    assert target("http://a.example/x/1", "../y#z") == "http://a.example/y"
    assert target("http://a.example/x", "javascript:void(0)") is None
    assert target("http://a.example/x", "http://[broken/") is None


def test_robots_rules():
    text = (
        b"User-agent: *\nDisallow: /\n\nUser-agent: bwb\nDisallow: /no/*.html$\nCrawl-delay: 0.5\n"
    )
    rules = read_rules(200, text)
    assert rules.allows("http://a.example/yes.html")
    assert not rules.allows("http://a.example/no/1.html")
    assert rules.delay == 0.5
    assert read_rules(404, b"").allows("http://a.example/no/1.html")
    assert not read_rules(403, b"").allows("http://a.example/")
    assert read_rules(200, b"\xff\xfe\x00 rubbish").allows("http://a.example/")
    assert read_rules(200, b"User-agent: *\nRequest-rate: 1/4s").delay == 4


@pytest.mark.parametrize(
    ("status", "error", "again"),
    [
        (200, None, False),
        (404, "not-found", False),
        (410, "gone", False),
        (403, "refused", False),
        (401, "refused", False),
        (451, "refused", False),
        (429, "http-429", True),
        (500, "http-500", True),
        (503, "http-503", True),
        (501, "http-501", False),
        (400, "http-400", False),
        (302, "bad-redirect", False),
        (204, "http-204", False),
    ],
)
def test_what_a_status_means(status, error, again):
    stamp = (NOW + timedelta(days=1)).isoformat()
    verdict = judge(Answer("http://a.example/", stamp, status, body=b"x"), "chapter")
    assert (verdict.error, verdict.again) == (error, again)
