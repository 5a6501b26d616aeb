"""Coreference scores: MUC, B3, CEAFm, CEAFe, LEA, BLANC, and the CoNLL F1.

Everything here is pure computation on clusters of mentions. `count` turns the key (the annotated
clusters) and the response (the predicted clusters) of one document into numerators and
denominators; those of a corpus are the sums over its documents, divided only at the end, as the
official scorer does. The precision of every metric is its recall with key and response swapped.

A mention may be any hashable value. Two mentions match if they are equal: for spans, if both
boundaries agree. A mention that repeats within one side counts once, in the cluster that comes
first, so that each side is a set of disjoint clusters; clusters left empty by this do not count.
(The official scorer removes only those repeats of the response whose mention the key has too, and
none of the key; on input without repeats the two agree.)

``None`` means undefined: the denominator is zero, as the MUC recall of a key without links. The
official scorer prints 0 there.

Sources:
    MUC: Vilain et al. 1995, A model-theoretic coreference scoring scheme.
    B3: Bagga and Baldwin 1998, Algorithms for scoring coreference chains.
    CEAFm, CEAFe: Luo 2005, On coreference resolution performance metrics (similarities φ3, φ4).
    BLANC: Recasens and Hovy 2011; Luo et al. 2014, An extension of BLANC to system mentions.
    LEA: Moosavi and Strube 2016, Which coreference evaluation metric do you trust?
    Predicted mentions are scored as they are, none added to or taken from a side: Pradhan et al.
    2014, Scoring coreference partitions of predicted mentions (official scorer 8.01).
    CoNLL F1: Pradhan et al. 2012, CoNLL-2012 shared task; first Denis and Baldridge 2009.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import comb, fsum
from typing import Literal, NamedTuple, TypeAlias, get_args

Clusters: TypeAlias = Sequence[Sequence[Hashable]]
BlancConvention = Literal["official", "luo2014"]

# Number of shared mentions of key cluster i and response cluster j; pairs that share none are
# absent.
_Cells: TypeAlias = Mapping[tuple[int, int], int]


class PRF(NamedTuple):
    """Recall, precision and F1, each in [0, 1] or None where undefined."""

    recall: float | None
    precision: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Recall and precision as they are before division, so that documents can be added up.

    Attributes:
        recall_num: Numerator of the recall.
        recall_den: Denominator of the recall; 0 makes the recall undefined.
        precision_num: Numerator of the precision.
        precision_den: Denominator of the precision; 0 makes the precision undefined.
    """

    recall_num: float
    recall_den: float
    precision_num: float
    precision_den: float

    @property
    def recall(self) -> float | None:
        """Recall in [0, 1]; None if its denominator is zero."""
        return self.recall_num / self.recall_den if self.recall_den else None

    @property
    def precision(self) -> float | None:
        """Precision in [0, 1]; None if its denominator is zero."""
        return self.precision_num / self.precision_den if self.precision_den else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of recall and precision.

        None only if both are undefined: there was nothing to find and nothing was claimed. If one
        is undefined and the other is not, one side has what the other has none of, and F1 is 0.0,
        as it is if either is 0.
        """
        recall, precision = self.recall, self.precision
        if recall is None and precision is None:
            return None
        if not recall or not precision:
            return 0.0
        return 2 * recall * precision / (recall + precision)

    def __add__(self, other: Ratio) -> Ratio:
        """The counts of both, added up."""
        if not isinstance(other, Ratio):
            return NotImplemented
        return Ratio(
            self.recall_num + other.recall_num,
            self.recall_den + other.recall_den,
            self.precision_num + other.precision_num,
            self.precision_den + other.precision_den,
        )


@dataclass(frozen=True, slots=True)
class CorefCounts:
    """All counts of one document or, added up, of a corpus.

    Attributes:
        mentions: Mentions found, regardless of clusters.
        muc: Links that hold a cluster together, |k| - 1 for a cluster of |k| mentions.
        b_cubed: Mentions, each weighed by the share of its cluster that came with it.
        ceafm: Mentions in aligned clusters (φ3).
        ceafe: Clusters, each weighed by its likeness to the one it is aligned with (φ4).
        lea: Mentions, weighed by the share of resolved links of their cluster.
        blanc_coreferent: Pairs of mentions of one cluster.
        blanc_non_coreferent: Pairs of mentions of different clusters.
    """

    mentions: Ratio
    muc: Ratio
    b_cubed: Ratio
    ceafm: Ratio
    ceafe: Ratio
    lea: Ratio
    blanc_coreferent: Ratio
    blanc_non_coreferent: Ratio

    def __add__(self, other: CorefCounts) -> CorefCounts:
        """The counts of both, added up metric by metric."""
        if not isinstance(other, CorefCounts):
            return NotImplemented
        return CorefCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def conll_f1(self) -> float | None:
        """Mean F1 of MUC, B3 and CEAFe, in [0, 1]; None if one of them is undefined.

        MUC is undefined where neither side has a cluster of two mentions or more. The mean of what
        the official scorer prints takes it for 0 there: at most 2/3 for a perfect response.
        """
        muc, b_cubed, ceafe = self.muc.f1, self.b_cubed.f1, self.ceafe.f1
        if muc is None or b_cubed is None or ceafe is None:
            return None
        return (muc + b_cubed + ceafe) / 3

    def blanc(self, convention: BlancConvention = "official") -> PRF:
        """BLANC: the mean over coreferent and non-coreferent links, of R, P and F1 apart.

        The conventions differ in what they do with a type of link that is missing. Within the
        mean, a recall or precision that is undefined is 0 in both.

        Args:
            convention: ``official`` (scorer 8.01) leaves a type out of the mean if the key has no
                link of it, whatever the response has. ``luo2014`` (Luo et al. 2014, boundary
                cases) leaves it out only if neither side has one.

        Returns:
            Recall, precision, F1. Where no type is left, ``luo2014`` gives 1.0 if both sides have
            the same mentions and 0.0 if not; ``official`` gives 0.0 if the response has links, and
            None if not (the scorer prints 0). Without any mention, all are None in both.

        Raises:
            ValueError: The convention is not one of those.
        """
        if convention not in get_args(BlancConvention):
            known = ", ".join(get_args(BlancConvention))
            raise ValueError(f"unknown BLANC convention {convention!r}: known are {known}")
        types = (self.blanc_coreferent, self.blanc_non_coreferent)
        linked = [t for t in types if t.recall_den or t.precision_den]
        used = linked if convention == "luo2014" else [t for t in types if t.recall_den]
        if used:
            return PRF(
                sum(t.recall or 0.0 for t in used) / len(used),
                sum(t.precision or 0.0 for t in used) / len(used),
                sum(t.f1 or 0.0 for t in used) / len(used),
            )
        m = self.mentions
        if convention == "luo2014" and m.f1 is not None:
            # Shared mentions are at most those of either side, document by document: so this
            # holds of the sums only if it holds of every document.
            agree = float(m.recall_num == m.recall_den == m.precision_den)
            return PRF(agree, agree, agree)
        return PRF(0.0, 0.0, 0.0) if linked else PRF(None, None, None)


def count(key: Clusters, response: Clusters) -> CorefCounts:
    """The counts of one document.

    Args:
        key: The annotated clusters, each a sequence of mentions.
        response: The predicted clusters, likewise. Either side may be empty, and a cluster may
            hold one mention; such singletons count in every metric but MUC and the coreferent
            links of BLANC.

    Returns:
        Numerators and denominators of every metric.

    Raises:
        TypeError: A side is not a sequence of sequences, or a mention is not hashable.
    """
    key_of, key_sizes = _index(key, "key")
    response_of, response_sizes = _index(response, "response")
    cells = Counter((i, response_of[m]) for m, i in key_of.items() if m in response_of)
    swapped = {(j, i): n for (i, j), n in cells.items()}
    shared, in_key, in_response = cells.total(), len(key_of), len(response_of)
    # MUC: |k| less the parts of k, an unmatched mention being a part of its own, is the number of
    # matched mentions of k less the number of response clusters that they are in.
    common = shared - len(cells)
    phi3, phi4 = _align(cells, key_sizes, response_sizes)
    coreferent, non_coreferent = _blanc_links(cells, key_sizes, response_sizes)
    b_cubed, b_cubed_swapped = _b_cubed(cells, key_sizes), _b_cubed(swapped, response_sizes)
    lea = _lea(cells, key_sizes, response_sizes)
    lea_swapped = _lea(swapped, response_sizes, key_sizes)
    return CorefCounts(
        mentions=Ratio(shared, in_key, shared, in_response),
        muc=Ratio(common, in_key - len(key_sizes), common, in_response - len(response_sizes)),
        b_cubed=Ratio(b_cubed, in_key, b_cubed_swapped, in_response),
        ceafm=Ratio(phi3, in_key, phi3, in_response),
        ceafe=Ratio(phi4, len(key_sizes), phi4, len(response_sizes)),
        lea=Ratio(lea, in_key, lea_swapped, in_response),
        blanc_coreferent=coreferent,
        blanc_non_coreferent=non_coreferent,
    )


def score(pairs: Iterable[tuple[Clusters, Clusters]]) -> CorefCounts:
    """The counts of a corpus: the sum over its documents.

    Args:
        pairs: Key and response of each document.

    Returns:
        Numerators and denominators of every metric; all are 0, and so all scores undefined, if
        there is no document.

    Raises:
        TypeError: As `count`; the message names the document by its index from 0.
    """
    total = count((), ())
    for place, (key, response) in enumerate(pairs):
        try:
            total += count(key, response)
        except TypeError as error:
            raise TypeError(f"document {place}: {error}") from error
    return total


def _index(clusters: Clusters, side: str) -> tuple[dict[Hashable, int], list[int]]:
    """Number the clusters that are not empty.

    Args:
        clusters: One side of a document.
        side: Its name, for messages.

    Returns:
        The number of the cluster of each mention, and the size of each cluster in mentions.
    """
    _require_sequence(clusters, f"the {side}", "clusters")
    cluster_of: dict[Hashable, int] = {}
    sizes: list[int] = []
    for place, cluster in enumerate(clusters):
        _require_sequence(cluster, f"cluster {place} of the {side}", "mentions")
        before = len(cluster_of)
        for mention in cluster:
            try:
                cluster_of.setdefault(mention, len(sizes))
            except TypeError as error:
                raise TypeError(
                    f"mention {mention!r} in cluster {place} of the {side} is not hashable:"
                    " give a span as a tuple, such as (start, end)"
                ) from error
        if len(cluster_of) > before:
            sizes.append(len(cluster_of) - before)
    return cluster_of, sizes


def _require_sequence(value: object, what: str, items: str) -> None:
    """Refuse a value that cannot be, or surely is not meant as, a sequence of such items."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"{what} is {value!r}, not a sequence of {items}")


