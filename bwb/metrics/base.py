"""What a metric is.

A metric turns one document and one system output into counts (sufficient statistics), and any
sum of counts into scores. So a corpus score, a bootstrap interval and a paired test are the same
arithmetic on the same table of counts, and no text is looked at twice.

All scores are fractions in [0, 1]. A ratio with a zero denominator is undefined and None (nan in
arrays), never 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from bwb import __version__
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.records import Document, Side

    Values = NDArray[np.float64]

Counts = Mapping[str, float]
Counter = Callable[["Sequence[str]"], "Tally"]


@dataclass(frozen=True, slots=True)
class Miss:
    """Something the reference (or source) has and the system's sentence lacks.

    Attributes:
        document: Id of the document.
        sentence: Index of the sentence.
        name: What was expected: a form of an entity, a pronoun, a quote's words.
        kind: Class it was counted in, such as ``PER`` or ``feminine``.
        count: How many times.
    """

    document: str
    sentence: int
    name: str
    kind: str
    count: int = 1


@dataclass(slots=True)
class Tally:
    """What a metric found in one document.

    Attributes:
        counts: Value of every key of the metric that is not zero.
        misses: What the system lacks, in the order of the text.
    """

    counts: dict[str, float] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)

    def add(self, key: str, value: float) -> None:
        """Add to a count."""
        if value:
            self.counts[key] = self.counts.get(key, 0.0) + value

    def triple(self, names: tuple[str, ...], wanted: float, got: float, prefix: str = "") -> None:
        """Add to the three counts of each class named, and of all classes together."""
        if wanted or got:
            matched = min(wanted, got)
            for name in (*names, "all"):
                self.add(f"{prefix}{name}.matched", matched)
                self.add(f"{prefix}{name}.system", got)
                self.add(f"{prefix}{name}.reference", wanted)


@dataclass(frozen=True, slots=True)
class Part:
    """Precision, recall and F1 of one class, with its counts; None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None
    counts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything a score depends on, for a footnote: two equal signatures are comparable."""

    metric: str
    fields: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """``entity|case:lc|…|version:0.1.0``."""
        return "|".join([self.metric, *(f"{name}:{value}" for name, value in self.fields)])


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one system by one metric.

    Attributes:
        system: Name of the system.
        metric: Name of the metric.
        unit: What counts are made on: ``sentence`` or ``document``.
        score: The number to report: F1 unless the metric says otherwise; None if undefined.
        precision: In [0, 1]; None if undefined.
        recall: In [0, 1]; None if undefined.
        f1: In [0, 1]; None if undefined.
        exact_match: In [0, 1]; None if undefined.
        counts: The sums that the score was made of.
        parts: The same for each class.
        misses: What the system lacks.
        signature: What the score depends on.
        documents: Number of documents.
    """

    system: str
    metric: str
    unit: str
    score: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    exact_match: float | None
    counts: Mapping[str, float]
    parts: Mapping[str, Part]
    misses: tuple[Miss, ...]
    signature: Signature
    documents: int

    def to_json(self) -> dict[str, Any]:
        """The score as plain JSON values."""
        row = {name: getattr(self, name) for name in _JSON_FIELDS}
        row["counts"] = dict(self.counts)
        row["parts"] = {name: asdict(part) for name, part in self.parts.items()}
        row["misses"] = [asdict(miss) for miss in self.misses]
        row["signature"] = str(self.signature)
        return row


_JSON_FIELDS = (
    "system",
    "metric",
    "unit",
    "score",
    "precision",
    "recall",
    "f1",
    "exact_match",
    "documents",
)


# What a metric costs, and what that means.
COSTS = {
    "counting": "thousands of sentences a second",
    "analysis": "a linguistic analysis of every sentence: some hundred a second, kept on disk",
    "model": "a neural model runs over every sentence",
}


