from __future__ import annotations

import importlib.util
import sqlite3
import zlib

import numpy as np
import pytest

from bwb.align.encoders import (
    Cached,
    CacheWarning,
    EncoderError,
    Usem3,
    cache_folder,
    make_encoder,
)
from bwb.errors import MissingDependencyError, UnknownNameError


class Fake:
    def __init__(self, name="fake", length=1.0):
        self.name, self.length, self.asked = name, length, []

    def encode(self, texts):
        self.asked += texts
        rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(size=8) for t in texts]
        matrix = np.array(rows, np.float32).reshape(-1, 8)
        return self.length * matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_a_text_is_encoded_once_even_across_runs(tmp_path):
    first, second = Fake(), Fake()
    texts = ["a", "b", "a", "", "山"]
    expected = Fake().encode(texts)
    assert np.array_equal(Cached(first, tmp_path).encode(texts), expected)
    assert first.asked == ["a", "b", "", "山"]
    assert np.array_equal(Cached(second, tmp_path).encode([*texts, "c"])[:5], expected)
    assert second.asked == ["c"]


def test_models_do_not_share_vectors(tmp_path):
    Cached(Fake("one"), tmp_path).encode(["a"])
    other = Fake("two")
    Cached(other, tmp_path).encode(["a"])
    assert other.asked == ["a"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_run_that_fails_leaves_what_was_there(tmp_path):
    class Broken(Fake):
        def encode(self, texts):
            raise KeyboardInterrupt

    Cached(Fake(), tmp_path).encode(["a"])
    with pytest.raises(KeyboardInterrupt):
        Cached(Broken(), tmp_path).encode(["a", "b"])
    again = Fake()
    Cached(again, tmp_path).encode(["a", "b"])
    assert again.asked == ["b"]


def test_an_interrupted_write_is_undone(tmp_path):
    cached = Cached(Fake(), tmp_path)
    cached.encode(["a"])
    base = sqlite3.connect(cached.path)
    base.execute("INSERT INTO vectors VALUES (x'00', x'00')")
    base.close()  # not committed
    base = sqlite3.connect(cached.path)
    assert base.execute("SELECT count(*) FROM vectors").fetchone() == (1,)
    base.close()


def test_a_file_that_is_no_database_is_replaced(tmp_path):
    cached = Cached(Fake(), tmp_path)
    cached.path.write_bytes(b"half of something" * 100)
    assert np.array_equal(cached.encode(["a"]), Fake().encode(["a"]))
    again = Fake()
    Cached(again, tmp_path).encode(["a"])
    assert again.asked == []


def test_a_damaged_database_costs_the_cache_and_not_the_result(tmp_path):
    cached = Cached(Fake(), tmp_path)
    cached.encode([str(k) for k in range(500)])
    raw = bytearray(cached.path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    cached.path.write_bytes(raw)
    with pytest.warns(CacheWarning):
        found = Cached(Fake(), tmp_path).encode(["7"])
    assert np.array_equal(found, Fake().encode(["7"]))
    assert not cached.path.exists()


def test_a_vector_of_another_size_is_not_taken(tmp_path):
    cached = Cached(Fake(), tmp_path)
    cached.encode(["a", "b", "c"])
    base = sqlite3.connect(cached.path)
    base.execute(
        "UPDATE vectors SET vector = x'00000000' WHERE key = (SELECT min(key) FROM vectors)"
    )
    base.commit()
    base.close()
    assert np.array_equal(cached.encode(["a", "b", "c"]), Fake().encode(["a", "b", "c"]))


def test_a_folder_that_cannot_be_used_is_said_once(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    cached = Cached(Fake(), file / "folder")
    with pytest.warns(CacheWarning, match="BWB_CACHE"):
        assert len(cached.encode(["a"])) == 1
    assert len(cached.encode(["a"])) == 1


def test_an_encoder_that_breaks_its_promise_is_refused(tmp_path):
    with pytest.raises(EncoderError, match="length 2"):
        Cached(Fake(length=2.0), tmp_path).encode(["a"])


def test_no_texts(tmp_path):
    assert Cached(Fake(), tmp_path).encode([]).shape == (0, 8)
    assert Usem3().encode([]).shape == (0, 512)


def test_the_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("BWB_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "vectors"
    assert make_encoder("usem3").path.parent == tmp_path / "vectors"
    assert isinstance(make_encoder("usem3", cache=False), Usem3)


def test_unknown_encoders_are_refused():
    for name in ("usem4", "sentence-transformers", "sentence-transformers:"):
        with pytest.raises(UnknownNameError, match="usem3"):
            make_encoder(name)


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="it is installed"
)
def test_a_missing_library_prints_the_pip_line():
    with pytest.raises(MissingDependencyError, match="pip install 'sentence-transformers"):
        make_encoder("sentence-transformers:LaBSE")


def test_the_default_knows_both_languages():
    vectors = Usem3().encode(["渡船靠了岸。", "The ferry reached the bank.", "She was never paid."])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
