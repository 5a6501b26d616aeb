"""The inline format as a format among others: a folder with a file a side.

What is kept: text, mentions (type, T or N, omitted), quotes with their speakers.
What is lost: which entity types pronouns have, names told from nominals, addressees and kinds of
quotes, links that are not line by line, outputs of systems, titles, provenance, layers (all four
are taken to be annotated), ids of mentions and quotes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.annotations.inline_writer import write_inline
from bwb.annotations.layout import side_path
from bwb.annotations.loss import Loss, document_losses, losses_of
from bwb.errors import InputError
from bwb.records import LAYERS
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bwb.records import Document

SUFFIX = ".an.txt"


def write(documents: Iterable[Document], folder: Path) -> list[Loss]:
    """Write ``<book>/<chapter>.<lang>.an.txt`` for each side.

    Raises:
        InputError: if a side cannot be held by the format; names the document.
    """
    losses: list[Loss] = []
    for document in documents:
        for side in document.sides:
            try:
                lines = write_inline(side)
            except InputError as error:
                raise InputError(f"{document.id} [{side.lang}]: {error}") from None
            with replacing(side_path(folder, document.id, side.lang, SUFFIX)) as file:
                file.writelines(f"{line}\n" for line in lines)
        losses += document_losses(document)
        losses += _losses(document)
    return losses


def _losses(document: Document) -> list[Loss]:
    mentions = [mention for side in document.sides for mention in side.mentions]
    quotes = [quote for side in document.sides for quote in side.quotes]
    counts = {
        "entity types of pronouns": sum(m.pronoun and m.type is not None for m in mentions),
        "forms (name or nominal)": sum(m.form in {"name", "nominal"} for m in mentions),
        "addressees": sum(len(quote.addressees) for quote in quotes),
        "kinds of quotes": sum(quote.kind != "direct" for quote in quotes),
        "layers not annotated": sum(len(LAYERS) - len(set(s.layers)) for s in document.sides),
    }
    return losses_of(document.id, counts)
