"""chrF and chrF++, as sacrebleu computes them (Popović 2015, 2017; Post 2018).

Counted by document: n-grams of 1 to 6 characters without white space (``char-1.matched``,
``char-1.system``, ``char-1.reference`` …), and for chrF++ of 1 and 2 words (``word-1.…``), where a
mark at the end of a word, or else at its beginning, is a word of its own. Precision and recall are
means over the orders that both texts have; the score is their F with β = 2, recall weighing four
times as much. Sentences are segments; of several references each takes the one with which it
scores best. A fraction here, a number from 0 to 100 there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.errors import InputError
from bwb.metrics.base import Counter, Tally, as_arrays, divide
from bwb.metrics.bleu import Sacre, require_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.metrics.base import Values
    from bwb.metrics.grams import GramIndex, Text
    from bwb.records import Document

CHARACTERS = 6
_BETA = 2
_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Chrf(Sacre):
    """Character n-gram F-score.

    Args:
        word_order: Longest n-gram of words: 0 for chrF, 2 for chrF++.
        lowercase: See `bwb.metrics.bleu.Sacre`.
        references: See `bwb.metrics.bleu.Sacre`.
    """

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF, by characters; chrF++ with --word-order 2"
    paper: ClassVar[str] = "Popović 2015, 2017; Post 2018 (sacrebleu)"

    def __init__(
        self,
        *,
        word_order: int = 0,
        lowercase: bool = False,
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """Keep the options."""
        super().__init__(lowercase=lowercase, references=references)
        if word_order < 0:
            raise InputError(f"word order {word_order}; expected 0 (chrF), 2 (chrF++) or more")
        self.word_order = word_order

    def options(self) -> dict[str, str]:
        """See `bwb.metrics.bleu.Sacre.options`."""
        orders = {"nc": str(CHARACTERS), "nw": str(self.word_order), "space": "no"}
        return {**super().options(), **orders, "beta": str(_BETA), "eff": "yes"}

    def counter(self, document: Document) -> Counter:
        """See the module."""
        lines = self._references(document)
        # One reference is counted all segments at once; of several, each segment takes its own.
        if len(lines) == 1:
            groups = [[self._prepare(lines[0])]]
        else:
            groups = [[self._prepare([line]) for line in same] for same in zip(*lines, strict=True)]

        def count(sentences: Sequence[str]) -> Tally:
            require_lines(document, sentences, len(lines[0]))
            parts = [sentences] if len(lines) == 1 else [[line] for line in sentences]
            tally = Tally()
            for part, references in zip(parts, groups, strict=True):
                text = self._texts(part)
                found = [_counts(text, reference) for reference in references]
                best = found[0] if len(found) == 1 else max(found, key=self._score)
                for key, value in best.items():
                    tally.add(key, value)
            return tally

        return count

    def _texts(self, segments: Sequence[str]) -> list[tuple[str, int, Text]]:
        """What n-grams are made of: its name, the longest n-gram, and the tokens."""
        made = [text.lower() for text in segments] if self.lowercase else list(segments)
        texts: list[tuple[str, int, Text]] = [
            ("char", CHARACTERS, ["".join(text.split()) for text in made])
        ]
        if self.word_order:
            texts.append(("word", self.word_order, [_words(text) for text in made]))
        return texts

    def _prepare(self, segments: Sequence[str]) -> list[tuple[GramIndex, list[int]]]:
        """An index, and the lengths of the segments, of characters and of words."""
        from bwb.metrics.grams import GramIndex

        return [
            (
                GramIndex([text], orders, characters=name == "char"),
                [len(segment) for segment in text],
            )
            for name, orders, text in self._texts(segments)
        ]

    def _score(self, counts: Mapping[str, float]) -> float:
        """The score of some counts; undefined is 0 here, as it is only compared."""
        import numpy as np

        return float(np.nan_to_num(self.values(as_arrays(counts))[0]))

    def values(self, totals: Mapping[str, Values]) -> Values:
        """F from arrays of counts; nan where the reference has no character."""
        import numpy as np

        zero = np.zeros(1)
        precision, recall, orders = zero, zero, zero
        names = [key.removesuffix(".reference") for key in totals if key.endswith(".reference")]
        for name in names:
            matched = totals.get(f"{name}.matched", zero)
            system, reference = totals.get(f"{name}.system", zero), totals[f"{name}.reference"]
            both = (system > 0) & (reference > 0)
            precision = precision + np.where(both, matched / np.maximum(system, 1), 0.0)
            recall = recall + np.where(both, matched / np.maximum(reference, 1), 0.0)
            orders = orders + both
        precision, recall = precision / np.maximum(orders, 1), recall / np.maximum(orders, 1)
        weight = _BETA**2
        score = divide((1 + weight) * precision * recall, weight * precision + recall)
        defined = totals.get("char-1.reference", zero) > 0
        return np.where(defined, np.nan_to_num(score), np.nan)


def _counts(
    texts: Sequence[tuple[str, int, Text]], references: Sequence[tuple[GramIndex, list[int]]]
) -> dict[str, float]:
    """The counts of a text against one reference."""
    import numpy as np

    counts: dict[str, float] = {}
    for (name, _, text), (index, lengths) in zip(texts, references, strict=True):
        own, theirs = np.array([len(segment) for segment in text]), np.array(lengths)
        for order, matched in enumerate(index.matches(text), 1):
            counts[f"{name}-{order}.matched"] = matched
            # As sacrebleu: only those of segments in which the reference has any of this order.
            those = np.maximum(own - order + 1, 0) * (theirs >= order)
            counts[f"{name}-{order}.system"] = float(those.sum())
            counts[f"{name}-{order}.reference"] = float(np.maximum(theirs - order + 1, 0).sum())
    return counts


def _words(text: str) -> list[str]:
    """Words of chrF++: a mark at the end is split off, or else one at the beginning."""
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _MARKS:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _MARKS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words
