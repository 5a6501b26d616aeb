"""What a report tells of each metric: scores, intervals, tests, classes, documents, books.

Everything is computed from the counts of a file of results (`bwb.metrics.results`).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from bwb.metrics.gender import LEFT_OUT, shifts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.figures import Binned, Estimated
    from bwb.metrics.results import Results
    from bwb.metrics.scoring import Scored
    from bwb.metrics.stats import Comparison
    from bwb.metrics.stats_correlation import Matrix
    from bwb.metrics.stats_table import CountTable

# With fewer documents the bootstrap's p-values are too small; permutation keeps its level.
FEW = 20


@dataclass(frozen=True, slots=True)
class Options:
    """How statistics are made.

    Attributes:
        resamples: For intervals and tests.
        seed: Of the resamples.
        alpha: Level of significance.
        bins: Bins of the ratio of omitted pronouns, at most.
    """

    resamples: int = 10_000
    seed: int = 12345
    alpha: float = 0.05
    bins: int = 4


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class of a metric, such as ``feminine``.

    Attributes:
        name: Its name.
        count: How often the reference has it; None if the metric does not count so.
        values: System → score with its interval.
    """

    name: str
    count: int | None
    values: Mapping[str, Estimated]


@dataclass(frozen=True, slots=True)
class View:
    """What is told of a metric.

    Attributes:
        scored: Its counts.
        overall: System → score with its interval.
        letters: System → letters; empty if nothing was tested.
        comparisons: Of every two systems, the better against the other.
        test: The test that letters are by.
        classes: Those that occur.
        shown: What is given of a class: ``recall``, ``f1``.
        single: System → score of each document, None where undefined.
        books: Book → system → score.
        signature: As it was when the texts were scored.
    """

    scored: Scored
    overall: Mapping[str, Estimated]
    letters: Mapping[str, str]
    comparisons: Sequence[Comparison]
    test: str
    classes: Sequence[ClassRow]
    shown: str
    single: Mapping[str, Sequence[float | None]]
    books: Mapping[str, Mapping[str, float | None]]
    signature: str

    @property
    def name(self) -> str:
        """Name of the metric."""
        return self.scored.metric.name

    @property
    def higher(self) -> bool:
        """Whether more is better."""
        return self.scored.metric.higher_is_better

    def ranked(self) -> list[str]:
        """The systems whose score is defined, the best first."""
        known = {name: found[0] for name, found in self.overall.items() if found[0] is not None}
        return sorted(known, key=lambda name: -known[name] if self.higher else known[name])

    def best(self) -> list[str]:
        """The systems that nothing beats; none if there is nothing to choose from."""
        from bwb.report.tables import best

        places = best([found[0] for found in self.overall.values()], higher=self.higher)
        return [name for place, name in enumerate(self.overall) if place in places]

    def differ(self, one: str, other: str) -> bool:
        """Whether two systems differ significantly."""
        return any(
            row.significant
            for row in self.comparisons
            if {row.system, row.baseline} == {one, other}
        )


@dataclass(frozen=True, slots=True)
class Genders:
    """What became of the third-person pronouns of the reference.

    Attributes:
        total: Class → how many the reference has.
        systems: System → (class, class or ``left out``) → how many.
        characters: (book, name, class) → system → class or ``left out`` → how many; only lines in
            which all pronouns of the class are that character's.
    """

    total: Counter[str] = field(default_factory=Counter)
    systems: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    characters: dict[tuple[str, str, str], dict[str, Counter[str]]] = field(default_factory=dict)


