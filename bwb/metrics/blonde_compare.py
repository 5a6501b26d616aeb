"""What BlonDe compares: an output with a reference, in classes, n-grams, names and phrases."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, reduce
from operator import attrgetter, mul, or_
from typing import TYPE_CHECKING

import numpy as np

from bwb.metrics.base import Miss, Tally
from bwb.metrics.blonde_counts import Ngrams
from bwb.metrics.blonde_settings import NGRAMS, PLUS
from bwb.metrics.matching import Matcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bwb.metrics.blonde_counts import Features, Ints, Named, Text
    from bwb.metrics.blonde_settings import Settings
    from bwb.records import Document

_SIDES = ("matched", "system", "reference")
# Bits of a key that are an entity's id.
_LOW = (1 << 32) - 1
# Categories whose shortfalls are told one by one.
_TOLD = ("pronoun", "dm")


@dataclass(frozen=True, slots=True)
class Counted:
    """A text with its entities, and its annotated phrases by category, a Counter a sentence."""

    text: Text
    entities: Counter[int]
    phrases: Mapping[str, list[Counter[str]]]


class Scheme:
    """What all comparisons of a metric share: names, weights and numbers of the classes."""

    def __init__(self, settings: Settings, features: Features) -> None:
        """Lay out the names."""
        classes = settings.lists.classes
        self.features = features
        self.classes = classes
        self.names = {name: [f"{name}.{one}" for one in classes[name]] for name in classes}
        self.weights = {name: settings.weights(name) for name in classes}


class Reference:
    """What an output is compared with: one reference, or the union of several."""

    def __init__(self, references: list[Counted], scheme: Scheme) -> None:
        """Put the references together."""
        self.scheme = scheme
        self.ngrams = Ngrams([r.text for r in references])
        self.classes = np.maximum.reduce([r.text.classes for r in references])
        self.sums: list[int] = self.classes.sum(0).tolist()
        self.entities = reduce(or_, (r.entities for r in references))
        self.phrases = {
            name: [
                reduce(or_, found)
                for found in zip(*(r.phrases[name] for r in references), strict=True)
            ]
            for name in references[0].phrases
        }

    def compare(self, output: Counted, document: str) -> Tally:
        """Count what an output has in common with the reference."""
        tally = Tally()
        got, wanted = output.text.classes, self.classes
        matched = np.minimum(got, wanted)
        sums = [rows.sum(0).tolist() for rows in (matched, got)]
        for name, columns in self.scheme.features.columns.items():
            self._add(tally, name, [row[columns] for row in (*sums, self.sums)])
            if name in _TOLD:
                missing = wanted[:, columns] - matched[:, columns]
                tally.misses += self._missing(name, missing, document)
        self._compare_entities(tally, output.entities, document)
        for name, listed in self.phrases.items():
            for one, other in zip(output.phrases[name], listed, strict=True):
                both = (one & other).total()
                _put(tally, name, (both, one.total(), other.total()))
        orders = (self.ngrams.matched(output.text), output.text.ngrams, self.ngrams.totals)
        for name, values in zip(NGRAMS, zip(*orders, strict=True), strict=True):
            _put(tally, name, values)
        tally.misses.sort(key=attrgetter("sentence"))
        return tally

    def _add(self, tally: Tally, category: str, rows: list[list[int]]) -> None:
        """Add the counts of the classes of a category, and their weighted sums."""
        for name, *values in zip(self.scheme.names[category], *rows, strict=True):
            if any(values):
                _put(tally, name, values)
        weights = self.scheme.weights[category]
        _put(tally, category, [sum(map(mul, weights, row)) for row in rows])

    def _missing(self, category: str, rows: Ints, document: str) -> Iterable[Miss]:
        names = self.scheme.classes[category]
        for sentence, column in zip(*(axis.tolist() for axis in rows.nonzero()), strict=True):
            name = names[column]
            yield Miss(document, sentence, name, category, int(rows[sentence, column]))

    def _compare_entities(self, tally: Tally, found: Counter[int], document: str) -> None:
        known, names = self.scheme.features.entities, self.scheme.classes["entity"]
        rows = [[0] * len(names) for _ in _SIDES]
        for key, count in found.items():
            rows[1][known[key & _LOW][0]] += count
        for key, wanted in self.entities.items():
            kind, text = known[key & _LOW]
            both = min(wanted, found.get(key, 0))
            rows[0][kind] += both
            rows[2][kind] += wanted
            if both < wanted:
                tally.misses.append(Miss(document, key >> 32, text, names[kind], wanted - both))
        self._add(tally, "entity", rows)


def _put(tally: Tally, name: str, values: Iterable[float]) -> None:
    """Add the three counts of a class."""
    counts = tally.counts
    for key, value in zip(_keys(name), values, strict=True):
        if value:
            counts[key] = counts.get(key, 0.0) + value


@cache
def _keys(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{side}" for side in _SIDES)


@dataclass(frozen=True, slots=True)
class Finders:
    """What annotators of a document listed, ready to be looked for.

    Attributes:
        names: Finds listed entities; None if the model's are counted.
        kinds: Class of each of them, by its form.
        phrases: By category and sentence, the phrases noted beside errors.
    """

    names: Matcher | None
    kinds: Mapping[str, int]
    phrases: Mapping[str, Mapping[int, tuple[tuple[str, re.Pattern[str]], ...]]]

    @classmethod
    def of(cls, document: Document, settings: Settings, entities: str) -> Finders:
        """Collect them; a name listed in both classes is of the one it is listed in more often."""
        names, kinds = None, {}
        if entities == "annotated" and document.en is not None:
            order = settings.lists.classes["entity"]
            listed: dict[str, Counter[int]] = {}
            for entity in document.en.named_entities or ():
                counts = listed.setdefault(entity.text, Counter())
                counts[order.index(entity.label)] += entity.count
            names = Matcher(listed, case=not settings.lowercase)
            merged: dict[str, Counter[int]] = {}
            for text, counts in listed.items():
                merged.setdefault(names.canonical(text) or text, Counter()).update(counts)
            kinds = {text: counts.most_common(1)[0][0] for text, counts in merged.items()}
        phrases = _phrases(document) if settings.plus else {}
        return cls(names, kinds, phrases)

    def find_names(self, sentence: str) -> list[Named]:
        """Listed entities in a sentence."""
        found = self.names.find(sentence) if self.names is not None else []
        return [(self.kinds[occurrence.form], occurrence.form) for occurrence in found]

    def find_phrases(self, category: str, index: int, sentence: str) -> Counter[str]:
        """Phrases listed for a sentence, in it or in another text's sentence of the same line."""
        listed = self.phrases[category].get(index, ())
        return Counter({text: len(pattern.findall(sentence)) for text, pattern in listed})


def _phrases(document: Document) -> dict[str, dict[int, tuple[tuple[str, re.Pattern[str]], ...]]]:
    """By category and sentence, the reference's phrases that any output's marks name."""
    found: dict[str, dict[int, dict[str, None]]] = {name: {} for name in PLUS}
    codes = {code: name for name, code in PLUS.items()}
    for output in document.systems:
        for mark in output.errors or ():
            if mark.code in codes and mark.reference is not None:
                lines = found[codes[mark.code]]
                lines.setdefault(mark.sentence, {})[mark.reference.lower()] = None
    return {
        name: {
            line: tuple(
                (text, re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE))
                for text in texts
            )
            for line, texts in lines.items()
        }
        for name, lines in found.items()
    }
