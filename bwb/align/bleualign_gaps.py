"""Filling the gaps between anchors, step by step as Bleualign does (Sennrich & Volk 2010, 3.3).

Between two anchors, source sentences are merged into an anchor if that raises its score, an
anchor takes over target sentences it scores better with, sentences that are each other's best
are linked 1-1, and what is left goes to Gale-Church.

As Bleualign does it, a sentence can end up in two links, and a link can have a hole. With
``compat=False`` neither happens, and Gale-Church is the one in logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from bwb.align.bleualign_grams import Features, Grams, Run, Side
from bwb.align.bleualign_score import first_of_kind, sentence_score
from bwb.align.galechurch import GaleChurch, compat_beads

if TYPE_CHECKING:
    from collections.abc import Sequence

Scored: TypeAlias = tuple[float, list[int]]
Best: TypeAlias = tuple[float, Run, list[int]]

ANCHOR, FILLER, LENGTH = "BLEU", "GAPFILLER", "GALECHURCH"
_NEAR = 10  # sentences at either end of a gap that are looked at, besides `merge`
_SMALL = 4  # gaps smaller than this go to Gale-Church whatever their sizes


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link as Bleualign makes it: sentences need be neither consecutive nor used once.

    Attributes:
        src: Indices of source sentences.
        tgt: Indices of target sentences.
        method: ``BLEU``, ``GAPFILLER`` or ``GALECHURCH``.
    """

    src: Run
    tgt: Run
    method: str


@dataclass(slots=True)
class _Pair:
    """An anchor, which grows; both runs are empty before the first and after the last."""

    src: Run = ()
    tgt: Run = ()
    method: str = ANCHOR
    emitted: bool = False


class GapFiller:
    """Fills the gaps between the anchors of one run.

    Attributes:
        merge: Largest number of sentences in a merged run (Nto1).
        bleu_1to1: Whether sentences that are each other's best are linked.
        galechurch: Whether what is left goes to Gale-Church.
        compat: Whether to do exactly as Bleualign.
    """

    def __init__(
        self,
        grams: Grams,
        texts: tuple[Sequence[str], Sequence[str]],
        *,
        merge: int,
        bleu_1to1: bool = True,
        galechurch: bool = True,
        compat: bool = False,
    ) -> None:
        """Take the sentences.

        Args:
            grams: The n-grams of translated source sentences and of target sentences.
            texts: Both as text, for Gale-Church: its lengths are those of the translation.
            merge: See above.
            bleu_1to1: See above.
            galechurch: See above.
            compat: See above.
        """
        self._src, self._tgt = Side(grams, target=False), Side(grams, target=True)
        self._masks = grams.masks[len(grams.src) :] if compat else []
        # Of 1-grams, most sentences hold some that all others hold, too.
        self._holders = self._tgt.holders() if len(grams.tables) > 1 else None
        self._texts = texts
        self.merge, self.compat, self.orders = merge, compat, len(grams.tables)
        self.bleu_1to1, self.galechurch = bleu_1to1, galechurch

    def fill(self, anchors: Sequence[tuple[int, int]]) -> list[RawLink]:
        """All links: the anchors, grown or not, and those found between them."""
        out: list[RawLink] = []
        pre = _Pair()
        ends = len(self._src.sentences), len(self._tgt.sentences)
        for anchor in [*anchors, None]:
            post = _Pair((anchor[0],), (anchor[1],)) if anchor else _Pair()
            stop = anchor or ends
            start = (pre.src[-1] + 1, pre.tgt[-1] + 1) if pre.src else (0, 0)
            gap = _Gap(
                self, pre, post, list(range(start[0], stop[0])), list(range(start[1], stop[1]))
            )
            gap.run(out)
            if not gap.pre.emitted:
                _emit(out, gap.pre)
            pre = post
        return out

    def lengths_beads(self, src: Sequence[int], tgt: Sequence[int]) -> list[tuple[Run, Run]]:
        """What Gale-Church makes of the rest of a gap."""
        texts = [
            [side[i].strip() for i in part]
            for side, part in zip(self._texts, (src, tgt), strict=True)
        ]
        if self.compat:
            beads = compat_beads(*([len(text) for text in part] for part in texts))
        else:
            beads = [(x.src, x.tgt) for x in GaleChurch().align(*texts) if x.src and x.tgt]
        return [(tuple(src[k] for k in a), tuple(tgt[k] for k in b)) for a, b in beads]

    def scorer(self, run: Run) -> _Scorer:
        """What scores target runs with a source run."""
        return _Scorer(self._src, self._tgt, run)

    def score(self, src: Run, tgt: Run) -> Scored | None:
        """The score of one pair: quicker if what is taken apart is the longer run."""
        if len(src) <= len(tgt):
            return _Scorer(self._src, self._tgt, src).score(tgt)
        return _Scorer(self._tgt, self._src, tgt).score(src)

    def near(self, run: Run, targets: Sequence[Run]) -> Sequence[Run]:
        """Those of the targets that may share an n-gram of the highest order with a source run."""
        if self._holders is None or not _consecutive(run):
            return targets
        hits: set[int] = set()
        for gram in self._src.features(run)[-1]:
            hits.update(self._holders.get(gram, ()))
        return [x for x in targets if not hits.isdisjoint(x) or not _consecutive(x)]

    def first_of_kind(self, runs: Sequence[Run]) -> dict[Run, Run]:
        """For target runs that have the score of another, that other."""
        if not self.compat:
            return {}
        masks = []
        for run in runs:
            mask = 0
            for j in run:
                mask |= self._masks[j]
            masks.append(mask)
        found = first_of_kind(
            masks, lambda k: [t for j in runs[k] for t in self._tgt.sentences[j]], self.orders
        )
        return {runs[k]: runs[first] for k, first in found.items()}


