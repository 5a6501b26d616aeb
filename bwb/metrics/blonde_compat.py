"""Calls like those of the reference package `blonde`: existing scripts move by their import.

    from bwb.metrics.blonde_compat import BLONDE
    BLONDE(lowercase=True).corpus_score([system], [[reference]])

The numbers are the package's (variant ``blonde-0.1.4``) wherever it gives any; where it raises
(add-k smoothing, a smooth value, normalised weights, some categories only, the bootstrap) or loses
text in silence (lengths that differ, empty documents, wrong nesting), this does what was asked for
or says what is wrong. ``variant="paper"`` gives the numbers of `bwb.metrics.blonde`.

Written from the package's documented behaviour and its outputs, not from its code.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError, LengthError, UsageError
from bwb.metrics.blonde import Blonde
from bwb.metrics.blonde_settings import CATEGORIES, PLUS
from bwb.records import Document, NamedEntity, Side, SystemOutput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.analysis.base import Analyser
    from bwb.errors import Finding
    from bwb.metrics.base import Score
    from bwb.metrics.stats import Interval

# A text: documents, each of sentences.
Corpus = list[list[str]]


@dataclass(frozen=True, slots=True)
class BlondeScore:
    """A score, printed as the package prints it.

    Attributes:
        R: Recall, a fraction.
        P: Precision, a fraction.
        F1: Their harmonic mean: the score.
        detail: ``recalls``, ``precisions`` and ``F1s`` by category; nan where undefined.
        signature: What the score depends on.
        interval: 95% bootstrap interval of F1; None unless it was asked for.
    """

    R: float
    P: float
    F1: float
    detail: Mapping[str, Mapping[str, float]]
    signature: str = field(compare=False)
    interval: Interval | None = None

    def __str__(self) -> str:
        """Several lines, in percent."""
        lines = [f"BLONDE = {self.F1:.4f} "]
        lines.append(f"R: {self.R:.2%}\tP: {self.P:.2%}\tF1: {self.F1:.2%}")
        for title, values in self.detail.items():
            lines.append(title)
            lines.append("\t" + "".join(f"{name}: {v:.2%}\t" for name, v in values.items()))
        return "\n".join(lines) + "\n"


class BLONDE:
    """The package's scorer.

    Args:
        references: References to keep for all calls: a list of references, each a list of
            documents, each a list of sentences.
        annotation: Lines of the error format (`bwb.annotations.error_marks`), a list a document.
        ner_refined: Lines of listed entities, a list a document. The package does nothing with
            them, so neither does its variant, with a warning; the variant ``paper`` counts them.
        categories: Those to average; all by default.
        plus_categories: ``ambiguity`` and ``ellipsis``, for BlonDe+.
        weights: Weights of the classes of each category, in their order.
        weight_normalize: Whether to scale these to the sum 1, which changes no ratio.
        average_method: ``geometric`` or ``arithmetic``.
        smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``.
        smooth_value: Parameter of ``floor`` and ``add-k``.
        effective_order: In the package's variant, its slip: precisions of n-grams are recalls.
        lowercase: Whether to put texts in lower case.
        variant: ``blonde-0.1.4`` or ``paper``.
        analyser: What analyses English.
    """

    def __init__(
        self,
        *,
        references: Sequence[Sequence[Sequence[str]]] | None = None,
        annotation: Sequence[Sequence[str]] | None = None,
        ner_refined: Sequence[Sequence[str]] | None = None,
        categories: Sequence[str] | None = None,
        plus_categories: Sequence[str] | None = None,
        weights: Mapping[str, Sequence[float]] | None = None,
        weight_normalize: bool = False,
        average_method: str = "geometric",
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        effective_order: bool = False,
        lowercase: bool = False,
        variant: str = "blonde-0.1.4",
        analyser: Analyser | None = None,
    ) -> None:
        """Check the choices; no model is loaded yet."""
        self.references = None if references is None else _references(references)
        self.annotation = annotation
        self.ner_refined = ner_refined
        self.plus = bool(plus_categories)
        if self.plus and (categories or set(plus_categories or ()) != set(PLUS)):
            categories = [*(categories or CATEGORIES), *(plus_categories or ())]
        if weights and weight_normalize:
            weights = {name: _normalised(name, values) for name, values in weights.items()}
        self.choices: dict[str, Any] = {
            "variant": variant,
            "plus": self.plus,
            "lowercase": lowercase,
            "categories": categories,
            "average": average_method,
            "smoothing": smooth_method,
            "smooth_value": smooth_value,
            "effective_order": effective_order,
            "class_weights": dict(weights or {}),
            "analyser": analyser,
        }
        self.findings: list[Finding] = []
        Blonde(**self.choices)

    def corpus_score(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[Sequence[str]]] | None = None,
        annotation: Sequence[Sequence[str]] | None = None,
        n_bootstrap: int | None = None,
    ) -> BlondeScore:
        """Score a system.

        Args:
            systems: The system's documents, each a list of sentences.
            references: As for the class, which is asked if they are not given here.
            annotation: As for the class, which is asked if it is not given here.
            n_bootstrap: Number of resamples of documents for an interval.

        Raises:
            InputError: if the nesting is wrong, or something is empty or missing.
            LengthError: if texts differ in their numbers of documents or sentences.
        """
        output = _corpus(systems, "the system")
        given = self.references if references is None else _references(references)
        if given is None:
            raise InputError("no references; give them here or to the class")
        for number, reference in enumerate(given, 1):
            _same_shape(f"reference {number}", reference, "the system", output)
        documents = self._documents(given, self.annotation if annotation is None else annotation)
        metric = self._metric(documents, given)
        outputs = {str(number): tuple(lines) for number, lines in enumerate(output, 1)}
        metric.prepare(documents, {"system": outputs})
        tallies = [metric.count(document, outputs[document.id]) for document in documents]
        score = metric.score("system", tallies)
        interval = None
        if n_bootstrap:
            from bwb.metrics.stats import interval as interval_of
            from bwb.metrics.stats import resample_weights, resampled_scores

            if len(tallies) < 2:
                raise InputError("the bootstrap draws documents, and there is only one")
            draws = resample_weights(len(tallies), n_bootstrap, 12345)
            interval = interval_of(resampled_scores(metric, tallies, draws))
        return _result(score, metric, len(given), interval)

    def get_signature(self, references: int = 1) -> str:
        """What scores depend on, before any text is known."""
        return _signature(Blonde(**self.choices), references)

    def _metric(self, documents: list[Document], references: list[Corpus]) -> Blonde:
        entities = "model"
        if self.ner_refined is not None:
            if self.choices["variant"] == "paper":
                entities = "annotated"
            else:
                warnings.warn(
                    "ner_refined has no effect in blonde 0.1.4; variant='paper' counts it",
                    stacklevel=3,
                )
        further = {
            document.id: [reference[number] for reference in references[1:]]
            for number, document in enumerate(documents)
        }
        return Blonde(
            entities=entities, references=further if references[1:] else None, **self.choices
        )

    def _documents(
        self, references: list[Corpus], annotation: Sequence[Sequence[str]] | None
    ) -> list[Document]:
        """The first reference as documents, with what annotators noted."""
        first = references[0]
        if self.plus and annotation is None:
            raise InputError(
                "BlonDe+ needs annotation: lines of the error format, a list a document"
            )
        noted = _lines(annotation, "annotation", first) if self.plus else None
        listed = _lines(self.ner_refined, "ner_refined", first)
        documents = []
        for number, sentences in enumerate(first):
            names = None if listed is None else self._names(listed[number])
            systems = () if noted is None else (self._marks(noted[number], number),)
            side = Side("en", tuple(sentences), named_entities=names)
            documents.append(Document(str(number + 1), "", "", en=side, systems=systems))
        return documents

    def _names(self, lines: list[str]) -> tuple[NamedEntity, ...]:
        from bwb.annotations.named_entities import read_named_entities

        return read_named_entities(lines, file="ner_refined")

    def _marks(self, lines: list[str], number: int) -> SystemOutput:
        from bwb.annotations.error_marks import read_error_marks

        name = f"annotation of document {number + 1}"
        output, repairs = read_error_marks(lines, "annotated", file=name, strict=False)
        self.findings += repairs
        return output


def _result(
    score: Score, metric: Blonde, references: int, interval: Interval | None
) -> BlondeScore:
    names = [*metric.settings.scored, "dBlonDe", "sBlonDe"]
    parts = {name: score.parts[name] for name in names}
    return BlondeScore(
        R=_float(score.recall),
        P=_float(score.precision),
        F1=_float(score.f1),
        detail={
            "recalls": {name: _float(part.recall) for name, part in parts.items()},
            "precisions": {name: _float(part.precision) for name, part in parts.items()},
            "F1s": {name: _float(part.f1) for name, part in parts.items()},
        },
        signature=_signature(metric, references),
        interval=interval,
    )


def _signature(metric: Blonde, references: int) -> str:
    """The package's three fields, and then ours."""
    settings = metric.settings
    case = "lc" if settings.lowercase else "mixed"
    eff = "yes" if settings.effective_order else "no"
    rest = {k: v for k, v in metric.signature({}).fields if k not in {"case", "eff", "refs"}}
    ours = "|".join(f"{name}:{value}" for name, value in rest.items())
    return f"nrefs:{references}|case:{case}|eff:{eff}|{ours}"


