"""Every computable table and figure of the BWB paper (Jiang et al. 2023), for any corpus.

An item that cannot be computed is there all the same, without rows or with null in its cells, and
says why. See `bwb.report.paper_corpus` and `bwb.report.paper_systems` for the items, and
`bwb.report.paper_values` for the numbers that the paper prints.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bwb.errors import InputError, MissingDependencyError, UnknownNameError
from bwb.report import paper_corpus, paper_systems
from bwb.report.paper_values import paper_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from bwb.annotations.statistics import Statistics
    from bwb.metrics.base import Metric
    from bwb.metrics.figures import Estimated
    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs
    from bwb.records import Document
    from bwb.report.paper_table import PaperTable

# In the order of the paper.
ITEMS = (
    "table-1",
    "figure-2",
    "table-3",
    "table-4",
    "table-5",
    "quotes",
    "figure-3",
    "figure-3-series",
    "table-6",
    "table-7",
    "figure-5",
    "figure-6",
    "figure-7",
    "table-8",
    "table-9",
    "appendix-d",
    "human",
)
_NO_SYSTEMS = "the corpus carries no outputs of systems; name some with --systems"


@dataclass
class Context:
    """What the items are computed from; each metric is counted once.

    Attributes:
        documents: The documents.
        outputs: The systems' sentences; each answers each document.
        second: The same documents, or some, by a second annotator.
        audit: A marked sheet of `bwb align-audit`.
        over: Names of the metrics of Figure 7.
        edges: Edges of its bins; by quantiles if None.
        bins: Number of its bins, if they are quantiles.
        resamples: How often documents are drawn for intervals.
        seed: Seed of the draws.
        data: What signatures say of the data.
        reasons: Metric → why it could not be computed.
    """

    documents: Sequence[Document]
    outputs: Outputs
    second: Sequence[Document] | None = None
    audit: Path | None = None
    over: Sequence[str] = ("blonde",)
    edges: Sequence[float] | None = None
    bins: int = 4
    resamples: int = 2_000
    seed: int = 12345
    data: Mapping[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    _scored: dict[tuple[str, bool], Scored | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """See that the outputs fit.

        Raises:
            InputError: if there are no documents, or an output does not fit its document.
        """
        from bwb.metrics.systems import check_outputs

        if not self.documents:
            raise InputError("there are no documents")
        check_outputs(self.outputs, self.documents)

    @cached_property
    def statistics(self) -> Statistics:
        """The counts of `bwb stats`."""
        from bwb.annotations.statistics import count_corpus

        return count_corpus(self.documents)

    def scored(self, name: str, *, reference: bool = False) -> Scored | None:
        """All systems, counted by a metric; None with an entry in `reasons` if that cannot be.

        Args:
            name: Name of the metric.
            reference: Whether the reference is one more system.
        """
        from bwb.metrics.scoring import score_systems

        key = (name, reference)
        if key in self._scored:
            return self._scored[key]
        self._scored[key] = None
        if not self.outputs:
            self.reasons[name] = _NO_SYSTEMS
            return None
        try:
            metric = make_metric(name)
            outputs = self.outputs | (self._reference() if reference else {})
            (self._scored[key],) = score_systems(self.documents, outputs, [metric], data=self.data)
        except (InputError, MissingDependencyError) as error:
            self.reasons[name] = str(error)
        return self._scored[key]

    def _reference(self) -> Outputs:
        found = {d.id: d.en.sentences for d in self.documents if d.en is not None}
        if len(found) < len(self.documents):
            raise InputError("a document has no English reference")
        return {paper_systems.REFERENCE: found}

    def estimates(self, scored: Scored, names: Sequence[str]) -> dict[str, dict[str, Estimated]]:
        """Scores with intervals: system → name → (value, low, high)."""
        from bwb.metrics.figures import estimates

        return estimates(scored, names, self.resamples, self.seed)

    def left_out(self, scored: Scored) -> list[str]:
        """A footnote, if a metric could not be computed on some documents."""
        if not scored.left_out:
            return []
        first, lack = next(iter(scored.left_out.items()))
        number, name = len(scored.left_out), scored.metric.name
        return [f"{name}: {number} documents are left out ({first}: {lack})."]


def make_metric(name: str) -> Metric:
    """A metric with its default choices.

    Raises:
        UnknownNameError: if there is none of this name.
    """
    from bwb.metrics import METRICS, metric_class

    if name in METRICS:
        return metric_class(name)()
    # Metrics that no table of the package lists.
    from bwb.metrics.bleu import Bleu
    from bwb.metrics.centering import Centering
    from bwb.metrics.coreference import Coreference
    from bwb.metrics.phenomena import Phenomena
    from bwb.metrics.ter import Ter

    for made in (Bleu, Ter, Phenomena, Coreference, Centering):
        if made.name == name:
            return made()
    raise UnknownNameError("metric", name, METRICS)


def paper_tables(context: Context, items: Sequence[str] = ITEMS) -> Iterator[PaperTable]:
    """The items asked for, in the order of the paper, each as soon as it is computed.

    Args:
        context: What to compute them from.
        items: Some of `ITEMS`.

    Raises:
        UnknownNameError: if an item is not one of these.
    """
    builders = paper_corpus.BUILDERS | paper_systems.BUILDERS
    for name in items:
        if name not in builders:
            raise UnknownNameError("item of the paper", name, ITEMS)
    values = paper_values()
    share = values.share(context.documents)
    for name in (item for item in ITEMS if item in set(items)):
        made = builders[name](context)
        notes = (*values.notes(name), *made.notes)
        printed = values.beside(name, made.rows) if share != "none" else ()
        if printed and share == "part":
            number = f"{len(context.documents)} of the paper's {values.corpus.documents} documents"
            notes = (f"The corpus is {number}: its numbers are not comparable.", *notes)
        yield dataclasses.replace(made, notes=notes, paper=printed)
