"""Mapping a system's output to the sentences of the reference, in one language.

Metrics that count a sentence at a time need an output with the reference's lines. A system that
translates whole chapters gives none: its sentences are merged, split, left out, added, or not
marked at all. Here the output is cut, at any token, into one piece a reference sentence (perhaps an
empty one) and pieces that belong to no sentence, so that

    Σ over pairs ( shared features, by weight - length cost - sentence-end cost )
        - Σ over cuts (their cost) - SKIP · missing sentences - ADD · added pieces

is greatest. Shared features are a bag: the order within a sentence does not count, other than in
the word error rate of Matusov et al. 2005 (mwerSegmenter), whose task this is. The length cost is
that of Gale and Church 1993 in letters, up to a bound; a cut costs nothing behind a sentence, more
behind a clause, most between two words.

The optimum is exact within a window: the cut before a sentence is looked for between some anchors
before it and as many behind it, and a little beyond; anchors are the tokens that occur once on
either side, as many as are in the same order on both. Numbers in
`bwb.align.realign_search.Settings`.

All of the output is kept: an added piece goes to the line of the sentence before it (the first
line, where there is none), and is reported.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.align.realign_text import rarity, tokenize
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.align.realign_search import Settings
    from bwb.align.realign_text import Text

# Of the true pairs of the sample 1 % score less, of the false ones that take their place 70 %.
DOUBT = 0.08


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the output.

    Attributes:
        start: Offset of its first code point in the output.
        end: Offset behind its last code point.
        sentence: 0-based reference sentence whose line it is on.
        added: Whether it has no counterpart in the reference.
        score: Share of weight in common with the sentence, from 0 to 1; 0 if added.
    """

    start: int
    end: int
    sentence: int
    added: bool
    score: float


@dataclass(frozen=True, slots=True)
class Realigned:
    """An output in the lines of the reference.

    Attributes:
        lines: As many as the reference has sentences; white space is made one space, and nothing
            else is changed or left out.
        pieces: The pieces of the output in order; together they are all of it.
        missing: 0-based reference sentences that have no counterpart; their lines are empty, but
            for additions.
    """

    lines: tuple[str, ...]
    pieces: tuple[Piece, ...]
    missing: tuple[int, ...]

    @property
    def doubtful(self) -> tuple[Piece, ...]:
        """Pieces that are where their sentence should be and have next to nothing of it.

        Either the wording is quite another, or the sentence is missing and this was added.
        """
        return tuple(p for p in self.pieces if not p.added and p.score < DOUBT)

    @property
    def additions(self) -> tuple[Piece, ...]:
        """The pieces that have no counterpart in the reference."""
        return tuple(piece for piece in self.pieces if piece.added)


def realign(output: str, reference: Sequence[str], settings: Settings | None = None) -> Realigned:
    """Map an output to the sentences of the reference.

    Args:
        output: The text, with or without line feeds.
        reference: The sentences, in the same language.
        settings: Weights of the costs; None for the defaults.

    Raises:
        InputError: if there is no reference.
    """
    from bwb.align.realign_search import Settings, best_spans

    if not reference:
        raise InputError("the reference has no sentences; expected one at least")
    hyp, refs = tokenize(output), [tokenize(sentence) for sentence in reference]
    weights = rarity(refs)
    spans = best_spans(hyp, refs, weights, settings or Settings()) if hyp.starts else []
    pieces = []
    for first, last, sentence, added in spans:
        score = 0.0 if added else _alike(hyp, first, last, refs[sentence], weights)
        start = 0 if not first else hyp.starts[first]
        end = hyp.starts[last] if last < len(hyp.starts) else len(output)
        pieces.append(Piece(start, end, sentence, added, score))
    lines = [
        " ".join(" ".join(output[p.start : p.end] for p in pieces if p.sentence == k).split())
        for k in range(len(reference))
    ]
    found = {piece.sentence for piece in pieces if not piece.added}
    missing = tuple(k for k in range(len(reference)) if k not in found)
    return Realigned(tuple(lines), tuple(pieces), missing)


def _alike(hyp: Text, first: int, last: int, ref: Text, weights: Mapping[str, float]) -> float:
    """Shared weight over the weight of both (Dice), features that only the output has included."""
    sides: list[Counter[str]] = []
    shares: dict[str, float] = {}
    for tokens in (hyp.features[first:last], ref.features):
        counts: Counter[str] = Counter()
        for token in tokens:
            for name, share in token:
                counts[name] += 1
                shares[name] = share
        sides.append(counts)
    # What the reference never has is as rare as can be.
    rarest = max(weights.values(), default=1.0)

    def weigh(counts: Counter[str]) -> float:
        return sum(n * shares[name] * weights.get(name, rarest) for name, n in counts.items())

    total = weigh(sides[0]) + weigh(sides[1])
    return 2 * weigh(sides[0] & sides[1]) / total if total else 0.0
