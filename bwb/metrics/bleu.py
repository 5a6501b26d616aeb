"""BLEU, as sacrebleu computes it (Papineni et al. 2002; Post 2018).

Counted by document: n-grams of the orders 1 to 4 in common with the reference (``1.matched`` …) and
in the output (``1.system`` …), and the lengths of both. They add up, so that corpus scores,
intervals and tests are the same arithmetic as for every other metric; the corpus score is equal
to sacrebleu's, whose tokens are used. Sentences are segments. A fraction here, a number from 0 to
100 there.

The tokens are those of ``13a``; a Chinese target needs ``zh``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from bwb.errors import LengthError, MissingDependencyError, UnknownNameError
from bwb.metrics.base import Counter, Metric, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.records import Document

ORDERS = (1, 2, 3, 4)
# Those of sacrebleu's tokenizers that come with it.
Tokenizer = Literal["13a", "zh", "intl", "char", "none"]
TOKENIZERS: tuple[Tokenizer, ...] = get_args(Tokenizer)
_REQUIREMENT = "sacrebleu>=2.4"


class Sacre(Metric):
    """What the metrics of sacrebleu share: the references, and the library.

    Args:
        lowercase: Whether case is ignored.
        references: Further references by document id, each as many sentences as the document.
    """

    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = ()
    units: ClassVar[tuple[str, ...]] = ("sentence", "document")
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


@cache
def tokenizer(name: str) -> Callable[[str], str]:
    """A tokenizer of sacrebleu, which keeps what it was given: one serves all metrics.

    Raises:
        UnknownNameError: if it is not one of `TOKENIZERS`.
        MissingDependencyError: as `load`.
    """
    if name not in TOKENIZERS:
        raise UnknownNameError("tokenizer", name, TOKENIZERS)
    found: Callable[[str], str] = load("BLEU")(tokenize=name).tokenizer
    return found


@cache
def cutter(name: str) -> Callable[[str], tuple[str, ...]]:
    """The tokens of a text by a tokenizer; what was found is kept for the next metric.

    The rules of 13a do not look past a space, so that a text is cut word by word: most words come
    again. Only a hyphen before a line break joins two of them.
    """
    whole = tokenizer(name)

    @lru_cache(maxsize=1 << 18)
    def of_word(word: str) -> tuple[str, ...]:
        # Letters and digits alone are never taken apart.
        return (word,) if word.isalnum() else tuple(whole(word).split())

    @lru_cache(maxsize=1 << 16)
    def of_text(text: str) -> tuple[str, ...]:
        if name == "13a" and "\n" not in text:
            return tuple(chain.from_iterable(map(of_word, text.split())))
        return tuple(whole(text.rstrip()).split())

    return of_text


def require_lines(document: Document, sentences: Sequence[str], expected: int) -> None:
    """See that an output has as many sentences as its reference.

    Raises:
        LengthError: if it has not.
    """
    if len(sentences) != expected:
        raise LengthError(f"{document.id}: {len(sentences)} sentences, expected {expected}")


class Bleu(Sacre):
    """BLEU-4 with exponential smoothing.

    Args:
        lowercase: See `Sacre`.
        tokenize: One of `TOKENIZERS`.
        references: See `Sacre`.
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU, by sacrebleu"
    paper: ClassVar[str] = "Papineni et al. 2002; Post 2018 (sacrebleu)"

    def __init__(
        self,
        *,
        lowercase: bool = False,
        tokenize: str = "13a",
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """Keep the options; the library is not loaded yet."""
        super().__init__(lowercase=lowercase, references=references)
        if tokenize not in TOKENIZERS:
            raise UnknownNameError("tokenizer", tokenize, TOKENIZERS)
        self.tokenize = tokenize

    def tokens(self, sentences: Sequence[str]) -> list[tuple[str, ...]]:
        """The tokens of each segment, here a sentence, as sacrebleu's BLEU has them."""
        texts = [text.lower() for text in sentences] if self.lowercase else sentences
        return list(map(cutter(self.tokenize), texts))

    def options(self) -> dict[str, str]:
        """See `Sacre.options`."""
        return {**super().options(), "tok": self.tokenize, "smooth": "exp", "eff": "no"}

    def counter(self, document: Document) -> Counter:
        """See the module."""
        from bwb.metrics.grams import GramIndex

        lines = self._references(document)
        references = [self.tokens(text) for text in lines]
        lengths = [[len(segment) for segment in text] for text in references]
        index = GramIndex(references, len(ORDERS))

        def count(sentences: Sequence[str]) -> Tally:
            require_lines(document, sentences, len(lines[0]))
            text = self.tokens(sentences)
            return length_counts(text, lengths, index.matches(text))

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


def length_counts(
    text: Sequence[Sequence[str]], lengths: Sequence[Sequence[int]], matches: Sequence[float]
) -> Tally:
    """The counts of BLEU: matches, totals, and lengths, of the reference that is closest in it.

    Args:
        text: The tokens of each segment.
        lengths: For each reference, the length of each segment.
        matches: Of each order.
    """
    from bwb.metrics.grams import totals

    tally = Tally()
    own = [len(segment) for segment in text]
    for order, matched, total in zip(ORDERS, matches, totals(own, len(ORDERS)), strict=True):
        tally.add(f"{order}.matched", matched)
        tally.add(f"{order}.system", total)
    # Of two that are as close, the shorter.
    closest = (
        min((abs(other - length), other) for other in others)[1]
        for length, *others in zip(own, *lengths, strict=True)
    )
    tally.add("length.system", sum(own))
    tally.add("length.reference", sum(closest))
    return tally
