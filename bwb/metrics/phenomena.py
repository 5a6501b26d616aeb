"""Five phenomena, F1 and exact match each: ambiguity, entity, tense, pronoun, ellipsis.

Jiang et al. 2023 (BWB), Table 7. F1 is that of BlonDe's category (`bwb.metrics.blonde`): with h
what the system's sentence has of a class and r what the reference's has, F1 = 2 Σ min(h, r) / (Σ h
+ Σ r). For ambiguity and ellipsis, h and r count the reference's phrases that annotators noted
beside errors of code 1 and 3 (`bwb.records.ERROR_CODES`), in any system's output of that sentence.

Exact match is, by phenomenon (class ``EM entity`` …):

- ambiguity, ellipsis: found / noted phrases (Alam et al. 2021, section 3.1, with the noted phrase
  as the term's one variant): a phrase counts as found if it stands in the system's sentence at a
  place not used by another, as it is or by its lemmas. Every noted phrase counts, as often as the
  output in which it is noted most often has it, whether or not the reference has it in these
  words: so exact match and F1 may rest on different numbers of phrases. Errors without a phrase
  cannot be looked for; they are counted (``ambiguity.no_phrase``).
- entity: found / occurrences in the source, as Alam et al. (`bwb.metrics.names`): needs mentions
  annotated on both sides.
- tense, pronoun: defined in no paper. Here Σ min(h, r) / Σ r over all classes, each of weight 1:
  the share of the reference's tags, or pronouns, that the system's sentence has as well. That is
  recall, and not comparable with a published figure.

There is no number for all five together: score, F1 and exact match of the whole are None.
A class ``EM …`` has the three counts of any class, matched being what was found, and system and
reference both what was asked for, so that its precision, recall and F1 are all the exact match.
"""

from __future__ import annotations

from collections import Counter as Multiset
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.metrics.base import Metric, Miss, Tally
from bwb.metrics.blonde import Blonde
from bwb.metrics.blonde_settings import PLUS
from bwb.metrics.entity import Entity
from bwb.metrics.matching import LemmaMatcher, Matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bwb.metrics.base import Counter
    from bwb.records import Document

PHENOMENA = ("ambiguity", "entity", "tense", "pronoun", "ellipsis")
EXACT = "EM "
# Categories whose exact match is their recall.
_BY_CLASS = ("tense", "pronoun")
_SIDES = ("matched", "system", "reference")


