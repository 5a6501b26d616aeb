"""Scoring systems on documents: every metric, every system, every document once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.corpus import logical_digest
from bwb.errors import InputError
from bwb.metrics.systems import check_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bwb.metrics.base import Metric, Score, Tally
    from bwb.metrics.systems import Outputs
    from bwb.records import Document


@dataclass(slots=True)
class Scored:
    """All counts of all systems by one metric.

    Attributes:
        metric: The metric.
        documents: Ids of the documents that could be scored, in order.
        tallies: For each system, one tally a document.
        left_out: Documents that lack what the metric needs, and what they lack.
        data: What the signature says of the data.
    """

    metric: Metric
    documents: list[str]
    tallies: dict[str, list[Tally]]
    left_out: dict[str, str]
    data: Mapping[str, str] = field(default_factory=dict)

    def scores(self) -> list[Score]:
        """The score of each system."""
        return [
            self.metric.score(system, tallies, self.data)
            for system, tallies in self.tallies.items()
        ]


def data_fields(name: str, documents: Sequence[Document], split: str | None) -> dict[str, str]:
    """What a signature says of the data: its name, a digest of it, and the split.

    The digest is of all that is scored against, sources, references and annotations; the outputs
    that the documents carry are not part of it.
    """
    bare = (dataclasses.replace(document, systems=()) for document in documents)
    return {"data": f"{name}@{logical_digest(bare)[:12]}", "split": split or "all"}


def score_systems(
    documents: Sequence[Document],
    outputs: Outputs,
    metrics: Sequence[Metric],
    *,
    data: Mapping[str, str] | None = None,
    progress: Callable[[int], object] | None = None,
    analysed: Callable[[int], object] | None = None,
) -> list[Scored]:
    """Score systems.

    Args:
        documents: With references and annotations; a line of one side is a line of the other.
        outputs: The systems' sentences.
        metrics: The metrics.
        data: What the signature says of the data.
        progress: Called with 1 after each document.
        analysed: Called with numbers of sentences, while those of all texts are analysed.

    Raises:
        InputError: if nothing can be scored, or an output does not fit its document.
    """
    if not documents:
        raise InputError("there are no documents to score")
    if not outputs:
        raise InputError("there are no systems to score; name some with --systems")
    check_outputs(outputs, documents)
    scored = [Scored(m, [], {name: [] for name in outputs}, {}, data or {}) for m in metrics]
    for document in documents:
        _require_lines(document)
    for metric in metrics:
        metric.prepare(documents, outputs, analysed)
    for document in documents:
        for row in scored:
            if (lack := row.metric.lacks(document)) is not None:
                row.left_out[document.id] = lack
                continue
            row.documents.append(document.id)
            count = row.metric.counter(document)
            for name, found in outputs.items():
                row.tallies[name].append(count(found[document.id]))
        if progress is not None:
            progress(1)
    for row in scored:
        if not row.documents:
            name, lack = next(iter(row.left_out.items()))
            raise InputError(f"metric {row.metric.name} cannot score any document: {name}: {lack}")
    return scored


def _require_lines(document: Document) -> None:
    """Metrics work line by line: refuse a document whose sides do not correspond so."""
    for number, link in enumerate(document.links, 1):
        if link.zh != link.en or len(link.zh) != 1:
            raise InputError(
                f"document {document.id}: link {number} is {list(link.zh)}:{list(link.en)}; "
                "scoring needs sides that correspond line by line"
            )
