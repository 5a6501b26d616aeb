"""All that answers say, in one object: what `bwb human read` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.errors import InputError
from bwb.human.judgements import judge, report_raters
from bwb.human.kappa import agreements
from bwb.human.results import cells, document_scores, duels, split_half, standings
from bwb.human.shifts import shifts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.human.design import Plan, Unit
    from bwb.human.judgements import RaterReport
    from bwb.human.kappa import Agreement, MeanAgreement
    from bwb.human.results import Duel, Standing
    from bwb.human.sheet import Answer
    from bwb.human.shifts import Orders, Shift


@dataclass(frozen=True, slots=True)
class CellResult:
    """The results of a unit and criterion.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        judgements: Number of judgements.
        items: Number of items.
        raters: Number of raters.
        standings: The systems, the best first.
        duels: Every two of them.
        agreement: κ of every two raters.
        mean_agreement: The mean of these; None if no two raters share an item.
        split_half: Correlation of scores between halves of the items; None if undefined.
    """

    unit: Unit
    criterion: str
    judgements: int
    items: int
    raters: int
    standings: tuple[Standing, ...]
    duels: tuple[Duel, ...]
    agreement: tuple[Agreement, ...]
    mean_agreement: MeanAgreement | None
    split_half: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results.

    Attributes:
        max_failed: Share of checks that a rater may fail.
        raters: Who answered anything, also those who were dropped.
        cells: Results by criterion and unit.
        shifts: How systems stand in documents against sentences, by criterion.
        orders: Whether the units rank systems alike, by criterion.
        scores: System, document, name, share won: rows for meta-evaluation.
        resamples: How often items were drawn.
        seed: Seed of the draws.
    """

    max_failed: float
    raters: tuple[RaterReport, ...]
    cells: tuple[CellResult, ...]
    shifts: tuple[Shift, ...]
    orders: tuple[Orders, ...]
    scores: tuple[tuple[str, str, str, float], ...]
    resamples: int
    seed: int

    @property
    def names(self) -> set[str]:
        """Who answered anything."""
        return {rater.rater for rater in self.raters}


def evaluate(
    plan: Plan,
    answers: Sequence[Answer],
    *,
    max_failed: float = 0.25,
    resamples: int = 2000,
    seed: int = 12345,
) -> Evaluation:
    """Evaluate answers.

    Args:
        plan: The plan.
        answers: The answers.
        max_failed: Raters who fail more than this share of their checks are dropped.
        resamples: How often items are drawn for intervals.
        seed: Seed of the draws.

    Raises:
        InputError: if nothing is left to evaluate.
    """
    bws = plan.design == "bws"
    reports = report_raters(plan, answers, max_failed)
    kept = {report.rater for report in reports if report.kept}
    held = cells(plan, judge(plan, [answer for answer in answers if answer.rater in kept]))
    if not held:
        gone = ", ".join(report.rater for report in reports if not report.kept) or "nobody"
        raise InputError(f"no judgements are left; dropped for failing checks: {gone}")
    results = []
    for cell in held:
        pairs, mean = agreements(cell, resamples=resamples, seed=seed)
        results.append(
            CellResult(
                cell.unit,
                cell.criterion,
                judgements=len(cell.judgements),
                items=len(cell.items),
                raters=len({judgement.rater for judgement in cell.judgements}),
                standings=tuple(standings(cell, bws=bws, resamples=resamples, seed=seed)),
                duels=tuple(duels(cell)),
                agreement=tuple(pairs),
                mean_agreement=mean,
                split_half=split_half(cell, bws=bws, seed=seed),
            )
        )
    by_place = {(cell.criterion, cell.unit): cell for cell in held}
    both = [
        shifts(sentence, by_place[name, "document"], resamples=resamples, seed=seed)
        for (name, unit), sentence in by_place.items()
        if unit == "sentence" and (name, "document") in by_place
    ]
    return Evaluation(
        max_failed=max_failed,
        raters=tuple(reports),
        cells=tuple(results),
        shifts=tuple(row for found in both if found for row in found[0]),
        orders=tuple(found[1] for found in both if found),
        scores=tuple(document_scores(held)),
        resamples=resamples,
        seed=seed,
    )
