"""Fingerprints of chapters: what is kept of a text to find duplicates of it later.

A digest of the letters and digits of the text, for exact duplicates, and a MinHash of its character
n-grams (Broder 1997), for near ones: the share of equal numbers in two MinHashes estimates the
Jaccard index of the two sets, with a standard deviation of at most 0.044 for 128 numbers.

MinHash is our own, in numpy: `datasketch` takes the n-grams one by one through Python, and three to
five times as long. Nothing depends on Python's own hash.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bwb.records import LANGS, Lang

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.clean.filters import DuplicateSettings
    from bwb.clean.text import Text

Hashes = NDArray[np.uint64]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_OTHER = re.compile(r"[\W_]+")
_BLOCK = 512  # n-grams at a time: what is worked on stays in the cache


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """What is kept of a chapter to compare it with others."""

    book: str
    """Id of the book."""
    chapter: str
    """Place of the chapter in the book's list."""
    lang: Lang
    """Language of the side."""
    sha256: bytes
    """Digest of the text's letters and digits; 32 bytes."""
    ngrams: int
    """Number of n-grams, boilerplate left out."""
    minhash: NDArray[np.uint32]
    """Shape (permutations,)."""


def normalise(text: str) -> str:
    """What of a text counts: letters and digits, case and width folded (NFKC)."""
    return _OTHER.sub("", unicodedata.normalize("NFKC", text).casefold())


def ngram_hashes(text: str, size: int) -> Hashes:
    """Hashes of the character n-grams of a text, in order; equal ones have equal hashes.

    Args:
        text: Normalised text.
        size: Characters an n-gram.

    Returns:
        64-bit hashes; empty if the text is shorter than an n-gram.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    count = len(codes) - size + 1
    if count < 1:
        return np.empty(0, np.uint64)
    out = np.zeros(count, np.uint64)
    for at in range(size):
        out = out * MULTIPLIER + codes[at : at + count]
    out ^= out >> np.uint64(31)
    out *= np.uint64(0xBF58476D1CE4E5B9)  # finaliser of splitmix64: neighbours drift apart
    out ^= out >> np.uint64(27)
    return out


def minhash(hashes: Hashes, permutations: int) -> NDArray[np.uint32]:
    """The least value of each of some random functions over a set; shape (permutations,).

    The functions are the bijections (x xor b)·a mod 2^32 with a odd, drawn with a fixed seed; x is
    the upper half of a hash. All ones for an empty set.
    """
    a, b = _functions(permutations)
    upper = (hashes >> np.uint64(32)).astype(np.uint32)
    least = np.full(permutations, 0xFFFFFFFF, np.uint32)
    for start in range(0, len(upper), _BLOCK):
        values = (upper[start : start + _BLOCK] ^ b[:, None]) * a[:, None]
        np.minimum(least, values.min(axis=1), out=least)
    return least


def fingerprints(texts: Sequence[Text], settings: DuplicateSettings) -> list[Fingerprint]:
    """The fingerprints of all chapters of one book, either language or both.

    Lines that stand in many chapters of the book make no chapters alike: they are left out of the
    MinHash, not of the digest.
    """
    lines = [[normalise(line) for line in text.chapter.lines] for text in texts]
    common: dict[Lang, set[str]] = {}
    for lang in LANGS:
        side = [own for own, text in zip(lines, texts, strict=True) if text.chapter.lang == lang]
        least = max(settings.common, settings.boilerplate * len(side))
        counts = Counter(line for own in side for line in set(own))
        common[lang] = {line for line, count in counts.items() if count >= least}
    return [
        _fingerprint(text, own, common[text.chapter.lang], settings)
        for text, own in zip(texts, lines, strict=True)
    ]


def _fingerprint(
    text: Text, lines: Sequence[str], common: set[str], settings: DuplicateSettings
) -> Fingerprint:
    own = "".join(line for line in lines if line not in common)
    size = settings.chinese if text.chapter.lang == "zh" else settings.english
    hashes = ngram_hashes(own, size)
    digest = hashlib.sha256("".join(lines).encode("utf-8", "replace")).digest()
    book, chapter, _ = text.key
    least = minhash(hashes, settings.permutations)
    return Fingerprint(book, chapter, text.chapter.lang, digest, len(hashes), least)


@cache
def _functions(permutations: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Factors and masks, from SHA-256: the same with every version of numpy."""
    digest = b"".join(
        hashlib.sha256(f"bwb minhash {k}".encode()).digest()[:8] for k in range(permutations)
    )
    pairs = np.frombuffer(digest, np.dtype("<u4")).astype(np.uint32).reshape(permutations, 2)
    return pairs[:, 0] | np.uint32(1), pairs[:, 1].copy()
