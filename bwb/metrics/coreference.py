"""Coreference: is it still clear who is who?

Jiang et al. 2023 (BWB), section 5 and Table 8. The reference's mentions are looked for in the
system's text, line by line (`bwb.metrics.placing`); a resolver is given those that are there and
groups them; its chains are scored against those of the reference. A text in which names change,
pronouns have the wrong gender or antecedents are lost is one in which the resolver goes astray.

Key mentions are those of the reference. Those that are not in the system's text count as mentions
that the response lacks: they lower the recall of every score, not the precision (`missed`). With
``unmatched="ignored"`` they are taken out of the key, and the scores say how the mentions that are
there are grouped, whatever their number. Both are counted; the classes ``muc``, ``b3`` … follow
the option, and ``coverage`` is always the share of the reference's mentions that were found.

The score is the CoNLL F1, (MUC + B3 + CEAFe) / 3, of numerators and denominators summed over
documents (`bwb.corefscores`). A resolver makes mistakes on the reference as well, which therefore
does not score 1: give it as one more system to see what can be reached.
"""

from __future__ import annotations

import dataclasses
from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from bwb.corefscores import CorefCounts, Ratio
from bwb.corefscores import count as count_clusters
from bwb.metrics.base import Counter, Metric, Miss, Part, Tally, as_arrays, divide, scalar
from bwb.metrics.placing import Placer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.coref.base import Resolver
    from bwb.metrics.base import Counts, Score
    from bwb.metrics.placing import Placed
    from bwb.records import Document, Side

    Values = NDArray[np.float64]

Unmatched = Literal["missed", "ignored"]
# Class → field of the counts.
_FIELDS = {
    "muc": "muc",
    "b3": "b_cubed",
    "ceafm": "ceafm",
    "ceafe": "ceafe",
    "lea": "lea",
}
_LINKS = {"coreferent": "blanc_coreferent", "non_coreferent": "blanc_non_coreferent"}
_NUMBERS = tuple(field.name for field in fields(Ratio))
_CONLL = ("muc", "b3", "ceafe")


