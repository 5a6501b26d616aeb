"""Units of text: sentences that stand side by side, or whole documents."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bwb.records import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.metrics.systems import Outputs
    from bwb.records import Document

# Documents that are looked at to tell a language, and of each so many characters.
_LOOKED_AT = 20
_BEGINNING = 2000


def joined(documents: Sequence[Document], outputs: Outputs) -> tuple[list[Document], Outputs]:
    """Documents and outputs with all sentences joined to one, and without annotations.

    English sentences are joined by a space, Chinese ones by nothing.
    """
    whole = [
        dataclasses.replace(
            document,
            zh=_joined(document.zh),
            en=_joined(document.en),
            links=(),
            entities=(),
            systems=(),
        )
        for document in documents
    ]
    spaces = {document.id: _space(document.en) for document in documents}
    return whole, {
        system: {name: (spaces[name].join(lines),) for name, lines in found.items()}
        for system, found in outputs.items()
    }


def _joined(side: Side | None) -> Side | None:
    return side and Side(side.lang, (_space(side).join(side.sentences),))


def _space(side: Side | None) -> str:
    return "" if side is not None and side.lang == "zh" else " "


def is_chinese(documents: Iterable[Document]) -> bool:
    """Whether the target side is Chinese: most letters of the first documents are."""
    text = "".join(
        document.en.text[:_BEGINNING]
        for document, _ in zip(documents, range(_LOOKED_AT), strict=False)
        if document.en is not None
    )
    letters = sum(map(str.isalpha, text))
    return 2 * sum("\u4e00" <= character <= "\u9fff" for character in text) > letters
