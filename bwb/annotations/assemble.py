"""Putting two annotated sides together into a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.errors import Finding, LengthError
from bwb.records import Document, Entity, EntityType, Link, Side

if TYPE_CHECKING:
    from collections.abc import Iterable


def collect_entities(sides: Iterable[Side | None]) -> tuple[Entity, ...]:
    """The entity table that the mentions imply, in order of first appearance.

    An entity's type is the one most of its typed mentions have (the first of them if equal);
    it is a term if any of its mentions is.
    """
    types: dict[str, dict[EntityType, int]] = {}
    terms: dict[str, bool | None] = {}
    names: dict[str, dict[str, dict[str, None]]] = {}
    for side in sides:
        if side is None:
            continue
        for mention in sorted(side.mentions, key=lambda m: (m.start, -m.end)):
            counts = types.setdefault(mention.entity, {})
            forms = names.setdefault(mention.entity, {"zh": {}, "en": {}})
            terms.setdefault(mention.entity, None)
            if mention.pronoun:
                continue
            forms[side.lang].setdefault(mention.text)
            if mention.type is not None:
                counts[mention.type] = counts.get(mention.type, 0) + 1
            if mention.term is not None:
                terms[mention.entity] = bool(terms[mention.entity]) or mention.term
    return tuple(
        Entity(
            id=entity,
            type=_most_frequent(counts),
            term=terms[entity],
            zh=tuple(names[entity]["zh"]),
            en=tuple(names[entity]["en"]),
        )
        for entity, counts in types.items()
    )


def _most_frequent(counts: dict[EntityType, int]) -> EntityType | None:
    top = max(counts.values(), default=0)
    return next((kind for kind, count in counts.items() if count == top), None)


def line_links(zh: Side | None, en: Side | None, name: str) -> tuple[Link, ...]:
    """Links of sides that correspond line by line.

    Raises:
        LengthError: if their lengths differ.
    """
    if zh is None or en is None:
        return ()
    if len(zh.sentences) != len(en.sentences):
        raise LengthError(
            f"{name}: {len(zh.sentences)} Chinese and {len(en.sentences)} English sentences; "
            "the sides must correspond line by line"
        )
    return tuple(Link((i,), (i,)) for i in range(len(zh.sentences)))


def assemble(
    document_id: str, book: str, chapter: str, zh: Side | None, en: Side | None
) -> Document:
    """A document of two sides that correspond line by line (one of them may be missing).

    Raises:
        LengthError: as `line_links`.
    """
    return Document(
        id=document_id,
        book=book,
        chapter=chapter,
        zh=zh,
        en=en,
        links=line_links(zh, en, document_id),
        entities=collect_entities((zh, en)),
    )


def type_conflicts(document: Document, file: str) -> list[Finding]:
    """Entities whose mentions have different types: one warning an entity."""
    seen: dict[str, dict[EntityType, str]] = {}
    for side in document.sides:
        for mention in side.mentions:
            if mention.type is not None:
                seen.setdefault(mention.entity, {}).setdefault(mention.type, mention.text)
    return [
        Finding(
            file,
            0,
            0,
            "type-conflict",
            f"entity {entity} has mentions of several types: "
            + ", ".join(f"{kind} ({text!r})" for kind, text in types.items()),
            severity="warning",
        )
        for entity, types in seen.items()
        if len(types) > 1
    ]
