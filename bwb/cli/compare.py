"""Which differences between systems are real? Intervals, and paired tests over documents.

  bwb compare                                      every system against the first
  bwb compare --baseline base --test permutation   against another one, by another test
  bwb compare --pairs all                          every two systems, with letters
  bwb compare --metrics entity --of PER.recall     any score of a metric

The interval holds 95% of the differences in resamples of documents, the same for all systems. p is
two-sided, by one test:

  bootstrap     corpus scores of the resamples (Koehn 2004)
  permutation   corpus scores with outputs swapped at random, document by document; exact where
                there are no more ways to swap than --resamples: the choice for few documents
  t, wilcoxon   differences of document scores: Student's paired t, signed ranks
  kruskal       document scores as independent samples; with --pairs ranked, as in the BWB paper

A difference counts as real (*) if p is below --alpha after Holm's correction over all comparisons
of a metric. With --pairs all, systems that share a letter are not told apart. Three systems or
more are also compared all together, by Kruskal-Wallis and by Friedman (--test wilcoxon --pairs all
is what then tells the pairs apart).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bwb.cli import scoring
from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bwb.metrics.scoring import Scored
    from bwb.metrics.stats import Comparison, Interval, Omnibus, Outcome, Standing

# Fewer documents than this, and bootstrap intervals are too narrow.
FEW_DOCUMENTS = 20

# As in a signature, and in words.
_TESTS = {
    "bootstrap": ("paired-bootstrap", "paired bootstrap"),
    "permutation": ("paired-permutation", "paired permutation"),
    "t": ("paired-t", "paired t of document scores"),
    "wilcoxon": ("wilcoxon", "Wilcoxon's signed ranks of document scores"),
    "kruskal": ("kruskal-wallis", "Kruskal-Wallis of document scores"),
}


@dataclass(frozen=True, slots=True)
class _Result:
    """What is told of one metric."""

    comparisons: list[Comparison]
    standings: list[Standing]
    omnibus: Omnibus | None
    signature: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    scoring.add_arguments(parser)
    test = parser.add_argument_group("test")
    test.add_argument("--baseline", metavar="NAME", help="system to compare with (default: first)")
    test.add_argument(
        "--pairs",
        choices=("baseline", "all", "ranked"),
        help="every system against the baseline (default), every two systems, or each against "
        "the next worse",
    )
    test.add_argument("--test", choices=tuple(_TESTS), default="bootstrap", help="what p is by")
    test.add_argument(
        "--of",
        default="score",
        metavar="SCORE",
        help="score (default), precision, recall, f1, exact_match, or those of a class: PER.recall",
    )
    test.add_argument("--alpha", type=float, default=0.05, help="level (default 0.05)")
    test.add_argument("--resamples", type=int, default=10_000, help="default 10000")
    test.add_argument("--seed", type=int, default=12345, help="default 12345")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.errors import UsageError

    if args.baseline is not None and args.pairs in {"all", "ranked"}:
        raise UsageError(f"--baseline goes with --pairs baseline, not --pairs {args.pairs}")
    args.pairs = args.pairs or "baseline"
    results = [_compare(row, args) for row in scoring.score(args)]
    if args.json:
        print_json(_body(results))
        few = min(result.comparisons[0].documents for result in results)
        if few < FEW_DOCUMENTS:
            note(_few(few, args.test))
    else:
        _print(results, args)
    return 0


def _compare(row: Scored, args: argparse.Namespace) -> _Result:
    from bwb.metrics.stats import compare, omnibus, standings

    same = {"of": args.of, "resamples": args.resamples, "seed": args.seed, "alpha": args.alpha}
    how: dict[str, Any] = {"pairs": args.pairs, "test": args.test, **same}
    comparisons = compare(row.metric, row.tallies, args.baseline, **how)
    data = {
        **row.data,
        **({} if args.of == "score" else {"of": args.of}),
        "test": _TESTS[args.test][0],
        "compared": args.pairs,
        "correction": "holm",
        "alpha": f"{args.alpha:g}",
        "resamples": str(args.resamples),
        "seed": str(args.seed),
    }
    return _Result(
        comparisons,
        standings(row.metric, row.tallies, comparisons, **same),
        omnibus(row.metric, row.tallies, args.of),
        str(row.metric.signature(data)),
    )


def _body(results: list[_Result]) -> dict[str, Any]:
    return {
        "comparisons": [
            {**asdict(row), "signature": result.signature}
            for result in results
            for row in result.comparisons
        ],
        "systems": [asdict(row) for result in results for row in result.standings],
        "omnibus": [asdict(result.omnibus) for result in results if result.omnibus is not None],
    }


def _print(results: list[_Result], args: argparse.Namespace) -> None:
    first = results[0].comparisons[0]
    against = {
        "baseline": f"against {first.baseline}",
        "all": "every two systems",
        "ranked": "each system against the next worse",
    }
    print(
        f"{against[args.pairs]}: {_TESTS[args.test][1]}, {plural(first.documents, 'document')}, "
        f"{first.resamples:,} resamples, seed {first.seed} (percent)"
    )
    if args.pairs == "all":
        print(_standings(results, args.alpha))
        print("  systems that share a letter are not told apart\n")
    print(_comparisons(results, args))
    print(
        f"  * real: p < {args.alpha:g} by Holm's correction over the "
        f"{plural(len(results[0].comparisons), 'comparison')} of a metric"
    )
    notes = [text for result in results for text in _caveats(result, args.alpha)]
    if first.documents < FEW_DOCUMENTS:
        notes.append(_few(first.documents, args.test))
    for text in notes:
        print(f"  {text}")
    print()
    for result in results:
        if result.omnibus is not None:
            print(f"  {_all_together(result.omnibus)}")
    for result in results:
        print(f"  {_sentence(result.comparisons)}")
    print()
    for result in results:
        print(f"  {result.signature}")


def _standings(results: list[_Result], alpha: float) -> str:
    from bwb.report.tables import percent, table

    header = ["metric", "system", "score", f"{100 * (1 - alpha):g}% interval", "letters"]
    body = [
        [
            row.metric,
            row.system,
            percent(row.score),
            f"[{percent(row.interval.low)}, {percent(row.interval.high)}]",
            row.letters or "",
        ]
        for result in results
        for row in result.standings
    ]
    return table(header, body)


def _comparisons(results: list[_Result], args: argparse.Namespace) -> str:
    from bwb.report.tables import percent, table

    other = "baseline" if args.pairs == "baseline" else "against"
    body = [
        [
            row.metric,
            row.system,
            percent(row.system_score),
            *([] if args.pairs == "baseline" else [row.baseline]),
            percent(row.baseline_score),
            _signed(row.difference),
            _ends(row.interval),
            _p(row.p),
            _p(row.p_holm),
            "*" if row.significant else "",
        ]
        for result in results
        for row in result.comparisons
    ]
    header = ["metric", "system", "score", other, "difference"]
    if args.pairs != "baseline":
        header.insert(4, "score")
    header += [f"{100 * (1 - args.alpha):g}% interval", "p", "Holm", ""]
    return table(header, body)


def _caveats(result: _Result, alpha: float) -> list[str]:
    """What was left out, as it has no score, and what a test could not see."""
    notes = []
    for row in result.comparisons:
        pair = f"{row.metric}, {row.system} against {row.baseline}"
        if row.difference is None:
            notes.append(f"{pair}: a score is undefined (–), nothing is tested")
            continue
        if lost := row.interval.undefined:
            notes.append(f"{pair}: undefined in {lost:,} of {row.resamples:,} resamples, left out")
        if row.test.undefined and row.test.test != "bootstrap":
            what = "arrangements" if row.test.test == "permutation" else "document scores"
            count = f"{row.test.undefined:,} of {row.test.undefined + row.test.used:,}"
            notes.append(f"{pair}: the test leaves out {count} {what}, which are undefined")
        if row.significant and _at_odds(row):
            mean = _signed(row.document_difference)
            notes.append(f"{pair}: the mean of document scores differs by {mean}, the other way")
    least = 2.0 ** (1 - result.comparisons[0].documents)
    if (
        result.comparisons[0].test.test == "permutation"
        and least * len(result.comparisons) >= alpha
    ):
        notes.append(
            f"{result.comparisons[0].metric}: with so few documents p cannot be less than "
            f"{least:.4f}, by Holm's correction {min(1, least * len(result.comparisons)):.4f}: "
            "this test can show no difference"
        )
    return notes


def _at_odds(row: Comparison) -> bool:
    """Whether a test of document scores points the other way than the corpus scores."""
    if row.test.test in {"bootstrap", "permutation"}:
        return False
    return (row.difference or 0) * (row.document_difference or 0) <= 0


def _few(documents: int, test: str) -> str:
    said = f"{plural(documents, 'document')} are few: bootstrap intervals are too narrow"
    if test == "bootstrap":
        said += ", p too small; --test permutation keeps its level"
    return said


def _all_together(found: Omnibus) -> str:
    both = (("Kruskal-Wallis", "H", found.kruskal_wallis), ("Friedman", "χ²", found.friedman))
    return f"{found.metric}: all {found.systems} systems together: " + ", ".join(
        f"{name} {_statistic(symbol, outcome)}" for name, symbol, outcome in both
    )


def _statistic(symbol: str, outcome: Outcome) -> str:
    if outcome.statistic is None or outcome.p is None:
        return "undefined"
    p = _p(outcome.p)
    lost = f" (without {outcome.undefined} undefined)" if outcome.undefined else ""
    return f"{symbol} = {outcome.statistic:.2f}, p {p if p.startswith('<') else f'= {p}'}{lost}"


def _sentence(rows: Sequence[Comparison]) -> str:
    """Which differences are real, in words."""
    real = [row for row in rows if row.significant and row.difference and not _at_odds(row)]
    unclear = [f"{row.system} and {row.baseline}" for row in rows if row not in real]
    said = [
        f"{row.system} is {'better' if row.better else 'worse'} than "
        f"{row.baseline} ({_signed(row.difference)})"
        for row in real
    ]
    if unclear:
        said.append(f"no difference is shown between {_listed(unclear)}")
    return f"{rows[0].metric}: {'; '.join(said)}."


def _listed(texts: Sequence[str]) -> str:
    return ", nor between ".join(texts)


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _ends(ends: Interval) -> str:
    return f"[{_signed(ends.low)}, {_signed(ends.high)}]"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"
