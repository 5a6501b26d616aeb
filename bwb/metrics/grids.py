"""Where the nouns of a text stand, and the graphs and chains that this makes.

The grid of a text says for each of its nouns in which lines it stands, once for each time it is
used. From it come the entity graph (Guinaudeau and Strube 2013), in which two sentences are joined
if they share a noun, and the lexical chains (Gong et al. 2015), nouns that come in more than one
sentence.

A line without text is no sentence: graphs do not count it, and it does not part its neighbours.
Chains are compared by the number of the line, so that there it keeps its place.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from bwb.assets import asset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.analysis.base import Analysis

    Values = NDArray[np.float64]

Edges = Literal["u", "w"]
# Noun → numbers of the lines it stands in, one for each time; in the order of the text.
Grid = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Line:
    """The words of a sentence that cohesion is about, as lemmas.

    Attributes:
        nouns: Common and proper nouns.
        places: Index of the token of each noun.
        content: Nouns, verbs, adjectives and adverbs that are not grammatical.
        blank: Whether there is no text.
    """

    nouns: tuple[str, ...]
    places: tuple[int, ...]
    content: tuple[str, ...]
    blank: bool


class LineReader:
    """Reads sentences, each distinct one once.

    Args:
        fold: Whether lemmas are put into lower case.
    """

    def __init__(self, *, fold: bool = True) -> None:
        """Read nothing yet."""
        self._fold = fold
        self._known: dict[str, Line] = {}

    def read(
        self, texts: Sequence[str], progress: Callable[[int], object] | None = None
    ) -> list[Line]:
        """The words of each text.

        Args:
            texts: Sentences.
            progress: Called with a number of sentences that were analysed just now.

        Raises:
            MissingDependencyError: if a text is new and there is no English model.
        """
        known = self._known
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            from bwb.analysis.english import english
            from bwb.analysis.wordforms import english_lemmas

            analyses = english().analyse(missing, progress)
            tags = _tags()
            lemmas = english_lemmas().look_up(
                (word, tag)
                for analysis in analyses
                for word, tag in zip(analysis.tokens, analysis.tags, strict=True)
                if tag in tags
            )
            for text, analysis in zip(missing, analyses, strict=True):
                known[text] = self._line(analysis, lemmas)
        return [known[text] for text in texts]

    def _line(self, analysis: Analysis, lemmas: Mapping[tuple[str, str], str]) -> Line:
        tags, grammatical = _tags(), _grammatical()
        nouns, places, content = [], [], []
        for place, pair in enumerate(zip(analysis.tokens, analysis.tags, strict=True)):
            noun = tags.get(pair[1])
            if noun is None:
                continue
            lemma = lemmas[pair]
            folded = lemma.casefold()
            if self._fold:
                lemma = folded
            # The tagger takes a dash or a quotation mark for a noun now and then.
            if not any(map(str.isalnum, lemma)):
                continue
            if noun:
                nouns.append(lemma)
                places.append(place)
            if folded not in grammatical:
                content.append(lemma)
        return Line(tuple(nouns), tuple(places), tuple(content), not analysis.text.strip())


@cache
def _tags() -> Mapping[str, bool]:
    """Tags of words that may be content words, and whether they are nouns."""
    words = _lists()
    return dict.fromkeys(words["others"], False) | dict.fromkeys(words["nouns"], True)


@cache
def _grammatical() -> frozenset[str]:
    return frozenset(_lists()["grammatical"])


@cache
def _lists() -> Mapping[str, list[str]]:
    found: Mapping[str, list[str]] = tomllib.loads(
        asset("annotations/content_words.toml").read_text(encoding="utf-8")
    )
    return found


def grid(rows: Iterable[Sequence[str]]) -> Grid:
    """The grid of words given line by line."""
    made: Grid = {}
    for number, row in enumerate(rows):
        for word in row:
            made.setdefault(word, []).append(number)
    return made


def merged(words: Grid, groups: Mapping[str, int]) -> dict[int, list[int]]:
    """The grid of groups of words.

    Args:
        words: The grid of the words.
        groups: The group of each word; see `bwb.metrics.wordvectors.WordVectors.groups`.
    """
    made: dict[int, list[int]] = {}
    for word, lines in words.items():
        made.setdefault(groups[word], []).extend(lines)
    return made


def connections(rows: Iterable[Iterable[int]], sentences: int, edges: Edges = "u") -> Values:
    """The graph of a text: A[i, j] for i < j says how strongly two sentences are joined.

    Args:
        rows: For each noun, the numbers of the sentences it stands in.
        sentences: How many there are.
        edges: ``u``: 1 / (j - i) if they share a noun; ``w``: the number of nouns they share,
            divided by j - i.

    Returns:
        Shape (sentences, sentences), zero on and below the diagonal.
    """
    import numpy as np

    lists = [list(row) for row in rows]
    there = np.zeros((len(lists), sentences))
    sizes = np.fromiter(map(len, lists), np.intp, len(lists))
    there[np.repeat(np.arange(len(lists)), sizes), [n for row in lists for n in row]] = 1
    shared = there.T @ there
    if edges == "u":
        shared = np.minimum(shared, 1)
    return shared * _nearness(sentences)


@lru_cache(maxsize=64)
def _nearness(sentences: int) -> Values:
    """1 / (j - i) above the diagonal, 0 elsewhere."""
    import numpy as np

    places = np.arange(sentences)
    distance = places[None, :] - places[:, None]
    return np.where(distance > 0, 1 / np.maximum(distance, 1), 0.0)


def chain_overlap(system: Grid, reference: Grid, *, by_chains: bool = True) -> float | None:
    """How much of the reference's chains those of a system take up (Gong et al. 2015).

    A chain is a noun of two lines or more. What two chains of the same noun have in common is the
    share of the reference's lines that are lines of the system's.

    Args:
        system: Grid of the nouns of the system's text.
        reference: That of the reference, line by line with it.
        by_chains: Whether the sum is divided by the number of the system's chains.

    Returns:
        None if the system has no chain.
    """
    ours, theirs = (
        {word: set(lines) for word, lines in words.items() if len(set(lines)) > 1}
        for words in (system, reference)
    )
    if not ours:
        return None
    # In the order of the text: a sum of floats depends on its order, and sets have none.
    total = sum(
        len(lines & theirs[word]) / len(theirs[word])
        for word, lines in ours.items()
        if word in theirs
    )
    return total / len(ours) if by_chains else total
