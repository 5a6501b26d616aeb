"""Score systems per phenomenon: precision, recall, F1 and exact match, with what was missed.

  bwb score                                            the sample corpus and its three systems
  bwb score --systems mine=outputs/ --data corpus/     your outputs, one file a document
  bwb score --system hyp.txt --reference ref.txt       plain files, line by line
  bwb score --metrics blonde                           BlonDe, which is not run unless asked for

Scores are fractions in JSON and percent in the table; undefined ones are null and "–".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bwb.cli import scoring
from bwb.cli.common import plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.metrics.base import Score
    from bwb.metrics.scoring import Scored


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    scoring.add_arguments(parser)
    parser.add_argument(
        "--misses", type=int, default=8, metavar="N", help="misses to list a system (default 8)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    scored = scoring.score(args)
    scores = [score for row in scored for score in row.scores()]
    if args.json:
        print_json({"results": [score.to_json() for score in scores]})
    else:
        print_scores(scored, args.misses)
    return 0


def print_scores(scored: list[Scored], misses: int) -> None:
    """Print a table a metric, and under it what each system misses most."""
    from bwb.report.tables import percent, table

    for row in scored:
        scores = row.scores()
        documents = plural(len(row.documents), "document")
        print(f"{row.metric.name}: {row.metric.title} ({documents}, percent)")
        shown = [name for name in row.metric.classes if _worth_showing(name, scores)]
        kind = row.metric.shown
        header = ["system", "F1", "P", "R", "EM"]
        header += [f"{'R' if kind == 'recall' else kind.upper()} {name}" for name in shown]
        body = [
            [
                score.system,
                *(percent(v) for v in (score.f1, score.precision, score.recall)),
                percent(score.exact_match),
                *(percent(getattr(score.parts[name], kind)) for name in shown),
            ]
            for score in scores
        ]
        print(table(header, body))
        if misses > 0:
            for score in scores:
                print(f"  {score.system} misses: {_missed(score, misses)}")
        print(f"  {scores[0].signature}\n")


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
