"""Pages on disk, and that they survive whatever happens to the process or the files."""

from __future__ import annotations

import gzip
import hashlib
import os
import resource
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest
from warcio.archiveiterator import ArchiveIterator

from bwb.crawl.address import plain
from bwb.crawl.fetch import Answer
from bwb.crawl.rows import SideRow
from bwb.crawl.store import CorruptRecordError, PageStore, StoreError

WHEN = "2026-03-01T12:00:00.000Z"


def answer(url="http://a.example/1", body=b"<p>river</p>", status=200, headers=(), wire=None):
    headers = (("Content-Type", "text/html"), ("ETag", '"x"'), *headers)
    return Answer(url, WHEN, status, "OK", headers, body if wire is None else wire, body)


def fill(folder, count=5):
    with PageStore.open(folder, write=True) as store:
        for n in range(count):
            store.add(answer(f"http://a.example/{n}", f"<p>page {n}</p>".encode() * 50), "chapter")


def warc(folder):
    (file,) = (folder / "warc").glob("*.warc.gz")
    return file


def test_what_goes_in_comes_out(tmp_path):
    body = "<p>河</p>".encode("gbk")
    with PageStore.open(tmp_path, write=True) as store:
        store.add(answer(body=body), "chapter", sha256_text="abc")
    with PageStore.open(tmp_path) as store:
        page = store.get("http://a.example/1")
        assert store.get("http://a.example/2") is None
    assert (page.body, page.status, page.error) == (body, 200, None)
    assert page.sha256_raw == hashlib.sha256(body).hexdigest()
    assert (page.sha256_text, page.content_type, page.fetched) == ("abc", "text/html", WHEN)
    assert page.final_url == "http://a.example/1"


