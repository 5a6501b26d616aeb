"""Train the hybrid aligner: ``python -m bwb.align.train DATA.jsonl… --out WEIGHTS.toml``.

Maximises the likelihood of the gold paths under the semi-Markov conditional random field of
`hybrid`, with a Gaussian prior. A data file has rows ``{"id", "src", "tgt", "gold"}``, gold links
as ``[[0, 1], [0]]``. With ``--leave-one-out`` every document is aligned with weights trained on
the others and scored, strict and lax, as Vecalign scores (Thompson & Koehn 2019); the curve of
precision against coverage is that of these alignments. Calibration is always learned from them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from bwb.align.base import SentenceLink
from bwb.align.encoders import make_encoder
from bwb.align.features import FEATURES, FIRST
from bwb.align.hybrid import (
    Bead,
    Scene,
    beads,
    decode,
    finish,
    make_lexicon,
    narrow,
    rough,
    singles,
    support,
)
from bwb.align.lattice import Lattice
from bwb.align.model import LEXICONS, Calibration, Model, dump_model
from bwb.align.scoring import LinkScore, score_links
from bwb.align.sides import encode_clauses, make_sides
from bwb.errors import Finding, FormatError
from bwb.textio import read_lines, replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.align.encoders import Encoder
    from bwb.align.lattice import Floats, Ints
    from bwb.align.lexicon import Lexicon

PRIOR = 0.1  # of the squared weights, against the log-likelihood of all documents

STRANGE = 0.03  # links of texts that do not belong together, to one that is aligned

NEVER_NEGATIVE = ("m", "il")
"""What the texts have in common never counts against a bead, whatever a small sample says."""


@dataclass(frozen=True)
class Example:
    """A document, its beads, and the path nearest to the gold alignment."""

    name: str
    file: str
    texts: tuple[Sequence[str], Sequence[str]]
    gold: frozenset[Bead]
    scene: Scene
    path: Ints


@dataclass(frozen=True)
class Outcome:
    """How the links of one document, aligned by weights that have not seen it, came out.

    Attributes:
        last: Posterior of each link among the beads left at the end; shape (links,).
        first: Its posterior by the first weights.
        support: Mean `m` about each link.
        right: Whether each link is in the gold alignment.
        score: Strict and lax counts of the links.
        mismatched: Last, first and support of the links of this document's source with another's
            target; shape (3, links).
    """

    last: Floats
    first: Floats
    support: Floats
    right: Floats
    score: LinkScore
    mismatched: Floats

    @property
    def evidence(self) -> Floats:
        """Last, first and support; shape (3, links)."""
        return np.stack((self.last, self.first, self.support))


def read_examples(path: Path, encoder: Encoder, lexicon: Lexicon, model: Model) -> list[Example]:
    """The documents of a file.

    Raises:
        FormatError: if a row is not as the module's docstring says.
    """
    out = []
    for number, line in enumerate(read_lines(path)[0], 1):
        try:
            row = json.loads(line)
            name, src, tgt = str(row["id"]), row["src"], row["tgt"]
            gold = _beads(row["gold"], len(src), len(tgt))
        except (ValueError, KeyError, TypeError) as error:
            message = f"{error!r}; expected id, src, tgt and gold links that cover both"
            raise FormatError(Finding(str(path), number, 1, "gold", message)) from None
        scene = whole_scene(src, tgt, encoder, lexicon, model)
        wanted = gold_path(scene, gold)
        out.append(Example(name, path.name, (src, tgt), gold, scene, wanted))
    return out


def whole_scene(
    src: Sequence[str], tgt: Sequence[str], encoder: Encoder, lexicon: Lexicon, model: Model
) -> Scene:
    """All beads of the first pruning with all features."""
    sides = make_sides(src, tgt, encoder, lexicon)
    wide = rough(sides[0], sides[1], model)
    sides = encode_clauses(sides, (np.ones(len(src), bool), np.ones(len(tgt), bool)), encoder)
    return finish(wide, np.ones(len(wide.arcs), bool), sides[0], sides[1])


def _beads(links: Sequence[tuple[list[int], list[int]]], n: int, m: int) -> frozenset[Bead]:
    """Gold links as tuples; they may cross or have holes, which no monotone path can match.

    Raises:
        ValueError: if a sentence is out of range.
    """
    out = frozenset((tuple(sorted(src)), tuple(sorted(tgt))) for src, tgt in links)
    for side, size in ((0, n), (1, m)):
        if bad := [
            link for link in out if link[side] and not 0 <= link[side][0] <= link[side][-1] < size
        ]:
            raise ValueError(f"gold link {bad[0]} is out of range, there are {n}:{m} sentences")
    return out


def gold_path(scene: Scene, gold: frozenset[Bead]) -> Ints:
    """The path that holds most gold links; of these that of the fewest arcs, then of best `m`."""
    hits = [sum(link in gold for link in singles(bead)) for bead in beads(scene.arcs)]
    return scene.lattice.best(100.0 * np.array(hits) - 1 + 0.1 * scene.table[:, 0])[0]


def loss(weights: Floats, examples: Sequence[Example], prior: float) -> tuple[float, Floats]:
    """Negative log-likelihood of the gold paths, with its gradient.

    Args:
        weights: Shape (features,).
        examples: Documents; their log-likelihoods add up.
        prior: Times half the squared weights is added.
    """
    value, slope = prior / 2 * float(weights @ weights), prior * weights
    for example in examples:
        table = example.scene.table
        scores = table @ weights
        shares, total = example.scene.lattice.marginals(scores)
        value += total - float(scores[example.path].sum())
        slope = slope + shares @ table - table[example.path].sum(axis=0)
    return value, slope


def fit(examples: Sequence[Example], prior: float = PRIOR, start: Floats | None = None) -> Floats:
    """Weights of the greatest likelihood (L-BFGS); shape (features,)."""
    first = np.zeros(examples[0].scene.table.shape[1]) if start is None else start
    names = FEATURES[: len(first)]
    bounds = [(0.0 if name in NEVER_NEGATIVE else None, None) for name in names]
    found = minimize(loss, first, (examples, prior), "L-BFGS-B", jac=True, bounds=bounds)
    return np.asarray(found.x)


def fit_model(
    examples: Sequence[Example], prior: float, blank: Model, start: Model | None
) -> Model:
    """Both sets of weights."""
    width = len(FIRST)
    short = [replace(e, scene=replace(e.scene, table=e.scene.table[:, :width])) for e in examples]
    first = fit(short, prior, start.first_vector() if start else None)
    last = fit(examples, prior, start.vector() if start else None)
    return replace(
        blank,
        first=dict(zip(FIRST, first.tolist(), strict=True)),
        weights=dict(zip(FEATURES, last.tolist(), strict=True)),
    )


def align(scene: Scene, model: Model) -> tuple[list[Bead], Floats, Floats, Floats]:
    """Links of a scene that has all features, as `Hybrid` finds them.

    Returns:
        Links; last and first posterior, and support, of each.
    """
    wide = replace(scene, table=scene.table[:, : len(FIRST)])
    keep = np.flatnonzero(narrow(wide, model))
    ends = scene.lattice.start[keep], scene.lattice.end[keep]
    lattice = Lattice(*ends, scene.lattice.depth, scene.lattice.source, scene.lattice.sink)
    some = Scene(scene.arcs[keep], lattice, scene.table[keep], scene.likeness)
    path, last = decode(some, model.vector())
    first = wide.lattice.marginals(wide.table @ model.first_vector())[0][keep][path]
    found = [singles(bead) for bead in beads(some.arcs[path])]
    counts = [len(links) for links in found]
    last, first, near = (np.repeat(x, counts) for x in (last, first, support(some, path)))
    return [link for links in found for link in links], last, first, near


def leave_one_out(
    examples: Sequence[Example], prior: float, strangers: Sequence[Scene], blank: Model
) -> list[Outcome]:
    """Align each document with weights trained on the others."""
    out = []
    start = fit_model(examples, prior, blank, None)
    for example, stranger in zip(examples, strangers, strict=True):
        rest = [other for other in examples if other is not example]
        model = fit_model(rest, prior, blank, start) if rest else start
        found, last, first, near = align(example.scene, model)
        right = np.array([bead in example.gold for bead in found], float)
        score = score_links(_links(example.gold), _links(found))
        mismatched = np.stack(align(stranger, model)[1:])
        out.append(Outcome(last, first, near, right, score, mismatched))
    return out


def _links(beads: Iterable[Bead]) -> list[SentenceLink]:
    return [SentenceLink(*bead) for bead in beads]


def calibrate(outcomes: Sequence[Outcome]) -> Calibration:
    """All numbers of the calibration at once, by the likelihood of right and wrong links.

    The links of texts that do not belong together are wrong, and count for a tenth: they teach
    what low support means, and leave the scores of texts that do belong together alone.
    """
    true = np.concatenate([x.evidence for x in outcomes], axis=1)
    false = np.concatenate([x.mismatched for x in outcomes], axis=1)
    last, first, near = np.concatenate((true, false), axis=1)
    right = np.concatenate([*(x.right for x in outcomes), np.zeros(false.shape[1])])
    weight = np.repeat(
        [1.0, STRANGE * true.shape[1] / false.shape[1]], [true.shape[1], false.shape[1]]
    )

    def cost(x: Floats) -> float:
        score = np.clip(Calibration(*x.tolist())(last, first, near), 1e-9, 1 - 1e-9)
        told = right * np.log(score) + (1 - right) * np.log(1 - score)
        return float(1e-3 * x @ x - weight @ told)

    start = np.array([0.5, 0.5, 0.5, 30.0, -3.0])
    bounds = [(0, None), (0, None), (None, None), (0, 100), (None, None)]
    return Calibration(*minimize(cost, start, method="L-BFGS-B", bounds=bounds).x.tolist())


def held_out(outcomes: Sequence[Outcome]) -> tuple[Floats, Floats]:
    """Scores of all links, each document's calibrated on the others; and whether each is right."""
    scores = []
    for outcome in outcomes:
        rest = [other for other in outcomes if other is not outcome] or [outcome]
        scores.append(calibrate(rest)(*outcome.evidence))
    return np.concatenate(scores), np.concatenate([x.right for x in outcomes])


