"""Foci of a text, and how far two texts are apart in them: the formulas of DiscoScore.

A focus is what a text is about at some point: a noun, or a group of related nouns. Definitions and
where paper and code differ: `bwb.metrics.discoscore`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.metrics.tokenvectors import Pieces

Values = NDArray[np.float64]
# Sentence and word of each use of a focus, by its name; in the order of the text.
Uses = dict[str, list[tuple[int, int]]]


def group_uses(uses: Uses, groups: Mapping[str, Iterable[str]]) -> Uses:
    """The uses of groups of foci.

    Args:
        uses: Those of each focus.
        groups: The members of the group that each focus is in; the names of the group are made of
            them, so that groups of two texts are the same if their members are.
    """
    made: Uses = {}
    for focus, places in uses.items():
        made.setdefault("-".join(sorted(groups[focus])), []).extend(places)
    return made


def focus_vectors(pieces: Pieces, uses: Uses, *, last_piece: bool) -> dict[str, Values]:
    """The vector of each focus: the sum over its uses of the unit vectors of their pieces.

    Args:
        pieces: Of the text.
        uses: Of each focus.
        last_piece: Whether only the last piece of a word counts.
    """
    found: dict[tuple[int, int], list[int]] = {}
    for number, place in enumerate(
        zip(pieces.sentence.tolist(), pieces.word.tolist(), strict=True)
    ):
        found.setdefault(place, []).append(number)
    units = _unit(pieces.vectors.astype(np.float64))
    out = {}
    for focus, places in uses.items():
        rows = [found.get(place, []) for place in places]
        chosen = [number for row in rows for number in (row[-1:] if last_piece else row)]
        if chosen:
            out[focus] = units[chosen].sum(axis=0)
    return out


def focus_distance(
    system: Mapping[str, Values], reference: Mapping[str, Values], *, squared: bool
) -> float | None:
    """DS-Focus: the distance between shared foci, summed, divided by the foci of the system.

    Args:
        system: Vectors of the system's foci.
        reference: Vectors of the reference's foci.
        squared: Whether distances are squared.

    Returns:
        Lower is better; None if no focus is shared.
    """
    shared = [focus for focus in system if focus in reference]
    if not shared:
        return None
    apart = np.array([np.linalg.norm(system[f] - reference[f]) for f in shared])
    return float((apart**2 if squared else apart).sum() / len(system))


def sentence_vectors(pieces: Pieces, sentences: Sequence[int]) -> Values:
    """The mean of the vectors of each sentence; shape (sentences, dimensions).

    Args:
        pieces: Of the text.
        sentences: Numbers of the sentences that have pieces.
    """
    return np.stack(
        [pieces.vectors[pieces.sentence == n].astype(np.float64).mean(axis=0) for n in sentences]
    )


def discourse_vector(vectors: Values, graph: Values) -> Values:
    """DS-Sent: a text as one vector, mean, max, min and sum over its sentences.

    Each sentence's vector has those of the sentences after it that it is joined to added to it, in
    the measure of the edge, and is then given the length 1.

    Args:
        vectors: Of the sentences.
        graph: Its weights; see `bwb.metrics.grids.connections`.
    """
    rows = _unit(vectors + graph @ vectors)
    return np.concatenate([rows.mean(axis=0), rows.max(axis=0), rows.min(axis=0), rows.sum(axis=0)])


def cosine(one: Values, other: Values) -> float | None:
    """The cosine of two vectors; None if one has no direction."""
    # One root of both squares: of equal vectors exactly 1.
    lengths = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / lengths if lengths else None


def _unit(rows: Values) -> Values:
    """Rows of length 1; those without direction stay as they are."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Values = rows / np.where(lengths > 0, lengths, 1)
    return scaled
