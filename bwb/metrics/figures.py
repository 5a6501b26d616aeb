"""The series of the BWB paper's Figures 5, 6 and 7, as points with intervals.

Jiang et al. 2023: Figure 5 shows the recall of terms (T) against other mentions (N), Figure 6 the
F1 of persons against the rest, Figure 7 a metric over documents in bins of the share of pronouns
that Chinese omits, |O| / (|O| + |P|) in a document. Any metric may be put over those bins, and the
bins be given by their edges or as quantiles.

Intervals are bootstrap intervals over the documents that a point is made of; below two documents
there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.metrics.scoring import Scored
    from bwb.records import Document, Lang

# A score, and the ends of its interval; None where undefined.
Estimated = tuple[float | None, float | None, float | None]

RESAMPLES = 2_000
SEED = 12345


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a figure.

    Attributes:
        system: Name of the system.
        series: What is shown of it: ``T``, ``NONPER``, or a metric's score.
        value: A fraction; None if undefined.
        low: Lower end of the 95% interval; None if there is none.
        high: Upper end.
        count: What the value is a share of: occurrences in the reference. None for a score.
        documents: Number of documents.
    """

    system: str
    series: str
    value: float | None
    low: float | None
    high: float | None
    count: int | None
    documents: int


@dataclass(frozen=True, slots=True)
class Bin:
    """Documents whose ratio lies between two edges, the upper one included only in the last bin.

    Attributes:
        low: Lower edge.
        high: Upper edge.
        documents: Ids of the documents, in the order of the corpus.
        points: A point a system.
    """

    low: float
    high: float
    documents: tuple[str, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Binned:
    """A metric over bins.

    Attributes:
        bins: From the lowest to the highest; a bin may be empty.
        left_out: Documents in no bin, and why.
    """

    bins: tuple[Bin, ...]
    left_out: Mapping[str, str]


def terminology_recall(
    scored: Scored, *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Point]:
    """Figure 5: recall of T and of N, from counts of `bwb.metrics.terminology.Terminology`."""
    return _class_points(scored, ("T", "N"), "recall", resamples, seed)


def person_against_rest(
    scored: Scored, *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Point]:
    """Figure 6: F1 of PER and of all other types, from counts of `bwb.metrics.entity.Entity`."""
    return _class_points(scored, ("PER", "NONPER"), "f1", resamples, seed)


def omitted_ratio(document: Document, lang: Lang = "en") -> float | None:
    """|O| / (|O| + |P|): the share of a side's annotated pronouns that the other side omits.

    None if the side is not there, its pronouns are not annotated, or it has none.
    """
    side = document.en if lang == "en" else document.zh
    if side is None or "coreference" not in side.layers:
        return None
    omitted = [mention.omitted for mention in side.mentions if mention.pronoun]
    return sum(omitted) / len(omitted) if omitted else None


def quantile_edges(ratios: Iterable[float], count: int) -> tuple[float, ...]:
    """Edges of bins that hold about as many documents each; equal edges are made one.

    Raises:
        UsageError: if `count` is not positive.
        InputError: if there are no ratios.
    """
    import numpy as np

    found = list(ratios)
    if count < 1:
        raise UsageError(f"{count} bins; expected 1 or more")
    if not found:
        raise InputError("no document has annotated pronouns; there is nothing to put in bins")
    edges = np.unique(np.quantile(found, np.linspace(0, 1, count + 1))).tolist()
    return (edges[0], edges[0]) if len(edges) == 1 else tuple(edges)


def over_omitted_ratio(
    scored: Scored,
    documents: Sequence[Document],
    *,
    edges: Sequence[float] | None = None,
    quantiles: int = 4,
    of: str = "score",
    lang: Lang = "en",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Binned:
    """Figure 7: a metric over bins of the ratio of omitted pronouns.

    Args:
        scored: Counts of any metric.
        documents: The documents it was counted on, and perhaps others.
        edges: Edges of the bins, ascending; by `quantiles` if None.
        quantiles: Number of bins.
        of: Name of the score, see `bwb.metrics.stats_table`.
        lang: Side whose pronouns are meant.
        resamples: How often documents are drawn for an interval.
        seed: Seed of the draws.

    Raises:
        UsageError: if the edges are not two or more numbers that ascend.
        InputError: if no document has annotated pronouns.
    """
    return over_ratios(
        scored,
        {document.id: omitted_ratio(document, lang) for document in documents},
        edges=edges,
        quantiles=quantiles,
        of=of,
        lang=lang,
        resamples=resamples,
        seed=seed,
    )


def over_ratios(
    scored: Scored,
    ratios: Mapping[str, float | None],
    *,
    edges: Sequence[float] | None = None,
    quantiles: int = 4,
    of: str = "score",
    lang: Lang = "en",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Binned:
    """`over_omitted_ratio` of ratios that are known: document id → ratio, None if it has none."""
    known = {name: ratios.get(name) for name in scored.documents}
    left_out = {name: lack for name, lack in scored.left_out.items() if name in ratios}
    left_out |= {
        name: f"no annotated pronouns on the {lang} side"
        for name, ratio in known.items()
        if ratio is None
    }
    values = {name: ratio for name, ratio in known.items() if ratio is not None}
    if edges is None:
        edges = quantile_edges(values.values(), quantiles)
    if len(edges) < 2 or any(low > high for low, high in pairwise(edges)):
        raise UsageError(f"edges {list(edges)}; expected two or more numbers that ascend")
    rows: list[list[int]] = [[] for _ in edges[1:]]
    for place, name in enumerate(scored.documents):
        if name not in values:
            continue
        number = _bin_of(values[name], edges)
        if number is None:
            left_out[name] = f"ratio {values[name]:.3f} is outside {edges[0]:g} to {edges[-1]:g}"
        else:
            rows[number].append(place)
    bins = [
        Bin(
            low,
            high,
            tuple(scored.documents[place] for place in places),
            tuple(_points(scored, places, of, resamples, seed)),
        )
        for (low, high), places in zip(pairwise(edges), rows, strict=True)
    ]
    return Binned(tuple(bins), left_out)


def _bin_of(ratio: float, edges: Sequence[float]) -> int | None:
    for number, (low, high) in enumerate(pairwise(edges)):
        if low <= ratio < high:
            return number
    return len(edges) - 2 if ratio == edges[-1] else None


def _points(
    scored: Scored, places: Sequence[int], of: str, resamples: int, seed: int
) -> Iterable[Point]:
    """A point a system, of some of the documents."""
    for system, found in estimates(scored, (of,), resamples, seed, places).items():
        yield Point(system, of, *found[of], None, len(places))


def _class_points(
    scored: Scored, classes: Sequence[str], ratio: str, resamples: int, seed: int
) -> list[Point]:
    made = estimates(scored, [f"{name}.{ratio}" for name in classes], resamples, seed)
    return [
        Point(system, name, *made[system][f"{name}.{ratio}"], count, len(tallies))
        for system, tallies in scored.tallies.items()
        for name in classes
        for count in [int(sum(t.counts.get(f"{name}.reference", 0.0) for t in tallies))]
    ]


def estimates(
    scored: Scored,
    of: Sequence[str],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    places: Sequence[int] | None = None,
) -> dict[str, dict[str, Estimated]]:
    """Scores with their bootstrap intervals: system → name → (value, low, high).

    Args:
        scored: Counts of a metric.
        of: Names of scores, see `bwb.metrics.stats_table`.
        resamples: How often documents are drawn.
        seed: Seed of the draws.
        places: Which documents; all if None. With fewer than two, low and high are None; with
            none, the value too.
    """
    from bwb.metrics.stats import CountTable, score_intervals

    chosen = range(len(scored.documents)) if places is None else places
    tallies = {name: [rows[place] for place in chosen] for name, rows in scored.tallies.items()}
    if not len(chosen):
        return {name: dict.fromkeys(of, (None, None, None)) for name in tallies}
    values = CountTable.of(scored.metric, tallies).corpus(of)
    between = (
        score_intervals(scored.metric, tallies, of, resamples=resamples, seed=seed)
        if len(chosen) > 1
        else {}
    )
    made: dict[str, dict[str, Estimated]] = {}
    for column, system in enumerate(tallies):
        made[system] = {}
        for row, name in enumerate(of):
            value = float(values[row, column])
            ends = between[system][name] if between else None
            if math.isnan(value):
                made[system][name] = (None, None, None)
            elif ends is None:
                made[system][name] = (value, None, None)
            else:
                made[system][name] = (value, ends.low, ends.high)
    return made