def _b_cubed(cells: _Cells, sizes: Sequence[int]) -> float:
    """Numerator of the B3 recall, Σ_k Σ_r |k∩r|² / |k| (Bagga and Baldwin 1998)."""
    squares: Counter[int] = Counter()
    for (i, _), n in cells.items():
        squares[i] += n * n
    return fsum(total / sizes[i] for i, total in squares.items())


def _lea(cells: _Cells, sizes: Sequence[int], other_sizes: Sequence[int]) -> float:
    """Numerator of the LEA recall, Σ_k |k| · Σ_r link(k∩r) / link(k) (Moosavi and Strube 2016).

    With link(n) = n(n-1)/2 links among n mentions. A singleton has a link to itself, which only a
    singleton resolves.
    """
    links: Counter[int] = Counter()
    singletons = 0
    for (i, j), n in cells.items():
        if sizes[i] == 1:
            singletons += other_sizes[j] == 1
        else:
            links[i] += n * (n - 1)
    return fsum([singletons, *(total / (sizes[i] - 1) for i, total in links.items())])


def _blanc_links(
    cells: _Cells, key_sizes: Sequence[int], response_sizes: Sequence[int]
) -> tuple[Ratio, Ratio]:
    """Pairs of mentions that corefer, and that do not, on both sides (Luo et al. 2014).

    A pair of shared mentions is non-coreferent on both sides if it is in one cluster of neither:
    by inclusion and exclusion, all pairs less those in one cluster of the key and those in one of
    the response, plus those in one cluster of both.
    """
    matched_key: Counter[int] = Counter()
    matched_response: Counter[int] = Counter()
    for (i, j), n in cells.items():
        matched_key[i] += n
        matched_response[j] += n
    both = _pairs(cells.values())
    neither = (
        comb(matched_key.total(), 2)
        - _pairs(matched_key.values())
        - _pairs(matched_response.values())
        + both
    )
    in_key, in_response = _pairs(key_sizes), _pairs(response_sizes)
    across_key = comb(sum(key_sizes), 2) - in_key
    across_response = comb(sum(response_sizes), 2) - in_response
    return (
        Ratio(both, in_key, both, in_response),
        Ratio(neither, across_key, neither, across_response),
    )


