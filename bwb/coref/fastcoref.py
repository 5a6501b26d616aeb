"""The neural resolver fastcoref (Otmazgin et al. 2022), if it is installed.

Its models are not on PyPI: it downloads one from the Hugging Face Hub, or reads a folder.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from bwb.coref.base import Span, inject
from bwb.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.coref.base import Chain, Speech

_MODELS = {"FCoref": "biu-nlp/f-coref", "LingMessCoref": "biu-nlp/lingmess-coref"}


class FastCoref:
    """fastcoref as a `bwb.coref.base.Resolver`.

    It finds its mentions itself: given mentions get the chain of the mention with the same span
    that it found, and are singletons otherwise (`bwb.coref.base.inject`). Speakers are not used.

    Args:
        kind: Class of the library: ``FCoref`` (fast) or ``LingMessCoref`` (more accurate).
        model: Name on the Hub, or a folder; None is the model that goes with the class.
        device: As torch names it; None leaves it to the library.
    """

    def __init__(
        self, kind: str = "FCoref", model: str | None = None, device: str | None = None
    ) -> None:
        """Note the settings; nothing is loaded yet.

        Raises:
            ValueError: if the library has no such class.
        """
        if kind not in _MODELS:
            raise ValueError(f"unknown class {kind!r} of fastcoref: known are {', '.join(_MODELS)}")
        self.kind = kind
        self.model = model or _MODELS[kind]
        self.device = device

    @property
    def name(self) -> str:
        """Library, class and model."""
        return f"fastcoref-{self.kind}:{self.model}"

    @cached_property
    def _resolver(self) -> Any:  # noqa: ANN401 - a class of the library
        try:
            library = import_module("fastcoref")
        except ImportError:
            raise MissingDependencyError("fastcoref", "fastcoref>=2.1") from None
        options = {} if self.device is None else {"device": self.device}
        return getattr(library, self.kind)(model_name_or_path=self.model, **options)

    def resolve(
        self,
        sentences: Sequence[str],
        mentions: Iterable[Span] | None = None,
        speakers: Sequence[Speech] | None = None,
    ) -> list[Chain]:
        """See `bwb.coref.base.Resolver`.

        The sentences go to the model joined by spaces. A mention that it finds across a sentence
        boundary is left out of its chain: our mentions lie within a sentence.

        Raises:
            MissingDependencyError: if fastcoref is not installed.
        """
        bases = list(accumulate((len(sentence) + 1 for sentence in sentences), initial=0))
        (prediction,) = self._resolver.predict(texts=[" ".join(sentences)])
        chains: list[Chain] = []
        for cluster in prediction.get_clusters(as_strings=False):
            spans = (_span(bases, sentences, start, end) for start, end in cluster)
            chains.append(tuple(span for span in spans if span is not None))
        return inject(sentences, chains, mentions)


def _span(bases: Sequence[int], sentences: Sequence[str], start: int, end: int) -> Span | None:
    number = bisect_right(bases, start) - 1
    inside = Span(number, start - bases[number], end - bases[number])
    return inside if number < len(sentences) and inside.end <= len(sentences[number]) else None
