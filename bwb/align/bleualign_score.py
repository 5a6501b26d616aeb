"""Bleualign's sentence score and its path of 1-1 links (Sennrich & Volk 2010, section 3).

The score of a translated source sentence h against a target sentence t, with clipped matches c_k
for n-gram orders 1 .. N: none unless c_N > 0; forward = exp(mean_k log(c_k / (|h|-k+1)) +
min(0, 1 - |t|/|h|)); backward with h and t exchanged; the score is their harmonic mean.

A clipped match count is a size of a set intersection once the r-th occurrence of an n-gram is
taken as a feature of its own, so the counts of all pairs are a product of two sparse matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_PAIRS = 1 << 20  # pairs scored at a time


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The best targets of each source sentence.

    Attributes:
        starts: Where each source sentence's alternatives begin in the other arrays; (n + 1,).
        targets: Indices of target sentences, ascending within a source sentence.
        scores: Their scores.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.int64]
    scores: NDArray[np.float64]


def sentence_score(counts: Sequence[int], left: int, right: int) -> float:
    """The score of a pair from its match counts (order 1 first) and lengths in tokens.

    The last count must not be 0, which makes all of them positive.
    """
    orders = len(counts)
    forward = backward = 0.0
    for k, count in enumerate(counts):
        forward += math.log(count / (left - k))
        backward += math.log(count / (right - k))
    forward = math.exp(forward / orders + min(0.0, 1 - right / left))
    backward = math.exp(backward / orders + min(0.0, 1 - left / right))
    return 2 * forward * backward / (forward + backward)


def first_of_kind(sentences: Sequence[Sequence[int]], orders: int) -> list[int]:
    """For each sentence the first that has the same set of n-grams of all orders.

    Bleualign keeps scores by that set, so that such sentences share the score of the first.
    """
    rough: dict[int, list[int]] = {}
    for j, s in enumerate(sentences):
        rough.setdefault(sum(set(s)), []).append(j)
    first = list(range(len(sentences)))
    for group in rough.values():
        if len(group) > 1:  # few share even these, so few are looked at closely
            seen: dict[Any, int] = {}
            for j in group:
                first[j] = seen.setdefault(gram_sets(sentences[j], orders), j)
    return first


def gram_sets(sentence: Sequence[int], orders: int) -> tuple[frozenset[Any], ...]:
    """The set of n-grams of each order."""
    return tuple(
        frozenset(zip(*(sentence[d:] for d in range(k)), strict=False) if k > 1 else sentence)
        for k in range(1, orders + 1)
    )


def alternatives(
    src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]], orders: int, most: int
) -> Alternatives:
    """Score all pairs of sentences and keep the best of each source sentence.

    Args:
        src: Translated source sentences as token numbers.
        tgt: Target sentences as token numbers.
        orders: Highest n-gram order.
        most: How many targets to keep; ties go to the earlier target.
    """
    import numpy as np

    left, right = (np.array([len(s) for s in side], dtype=np.int64) for side in (src, tgt))
    features = _features(src, tgt, left, right, orders)
    step = max(1, _PAIRS // max(len(tgt), 1))
    rows, columns, scores = [], [], []
    for start in range(0, len(src), step):
        found = _block(features, left, right, slice(start, start + step), orders)
        kept = _best(*found, most)
        rows.append(found[0][kept] + start)
        columns.append(found[1][kept])
        scores.append(found[2][kept])
    row = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(src)))))
    return Alternatives(
        starts,
        np.concatenate(columns) if columns else row,
        np.concatenate(scores) if scores else np.zeros(0),
    )


def _features(
    src: Sequence[Sequence[int]],
    tgt: Sequence[Sequence[int]],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    orders: int,
) -> list[tuple[Any, Any]]:
    """For each order two sparse 0/1 matrices (sentences, features), the second transposed.

    A feature is the r-th occurrence of an n-gram; only those on both sides are kept.
    """
    import numpy as np

    n = len(src)
    lengths = np.concatenate((left, right))
    flat = np.fromiter(
        (token for side in (src, tgt) for s in side for token in s), np.int64, int(lengths.sum())
    )
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    size = int(flat.max(initial=0)) + 1
    gram = flat
    out = []
    for order in range(orders):
        if order:
            keep = sentence[:-order] == sentence[order:] if order < len(flat) else sentence[:0] > 0
            gram = _renumber(gram[: len(keep)] * size + flat[order:])
            valid, where = gram[keep], sentence[: len(keep)][keep]
        else:
            valid, where = gram, sentence
        out.append(_matrices(valid, where, n, len(lengths)))
    return out


def _renumber(values: NDArray[np.int64]) -> NDArray[np.int64]:
    import numpy as np

    numbers: NDArray[np.int64] = np.unique(values, return_inverse=True)[1]
    return numbers


def _matrices(
    gram: NDArray[np.int64], sentence: NDArray[np.int64], n: int, total: int
) -> tuple[Any, Any]:
    import numpy as np
    from scipy.sparse import csr_array

    key = np.sort(sentence * (int(gram.max(initial=0)) + 1) + gram)
    gram, sentence = key % (int(gram.max(initial=0)) + 1), key // (int(gram.max(initial=0)) + 1)
    fresh = np.ones(len(key), dtype=bool)
    fresh[1:] = key[1:] != key[:-1]
    run = np.flatnonzero(fresh)
    occurrence = np.arange(len(key)) - np.repeat(run, np.diff(np.append(run, len(key))))
    feature = gram * (int(occurrence.max(initial=0)) + 1) + occurrence
    split = int(np.searchsorted(sentence, n))
    size = int(feature.max(initial=0)) + 1
    both = np.zeros(size, dtype=bool)
    both[feature[:split]] = True
    other = np.zeros(size, dtype=bool)
    other[feature[split:]] = True
    both &= other
    keep = both[feature]
    number = np.cumsum(both) - 1
    width = int(both.sum())
    sides = []
    for part, first, last in ((slice(0, split), 0, n), (slice(split, None), n, total)):
        column = number[feature[part][keep[part]]]
        row = sentence[part][keep[part]] - first
        starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=last - first))))
        data = np.ones(len(column), dtype=np.int32)
        sides.append(csr_array((data, column, starts), shape=(last - first, width)))
    return sides[0], sides[1].T.tocsr()


def _block(
    features: Sequence[tuple[Any, Any]],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    part: slice,
    orders: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Rows (within the block), columns and scores of the pairs that have a score."""
    import numpy as np

    top = features[-1][0][part] @ features[-1][1]
    top.sort_indices()
    row = np.repeat(np.arange(top.shape[0]), np.diff(top.indptr))
    column = top.indices.astype(np.int64)
    h, t = left[part][row].astype(np.float64), right[column].astype(np.float64)
    forward, backward = np.zeros(len(row)), np.zeros(len(row))
    for k, (a, b) in enumerate(features):
        count = top.data if k == orders - 1 else (a[part] @ b).toarray()[row, column]
        forward += np.log(count / (h - k))
        backward += np.log(count / (t - k))
    forward = np.exp(forward / orders + np.minimum(0.0, 1 - t / h))
    backward = np.exp(backward / orders + np.minimum(0.0, 1 - h / t))
    return row, column, 2 * forward * backward / (forward + backward)


