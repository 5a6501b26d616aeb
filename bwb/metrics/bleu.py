"""BLEU, as sacrebleu computes it (Papineni et al. 2002; Post 2018).

Counted by document: n-grams of the orders 1 to 4 in common with the reference (``1.matched`` …) and
in the output (``1.system`` …), and the lengths of both. They add up, so that corpus scores,
intervals and tests are the same arithmetic as for every other metric; the corpus score is equal
to sacrebleu's, whose tokens and n-grams are used. Sentences are segments. A fraction here, a
number from 0 to 100 there.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.errors import LengthError, MissingDependencyError
from bwb.metrics.base import Counter, Metric, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.records import Document

ORDERS = (1, 2, 3, 4)
_REQUIREMENT = "sacrebleu>=2.4"


class Sacre(Metric):
    """What BLEU and TER share: the references, and the library.

    Args:
        lowercase: Whether case is ignored.
        references: Further references by document id, each as many sentences as the document.
    """

    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = ()
    expensive: ClassVar[bool] = True
    shown: ClassVar[str] = "f1"

    def __init__(
        self,
        *,
        lowercase: bool = False,
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """Keep the options; the library is not loaded yet."""
        self.lowercase = lowercase
        self.references = references or {}

    def _references(self, document: Document) -> list[list[str]]:
        """All references of a document.

        Raises:
            LengthError: if one has another number of sentences.
        """
        first = list(self.reference(document).sentences)
        more = [list(other) for other in self.references.get(document.id, ())]
        for number, other in enumerate(more, 2):
            if len(other) != len(first):
                raise LengthError(
                    f"{document.id}: reference {number} has {len(other)} sentences, "
                    f"reference 1 has {len(first)}; all must be of one shape"
                )
        return [first, *more]

    def options(self) -> dict[str, str]:
        """Number of references, case and the library's version."""
        from importlib.metadata import PackageNotFoundError, version

        counts = sorted({1 + len(more) for more in self.references.values()}) or [1]
        try:
            installed = version("sacrebleu")
        except PackageNotFoundError:
            installed = "none"
        return {
            "refs": "-".join(map(str, dict.fromkeys((counts[0], counts[-1])))),
            "case": "lc" if self.lowercase else "mixed",
            "sacrebleu": installed,
        }


def load(name: str) -> Any:  # noqa: ANN401 - a class of sacrebleu
    """A metric's class.

    Raises:
        MissingDependencyError: if sacrebleu is not installed.
    """
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingDependencyError("sacrebleu", _REQUIREMENT) from None
    return getattr(metrics, name)


def require_lines(document: Document, sentences: Sequence[str], expected: int) -> None:
    """See that an output has as many sentences as its reference.

    Raises:
        LengthError: if it has not.
    """
    if len(sentences) != expected:
        raise LengthError(f"{document.id}: {len(sentences)} sentences, expected {expected}")


class Bleu(Sacre):
    """BLEU-4 with exponential smoothing."""

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU, by sacrebleu"
    paper: ClassVar[str] = "Papineni et al. 2002; Post 2018 (sacrebleu)"

    @cached_property
    def _bleu(self) -> Any:  # noqa: ANN401 - an object of sacrebleu
        return load("BLEU")(lowercase=self.lowercase)

    def options(self) -> dict[str, str]:
        """See `Sacre.options`."""
        return {**super().options(), "tok": "13a", "smooth": "exp", "eff": "no"}

    def counter(self, document: Document) -> Counter:
        """See the module."""
        references = self._references(document)

        def count(sentences: Sequence[str]) -> Tally:
            require_lines(document, sentences, len(references[0]))
            tally = Tally()
            found = self._bleu.corpus_score(list(sentences), references)
            for order, matched, total in zip(ORDERS, found.counts, found.totals, strict=True):
                tally.add(f"{order}.matched", matched)
                tally.add(f"{order}.system", total)
            tally.add("length.system", found.sys_len)
            tally.add("length.reference", found.ref_len)
            return tally

        return count

    def values(self, totals: Mapping[str, Values]) -> Values:
        """BLEU from arrays of counts; nan where neither text has a token."""
        import numpy as np

        zero = np.zeros(1)

        def get(key: str) -> Values:
            return totals.get(key, zero)

        logs, share = zero, np.ones(1)
        some, whole = np.zeros(1, bool), np.ones(1, bool)
        for order in ORDERS:
            matched, total = get(f"{order}.matched"), get(f"{order}.system")
            lacking = (matched == 0) & (total > 0)
            share = np.where(lacking, share / 2, share)
            ratio = np.where(lacking, share, matched) / np.maximum(total, 1)
            logs = logs + np.log(np.where(total > 0, ratio, 1.0)) / len(ORDERS)
            # Without an n-gram of every order, or a match of any, BLEU is 0.
            some, whole = some | (matched > 0), whole & (total > 0)
        length, wanted = get("length.system"), get("length.reference")
        brevity = np.exp(np.minimum(0.0, 1 - wanted / np.maximum(length, 1e-9)))
        score: Values = np.where(some & whole, brevity * np.exp(logs), 0.0)
        return np.where(length + wanted > 0, score, np.nan)