def _pairs(sizes: Iterable[int]) -> int:
    """Number of unordered pairs within sets of these sizes."""
    return sum(comb(n, 2) for n in sizes)


def _align(
    cells: _Cells, key_sizes: Sequence[int], response_sizes: Sequence[int]
) -> tuple[float, float]:
    """Total similarity of the best one-to-one alignments of clusters (Luo 2005).

    Clusters that share no mention add nothing, so each connected component of the graph of
    overlaps is aligned by itself.

    Returns:
        The totals of φ3 = |k∩r|, and of φ4 = 2|k∩r| / (|k|+|r|), each with its own alignment.
    """
    phi3: list[float] = []
    phi4: list[float] = []
    for part in _components(cells):
        phi3 += _best(part)
        phi4 += _best(
            {(i, j): 2 * n / (key_sizes[i] + response_sizes[j]) for (i, j), n in part.items()}
        )
    return sum(phi3), fsum(phi4)


def _components(cells: _Cells) -> Iterable[_Cells]:
    """Split the cells by connected component, clusters of either side being the vertices."""
    parent = {i: i for i, _ in cells}  # a forest over the clusters of the key

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    seen: dict[int, int] = {}  # cluster of the response -> first of the key that it overlaps
    for i, j in cells:
        parent[root(i)] = root(seen.setdefault(j, i))
    parts: defaultdict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    for (i, j), n in cells.items():
        parts[root(i)][i, j] = n
    return parts.values()


def _best(weights: Mapping[tuple[int, int], float]) -> list[float]:
    """The weights, all positive, that a one-to-one alignment of greatest total picks."""
    rows = {i: place for place, i in enumerate({i for i, _ in weights})}
    columns = {j: place for place, j in enumerate({j for _, j in weights})}
    if len(rows) == 1 or len(columns) == 1:
        return [max(weights.values())]

    import numpy as np
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((len(rows), len(columns)))
    for (i, j), weight in weights.items():
        matrix[rows[i], columns[j]] = weight
    picked_rows, picked_columns = linear_sum_assignment(matrix, maximize=True)
    partner = dict(zip(picked_rows.tolist(), picked_columns.tolist(), strict=True))
    return [w for (i, j), w in weights.items() if partner.get(rows[i]) == columns[j]]
