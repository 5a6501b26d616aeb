"""Which Chinese and English chapters of a book belong together.

By number, and where numbers are missing by index, as long as the content agrees; where it does not,
by content. A missing, doubled, split, merged or foreign chapter, or a wrong number, shifts all that
come after it: the content finds the shift, and where it ends.

First the pairs by number, or by index from both ends, are scored; those whose similarity is `sure`
stand. What lies between them is settled anew: a cheap similarity of all with all names candidates,
these and the links 1-2, 2-1, 1-3, 3-1 around them are scored, and of all sets of links that do not
cross, the best is taken (a heaviest chain, so there is no limit to the size of a gap). A link gains
the log odds of its similarity; agreement of the numbers adds a little, a chapter left over costs a
little.

What similarity is, the caller says: see `Similarity`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from bwb.clean.chain import Chain, heaviest
from bwb.clean.numbering import Group, Link, by_number, diagonal, map_links
from bwb.clean.text import han_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bwb.clean.filters import PairingSettings
    from bwb.clean.text import Text

How = Literal["map", "number", "content", "unpaired"]
# Links of a map: places of Chinese and of English chapters, from 1, as `Chapter.chapter` has them.
ChapterMap = Sequence[Link]

# Why a chapter is left over.
REASONS = (
    "not-in-map",
    "empty",
    "wrong-language",
    "repeated",
    "content-differs",
    "no-counterpart",
)

_PROBE = 5  # sentences before and after the middle that show the language
_MOST_ODDS = 6.0  # log odds of a similarity are cut off here
_LONGEST = 3  # chapters of one side in a link
_LOOSE = 0.25  # the logarithm of lengths of a pair that may be half of a chapter is more
_STRETCH = 0.6  # a link of several chapters is scored if the logarithm of lengths differs by less


class Similarity(Protocol):
    """How alike the chapters of a book are."""

    def score(self, zh: Sequence[int], en: Sequence[int]) -> float:
        """Probability that chapters, by index, read one after the other, translate each other."""

    def rough(self, zh: range, en: range) -> NDArray[np.float32]:
        """Something cheap that is greatest where `score` is; shape (len(zh), len(en))."""


# Makes the similarity of a book from the sentences of its chapters.
Compare = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], Similarity]


@dataclass(frozen=True, slots=True)
class ChapterPair:
    """Chapters that translate each other, or one that is left over."""

    zh: Group
    """Indices of Chinese chapters in the list given, ascending; empty if there is none."""
    en: Group
    """Indices of English chapters; empty if there is none."""
    score: float | None
    """Similarity; None if a side is empty."""
    how: How
    """What joined them: the user's map, number or index, the content; or nothing."""
    reason: str | None = None
    """Why a chapter is left over, a stable code; None for pairs."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A link of the user's map that the content speaks against, or that lacks a chapter."""

    zh: Group
    """Indices of its Chinese chapters."""
    en: Group
    """Indices of its English chapters."""
    score: float | None
    """Their similarity; None if a side has no chapter."""
    message: str
    """In words, and what would be better."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The chapters of a book, paired."""

    pairs: tuple[ChapterPair, ...]
    """In order; every chapter of both lists is in exactly one, and links do not cross."""
    contradictions: tuple[Contradiction, ...] = ()
    """What in the map looks wrong; empty without a map."""


def pair_chapters(
    zh: Sequence[Text],
    en: Sequence[Text],
    compare: Compare,
    settings: PairingSettings,
    chapter_map: ChapterMap | None = None,
) -> Pairing:
    """Pair the chapters of a book.

    Args:
        zh: Chinese chapters, in the order of their list.
        en: English chapters, likewise.
        compare: Makes the similarity; `bwb.align.chapterscore.ChapterSimilarity` is one.
        settings: The table ``pairing`` of `crawl/filters.toml`.
        chapter_map: Links that the user gives; they win, but are checked.

    Raises:
        InputError: if the map names a place twice, or its links cross.
    """
    book = _Book(zh, en, compare, settings)
    if chapter_map is None:
        return Pairing(book.pairs(book.free()))
    return _by_map(book, chapter_map)