def _best(
    row: NDArray[np.int64], column: NDArray[np.int64], score: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """Positions of the `most` highest scores of each row, in the order they are in."""
    import numpy as np

    sizes = np.bincount(row)
    if not len(row) or sizes.max() <= most:
        return np.arange(len(row))
    order = np.lexsort((column, -score, row))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[rank < most])


def best_path(found: Alternatives, targets: int) -> list[tuple[int, int]]:
    """The monotone 1-1 links with the highest sum of scores.

    A cell takes the value from above, from the left if that is strictly greater, and the match
    if that is strictly greater still; links are read back from the last cell.
    """
    import numpy as np

    n = len(found.starts) - 1
    above = np.zeros(targets + 1)
    moves = np.zeros((n, targets), dtype=np.uint8)
    matches = np.empty(targets)
    for i in range(n):
        part = slice(found.starts[i], found.starts[i + 1])
        columns = found.targets[part]
        if not len(columns):
            continue
        matches.fill(-1.0)
        matches[columns] = above[columns] + found.scores[part]
        here = np.zeros(targets + 1)
        np.maximum.accumulate(np.maximum(matches, above[1:]), out=here[1:])
        left = here[:-1] > above[1:]
        moves[i] = left
        moves[i][matches > np.where(left, here[:-1], above[1:])] = 2
        above = here
    i, j = n, targets
    links = []
    while i and j:
        move = int(moves[i - 1, j - 1])  # or i and j become numpy's numbers, which are slow
        if move == 2:
            links.append((i - 1, j - 1))
        i, j = i - (move != 1), j - (move != 0)
    return links[::-1]
