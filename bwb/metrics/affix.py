"""Affix distance of words, and matching of words by it (Libovický & Pecina 2014).

The distance of two words is small if they share a long stretch and differ little before and behind
it: the edit distances of what stands before, and behind, the longest common substring, divided by
its length, and at most 1. "vzpomenou" and "zapomenout" share "pomenou"; "vz" and "za" are two
edits apart, "" and "t" one: 3/7. (The paper prints ``max(1, …)``; its examples need ``min``.) Of
several longest substrings the one with the least edits counts, so that the distance is symmetric.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    # Word of the one text → word of the other → distance, below 1 and above 0.
    Edges = Mapping[str, Mapping[str, float]]


@lru_cache(maxsize=1 << 20)
def affix_distance(one: str, other: str) -> float:
    """The distance of two words, in [0, 1]; 0 for equal words only."""
    if one == other:
        return 0.0
    shorter, longer = sorted((one, other), key=len)
    # Different words are at least one edit, and their difference in length, apart.
    least = max(1, len(longer) - len(shorter))
    for length in range(len(shorter), least, -1):
        edits = min(_edits_around(shorter, longer, length), default=None)
        if edits is not None:
            return min(1.0, edits / length)
    return 1.0


def _edits_around(one: str, other: str, length: int) -> Iterator[int]:
    """Edits before and behind each common substring of a length."""
    for start in range(len(one) - length + 1):
        shared = one[start : start + length]
        place = other.find(shared)
        while place >= 0:
            yield levenshtein(one[:start], other[:place]) + levenshtein(
                one[start + length :], other[place + length :]
            )
            place = other.find(shared, place + 1)


def levenshtein(one: str, other: str) -> int:
    """Insertions, deletions and substitutions from one string to another."""
    if not one or not other:
        return len(one) + len(other)
    row = list(range(len(other) + 1))
    for line, mine in enumerate(one, 1):
        left = row[0]
        row[0] = line
        for column, theirs in enumerate(other, 1):
            left, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, left + (mine != theirs)),
            )
    return row[-1]


class Related:
    """The words of a text, for finding those that are related to a word: distance below 1.

    What two words at a distance below 1 share is longer than the edits around it, of which there
    is at least one: two letters or more. So words are found by pairs of letters.
    """

    def __init__(self, words: Iterable[str]) -> None:
        """Take the words; each distinct one counts once."""
        self.words = frozenset(words)
        self.longest = max(map(len, self.words), default=0)

    @cached_property
    def _by_pair(self) -> dict[str, set[str]]:
        """Pair of letters → the words that have it; made when it is first needed."""
        found: dict[str, set[str]] = defaultdict(set)
        for word in self.words:
            for pair in _pairs(word):
                found[pair].add(word)
        return found

    def to(self, word: str, least: int = 2) -> dict[str, float]:
        """Words other than this at a distance below 1, and the distance.

        Args:
            word: The word.
            least: Shorter words are not looked at.
        """
        by_pair = self._by_pair
        near: set[str] = set()
        for pair in _pairs(word):
            if pair in by_pair:
                near |= by_pair[pair]
        size = len(word)
        found = {}
        for other in near:
            length = len(other)
            # The shared part is longer than the difference in length.
            if length >= least and length < 2 * size and size < 2 * length and other != word:
                distance = affix_distance(word, other)
                if distance < 1:
                    found[other] = distance
        return found


def _pairs(word: str) -> set[str]:
    return {word[at : at + 2] for at in range(len(word) - 1)}


def edges(words: Iterable[str], related: Related, epsilon: float) -> dict[str, dict[str, float]]:
    """All related words, if any two are near enough to be corrected; else none at all.

    Args:
        words: Of the output's segment.
        related: The reference's segment.
        epsilon: The greatest distance at which a word is corrected.
    """
    if epsilon <= 0:
        return {}
    # One edit at most epsilon: the shared part has at least 1/epsilon letters. (A letter less, for
    # 1/epsilon is rounded.)
    least = max(2, int(1 / epsilon))
    distinct = set(words)
    if related.longest < least:
        return {}
    long = [word for word in distinct if len(word) >= least]
    if not any(d <= epsilon for word in long for d in related.to(word, least).values()):
        return {}
    return {word: found for word in distinct if (found := related.to(word))}


def corrections(
    words: Sequence[str], reference: Sequence[str], near: Edges, epsilon: float
) -> dict[int, tuple[int, float]]:
    """What is corrected to what: by a matching of all words with the least sum of distances.

    The matching has as many words as the shorter text. Words at distance 1 make no difference to
    it, so it is made of the related and equal words only.

    Args:
        words: Of the output.
        reference: Of the reference.
        near: See `edges`.
        epsilon: The greatest distance at which a word is corrected.

    Returns:
        Place in the output → place in the reference, and the distance, above 0 and below 1.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    own, theirs = _component(words, reference, near, epsilon)
    if not own or not theirs:
        return {}
    rows = [place for place, word in enumerate(words) if word in own]
    columns = [place for place, word in enumerate(reference) if word in theirs]
    cost = np.array(
        [
            [
                0.0 if words[row] == reference[column]
                else near.get(words[row], {}).get(reference[column], 1.0)
                for column in columns
            ]
            for row in rows
        ]
    )  # fmt: skip
    found = {}
    for line, column in zip(*linear_sum_assignment(cost), strict=True):
        distance = float(cost[line, column])
        if 0 < distance <= epsilon and distance < 1:
            found[rows[line]] = (columns[column], distance)
    return found


def _component(
    words: Sequence[str], reference: Sequence[str], near: Edges, epsilon: float
) -> tuple[set[str], set[str]]:
    """The words on either side that are connected with words near enough to be corrected."""
    there = set(words), set(reference)
    back: dict[str, set[str]] = defaultdict(set)
    for word, found in near.items():
        for other in found:
            back[other].add(word)
    own: set[str] = set()
    theirs: set[str] = set()
    queue = [(0, word) for word, found in near.items() if min(found.values()) <= epsilon]
    while queue:
        side, word = queue.pop()
        done = theirs if side else own
        if word in done:
            continue
        done.add(word)
        further = back.get(word, ()) if side else near.get(word, ())
        queue += [(1 - side, other) for other in further]
        if word in there[1 - side]:
            queue.append((1 - side, word))
    return own, theirs
