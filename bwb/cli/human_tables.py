"""The tables that `bwb human` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.cli.common import note, plural
from bwb.report.tables import percent, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bwb.human.design import Plan
    from bwb.human.evaluate import CellResult, Evaluation
    from bwb.human.simulate import Caught, Recovery
    from bwb.metrics.stats import Interval
    from bwb.report.tables import Cell


def print_plan(plan: Plan, folder: Path) -> None:
    """What was planned, and what to do with it."""
    from bwb.human.planned import summary

    found = summary(plan)
    kind = "best-worst scaling" if plan.design == "bws" else "ranking with ties"
    print(f"{folder}: plan {plan.id}, {kind}, {', '.join(plan.systems)}\n")
    header = ["part", "unit", "items", "checks", "documents", "system shown", "pair shown"]
    body: list[list[Cell]] = [
        [
            *(cell[name] for name in ("part", "unit", "items", "checks", "documents")),
            _ends(cell["shown"]),
            _ends(cell["together"]),
        ]
        for cell in found["cells"]
    ]
    print(table(header, body) + "\n")
    workers = [
        [row["rater"], row["criterion"], row["items"], row["checks"]] for row in found["raters"]
    ]
    print(table(["rater", "criterion", "to judge", "of them checks"], workers) + "\n")
    shares = ", ".join(f"{name} {share:.0%}" for name, share in found["first"].items())
    print(f"  stands first: {shares}")
    print(f"  give out {folder}/forms/*.html (or sheets/*.csv); keep {folder}/plan.json")


def print_results(plan: Plan, found: Evaluation) -> None:
    """Raters, then the results of each criterion and unit, then whether the unit matters."""
    print(f"raters (dropped if they fail more than {found.max_failed:.0%} of their checks)")
    rows: list[list[Cell]] = [
        [
            r.rater,
            r.criterion,
            f"{r.answered} of {r.items}",
            f"{r.failed} of {r.checks}",
            "kept" if r.kept else "dropped",
            None if r.seconds is None else f"{r.seconds:.0f}",
        ]
        for r in found.raters
    ]
    header = ["rater", "criterion", "answered", "checks failed", "", "seconds an item"]
    print(table(header, rows) + "\n")
    for cell in found.cells:
        _print_cell(cell, bws=plan.design == "bws")
    for orders in found.orders:
        _print_orders(found, orders.criterion)
    print(
        f"  [95 %: {found.resamples:,} resamples of items, seed {found.seed}]  "
        f"* p < 0.05 by the sign test over items, Holm over the pairs of a table"
    )
    if any(cell.items < _FEW for cell in found.cells):
        note(f"fewer than {_FEW} items in a table: its intervals are too narrow")


_FEW = 20


def _print_cell(cell: CellResult, *, bws: bool) -> None:
    what = f"{plural(cell.judgements, 'judgement')}, {plural(cell.items, 'item')}"
    print(f"{cell.criterion}, {cell.unit} ({what}, {plural(cell.raters, 'rater')})")
    if bws:
        header = ["system", "best - worst", "best", "worst", "won", "items"]
        body: list[list[Cell]] = [
            [
                row.system,
                _signed(row.score, row.score_interval),
                percent(row.best),
                percent(row.worst),
                percent(row.won),
                row.items,
            ]
            for row in cell.standings
        ]
    else:
        header = ["system", "average rank", "won", "items"]
        body = [
            [
                row.system,
                _plain(row.rank, row.rank_interval),
                _percents(row.won, row.won_interval),
                row.items,
            ]
            for row in cell.standings
        ]
    print(table(header, body))
    duels: list[list[Cell]] = [
        [
            f"{duel.system} > {duel.other}",
            duel.wins,
            duel.ties,
            duel.losses,
            f"{duel.items_won} : {duel.items_lost}",
            _p(duel.p),
            _p(duel.p_holm) + ("*" if duel.p_holm is not None and duel.p_holm < 0.05 else ""),
        ]
        for duel in cell.duels
    ]
    print(table(["pair", "wins", "ties", "losses", "items", "p", "Holm"], duels))
    _print_agreement(cell)


def _print_agreement(cell: CellResult) -> None:
    mean = cell.mean_agreement
    if mean is None:
        print("  agreement: no two raters share an item")
    else:
        pairs = plural(mean.pairs, "pair") + " of raters"
        each = ", ".join(
            f"{row.first}/{row.second} {_number(row.kappa)}" for row in cell.agreement[:6]
        )
        more = f", … {len(cell.agreement) - 6} more" if len(cell.agreement) > 6 else ""
        kappa = _plain(mean.kappa, mean.interval)
        print(f"  Cohen's κ {kappa}, agreed {percent(mean.observed)} % ({pairs}: {each}{more})")
    if cell.split_half is not None:
        print(f"  split-half r {cell.split_half:.2f} (systems, random halves of the items)")
    print()


def _print_orders(found: Evaluation, criterion: str) -> None:
    orders = next(row for row in found.orders if row.criterion == criterion)
    print(f"{criterion}: sentences against documents (comparisons won, %)")
    body = [
        [
            row.system,
            percent(row.sentence),
            percent(row.document),
            _percents(row.difference, row.interval),
        ]
        for row in found.shifts
        if row.criterion == criterion
    ]
    print(table(["system", "sentence", "document", "difference"], body))
    tau = _number(orders.tau)
    if orders.swapped:
        swaps = "; ".join(f"{a} > {b} in sentences only" for a, b in orders.swapped)
        print(f"  the orders differ: {swaps} (τ-b {tau})")
    else:
        print(f"  the orders do not differ (τ-b {tau})")
    print(f"  no pair changes places in {percent(orders.same)} % of resamples\n")


def print_recovery(plan: Plan, rows: Sequence[Recovery], caught: Caught) -> None:
    """How often simulated raters were right."""
    runs = rows[0].runs if rows else 0
    kinds = f"{plural(len(plan.raters), 'rater')}, {plural(len(plan.systems), 'system')}"
    print(f"{plural(runs, 'simulated evaluation')}: {kinds}\n")
    header = ["criterion", "unit", "true order", "pairs right", "found", "neighbours", "wrong"]
    body = [
        [
            row.criterion,
            row.unit,
            *map(percent, (row.order, row.pairs, row.power, row.neighbours, row.wrong)),
        ]
        for row in rows
    ]
    print(table(header, body))
    print("\n  percent. true order: runs in which every system stands where it should; found:")
    print("  pairs whose difference is significant (Holm, 0.05) and right; neighbours: the same,")
    print("  of pairs next to each other; wrong: significant, and the wrong way round")
    for row in rows:
        if row.lost:
            print(f"  {row.criterion}, {row.unit}: all raters dropped in {row.lost} runs")
    if caught.spammers:
        print(f"  spammers dropped: {caught.caught:,} of {caught.spammers:,}")
    print(f"  honest raters dropped: {caught.dropped:,} of {caught.raters:,}")


def _ends(ends: Sequence[int]) -> str:
    return f"{ends[0]}×" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}×"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value >= 0.001 else "<.001"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _plain(value: float | None, ends: Interval | None) -> str:
    if ends is None or ends.low is None:
        return _number(value)
    return f"{_number(value)} [{_number(ends.low)}, {_number(ends.high)}]"


def _percents(value: float | None, ends: Interval | None) -> str:
    if ends is None or ends.low is None:
        return percent(value)
    return f"{percent(value)} [{percent(ends.low)}, {percent(ends.high)}]"


def _signed(value: float | None, ends: Interval | None) -> str:
    if value is None or ends is None or ends.low is None or ends.high is None:
        return "–" if value is None else f"{value:+.2f}"
    return f"{value:+.2f} [{ends.low:+.2f}, {ends.high:+.2f}]"
