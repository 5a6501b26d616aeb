"""METEOR, by nltk (Banerjee and Lavie 2005; parameters of Lavie and Agarwal 2007).

Words of a sentence and its reference are matched in lower case by form, then by Porter stem, then
as synonyms in WordNet; with m matches, P = m / words of the system, R = m / words of the
reference, F = P R / (α P + (1 - α) R), and METEOR = F (1 - γ (chunks / m)^β), chunks being runs of
matches that are adjacent in both; α = 0.9, β = 3, γ = 0.5. Words are those of nltk's tokenizer,
punctuation among them.

The corpus score is the mean over sentences, as nltk has it; the authors' program (METEOR 1.5) sums
the counts instead, has other parameters and a table of paraphrases: numbers are not comparable
with its. Without WordNet nothing is scored, unless synonyms are turned off, as the signature then
says. A system's sentence that is empty scores 0; a line without a reference is left out.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.errors import InputError, MissingDependencyError
from bwb.metrics.sentence_mean import SentenceMean, installed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from bwb.records import Document

_PARAMETERS = {"alpha": 0.9, "beta": 3.0, "gamma": 0.5}


class _NoSynonyms:
    """In place of WordNet: no word has a synonym."""

    def synsets(self, word: str) -> list[Any]:
        """Nothing."""
        return []


class Meteor(SentenceMean):
    """METEOR.

    Args:
        synonyms: Whether words match as synonyms, which takes nltk's data ``wordnet``.
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR, by nltk: mean over sentences"
    paper: ClassVar[str] = "Banerjee and Lavie 2005; Lavie and Agarwal 2007"
    download: ClassVar[str | None] = (
        "pip install 'bwb-corpus[neural]', and python -m nltk.downloader wordnet (11 MB)"
    )

    def __init__(self, *, synonyms: bool = True) -> None:
        """Keep the option; nothing is loaded yet."""
        super().__init__()
        self.synonyms = synonyms

    def options(self) -> dict[str, str]:
        """Parameters, tokenizer, WordNet and the library's version."""
        return {
            **{name: f"{value:g}" for name, value in _PARAMETERS.items()},
            "tok": "nltk",
            "stem": "porter",
            "synonyms": self._version() if self.synonyms else "no",
            "nltk": installed("nltk"),
        }

    def items(self, document: Document, sentences: Sequence[str]) -> list[Hashable | None]:
        """Sentence and reference."""
        return [
            (sentence, wanted) if wanted.strip() else None
            for sentence, wanted in zip(sentences, self.reference(document).sentences, strict=True)
        ]

    def compute(self, items: Sequence[Any]) -> list[tuple[float, ...]]:
        """See `SentenceMean.compute`.

        Raises:
            InputError: if WordNet is not there.
        """
        module = _load("nltk.translate.meteor_score")
        words = _load("nltk.tokenize").NLTKWordTokenizer().tokenize
        table = self._wordnet
        return [
            (
                float(
                    module.single_meteor_score(
                        words(wanted), words(system), wordnet=table, **_PARAMETERS
                    )
                ),
            )
            for system, wanted in items
        ]

    @cached_property
    def _wordnet(self) -> Any:  # noqa: ANN401 - a class of the library
        if not self.synonyms:
            return _NoSynonyms()
        table = _load("nltk.corpus").wordnet
        try:
            table.synsets("word")
        except LookupError:
            raise InputError(
                "METEOR matches synonyms by nltk's data wordnet, which is not there; get it with: "
                "python -m nltk.downloader wordnet (or turn synonyms off)"
            ) from None
        return table

    def _version(self) -> str:
        """Version of WordNet; ``none`` if it is not there."""
        try:
            return f"wordnet-{self._wordnet.get_version() or 'unknown'}"
        except (InputError, MissingDependencyError):
            return "none"


def _load(name: str) -> Any:  # noqa: ANN401 - a module
    try:
        return import_module(name)
    except ImportError:
        raise MissingDependencyError("nltk", "bwb-corpus[neural]") from None