class Coreference(Metric):
    """Chains of the reference that a resolver finds again in the system's text.

    Args:
        resolver: What groups the mentions; the sieve if None.
        unmatched: What the reference's mentions are that the system's text lacks.
    """

    name: ClassVar[str] = "coreference"
    title: ClassVar[str] = "chains of the reference, found again by a resolver (CoNLL F1)"
    paper: ClassVar[str] = "Jiang et al. 2023 (BWB), section 5, Table 8"
    needs: ClassVar[tuple[str, ...]] = ("reference", "coreference")
    classes: ClassVar[tuple[str, ...]] = (*_FIELDS, "blanc", "coverage")
    overall: ClassVar[str] = "conll"
    unit: ClassVar[str] = "document"
    expensive: ClassVar[bool] = True
    cost: ClassVar[str] = "analysis"
    shown: ClassVar[str] = "f1"

    def __init__(self, resolver: Resolver | None = None, unmatched: Unmatched = "missed") -> None:
        """Note the settings; nothing is loaded yet.

        Raises:
            ValueError: if `unmatched` is neither ``missed`` nor ``ignored``.
        """
        if unmatched not in get_args(Unmatched):
            known = ", ".join(get_args(Unmatched))
            raise ValueError(f"unknown treatment {unmatched!r} of mentions: known are {known}")
        self._resolver = resolver
        self.unmatched = unmatched

    @property
    def resolver(self) -> Resolver:
        """What groups the mentions."""
        if self._resolver is None:
            from bwb.coref.sieve import Sieve

            self._resolver = Sieve()
        return self._resolver

    def options(self) -> dict[str, str]:
        """The resolver, and what unmatched mentions are."""
        return {"resolver": self.resolver.name, "unmatched": self.unmatched}

    def lacks(self, document: Document) -> str | None:
        """Needs the chains of the English side."""
        if document.en is None:
            return super().lacks(document)
        if "coreference" not in document.en.layers:
            return "chains of the reference are not annotated (layer coreference)"
        return None

    def counter(self, document: Document) -> Counter:
        """See the module."""
        reference = self.reference(document)
        chains: dict[str, list[str]] = {}
        for mention in reference.mentions:
            chains.setdefault(mention.entity, []).append(mention.id)
        key = list(chains.values())
        placer = Placer(reference)

        def count(sentences: Sequence[str]) -> Tally:
            placed = placer.place(sentences)
            response = self._resolve(reference, placed, sentences)
            there = {name for chain in response for name in chain}
            kept = [[name for name in chain if name in there] for chain in key]
            tally = Tally()
            _add(tally, count_clusters(key, response), "missed")
            _add(tally, count_clusters(kept, response), "ignored")
            missing = placer.missing(placed)
            tally.add("coverage.matched", len(reference.mentions) - len(missing))
            tally.add("coverage.reference", len(reference.mentions))
            for mention in missing:
                tally.misses.append(
                    Miss(document.id, mention.sentence, mention.text, mention.form or "mention")
                )
            return tally

        return count

    def _resolve(
        self, reference: Side, placed: Mapping[int, Sequence[Placed]], sentences: Sequence[str]
    ) -> list[list[str]]:
        """The chains that the resolver makes of the placed mentions, by the mentions' ids."""
        from bwb.coref.base import Span
        from bwb.coref.project import project_speech

        names = {
            Span(line, found.start, found.end): found.mention.id
            for line, row in placed.items()
            for found in row
        }
        if not names:
            return []
        speech = project_speech(reference, sentences)
        chains = self.resolver.resolve(sentences, names, speech)
        return [[names[span] for span in chain] for chain in chains]

    def values(self, totals: Mapping[str, Values]) -> Values:
        """CoNLL F1; nan where MUC, B3 or CEAFe is undefined."""
        return self.ratios(totals)[self.overall]["f1"]

    def ratios(self, totals: Mapping[str, Values]) -> dict[str, dict[str, Values]]:
        """Recall, precision and F1 of all classes, from arrays of counts; nan where undefined.

        ``conll`` has the means of those of MUC, B3 and CEAFe. BLANC is that of the official scorer:
        a kind of link that the reference has none of is left out of the mean. Coverage is a share:
        it stands as recall and, as tables show that, as F1.
        """
        found = {name: _prf(totals, f"{self.unmatched}.{name}") for name in _FIELDS}
        found["blanc"] = self._blanc(totals)
        share = divide(_get(totals, "coverage.matched"), _get(totals, "coverage.reference"))
        found["coverage"] = (share, share * float("nan"), share)
        means = [sum(values, start=_zero()) / len(_CONLL) for values in _columns(found)]
        found[self.overall] = (means[0], means[1], means[2])
        return {
            name: dict(zip(("recall", "precision", "f1"), values, strict=True))
            for name, values in found.items()
        }

    def _blanc(self, totals: Mapping[str, Values]) -> tuple[Values, Values, Values]:
        import numpy as np

        used = [_get(totals, f"{self.unmatched}.{k}.recall_den") > 0 for k in _LINKS]
        parts = [_prf(totals, f"{self.unmatched}.{kind}") for kind in _LINKS]
        number = np.sum(np.broadcast_arrays(*used), axis=0).astype(np.float64)
        means = []
        for values in zip(*parts, strict=True):
            summed = sum(
                (np.where(u, np.nan_to_num(v), 0.0) for u, v in zip(used, values, strict=True)),
                start=_zero(),
            )
            means.append(divide(summed, number))
        return means[0], means[1], means[2]

    def score(
        self, system: str, tallies: Sequence[Tally], data: Mapping[str, str] | None = None
    ) -> Score:
        """See `bwb.metrics.base.Metric.score`.

        Recall and precision of the whole are means, as its F1 is.
        """
        made = super().score(system, tallies, data)
        ratios = self.ratios(as_arrays(made.counts))
        scalars = {
            name: {ratio: scalar(values) for ratio, values in found.items()}
            for name, found in ratios.items()
        }
        parts = {
            name: Part(**scalars[name], counts=self._counts(made.counts, name))
            for name in self.classes
        }
        whole = scalars[self.overall]
        return dataclasses.replace(
            made, recall=whole["recall"], precision=whole["precision"], f1=whole["f1"], parts=parts
        )

    def _counts(self, totals: Counts, name: str) -> dict[str, float]:
        """The counts that a class is made of."""
        kinds = tuple(_LINKS) if name == "blanc" else (name,)
        prefixes = tuple(f"{self.unmatched}.{kind}." for kind in kinds)
        if name == "coverage":
            prefixes = ("coverage.",)
        return {key: value for key, value in totals.items() if key.startswith(prefixes)}


def _columns(found: Mapping[str, tuple[Values, Values, Values]]) -> list[list[Values]]:
    """Recalls, precisions and F1s of what the CoNLL F1 is the mean of."""
    return [[found[name][column] for name in _CONLL] for column in range(3)]


def _add(tally: Tally, counts: CorefCounts, prefix: str) -> None:
    for name, attribute in {**_FIELDS, **_LINKS}.items():
        ratio = getattr(counts, attribute)
        for number in _NUMBERS:
            tally.add(f"{prefix}.{name}.{number}", getattr(ratio, number))


def _prf(totals: Mapping[str, Values], prefix: str) -> tuple[Values, Values, Values]:
    """As `bwb.corefscores.Ratio`: F1 is undefined only if recall and precision are."""
    import numpy as np

    recall = divide(*(_get(totals, f"{prefix}.recall_{part}") for part in ("num", "den")))
    precision = divide(*(_get(totals, f"{prefix}.precision_{part}") for part in ("num", "den")))
    r, p = np.nan_to_num(recall), np.nan_to_num(precision)
    f1 = np.divide(2 * r * p, r + p, out=np.zeros(np.broadcast(r, p).shape), where=r + p > 0)
    f1 = np.where(np.isnan(recall) & np.isnan(precision), np.nan, f1)
    return recall, precision, f1


def _get(totals: Mapping[str, Values], key: str) -> Values:
    found = totals.get(key)
    return _zero() if found is None else found


def _zero() -> Values:
    import numpy as np

    return np.zeros(1)