def _float(value: float | None) -> float:
    return math.nan if value is None else value


def _normalised(name: str, values: Sequence[float]) -> list[float]:
    total = sum(values)
    if total <= 0:
        raise UsageError(f"the weights of {name} sum to {total}; they cannot be normalised")
    return [value / total for value in values]


def _corpus(given: object, what: str) -> Corpus:
    """Documents of sentences, each level checked.

    Raises:
        InputError: if the nesting is wrong, or a level is empty.
    """
    expected = "expected a list of documents, each a list of sentences"
    if isinstance(given, str) or not isinstance(given, list | tuple):
        raise InputError(f"{what} is a {type(given).__name__}; {expected}")
    if not given:
        raise InputError(f"{what} is empty; {expected}")
    for number, document in enumerate(given, 1):
        if isinstance(document, str):
            raise InputError(
                f"{what} is a list of strings ({document[:40]!r}, …); {expected}: "
                "put one document in a list"
            )
        if not isinstance(document, list | tuple):
            raise InputError(
                f"document {number} of {what} is a {type(document).__name__}; {expected}"
            )
        if not document:
            raise InputError(f"document {number} of {what} is empty; expected a sentence or more")
        for line, sentence in enumerate(document, 1):
            if not isinstance(sentence, str):
                kind = type(sentence).__name__
                raise InputError(
                    f"sentence {line} of document {number} of {what} is a {kind}; {expected}"
                )
    return [list(document) for document in given]


def _references(given: object) -> list[Corpus]:
    expected = "expected a list of references, each a list of documents"
    if isinstance(given, str) or not isinstance(given, list | tuple):
        raise InputError(f"references are a {type(given).__name__}; {expected}")
    if not given:
        raise InputError(f"there are no references; {expected}")
    return [_corpus(reference, f"reference {number}") for number, reference in enumerate(given, 1)]


def _lines(given: object, what: str, reference: Corpus) -> Corpus | None:
    if given is None:
        return None
    lines = _corpus(given, what)
    _same_shape(what, lines, "the reference", reference)
    return lines


def _same_shape(what: str, one: Corpus, other_name: str, other: Corpus) -> None:
    if len(one) != len(other):
        raise LengthError(f"{what} has {len(one)} documents, {other_name} has {len(other)}")
    for number, (left, right) in enumerate(zip(one, other, strict=True), 1):
        if len(left) != len(right):
            raise LengthError(
                f"document {number}: {what} has {len(left)} sentences, "
                f"{other_name} has {len(right)}; they must correspond line by line"
            )
