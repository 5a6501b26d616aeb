"""What metrics share that give each sentence a score of its own: their mean is the corpus score.

A sentence's scores are summed by document (``score.sum`` …) and counted (``sentences``), so that
the corpus score is the mean over sentences, as the libraries report it, and intervals and tests
are the same arithmetic as for every other metric. A line whose reference, or source where it is
needed, is empty has no score: it is counted as ``left_out``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.errors import BwbError
from bwb.metrics.base import Counter, Metric, Tally, as_arrays, divide, scalar
from bwb.metrics.bleu import require_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from bwb.metrics.base import Score, Values
    from bwb.records import Document

_RATIOS = ("precision", "recall", "f1")
_SAMPLE = 1 << 20  # bytes of a file's ends that its digest is made of


class MetricError(BwbError):
    """A library gave something that is no score, or cannot do what was asked of it."""


class SentenceMean(Metric):
    """A metric whose corpus score is the mean of its sentences'.

    A subclass says what its scores are called (`names`, the one to report first), makes an item of
    each sentence, and scores many items at a time.
    """

    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = ()
    expensive: ClassVar[bool] = True
    shown: ClassVar[str] = "f1"
    names: ClassVar[tuple[str, ...]] = ("score",)

    def __init__(self) -> None:
        """Nothing is scored yet."""
        self._known: dict[Hashable, tuple[float, ...]] = {}

    @abstractmethod
    def items(self, document: Document, sentences: Sequence[str]) -> list[Hashable | None]:
        """What is scored, for each sentence; None where there is nothing to score it against."""

    @abstractmethod
    def compute(self, items: Sequence[Any]) -> list[tuple[float, ...]]:
        """The scores of items, a number for each of `names`.

        Raises:
            MissingDependencyError: if the library is not installed.
        """

    def prepare(
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Score the sentences of all systems at once; equal ones once."""
        wanted: dict[Hashable | None, None] = {}
        for document in documents:
            if self.lacks(document) is None:
                for found in outputs.values():
                    wanted |= dict.fromkeys(self._items(document, found[document.id]))
        wanted.pop(None, None)
        self._score(list(wanted))
        if progress is not None:
            progress(len(wanted))

    def counter(self, document: Document) -> Counter:
        """See the module."""

        def count(sentences: Sequence[str]) -> Tally:
            items = self._items(document, sentences)
            self._score([item for item in dict.fromkeys(items) if item is not None])
            tally = Tally()
            for item in items:
                if item is None:
                    tally.add("left_out", 1)
                    continue
                tally.add("sentences", 1)
                for name, value in zip(self.names, self._known[item], strict=True):
                    tally.add(f"{name}.sum", value)
            return tally

        return count

    def values(self, totals: Mapping[str, Values]) -> Values:
        """The mean of the first of `names`; nan without a sentence."""
        return self._mean(totals, self.names[0])

    def ratios(self, totals: Mapping[str, Values]) -> dict[str, dict[str, Values]]:
        """Means that are precision, recall or F1, of all sentences."""
        named = [name for name in self.names if name in _RATIOS]
        return {self.overall: {name: self._mean(totals, name) for name in named}} if named else {}

    def score(
        self, system: str, tallies: Sequence[Tally], data: Mapping[str, str] | None = None
    ) -> Score:
        """As `Metric.score`, with precision, recall and F1 where the metric has them."""
        plain = super().score(system, tallies, data)
        means = self.ratios(as_arrays(plain.counts)).get(self.overall, {})
        precision, recall, f1 = (scalar(means[name]) if name in means else None for name in _RATIOS)
        return dataclasses.replace(plain, precision=precision, recall=recall, f1=f1)

    def _items(self, document: Document, sentences: Sequence[str]) -> list[Hashable | None]:
        require_lines(document, sentences, len(self.reference(document).sentences))
        return self.items(document, sentences)

    def _score(self, items: Sequence[Hashable | None]) -> None:
        """Score the items that have none yet.

        Raises:
            MetricError: if the library gives something that is no finite score, or too few.
        """
        missing = [item for item in items if item not in self._known]
        if not missing:
            return
        found = self.compute(missing)
        if len(found) != len(missing):
            raise MetricError(f"{self.name}: {len(found)} scores of {len(missing)} sentences")
        for scores in found:
            if not all(math.isfinite(value) for value in scores):
                raise MetricError(f"{self.name}: {scores} is no score of a sentence")
        self._known |= dict(zip(missing, found, strict=True))

    def _mean(self, totals: Mapping[str, Values], name: str) -> Values:
        import numpy as np

        zero = np.zeros(1)
        return divide(totals.get(f"{name}.sum", zero), totals.get("sentences", zero))


def model_name(model: str) -> str:
    """A model for a signature: its name, or for a folder or file its last name and a digest.

    The digest is of the names and sizes of the files, and of the first and last megabyte of each.
    """
    path = Path(model)
    if not path.exists():
        return model
    digest = hashlib.blake2b(digest_size=4)
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    for file in files:
        size = file.stat().st_size
        relative = file.relative_to(path).as_posix() if path.is_dir() else file.name
        digest.update(f"{relative}:{size}:".encode())
        with file.open("rb") as opened:
            digest.update(opened.read(_SAMPLE))
            opened.seek(max(0, size - _SAMPLE))
            digest.update(opened.read(_SAMPLE))
    return f"{path.resolve().name}@{digest.hexdigest()}"


def installed(distribution: str) -> str:
    """Version of a library; ``none`` if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "none"
