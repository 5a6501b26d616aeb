"""Consistency: is what recurs in the source translated the same way throughout the document?

Lyu et al. 2021 (LTCR); Wang et al. 2023, "Document-Level Machine Translation with Large Language
Models" (cTT). Let a recurring word w of the source have k translations t1 … tk in a document. As
we understand them (from later descriptions, not compared with the papers' own sections),

    LTCR = Σ over w, i < j of [ti = tj]  /  Σ over w of k(k-1)/2
    cTT  = mean over terms w of (Σ over i < j of [ti = tj]) / (k(k-1)/2)

so LTCR counts pairs, and cTT terms. The papers have words and an aligner; here the mentions of
entities are annotated, and aligned by `bwb.metrics.rendering`. Pairs are made within a document:

- ``pairs="form"`` (default): mentions of an entity that have the same words in the source. This is
  the papers' repeated word: 船长 need not be translated like 闻溪, though she is the captain.
- ``pairs="entity"``: any two mentions of an entity. LTCR has this as the class ``chain`` too,
  whatever is chosen: it tells how much of the cast's naming varies, which good authors do.

Two renderings are the same if their words are (``same="normalised"``, the default: case, articles
before and the possessive ending aside), their lemmas are (``lemma``), or their characters are
(``exact``). An unaligned mention is translated like no other (``unaligned="differs"``, the
default), or its pairs are left out (``left_out``), as aligned words do in the papers: then the
score says nothing of what was not found, and ``coverage``, the share of mentions whose rendering
was found, has to be read with it. A system that renders a name in ever new ways of its own is the
more consistent by it the fewer of them the reference has, so systems of different coverage should
not be compared with ``left_out``; nor is one that keeps to a rendering of its own given credit by
``differs``, which asks for the reference's words.

What is mentioned less than twice has no pairs; without pairs a score is undefined. A reference is
seldom wholly consistent: score it as one more system to see what can be reached.
"""

from __future__ import annotations

from collections import Counter as Multiset
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from bwb.errors import UsageError
from bwb.metrics.base import Counter, Miss, Tally
from bwb.metrics.ratio import RatioMetric
from bwb.metrics.rendering import Renderings, Same, normal_forms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.metrics.rendering import Counterparts
    from bwb.records import Document

Pairs = Literal["form", "entity"]
Unaligned = Literal["differs", "left_out"]


class Consistency(RatioMetric):
    """What LTCR and cTT share.

    Args:
        pairs: Which mentions are compared.
        same: When two renderings are the same.
        unaligned: What mentions are whose rendering is not found.

    Raises:
        UsageError: if an argument is none of those known.
    """

    needs: ClassVar[tuple[str, ...]] = ("source", "reference", "entity")
    unit: ClassVar[str] = "document"
    layer: ClassVar[str] = "entity"

    def __init__(
        self,
        *,
        pairs: Pairs = "form",
        same: Same = "normalised",
        unaligned: Unaligned = "differs",
    ) -> None:
        """Note the settings."""
        for what, value, kinds in (
            ("pairs", pairs, Pairs),
            ("same", same, Same),
            ("unaligned", unaligned, Unaligned),
        ):
            if value not in get_args(kinds):
                raise UsageError(f"{what} is {value!r}; expected {' or '.join(get_args(kinds))}")
        self.pairs = pairs
        self.same = same
        self.unaligned = unaligned

    def options(self) -> dict[str, str]:
        """The settings, with the model that makes lemmas."""
        options: dict[str, str] = {
            "pairs": self.pairs,
            "same": self.same,
            "unaligned": self.unaligned,
        }
        if self.same == "lemma":
            from bwb.analysis.english import model_name

            options["lemma"] = model_name()
        return options

    def lacks(self, document: Document) -> str | None:
        """Needs the layer on both sides."""
        for side, what in ((document.zh, "source"), (document.en, "reference")):
            if side is None:
                return f"no {what}"
            if self.layer not in side.layers:
                return f"mentions of the {what} are not annotated (layer {self.layer})"
        return None

    def key(self, pair: Counterparts) -> tuple[str, str]:
        """What recurs: an entity, or an entity by one of its forms."""
        form = pair.source.text if self.pairs == "form" else ""
        return pair.source.entity, form

    def add_groups(
        self, tally: Tally, document: Document, found: Renderings, sentences: Sequence[str]
    ) -> Iterable[tuple[list[Counterparts], list[str | None]]]:
        """The mentions of what recurs, with their renderings in normal form; notes the misses.

        What is expected of a mention is the rendering that the word has most often in the system's
        text (the first of several), or, if none was found at all, the reference's.
        """
        texts = found.find(sentences)
        there = [text for text in texts if text is not None]
        normal = iter(normal_forms(there, self.same))
        forms = [None if text is None else next(normal) for text in texts]
        groups: dict[tuple[str, str], list[int]] = {}
        for number, pair in enumerate(found.pairs):
            groups.setdefault(self.key(pair), []).append(number)
        misses: dict[int, str] = {}
        for numbers in groups.values():
            if len(numbers) > 1:
                most = _most(forms[n] for n in numbers)
                usual = next((text for n in numbers if (text := texts[n]) and forms[n] == most), "")
                for n in numbers:
                    if (form := forms[n]) is None and self.unaligned == "left_out":
                        continue
                    if form is None or form != most:
                        misses[n] = usual or found.pairs[n].reference.text
            yield [found.pairs[n] for n in numbers], [forms[n] for n in numbers]
        for number in sorted(misses):
            source = found.pairs[number].source
            kind = "term" if found.pairs[number].term else source.type or "entity"
            tally.misses.append(Miss(document.id, source.sentence, misses[number], kind))


