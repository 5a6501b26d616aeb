"""BlonDe: what makes a text hang together, compared sentence by sentence with the reference.

Jiang et al. 2022 (NAACL). A sentence is counted in eight categories: verb tags (``tense``), third
person pronouns by gender, entities, discourse markers (``dm``) and n-grams of the orders 1 to 4.
With h what the system's sentence has of a class and r what the reference's has, recall of a
category is Σ min(h, r) / Σ r over all classes, sentences and documents, and precision
Σ min(h, r) / Σ h. ``BlonDe`` averages the eight (geometrically), ``dBlonDe`` the first four,
``sBlonDe`` the n-grams with dBlonDe, and ``BlonDe+`` adds ``ambiguity`` and ``ellipsis``: phrases
of the reference that annotators noted beside an error in some system's output, looked for in both
texts. The number to report is the F1 of BlonDe, or of BlonDe+ if it was asked for.

Variants
    ``blonde-0.1.4`` gives the numbers of the reference package wherever the package gives any.
    ``paper``, the default, follows the paper and its arithmetic:

    - neuter and epicene pronouns and entities other than persons count as much as the others (the
      package gives them the weight 0 unless told otherwise);
    - of several references, each document is compared with the one it is nearest to, so that a
      system equal to one reference scores 1 (in the package the maximum of each class over the
      references is the denominator, and such a system has a recall of 0.56);
    - an undefined category is None and left out, a category without a match counts as δ = 0.0001
      matches;
    - an n-gram order without a match counts as half a match, the next one as a quarter, … (in the
      package as two matches, which is more than one match counts);
    - sBlonDe averages the four orders and dBlonDe (the package averages all eight categories
      with dBlonDe, counting four of them twice);
    - both apostrophes of a possessive are taken off an entity; ``else`` is a discourse marker.

    It is the default because a score that is to be compared between systems must not depend on
    slips: give the package's variant where a number has to be set beside a published one.

Annotated entities (the release's ``ner_re``) replace the model's: the names that annotators listed
for a document are looked for in both texts, by the rules of `bwb.metrics.matching`.

A sentence is compared with the sentence of the same line: outputs that were not made line by line
have to be realigned first.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.errors import InputError, LengthError, MissingDependencyError, UsageError
from bwb.metrics.base import Metric, Part, Tally, as_arrays, scalar
from bwb.metrics.blonde_settings import CATEGORIES, PLUS, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bwb.analysis.base import Analyser
    from bwb.metrics.base import Counter as Count
    from bwb.metrics.base import Score, Values
    from bwb.metrics.blonde_compare import Counted, Finders, Scheme
    from bwb.metrics.blonde_counts import Features
    from bwb.records import Document

MEANS = ("BlonDe", "dBlonDe", "sBlonDe", "BlonDe+")


class Blonde(Metric):
    """BlonDe and its family.

    Args:
        entities: ``model`` for the entities that the English model finds, ``annotated`` for the
            names that annotators listed.
        references: Further references by document id, each as many sentences as the document.
        analyser: What analyses English; the one that all metrics share by default.
        **choices: See `bwb.metrics.blonde_settings.Settings`.
    """

    name: ClassVar[str] = "blonde"
    title: ClassVar[str] = "BlonDe: tense, pronouns, entities, discourse markers and n-grams"
    paper: ClassVar[str] = "Jiang et al. 2022 (BlonDe), section 3"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = (*MEANS, *CATEGORIES, *PLUS)
    expensive: ClassVar[bool] = True
    cost: ClassVar[str] = "analysis"
    shown: ClassVar[str] = "f1"

    def __init__(
        self,
        *,
        entities: str = "model",
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
        analyser: Analyser | None = None,
        **choices: Any,  # noqa: ANN401 - the fields of Settings
    ) -> None:
        """Check the choices; no model is loaded yet.

        Raises:
            UsageError: for a choice that makes no sense.
            UnknownNameError: for a name that is not known.
        """
        if entities not in {"model", "annotated"}:
            raise UsageError(f"entities {entities!r}; expected 'model' or 'annotated'")
        self.settings = Settings(**choices)
        self.entities = entities
        self.references = {name: more for name, more in (references or {}).items() if more}
        self._given = analyser
        self._marks: str | None = None

    @property
    def headline(self) -> str:
        """Name of the mean that is reported."""
        return "BlonDe+" if self.settings.plus else "BlonDe"

    @cached_property
    def analyser(self) -> Analyser:
        """What analyses English."""
        if self._given is not None:
            return self._given
        from bwb.analysis.english import english

        return english()

    @cached_property
    def _features(self) -> Features:
        from bwb.metrics.blonde_counts import Features, possessives

        return Features(self.settings.lists, possessives(self.settings.variant))

    @cached_property
    def _scheme(self) -> Scheme:
        from bwb.metrics.blonde_compare import Scheme

        return Scheme(self.settings, self._features)

    def options(self) -> dict[str, str]:
        """The choices, the number of references and the model."""
        from bwb.analysis.english import model_name

        try:
            model = self._given.name if self._given is not None else model_name()
        except MissingDependencyError:
            model = "none"
        found = {**self.settings.options(), "refs": "1", "entities": self.entities}
        if self.references:
            counts = sorted({1 + len(more) for more in self.references.values()})
            names = sorted(self.references)
            digest = _digest([[name, *map(list, self.references[name])] for name in names])
            span = dict.fromkeys((counts[0], counts[-1]))
            found["refs"] = f"{'-'.join(map(str, span))}@{digest}"
        if self._marks is not None:
            found["plus"] = f"yes@{self._marks}"
        return {**found, "model": model}

    def lacks(self, document: Document) -> str | None:
        """Needs marked errors for BlonDe+, lists of entities if these were asked for."""
        if document.en is None:
            return super().lacks(document)
        if self.settings.plus and all(output.errors is None for output in document.systems):
            return "no errors are marked in any output (BlonDe+ needs such marks)"
        if self.entities == "annotated" and document.en.named_entities is None:
            return "named entities of the reference are not listed"
        return None

    def prepare(
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Analyse every distinct sentence at once, which several processes can share.

        From now on the signature tells which phrases annotators noted, for BlonDe+.
        """
        texts: list[str] = []
        if self.settings.plus:
            marks = [
                [document.id, mark.sentence, mark.code, mark.reference]
                for document in documents
                for output in document.systems
                for mark in output.errors or ()
                if mark.code in PLUS.values() and mark.reference is not None
            ]
            self._marks = _digest(marks)
        for document in documents:
            if self.lacks(document) is None:
                for reference in self._references(document):
                    texts += reference
                for found in outputs.values():
                    texts += found.get(document.id, ())
        self._analyse(self._cased(dict.fromkeys(texts)), progress)

    def _analyse(
        self, texts: Sequence[str], progress: Callable[[int], object] | None = None
    ) -> None:
        features = self._features
        wanted = [text for text in texts if text not in features.known]
        if wanted:
            features.add(self.analyser.analyse(wanted, progress))

    def _cased(self, texts: Iterable[str]) -> list[str]:
        """What is analysed: white space at the ends of a line is no part of the sentence."""
        if self.settings.lowercase:
            return [text.strip().lower() for text in texts]
        return [text.strip() for text in texts]

    def _references(self, document: Document) -> list[Sequence[str]]:
        """The document's own reference, and the further ones.

        Raises:
            LengthError: if one has another number of sentences.
        """
        first = self.reference(document).sentences
        found: list[Sequence[str]] = [first]
        for number, more in enumerate(self.references.get(document.id, ()), 2):
            if isinstance(more, str) or not all(isinstance(text, str) for text in more):
                raise InputError(
                    f"{document.id}: reference {number} is no list of sentences: {more!r:.60}"
                )
            if len(more) != len(first):
                raise LengthError(
                    f"{document.id}: reference {number} has {len(more)} sentences, "
                    f"reference 1 has {len(first)}; all must be of one shape"
                )
            found.append(more)
        return found

    def counter(self, document: Document) -> Count:
        """See `Metric.counter`.

        Raises:
            InputError: if the document has no sentence, or lacks what the metric needs.
            LengthError: if a reference or the output has another number of sentences.
        """
        references = self._references(document)
        if (lack := self.lacks(document)) is not None:
            raise InputError(f"{document.id}: {lack}")
        if not references[0]:
            raise InputError(f"{document.id}: the document is empty; expected a sentence or more")
        from bwb.metrics.blonde_compare import Finders, Reference

        finders = Finders.of(document, self.settings, self.entities)
        counted = [self._text(text, finders) for text in references]
        together = [[one] for one in counted] if self.settings.variant == "paper" else [counted]
        sides = [Reference(texts, self._scheme) for texts in together]

        def count(sentences: Sequence[str]) -> Tally:
            if len(sentences) != len(references[0]):
                raise LengthError(
                    f"{document.id}: {len(sentences)} sentences, expected {len(references[0])}"
                )
            text = self._text(sentences, finders)
            tallies = [side.compare(text, document.id) for side in sides]
            return tallies[0] if len(tallies) == 1 else max(tallies, key=self._nearness)

        return count

    def _nearness(self, tally: Tally) -> float:
        score = scalar(self.values(as_arrays(tally.counts)))
        return -1.0 if score is None else score

    def _text(self, sentences: Sequence[str], finders: Finders) -> Counted:
        from bwb.metrics.blonde_compare import Counted
        from bwb.metrics.blonde_counts import entity_keys

        cased = self._cased(sentences)
        self._analyse(cased)
        text = self._features.text(cased)
        entities = text.entities
        if finders.names is not None:
            number = self._features.entity_id
            found = [[number(name) for name in finders.find_names(line)] for line in sentences]
            entities = entity_keys(found)
        phrases = {
            category: [finders.find_phrases(category, i, s) for i, s in enumerate(sentences)]
            for category in finders.phrases
        }
        return Counted(text, entities, phrases)

    def ratios(self, totals: Mapping[str, Values]) -> dict[str, dict[str, Values]]:
        """The means, BlonDe and its family; see `Metric`."""
        from bwb.metrics.blonde_score import all_ratios

        return {
            name: {"precision": both.precision, "recall": both.recall, "f1": both.f1}
            for name, both in all_ratios(totals, self.settings).items()
        }

    def values(self, totals: Mapping[str, Values]) -> Values:
        """F1 of BlonDe, or of BlonDe+ if that was asked for."""
        from bwb.metrics.blonde_score import all_ratios

        return all_ratios(totals, self.settings)[self.headline].f1

    def score(
        self, system: str, tallies: Sequence[Tally], data: Mapping[str, str] | None = None
    ) -> Score:
        """As `Metric.score`; the parts are every category, every mean and every class."""
        from bwb.metrics.base import part
        from bwb.metrics.blonde_score import all_ratios

        plain = super().score(system, tallies, data)
        ratios = all_ratios(as_arrays(plain.counts), self.settings)
        parts = {}
        for name in self.classes:
            counts = {} if name in MEANS else part(plain.counts, name).counts
            found = ratios.get(name)
            if found is None:
                parts[name] = Part(None, None, None, counts)
            else:
                precision, recall, harmonic = map(scalar, (*found, found.f1))
                parts[name] = Part(precision, recall, harmonic, counts)
        for category, classes in self.settings.lists.classes.items():
            for name in classes:
                parts[f"{category}.{name}"] = part(plain.counts, f"{category}.{name}")
        whole = parts[self.headline]
        return dataclasses.replace(
            plain, parts=parts, precision=whole.precision, recall=whole.recall, f1=whole.f1
        )


def _digest(value: list[Any]) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]
