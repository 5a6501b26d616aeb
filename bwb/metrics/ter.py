"""TER, translation edit rate, as sacrebleu computes it (Snover et al. 2006).

Edits (insertions, deletions, substitutions, shifts of runs of words) / words of the reference,
summed over the corpus. Lower is better; more edits than words make it greater than 1. Words are
those between white space, in lower case, as in tercom. A fraction here, percent there.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.metrics.base import Counter, Tally, divide
from bwb.metrics.bleu import Sacre, load, require_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.records import Document


class Ter(Sacre):
    """Translation edit rate.

    Args:
        case: Whether case counts.
        references: See `bwb.metrics.bleu.Sacre`.
    """

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER, by sacrebleu: edits per word of the reference; lower is better"
    paper: ClassVar[str] = "Snover et al. 2006; Post 2018 (sacrebleu)"
    higher_is_better = False
    # The search for shifts takes minutes on a text of some hundred words.
    units: ClassVar[tuple[str, ...]] = ("sentence",)

    def __init__(
        self,
        *,
        case: bool = False,
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """Keep the options; the library is not loaded yet."""
        super().__init__(lowercase=not case, references=references)

    @cached_property
    def _ter(self) -> Any:  # noqa: ANN401 - an object of sacrebleu
        return load("TER")(case_sensitive=not self.lowercase)

    def options(self) -> dict[str, str]:
        """See `bwb.metrics.bleu.Sacre.options`."""
        return {**super().options(), "tok": "tercom", "norm": "no", "punct": "yes"}

    def counter(self, document: Document) -> Counter:
        """See the module."""
        references = self._references(document)

        def count(sentences: Sequence[str]) -> Tally:
            require_lines(document, sentences, len(references[0]))
            tally = Tally()
            found = self._ter.corpus_score(list(sentences), references)
            tally.add("edits", found.num_edits)
            tally.add("words", found.ref_length)
            return tally

        return count

    def values(self, totals: Mapping[str, Values]) -> Values:
        """Edits / words; nan where the reference has no word."""
        import numpy as np

        zero = np.zeros(1)
        return divide(totals.get("edits", zero), totals.get("words", zero))