class Metric(ABC):
    """One metric; a subclass is one file.

    A subclass names its keys once, in `classes`: a class ``c`` has the counts ``c.matched``,
    ``c.system`` and ``c.reference``, and further keys as it likes. One that is `expensive` runs
    only if it is asked for by name. What a table shows of each class is `shown`. Of the number to
    report, more is better, unless `higher_is_better` says otherwise.

    Counts are made on its `unit`. One with ``document`` among its `units` can also be given texts
    of which only documents are told apart: each is then a single sentence without annotations.

    What `bwb metrics` tells of it: `paper`, what it `needs` of the data, its `cost` (one of
    `COSTS`), and under `download` what has to be brought first, a model or a package with its
    extra; None if it works offline as installed.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    classes: ClassVar[tuple[str, ...]]
    overall: ClassVar[str] = "all"
    unit: ClassVar[str] = "sentence"
    units: ClassVar[tuple[str, ...]] = ("sentence",)
    expensive: ClassVar[bool] = False
    shown: ClassVar[str] = "recall"
    higher_is_better: bool = True
    cost: ClassVar[str] = "counting"
    download: ClassVar[str | None] = None

    @property
    def lists_misses(self) -> bool:
        """Whether it tells what a system lacks, so that none means that nothing is lacking."""
        return bool(self.classes)

    @abstractmethod
    def counter(self, document: Document) -> Counter:
        """Prepare a document, once for all systems.

        Args:
            document: With the reference, and the annotations the metric `needs`; see `lacks`.

        Returns:
            A function that counts one system's output of it, a sentence for each line of the
            document.
        """

    def prepare(  # noqa: B027 - not every metric has something to prepare
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Do beforehand what is done better for all texts at once; nothing by default.

        Args:
            documents: All that will be counted.
            outputs: System → document id → sentences.
            progress: Called with a number of sentences that are done.
        """

    def count(self, document: Document, sentences: Sequence[str]) -> Tally:
        """Count one output of one document."""
        return self.counter(document)(sentences)

    def options(self) -> dict[str, str]:
        """The settings that change the result, for the signature."""
        return {}

    def lacks(self, document: Document) -> str | None:
        """What this document lacks that the metric cannot do without; None if nothing."""
        return "no English reference" if document.en is None else None

    def reference(self, document: Document) -> Side:
        """The English side.

        Raises:
            InputError: if the document has none.
        """
        if document.en is None:
            raise InputError(f"{document.id}: {self.lacks(document)}")
        return document.en

    def exact_match(self, totals: Mapping[str, Values]) -> Values | None:
        """Exact match from arrays of counts; None if the metric has none."""
        if "exact.all" not in totals:
            return None
        return divide(totals.get("exact.same", totals["exact.all"] * 0), totals["exact.all"])

    def values(self, totals: Mapping[str, Values]) -> Values:
        """The number to report, from arrays of counts; nan where undefined."""
        return f1(totals, self.overall)

    def ratios(self, totals: Mapping[str, Values]) -> dict[str, dict[str, Values]]:
        """Ratios of classes that are not made of matched, system and reference counts.

        Args:
            totals: As for `values`.

        Returns:
            Class -> ``precision``, ``recall`` and ``f1``, nan where undefined.
        """
        return {}

    def signature(self, data: Mapping[str, str]) -> Signature:
        """The signature, with what the data adds to it."""
        fields = {**self.options(), **data, "version": __version__}
        return Signature(self.name, tuple(fields.items()))

    def score(
        self, system: str, tallies: Sequence[Tally], data: Mapping[str, str] | None = None
    ) -> Score:
        """The corpus score of a system: counts are summed, then divided.

        Args:
            system: Name of the system.
            tallies: One a document.
            data: Fields of the signature that describe the data.

        Raises:
            InputError: if there is no document.
        """
        if not tallies:
            raise InputError(f"{self.name}: no documents to score for {system}")
        totals: dict[str, float] = {}
        for tally in tallies:
            for key, value in tally.counts.items():
                totals[key] = totals.get(key, 0.0) + value
        arrays = as_arrays(totals)
        exact = self.exact_match(arrays)
        overall = part(totals, self.overall)
        return Score(
            system=system,
            metric=self.name,
            unit=(data or {}).get("unit", self.unit),
            score=scalar(self.values(arrays)),
            precision=overall.precision,
            recall=overall.recall,
            f1=overall.f1,
            exact_match=None if exact is None else scalar(exact),
            counts={key: totals[key] for key in sorted(totals)},
            parts={name: part(totals, name) for name in self.classes},
            misses=tuple(miss for tally in tallies for miss in tally.misses),
            signature=self.signature(data or {}),
            documents=len(tallies),
        )


def as_arrays(totals: Mapping[str, float]) -> dict[str, Values]:
    """Counts as arrays of one element."""
    import numpy as np

    return {key: np.array([value], dtype=np.float64) for key, value in totals.items()}


def divide(numerator: Values, denominator: Values) -> Values:
    """Element by element; nan where the denominator is zero."""
    import numpy as np

    out = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    result: Values = np.divide(numerator, denominator, out=out, where=denominator != 0)
    return result


def f1(totals: Mapping[str, Values], name: str) -> Values:
    """F1 of a class, 2·matched / (system + reference); nan where nothing was to be found.

    Where a system has none of what the reference has, precision is undefined and F1 is 0.
    """
    import numpy as np

    zero = np.zeros(1)
    matched = totals.get(f"{name}.matched", zero)
    both = totals.get(f"{name}.system", zero) + totals.get(f"{name}.reference", zero)
    return divide(2 * matched, both)


def part(totals: Counts, name: str) -> Part:
    """Precision, recall and F1 of a class."""
    matched = totals.get(f"{name}.matched", 0.0)
    system = totals.get(f"{name}.system", 0.0)
    reference = totals.get(f"{name}.reference", 0.0)
    return Part(
        precision=matched / system if system else None,
        recall=matched / reference if reference else None,
        f1=2 * matched / (system + reference) if system + reference else None,
        counts={"matched": matched, "system": system, "reference": reference},
    )


def scalar(values: Values) -> float | None:
    """The first element; None for nan."""
    value = float(values[0])
    return None if math.isnan(value) else value
