"""The BWB paper's own numbers and contradictions, from `annotations/paper.toml`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from bwb.assets import asset
from bwb.report.paper_table import Printed
from bwb.tomlfile import Strict, read_toml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Document
    from bwb.report.paper_table import Row

# How much of the paper's annotated test set a corpus is.
Share = Literal["whole", "part", "none"]


class Corpus(Strict):
    """The annotated test set.

    Attributes:
        books: Ids of its books, as `bwb import` names them.
        documents: Number of its documents.
    """

    books: tuple[str, ...]
    documents: int


class Value(Strict):
    """A number that the paper prints; see `bwb.report.paper_table.Printed`.

    Attributes:
        table: Id of the table.
        what: What it is of.
        value: The number.
        unit: Its unit.
        row: Columns of our row that stands beside it, with their values.
        column: Our column.
    """

    table: str
    what: str
    value: int | float
    unit: Literal["percent", "count"]
    row: dict[str, str] | None = None
    column: str | None = None


class Footnote(Strict):
    """What a reader of some tables has to know.

    Attributes:
        tables: Their ids.
        text: A sentence or more.
    """

    tables: tuple[str, ...]
    text: str


class PaperValues(Strict):
    """The whole file."""

    corpus: Corpus
    printed: tuple[Value, ...]
    footnote: tuple[Footnote, ...]

    def share(self, documents: Sequence[Document]) -> Share:
        """How much of the test set these documents are: told by the names of their books."""
        if not documents or not {d.book.lower() for d in documents} <= set(self.corpus.books):
            return "none"
        books = {document.book.lower() for document in documents}
        whole = len(documents) == self.corpus.documents and len(books) == len(self.corpus.books)
        return "whole" if whole else "part"

    def notes(self, table: str) -> tuple[str, ...]:
        """The footnotes of a table."""
        return tuple(note.text for note in self.footnote if table in note.tables)

    def beside(self, table: str, rows: Sequence[Row]) -> tuple[Printed, ...]:
        """What the paper prints for a table, beside the cells that it is of."""
        return tuple(
            Printed(value.what, value.value, _ours(value, rows), value.unit)
            for value in self.printed
            if value.table == table
        )


def _ours(value: Value, rows: Sequence[Row]) -> float | None:
    if value.row is None or value.column is None:
        return None
    for row in rows:
        if all(row.get(name) == wanted for name, wanted in value.row.items()):
            found: float | None = row[value.column]
            return found
    return None


@cache
def paper_values() -> PaperValues:
    """Read the file.

    Raises:
        FormatError: if it is not as it should be.
    """
    return read_toml(asset("annotations/paper.toml"), PaperValues)