def calibration_error(scores: Floats, right: Floats, bins: int = 10) -> float:
    """Mean distance of score and share right, over bins of as many links each (ECE)."""
    order = np.argsort(scores, kind="stable")
    parts = np.array_split(order, bins)
    gaps = [abs(scores[p].mean() - right[p].mean()) * len(p) for p in parts if len(p)]
    return float(sum(gaps) / len(scores))


def curve(scores: Floats, right: Floats) -> list[tuple[float, float, float]]:
    """Precision by coverage.

    Args:
        scores: Of links, as `held_out` gives them.
        right: Whether each is right.

    Returns:
        Rows of: share of links kept, highest scores first; share of them that are right; mean
        score of them.
    """
    order = np.argsort(-scores, kind="stable")
    rows = []
    for coverage in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0):
        kept = order[: max(1, round(coverage * len(order)))]
        rows.append((coverage, float(right[kept].mean()), float(scores[kept].mean())))
    return rows


def strangers_of(
    examples: Sequence[Example], model: Model, encoder: Encoder, lexicon: Lexicon
) -> list[Scene]:
    """Each source with the target of the file's next document, or with its own reversed."""
    out = []
    for k, example in enumerate(examples):
        same = [
            other for other in (*examples[k + 1 :], *examples[:k]) if other.file == example.file
        ]
        target = same[0].texts[1] if same else example.texts[1][::-1]
        out.append(whole_scene(example.texts[0], target, encoder, lexicon, model))
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bwb.align.train", description=__doc__)
    parser.add_argument("data", nargs="+", type=Path, help="JSONL with gold links")
    parser.add_argument("--out", type=Path, help="weights file to write")
    parser.add_argument("--lexicon", choices=LEXICONS, default=LEXICONS[0])
    parser.add_argument("--prior", type=float, default=PRIOR, help="strength (default %(default)s)")
    parser.add_argument("--leave-one-out", action="store_true", help="print scores and the curve")
    args = parser.parse_args(arguments)
    zeros = dict.fromkeys(FEATURES, 0.0)
    blank = Model(args.lexicon, zeros, zeros)
    encoder, lexicon = make_encoder(), make_lexicon(args.lexicon)
    examples = [e for path in args.data for e in read_examples(path, encoder, lexicon, blank)]
    strangers = strangers_of(examples, blank, encoder, lexicon)
    outcomes = leave_one_out(examples, args.prior, strangers, blank)
    if args.leave_one_out:
        sys.stdout.write(report(examples, outcomes))
    if args.out:
        model = fit_model(examples, args.prior, blank, None)
        model = replace(model, calibration=calibrate(outcomes))
        with replacing(args.out) as file:
            file.write(dump_model(model, notes(args.data, examples, outcomes, args.prior, encoder)))
    return 0


