"""Does a metric tell a system's text from the reference?

Zhao, Strube and Eger 2023 ask of a number R that needs no reference, such as the frequency of foci,
in what share of documents it differs in one direction: D = share of documents with R(reference) <
R(system). Which direction is the interesting one depends on R, so both shares are given here, and
that of ties; they add up to 1.

    documents    1    2    3    4            reference higher  2/4
    reference   .5   .6   .2   .4            system higher     1/4
    system      .4   .5   .3   .4            ties              1/4

A document in which the number is undefined, for the reference or for the system, is not compared,
and counted as such. By a metric that compares with the reference, the reference is perfect: there
is little to learn from its D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.errors import LengthError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Metric, Tally, Values
    from bwb.records import Document


@dataclass(frozen=True, slots=True)
class Discrimination:
    """How often a number is higher for the reference than for a system.

    Attributes:
        metric: Name of the metric.
        of: Name of the score.
        system: Name of the system.
        reference_higher: Share of the documents compared; None if there is none.
        system_higher: The same where the system is higher: D of Zhao et al.
        ties: The same where both are equal.
        documents: Number of documents compared.
        undefined: Number of documents in which the score of either is undefined.
    """

    metric: str
    of: str
    system: str
    reference_higher: float | None
    system_higher: float | None
    ties: float | None
    documents: int
    undefined: int


def reference_tallies(metric: Metric, documents: Sequence[Document]) -> list[Tally]:
    """What a metric counts in the references, each taken for the output of a system.

    Args:
        metric: Any metric.
        documents: Those that it can score.

    Raises:
        InputError: if a document has no reference.
    """
    return [metric.count(document, metric.reference(document).sentences) for document in documents]


def discriminate(
    metric: Metric,
    tallies: Mapping[str, Sequence[Tally]],
    reference: Sequence[Tally],
    of: str = "score",
) -> list[Discrimination]:
    """Compare the reference's scores of single documents with those of each system.

    Args:
        metric: The metric that made the tallies.
        tallies: For each system, one tally a document, in the same order of documents.
        reference: The same for the reference; see `reference_tallies`.
        of: Name of the score; see `bwb.metrics.stats_table`.

    Raises:
        InputError: if there are no documents, or their numbers differ.
        UnknownNameError: if the metric has no such score.
    """
    from bwb.metrics.stats_table import CountTable

    theirs = CountTable.of(metric, {"": reference}).by_document((of,))[0, 0]
    ours = CountTable.of(metric, tallies).by_document((of,))[0]
    if ours.shape[1:] != theirs.shape:
        raise LengthError(
            f"{metric.name}: {ours.shape[1]} documents of the systems, {len(theirs)} of the "
            "reference"
        )
    return [
        _compared(metric.name, of, system, row, theirs)
        for system, row in zip(tallies, ours, strict=True)
    ]


def _compared(metric: str, of: str, system: str, ours: Values, theirs: Values) -> Discrimination:
    import numpy as np

    known = ~(np.isnan(ours) | np.isnan(theirs))
    number = int(known.sum())
    gaps = theirs[known] - ours[known]
    higher, lower, ties = (
        int(found.sum()) / number if number else None for found in (gaps > 0, gaps < 0, gaps == 0)
    )
    return Discrimination(metric, of, system, higher, lower, ties, number, len(ours) - number)
