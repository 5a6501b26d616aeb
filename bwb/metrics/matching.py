"""Finding the names of entities in text, the same way every time.

Reference code that counts names by replacing substrings finds "qiao" in "mother of qiao" twice,
damages one name with another, and changes with the order of a hash. Here a text is a sequence of
tokens, a form is a sequence of tokens, and occurrences are taken longest first, then leftmost; a
token belongs to one occurrence at most.

- Case does not matter unless asked for: `WeChat` is found in "weChat".
- White space does not matter where a punctuation mark stands: "mr . xu" is found in "Mr. Xu".
- Curly and straight apostrophes are the same; a possessive ending is not part of a form, and a
  form is found before one.
- A Han character is a token; letters and digits form words, so "Lian" is not found in "Liang".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_HAN = "㐀-鿿豈-﫿"
_TOKEN = re.compile(rf"[^\W{_HAN}]+|[^\s]")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A form found in a text.

    Attributes:
        form: The form, as it was given.
        start: First code point in the text.
        end: One past the last code point in the text.
    """

    form: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def tokens(text: str, *, case: bool = False) -> tuple[str, ...]:
    """The tokens of a text; in lower case unless `case`."""
    text = text.translate(_APOSTROPHES)
    found = _TOKEN.findall(text)
    return tuple(found) if case else tuple(token.casefold() for token in found)


def form_tokens(form: str, *, case: bool = False) -> tuple[str, ...]:
    """The tokens of a form, without a possessive ending."""
    found = tokens(form, case=case)
    if len(found) > 2 and found[-2:] == ("'", "s"):
        return found[:-2]
    if len(found) > 1 and found[-1] == "'" and found[-2].endswith("s"):
        return found[:-1]
    return found


class Matcher:
    """Finds a fixed set of forms.

    Args:
        forms: The forms; several that come to the same tokens are found as the first of them.
        case: Whether case matters.
    """

    def __init__(self, forms: Iterable[str], *, case: bool = False) -> None:
        """Index the forms by their first token, longest first."""
        self.case = case
        self.forms: dict[tuple[str, ...], str] = {}
        for form in forms:
            if key := form_tokens(form, case=case):
                self.forms.setdefault(key, form)
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        self.add_keys(self.forms)

    def add_keys(self, keys: Iterable[tuple[str, ...]]) -> None:
        """Look for these sequences of tokens too."""
        for key in sorted(keys, key=lambda key: (-len(key), key)):
            self._by_first.setdefault(key[0], []).append(key)

    def canonical(self, form: str) -> str | None:
        """The form this one is found as; None if it has no tokens or is not one of them."""
        return self.forms.get(form_tokens(form, case=self.case))

    def find(self, text: str) -> list[Occurrence]:
        """The occurrences in a text, from left to right, none overlapping another."""
        words = tokens(text, case=self.case)
        chosen = self.find_tokens(words)
        if not chosen:
            return []
        spans = _token_spans(text)
        return [
            Occurrence(self.forms[key], spans[at][0], spans[at + len(key) - 1][1])
            for at, key in chosen
        ]

    def find_tokens(self, words: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
        """As `find`, on tokens: the index of the first token of each occurrence, and its key."""
        candidates = []
        for at, word in enumerate(words):
            for key in self._by_first.get(word, ()):
                if tuple(words[at : at + len(key)]) == key:
                    candidates.append((at, key))
        if len(candidates) > 1:
            candidates.sort(key=lambda found: (-len(found[1]), found[0], found[1]))
            used: set[int] = set()
            chosen = []
            for at, key in candidates:
                covered = range(at, at + len(key))
                if used.isdisjoint(covered):
                    used.update(covered)
                    chosen.append((at, key))
            candidates = sorted(chosen)
        return candidates


class LemmaMatcher:
    """Finds, by their lemmas, forms that a `Matcher` does not find as they are."""

    def __init__(self, matcher: Matcher) -> None:
        """Lemmatise the forms; needs the English model."""
        self.matcher = matcher
        # Longest first, so that each sequence of lemmas stands for the longest form it fits.
        ordered = sorted(matcher.forms.values(), key=lambda form: (-len(form), form))
        self.forms: dict[tuple[str, ...], str] = {}
        for form, lemmas in zip(ordered, self._lemmas(ordered), strict=True):
            self.forms.setdefault(lemmas, form)
        self._inner = Matcher(())
        self._inner.add_keys(self.forms)

    def more(self, text: str) -> list[str]:
        """Forms found by lemmas at tokens that no form occupies as it is."""
        words = list(self._lemmas([text])[0])
        for at, key in self.matcher.find_tokens(tokens(text, case=self.matcher.case)):
            words[at : at + len(key)] = [""] * len(key)
        return [self.forms[key] for _, key in self._inner.find_tokens(words)]

    def _lemmas(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        from bwb.analysis.english import lemmas

        return lemmas([tokens(text, case=True) for text in texts])


def _token_spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKEN.finditer(text.translate(_APOSTROPHES))]


@cache
def _word_pattern(words: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])")


def count_words(text: str, classes: Mapping[str, str]) -> dict[str, int]:
    """How often words of each class stand in a text, regardless of case.

    Args:
        text: English text.
        classes: Word in lower case → class.
    """
    counts: dict[str, int] = {}
    for match in _word_pattern(frozenset(classes)).finditer(text.translate(_APOSTROPHES).lower()):
        name = classes[match.group()]
        counts[name] = counts.get(name, 0) + 1
    return counts
