"""Precision, recall and F1 of links against gold links, strict and lax.

The counting is that of Vecalign's scorer (Thompson and Koehn 2019, section 4, after the
evaluation of Sennrich and Volk 2011):

* A link is a strict hit if the other side has the identical link.
* It is a lax hit if it is a strict one, or if some link of the other side shares a source sentence
  and a target sentence with it.
* Precision is counted over all predicted links, null links (1-0, 0-1) included: a null link is a
  hit, strict and lax, if the gold has the identical null link, and a miss otherwise, for it has
  nothing to share.
* Recall is counted over the gold links that are not null, against the predicted links that are
  not null. A null link in the gold that was not found costs no recall.
* A link given twice counts once. Counts are summed over documents before anything is divided.

Vecalign writes 0 for a ratio without a denominator; here it is None. Recall of null links is
undefined above, and so is reported in the tables by type only, where it is the share of gold null
links that were predicted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from bwb.align.base import AlignmentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.align.base import SentenceLink

Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
Size: TypeAlias = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Ratio:
    """Hits among links.

    Attributes:
        links: Number of links looked at.
        strict: How many of them are strict hits.
        lax: How many of them are lax hits; never fewer.
    """

    links: int = 0
    strict: int = 0
    lax: int = 0

    def __add__(self, other: Ratio) -> Ratio:
        """Sum of the counts."""
        return Ratio(self.links + other.links, self.strict + other.strict, self.lax + other.lax)

    def value(self, kind: str) -> float | None:
        """Share of hits of a kind (``strict`` or ``lax``); None if there are no links."""
        hits = self.strict if kind == "strict" else self.lax
        return hits / self.links if self.links else None


@dataclass(frozen=True, slots=True)
class LinkScore:
    """Counts of one document, of one type of link, or of everything.

    Attributes:
        precision: Of the predicted links, those found in the gold.
        recall: Of the gold links, those found in the prediction.
    """

    precision: Ratio = field(default_factory=Ratio)
    recall: Ratio = field(default_factory=Ratio)

    def __add__(self, other: LinkScore) -> LinkScore:
        """Sum of the counts."""
        return LinkScore(self.precision + other.precision, self.recall + other.recall)

    def f1(self, kind: str) -> float | None:
        """Harmonic mean of precision and recall; None if either is undefined or both are 0/0.

        Args:
            kind: ``strict`` or ``lax``.
        """
        precision, recall = self.precision.value(kind), self.recall.value(kind)
        if precision is None or recall is None:
            return None
        both = precision + recall
        return 2 * precision * recall / both if both else 0.0

    def row(self) -> dict[str, dict[str, float | int | None]]:
        """Ratios and counts as JSON has them, by kind."""
        return {
            kind: {
                "precision": self.precision.value(kind),
                "recall": self.recall.value(kind),
                "f1": self.f1(kind),
                "hits_predicted": getattr(self.precision, kind),
                "predicted": self.precision.links,
                "hits_gold": getattr(self.recall, kind),
                "gold": self.recall.links,
            }
            for kind in ("strict", "lax")
        }


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """What a comparison of two alignments found.

    Attributes:
        total: Sum over the documents.
        documents: Each document by its id, in the order of the gold.
        types: Each type of link, as ``1-2``, summed over documents; precision is over predicted
            links of the type and recall over gold links of the type, null links included.
    """

    total: LinkScore
    documents: dict[str, LinkScore]
    types: dict[str, LinkScore]


def score_links(gold: Iterable[SentenceLink], pred: Iterable[SentenceLink]) -> LinkScore:
    """Score one document by the rules above.

    Args:
        gold: Gold links; links that are empty on both sides are passed over, as by Vecalign.
        pred: Predicted links, likewise.
    """
    return _score(_pairs(gold), _pairs(pred))


def score_documents(
    gold: Mapping[str, Sequence[SentenceLink]], pred: Mapping[str, Sequence[SentenceLink]]
) -> AlignmentScore:
    """Score several documents.

    Args:
        gold: Gold links of each document by its id.
        pred: Predicted links, for the same ids.

    Raises:
        AlignmentError: if the ids are not the same; names those that lack or are too many.
    """
    for wrong, what in (
        (gold.keys() - pred.keys(), "missing from the predictions"),
        (pred.keys() - gold.keys(), "predicted, but not in the gold"),
    ):
        if wrong:
            more = f" … {len(wrong)} in all" if len(wrong) > 5 else ""
            raise AlignmentError(f"documents {what}: {', '.join(sorted(wrong)[:5])}{more}")
    documents: dict[str, LinkScore] = {}
    types: dict[str, LinkScore] = {}
    for name, links in gold.items():
        left, right = _pairs(links), _pairs(pred[name])
        documents[name] = _score(left, right)
        for kind, score in _by_type(left, right).items():
            types[kind] = types.get(kind, LinkScore()) + score
    ordered = sorted(types, key=lambda kind: (-types[kind].recall.links, kind))
    total = sum(documents.values(), LinkScore())
    return AlignmentScore(total, documents, {kind: types[kind] for kind in ordered})


def check_prediction(links: Iterable[SentenceLink], size: Size, *, crossing: bool = False) -> None:
    """See that links can be scored.

    Args:
        links: The links, in any order.
        size: Number of source and target sentences; None where it is not known.
        crossing: Whether links may cross and share sentences (gold made by people does cross).

    Raises:
        AlignmentError: if a sentence is out of range or in two links, if links cross, or a link
            is empty on both sides; names the link.
    """
    listed = list(links)
    for link in listed:
        if not link.src and not link.tgt:
            raise AlignmentError("a link is empty on both sides; expected a sentence on one")
        for side, (indices, count) in enumerate(zip((link.src, link.tgt), size, strict=True)):
            name = ("source", "target")[side]
            if any(i < 0 or (count is not None and i >= count) for i in indices):
                allowed = "0 or more" if count is None else f"0 to {count - 1}"
                raise AlignmentError(f"link {link}: no such {name} sentence; expected {allowed}")
            if list(indices) != sorted(set(indices)):
                raise AlignmentError(f"link {link}: {name} sentences not in ascending order")
    if not crossing:
        _check_order(listed)


def covered_size(links: Sequence[SentenceLink]) -> Size:
    """Number of sentences that links tell of: None for a side on which they leave one out."""
    sides = [{i for link in links for i in side(link)} for side in (_src, _tgt)]
    sizes = [len(side) if side == set(range(len(side))) else None for side in sides]
    return sizes[0], sizes[1]


def _src(link: SentenceLink) -> tuple[int, ...]:
    return link.src


def _tgt(link: SentenceLink) -> tuple[int, ...]:
    return link.tgt


def _check_order(links: Sequence[SentenceLink]) -> None:
    for side, name in ((_src, "source"), (_tgt, "target")):
        counts = Counter(i for link in links for i in side(link))
        for sentence, count in counts.items():
            if count > 1:
                raise AlignmentError(f"{name} sentence {sentence} is in {count} links; expected 1")
    whole = sorted((link for link in links if link.src and link.tgt), key=_src)
    for one, other in pairwise(whole):
        if one.src[-1] > other.src[0] or one.tgt[-1] > other.tgt[0]:
            raise AlignmentError(f"links {one} and {other} cross")


def _pairs(links: Iterable[SentenceLink]) -> set[Pair]:
    return {(link.src, link.tgt) for link in links if link.src or link.tgt}


def _score(gold: set[Pair], pred: set[Pair]) -> LinkScore:
    whole = {pair for pair in gold if all(pair)}
    return LinkScore(_hits(pred, gold), _hits(whole, {pair for pair in pred if all(pair)}))


def _hits(links: Iterable[Pair], against: set[Pair]) -> Ratio:
    """How many of `links` are hits in `against`."""
    partners: dict[int, set[int]] = {}
    for src, tgt in against:
        for sentence in src:
            partners.setdefault(sentence, set()).update(tgt)
    count = strict = lax = 0
    for src, tgt in links:
        same = (src, tgt) in against
        shares = same or any(not partners.get(i, set()).isdisjoint(tgt) for i in src)
        count, strict, lax = count + 1, strict + same, lax + shares
    return Ratio(count, strict, lax)


def _by_type(gold: set[Pair], pred: set[Pair]) -> dict[str, LinkScore]:
    types: dict[str, tuple[set[Pair], set[Pair]]] = {}
    for place, pairs in enumerate((gold, pred)):
        for pair in pairs:
            name = f"{len(pair[0])}-{len(pair[1])}"
            types.setdefault(name, (set(), set()))[place].add(pair)
    return {
        name: LinkScore(_hits(ours, gold), _hits(theirs, pred))
        for name, (theirs, ours) in types.items()
    }
