"""Tokens for Bleualign.

Two ways: as Bleualign cuts them, for parity, and a better one. Bleualign splits at ASCII marks
and spaces only: Chinese stays one token, and curly quotes, guillemets and dashes stick to words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from bwb.align.segment import segmenter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ENTITIES = (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
# Every ASCII mark but apostrophe, comma, period and hyphen, and the space; a period or comma
# without a digit on one side; a hyphen behind a digit.
_COMPAT = re.compile(r"([!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]|(?<!\d)[.,]|[.,](?!\d)|(?<=\d)-)")
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]|_")
_HAN = re.compile(r"[㐀-鿿豈-﫿\U00020000-\U0003ffff]")
_SAME = str.maketrans(
    {
        "’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "「": '"', "」": '"', "『": '"', "』": '"', "—": "-", "–": "-", "―": "-", "…": ".",
        "，": ",", "。": ".", "、": ",", "；": ";", "：": ":", "？": "?", "！": "!",
        "（": "(", "）": ")",
    }
)  # fmt: skip
_WORD = 24  # characters: what is longer between two spaces is a sentence of Chinese
_PREFIX = 5  # letters of a word that count: inflection is mostly at the end


def compat_tokens(text: str) -> list[str]:
    """The tokens of a sentence as Bleualign has them."""
    return [token for chunk in text.lower().split(" ") for token in _compat_split(chunk)]


def _compat_split(chunk: str) -> tuple[str, ...]:
    """The tokens of what stands between two spaces, in lower case."""
    if "&" in chunk:
        for entity, mark in _ENTITIES:
            chunk = chunk.replace(entity, mark)
    if "<" in chunk:
        chunk = chunk.replace("<skipped>", "")
    return tuple([token for token in _COMPAT.split(chunk) if token])


def tokens(text: str) -> list[str]:
    """The tokens of a sentence: words, numbers and marks; Chinese by jieba.

    Quotes and dashes of all kinds are tokens, and each kind is the same as its ASCII form.
    """
    return [token for chunk in text.lower().split(" ") for token in _split(chunk)]


def _split(chunk: str) -> tuple[str, ...]:
    """The same for what stands between two spaces."""
    return _split_word(chunk) if len(chunk) <= _WORD else _tokens_of(chunk)


@lru_cache(maxsize=1 << 15)
def _split_word(chunk: str) -> tuple[str, ...]:
    """The same, remembered: most words of a text were in the one before."""
    return _tokens_of(chunk)


def _tokens_of(chunk: str) -> tuple[str, ...]:
    chunk = chunk.translate(_SAME)
    if not _HAN.search(chunk):
        return tuple(_TOKEN.findall(chunk))
    return tuple([token for word in segmenter().cut(chunk) for token in _TOKEN.findall(word)])


def has_han(sentences: Iterable[str]) -> bool:
    """Whether at least half of the sentences hold a Chinese character."""
    marks = [bool(_HAN.search(sentence)) for sentence in sentences]
    return bool(marks) and 2 * sum(marks) >= len(marks)


class Vocabulary:
    """Numbers for the tokens of both sides, so that sentences become lists of integers."""

    def __init__(self, *, compat: bool) -> None:
        """Start empty."""
        self._ids: dict[str, int] = {}
        self._chunks: dict[str, tuple[int, ...]] = {}
        self._split = _compat_split if compat else _split

    def __len__(self) -> int:
        """Number of different tokens so far."""
        return len(self._ids)

    def encode(self, sentences: Iterable[str]) -> list[list[int]]:
        """The tokens of sentences as numbers: what stands between spaces is cut only once."""
        ids, chunks = self._ids, self._chunks
        out = []
        for sentence in sentences:
            numbers: list[int] = []
            for chunk in sentence.lower().split(" "):
                known = chunks.get(chunk)
                if known is None:
                    known = tuple([ids.setdefault(t, len(ids)) for t in self._split(chunk)])
                    chunks[chunk] = known
                numbers += known
            out.append(numbers)
        return out

    def stems(self) -> list[int]:
        """For each number that of its stem: tokens alike in their first letters share one."""
        first: dict[str, int] = {}
        return [first.setdefault(token[:_PREFIX], number) for token, number in self._ids.items()]


def joined(texts: Sequence[str], indices: Iterable[int]) -> str:
    """Sentences joined by a space, each stripped."""
    return " ".join(texts[i].strip() for i in indices)