class _Book:
    """The two lists, and the scores asked for so far."""

    def __init__(
        self, zh: Sequence[Text], en: Sequence[Text], compare: Compare, settings: PairingSettings
    ) -> None:
        self.zh, self.en, self.settings = zh, en, settings
        self._agree = set(by_number(zh, en) or (diagonal(zh, en) if len(zh) == len(en) else ()))
        self._seeds = self._agree or {*diagonal(zh, en), *diagonal(zh, en, end=True)}
        self._partners = dict(self._agree), {j: i for i, j in self._agree}
        self._compare = compare
        self._similarity: Similarity | None = None
        self._scores: dict[Link, float] = {}
        self._wrong = [[_wrong_language(text) for text in side] for side in (zh, en)]
        self._sizes = [
            [max(sum(map(len, text.sentences)), 1) for text in side] for side in (zh, en)
        ]
        total = [max(sum(sizes), 1) for sizes in self._sizes]
        self._ratio = total[1] / total[0]

    @property
    def similarity(self) -> Similarity:
        """Made when it is first asked for."""
        if self._similarity is None:
            sides = [[text.sentences for text in side] for side in (self.zh, self.en)]
            self._similarity = self._compare(sides[0], sides[1])
        return self._similarity

    def score(self, zh: Group, en: Group) -> float:
        """Similarity of a link."""
        if any(self._wrong[0][k] for k in zh) or any(self._wrong[1][k] for k in en):
            return 0.0  # it may equal the other side, word for word
        found = self._scores.get((zh, en))
        if found is None:
            found = self._scores[zh, en] = self.similarity.score(zh, en)
        return found

    def gain(self, zh: Group, en: Group) -> float:
        """Log odds of a link above those that are accepted."""
        accept = self.settings.accept
        odds = _odds(self.score(zh, en)) - _odds(accept)
        agree = self.settings.number if (zh[0], en[0]) in self._agree else 0.0
        several = self.settings.split if len(zh) + len(en) > 2 else 0.0
        return odds + agree - several

    def free(self) -> list[Link]:
        """The links by number and content, without a map."""
        if not self.zh or not self.en:
            return []
        sure = [
            Chain((i,), (j,), 1.0)
            for i, j in sorted(self._seeds)
            if self.score((i,), (j,)) >= self.settings.sure
        ]
        ends = (len(self.zh), len(self.en))
        links: list[Link] = []
        begin = (0, 0)
        for end in [*self._standing(heaviest(sure)), ends]:
            links += self._between(range(begin[0], end[0]), range(begin[1], end[1]))
            if end != ends:
                links.append(((end[0],), (end[1],)))
            begin = (end[0] + 1, end[1] + 1)
        return self._first_copies(links)

    def _standing(self, chain: Sequence[Chain]) -> list[tuple[int, int]]:
        """The sure pairs without those that may be half of a chapter: by a gap, and too long."""
        cells = [(-1, -1), *((c.left[0], c.right[0]) for c in chain), (len(self.zh), len(self.en))]
        out = []
        for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False):
            gap = any(b - a > 1 or c - b > 1 for a, b, c in zip(before, cell, after, strict=True))
            if not gap or self._stretch((cell[0],), (cell[1],)) <= _LOOSE:
                out.append(cell)
        return out

    def _first_copies(self, links: Sequence[Link]) -> list[Link]:
        """Of copies of a chapter that follow each other, the first is paired."""
        out: list[Link] = []
        for link in links:
            moved: list[Group] = []
            for k, side in enumerate((self.zh, self.en)):
                at, low = link[k][0], out[-1][k][-1] + 1 if out else 0
                while len(link[k]) == 1 and at > low and _same(side[at - 1], side[link[k][0]]):
                    at -= 1
                moved.append((at,) if len(link[k]) == 1 else link[k])
            out.append((moved[0], moved[1]))
        return out

    def _between(self, zh: range, en: range) -> list[Link]:
        """The best links of two ranges of chapters."""
        if not zh or not en:
            return []
        cells = self._candidates(zh, en)
        chains = []
        for i, j in sorted(cells):
            for left, right in self._around(i, j, zh, en):
                gain = self.gain(left, right)
                if gain > 0:
                    weight = gain + self.settings.skip * (len(left) + len(right))
                    chains.append(Chain(left, right, weight))
        return [(chain.left, chain.right) for chain in heaviest(chains)]

    def _candidates(self, zh: range, en: range) -> set[tuple[int, int]]:
        rough = self.similarity.rough(zh, en)
        most = self.settings.candidates
        cells = {(i, j) for i, j in self._seeds if i in zh and j in en}
        for k, best in enumerate(np.argsort(-rough, axis=1, kind="stable")[:, :most]):
            cells.update((zh[k], en[int(j)]) for j in best)
        for k, best in enumerate(np.argsort(-rough, axis=0, kind="stable")[:most].T):
            cells.update((zh[int(i)], en[k]) for i in best)
        return cells

    def _around(self, i: int, j: int, zh: range, en: range) -> Iterator[Link]:
        """A candidate, and links of several chapters that hold it and make the lengths fit."""
        yield (i,), (j,)
        alone = self._stretch((i,), (j,))
        if alone <= _LOOSE and self.score((i,), (j,)) >= self.settings.sure:
            return
        for size in range(2, _LONGEST + 1):
            for start in range(size):
                left, right = range(i - start, i - start + size), range(j - start, j - start + size)
                for link, inside in (
                    (((i,), tuple(right)), right.start in en and right[-1] in en),
                    ((tuple(left), (j,)), left.start in zh and left[-1] in zh),
                ):
                    if inside and self._stretch(*link) < min(alone, _STRETCH):
                        yield link

    def _stretch(self, zh: Group, en: Group) -> float:
        sizes = [sum(s[k] for k in g) for s, g in zip(self._sizes, (zh, en), strict=True)]
        return abs(math.log(sizes[1] / sizes[0] / self._ratio))

    def pairs(self, links: Sequence[Link], how: How | None = None) -> tuple[ChapterPair, ...]:
        """The links, and in its place what is left over."""
        out: list[ChapterPair] = []
        begin = [0, 0]
        for zh, en in [*links, ((len(self.zh),), (len(self.en),))]:
            gap = range(begin[0], zh[0]), range(begin[1], en[0])
            for i in gap[0]:
                reason = self._reason(self.zh, i, how, self._partners[0].get(i), gap[1])
                out.append(ChapterPair((i,), (), None, "unpaired", reason))
            for j in gap[1]:
                reason = self._reason(self.en, j, how, self._partners[1].get(j), gap[0])
                out.append(ChapterPair((), (j,), None, "unpaired", reason))
            begin = [zh[-1] + 1, en[-1] + 1]
            if zh[0] < len(self.zh):
                plain = len(zh) == len(en) == 1 and (zh[0], en[0]) in self._seeds
                by = how or ("number" if plain else "content")
                out.append(ChapterPair(zh, en, round(self.score(zh, en), 6), by))
        return tuple(out)

    @staticmethod
    def _reason(
        side: Sequence[Text], at: int, how: How | None, partner: int | None, others: range
    ) -> str:
        """Why a chapter is left over; one of `REASONS`."""
        text = side[at]
        if how == "map":
            return "not-in-map"
        if not any(map(str.isalnum, "".join(text.sentences))):
            return "empty"
        if _wrong_language(text):
            return "wrong-language"
        if any(_same(other, text) for k, other in enumerate(side) if k != at):
            return "repeated"
        return "content-differs" if partner in others else "no-counterpart"


