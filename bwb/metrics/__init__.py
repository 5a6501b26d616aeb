"""Metrics: one a file, and this table of them. A new metric adds one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.errors import UnknownNameError
from bwb.metrics.bleu import Bleu
from bwb.metrics.blonde import Blonde
from bwb.metrics.centering import Centering
from bwb.metrics.consistency import Ltcr, TermConsistency
from bwb.metrics.coreference import Coreference
from bwb.metrics.entity import Entity
from bwb.metrics.phenomena import Phenomena
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation
from bwb.metrics.ter import Ter
from bwb.metrics.terminology import Terminology
from bwb.metrics.zero_accuracy import ZeroPronounAccuracy
from bwb.metrics.zero_pronoun import ZeroPronoun

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.metrics.base import Metric

METRICS: dict[str, Callable[..., Metric]] = {
    "entity": Entity,
    "terminology": Terminology,
    "pronoun": Pronoun,
    "zero_pronoun": ZeroPronoun,
    "quotation": Quotation,
    "ltcr": Ltcr,
    "ctt": TermConsistency,
    "azpt": ZeroPronounAccuracy,
    "blonde": Blonde,
    "phenomena": Phenomena,
    "bleu": Bleu,
    "ter": Ter,
    "centering": Centering,
    "coreference": Coreference,
}


def metric_class(name: str) -> Callable[..., Metric]:
    """The metric of a name.

    Raises:
        UnknownNameError: if there is none.
    """
    if name not in METRICS:
        raise UnknownNameError("metric", name, METRICS)
    return METRICS[name]


def default_metrics() -> list[Metric]:
    """One of each metric that is not expensive, with its default choices."""
    made = (make() for make in METRICS.values())
    return [metric for metric in made if not metric.expensive]
