"""BlonDe's counts: what a sentence has of each class, and what two texts have in common.

A sentence becomes numbers once: ids of its tokens, a row of class counts, ids of its entities.
Comparing two texts is then arithmetic on arrays of a whole document. n-grams are compared exactly:
the n-grams of the reference are numbered order by order, and one of the system's has a number if
its first n-1 tokens and its last one have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from bwb.analysis.base import Analysis
    from bwb.metrics.blonde_settings import Lists

    Ints = NDArray[np.int64]

ORDERS = 4
# Stands behind the last token of each sentence: no n-gram goes over it.
_END = -1
# Tokens that an n-gram of each order takes beside its first, and a sentence's end.
_ORDERS = np.arange(1, ORDERS + 1).reshape(-1, 1)
# Greatest array to look n-grams up in: 32 MB.
_DENSE = 4_000_000
# Class and words of an entity.
Named = tuple[int, str]
_POSSESSIVES = {"paper": ("’s", "'s"), "blonde-0.1.4": ("’s",)}


def _append(rows: Ints, size: int, more: Ints) -> Ints:
    """Write rows behind the first `size` ones, into a larger array if they do not fit."""
    needed = size + len(more)
    if needed > len(rows):
        grown = np.zeros((max(needed, 2 * len(rows)), *rows.shape[1:]), np.int64)
        grown[:size] = rows[:size]
        rows = grown
    rows[size:needed] = more
    return rows


class _Ids(dict[str, int]):
    """Numbers tokens as they come; tells of each new one."""

    def __init__(self, told: Callable[[str], None]) -> None:
        super().__init__()
        self._told = told

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        self._told(token)
        return number


class Features:
    """Turns analyses into numbers, each distinct text once.

    Args:
        lists: What to count.
        possessives: Endings that are taken off an entity.
    """

    def __init__(self, lists: Lists, possessives: Sequence[str]) -> None:
        """Lay out the columns: tense, pronoun, dm."""
        self.lists = lists
        self.known: dict[str, int] = {}
        self.entities: list[Named] = []
        self.columns: dict[str, slice] = {}
        self.width = 0
        for name in ("tense", "pronoun", "dm"):
            size = len(lists.classes[name])
            self.columns[name] = slice(self.width, self.width + size)
            self.width += size
        self._possessives = tuple(possessives)
        # By sentence: where its tokens begin, how many places they take, its classes, its entities.
        self._tokens = np.zeros(1024, np.int64)
        self._starts, self._lengths = np.zeros(64, np.int64), np.zeros(64, np.int64)
        self._classes = np.zeros((64, self.width), np.int64)
        self._named: list[list[int]] = []
        self._end = 0
        self._ids = _Ids(self._describe)
        self._entity_ids: dict[Named, int] = {}
        self._found: dict[tuple[str, str], int] = {}
        self._tags: dict[str, int] = defaultdict(lambda: self.width, lists.tags)
        # By token id: the column that it counts in, and its number among the words of markers
        # of several words (0 for none of them).
        self._column: list[int] = []
        self._part: list[int] = []
        longest_first = sorted((m for m in lists.markers if len(m) > 1), key=len, reverse=True)
        parts = dict.fromkeys(word for marker in longest_first for word in marker)
        self._parts = {word: number for number, word in enumerate(parts, 1)}
        self._long: dict[tuple[int, int], list[tuple[str, ...]]] = {}
        self._pairs = np.zeros((len(parts) + 1, len(parts) + 1), np.bool_)
        for marker in longest_first:
            pair = (self._parts[marker[0]], self._parts[marker[1]])
            self._long.setdefault(pair, []).append(marker)
            self._pairs[pair] = True

    def entity_id(self, named: Named) -> int:
        """The number of an entity; `entities` has it at this place."""
        number = self._entity_ids.setdefault(named, len(self.entities))
        if number == len(self.entities):
            self.entities.append(named)
        return number

    def add(self, analyses: Iterable[Analysis]) -> None:
        """Take in analyses; those of known texts cost nothing."""
        fresh = {a.text: a for a in analyses if a.text not in self.known}
        if not fresh:
            return
        tokens = [a.tokens for a in fresh.values()]
        lengths = [len(found) for found in tokens]
        owner = np.repeat(np.arange(len(fresh)), lengths)
        every = chain.from_iterable(tokens)
        flat = np.fromiter(map(self._ids.__getitem__, every), np.int64, len(owner))
        tags = chain.from_iterable(a.tags for a in fresh.values())
        columns = np.fromiter(map(self._tags.__getitem__, tags), np.int64, len(flat))
        classes = self._tally(owner, columns, len(fresh))
        classes += self._tally(owner, np.array(self._column, np.int64)[flat], len(fresh))
        self._count_long_markers(classes, flat, owner, tokens)
        self._keep(flat, np.array(lengths, np.int64), classes)
        self._named += [self._entities(a) if a.entities else [] for a in fresh.values()]
        for text in fresh:
            self.known[text] = len(self.known)

    def _keep(self, flat: Ints, lengths: Ints, classes: Ints) -> None:
        """Store the tokens and classes of sentences, in their order."""
        size = len(self.known)
        marked = np.insert(flat, np.cumsum(lengths), _END)
        ends = self._end + np.cumsum(lengths + 1)
        self._tokens = _append(self._tokens, self._end, marked)
        self._starts = _append(self._starts, size, ends - lengths - 1)
        self._lengths = _append(self._lengths, size, lengths + 1)
        self._classes = _append(self._classes, size, classes)
        self._end += len(marked)

    def text(self, sentences: Iterable[str]) -> Text:
        """Put the sentences of a document together; all of them are known."""
        rows = [self.known[sentence] for sentence in sentences]
        lengths = self._lengths[rows]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(self._starts[rows] - ends + lengths, lengths)
        owner = np.repeat(np.arange(len(rows)), lengths)
        return Text(
            keys=(owner << 32) | self._tokens[places],
            classes=self._classes[rows],
            entities=entity_keys([self._named[row] for row in rows]),
            ngrams=np.maximum(lengths - _ORDERS, 0).sum(1).tolist(),
        )

    def _tally(self, owner: Ints, columns: Ints, rows: int) -> Ints:
        """How often each column is named in each row; the last column, of no class, is left out."""
        wide = self.width + 1
        found = np.bincount(owner * wide + columns, minlength=rows * wide)
        return found.reshape(rows, wide)[:, : self.width]

    def _describe(self, token: str) -> None:
        """Note what a token counts for."""
        word, column = token.lower(), self.width
        if word in self.lists.pronouns:
            column = self.columns["pronoun"].start + self.lists.pronouns[word]
        elif (word,) in self.lists.markers:
            column = self.columns["dm"].start + self.lists.markers[word,]
        self._column.append(column)
        self._part.append(self._parts.get(word, 0))

    def _count_long_markers(
        self, classes: Ints, flat: Ints, owner: Ints, tokens: Sequence[Sequence[str]]
    ) -> None:
        """Count the markers of several words, and take back what their words counted for."""
        part = np.array(self._part, np.int64)[flat]
        possible = self._pairs[part[:-1], part[1:]] & (owner[:-1] == owner[1:])
        first = np.searchsorted(owner, np.arange(len(tokens)))
        row, free = -1, 0
        for at in np.flatnonzero(possible).tolist():
            if owner[at] != row:
                row, free = int(owner[at]), 0
            here = at - int(first[row])
            if here < free:
                continue
            for marker in self._long[int(part[at]), int(part[at + 1])]:
                words = tuple(token.lower() for token in tokens[row][here : here + len(marker)])
                if words == marker:
                    free = here + len(marker)
                    self._replace(classes[row, self.columns["dm"]], marker)
                    break

    def _replace(self, row: Ints, marker: tuple[str, ...]) -> None:
        """Count a marker in a row instead of the words in it."""
        row[self.lists.markers[marker]] += 1
        for word in marker:
            if (word,) in self.lists.markers:
                row[self.lists.markers[word,]] -= 1

    def _entities(self, analysis: Analysis) -> list[int]:
        text, starts, ends = analysis.text, analysis.starts, analysis.ends
        found = []
        for entity in analysis.entities:
            named = (entity.label, text[starts[entity.first] : ends[entity.last - 1]])
            number = self._found.get(named)
            if number is None:
                number = self._found[named] = self._new_entity(*named)
            if number >= 0:
                found.append(number)
        return found

    def _new_entity(self, label: str, text: str) -> int:
        """The number of an entity as the model gives it; -1 if its label counts for nothing."""
        index = self.lists.labels.get(label)
        if index is None:
            return -1
        for ending in self._possessives:
            text = text.removesuffix(ending)
        return self.entity_id((index, text))


def possessives(variant: str) -> tuple[str, ...]:
    """Endings that a variant takes off entities: the reference package knows the curly one."""
    return _POSSESSIVES[variant]


@dataclass(frozen=True, slots=True)
class Text:
    """A document of one side, as numbers.

    Attributes:
        keys: For each token, one number for its sentence (high 32 bits) and itself; behind the
            last one of each sentence, -1.
        classes: Rows of class counts, a sentence each.
        entities: Counted by one number for sentence (high 32 bits) and id of an entity.
        ngrams: Number of n-grams of each order.
    """

    keys: Ints
    classes: Ints
    entities: Counter[int]
    ngrams: list[int]


def entity_keys(sentences: Sequence[Sequence[int]]) -> Counter[int]:
    """Count the entities of a document, given by the ids in each sentence."""
    return Counter(
        (index << 32) | number for index, ids in enumerate(sentences) if ids for number in ids
    )


class Bag:
    """Numbers, and how often each comes in a reference, or in that of several that has most.

    Numbers below 0 are not counted.

    Args:
        references: The numbers of each reference.
        size: All numbers are below this; 0 if they may be of any size. Few enough numbers are
            looked up by their place in an array, which is faster than searching.
    """

    def __init__(self, references: Sequence[Ints], size: int = 0) -> None:
        """Count the numbers of each reference."""
        together = references[0] if len(references) == 1 else np.concatenate(references)
        self._index: Ints | None = None
        if 0 < size <= _DENSE:
            self.table = np.flatnonzero(np.bincount(together, minlength=size))
            self._index = np.full(size, -1)
            self._index[self.table] = np.arange(len(self.table))
        else:
            self.table = np.unique(together)
            if len(self.table) and self.table[0] < 0:
                self.table = self.table[1:]
        tallies = [self.tally(numbers) for numbers in references]
        self.counts = tallies[0] if len(tallies) == 1 else np.maximum.reduce(tallies)

    def places(self, numbers: Ints) -> Ints:
        """Where each number is in the table; -1 if it is not there."""
        if self._index is not None:
            return self._index[numbers]
        if not len(self.table):
            return np.full(len(numbers), -1)
        places = self.table.searchsorted(numbers)
        places[places == len(self.table)] = 0
        places[self.table[places] != numbers] = -1
        return places

    def tally(self, numbers: Ints) -> Ints:
        """How often each number of the table is among these."""
        places = self.places(numbers)
        return np.bincount(places[places >= 0], minlength=len(self.table))


class Ngrams:
    """The n-grams of a reference, or of several: each n-gram as often as the one that has most.

    Args:
        references: Texts of the same number of sentences.
    """

    def __init__(self, references: Sequence[Text]) -> None:
        """Number the n-grams of each order."""
        self._bags = [Bag([text.keys for text in references])]
        # A distinct token is numbered within its sentence, so that codes of n-grams are small.
        sentences = self._bags[0].table >> 32
        counts = np.bincount(sentences, minlength=1)
        self._local = np.arange(len(sentences)) - (np.cumsum(counts) - counts)[sentences]
        self._width = max(1, int(counts.max()))
        walks = [_Walk(self._bags[0], self._local, text) for text in references]
        for order in range(1, ORDERS):
            size = len(self._bags[-1].table) * self._width
            codes = [walk.codes(order, self._width) for walk in walks]
            self._bags.append(Bag(codes, size))
            for walk, found in zip(walks, codes, strict=True):
                walk.settle(self._bags[-1].places(found))
        self.totals = [int(bag.counts.sum()) for bag in self._bags]

    def matched(self, text: Text) -> list[int]:
        """How many n-grams of each order a text has in common with the references."""
        walk = _Walk(self._bags[0], self._local, text)
        found = []
        for order, bag in enumerate(self._bags):
            if order:
                walk.settle(bag.places(walk.codes(order, self._width)))
            got = np.bincount(walk.numbers, minlength=len(bag.table))
            found.append(int(np.minimum(got, bag.counts).sum()))
        return found


class _Walk:
    """One text, from order to order: which of its n-grams have numbers, and where they begin."""

    def __init__(self, bag: Bag, local: Ints, text: Text) -> None:
        places = bag.places(text.keys)
        found = places >= 0
        self.at = np.flatnonzero(found)
        self.numbers = places[found]
        self.local = np.full(len(places), -1)
        self.local[self.at] = local[self.numbers]

    def codes(self, order: int, width: int) -> Ints:
        """Codes of the n-grams whose first n-1 tokens and last token have numbers."""
        # Inside the array, for a sentence's end stands behind every n-gram that has a number.
        last = self.local[self.at + order]
        kept = last >= 0
        self.at = self.at[kept]
        codes: Ints = self.numbers[kept] * width + last[kept]
        return codes

    def settle(self, places: Ints) -> None:
        """Keep those n-grams that have a place in the bag: it is their number."""
        found = places >= 0
        self.at, self.numbers = self.at[found], places[found]
