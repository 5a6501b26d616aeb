"""What the metrics of entities and of terminology share: looking for names.

Source: the evaluation of Jiang et al. 2023 (BWB), as described for their Figures 5 and 6. In
sentence i, for entity e: s = occurrences of any English form of e in the system's sentence, d =
occurrences in the reference's sentence, or of any Chinese form in the source's. Then P = Σ min(s,
d) / Σ s and R = Σ min(s, d) / Σ d. Where both sides are annotated, only entities with forms on
both sides count.

Exact match is that of Alam et al. 2021 (section 3.1): a term's occurrence in the source is found
if one of its English forms stands in the output at a place not yet used, first as it is, then
(with `lemma`) by its lemmas; EM = found / occurrences, over the corpus.

Occurrences are those of `bwb.metrics.matching`. A form that several entities share goes to the
one annotated at that place; in a system's sentence, to one that the reference asks for there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter as Multiset
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.base import Counter, Metric, Miss, Tally
from bwb.metrics.matching import LemmaMatcher, Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Document, Lang, Mention, Side

SOURCE = "source:"


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked for: an entity, or the part of its forms that belong to one class.

    Attributes:
        entity: Its id.
        kinds: The classes it is counted in.
        zh: Chinese forms.
        en: English forms.
    """

    entity: str
    kinds: tuple[str, ...]
    zh: tuple[str, ...]
    en: tuple[str, ...]


class NameMetric(Metric):
    """Base of `Entity` and `Terminology`.

    Args:
        case: Whether case matters.
        lemma: Whether a form is also found by its lemmas, where it is not found as it is.
    """

    # The class that exact match is made of; None is all.
    exact_kind: ClassVar[str | None] = None

    def __init__(self, *, case: bool = False, lemma: bool = False) -> None:
        """Keep the options."""
        self.case = case
        self.lemma = lemma

    def options(self) -> dict[str, str]:
        """Case and lemmas, with the model that makes them."""
        options = {"case": "mixed" if self.case else "lc", "lemma": "no"}
        if self.lemma:
            from bwb.analysis.english import model_name

            options["lemma"] = model_name()
        return options

    @abstractmethod
    def targets(self, document: Document) -> list[Target]:
        """What to look for in a document; entities lacking forms on a side left out."""

    @abstractmethod
    def claims(self, target: Target, mention: Mention) -> bool:
        """Whether an annotated mention is one of this target."""

    def counter(self, document: Document) -> Counter:
        """See the module."""
        targets = self.targets(document)
        english = _Finder(self, targets, "en")
        wanted = english.annotated(self.reference(document))
        asked: list[list[tuple[int, str]]] | None = None
        if document.zh is not None and any(target.zh for target in targets):
            asked = _Finder(self, targets, "zh").annotated(document.zh)

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            for index, (want, sentence) in enumerate(zip(wanted, sentences, strict=True)):
                demand = Multiset(target for target, _ in want)
                source = Multiset(target for target, _ in asked[index]) if asked else Multiset()
                found = english.system(sentence, demand | source)
                got = Multiset(target for target, _ in found)
                for t in sorted(demand.keys() | got.keys()):
                    tally.triple(targets[t].kinds, demand[t], got[t])
                for t in sorted((demand - got).keys()):
                    missed = english.missed(t, want, found)[: demand[t] - got[t]]
                    for form, times in sorted(Multiset(missed).items()):
                        kind = targets[t].kinds[0]
                        tally.misses.append(Miss(document.id, index, form, kind, times))
                if asked is None:
                    continue
                for t in sorted(source.keys() | got.keys()):
                    tally.triple(targets[t].kinds, source[t], got[t], SOURCE)
                for t, times in source.items():
                    if self.exact_kind in {None, targets[t].kinds[0]}:
                        tally.add("exact.all", times)
                        tally.add("exact.same", min(times, got[t]))
            return tally

        return count


class _Finder:
    """Finds the targets of a document in the sentences of one language."""

    def __init__(self, metric: NameMetric, targets: Sequence[Target], lang: Lang) -> None:
        self.metric = metric
        self.targets = targets
        self.lang = lang
        forms = [form for target in targets for form in getattr(target, lang)]
        self.matcher = Matcher(forms, case=metric.case)
        # Which targets a form, as the matcher names it, may be of; in the order of the targets.
        self.owners: dict[str, list[int]] = {}
        for number, target in enumerate(targets):
            for form in getattr(target, lang):
                if name := self.matcher.canonical(form):
                    owners = self.owners.setdefault(name, [])
                    if number not in owners:
                        owners.append(number)
        self.lemmas = None
        if metric.lemma and lang == "en":
            self.lemmas = LemmaMatcher(self.matcher)

    def annotated(self, side: Side) -> list[list[tuple[int, str]]]:
        """The occurrences in each sentence of a side: (target, form as it stands there)."""
        at_span: dict[tuple[int, int], list[Mention]] = {}
        for mention in side.mentions:
            if not mention.pronoun:
                at_span.setdefault((mention.start, mention.end), []).append(mention)
        found = []
        for base, sentence in zip(side.offsets, side.sentences, strict=True):
            row = []
            for occurrence in self.matcher.find(sentence):
                owners = self.owners[occurrence.form]
                here = at_span.get((base + occurrence.start, base + occurrence.end), ())
                owner = next(
                    (t for t in owners for m in here if self.metric.claims(self.targets[t], m)),
                    owners[0],
                )
                row.append((owner, sentence[occurrence.start : occurrence.end]))
            found.append(row)
        return found

    def system(self, sentence: str, demand: Multiset[int]) -> list[tuple[int, str]]:
        """The occurrences in a system's sentence: (target, form as the matcher names it)."""
        forms = [occurrence.form for occurrence in self.matcher.find(sentence)]
        if self.lemmas is not None:
            forms += self.lemmas.more(sentence)
        got: Multiset[int] = Multiset()
        found = []
        for form in sorted(forms, key=lambda form: len(self.owners[form])):
            owners = self.owners[form]
            owner = next((t for t in owners if got[t] < demand[t]), owners[0])
            got[owner] += 1
            found.append((owner, form))
        return found

    def missed(
        self, target: int, want: list[tuple[int, str]], found: list[tuple[int, str]]
    ) -> list[str]:
        """The reference's forms of a target, those first that the system does not have."""
        have = Multiset(form for owner, form in found if owner == target)
        absent: list[str] = []
        present: list[str] = []
        for form in (form for owner, form in want if owner == target):
            name = self.matcher.canonical(form) or form
            (present if have[name] > 0 else absent).append(form)
            have[name] -= 1
        return absent + present
