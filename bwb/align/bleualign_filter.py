"""Bleualign's filters: which links, or articles, are good enough to keep.

The confidence of a link is the harmonic mean of BLEU(translation → target) and BLEU(target →
translation), orders 1 .. N, 0 where an order has no match; that of an article is the same over the
counts of all its links. The best are kept until they are more than `filterthreshold` percent of
all links; the rest, and what is below `bleuthreshold`, is bad.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bwb.align.bleualign_text import compat_tokens, joined, tokens
from bwb.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.align.base import SentenceLink
    from bwb.align.bleualign_gaps import RawLink

Unit = Literal["sentence", "article"]


@dataclass(frozen=True, slots=True)
class Filter:
    """Settings of a filter.

    Attributes:
        unit: What is kept or dropped: ``sentence`` (a link) or ``article``.
        filterthreshold: Percent of the links to keep.
        bleuthreshold: Confidence below which nothing is kept, 0 to 1.
        ngrams: Highest n-gram order.
        compat: Whether tokens are Bleualign's.
    """

    unit: Unit = "sentence"
    filterthreshold: float = 90.0
    bleuthreshold: float = 0.0
    ngrams: int = 2
    compat: bool = False

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            UsageError: if one is out of range.
        """
        if self.unit not in ("sentence", "article"):
            raise UsageError(f"filter is {self.unit!r}; expected sentence or article")
        if not 0 <= self.filterthreshold <= 100:
            raise UsageError(f"filterthreshold is {self.filterthreshold}; expected 0 to 100")
        if not 0 <= self.bleuthreshold <= 1:
            raise UsageError(f"bleuthreshold is {self.bleuthreshold}; expected 0 to 1")

    def good(
        self,
        articles: Sequence[Sequence[SentenceLink | RawLink]],
        translation: Sequence[str],
        target: Sequence[str],
        *,
        back: bool = False,
    ) -> list[list[bool]]:
        """Which links to keep.

        Args:
            articles: Links, an article at a time; null links are passed over and kept out.
            translation: Translation of one side.
            target: The other side.
            back: Whether the translation is of the target side of the links.

        Returns:
            For each link of each article whether it is good.
        """
        cut = compat_tokens if self.compat else tokens
        found: list[tuple[tuple[int, int], list[Pair]]] = []
        for number, links in enumerate(articles):
            pairs = []
            for at, link in enumerate(links):
                sides = (link.tgt, link.src) if back else (link.src, link.tgt)
                if not all(sides):
                    continue
                texts = joined(translation, sides[0]), joined(target, sides[1])
                pair = counted(cut(texts[0]), cut(texts[1]), self.ngrams)
                if self.unit == "sentence":
                    found.append(((number, at), [pair]))
                pairs.append(pair)
            if self.unit == "article" and pairs:
                found.append(((number, -1), pairs))
        kept = self._kept(found)
        return [
            [
                bool(link.src and link.tgt) and not kept.isdisjoint({(number, at), (number, -1)})
                for at, link in enumerate(links)
            ]
            for number, links in enumerate(articles)
        ]

    def _kept(self, found: list[tuple[tuple[int, int], list[Pair]]]) -> set[tuple[int, int]]:
        total = sum(len(pairs) for _, pairs in found)
        ranked = sorted(
            ((confidence(pairs), -i) for i, (_, pairs) in enumerate(found)), reverse=True
        )
        kept: set[tuple[int, int]] = set()
        length = 0
        for value, i in ranked:
            if length * 100 > self.filterthreshold * total or value < self.bleuthreshold:
                break
            place, pairs = found[-i]
            kept.add(place)
            length += len(pairs)
        return kept


@dataclass(frozen=True, slots=True)
class Pair:
    """What BLEU needs to know of two texts.

    Attributes:
        matches: Clipped matches, order 1 first.
        left: Tokens of the translation.
        right: Tokens of the target.
    """

    matches: tuple[int, ...]
    left: int
    right: int


def counted(left: Sequence[str], right: Sequence[str], orders: int) -> Pair:
    """Match two token lists."""
    matches = []
    for k in range(1, orders + 1):
        grams = [
            Counter(zip(*(side[d:] for d in range(k)), strict=False)) for side in (left, right)
        ]
        matches.append((grams[0] & grams[1]).total())
    return Pair(tuple(matches), len(left), len(right))


def confidence(pairs: Sequence[Pair]) -> float:
    """Harmonic mean of BLEU both ways over the counts of all pairs; 0 if an order never matches."""
    orders = len(pairs[0].matches) if pairs else 0
    matches = [sum(pair.matches[k] for pair in pairs) for k in range(orders)]
    if not matches or not all(matches):
        return 0.0
    sizes = sum(pair.left for pair in pairs), sum(pair.right for pair in pairs)
    bleu = []
    for side in (0, 1):
        lengths = [(pair.left, pair.right)[side] for pair in pairs]
        totals = [sum(max(length - k, 0) for length in lengths) for k in range(orders)]
        logs = sum(math.log(a / b) for a, b in zip(matches, totals, strict=True)) / orders
        bleu.append(math.exp(logs + min(0.0, 1 - sizes[1 - side] / sizes[side])))
    return 2 * bleu[0] * bleu[1] / (bleu[0] + bleu[1])