class Phenomena(Metric):
    """Table 7's columns, phenomenon by phenomenon.

    Args:
        lemma: Whether exact match finds phrases and names by their lemmas too, as Alam et al. do.
        **choices: Those of `bwb.metrics.blonde.Blonde`; ``plus`` and ``categories`` are not among
            them.
    """

    name: ClassVar[str] = "phenomena"
    title: ClassVar[str] = "ambiguity, entity, tense, pronoun, ellipsis: F1 and exact match"
    paper: ClassVar[str] = "Jiang et al. 2023 (BWB), Table 7; exact match: Alam et al. 2021"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = tuple(
        f"{prefix}{name}" for name in PHENOMENA for prefix in ("", EXACT)
    )
    expensive: ClassVar[bool] = True
    cost: ClassVar[str] = "analysis"
    shown: ClassVar[str] = "f1"

    def __init__(self, *, lemma: bool = True, **choices: Any) -> None:  # noqa: ANN401
        """Check the choices; no model is loaded yet."""
        self.lemma = lemma
        self._blonde = _Marked(plus=True, **choices)
        self._entity = Entity(lemma=lemma)

    def options(self) -> dict[str, str]:
        """The choices of BlonDe, and what exact match is."""
        found = self._blonde.options()
        found["em-lemma"] = "yes" if self.lemma else "no"
        found["em-tense"] = found["em-pronoun"] = "recall"
        return found

    def lacks(self, document: Document) -> str | None:
        """Needs the reference; what is not annotated is undefined."""
        return self._blonde.lacks(document)

    def prepare(
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """See `Metric.prepare`."""
        self._blonde.prepare(documents, outputs, progress)

    def counter(self, document: Document) -> Counter:
        """See the module."""
        categories = self._blonde.counter(document)
        entities = self._entity_counter(document)
        phrases = {name: _Phrases(document, name, self.lemma) for name in PLUS}
        classes = self._blonde.settings.lists.classes

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            counted = categories(sentences)
            for name in PHENOMENA:
                for side in _SIDES:
                    tally.add(f"{name}.{side}", counted.counts.get(f"{name}.{side}", 0.0))
            for name in _BY_CLASS:
                had, asked = (
                    sum(counted.counts.get(f"{name}.{one}.{side}", 0.0) for one in classes[name])
                    for side in ("matched", "reference")
                )
                _add_exact(tally, name, had, asked)
            if entities is not None:
                counts = entities(sentences).counts
                asked = counts.get("exact.all", 0.0)
                _add_exact(tally, "entity", counts.get("exact.same", 0.0), asked)
            tally.misses = [miss for miss in counted.misses if miss.kind != "dm"]
            for listed in phrases.values():
                listed.count(sentences, tally)
            tally.misses.sort(key=lambda miss: miss.sentence)
            return tally

        return count

    def _entity_counter(self, document: Document) -> Counter | None:
        """What counts exact match of entities; None if the source's are not annotated."""
        zh = document.zh
        if zh is None or "entity" not in zh.layers or self._entity.lacks(document) is not None:
            return None
        return self._entity.counter(document)


class _Marked(Blonde):
    """BlonDe+ that also takes documents in which nobody marked errors."""

    def lacks(self, document: Document) -> str | None:
        """Needs the reference, and lists of entities if these were asked for."""
        if document.en is not None and all(output.errors is None for output in document.systems):
            if self.entities == "annotated" and document.en.named_entities is None:
                return "named entities of the reference are not listed"
            return None
        return super().lacks(document)


class _Phrases:
    """The phrases noted in a document beside errors of one code."""

    def __init__(self, document: Document, category: str, lemma: bool) -> None:
        self.document = document.id
        self.category = category
        self.lines: dict[int, tuple[Matcher, Multiset[str], LemmaMatcher | None]] = {}
        self.nameless = 0
        wanted: dict[int, Multiset[str]] = {}
        for output in document.systems:
            noted: dict[int, Multiset[str]] = {}
            for mark in output.errors or ():
                if mark.code != PLUS[category]:
                    continue
                if mark.reference is None:
                    self.nameless += 1
                else:
                    noted.setdefault(mark.sentence, Multiset())[mark.reference.casefold()] += 1
            for line, found in noted.items():
                wanted[line] = wanted.get(line, Multiset()) | found
        for line in sorted(wanted):
            matcher = Matcher(sorted(wanted[line]))
            named: Multiset[str] = Multiset()
            for text, times in wanted[line].items():
                # A phrase without a token (nothing but white space) stands for itself, never found.
                named[matcher.canonical(text) or text] += times
            self.lines[line] = (matcher, named, LemmaMatcher(matcher) if lemma else None)

    def count(self, sentences: Sequence[str], tally: Tally) -> None:
        """Look for them in a system's sentences."""
        tally.add(f"{self.category}.no_phrase", self.nameless)
        for line, (matcher, wanted, lemmas) in self.lines.items():
            sentence = sentences[line]
            got = Multiset(occurrence.form for occurrence in matcher.find(sentence))
            if lemmas is not None and wanted - got:
                got.update(lemmas.more(sentence))
            missed = wanted - got
            _add_exact(tally, self.category, wanted.total() - missed.total(), wanted.total())
            for text in sorted(missed):
                miss = Miss(self.document, line, text, self.category, missed[text])
                tally.misses.append(miss)


def _add_exact(tally: Tally, name: str, found: float, asked: float) -> None:
    for side, value in zip(_SIDES, (found, asked, asked), strict=True):
        tally.add(f"{EXACT}{name}.{side}", value)