def report(examples: Sequence[Example], outcomes: Sequence[Outcome]) -> str:
    """Tables for people: scores by document and file, precision by coverage."""
    lines = ["document              strict F1   lax F1   links"]
    rows = [(e.name, o.score) for e, o in zip(examples, outcomes, strict=True)]
    for file in dict.fromkeys(e.file for e in examples):
        some = [o.score for e, o in zip(examples, outcomes, strict=True) if e.file == file]
        rows.append((file, sum(some, LinkScore())))
    lines += [
        f"{name:<20} {score.f1('strict') or 0:10.4f} {score.f1('lax') or 0:8.4f} "
        f"{score.precision.links:7}"
        for name, score in rows
    ]
    lines += ["", "kept    precision  mean score"]
    found = held_out(outcomes)
    lines += [f"{kept:4.0%} {right:12.4f} {mean:11.4f}" for kept, right, mean in curve(*found)]
    lines += ["", f"expected calibration error {calibration_error(*found):.4f}"]
    return "\n".join(lines) + "\n"


def notes(
    files: Sequence[Path],
    examples: Sequence[Example],
    outcomes: Sequence[Outcome],
    prior: float,
    encoder: Encoder,
) -> dict[str, object]:
    """What the weights file says about its training."""
    total = sum((o.score for o in outcomes), LinkScore())
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    return {
        "data": [path.name for path in files],
        "sha256": digests,
        "documents": len(examples),
        "encoder": encoder.name,
        "prior": prior,
        "left_out_strict_f1": total.f1("strict"),
        "left_out_lax_f1": total.f1("lax"),
        "left_out_calibration_error": calibration_error(*held_out(outcomes)),
    }


if __name__ == "__main__":
    sys.exit(main())
