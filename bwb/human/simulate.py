"""Raters who are not there: would this plan find out which system is better?

True qualities lie one apart: the k-th system of the order has quality -k. What a rater perceives
of a text is the quality of its system, plus a liking of the rater for the system, plus noise for
the item and the rater; all are normal. Perceived qualities in the same bin of the width `tie` are
ranked equal. A damaged text lies `DAMAGE` below the worst system. A spammer ranks at random.

With noise 1, a rater prefers the better of two neighbours about 76 times in 100 (two normal noises:
Φ(1/√2)), if it is not a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bwb.errors import UsageError
from bwb.human.judgements import judge, report_raters
from bwb.human.results import cells, duels, means
from bwb.human.sheet import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.human.design import Plan, Unit
    from bwb.metrics.base import Values

DAMAGE = 3.0


@dataclass(frozen=True, slots=True)
class Noise:
    """How raters err; all in units of the difference between neighbours.

    Attributes:
        noise: Deviation of what is perceived of a text.
        bias: Deviation of a rater's liking for a system.
        tie: Width of the bins within which texts are ranked equal; 0 for no ties.
        spammers: How many raters rank at random.
    """

    noise: float = 1.0
    bias: float = 0.3
    tie: float = 0.5
    spammers: int = 0


@dataclass(frozen=True, slots=True)
class Recovery:
    """How often a cell of a simulated evaluation came out right.

    Attributes:
        unit: The unit.
        criterion: The criterion.
        runs: Number of runs.
        lost: Runs in which every rater of the cell was dropped; nothing is found in them, and
            they are in the denominator of all that follows.
        order: Share of runs in which all systems stand in their true order; equals do not.
        pairs: Share of pairs of systems that stand so.
        power: Share of pairs found better, rightly, by the sign test (Holm, 0.05).
        neighbours: The same for systems next to each other, the hardest pairs.
        wrong: Share of pairs found better, wrongly.
    """

    unit: Unit
    criterion: str
    runs: int
    lost: int
    order: float
    pairs: float
    power: float
    neighbours: float
    wrong: float


@dataclass(frozen=True, slots=True)
class Caught:
    """What the checks did.

    Attributes:
        spammers: Spammers in all runs.
        caught: How many of them were dropped.
        raters: Other raters in all runs.
        dropped: How many of them were dropped.
    """

    spammers: int
    caught: int
    raters: int
    dropped: int


def simulate_answers(
    plan: Plan, noise: Noise, seed: int, order: Sequence[str] | None = None
) -> list[Answer]:
    """The answers of simulated raters; the last ones of the plan are the spammers.

    Args:
        plan: The plan.
        noise: How raters err.
        seed: Seed.
        order: The systems, the best first; as in the plan if None.

    Raises:
        UsageError: if a deviation is negative, or there are more spammers than raters.
    """
    _check(plan, noise)
    rng = np.random.default_rng(seed)
    truth = {system: -float(place) for place, system in enumerate(order or plan.systems)}
    honest = len(plan.raters) - noise.spammers
    answers = []
    for number, rater in enumerate(plan.raters):
        liking = dict(zip(truth, rng.normal(0, noise.bias, len(truth)), strict=True))
        for task in rater.tasks:
            candidates = plan.by_id[task.item].candidates
            if number >= honest:
                perceived = rng.random(len(candidates))
            else:
                mean = [
                    min(truth.values()) - DAMAGE
                    if candidate.damaged
                    else truth[candidate.systems[0]] + liking[candidate.systems[0]]
                    for candidate in candidates
                ]
                perceived = np.array(mean) + rng.normal(0, noise.noise, len(mean))
            answers.append(Answer(rater.name, task.item, _answer(plan, perceived, noise.tie)))
    return answers


def recovery(
    plan: Plan,
    noise: Noise,
    *,
    runs: int = 100,
    seed: int = 12345,
    max_failed: float = 0.25,
    progress: Callable[[int], object] | None = None,
) -> tuple[list[Recovery], Caught]:
    """How often simulated raters find the true order.

    The true order is another in each run. Raters who fail checks are dropped, as in a real
    evaluation.

    Args:
        plan: The plan.
        noise: How raters err.
        runs: How often to try.
        seed: Seed of the runs.
        max_failed: Share of checks that a rater may fail.
        progress: Called with 1 after each run.

    Raises:
        UsageError: as `simulate_answers`; also if there are no runs.
    """
    if runs < 1:
        raise UsageError(f"{runs} runs; expected 1 or more")
    _check(plan, noise)
    rng = np.random.default_rng(seed)
    found: dict[tuple[Unit, str], list[Values]] = {}
    spammers = {rater.name for rater in plan.raters[len(plan.raters) - noise.spammers :]}
    caught = dropped = 0
    for run in range(runs):
        order = [plan.systems[i] for i in rng.permutation(len(plan.systems))]
        answers = simulate_answers(plan, noise, seed + run, order)
        out = {r.rater for r in report_raters(plan, answers, max_failed) if not r.kept}
        caught += len(out & spammers)
        dropped += len(out - spammers)
        judgements = judge(plan, [answer for answer in answers if answer.rater not in out])
        for cell in cells(plan, judgements):
            places = {system: place for place, system in enumerate(order)}
            won = dict(zip(cell.systems, means(cell.won).tolist(), strict=True))
            rows = [
                (
                    places[duel.system] < places[duel.other] and won[duel.system] > won[duel.other],
                    duel.p_holm is not None and duel.p_holm < 0.05,
                    abs(places[duel.system] - places[duel.other]) == 1,
                )
                for duel in duels(cell)
            ]
            found.setdefault((cell.unit, cell.criterion), []).append(np.array(rows))
        if progress is not None:
            progress(1)
    pairs = len(plan.systems) * (len(plan.systems) - 1) // 2
    made = []
    for criterion in plan.criteria:
        for unit in plan.units:
            tables = found.get((unit, criterion.name), [])
            lost = [np.zeros((pairs, 3), dtype=bool)] * (runs - len(tables))
            made.append(_recovery(unit, criterion.name, np.stack([*tables, *lost]), len(lost)))
    others = len(plan.raters) - noise.spammers
    return made, Caught(noise.spammers * runs, caught, others * runs, dropped)


def _recovery(unit: Unit, criterion: str, tables: Values, lost: int) -> Recovery:
    """Tables: shape (runs, pairs, 3): stands rightly, is significant, are neighbours."""
    right, significant, near = (tables[:, :, place].astype(bool) for place in range(3))
    runs, systems = len(tables), int((1 + (1 + 8 * tables.shape[1]) ** 0.5) / 2)
    return Recovery(
        unit,
        criterion,
        runs=runs,
        lost=lost,
        order=float(right.all(axis=1).mean()),
        pairs=float(right.mean()),
        power=float((right & significant).mean()),
        neighbours=float((right & significant & near).sum() / (runs * (systems - 1))),
        wrong=float((~right & significant).mean()),
    )


def _answer(plan: Plan, perceived: Values, tie: float) -> tuple[int, ...]:
    """Ranks, or best and worst, from perceived qualities."""
    if plan.design == "bws":
        picks = [2] * len(perceived)
        picks[int(np.argmax(perceived))] = 1
        picks[int(np.argmin(perceived))] = 3
        return tuple(picks)
    binned = np.floor(perceived / tie) if tie > 0 else perceived
    steps = np.unique(-binned)
    return tuple(int(place) + 1 for place in np.searchsorted(steps, -binned))


def _check(plan: Plan, noise: Noise) -> None:
    for name in ("noise", "bias", "tie"):
        if not getattr(noise, name) >= 0:
            raise UsageError(f"--{name} {getattr(noise, name)}; expected 0 or more")
    if not 0 <= noise.spammers <= len(plan.raters):
        raise UsageError(f"--spammers {noise.spammers}; expected 0 to {len(plan.raters)}")
