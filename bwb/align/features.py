"""What is known about a bead: eleven numbers for each arc of the band, vectorised.

Names are those of the feature table of the hybrid aligner:

    m         log2(1 + shorter / longer) · (cosine of the bead's sides - cosine with neighbours),
              after Bertalign's modified cosine (Liu & Zhu 2023, eq. 4); in units of its mean
              over a first path, as some languages and encoders are closer than others
    gc        min((L1 - L2)² / (L1 + L2 + 1), 20) / 10, after Gale & Church (1993)
    il        matched idf / (idf + 2), words of both sides that the lexicon finds on the other; in
              units of its mean over a first path
    c_tlo     how much better target clauses fit just outside the bead than inside it
    c_slo     the same for source clauses
    weak      how far the sentence of the bead that is least like any of the other side is from
              `ENOUGH`; of both sides, where they have more than one sentence
    cq        both sides end in a closing quotation mark, or neither
    inq_t     target sentences in the bead, but the last, that end in a closing quotation mark
    e1b       both sides end in a question mark
    null_len  ln(L + 3) of a bead with an empty side, for which all but the next are 0
    null_run  sentences of such a bead beyond the first

L1 is the number of source characters, L2 that of target characters times the document's ratio,
which is that of the texts without what a first path takes for additions and omissions. Where the
source is not Chinese or Japanese, both are divided by four, so that weights carry over.
`margins` and `overlaps` are computed for every arc of the band, `shapes` and `strays` for those
that survive the first and the second pruning.
Arcs are sorted by source sentence and done in blocks of them, so that memory is that of a block.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from bwb.align.candidates import MOST_SRC, MOST_TGT
from bwb.align.sides import centred

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bwb.align.candidates import Arcs
    from bwb.align.encoders import Vectors
    from bwb.align.lattice import Floats, Ints
    from bwb.align.sides import Side

FIRST = ("m", "gc", "il", "cq", "inq_t", "e1b", "null_len", "null_run")
"""Features that need no clauses."""
FEATURES = (*FIRST, "c_tlo", "c_slo", "weak")
LETTER = 0.25
"""Chinese characters to a letter: 6,000 characters of a novel become 25,000 letters of English."""
ENOUGH = 0.5
"""Cosine, of centred vectors, that leaves no doubt whether a sentence belongs to a bead."""
_ROWS = 64


@dataclass(frozen=True, slots=True)
class _Block:
    """Arcs of some source sentences, and the sentences they touch, one more either side."""

    arcs: slice
    rows: slice
    columns: slice


def _blocks(arcs: Arcs, n: int, m: int) -> Iterator[_Block]:
    borders = np.searchsorted(arcs.i, np.arange(0, n + _ROWS, _ROWS))
    for low, high in pairwise(borders.tolist()):
        if low < high:
            part = slice(low, high)
            i, j = arcs.i[part], arcs.j[part]
            rows = slice(max(0, int(i[0]) - 1), min(n, int((i + arcs.a[part]).max()) + 1))
            last = int((j + arcs.b[part]).max())
            yield _Block(part, rows, slice(max(0, int(j.min()) - 1), min(m, last + 1)))


def _prefix(matrix: NDArray[np.floating] | NDArray[np.integer], axis: int) -> Floats:
    """Sums of everything before each border along an axis, one longer than the matrix."""
    shape = list(matrix.shape)
    shape[axis] += 1
    out = np.zeros(shape)
    inner = [slice(None)] * matrix.ndim
    inner[axis] = slice(1, None)
    np.cumsum(matrix, axis=axis, out=out[tuple(inner)])
    return out


def _norms(vectors: Vectors, weight: Floats, most: int) -> Floats:
    """Length of the weighted sum of 1 … most vectors from each on; shape (most + 1, n + 1)."""
    scaled = vectors * weight[:, None].astype(np.float32)
    n = len(vectors)
    out = np.ones((most + 1, n + 1))
    total = np.zeros_like(scaled)
    for size in range(1, min(most, n) + 1):
        total = total[: n - size + 1] + scaled[size - 1 :]
        out[size, : n - size + 1] = np.linalg.norm(total, axis=1)
    return np.maximum(out, 1e-9)


def margins(arcs: Arcs, src: Side, tgt: Side) -> Floats:
    """Cosine of each arc's sides, less that with neighbours; no arc is a null.

    A side's vector is the sum of its sentences' vectors times the root of their characters. The
    cosine with neighbours is the mean of: the source side with the target sentences just before
    and just behind the bead, averaged; and the target side with the source sentences there.
    """
    weights = np.sqrt(src.chars), np.sqrt(tgt.chars)
    norms = _norms(src.vectors, weights[0], MOST_SRC), _norms(tgt.vectors, weights[1], MOST_TGT)
    cosine, near = np.zeros(len(arcs)), np.zeros(len(arcs))
    for block in _blocks(arcs, len(src), len(tgt)):
        some = arcs[block.arcs]
        r, c = some.i - block.rows.start, some.j - block.columns.start
        gram = (src.vectors[block.rows] @ tgt.vectors[block.columns].T).astype(np.float64)
        by_row = _prefix(gram * weights[0][block.rows, None], 0)
        by_column = _prefix(gram * weights[1][None, block.columns], 1)
        both = _prefix(
            _prefix(gram * np.outer(weights[0][block.rows], weights[1][block.columns]), 0), 1
        )
        bottom, right = r + some.a, c + some.b
        dot = both[bottom, right] - both[r, right] - both[bottom, c] + both[r, c]
        size = norms[0][some.a, some.i], norms[1][some.b, some.j]
        cosine[block.arcs] = dot / (size[0] * size[1])
        columns = (c - 1, some.j > 0), (right, some.j + some.b < len(tgt))
        rows = (r - 1, some.i > 0), (bottom, some.i + some.a < len(src))
        near[block.arcs] = _mean(
            [_mean([_between(by_row, r, bottom, k, ok, size[0]) for k, ok in columns],
                   [ok for _, ok in columns]),
             _mean([_between(by_column.T, c, right, k, ok, size[1]) for k, ok in rows],
                   [ok for _, ok in rows])],
            None,
        )  # fmt: skip
    return cosine - near


def _between(
    sums: Floats, low: Ints, high: Ints, at: Ints, exists: NDArray[np.bool_], size: Floats
) -> Floats:
    at = np.where(exists, at, 0)
    if not sums.shape[1]:
        return np.zeros(len(at))
    return np.where(exists, (sums[high, at] - sums[low, at]) / size, 0.0)


def _mean(values: list[Floats], exists: list[NDArray[np.bool_]] | None) -> Floats:
    count = sum(x.astype(float) for x in exists) if exists is not None else float(len(values))
    return np.asarray(sum(values) / np.maximum(count, 1.0))


def lengths(arcs: Arcs, src: Side, tgt: Side, ratio: float = 1.0) -> tuple[Floats, Floats]:
    """L1 and L2 of each arc: characters, in units of a Chinese character.

    Args:
        arcs: The arcs.
        src: Source side.
        tgt: Target side.
        ratio: Source characters to a target character.
    """
    unit = 1.0 if src.cjk else LETTER
    before = _prefix(src.chars, 0), _prefix(tgt.chars, 0)
    first = (before[0][arcs.i + arcs.a] - before[0][arcs.i]) * unit
    return first, (before[1][arcs.j + arcs.b] - before[1][arcs.j]) * ratio * unit


def balance(first: Floats, second: Floats) -> Floats:
    """log2(1 + shorter / longer) of lengths; 0 where one is 0."""
    return np.asarray(np.log2(1 + np.minimum(first, second) / np.maximum(first, second)))


def overlaps(arcs: Arcs, src: Side, tgt: Side) -> tuple[Floats, Floats]:
    """Feature `il` of each arc, and the same without idf (`lex`); none of them a null."""
    matched, total = np.zeros((2, len(arcs))), np.zeros((2, len(arcs)))
    for one, other, swap in ((src, tgt, False), (tgt, src, True)):
        hits = one.translations @ other.occurrences.T  # words × sentences of the other side
        hits = sparse.csc_array(hits)
        values = np.stack((one.idf, np.ones_like(one.idf)))
        word = one.occurrences.indices
        sentence = np.repeat(np.arange(len(one)), np.diff(one.occurrences.indptr))
        sums = np.stack([np.bincount(sentence, v[word], len(one)) for v in values])
        before = _prefix(sums, 1)
        at, size = (arcs.j, arcs.b) if swap else (arcs.i, arcs.a)
        total += before[:, at + size] - before[:, at]
        for block in _blocks(arcs, len(src), len(tgt)):
            rows, columns = (block.columns, block.rows) if swap else (block.rows, block.columns)
            some = arcs[block.arcs]
            covered = _covered(one, hits, values, rows, columns, MOST_SRC if swap else MOST_TGT)
            if swap:
                r, h, c, w = some.j, some.b, some.i, some.a
            else:
                r, h, c, w = some.i, some.a, some.j, some.b
            r, c = r - rows.start, c - columns.start
            matched[:, block.arcs] += covered[:, r + h, c, w - 1] - covered[:, r, c, w - 1]
    share = matched / (total + 2)
    return share[0], share[1]


def _covered(
    one: Side, hits: sparse.csc_array, values: Floats, rows: slice, columns: slice, most: int
) -> Floats:
    """Weight of the words before each border that 1 … most sentences of the other side translate.

    Returns:
        Shape (weights, rows + 1, columns, most): sums over the rows before; the last axis is the
        number of the other side's sentences, less one, from the column on.
    """
    height, width = rows.stop - rows.start, columns.stop - columns.start
    low, high = one.occurrences.indptr[rows.start], one.occurrences.indptr[rows.stop]
    word = one.occurrences.indices[low:high]
    row = np.repeat(np.arange(height), np.diff(one.occurrences.indptr[rows.start : rows.stop + 1]))
    found = sparse.csr_array(hits[:, columns])[word]
    found.sort_indices()
    item = np.repeat(np.arange(len(word)), np.diff(found.indptr))
    column = found.indices
    before = np.full(len(column), -1)
    same = np.flatnonzero(item[1:] == item[:-1]) + 1
    before[same] = column[same - 1]
    out = np.zeros((len(values), height + 1, width, most))
    cells = height * width
    for distance in range(most):  # the first hit at or behind `start` is `distance` away
        start = column - distance
        ok = start > before
        cell = row[item[ok]] * width + start[ok]
        for k, value in enumerate(values):
            sums = np.bincount(cell, value[word[item[ok]]], cells)
            out[k, 1:, :, distance] = sums.reshape(height, width)
    np.cumsum(out, axis=3, out=out)
    np.cumsum(out, axis=1, out=out)
    return out


def strays(arcs: Arcs, src: Side, tgt: Side) -> tuple[Floats, Floats, Floats]:
    """Features `c_tlo`, `c_slo` and `weak` of each arc, none of them a null."""
    out = np.zeros((3, len(arcs)))
    whole = centred(src.vectors, src), centred(tgt.vectors, tgt)
    for block in _blocks(arcs, len(src), len(tgt)):
        some = arcs[block.arcs]
        rows, columns = block.rows, block.columns
        gram = (
            src.clause_vectors[src.clauses_of(rows)] @ tgt.clause_vectors[tgt.clauses_of(columns)].T
        )
        row_cuts = src.clause_starts[rows] - src.clause_starts[rows.start]
        column_cuts = tgt.clause_starts[columns] - tgt.clause_starts[columns.start]
        by_row = np.maximum.reduceat(gram, row_cuts, axis=0)  # source sentence × target clause
        by_column = np.maximum.reduceat(gram, column_cuts, axis=1)
        r, c = some.i - rows.start, some.j - columns.start
        out[0, block.arcs] = _stray(by_row.T, tgt, columns, (c, some.b), (r, some.a), MOST_SRC)
        out[1, block.arcs] = _stray(by_column, src, rows, (r, some.a), (c, some.b), MOST_TGT)
        best = np.maximum.reduceat(by_row, column_cuts, axis=1)
        np.maximum(best, whole[0][rows] @ whole[1][columns].T, out=best)
        weak = out[2, block.arcs]
        for one, first, count in ((best, (r, c), (some.a, some.b)),
                                  (best.T, (c, r), (some.b, some.a))):  # fmt: skip
            for shape in {*zip(*(x.tolist() for x in count), strict=True)}:
                if shape[1] > 1:
                    at = np.flatnonzero((count[0] == shape[0]) & (count[1] == shape[1]))
                    weak[at] += _weakest(one, *shape)[first[0][at], first[1][at]]
    return out[0], out[1], out[2]


def _weakest(best: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """How little the weakest of some columns is like any of some rows, for all places of a frame.

    Args:
        best: How much each sentence of one side is like each of the other.
        height: Rows of the frame.
        width: Columns of the frame.

    Returns:
        `ENOUGH` less the cosine of the weakest column with its best row, at least 0; by the
        frame's first row and column.
    """
    rows, columns = best.shape[0] - height + 1, best.shape[1] - width + 1
    like = best[:rows]
    for k in range(1, height):
        like = np.maximum(like, best[k : k + rows])
    least = like[:, :columns]
    for k in range(1, width):
        least = np.minimum(least, like[:, k : k + columns])
    return np.asarray(np.maximum(ENOUGH - least, 0.0))


def _stray(
    best: NDArray[np.float32],
    one: Side,
    mine: slice,
    own: tuple[Ints, Ints],
    other: tuple[Ints, Ints],
    most: int,
) -> Floats:
    """Weighted mean over clauses of how much better they fit just outside the bead than inside.

    Args:
        best: Clauses of `one` × sentences of the other side: best cosine with one of its clauses.
        one: The side the clauses are of.
        mine: Its sentences in this block.
        own: For each arc, first sentence and number of sentences of this side.
        other: The same for the other side.
        most: Largest number of sentences of the other side.
    """
    clauses, width = best.shape
    weight = one.clause_chars[one.clauses_of(mine)]
    cuts = one.clause_starts[mine] - one.clause_starts[mine.start]
    wall = np.full((clauses, 1), -np.inf, np.float32)
    padded = np.concatenate((wall, best, wall), axis=1)  # sentence k is column k + 1
    loss = np.zeros((len(cuts) + 1, width + 1, most + 1))
    inside = np.full((clauses, width), -np.inf, np.float32)
    for size in range(1, min(most, width) + 1):
        starts = width - size + 1
        inside = np.maximum(inside[:, :starts], best[:, size - 1 :])
        outside = np.maximum(padded[:, :starts], padded[:, size + 1 : size + 1 + starts])
        over = np.maximum(outside - inside, 0.0) * weight[:, None]
        loss[1:, :starts, size] = np.add.reduceat(over, cuts, axis=0)
    np.cumsum(loss, axis=0, out=loss)
    mass = _prefix(np.add.reduceat(weight, cuts), 0)
    at, count = own
    total = loss[at + count, other[0], other[1]] - loss[at, other[0], other[1]]
    return np.asarray(total / np.maximum(mass[at + count] - mass[at], 1e-9))


def shapes(arcs: Arcs, src: Side, tgt: Side, ratio: float) -> dict[str, Floats]:
    """Features of length and punctuation, the others of `FIRST` than m and il."""
    first, second = lengths(arcs, src, tgt, ratio)
    link = arcs.link
    ends = arcs.i + arcs.a, arcs.j + arcs.b
    last = np.maximum(ends[0] - 1, 0), np.maximum(ends[1] - 1, 0)
    quotes = _prefix(tgt.closes.astype(float), 0)
    closes = _pick(src.closes, last[0]), _pick(tgt.closes, last[1])
    inner = quotes[last[1]] - quotes[np.minimum(arcs.j, last[1])]
    asks = _pick(src.asks, last[0]) & _pick(tgt.asks, last[1])
    values = {
        "gc": np.minimum((first - second) ** 2 / (first + second + 1), 20) / 10,
        "cq": (closes[0] == closes[1]).astype(float),
        "inq_t": inner,
        "e1b": asks.astype(float),
    }
    out = {name: np.where(link, value, 0.0) for name, value in values.items()}
    out["null_len"] = np.where(link, 0.0, np.log(first + second + 3))
    out["null_run"] = np.where(link, 0.0, arcs.a + arcs.b - 1)
    return out


def _pick(flags: NDArray[np.bool_], at: Ints) -> NDArray[np.bool_]:
    return flags[at] if len(flags) else np.zeros(len(at), bool)