class _Scorer:
    """Scores runs of a side with one given run of the other; what they share is kept."""

    def __init__(self, side: Side, other: Side, run: Run) -> None:
        """Take both sides, and the given run of the first."""
        self._side, self._other, self._run = side, other, run
        self._length = side.length(run)
        self._given = side.features(run) if _consecutive(run) else None
        self._shared: dict[Run, Features] = {}

    def score(self, run: Run) -> Scored | None:
        """The score and the match counts; None without a match of the highest order."""
        if self._given and _consecutive(run):
            counts = [len(features) for features in self._of(run, self._given)]
        else:
            counts = self._side.matches(self._run, self._other, run)
        if not counts[-1]:
            return None
        return sentence_score(counts, self._length, self._other.length(run)), counts

    def _of(self, run: Run, given: Features) -> Features:
        """The features that a run shares with the given one: as many as there are matches."""
        found = self._shared.get(run)
        if found is None:
            if len(run) == 1:
                own = self._other.features(run)
                found = tuple([a & b for a, b in zip(given, own, strict=True)])
            else:
                parts = self._of(run[:-1], given), self._of(run[-1:], given)
                found = self._other.merged(*parts, run, given)
            self._shared[run] = found
        return found


class _Gap:
    """The sentences between two anchors while they are being linked."""

    def __init__(
        self, filler: GapFiller, pre: _Pair, post: _Pair, src: list[int], tgt: list[int]
    ) -> None:
        self.filler, self.pre, self.post = filler, pre, post
        self.src, self.tgt = src, tgt
        self._known: dict[Run, Best | None] = {}
        if src or tgt:
            self._sources = set(self._candidates(src, pre.src, post.src))
            self._targets = self._candidates(tgt, pre.tgt, post.tgt)
            self._like = filler.first_of_kind(self._targets)

    def _candidates(self, gap: Sequence[int], pre: Run, post: Run) -> list[Run]:
        """The anchors' runs, the sentences near the ends of the gap, and merged runs of these."""
        near = _NEAR + self.filler.merge
        inner = gap if len(gap) <= 2 * near else [*gap[:near], *gap[-near:]]
        base = [*([pre] if pre else []), *((i,) for i in inner), *([post] if post else [])]
        out = grown = base
        for count in range(2, self.filler.merge + 1):
            grown = [run + part for run, part in zip(grown, base[count - 1 :], strict=False)]
            out = out + grown
        return out if self.filler.compat else [run for run in out if _consecutive(run)]

    def best(self, run: Run) -> Best | None:
        """The best target of a source run; of equal ones the first. None if none has a score."""
        if run not in self._known:
            self._known[run] = self._best(run) if run in self._sources else None
        return self._known[run]

    def _best(self, run: Run) -> Best | None:
        scorer = self.filler.scorer(run)
        found: Best | None = None
        for target in self.filler.near(run, self._targets):
            scored = scorer.score(self._like.get(target, target))
            if scored and (found is None or scored[0] > found[0]):
                found = scored[0], target, scored[1]
        return found

    def run(self, out: list[RawLink]) -> None:
        """Apply the steps until none applies."""
        while self.src or self.tgt:
            if self.filler.merge > 1 and (self._grow_source() or self._grow_target()):
                continue
            if not (self.src and self.tgt):
                return
            if self.filler.bleu_1to1 and self._link(out):
                continue
            self._by_length(out)
            return

    def _grow_source(self) -> bool:
        """Merge the first or last source sentence of the gap into its neighbour."""
        if not self.src:
            return False
        for pair, first in ((self.pre, True), (self.post, False)):
            if not pair.src:
                continue
            run = (*pair.src, self.src[0]) if first else (self.src[-1], *pair.src)
            if self._better(run, pair) and (best := self.best(run)) and best[1] == pair.tgt:
                pair.src, pair.method = run, FILLER
                self.src.pop(0 if first else -1)
                return True
        return False

    def _better(self, run: Run, pair: _Pair) -> bool:
        """Whether a source run goes better with a pair's target than its source with any.

        It seldom does: asked first, this saves looking for the best target of the run.
        """
        if run not in self._sources:
            return False
        new = self.filler.score(run, self._like.get(pair.tgt, pair.tgt))
        if new is None:
            return False
        old = self.best(pair.src)
        return old is None or (new[0] > old[0] and new[1] > old[2])

    def _grow_target(self) -> bool:
        """Let a neighbour have the target run it scores best with."""
        if not self.tgt:
            return False
        for pair, first in ((self.pre, True), (self.post, False)):
            best = self.best(pair.src) if pair.src else None
            if best is None or best[1] in (self.pre.tgt, self.post.tgt):
                continue
            if not self.filler.compat and not self._may_take(pair, best[1], first):
                continue
            pair.tgt, pair.method = best[1], FILLER
            self.tgt = [j for j in self.tgt if j not in best[1]]
            return True
        return False

    def _may_take(self, pair: _Pair, run: Run, first: bool) -> bool:
        """Whether a run is the pair's own target grown into the gap, and nothing else."""
        own = run[: len(pair.tgt)] if first else run[-len(pair.tgt) :]
        added = run[len(pair.tgt) :] if first else run[: -len(pair.tgt)]
        edge = self.tgt[: len(added)] if first else self.tgt[len(self.tgt) - len(added) :]
        return own == pair.tgt and bool(added) and list(added) == edge

    def _link(self, out: list[RawLink]) -> bool:
        """Link the first sentences of both gaps if the source's best is that target."""
        best = self.best((self.src[0],))
        if best is None or best[1] != (self.tgt[0],):
            return False
        _emit(out, self.pre)
        self.pre = _Pair((self.src.pop(0),), (self.tgt.pop(0),), FILLER)
        return True

    def _by_length(self, out: list[RawLink]) -> None:
        """Hand the rest to Gale-Church, unless the sizes differ too much."""
        small, large = sorted((len(self.src), len(self.tgt)))
        if self.filler.galechurch and (large < _SMALL or large < 2 * small):
            _emit(out, self.pre)
            self.pre.emitted = True
            for src, tgt in self.filler.lengths_beads(self.src, self.tgt):
                out.append(RawLink(src, tgt, LENGTH))


def _emit(out: list[RawLink], pair: _Pair) -> None:
    if pair.src and pair.tgt:
        out.append(RawLink(pair.src, pair.tgt, pair.method))


def _consecutive(run: Run) -> bool:
    return run[-1] - run[0] == len(run) - 1