def make_view(row: Scored, results: Results, signature: str, options: Options) -> View:
    """Everything of a metric."""
    from bwb.metrics.figures import estimates
    from bwb.metrics.stats import compare, letters
    from bwb.metrics.stats_table import CountTable

    resamples, seed = options.resamples, options.seed
    made = estimates(row, ("score",), resamples, seed)
    test: Literal["permutation", "bootstrap"] = "bootstrap"
    if len(row.documents) < FEW:
        test = "permutation"
    comparisons: list[Comparison] = []
    if len(row.tallies) > 1 and len(row.documents) > 1:
        comparisons = compare(
            row.metric,
            row.tallies,
            pairs="all",
            test=test,
            resamples=resamples,
            seed=seed,
            alpha=options.alpha,
        )
    table = CountTable.of(row.metric, row.tallies)
    single = table.by_document()[0]
    view = View(
        scored=row,
        overall={system: found["score"] for system, found in made.items()},
        letters={},
        comparisons=comparisons,
        test=test,
        classes=_classes(row, options),
        shown=row.metric.shown,
        single={s: [_plain(v) for v in single[i]] for i, s in enumerate(table.systems)},
        books=_books(table, row, results),
        signature=signature,
    )
    if not comparisons:
        return view
    different = [(c.system, c.baseline) for c in comparisons if c.significant]
    return replace(view, letters=letters(view.ranked(), different))


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _books(table: CountTable, row: Scored, results: Results) -> dict[str, dict[str, float | None]]:
    """Book → system → score of its documents together."""
    import numpy as np

    books = list(dict.fromkeys(results.chapters[name].book for name in row.documents))
    weights = np.array(
        [[results.chapters[name].book == book for name in row.documents] for book in books],
        dtype=np.float64,
    )
    found = table.scores(weights)[0]
    return {
        book: {s: _plain(found[i, n]) for i, s in enumerate(table.systems)}
        for n, book in enumerate(books)
    }


def _classes(row: Scored, options: Options) -> list[ClassRow]:
    """The classes that occur; an interval only where statistics come to the metric's own score."""
    from bwb.metrics.figures import estimates
    from bwb.metrics.stats_table import score_names

    kind = row.metric.shown
    scores = {score.system: score for score in row.scores()}
    first = next(iter(scores.values()))
    values = {
        name: {system: getattr(score.parts[name], kind) for system, score in scores.items()}
        for name in first.parts
        if not name.startswith("source:")
    }
    values = {name: of for name, of in values.items() if any(v is not None for v in of.values())}
    known = set(score_names(row.metric)) & {f"{name}.{kind}" for name in values}
    found = estimates(row, sorted(known), options.resamples, options.seed) if known else {}
    return [
        ClassRow(
            name,
            int(first.parts[name].counts["reference"])
            if "reference" in first.parts[name].counts
            else None,
            {s: _agreed(v, found.get(s, {}).get(f"{name}.{kind}")) for s, v in of.items()},
        )
        for name, of in values.items()
    ]


def _agreed(value: float | None, found: Estimated | None) -> Estimated:
    if value is None or found is None or found[0] is None:
        return (value, None, None)
    return found if math.isclose(value, found[0], abs_tol=1e-9) else (value, None, None)


def make_genders(results: Results) -> Genders:
    """Sum up what became of pronouns."""
    made = Genders(systems={system: Counter() for system in results.systems})
    for line in results.pronouns:
        made.total.update(line.reference)
        book = results.chapters[line.document].book
        for system in results.systems:
            found = shifts(line.reference, line.of(system))
            made.systems[system] += found
            for name, owner in line.owners.items():
                rows = made.characters.setdefault((book, owner, name), {})
                counts = rows.setdefault(system, Counter())
                counts.update({to: n for (one, to), n in found.items() if one == name})
    return made


def turned(counts: Mapping[str, int], name: str) -> dict[str, int]:
    """Of the pronouns of a class: how many were kept, turned into each other class, left out."""
    kept = {"kept": counts.get(name, 0)}
    others = {to: n for to, n in counts.items() if to not in {name, LEFT_OUT} and n}
    return {**kept, **others, LEFT_OUT: counts.get(LEFT_OUT, 0)}


def make_matrix(results: Results) -> Matrix | None:
    """How metrics agree on documents of all systems: Spearman's ρ; None if there is no pair."""
    from bwb.metrics.stats_correlation import matrix
    from bwb.metrics.stats_points import collect

    if len(results.scored) < 2:
        return None
    return matrix(collect(results.scored).pooled(), "spearman")


def make_binned(row: Scored, results: Results, options: Options) -> Binned | None:
    """A metric over the ratio of omitted pronouns; None if no document has one."""
    from bwb.errors import InputError
    from bwb.metrics.figures import over_ratios

    ratios = {chapter.id: chapter.omitted.get("en") for chapter in results.documents}
    known = {ratio for ratio in ratios.values() if ratio is not None}
    bins = min(options.bins, max(1, len([r for r in ratios.values() if r is not None]) // 2))
    if len(known) < 2:
        return None
    try:
        return over_ratios(
            row, ratios, quantiles=bins, resamples=min(options.resamples, 2000), seed=options.seed
        )
    except InputError:
        return None
