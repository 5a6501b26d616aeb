"""Tables on disk: read back as written, made again when damaged, done without where one cannot."""

from __future__ import annotations

import pytest

from bwb.align.tables import kept
from bwb.caches import user_caches
from bwb.errors import MissingDependencyError

TABLE = {"山": "mountain", "水": "", "\u2028": "a\rb"}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BWB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


def forbidden():
    raise AssertionError("made twice")


@pytest.mark.parametrize("table", [TABLE, {}, {"a": ""}])
def test_a_table_is_made_once(table, cache):
    assert kept("t", "jieba", 1, lambda: table) == table
    assert list(kept("t", "jieba", 1, forbidden).items()) == list(table.items())
    assert [path.name.split("-")[0] for path in cache.iterdir()] == ["t"]


def test_a_new_edition_is_made_anew():
    kept("t", "jieba", 1, lambda: TABLE)
    assert kept("t", "jieba", 2, lambda: {"a": "b"}) == {"a": "b"}


@pytest.mark.parametrize(
    "damage",
    [lambda raw: raw[:-3], lambda raw: raw + b"x", lambda raw: b"", lambda raw: b"\xff" + raw],
)
def test_a_damaged_file_is_made_again(damage, cache):
    kept("t", "jieba", 1, lambda: TABLE)
    (path,) = cache.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert kept("t", "jieba", 1, lambda: {"new": "1"}) == {"new": "1"}
    assert kept("t", "jieba", 1, forbidden) == {"new": "1"}


def test_where_nothing_can_be_written_nothing_is_kept(cache):
    cache.parent.write_text("a file where the folder should be")
    assert kept("t", "jieba", 1, lambda: TABLE) == TABLE
    assert kept("t", "jieba", 1, lambda: {"a": "b"}) == {"a": "b"}


def test_a_library_that_is_not_there():
    with pytest.raises(MissingDependencyError, match="pip install 'no-such-library'"):
        kept("t", "no-such-library", 1, dict)


def test_the_folder_follows_the_system(monkeypatch, tmp_path):
    monkeypatch.delenv("BWB_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("bwb.caches.sys.platform", "linux")
    assert user_caches() == tmp_path / "bwb"