def test_compressed_and_chunked_bodies_are_kept_as_they_came(tmp_path):
    body = b"<p>river</p>" * 100
    headers = (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"))
    with PageStore.open(tmp_path, write=True) as store:
        store.add(answer(body=body, wire=gzip.compress(body), headers=headers), "chapter")
        assert store.get("http://a.example/1").body == body
    with warc(tmp_path).open("rb") as stream:
        made = [(r.rec_type, r.content_stream().read()) for r in ArchiveIterator(stream)]
    assert [kind for kind, _ in made] == ["warcinfo", "request", "response"]
    assert made[2][1] == body


def test_headers_may_hold_what_servers_put_into_them(tmp_path):
    odd = (("Location", "/灯 火".encode().decode("latin-1")), ("X-Ö", "a\r\n b"))
    moved = Answer("http://a.example/河?x=一#top", WHEN, 302, "找到", odd)
    with PageStore.open(tmp_path, write=True) as store:
        store.add(replace(moved, url=plain(moved.url)), "chapter")
        store.add(answer("http://a.example/%E7%81%AF%20%E7%81%AB"), "chapter")
        assert store.get(moved.url).status == 200
    for file in tmp_path.glob("pages.sqlite*"):
        file.unlink()
    with PageStore.open(tmp_path, write=True) as store:
        assert store.get(moved.url).status == 200


def test_redirects_are_followed_to_the_page(tmp_path):
    def moved(where, to):
        return answer(f"http://a.example/{where}", b"", 302, (("Location", to),))

    with PageStore.open(tmp_path, write=True) as store:
        store.add(moved("a", "/b"), "chapter")
        store.add(moved("b", "http://b.example/c"), "chapter")
        assert store.get("http://a.example/a") is None
        assert store.trail("http://a.example/a").missing == "http://b.example/c"
        store.add(answer("http://b.example/c"), "chapter")
        page = store.get("http://a.example/a")
        assert page.final_url == "http://b.example/c"
        assert page.hops == ("http://a.example/a", "http://a.example/b", "http://b.example/c")
        store.add(moved("x", "/y"), "chapter")
        store.add(moved("y", "/x"), "chapter")
        assert store.get("http://a.example/x").error == "redirect-loop"


def test_one_writer_at_a_time_and_readers_beside_it(tmp_path):
    with PageStore.open(tmp_path, write=True) as store:
        with pytest.raises(StoreError, match="another crawl"):
            PageStore.open(tmp_path, write=True)
        store.add(answer(), "chapter")
        with PageStore.open(tmp_path) as reader:
            assert reader.get("http://a.example/1").status == 200


def test_a_folder_that_is_no_crawl_is_refused(tmp_path):
    with pytest.raises(StoreError, match="not the folder of a crawl"):
        PageStore.open(tmp_path)
    (tmp_path / "pages.sqlite").write_bytes(b"rubbish, not a database" * 100)
    with pytest.raises(StoreError, match="move it away"):
        PageStore.open(tmp_path, write=True)


def test_half_a_record_at_the_end_is_cut_off(tmp_path):
    fill(tmp_path)
    file = warc(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole + whole[-300:-100])
    with PageStore.open(tmp_path, write=True) as store:
        assert "half a record" in store.notes[0]
        assert str(file) in store.notes[0]
        assert file.read_bytes() == whole
        store.add(answer("http://a.example/next"), "chapter")
    with PageStore.open(tmp_path, write=True) as store:
        assert store.notes == []
        assert store.get("http://a.example/next").status == 200


@pytest.mark.parametrize("lost", [1, 100, 500])
def test_a_file_cut_short_loses_only_what_was_cut(tmp_path, lost):
    fill(tmp_path)
    file = warc(tmp_path)
    os.truncate(file, file.stat().st_size - lost)
    with PageStore.open(tmp_path, write=True) as store:
        there = [n for n in range(5) if store.get(f"http://a.example/{n}") is not None]
        assert there == list(range(len(there)))
        assert len(there) in (3, 4)
        assert store.notes
        store.add(answer("http://a.example/4", b"<p>again</p>"), "chapter")
        assert store.get("http://a.example/4").body == b"<p>again</p>"
    with file.open("rb") as stream:
        assert sum(record.rec_type == "response" for record in ArchiveIterator(stream)) >= 4


def test_a_record_without_a_row_is_indexed(tmp_path):
    fill(tmp_path)
    whole = warc(tmp_path).read_bytes()
    with PageStore.open(tmp_path, write=True) as store:
        rows = sorted(store.index.rows(warc(tmp_path).name), key=lambda row: row.start)
        for row in rows[3:]:
            store.index.forget(row.url)
        store.index.put_warc(warc(tmp_path).name, rows[2].start + rows[2].length)
    with PageStore.open(tmp_path, write=True) as store:
        assert "2 pages that were not in the index" in store.notes[0]
        assert store.get("http://a.example/4").body == b"<p>page 4</p>" * 50
    assert warc(tmp_path).read_bytes() == whole


def test_the_index_can_be_made_again_from_the_files(tmp_path):
    with PageStore.open(tmp_path, write=True) as store:
        store.add(answer("http://a.example/1"), "list", sha256_text="abc")
        store.add(answer("http://a.example/2", b"no", 404), "chapter", error="not-found")
        store.add(answer("http://a.example/3", b"", 301, (("Location", "/1"),)), "chapter")
        urls = [f"http://a.example/{n}" for n in (1, 2, 3)]
        before = [store.index.row(url) for url in urls]
    for file in tmp_path.glob("pages.sqlite*"):
        file.unlink()
    with PageStore.open(tmp_path, write=True) as store:
        after = [store.index.row(url) for url in urls]
    assert [(r.status, r.error, r.location, r.start, r.length, r.etag) for r in after] == [
        (r.status, r.error, r.location, r.start, r.length, r.etag) for r in before
    ]
    assert after[0].sha256_text == "abc"


def test_a_corrupt_record_is_reported_and_given_up(tmp_path):
    fill(tmp_path)
    file = warc(tmp_path)
    with PageStore.open(tmp_path) as store:
        row = store.index.row("http://a.example/2")
        body = bytearray(file.read_bytes())
        body[row.start + row.length // 2] ^= 0xFF
        file.write_bytes(body)
        with pytest.raises(CorruptRecordError) as caught:
            store.get("http://a.example/2")
    assert (caught.value.file, caught.value.offset) == (file, row.start)
    with PageStore.open(tmp_path, write=True) as store:
        assert f"{file}: byte {row.start}: corrupt record" in store.notes[0]
        assert store.get("http://a.example/2") is None
        assert store.get("http://a.example/3").body == b"<p>page 3</p>" * 50
    with PageStore.open(tmp_path, write=True) as store:
        assert store.notes == []


def test_damage_in_the_middle_does_not_hide_what_follows_when_the_index_is_lost(tmp_path):
    fill(tmp_path)
    file = warc(tmp_path)
    with PageStore.open(tmp_path) as store:
        row = store.index.row("http://a.example/2")
    body = bytearray(file.read_bytes())
    body[row.start + row.length // 2] ^= 0xFF
    file.write_bytes(body)
    for index in tmp_path.glob("pages.sqlite*"):
        index.unlink()
    with PageStore.open(tmp_path, write=True) as store:
        there = [n for n in range(5) if store.get(f"http://a.example/{n}") is not None]
        assert there == [0, 1, 3, 4]
        assert any(f"byte {row.start}" in note for note in store.notes)


def test_a_lost_file_is_reported_and_its_pages_are_wanted_again(tmp_path):
    fill(tmp_path)
    warc(tmp_path).unlink()
    with PageStore.open(tmp_path, write=True) as store:
        assert "the file is gone" in store.notes[0]
        assert store.get("http://a.example/1") is None


def test_a_full_disk_is_an_error_and_leaves_what_was_there(tmp_path):
    fill(tmp_path, 3)
    size = warc(tmp_path).stat().st_size

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    code = f"""
        import os
        from bwb.crawl.store import PageStore, StoreError
        from bwb.crawl.fetch import Answer
        store = PageStore.open(__import__("pathlib").Path({str(tmp_path)!r}), write=True)
        body = os.urandom(300_000)
        try:
            answer = Answer("http://a.example/big", "{WHEN}", 200, "OK", (), body, body)
            store.add(answer, "chapter")
        except StoreError as error:
            print(error, flush=True)
        os._exit(0)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the disk is full" in done.stdout
    assert warc(tmp_path).stat().st_size == size
    with PageStore.open(tmp_path, write=True) as store:
        assert store.notes == []
        assert store.get("http://a.example/big") is None
        assert store.get("http://a.example/2").status == 200


def test_killed_while_writing_nothing_is_lost(tmp_path):
    code = f"""
        import os
        from pathlib import Path
        from bwb.crawl.store import PageStore
        from bwb.crawl.fetch import Answer
        store = PageStore.open(Path({str(tmp_path)!r}), write=True)
        for n in range(100_000):
            body = os.urandom(3000)
            url = f"http://a.example/{{n}}"
            store.add(Answer(url, "{WHEN}", 200, "OK", (), body, body), "chapter")
            print(n, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = 0
        while said < 60:
            said = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        said = max([said, *map(int, rest)])
    with PageStore.open(tmp_path, write=True) as store:
        there = [n for n in range(said + 3) if store.get(f"http://a.example/{n}")]
        assert there[: said + 1] == list(range(said + 1))
        assert store.notes == [] or "half a record" in store.notes[0] or "1 pages" in store.notes[0]


def test_chapters_keep_what_is_known_of_them_when_the_list_changes(tmp_path):
    with PageStore.open(tmp_path, write=True) as store:
        index = store.index
        index.put_side(SideRow("b", "zh", "http://a.example/", "mini-1 x", True))
        index.put_chapters("b", "zh", [("u1", "一"), ("u2", "二")], whole=True)
        first, second = store.chapters("b", "zh")
        index.put_chapter(second, "done")
        gone = index.put_chapters("b", "zh", [("u0", "序"), ("u2", "二")], whole=True)
        assert gone == 1
        listed = [(c.chapter, c.url, c.state) for c in store.chapters("b", "zh")]
        assert listed == [("1", "u0", "pending"), ("2", "u2", "done")]
        assert (first.state, store.books()) == ("pending", ["b"])
