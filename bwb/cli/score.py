"""Score systems per phenomenon: precision, recall, F1 and exact match, with what was missed.

  bwb score                                            the sample corpus and its three systems
  bwb score --systems mine=outputs/ --data corpus/     your outputs, one file a document
  bwb score --system hyp.txt --reference ref.txt       plain files, line by line
  bwb score --metrics blonde                           BlonDe, which is not run unless asked for
  bwb score --metrics phenomena,bleu --intervals       Table 7 of the BWB paper, with intervals
  bwb score --metrics all-offline                      everything that needs no download
  bwb score --metrics cohesion --set cohesion.measure=rc --with-reference
                                                       a choice of a metric; how far it can go
  bwb score --system hyp.txt --reference ref.jsonl --unit document --metrics avgbleu,dbleu,tbleu
                                                       whole documents, one a line or a row

Scores are fractions in JSON and percent in the table; undefined ones are null and "–". Intervals
are 95% bootstrap intervals over documents (percentile method); one document has none. In the unit
document, JSON has the score of every document, too.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from bwb.cli import results_file, scoring
from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from bwb.metrics.base import Score
    from bwb.metrics.scoring import Scored
    from bwb.metrics.stats import Interval

    # System → name of a score → its interval.
    Intervals = Mapping[str, Mapping[str, Interval]]

# Scores of a metric as a whole, and what their columns are called.
_WHOLE = {
    "score": "score",
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "exact_match": "EM",
}
# Intervals from fewer documents are too narrow.
_FEW = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    scoring.add_arguments(parser)
    parser.add_argument(
        "--misses", type=int, default=8, metavar="N", help="misses to list a system (default 8)"
    )
    parser.add_argument(
        "--by-document",
        action="store_true",
        help="scores of single documents in JSON (always in --unit document)",
    )
    parser.add_argument(
        "--intervals", action="store_true", help="95%% intervals, by resampling documents"
    )
    parser.add_argument(
        "--resamples", type=int, default=10_000, metavar="N", help="for intervals (default 10000)"
    )
    parser.add_argument("--seed", type=int, default=12345, help="of the resamples (default 12345)")
    results_file.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    scored = results_file.score(args)
    found = [_intervals(row, args) if args.intervals else None for row in scored]
    if args.intervals:
        _warn(scored)
    if args.json:
        rows = [
            _json(score, between, args) | single.get(score.system, {}) | apart.get(score.system, {})
            for row, between in zip(scored, found, strict=True)
            for single, apart in [(_by_document(row, args), _told_apart(row, args))]
            for score in row.scores()
        ]
        print_json({"results": rows})
    else:
        print_scores(scored, args.misses, found)
        for row in scored:
            if apart := _told_apart(row, args):
                said = (_higher(body["discrimination"]) for body in apart.values())
                print(f"{row.metric.name}: the reference scores higher than {'; '.join(said)}")
    sys.stdout.flush()
    results_file.finish(args)
    return 0


def _warn(scored: list[Scored]) -> None:
    """Say where intervals are undefined or not to be trusted."""
    for size in sorted({len(row.documents) for row in scored}):
        names = ", ".join(row.metric.name for row in scored if len(row.documents) == size)
        if size < 2:
            note(f"{names}: no intervals, for they draw documents and there is only one")
        elif size < _FEW:
            note(f"{names}: {size} documents are few; such intervals are too narrow")


def _intervals(row: Scored, args: argparse.Namespace) -> Intervals:
    """The intervals of all scores that are defined; none if there is one document."""
    from bwb.metrics.stats import score_intervals

    if len(row.documents) < 2:
        return {system: {} for system in row.tallies}
    return score_intervals(row.metric, row.tallies, resamples=args.resamples, seed=args.seed)


def _by_document(row: Scored, args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """For each system, the scores of single documents, null where undefined; none if not wanted."""
    from bwb.metrics.base import scalar
    from bwb.metrics.stats import CountTable

    if not args.by_document and args.unit != "document":
        return {}
    found = CountTable.of(row.metric, row.tallies).by_document()[0]
    return {
        system: {
            "document_scores": {
                name: scalar(values[place : place + 1]) for place, name in enumerate(row.documents)
            }
        }
        for system, values in zip(row.tallies, found, strict=True)
    }


def _told_apart(row: Scored, args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """For each system, how often the reference scores higher; none if that was not asked for."""
    from dataclasses import asdict

    from bwb.metrics.discriminate import discriminate

    if not args.with_reference:
        return {}
    tallies = dict(row.tallies)
    reference = tallies.pop(scoring.REFERENCE)
    found = discriminate(row.metric, tallies, reference) if tallies else []
    return {one.system: {"discrimination": asdict(one)} for one in found}


def _higher(found: Mapping[str, Any]) -> str:
    """``mt-a in 75.0% of 8 documents``."""
    from bwb.report.tables import percent

    documents = plural(found["documents"], "document")
    return f"{found['system']} in {percent(found['reference_higher'])}% of {documents}"


def _json(score: Score, found: Intervals | None, args: argparse.Namespace) -> dict[str, Any]:
    """A result; with intervals `low` and `high` are those of `score`, null if there are none."""
    body = score.to_json()
    if found is None:
        return body
    from dataclasses import asdict

    between = found[score.system]
    whole = between.get("score")
    body["low"] = whole.low if whole else None
    body["high"] = whole.high if whole else None
    body["intervals"] = {
        name: asdict(ends) for name, ends in between.items() if _value(score, name) is not None
    }
    body["resampling"] = {"resamples": args.resamples, "seed": args.seed, "confidence": 0.95}
    return body


def print_scores(
    scored: list[Scored], misses: int, intervals: list[Intervals | None] | None = None
) -> None:
    """Print a table a metric, and under it what each system misses most.

    Args:
        scored: The counts of each metric.
        misses: How many misses to list a system.
        intervals: By metric; the table then has a column a system, and a row a score.
    """
    from bwb.report.tables import paragraph, table

    for row, found in zip(scored, intervals or [None] * len(scored), strict=True):
        scores = row.scores()
        documents = plural(len(row.documents), "document")
        print(f"{row.metric.name}: {row.metric.title} ({documents}, percent)")
        columns = _columns(row, scores)
        cells = {name: _cells(row, scores, name, found) for name in columns}
        if found is None:
            body = [
                [score.system, *(cells[name][place] for name in columns)]
                for place, score in enumerate(scores)
            ]
            print(table(["system", *columns.values()], body))
        else:
            body = [[label, *cells[name]] for name, label in columns.items()]
            print(table(["score [95% interval]", *(score.system for score in scores)], body))
        if misses > 0 and (row.metric.lists_misses or any(score.misses for score in scores)):
            for score in scores:
                print(paragraph(f"{score.system} misses: {_missed(score, misses)}"))
        print(f"  {scores[0].signature}\n")


def _cells(row: Scored, scores: list[Score], name: str, found: Intervals | None) -> list[str]:
    """A score of every system, the best standing out on a terminal."""
    from bwb.report.tables import best, percent, styled

    values = [_value(score, name) for score in scores]
    top = best(values, higher=row.metric.higher_is_better or name != "score")
    said = [
        percent(value) if found is None else _between(value, name, found, score)
        for value, score in zip(values, scores, strict=True)
    ]
    return [styled(text, "best") if n in top else text for n, text in enumerate(said)]


def _columns(row: Scored, scores: list[Score]) -> dict[str, str]:
    """Names of the scores to show, and what to call them."""
    whole = {
        name: label
        for name, label in _WHOLE.items()
        if any(getattr(score, name) is not None for score in scores)
    }
    # The number to report is F1, unless the metric has another.
    if all(score.score == score.f1 for score in scores):
        whole.pop("score", None)
    kind = row.metric.shown
    label = "R " if kind == "recall" else f"{kind.upper()} "
    if "precision" not in whole and all(score.score == score.recall for score in scores):
        # One ratio, and no recall in particular.
        whole.pop("recall", None)
        label = ""
    shown = [name for name in row.metric.classes if _worth_showing(name, scores)]
    parts = {f"{name}.{kind}": f"{label}{name}" for name in shown}
    return whole | {name: said.replace(f"{label}EM ", "EM ") for name, said in parts.items()}


def _value(score: Score, name: str) -> float | None:
    if name in _WHOLE:
        value: float | None = getattr(score, name)
        return value
    kind, _, ratio = name.rpartition(".")
    part: float | None = getattr(score.parts[kind], ratio)
    return part


def _between(value: float | None, name: str, found: Intervals, score: Score) -> str:
    """``63.2 [60.1, 66.0]``."""
    from bwb.report.tables import percent

    ends = found[score.system].get(name)
    if ends is None or ends.low is None:
        return percent(value)
    return f"{percent(value)} [{percent(ends.low)}, {percent(ends.high)}]"


def _worth_showing(name: str, scores: list[Score]) -> bool:
    """Classes that occur; those against the source are for JSON, exact match sums them up."""
    parts = [score.parts[name] for score in scores]
    occurs = any(part.counts.get("reference", part.recall is not None) for part in parts)
    return occurs and not name.startswith("source:")


def _missed(score: Score, limit: int) -> str:
    """What is missed most, with how often and the first place."""
    totals: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for miss in score.misses:
        key = (miss.name, miss.kind)
        totals[key] += miss.count
        first.setdefault(key, f"{miss.document}:{miss.sentence + 1}")
    ranked = sorted(totals, key=lambda key: (-totals[key], key))
    parts = []
    for name, kind in ranked[:limit]:
        said = name if len(name) <= 32 else f"{name[:30]}…"
        said += "" if name == kind else f" ({kind})"
        parts.append(f"{said} ×{totals[name, kind]} [{first[name, kind]}]")
    if len(ranked) > limit:
        parts.append(f"… {sum(totals[key] for key in ranked[limit:])} more")
    return "; ".join(parts) or "nothing"
