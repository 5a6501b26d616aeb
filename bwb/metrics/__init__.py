"""Metrics: one a file, and this table of them. A new metric adds one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.errors import UnknownNameError
from bwb.metrics.avgbleu import AvgBleu
from bwb.metrics.bertscore import BertScore
from bwb.metrics.bleu import Bleu
from bwb.metrics.blonde import Blonde
from bwb.metrics.centering import Centering
from bwb.metrics.chrf import Chrf
from bwb.metrics.cohesion import Cohesion
from bwb.metrics.comet import Comet
from bwb.metrics.consistency import Ltcr, TermConsistency
from bwb.metrics.coreference import Coreference
from bwb.metrics.dbleu import DBleu
from bwb.metrics.discoscore import DiscoScore
from bwb.metrics.entity import Entity
from bwb.metrics.meteor import Meteor
from bwb.metrics.phenomena import Phenomena
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation
from bwb.metrics.tbleu import TBleu
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
    "dbleu": DBleu,
    "avgbleu": AvgBleu,
    "tbleu": TBleu,
    "chrf": Chrf,
    "ter": Ter,
    "meteor": Meteor,
    "bertscore": BertScore,
    "comet": Comet,
    "centering": Centering,
    "coreference": Coreference,
    "cohesion": Cohesion,
    "discoscore": DiscoScore,
}

# Names that stand for several metrics: see `group`.
GROUPS = ("default", "all-offline")


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
    return [metric_class(name)() for name in group("default")]


def group(name: str, unit: str = "sentence") -> list[str]:
    """The metrics of a group, in their order in `METRICS`.

    ``default`` are those that are not expensive (in the unit ``document``, those whose own unit it
    is), ``all-offline`` those that need no download.

    Raises:
        UnknownNameError: if there is no such group.
    """
    if name not in GROUPS:
        raise UnknownNameError("group of metrics", name, GROUPS)
    made = {known: make() for known, make in METRICS.items()}
    if name == "all-offline":
        return [known for known, metric in made.items() if metric.download is None]
    if unit == "document":
        return [n for n, m in made.items() if m.unit == unit and unit in m.units]
    return [known for known, metric in made.items() if not metric.expensive]
