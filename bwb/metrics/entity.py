"""Entities by type: are those of the reference, and of the source, in the system's output?

Jiang et al. 2023 (BWB), Figure 6 (PER against the rest); see `bwb.metrics.names` for how names
are found and counted. The classes are the six types, and NONPER for all but PER. Where a document
has no entity annotation but the release's lists of named entities (`ner_re`), these are used, in
the two classes they have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bwb.metrics.names import SOURCE, NameMetric, Target
from bwb.records import ENTITY_TYPES

if TYPE_CHECKING:
    from bwb.records import Document, Mention

_CLASSES = (*ENTITY_TYPES, "NONPER")


class Entity(NameMetric):
    """Entities, all forms that are not pronouns."""

    name: ClassVar[str] = "entity"
    title: ClassVar[str] = "entities of the reference (and of the source), by type"
    paper: ClassVar[str] = "Jiang et al. 2023 (BWB), Figure 6; exact match: Alam et al. 2021"
    needs: ClassVar[tuple[str, ...]] = ("reference", "entity")
    classes: ClassVar[tuple[str, ...]] = (
        *_CLASSES,
        *(f"{SOURCE}{name}" for name in (*_CLASSES, "all")),
    )

    def lacks(self, document: Document) -> str | None:
        """Needs the entity layer, or lists of named entities, on the English side."""
        if document.en is None:
            return super().lacks(document)
        if "entity" in document.en.layers or document.en.named_entities is not None:
            return None
        return "entities of the reference are not annotated (layer entity)"

    def targets(self, document: Document) -> list[Target]:
        """One an entity."""
        reference = self.reference(document)
        if "entity" not in reference.layers:
            kinds = {e.text: e.label for e in reference.named_entities or ()}
            return [
                Target(text, ("PER" if kind == "PERSON" else "NONPER",), (), (text,))
                for text, kind in kinds.items()
            ]
        both = document.zh is not None and "entity" in document.zh.layers
        return [
            Target(entity.id, _kinds(entity.type), entity.zh, entity.en)
            for entity in document.entities
            if entity.en and (entity.zh or not both)
        ]

    def claims(self, target: Target, mention: Mention) -> bool:
        """A mention of the entity, whatever its form."""
        return mention.entity == target.entity


def _kinds(kind: str | None) -> tuple[str, ...]:
    return (kind,) if kind == "PER" else ((kind, "NONPER") if kind else ("NONPER",))
