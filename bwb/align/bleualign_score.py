"""Bleualign's sentence score and its path of 1-1 links (Sennrich & Volk 2010, section 3).

The score of a translated source sentence h against a target sentence t, with clipped matches c_k
for n-gram orders 1 .. N: none unless c_N > 0; forward = exp(mean_k log(c_k / (|h|-k+1)) +
min(0, 1 - |t|/|h|)); backward with h and t exchanged; the score is their harmonic mean.

The match counts of all pairs of sentences are a product of two sparse matrices.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.align.bleualign_grams import Grams, Table

_PAIRS = 1 << 20  # pairs scored at a time
_FEW = 32  # looking at a pair by itself takes about as long as this many in a product


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


def first_of_kind(
    masks: Iterable[int], tokens: Callable[[int], Sequence[int]], orders: int
) -> dict[int, int]:
    """For each text that has the same set of n-grams of all orders as one before, the first such.

    Bleualign keeps scores by that set, so that such texts share the score of the first.

    Args:
        masks: A number for each text, the same for texts of the same tokens.
        tokens: Gives the tokens of the k-th text.
        orders: Highest n-gram order.
    """
    groups: dict[int, list[int]] = {}
    for k, mask in enumerate(masks):
        groups.setdefault(mask, []).append(k)
    out: dict[int, int] = {}
    for group in groups.values():
        if len(group) > 1:  # few share even these, so few are looked at closely
            seen: dict[Any, int] = {}
            for k in group:
                first = seen.setdefault(gram_sets(tokens(k), orders), k)
                if first != k:
                    out[k] = first
    return out


def gram_sets(sentence: Sequence[int], orders: int) -> tuple[frozenset[Any], ...]:
    """The set of n-grams of each order."""
    return tuple(
        frozenset(zip(*(sentence[d:] for d in range(k)), strict=False) if k > 1 else sentence)
        for k in range(1, orders + 1)
    )


def alternatives(grams: Grams, most: int, like: Mapping[int, int] | None = None) -> Alternatives:
    """Score all pairs of sentences and keep the best of each source sentence.

    Args:
        grams: The n-grams of both sides.
        most: How many targets to keep; ties go to the earlier target.
        like: For targets that have the score of another, that other.
    """
    import numpy as np

    n, m = len(grams.src), len(grams.tgt)
    left, right = grams.lengths[:n], grams.lengths[n:]
    matrices = [_matrices(table, n, m) for table in grams.tables]
    if like:
        first = [like.get(j, j) for j in range(m)]
        right = right[first]
        matrices = [(a, b[first]) for a, b in matrices]
    matrices[-1] = matrices[-1][0], matrices[-1][1].T.tocsr()
    step = max(1, _PAIRS // max(m, 1))
    rows, columns, scores = [], [], []
    for start in range(0, n, step):
        found = _block(matrices, left, right, slice(start, start + step))
        kept = _best(*found, most)
        rows.append(found[0][kept] + start)
        columns.append(found[1][kept])
        scores.append(found[2][kept])
    row = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=n))))
    return Alternatives(
        starts,
        np.concatenate(columns) if columns else row,
        np.concatenate(scores) if scores else np.zeros(0),
    )


def _matrices(table: Table, n: int, m: int) -> tuple[Any, Any]:
    """The features of the sentences of both sides, as sparse 0/1 matrices."""
    import numpy as np
    from scipy.sparse import csr_array

    columns, again = table.features.copy(), table.features >= table.step
    further, columns[again] = np.unique(columns[again], return_inverse=True)
    columns[again] += table.step
    starts = np.searchsorted(table.sentences, np.arange(n + m + 1))
    out = []
    for first, last in ((0, n), (n, n + m)):
        part = columns[starts[first] : starts[last]]
        bounds = starts[first : last + 1] - starts[first]
        shape = last - first, table.step + len(further)
        out.append(csr_array((np.ones(len(part), dtype=np.int32), part, bounds), shape=shape))
    return out[0], out[1]


def _block(
    features: Sequence[tuple[Any, Any]],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    part: slice,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Rows (within the block), columns and scores of the pairs that have a score."""
    import numpy as np

    orders = len(features)
    top = features[-1][0][part] @ features[-1][1]
    top.sort_indices()
    row = np.repeat(np.arange(top.shape[0]), np.diff(top.indptr))
    column = top.indices.astype(np.int64)
    h, t = left[part][row].astype(np.float64), right[column].astype(np.float64)
    forward, backward = np.zeros(len(row)), np.zeros(len(row))
    for k, (a, b) in enumerate(features):
        count = top.data if k == orders - 1 else _common(a[part], b, row, column)
        forward += np.log(count / (h - k))
        backward += np.log(count / (t - k))
    forward = np.exp(forward / orders + np.minimum(0.0, 1 - t / h))
    backward = np.exp(backward / orders + np.minimum(0.0, 1 - h / t))
    return row, column, 2 * forward * backward / (forward + backward)


def _common(a: Any, b: Any, row: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.int32]:  # noqa: ANN401 - sparse arrays
    """What pairs of rows share: of few pairs one by one, of many from the table of all."""
    if len(row) * _FEW < a.shape[0] * b.shape[0]:
        found: NDArray[np.int32] = a[row].multiply(b[column]).sum(axis=1)
    else:
        found = (a @ b.T).toarray()[row, column]
    return found


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

    columns, ends, scores = found.targets, found.targets + 1, found.scores
    before, after = np.zeros(len(columns)), np.zeros(len(columns))
    better = np.zeros(len(columns), dtype=bool)
    best = np.zeros(targets + 1)  # of the row, by the number of targets before
    bounds = found.starts.tolist()
    for start, end in pairwise(bounds):
        if start == end:
            continue
        here, then = columns[start:end], ends[start:end]
        base = before[start:end] = best[here]
        matched = after[start:end] = base + scores[start:end]
        above = best[then]
        best[then] = np.maximum(matched, above)
        np.maximum.accumulate(best, out=best)
        better[start:end] = (matched > above) & (matched > best[here])
    # A value is that of the first match, row by row, that reaches it further left.
    order = np.flatnonzero(better)
    order = order[np.argsort(after[order], kind="stable")]
    values = after[order]
    i, j, value = len(bounds) - 1, targets, float(best[-1])
    links = []
    while value > 0:
        for match in order[bisect_left(values, value) :]:
            row, column = bisect_right(bounds, match) - 1, int(columns[match])
            if row < i and column < j:
                break
        i, j, value = row, column, float(before[match])
        links.append((i, j))
    return links[::-1]
