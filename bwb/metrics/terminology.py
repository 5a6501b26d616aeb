"""Terminology: terms (T) against other mentions (N).

Jiang et al. 2023 (BWB), Figure 5 (recall of T against N); see `bwb.metrics.names` for how names
are found and counted. What is looked for is an entity's forms marked T and, apart from them, its
forms marked N: writing "the captain" where the reference has "Wen Xi" is a T missed and an N too
many. A form marked both ways is a T. The number to report is the F1 of T.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.names import SOURCE, NameMetric, Target

if TYPE_CHECKING:
    from bwb.records import Document, Lang, Mention


class Terminology(NameMetric):
    """Terms kept."""

    name: ClassVar[str] = "terminology"
    title: ClassVar[str] = "terms (T) against other mentions (N)"
    paper: ClassVar[str] = "Jiang et al. 2023 (BWB), Figure 5; exact match: Alam et al. 2021"
    needs: ClassVar[tuple[str, ...]] = ("reference", "terminology")
    classes: ClassVar[tuple[str, ...]] = ("T", "N", *(f"{SOURCE}{name}" for name in ("T", "N")))
    overall: ClassVar[str] = "T"
    exact_kind: ClassVar[str | None] = "T"

    def lacks(self, document: Document) -> str | None:
        """Needs the terminology layer on the English side."""
        if document.en is None:
            return super().lacks(document)
        if "terminology" in document.en.layers:
            return None
        return "terms of the reference are not annotated (layer terminology)"

    def targets(self, document: Document) -> list[Target]:
        """One an entity and flag."""
        zh = _forms(document, "zh")
        en = _forms(document, "en")
        both = document.zh is not None and "terminology" in document.zh.layers
        targets = []
        for entity in document.entities:
            for flag in ("T", "N"):
                key = (entity.id, flag)
                if en.get(key) and (zh.get(key) or not both):
                    targets.append(Target(entity.id, (flag,), zh.get(key, ()), en[key]))
        return targets

    def claims(self, target: Target, mention: Mention) -> bool:
        """A mention of the entity with this flag."""
        return mention.entity == target.entity and mention.term is (target.kinds[0] == "T")


def _forms(document: Document, lang: Lang) -> dict[tuple[str, str], tuple[str, ...]]:
    """The forms of each entity and flag; mentions that are undecided are left out."""
    side = document.zh if lang == "zh" else document.en
    flags: dict[tuple[str, str], bool] = {}
    for mention in side.mentions if side else ():
        if not mention.pronoun and mention.term is not None:
            key = (mention.entity, mention.text)
            flags[key] = flags.get(key, False) or mention.term
    forms: dict[tuple[str, str], list[str]] = {}
    for (entity, text), term in flags.items():
        forms.setdefault((entity, "T" if term else "N"), []).append(text)
    return {key: tuple(texts) for key, texts in forms.items()}
