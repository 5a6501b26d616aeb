"""The whole way from raw pages to a dataset, on sites of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bwb.annotations.sources import read_documents
from bwb.cli import main
from bwb.corpus import read_parquet
from bwb.crawl.loopback import Fault, Site
from bwb.crawl.loopback_themes import SiteBook, SiteChapter, chapter_path
from bwb.errors import FormatError, InputError
from bwb.pipeline.demosite import rebuild_sample
from bwb.pipeline.rebuild import read_rows
from bwb.pipeline.settings import SplitSettings, read_settings, split_of
from bwb.pipeline.synthetic import write_chapters
from bwb.pipeline.work import Flow, Work


@pytest.fixture(scope="module")
def sample_chapters():
    """The sample: book -> its documents."""
    books = {}
    for document in read_documents():
        books.setdefault(document.book, []).append(document)
    return books


def site_book(name, documents, lang, theme, **more):
    chapters = []
    for place, document in enumerate(documents, 1):
        side = document.zh if lang == "zh" else document.en
        title = f"第{place}章 {side.title}" if lang == "zh" else f"Chapter {place}: {side.title}"
        chapters.append(SiteChapter(title, side.sentences))
    return SiteBook(name, chapters, theme, **more)


class Sites:
    """Two sites, a manifest of their books and a corpus.toml."""

    def __init__(self, folder, books, zh_faults=None, en_faults=None):
        self.folder = folder
        self.zh_books = [site_book(n, d, "zh", "biquge", split={2: 2}) for n, d in books.items()]
        self.en_books = [site_book(n, d, "en", "novelfull") for n, d in books.items()]
        self.zh = Site(self.zh_books, faults=zh_faults)
        self.en = Site(self.en_books, faults=en_faults)

    def __enter__(self):
        self.zh.__enter__()
        self.en.__enter__()
        rows = [
            {
                "book": book.id,
                "genre": "fantasy",
                "split": "test" if number else "train",
                "zh_url": self.zh.list_url(book.id),
                "zh_recipe": "biquge",
                "en_url": self.en.list_url(book.id),
                "en_recipe": "novelfull",
            }
            for number, book in enumerate(self.zh_books)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / "books.jsonl").write_text(text, encoding="utf-8")
        (self.folder / "corpus.toml").write_text(
            'name = "trial"\nmanifest = "books.jsonl"\nworkers = 1\n[crawl]\nseconds = 0\n'
            '[align]\naligner = "galechurch"\n',
            encoding="utf-8",
        )
        return self

    def __exit__(self, *error):
        self.zh.__exit__(*error)
        self.en.__exit__(*error)

    @property
    def requests(self):
        return len(self.zh.log) + len(self.en.log)


def run(capsys, *arguments):
    """Run a command; returns its exit code, its JSON and what it said on stderr."""
    code = main([*map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def test_the_sample_from_raw_pages_to_a_dataset(tmp_path):
    first, second, requests = rebuild_sample(read_documents(), tmp_path, aligner="galechurch")
    assert requests == 0, "the second run fetches nothing"
    assert (first.fresh, second.fresh) == (True, False)
    assert first.digest == second.digest
    assert first.documents == 8
    assert not first.failed
    built = {document.id: document for document in read_parquet(first.dataset)}
    originals = list(read_documents())
    by_book = {}
    for document in originals:
        by_book.setdefault(document.book, []).append(document)
    for book, documents in by_book.items():
        for place, document in enumerate(documents, 1):
            made = built[f"{book}/{place}"]
            for lang in ("zh", "en"):
                side, original = getattr(made, lang), getattr(document, lang)
                joined = "".join(side.sentences).replace(" ", "")
                assert joined == "".join(original.sentences).replace(" ", "")
                assert side.provenance.status == 200
                assert side.provenance.sha256_raw
            assert (made.split, made.genre) == (document.split, document.genre)
            assert made.links


def test_datasets_opens_what_was_built(tmp_path, sample_chapters):
    import datasets

    books = dict(list(sample_chapters.items())[:2])
    with Sites(tmp_path, books):
        assert main(["build-corpus", str(tmp_path / "corpus.toml")]) == 0
    folder = str(tmp_path / "build" / "dataset")
    rows = datasets.load_dataset(folder, "pairs", split="test")
    assert rows.num_rows > 20
    assert set(rows["method"]) <= {"galechurch", "null"}


def test_stages_as_commands(tmp_path, sample_chapters, capsys):
    """crawl, extract: the lines are the lines that were put in."""
    books = dict(list(sample_chapters.items())[:2])
    with Sites(tmp_path, books) as sites:
        code, body, _ = run(
            capsys, "crawl", tmp_path / "books.jsonl", "--out", tmp_path / "p", "--seconds", "0"
        )
        assert code == 0
        assert body["chapters"] == [{"state": "done", "reason": None, "count": 8}]
        asked = sites.requests
        run(capsys, "crawl", tmp_path / "books.jsonl", "--out", tmp_path / "p", "--seconds", "0")
        assert sites.requests == asked
        code, body, _ = run(capsys, "extract", tmp_path / "p")
        assert (code, body["in"], body["out"]) == (0, 8, 8)
        put_in = {
            (book.id, lang, str(place)): chapter.lines
            for lang, side in (("zh", sites.zh_books), ("en", sites.en_books))
            for book in side
            for place, chapter in enumerate(book.chapters, 1)
        }
    found = {}
    for line in (tmp_path / "p" / "chapters.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert row["url"].startswith("http://127.0.0.1")
        assert len(row["sha256_raw"]) == len(row["sha256_text"]) == 64
        found[row["book"], row["lang"], row["chapter"]] = tuple(row["lines"])
    assert found == put_in


def test_what_is_missing_is_told(tmp_path, sample_chapters, capsys):
    books = dict(list(sample_chapters.items())[:1])
    name = next(iter(books))
    en = site_book(name, books[name], "en", "novelfull")
    faults = {chapter_path(en, 2): Fault.error(404)}
    with Sites(tmp_path, books, en_faults=faults):
        code, body, err = run(capsys, "build-corpus", tmp_path / "corpus.toml")
    assert code == 3
    assert body["documents"] == 1
    stages = {stage["stage"]: stage for stage in body["stages"]}
    assert stages["extract"]["dropped"] == {"not-found": 1}
    assert stages["pair"]["dropped"] == {"no-counterpart": 1}
    dropped = (tmp_path / "build" / "dropped.jsonl").read_text(encoding="utf-8").splitlines()
    reasons = {(r["lang"], r["chapter"], r["rule"]) for r in map(json.loads, dropped)}
    assert reasons == {("en", "2", "not-found"), ("zh", "2", "no-counterpart")}
    assert "left out" not in err


def test_verify_tells_what_became_of_each_row(tmp_path, sample_chapters, capsys):
    books = dict(list(sample_chapters.items())[:2])
    with Sites(tmp_path, books) as sites:
        assert main(["build-corpus", str(tmp_path / "corpus.toml")]) == 0
        capsys.readouterr()
        manifest = tmp_path / "build" / "manifest.jsonl"
        rows = read_rows(manifest)
        assert len(rows) == 8
        verify = ("rebuild", "--verify", manifest, "--seconds", "0")
        code, body, _ = run(capsys, *verify)
        assert (code, body["same"], body["counts"]["ok"]) == (0, True, 8)
        first, second = sites.en_books
        paths = {
            chapter_path(first, 1): Fault.error(404),
            chapter_path(first, 2): Fault.other(b"<html><body><p>gone</p></body></html>"),
            chapter_path(second, 1): Fault.moved(chapter_path(second, 2)),
        }
        sites.en.faults.update({path: [fault] for path, fault in paths.items()})
        changed = sites.zh.page(chapter_path(sites.zh_books[0], 1)).body
        body_now = changed.replace("。".encode("gbk"), "！".encode("gbk"))
        sites.zh.faults[chapter_path(sites.zh_books[0], 1)] = [Fault.other(body_now)]
        code, body, _ = run(capsys, *verify, "--out", tmp_path / "again")
        assert code == 3
        states = {(row["id"], row["lang"]): row["state"] for row in body["documents"]}
        assert states.pop((f"{first.id}/1", "en")) == "missing"
        assert states.pop((f"{first.id}/2", "en")) == "dropped"
        assert states.pop((f"{second.id}/1", "en")) == "redirected"
        assert states.pop((f"{first.id}/1", "zh")) == "changed"
        assert set(states.values()) == {"ok"}
        # What is left is rebuilt, paired as it was.
        code, body, _ = run(
            capsys, "rebuild", manifest, "--seconds", "0", "--aligner", "galechurch"
        )
        assert body["corpus"]["documents"] == 4
        assert main(["build-corpus", str(tmp_path / "corpus.toml")]) == 0
    capsys.readouterr()


def test_rebuilt_from_its_manifest_a_corpus_is_the_same(tmp_path, sample_chapters, capsys):
    books = dict(list(sample_chapters.items())[:1])
    with Sites(tmp_path, books):
        _, built, _ = run(capsys, "build-corpus", tmp_path / "corpus.toml")
        _, again, _ = run(
            capsys,
            *("rebuild", tmp_path / "build" / "manifest.jsonl", "--seconds", "0"),
            *("--aligner", "galechurch", "--out", tmp_path / "again"),
        )
    assert again["corpus"]["documents"] == built["documents"] == 2
    documents = [
        {d.id: (d.zh.sentences, d.en.sentences, d.links, d.split) for d in read_parquet(folder)}
        for folder in (tmp_path / "build" / "dataset", tmp_path / "again" / "dataset")
    ]
    assert documents[0] == documents[1]


def test_killed_in_the_middle_and_run_again(tmp_path):
    write_chapters(tmp_path / "chapters", 4, 6, seed=7)
    settings = 'chapters = "chapters"\nworkers = 1\n[align]\naligner = "galechurch"\n'
    for name in ("killed", "whole"):
        (tmp_path / f"{name}.toml").write_text(f'name = "x"\nout = "{name}"\n{settings}')
    command = [sys.executable, "-m", "bwb", "build-corpus"]
    process = subprocess.Popen(
        [*command, str(tmp_path / "killed.toml")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    work = tmp_path / "killed" / "work"
    deadline = time.monotonic() + 60
    while not list(work.glob("2-clean/*.done.json")) and time.monotonic() < deadline:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "killed" / "dataset").exists()
    digests = []
    for name in ("killed", "whole"):
        done = subprocess.run(
            [*command, str(tmp_path / f"{name}.toml"), "--json"], capture_output=True, check=True
        )
        digests.append(json.loads(done.stdout)["digest"])
    assert digests[0] == digests[1]
    files = [
        {p.name: p.read_bytes() for p in (tmp_path / name / "dataset" / "data").rglob("*.parquet")}
        for name in ("killed", "whole")
    ]
    assert files[0] == files[1]


def test_a_changed_setting_redoes_what_depends_on_it(tmp_path, capsys):
    write_chapters(tmp_path / "chapters", 2, 6, seed=3)
    file = tmp_path / "corpus.toml"
    base = 'name = "x"\nchapters = "chapters"\nworkers = 1\n[align]\naligner = "galechurch"\n'
    file.write_text(base)
    _, first, _ = run(capsys, "build-corpus", file)
    file.write_text(base + "[filters.rules]\nsequence-ratio = { threshold = 1.02 }\n")
    code, second, _ = run(capsys, "build-corpus", file)
    done = {stage["stage"]: stage["books_done_now"] for stage in second["stages"]}
    assert done == {"extract": 0, "clean": 2, "pair": 0, "align": 0, "filter": 2}
    assert 0 < second["documents"] < first["documents"] == 12
    assert code == 0


def test_one_bad_book_leaves_the_others(tmp_path, capsys):
    write_chapters(tmp_path / "chapters", 2, 6, seed=3)
    (tmp_path / "chapters" / "broken.jsonl").write_text('{"book": "broken"}\n')
    file = tmp_path / "corpus.toml"
    file.write_text('name = "x"\nchapters = "chapters"\n[align]\naligner = "galechurch"\n')
    code, body, err = run(capsys, "build-corpus", file)
    assert code == 3
    assert body["documents"] == 12
    assert "broken is left out" in err
    assert "broken.jsonl:1" in err


def test_duplicates_within_and_across_books(tmp_path, capsys):
    folder = tmp_path / "chapters"
    write_chapters(folder, 2, 6, seed=3)
    names = sorted(path.stem for path in folder.glob("*.jsonl"))
    rows = [
        [json.loads(x) for x in (folder / f"{n}.jsonl").read_text("utf-8").splitlines()]
        for n in names
    ]
    zh_first = [row for row in rows[0] if row["lang"] == "zh"]
    # The fourth chapter of the second book is the second of the first, on both sides.
    for row in rows[1]:
        if row["chapter"] == "4":
            row["lines"] = next(
                r for r in rows[0] if (r["lang"], r["chapter"]) == (row["lang"], "2")
            )["lines"]
    # The first book has its third Chinese chapter once more at the end.
    again = {**zh_first[2], "chapter": "7", "url": "http://127.0.0.1/again"}
    at = max(i for i, row in enumerate(rows[0]) if row["lang"] == "zh")
    rows[0].insert(at + 1, again)
    for name, book in zip(names, rows, strict=True):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in book)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    file = tmp_path / "corpus.toml"
    file.write_text('name = "x"\nchapters = "chapters"\n[align]\naligner = "galechurch"\n')
    _, body, _ = run(capsys, "build-corpus", file)
    pair = next(stage for stage in body["stages"] if stage["stage"] == "pair")
    assert pair["dropped"] == {"duplicate-exact": 3}
    assert body["documents"] == 11


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "x"\n', "neither manifest nor chapters"),
        ('name = "x"\nmanifset = "m"\n', "did you mean 'manifest'"),
        ('manifest = "m.toml"\n', "name is missing"),
        ('name = "x"\nchapters = "c"\n[align]\naligner = "hybird"\n', "did you mean 'hybrid'"),
        ('name = "x"\nchapters = "c"\nworkers = -1\n', "workers"),
        ('name = "x"\nchapters = "c"\n[filters.rules]\nshort = {threshold = 1}\n', "short"),
        ('name = "x"\nchapters = "c"\n', "no files of chapters"),
        ('name = "x', "not TOML"),
    ],
)
def test_settings_that_are_refused(tmp_path, capsys, text, said):
    file = tmp_path / "corpus.toml"
    file.write_text(text)
    assert main(["build-corpus", str(file)]) == 1
    assert said in capsys.readouterr().err


def test_a_manifest_with_two_rows_for_one_chapter(tmp_path):
    chapter = {
        "chapter": "1",
        "url": "http://127.0.0.1/1",
        "title": None,
        "recipe": "novelfull-1",
        "sha256_raw": None,
        "sha256_text": None,
        "pages": [],
    }
    rows = [
        {"id": f"b/{n}", "book": "b", "lang": "en", "chapters": [chapter], "sentences": 5}
        for n in (1, 2)
    ]
    file = tmp_path / "manifest.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(FormatError, match=r"manifest.jsonl:2: en chapter 1 of b is on line 1"):
        read_rows(file)
    rows[1] = {**rows[1], "id": "b/1"}
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(FormatError, match="line 1 already"):
        read_rows(file)
    with pytest.raises(InputError, match="No such file"):
        read_rows(tmp_path / "none.jsonl")


def test_splits_do_not_depend_on_anything_but_the_book():
    settings = SplitSettings(validation=0.2, test=0.3)
    splits = [split_of(f"book{n}", None, settings) for n in range(2000)]
    assert 0.25 < splits.count("test") / 2000 < 0.35
    assert 0.15 < splits.count("validation") / 2000 < 0.25
    assert splits == [split_of(f"book{n}", None, settings) for n in range(2000)]
    assert split_of("book1", "train", settings) == "train"


def test_paths_are_relative_to_the_file(tmp_path):
    (tmp_path / "corpus.toml").write_text('name = "x"\nmanifest = "m.toml"\nsites = ["s"]\n')
    settings = read_settings(tmp_path / "corpus.toml")
    assert settings.manifest == tmp_path / "m.toml"
    assert settings.sites == (tmp_path / "s",)
    assert settings.out == tmp_path / "build"


def test_an_unfinished_stage_is_not_done(tmp_path):
    work = Work(tmp_path)
    flow = Flow(3, 2)

    def lines():
        yield "one"
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        work.finish("1-extract", "b", "key", flow, {"jsonl": lines()})
    assert work.done("1-extract", "b") is None
    assert not work.path("1-extract", "b").exists()
    work.finish("1-extract", "b", "key", flow, {"jsonl": ["one"]})
    done = work.done("1-extract", "b")
    assert (done.key, done.flow.taken, done.flow.passed) == ("key", 3, 2)
    work.path("1-extract", "b").unlink()
    assert work.done("1-extract", "b") is None, "its file is gone"