class Ltcr(Consistency):
    """Lexical translation consistency ratio."""

    name: ClassVar[str] = "ltcr"
    title: ClassVar[str] = "pairs of mentions of the source that are translated the same way"
    paper: ClassVar[str] = "Lyu et al. 2021 (LTCR)"
    classes: ClassVar[tuple[str, ...]] = ("entity", "term", "other", "chain", "coverage")
    overall: ClassVar[str] = "entity"

    def counter(self, document: Document) -> Counter:
        """See the module."""
        renderings = Renderings(document)

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            chains: dict[str, list[str | None]] = {}
            for pairs, forms in self.add_groups(tally, document, renderings, sentences):
                tally.add("coverage.reference", len(forms))
                tally.add("coverage.matched", sum(form is not None for form in forms))
                chains.setdefault(pairs[0].source.entity, []).extend(forms)
                if len(forms) < 2:
                    continue
                flags = [pair.term for pair in pairs]
                _add(tally, "entity", forms)
                _add(tally, "term", [f for f, term in zip(forms, flags, strict=True) if term])
                _add(tally, "other", [f for f, term in zip(forms, flags, strict=True) if not term])
            for forms in chains.values():
                if len(forms) > 1:
                    _add(tally, "chain", forms)
            return tally

        return count

    def ratio(self, name: str) -> tuple[str, str]:
        """See `RatioMetric.ratio`."""
        if name == "coverage":
            return "coverage.matched", "coverage.reference"
        return f"{name}.same", f"{name}.{'pairs' if self.unaligned == 'differs' else 'aligned'}"


class TermConsistency(Consistency):
    """Consistency of terminology translation (cTT)."""

    name: ClassVar[str] = "ctt"
    title: ClassVar[str] = "consistency of the translation of terms (cTT), a mean over terms"
    paper: ClassVar[str] = "Wang et al. 2023 (document-level MT with LLMs; cTT)"
    needs: ClassVar[tuple[str, ...]] = ("source", "reference", "terminology")
    classes: ClassVar[tuple[str, ...]] = ("coverage",)
    layer: ClassVar[str] = "terminology"

    def counter(self, document: Document) -> Counter:
        """See the module."""
        renderings = Renderings(document, terms=True)

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            for _, forms in self.add_groups(tally, document, renderings, sentences):
                tally.add("coverage.reference", len(forms))
                tally.add("coverage.matched", sum(form is not None for form in forms))
                same, aligned, every = pair_counts(forms)
                if out_of := every if self.unaligned == "differs" else aligned:
                    tally.add("consistency", same / out_of)
                    tally.add("terms", 1)
            return tally

        return count

    def ratio(self, name: str) -> tuple[str, str]:
        """See `RatioMetric.ratio`."""
        if name == "coverage":
            return "coverage.matched", "coverage.reference"
        return "consistency", "terms"


def _add(tally: Tally, name: str, forms: Sequence[str | None]) -> None:
    """Add the pairs of some mentions to a class."""
    same, aligned, every = pair_counts(forms)
    tally.add(f"{name}.same", same)
    tally.add(f"{name}.aligned", aligned)
    tally.add(f"{name}.pairs", every)


def pair_counts(forms: Sequence[str | None]) -> tuple[int, int, int]:
    """Pairs of equal renderings, pairs of mentions that have renderings, all pairs."""
    times = Multiset(form for form in forms if form is not None)
    same = sum(_pairs(number) for number in times.values())
    return same, _pairs(times.total()), _pairs(len(forms))


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _most(forms: Iterable[str | None]) -> str | None:
    """The most frequent rendering, the first of several; None if there is none."""
    times = Multiset(form for form in forms if form is not None)
    return max(times, key=times.__getitem__) if times else None
