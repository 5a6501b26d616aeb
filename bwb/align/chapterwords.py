"""The words of chapters that can tell which Chinese and English chapters belong together.

Chinese is not segmented: headwords of CC-CEDICT are looked up by longest match, and what is in no
headword is read as a name, two characters at a time, by its pinyin. That is quicker than a
segmenter, and finds a name wherever it stands. English words are stems. Only stems that the English
side of the book has at all are kept.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bwb.align.lexicon import (
    _NOTE,
    ChineseEnglish,
    _dictionary,
    _english,
    _unpacked,
    english_stems,
    folded,
    stem,
)

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{2,}|[0-9]+|[A-Za-z]{2,}")
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Words:
    """The different words of a text.

    Attributes:
        ids: Ascending; shape (n,). Of words on the Chinese side, of stems on the English side.
        first: Where each comes first, in characters from the start, about; shape (n,).
        once: Whether it comes no second time; shape (n,).
        size: Characters of the text.
    """

    ids: Ints
    first: Floats
    once: NDArray[np.bool_]
    size: int


@dataclass
class Vocabulary:
    """The words of a book: ids of English stems, and what Chinese words can become.

    All English chapters come first: a Chinese word keeps the stems that are known by then.
    """

    stems: dict[str, int] = field(default_factory=dict)
    """Stem to id."""
    translations: list[tuple[int, ...]] = field(default_factory=list)
    """Id of a Chinese word to the ids of its stems."""
    _tokens: dict[str, int] = field(default_factory=dict)
    _words: dict[str, int] = field(default_factory=dict)

    def english(self, text: str) -> Words:
        """The stems of an English text; stop words are left out."""
        plain = text.lower()
        if not plain.isascii():
            plain = folded(plain)
        tokens = _WORD.findall(plain)
        known = self._tokens
        for token in dict.fromkeys(tokens):  # in order: ids do not depend on Python's hash
            if token not in known:
                known[token] = self._stem(token)
        ids = np.array([known[token] for token in tokens], np.int64)
        # a word's place is its share of the words, in characters: near enough, and quick
        places = np.arange(len(ids), dtype=np.float64) * (len(text) / max(len(ids), 1))
        return _collect(ids[ids >= 0], places[ids >= 0], len(text))

    def chinese(self, text: str) -> Words:
        """The words of a Chinese text that can become an English stem of the book."""
        ids: list[int] = []
        places: list[int] = []
        known, longest, entries = self._words, _longest(), _dictionary()
        for match in _RUN.finditer(text):
            run, start = match.group(), match.start()
            han = run[0] >= "\u3400"
            pieces = _pieces(run, longest, entries) if han else [(run.lower(), 0)]
            for piece, at in pieces:
                number = known.get(piece)
                if number is None:
                    number = known[piece] = self._translate(piece)
                if number >= 0:
                    ids.append(number)
                    places.append(start + at)
        return _collect(np.array(ids, np.int64), np.array(places, np.float64), len(text))

    def _stem(self, token: str) -> int:
        if token in _english()[0]:
            return -1
        return self.stems.setdefault(stem(token), len(self.stems))

    def _translate(self, word: str) -> int:
        ids = sorted(self.stems[s] for s in _glosses(word) if s in self.stems)
        if not ids:
            return -1
        self.translations.append(tuple(ids))
        return len(self.translations) - 1


def merge(parts: Sequence[Words]) -> Words:
    """The words of several texts read one after the other."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(part.size for part in parts)])
    ids = np.concatenate([part.ids for part in parts])
    first = np.concatenate([part.first + at for part, at in zip(parts, starts[:-1], strict=True)])
    once = np.concatenate([part.once for part in parts])
    unique, where, counts = np.unique(ids, return_index=True, return_counts=True)
    return Words(unique, first[where], once[where] & (counts == 1), int(starts[-1]))


def _collect(ids: Ints, places: Floats, size: int) -> Words:
    unique, where, counts = np.unique(ids, return_index=True, return_counts=True)
    return Words(unique, places[where], counts == 1, size)


def _pieces(run: str, longest: dict[str, int], entries: Container[str]) -> list[tuple[str, int]]:
    """Headwords by longest match; elsewhere, every two characters; each with its place."""
    out = []
    at, end = 0, len(run)
    while at < end - 1:
        piece = run[at : at + 2]
        size = longest.get(piece, 0)
        step = 1  # what is no headword overlaps: 陈清扬 is 陈清 and 清扬
        if size > 2:
            for length in range(min(size, end - at), 1, -1):
                if run[at : at + length] in entries:
                    piece, step = run[at : at + length], length
                    break
        elif size:
            step = 2
        out.append((piece, at))
        at += step
    return out


@functools.cache
def _longest() -> dict[str, int]:
    """Length of the longest headword that begins with two characters."""
    out: dict[str, int] = {}
    for word in _dictionary():
        if len(word) >= 2 and len(word) > out.get(word[:2], 0):
            out[word[:2]] = len(word)
    return out


@functools.lru_cache(1 << 17)
def _glosses(word: str) -> frozenset[str]:
    """Stems that a word can become; of what is no headword, its pinyin."""
    if word.isascii():
        return frozenset(english_stems(word))
    entries = _dictionary()
    stems: set[str] = set()
    if word not in entries:
        return frozenset(ChineseEnglish._names([_reading(char) for char in word]))
    for pinyin, definitions in _unpacked(entries[word]):
        for definition in definitions:
            stems.update(english_stems(_NOTE.sub(" ", definition)))
        if pinyin[:1].isupper():
            stems |= ChineseEnglish._names(pinyin.split())
    return frozenset(stems)


def _reading(char: str) -> str:
    packed = _dictionary().get(char)
    return _unpacked(packed)[-1][0] if packed else ""
