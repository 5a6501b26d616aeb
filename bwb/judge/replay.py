"""Scoring stored answers: each read, each counted, none dropped."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bwb.judge.layout import Place, reading_rules
from bwb.judge.reading import Reading, read_answer
from bwb.judge.records import Stored, kind_places, stored_answers
from bwb.judge.retest import Level, Retest, retest
from bwb.judge.scores import Judgement, judge_answer, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bwb.errors import Finding

# The metric of an answer that does not tell what it is about, in a file where none does.
UNKNOWN = Place(metric="unknown", scale="count", path=("unknown",))


@dataclass(frozen=True, slots=True)
class Judged:
    """A stored answer, read and scored.

    Attributes:
        stored: The answer.
        reading: What could be read of it.
        judgements: One for each metric it should have.
    """

    stored: Stored
    reading: Reading
    judgements: list[Judgement]


@dataclass(slots=True)
class Summary:
    """The scores of some answers by one metric.

    Attributes:
        scale: ``score`` or ``count``.
        values: The scores that could be told.
        n: Number of answers.
        strict: Number of answers that were JSON as they came.
        repaired: Answers that had to be repaired, by repair; one with several is in each.
        repaired_answers: Number of answers that were repaired.
        problems: Answers without a score, by reason.
        notes: Answers that were odd, by what was odd.
        said_none: Number of items of lists that say that there is no mistake.
    """

    scale: str = ""
    values: list[float] = field(default_factory=list)
    n: int = 0
    strict: int = 0
    repaired: Counter[str] = field(default_factory=Counter)
    repaired_answers: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    said_none: int = 0

    def add(self, reading: Reading, judgement: Judgement) -> None:
        """Count an answer."""
        self.scale = judgement.scale
        self.n += 1
        self.strict += reading.status == "strict"
        self.repaired_answers += reading.status == "repaired"
        if reading.status == "repaired":
            self.repaired.update(reading.repairs)
        if judgement.score is None:
            self.problems[judgement.problem or "unreadable"] += 1
        else:
            self.values.append(judgement.score)
        if judgement.note:
            self.notes[judgement.note] += 1
        self.said_none += judgement.said_none

    def as_dict(self) -> dict[str, Any]:
        """The summary as plain JSON values."""
        return {
            "scale": self.scale,
            "mean": statistics.fmean(self.values) if self.values else None,
            "sd": statistics.stdev(self.values) if len(self.values) > 1 else None,
            "n": self.n,
            "readable": len(self.values),
            "strict": self.strict,
            "repaired": dict(sorted(self.repaired.items())),
            "repaired_answers": self.repaired_answers,
            "unreadable": self.problems["unreadable"],
            "without_score": dict(sorted(self.problems.items())),
            "odd": dict(sorted(self.notes.items())),
            "no_mistake_items": self.said_none,
            "distribution": {
                f"{value:g}": number for value, number in sorted(Counter(self.values).items())
            },
        }


@dataclass(slots=True)
class Replay:
    """What stored answers say.

    Attributes:
        judged: All answers, in order.
        findings: What was odd about the files themselves, by file.
    """

    judged: list[Judged]
    findings: dict[str, list[Finding]]

    def summaries(self, *by: str) -> dict[tuple[str, ...], dict[str, Summary]]:
        """Summaries of the answers that are the same in some fields, by metric.

        Args:
            by: Names of fields of `Stored`; none is all answers.
        """
        groups: dict[tuple[str, ...], dict[str, Summary]] = {}
        for one in self.judged:
            group = tuple(getattr(one.stored, name) or "" for name in by)
            metrics = groups.setdefault(group, {})
            for judgement in one.judgements:
                metrics.setdefault(judgement.metric, Summary()).add(one.reading, judgement)
        return groups

    def retests(self) -> dict[str, Retest]:
        """Agreement of answers to the same question, by metric; those that have repeats."""
        items: dict[str, dict[tuple[str, ...], list[float]]] = {}
        levels: dict[str, Level] = {}
        for one in self.judged:
            for judgement in one.judgements:
                if judgement.score is not None:
                    key = (one.stored.file, one.stored.system, one.stored.key)
                    of = items.setdefault(judgement.metric, {})
                    of.setdefault(key, []).append(judgement.score)
                    levels[judgement.metric] = (
                        "ordinal" if judgement.scale == "score" else "interval"
                    )
        found = {metric: retest(list(of.values()), levels[metric]) for metric, of in items.items()}
        return {metric: result for metric, result in found.items() if result.pairs}

    def scores(self) -> list[dict[str, Any]]:
        """A score for each system, document and metric.

        Repeats are averaged; then scores of windows are averaged, and numbers of mistakes are
        added up. It is None where a window has none. If there are several judges, their names
        stand behind those of the metrics: ``CE@model``.
        """
        several = len({one.stored.judge for one in self.judged}) > 1
        found: dict[tuple[str, str, str], dict[str, list[float]]] = {}
        scales: dict[str, str] = {}
        windows: dict[tuple[str, str, str], int] = {}
        for one in self.judged:
            document = one.stored.document.partition("#")[0]
            for judgement in one.judgements:
                metric = judgement.metric
                if several and one.stored.judge is not None:
                    metric = f"{metric}@{one.stored.judge}"
                key = (one.stored.system, document, metric)
                of = found.setdefault(key, {}).setdefault(one.stored.document, [])
                if judgement.score is not None:
                    of.append(judgement.score)
                scales[metric] = judgement.scale
                windows[key] = one.stored.windows
        rows = []
        for key, cut in found.items():
            means = [statistics.fmean(values) for values in cut.values() if values]
            whole = len(means) == windows[key]
            score = statistics.fmean(means) if scales[key[2]] == "score" and whole else sum(means)
            fields = dict(zip(("system", "document", "metric"), key, strict=True))
            rows.append({**fields, "score": score if whole else None})
        return rows


def replay(paths: Sequence[Path]) -> Replay:
    """Read and score the answers of files.

    Raises:
        FormatError: if a file holds no answers, or is not UTF-8.
        InputError: if there is no such file.
    """
    judged: list[Judged] = []
    findings: dict[str, list[Finding]] = {}
    for path in paths:
        found: list[Finding] = []
        judged += judge_stored(stored_answers(path, found))
        findings[str(path)] = found
    return Replay(judged, findings)


def judge_stored(answers: Iterable[Stored]) -> list[Judged]:
    """Read and score the answers of one file.

    An answer that cannot be read, and does not tell by itself what it is about, is counted among
    those that most answers of the file are of.
    """
    published = reading_rules().published
    read: list[tuple[Stored, Reading, tuple[Place, ...]]] = []
    kinds: Counter[tuple[Place, ...]] = Counter()
    for stored in answers:
        reading = read_answer(stored.answer, stored.places or published)
        places = kind_places(reading) if stored.places is None else stored.places
        read.append((stored, reading, places))
        if stored.places is None and places:
            kinds[places] += 1
    usual = kinds.most_common(1)[0][0] if kinds else (UNKNOWN,)
    judged = []
    for stored, reading, places in read:
        if reading.value is None:
            judgements = unreadable(places or usual, reading.problem or "unreadable")
        else:
            judgements = judge_answer(reading.value, places or usual)
        judged.append(Judged(stored, reading, judgements))
    return judged


def not_strict(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """Every answer that was repaired, could not be read, or is odd, with its place."""
    rows = []
    for one in judged:
        odd = [j for j in one.judgements if j.problem or j.note]
        if one.reading.status == "strict" and not odd:
            continue
        rows.append(
            {
                "file": one.stored.file,
                "line": one.stored.line,
                "system": one.stored.system,
                "document": one.stored.document,
                "status": one.reading.status,
                "repairs": list(one.reading.repairs),
                "problem": one.reading.problem,
                "scores": {j.metric: j.score for j in one.judgements},
                "odd": {j.metric: j.problem or j.note for j in odd},
                "messages": {j.metric: j.message for j in odd if j.message},
                "cut_off": one.stored.cut_off,
            }
        )
    return rows
