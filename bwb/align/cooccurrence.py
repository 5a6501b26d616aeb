"""A lexicon learned from the two texts themselves, for languages that we have no dictionary of.

A first pass links the texts by vectors alone. Words that then stand in linked beads together more
often than chance allows (log-likelihood ratio, Dunning 1993, "Accurate Methods for the Statistics
of Surprise and Coincidence") translate each other, as do words that are spelt alike. It finds what
the texts are about: names, and the words that come back.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from bwb.align.clauses import is_cjk
from bwb.align.lexicon import folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bwb.align.candidates import Arcs
    from bwb.align.lattice import Floats, Ints
    from bwb.align.sides import Side

_WORD = re.compile(r"\w+")
LEAST = 2
"""Beads that two words must share."""
SURPRISE = 8.0
"""Least log-likelihood ratio; 1 in 200 pairs has as much by chance."""
BEST = 3
"""Translations of a word, and words of a translation, at most."""


class Cooccurrence:
    """All words, cut to their first letters; of Chinese and Japanese, characters and pairs.

    As a `Lexicon` it knows only words that are spelt alike; `learn` adds the others.
    """

    name = "cooccurrence"
    prefix = 5
    """Letters of a word that count; shorter ones are not taken for cognates."""

    def source(self, text: str) -> dict[str, frozenset[str]]:
        """See `Lexicon`; all words, most of them with no translation."""
        return {key: frozenset((key,) if self._alike(key) else ()) for key in self.target(text)}

    def target(self, text: str) -> list[str]:
        """See `Lexicon`."""
        keys: list[str] = []
        for word in _WORD.findall(text):
            if is_cjk(word):
                keys += [*word, *(word[k : k + 2] for k in range(len(word) - 1))]
            else:
                key = folded(word)
                keys.append(key if key.isdigit() else key[: self.prefix])
        return list(dict.fromkeys(keys))

    def _alike(self, key: str) -> bool:
        return len(key) >= self.prefix or any(char.isdigit() for char in key)


def learn(src: Side, tgt: Side, path: Arcs) -> tuple[Side, Side]:
    """Both sides with the translations that a first alignment shows, besides those they had.

    Args:
        src: Source side, its words as `Cooccurrence` gives them.
        tgt: Target side.
        path: The beads of the first alignment.
    """
    links = path[path.link]
    if not len(links):
        return src, tgt
    first = _in_beads(src.occurrences, links.i, links.a)
    second = _in_beads(tgt.occurrences, links.j, links.b)
    both = sparse.coo_array(first.T @ second)
    both.sum_duplicates()
    row, column, count = both.row, both.col, both.data
    sizes = first.sum(axis=0)[row], second.sum(axis=0)[column]
    found = (count >= LEAST) & (count * len(links) > sizes[0] * sizes[1])
    row, column, count = row[found], column[found], count[found]
    value = surprise(count, sizes[0][found], sizes[1][found], len(links))
    keep = (value >= SURPRISE) & (_rank(row, value) < BEST) & (_rank(column, value) < BEST)
    new = sparse.csr_array(
        (np.ones(int(keep.sum()), np.float32), (row[keep], column[keep])),
        shape=src.translations.shape,
    )
    table = sparse.csr_array(src.translations.maximum(new))
    return replace(src, translations=table), replace(tgt, translations=sparse.csr_array(table.T))


def _in_beads(occurrences: sparse.csr_array, first: Ints, count: Ints) -> sparse.csr_array:
    """Which words are in which bead; shape (beads, words), all values 1."""
    bead = np.repeat(np.arange(len(first)), count)
    within = np.arange(len(bead)) - np.repeat(np.cumsum(count) - count, count)
    sentence = np.repeat(first, count) + within
    which = sparse.csr_array(
        (np.ones(len(bead)), (bead, sentence)), shape=(len(first), occurrences.shape[0])
    )
    out = sparse.csr_array(which @ occurrences)
    out.data = np.ones_like(out.data)
    return out


def surprise(both: Floats, first: Floats, second: Floats, beads: int) -> Floats:
    """Log-likelihood ratio of two words' independence.

    Args:
        both: Beads with both words.
        first: Beads with the first.
        second: Beads with the second.
        beads: All beads.
    """
    total = np.zeros(len(both))
    for a, b, seen in (
        (first, second, both),
        (first, beads - second, first - both),
        (beads - first, second, second - both),
        (beads - first, beads - second, beads - first - second + both),
    ):
        expected = a * b / beads
        some = seen > 0
        total[some] += seen[some] * np.log(seen[some] / expected[some])
    return np.asarray(2 * total)


def _rank(key: NDArray[np.integer], value: Floats) -> Ints:
    """Place of each entry among those of the same key, greatest value first."""
    order = np.lexsort((-value, key))
    new = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(new, append=len(key))
    out = np.empty(len(key), np.int64)
    out[order] = np.arange(len(key)) - np.repeat(new, sizes)
    return out
