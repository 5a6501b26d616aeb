"""Synthetic books: the same for the same seed, aligned as they say, faulty as asked."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from bwb.align.base import SentenceLink, check_links
from bwb.clean.sentences import split_lines
from bwb.corpus import read_records
from bwb.errors import UsageError
from bwb.pipeline.synthetic import FAULTS, synthetic_book, write_chapters
from bwb.records import Chapter


def test_a_book_depends_on_seed_and_number_alone():
    assert synthetic_book(1, 2, 4) == synthetic_book(1, 2, 4)
    others = [synthetic_book(2, 2, 4), synthetic_book(1, 3, 4)]
    assert all(other.made != synthetic_book(1, 2, 4).made for other in others)
    # A longer book begins like a shorter one.
    assert synthetic_book(1, 2, 6).made[:4] == synthetic_book(1, 2, 4).made


def test_what_a_book_is_pinned():
    book = synthetic_book(1, 0, 3)
    text = "\n".join(sentence for c in book.made for side in (c.zh, c.en) for sentence in side)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "c3519bbfd2844aad"


def test_links_are_an_alignment_and_lines_hold_the_sentences():
    book = synthetic_book(3, 0, 20)
    shapes = set()
    for made, zh, en in zip(book.made, book.zh, book.en, strict=True):
        links = [SentenceLink(*link) for link in made.links]
        check_links(links, len(made.zh), len(made.en))
        shapes |= {(len(link.src), len(link.tgt)) for link in links}
        assert split_lines(zh.lines, "zh") == list(made.zh)
        assert split_lines(en.lines, "en") == list(made.en)
        assert zh.sha256_text == hashlib.sha256("\n".join(zh.lines).encode()).hexdigest()
    assert shapes == {(1, 1), (2, 1), (1, 2), (1, 0), (0, 1)}
    sizes = [len(made.zh) for made in book.made]
    assert 45 < sum(sizes) / len(sizes) < 55


def test_no_slot_is_left_and_persons_differ():
    book = synthetic_book(4, 1, 10)
    for made in book.made:
        text = "".join((*made.zh, *made.en))
        assert not re.search(r"[{}%]", text)
        assert all(text[0].isupper() or text[0] == "“" for text in made.en)


def test_neighbours_share_few_sentences():
    first, second = synthetic_book(5, 0, 2).made
    assert len(set(first.zh) & set(second.zh)) < 3


def test_faults_are_where_they_are_said_to_be():
    book = synthetic_book(6, 1, 12, FAULTS)
    plain = synthetic_book(6, 1, 12)
    before = synthetic_book(6, 0, 12)
    where = book.faults
    assert set(where) == set(FAULTS)
    assert len(set(where.values())) == len(FAULTS)
    pairs = dict(book.pairs)
    assert len(book.zh) == 12
    assert len(book.en) == 12 - 1 + 1 + 1
    zh = {number: (number,) for number in range(12)}
    assert pairs[zh[where["missing"]]] == ()
    (doubled,) = pairs[zh[where["doubled"]]]
    assert book.en[doubled].lines == book.en[doubled + 1].lines
    assert ((), (doubled + 1,)) in book.pairs
    halves = pairs[zh[where["split"]]]
    assert len(halves) == 2
    assert sum((book.en[j].lines for j in halves), ()) == book.made[where["split"]].lines[1]
    marked = book.zh[where["watermark"]].lines
    assert len(marked) == len(book.made[where["watermark"]].lines[0]) + 1
    assert len(book.made[where["short"]].zh) == 3
    assert book.made[where["duplicate"]] == before.made[where["duplicate"]]
    assert [chapter.chapter for chapter in book.en] == [str(k + 1) for k in range(13)]
    assert plain.faults == {}
    assert plain.pairs == [((k,), (k,)) for k in range(12)]


def test_books_that_make_no_sense():
    with pytest.raises(UsageError, match="unknown fault 'fire': known are missing"):
        synthetic_book(1, 0, 9, ["fire"])
    with pytest.raises(UsageError, match="6 faults in 7 chapters"):
        synthetic_book(1, 0, 7, FAULTS)


def test_written_chapters_are_read_back(tmp_path):
    ids = write_chapters(tmp_path, 2, 9, seed=7, faults=lambda k: FAULTS if k else ())
    assert ids == ["synthetic00000", "synthetic00001"]
    book = synthetic_book(7, 1, 9, FAULTS)
    path = tmp_path / "synthetic00001.jsonl"
    key = lambda chapter: f"{chapter.lang}/{chapter.chapter}"  # noqa: E731
    assert list(read_records(path, Chapter, key, "chapter")) == [*book.zh, *book.en]
    truth = json.loads((tmp_path / "truth" / "synthetic00001.json").read_text("utf-8"))
    assert truth["faults"] == book.faults
    assert [tuple(map(tuple, pair)) for pair in truth["pairs"]] == book.pairs
    assert sorted(p.name for p in tmp_path.glob("*.jsonl")) == [f"{name}.jsonl" for name in ids]
