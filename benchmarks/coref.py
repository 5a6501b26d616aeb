"""Time of the coreference scores on synthetic documents, ours against the definitions spelt out.

The baseline counts every metric in plain Python, pair by pair and cluster by cluster, with the
Kuhn-Munkres algorithm on the full matrix of clusters. Both run on the same documents in the same
process, and the run fails if their counts differ.

    python benchmarks/coref.py [--documents 100] [--mentions 28000] [--seed 0] [--repeat 5]
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import fields
from itertools import combinations
from math import isclose
from typing import TYPE_CHECKING, TypeAlias

from bwb.corefscores import CorefCounts, score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Mention: TypeAlias = tuple[int, int]
Side: TypeAlias = list[list[Mention]]
Counts: TypeAlias = dict[str, list[float]]


def synthetic_document(rng: random.Random, mentions: int) -> tuple[Side, Side]:
    """Draw a key with the many singletons and few long chains of fiction, and a response to it.

    Args:
        rng: The source of randomness.
        mentions: Number of mentions of the key; the response has about as many.

    Returns:
        Key and response. The response misses 10 % of the mentions, puts 15 % in another chain,
        splits one chain in five and has 10 % of mentions of its own.
    """
    chains: list[list[Mention]] = []
    moved: list[list[Mention]] = []
    for place in range(mentions):
        # Chinese restaurant process: a mention opens a chain, or joins one in proportion to size.
        if not chains or rng.random() < 0.3:
            chains.append([])
            moved.append([])
            chain = len(chains) - 1
        else:
            chain = rng.choices(range(len(chains)), [len(c) for c in chains])[0]
        span = (3 * place, 3 * place + rng.randint(1, 2))
        chains[chain].append(span)
        if rng.random() < 0.9:
            moved[rng.randrange(len(moved)) if rng.random() < 0.15 else chain].append(span)
        if rng.random() < 0.1:
            rng.choice(moved).append((3 * place, 3 * place + 3))
    response: Side = []
    for chain_spans in moved:
        cut = rng.randint(0, len(chain_spans)) if rng.random() < 0.2 else 0
        response += [piece for piece in (chain_spans[:cut], chain_spans[cut:]) if piece]
    return chains, response


def kuhn_munkres(weights: Sequence[Sequence[float]]) -> float:
    """Greatest total weight of a one-to-one alignment of rows and columns, in O(rows² · columns).

    Shortest augmenting paths with potentials (Kuhn 1955, Munkres 1957); there are at most as many
    rows as columns.
    """
    rows, columns = len(weights), len(weights[0]) if weights else 0
    row_potential, column_potential = [0.0] * (rows + 1), [0.0] * (columns + 1)
    row_of, before = [0] * (columns + 1), [0] * (columns + 1)  # 1-based, 0 is none
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        slack, done = [float("inf")] * (columns + 1), [False] * (columns + 1)
        while row_of[column]:
            done[column] = True
            current, step, nearest = row_of[column], float("inf"), 0
            for j in range(1, columns + 1):
                if done[j]:
                    continue
                cost = -weights[current - 1][j - 1] - row_potential[current] - column_potential[j]
                if cost < slack[j]:
                    slack[j], before[j] = cost, column
                if slack[j] < step:
                    step, nearest = slack[j], j
            for j in range(columns + 1):
                if done[j]:
                    row_potential[row_of[j]] += step
                    column_potential[j] -= step
                else:
                    slack[j] -= step
            column = nearest
        while column:
            row_of[column] = row_of[before[column]]
            column = before[column]
    return sum(weights[row_of[j] - 1][j - 1] for j in range(1, columns + 1) if row_of[j])


def naive_half(key: list[set[Mention]], response: list[set[Mention]]) -> Counts:
    """Numerator and denominator of the recall of the metrics that sum over the key."""
    muc, b_cubed, lea = 0.0, 0.0, 0.0
    for k in key:
        overlaps = [len(k & r) for r in response]
        unmatched = len(k) - sum(overlaps)
        muc += len(k) - sum(n > 0 for n in overlaps) - unmatched
        b_cubed += sum(n * n for n in overlaps) / len(k)
        if len(k) == 1:
            lea += k in response
        else:
            lea += sum(n * (n - 1) for n in overlaps) / (len(k) - 1)
    size = sum(map(len, key))
    return {"muc": [muc, size - len(key)], "b_cubed": [b_cubed, size], "lea": [lea, size]}


def naive_links(side: list[set[Mention]]) -> tuple[set[frozenset[Mention]], ...]:
    """Coreferent and non-coreferent pairs of mentions."""
    cluster_of = {mention: place for place, cluster in enumerate(side) for mention in cluster}
    links: tuple[set[frozenset[Mention]], ...] = (set(), set())
    for pair in combinations(cluster_of, 2):
        links[cluster_of[pair[0]] != cluster_of[pair[1]]].add(frozenset(pair))
    return links


def naive_count(key_side: Side, response_side: Side) -> Counts:
    """All counts of one document: recall numerator and denominator, then those of precision."""
    key, response = [set(k) for k in key_side], [set(r) for r in response_side]
    there, back = naive_half(key, response), naive_half(response, key)
    counts = {metric: there[metric] + back[metric] for metric in there}
    in_key, in_response = set().union(*key), set().union(*response)
    shared = len(in_key & in_response)
    counts["mentions"] = [shared, len(in_key), shared, len(in_response)]
    few, many = sorted((key, response), key=len)
    phi3 = kuhn_munkres([[len(a & b) for b in many] for a in few])
    phi4 = kuhn_munkres([[2 * len(a & b) / (len(a) + len(b)) for b in many] for a in few])
    counts["ceafm"] = [phi3, len(in_key), phi3, len(in_response)]
    counts["ceafe"] = [phi4, len(key), phi4, len(response)]
    names = ("blanc_coreferent", "blanc_non_coreferent")
    for name, k, r in zip(names, naive_links(key), naive_links(response), strict=True):
        counts[name] = [len(k & r), len(k), len(k & r), len(r)]
    return counts


def naive_score(pairs: Sequence[tuple[Side, Side]]) -> Counts:
    """The counts of all documents, added up."""
    total: Counts = {}
    for key, response in pairs:
        for metric, numbers in naive_count(key, response).items():
            sums = total.setdefault(metric, [0.0] * 4)
            total[metric] = [a + b for a, b in zip(sums, numbers, strict=True)]
    return total


def seconds(run: Callable[[], object], repeat: int) -> float:
    """Shortest wall time of several runs, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def check_equal(ours: CorefCounts, baseline: Counts) -> None:
    """Fail if the two disagree.

    Raises:
        SystemExit: A count differs by more than rounding.
    """
    for field in fields(ours):
        r = getattr(ours, field.name)
        found = [r.recall_num, r.recall_den, r.precision_num, r.precision_den]
        wanted = baseline[field.name]
        if not all(isclose(a, b, rel_tol=1e-9) for a, b in zip(found, wanted, strict=True)):
            raise SystemExit(f"{field.name}: ours {found}, baseline {wanted}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=100, help="number of documents")
    parser.add_argument("--mentions", type=int, default=28_000, help="mentions of all keys")
    parser.add_argument("--seed", type=int, default=0, help="seed of the synthetic documents")
    parser.add_argument("--repeat", type=int, default=5, help="runs of ours; the best counts")
    args = parser.parse_args()

    rng = random.Random(args.seed)
    sizes = [
        args.mentions * (i + 1) // args.documents - args.mentions * i // args.documents
        for i in range(args.documents)
    ]
    pairs = [synthetic_document(rng, size) for size in sizes]
    first = seconds(lambda: score(pairs), 1)
    ours = seconds(lambda: score(pairs), args.repeat)
    start = time.perf_counter()
    baseline_counts = naive_score(pairs)
    baseline = time.perf_counter() - start
    counts = score(pairs)
    check_equal(counts, baseline_counts)

    total = sum(sizes)
    print(f"{len(pairs)} documents, {total} mentions in the key, seed {args.seed}")
    print(f"{'':28}{'seconds':>10}{'mentions/s':>14}")
    rows = (("first call, with imports", first), ("ours", ours), ("plain Python", baseline))
    for name, taken in rows:
        print(f"{name:28}{taken:10.3f}{total / taken:14,.0f}")
    print(f"ratio {baseline / ours:.0f}; counts agree; CoNLL F1 {counts.conll_f1:.4f}")


if __name__ == "__main__":
    main()