def _same(one: Text, other: Text) -> bool:
    return one.sentences == other.sentences


def _wrong_language(text: Text) -> bool:
    """Whether the middle of a text is in the other language."""
    body, middle = text.sentences, len(text.sentences) // 2
    share = han_share("".join(body[max(0, middle - _PROBE) : middle + _PROBE]))
    return share is not None and (share > 0.5) != (text.chapter.lang == "zh")


def _by_map(book: _Book, chapter_map: ChapterMap) -> Pairing:
    """The user's links, and those among them that the content speaks against."""
    links, absent = map_links(book.zh, book.en, chapter_map)
    notes = [Contradiction(*link, None, message) for link, message in absent]
    doubtful = [link for link in links if book.gain(*link) <= 0]
    better = book.free() if doubtful else []
    for zh, en in doubtful:
        score = book.score(zh, en)
        message = f"{_places(book.zh, zh)}:{_places(book.en, en)} has similarity {score:.2f}"
        for other in better:
            if set(other[0]) & set(zh) and other != (zh, en):
                places = f"{_places(book.zh, other[0])}:{_places(book.en, other[1])}"
                message += f"; {places} has {book.score(*other):.2f}"
        notes.append(Contradiction(zh, en, round(score, 6), message))
    return Pairing(book.pairs(links, "map"), tuple(notes))


def _places(side: Sequence[Text], group: Group) -> str:
    return "+".join(side[k].chapter.chapter for k in group)


def _odds(probability: float) -> float:
    """Log odds, cut off."""
    p = min(max(probability, 1e-9), 1 - 1e-9)
    return max(-_MOST_ODDS, min(_MOST_ODDS, math.log(p / (1 - p))))
