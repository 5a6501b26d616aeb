from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

from bwb.align.candidates import Arcs
from bwb.align.cooccurrence import BEST, Cooccurrence, learn, surprise
from bwb.align.sides import make_sides

SRC = [
    "Der Fluss war ruhig.",
    "Ein Boot lag am Fluss.",
    "Niemand sprach.",
    "Das Boot lag still.",
    "Der Mond schien.",
    "Dann kam Hartog 1956 zum Fluss.",
    "Das Boot fuhr fort.",
    "Es wurde Nacht.",
]
TGT = [
    "La rivière était calme.",
    "Un bateau était sur la rivière.",
    "Personne ne parlait.",
    "Le bateau ne bougeait pas.",
    "La lune brillait.",
    "Puis Hartog vint en 1956 à la rivière.",
    "Le bateau partit.",
    "La nuit tomba.",
]


class Fake:
    name = "fake"

    def encode(self, texts):
        rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(size=4) for t in texts]
        matrix = np.array(rows, np.float32).reshape(-1, 4)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def path(*pairs):
    return Arcs(*(np.array(column) for column in zip(*pairs, strict=True)))


def known(sides, lexicon=None):
    """Translations in words, of words in the order `make_sides` numbers them."""
    lexicon = lexicon or Cooccurrence()
    names = [
        list(dict.fromkeys(word for text in texts for word in lexicon.target(text)))
        for texts in (SRC, TGT)
    ]
    table = sides[0].translations.tocoo()
    return {(names[0][r], names[1][c]) for r, c in zip(table.row, table.col, strict=True)}


def test_words():
    lexicon = Cooccurrence()
    assert lexicon.target("L'été, 1956 à Zürich; été") == ["l", "ete", "1956", "a", "zuric"]
    assert lexicon.target("韦小宝 ran") == ["韦", "小", "宝", "韦小", "小宝", "ran"]
    assert lexicon.source("Fluss 7 am") == {
        "fluss": frozenset({"fluss"}),
        "7": frozenset({"7"}),
        "am": frozenset(),
    }


def test_words_that_come_together_translate_each_other():
    sides = make_sides(SRC, TGT, Fake(), Cooccurrence())
    before = known(sides)
    assert before == {("harto", "harto"), ("1956", "1956")}
    after = known(learn(*sides, path(*((k, k, 1, 1) for k in range(8)))))
    assert before < after
    assert {("fluss", "rivie"), ("boot", "batea")} <= after
    assert not any("niema" in pair for pair in after)  # once is no evidence


def test_both_directions_agree():
    sides = learn(
        *make_sides(SRC, TGT, Fake(), Cooccurrence()), path(*((k, k, 1, 1) for k in range(8)))
    )
    assert (sides[0].translations.toarray() == sides[1].translations.toarray().T).all()
    assert set(sides[0].translations.data.tolist()) == {1.0}


def test_a_bead_counts_once():
    """Two sentences of a bead with the same word are one bead with it."""
    texts = ["aa bb", "aa cc", "dd", "ee"], ["xx yy", "xx zz", "ww", "vv"]
    sides = make_sides(*texts, Fake(), Cooccurrence())
    links = path((0, 0, 2, 2), (2, 2, 1, 1), (3, 3, 1, 1))
    assert learn(*sides, links)[0].translations.nnz == 0


def test_nothing_linked_teaches_nothing():
    sides = make_sides(SRC, TGT, Fake(), Cooccurrence())
    found = learn(*sides, path((0, 0, 8, 0), (8, 0, 0, 8)))
    assert known(found) == known(sides)


def test_few_translations_a_word():
    texts = ["same words here again"] * 30 + ["other"] * 30
    sides = make_sides(texts, texts, Fake(), Cooccurrence())
    table = learn(*sides, path(*((k, k, 1, 1) for k in range(60))))[0].translations
    cognates = 3  # words, again, other: spelt alike, besides what is learned
    assert np.diff(table.indptr).max() <= BEST + 1
    assert table.nnz >= cognates + 4


@pytest.mark.parametrize(
    ("both", "first", "second", "beads"), [(5, 5, 5, 20), (3, 4, 9, 20), (2, 10, 4, 20)]
)
def test_surprise(both, first, second, beads):
    """Against the definition: twice the sum of observed · ln(observed / expected)."""
    table = np.array([[both, first - both], [second - both, beads - first - second + both]], float)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / beads
    cells = zip(table.ravel(), expected.ravel(), strict=True)
    value = 2 * sum(seen * math.log(seen / chance) for seen, chance in cells if seen)
    arrays = (np.array([float(x)]) for x in (both, first, second))
    assert surprise(*arrays, beads) == pytest.approx([value], abs=1e-9)
