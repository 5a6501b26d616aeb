"""Each feature against its definition, computed bead by bead."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

from bwb.align import candidates, features
from bwb.align.clauses import split_clauses
from bwb.align.lexicon import Cognates
from bwb.align.sides import closing_mark, encode_clauses, make_sides

SRC = [
    "«Boats sail, rivers flow: nobody from Zurich knows.»",
    "Was it 1848?",
    "",
    "Captain Hartog was leaving the harbour; the others, all of them tired, stayed behind.",
    "Nobody spoke.",
    "«Where is Hartog?»",
]
TGT = [
    "«Bateaux, rivers, and nobody from Zurich»",
    "«In 1848»",
    "Hartog quitta le port, enfin; les autres restaient, all of them tired, behind.",
    "Personne, nobody.",
    "«Hartog where?»",
    "Fin.",
    "Captain Hartog, Zurich, 1848.",
]


class Fake:
    name = "fake"

    def encode(self, texts):
        rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(0.3, 1, 6) for t in texts]
        matrix = np.array(rows, np.float32).reshape(-1, 6)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def sides():
    some = make_sides(SRC, TGT, Fake(), Cognates())
    return encode_clauses(some, (np.ones(len(SRC), bool), np.ones(len(TGT), bool)), Fake())


@pytest.fixture(scope="module")
def arcs():
    n, m = len(SRC), len(TGT)
    some = candidates.arcs_in(np.zeros(n + 1, int), np.full(n + 1, m))
    return some[some.link]


def each(arcs):
    return zip(arcs.i.tolist(), arcs.j.tolist(), arcs.a.tolist(), arcs.b.tolist(), strict=True)


def vector(texts):
    total = sum(Fake().encode([t])[0] * math.sqrt(max(1, len(t))) for t in texts)
    return total / np.linalg.norm(total)


def chars(texts):
    return sum(max(1, len(text)) for text in texts)


def cos(bead, sentence):
    return float(vector(bead) @ Fake().encode([sentence])[0])


def scaled(i, j, a, b):
    first = chars(SRC[i : i + a]) / 4
    return first, chars(TGT[j : j + b]) / 4 * chars(SRC) / chars(TGT)


def test_margin(sides, arcs):
    found = features.margins(arcs, *sides)
    for value, (i, j, a, b) in zip(found, each(arcs), strict=True):
        src, tgt = SRC[i : i + a], TGT[j : j + b]
        around = [
            [cos(src, TGT[k]) for k in (j - 1, j + b) if 0 <= k < len(TGT)],
            [cos(tgt, SRC[k]) for k in (i - 1, i + a) if 0 <= k < len(SRC)],
        ]
        near = sum(sum(x) / max(len(x), 1) for x in around) / 2
        assert value == pytest.approx(float(vector(src) @ vector(tgt)) - near, abs=1e-5)


def test_balance():
    found = features.balance(np.array([3.0, 8.0, 4.0]), np.array([9.0, 8.0, 0.0]))
    assert found == pytest.approx([math.log2(4 / 3), 1, 0])


def test_overlap(sides, arcs):
    lexicon = Cognates()
    sets = [set(lexicon.target(t)) for t in SRC], [set(lexicon.target(t)) for t in TGT]

    def idf(word, side):
        return math.log(1 + len(sets[side]) / sum(word in x for x in sets[side])) / 5

    found, plain = features.overlaps(arcs, *sides)
    for value, lex, (i, j, a, b) in zip(found, plain, each(arcs), strict=True):
        mine = [
            [w for x in sets[0][i : i + a] for w in x],
            [w for x in sets[1][j : j + b] for w in x],
        ]
        matched, total, hits = 0.0, 0.0, 0
        for side in (0, 1):
            total += sum(idf(w, side) for w in mine[side])
            both = [w for w in mine[side] if w in mine[1 - side]]
            matched += sum(idf(w, side) for w in both)
            hits += len(both)
        assert value == pytest.approx(matched / (total + 2), abs=1e-6)
        assert lex == pytest.approx(hits / (len(mine[0]) + len(mine[1]) + 2), abs=1e-6)


def centred(vectors, texts):
    rest = vectors - Fake().encode([t.strip() for t in texts]).sum(axis=0) / (len(texts) + 10)
    return rest / np.linalg.norm(rest, axis=1, keepdims=True)


def pieces(text):
    return [piece.strip() for piece in split_clauses(text.strip())]


def likeness(one, k, other, j):
    """Best cosine of the clauses of a sentence with those of another; one row a clause."""
    mine = centred(Fake().encode(pieces(one[k])), one)
    return (mine @ centred(Fake().encode(pieces(other[j])), other).T).max(axis=1)


def stray(texts, other, first, count, at, size):
    total = mass = 0.0
    for k in range(at, at + size):
        inside = np.max([likeness(texts, k, other, j) for j in range(first, first + count)], 0)
        around = [j for j in (first - 1, first + count) if 0 <= j < len(other)]
        outside = np.max([likeness(texts, k, other, j) for j in around] or [inside * 0 - 9], 0)
        weight = np.array([max(1, len(piece)) for piece in pieces(texts[k])])
        total += float(weight @ np.maximum(0, outside - inside))
        mass += float(weight.sum())
    return total / mass


def weakest(texts, other, first, count, at, size):
    if size == 1:
        return 0.0
    whole = [centred(Fake().encode([t.strip() for t in side]), side) for side in (texts, other)]
    best = [
        max(
            max(float(likeness(texts, k, other, j).max()), float(whole[0][k] @ whole[1][j]))
            for j in range(first, first + count)
        )
        for k in range(at, at + size)
    ]
    return max(0.0, features.ENOUGH - min(best))


def test_strays(sides, arcs):
    some = arcs[np.arange(0, len(arcs), 3)]
    found = features.strays(some, *sides)
    for target, source, weak, (i, j, a, b) in zip(*found, each(some), strict=True):
        assert target == pytest.approx(stray(TGT, SRC, i, a, j, b), abs=1e-5)
        assert source == pytest.approx(stray(SRC, TGT, j, b, i, a), abs=1e-5)
        both = weakest(TGT, SRC, i, a, j, b) + weakest(SRC, TGT, j, b, i, a)
        assert weak == pytest.approx(both, abs=1e-5)


@pytest.mark.parametrize(
    ("texts", "closes"),
    [
        (["„Gut.“", "„Ja“, sagte er.", "Nein."], [True, False, False]),
        (["“Good.”", "He read “Home", "No."], [True, False, False]),
        (["»Gut.«", "»Komm", "Ja.«"], [True, False, True]),
        (["« Bon. »", "« Viens", "Oui. »"], [True, False, True]),
        (["“好。”", "「好。」", "好。"], [True, True, False]),
    ],
)
def test_closing_marks(texts, closes):
    mark = closing_mark(texts)
    assert [bool(mark.search(text)) for text in texts] == closes


def test_shapes(sides):
    arcs = candidates.arcs_in(np.zeros(len(SRC) + 1, int), np.full(len(SRC) + 1, len(TGT)))
    found = features.shapes(arcs, *sides, chars(SRC) / chars(TGT))
    closes = [[t.endswith("»") for t in side] for side in (SRC, TGT)]
    asks = [[t.endswith(("?", "?»")) for t in side] for side in (SRC, TGT)]
    for k, (i, j, a, b) in enumerate(each(arcs)):
        first, second = scaled(i, j, a, b) if a and b else (0, 0)
        if not a or not b:
            size = chars(SRC[i : i + a]) / 4 + chars(TGT[j : j + b]) / 4 * chars(SRC) / chars(TGT)
            expected = {"null_len": math.log(size + 3), "null_run": a + b - 1}
        else:
            expected = {
                "gc": min((first - second) ** 2 / (first + second + 1), 20) / 10,
                "cq": closes[0][i + a - 1] == closes[1][j + b - 1],
                "inq_t": sum(closes[1][j : j + b - 1]),
                "e1b": asks[0][i + a - 1] and asks[1][j + b - 1],
            }
        for name, values in found.items():
            assert values[k] == pytest.approx(float(expected.get(name, 0.0))), (name, i, j, a, b)


def test_blocks_do_not_change_anything(sides, arcs, monkeypatch):
    whole = [features.margins(arcs, *sides), *features.overlaps(arcs, *sides)]
    whole += features.strays(arcs, *sides)
    monkeypatch.setattr(features, "_ROWS", 2)
    parts = [features.margins(arcs, *sides), *features.overlaps(arcs, *sides)]
    parts += features.strays(arcs, *sides)
    for one, other in zip(whole, parts, strict=True):
        assert np.allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("天黑，渡船还没有来，老人坐在石头上。", ["天黑，渡船还没有来，", "老人坐在石头上。"]),
        ("他喊：“小桂！小桂！快来！”没人应。", ["他喊：“小桂！", "小桂！快来！”", "没人应。"]),
        ("他说：“走吧，天要黑了。”", ["他说：“走吧，", "天要黑了。”"]),
        ("好。", ["好。"]),
        ("", [""]),
        (
            "The night was dark, and 3,000 boats lay at the bank; nobody came.",
            ["The night was dark,", " and 3,000 boats lay at the bank;", " nobody came."],
        ),
        (
            "Il reste 250 m. Après six heures ( deux de nuit ) - ils y sont enfin.",
            [
                "Il reste 250 m.",
                " Après six heures",
                " ( deux de nuit )",
                " - ils y sont enfin.",
            ],
        ),
        (
            "'It is time to leave now,' she said to them.",
            ["'It is time to leave now,'", " she said to them."],
        ),
    ],
)
def test_clauses(text, clauses):
    assert split_clauses(text) == clauses
    assert "".join(split_clauses(text)) == text
