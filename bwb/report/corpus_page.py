"""A corpus in pictures: ``bwb stats --html``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.report import corpus_plots
from bwb.report.corpus_plots import LANGUAGES, UNITS
from bwb.report.page import render
from bwb.report.page_table import Column, Datum, PageTable, number, share
from bwb.report.tables import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.annotations.distributions import Distributions
    from bwb.annotations.statistics import Row, Statistics
    from bwb.report.plots import Plot

_TITLES = {
    "sizes": "Sizes",
    "entities": "Mentions of entities",
    "pronouns": "Pronouns, and how many the other language leaves out",
    "quotes": "Direct speech",
    "chains": "Chains",
}


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What the page shows.

    Attributes:
        name: Name of the corpus.
        lead: The corpus in a few sentences.
        plots: The figures.
        tables: The tables.
    """

    name: str
    lead: Sequence[str]
    plots: Sequence[Plot]
    tables: Sequence[PageTable]


def make_corpus_report(
    name: str, statistics: Statistics, found: Distributions, *, files: bool = False
) -> CorpusReport:
    """Compute the page of a corpus.

    Args:
        name: Name of the corpus.
        statistics: Its tables.
        found: Its distributions, of the same documents.
        files: Whether figures are wanted as files too.

    Raises:
        InputError: if there are no documents.
    """
    from bwb.errors import InputError

    if not found.chapters:
        raise InputError(f"{name}: there are no documents to show")
    tables = statistics.tables()
    plots = [
        corpus_plots.genres(found, files=files),
        corpus_plots.chapter_lengths(found, files=files),
        corpus_plots.sentence_lengths(found, files=files),
        corpus_plots.entity_types(tables, files=files),
        corpus_plots.repetition(tables, files=files),
        corpus_plots.chains(statistics.series(), tables, files=files),
        corpus_plots.pronouns(tables, files=files),
        corpus_plots.by_book(
            found, "omitted", "English pronouns that the Chinese leaves out", _omitted, files=files
        ),
        corpus_plots.by_book(found, "speech", "Sentences with direct speech", _speech, files=files),
    ]
    shown = [key for key in _TITLES if tables[key]]
    return CorpusReport(
        name,
        _lead(tables["sizes"], found),
        [plot for plot in plots if plot is not None],
        [_table(key, tables[key]) for key in shown],
    )


def corpus_html(report: CorpusReport) -> str:
    """The page."""
    return render("corpus.jinja", title=f"{report.name} in pictures", report=report)


def _lead(sizes: Sequence[Row], found: Distributions) -> list[str]:
    rows = [row for row in sizes if row["split"] == "all"]
    books = rows[0]["books"] if rows else 0
    said = [
        f"{row['sentences']:,} sentences of {LANGUAGES[row['lang']]} "
        f"({row['length']:,} {UNITS[row['lang']]})"
        for row in rows
    ]
    chapters = len(found.chapters)
    return [
        f"{chapters:,} chapter{'' if chapters == 1 else 's'} of {books:,} "
        f"book{'' if books == 1 else 's'}: {' and '.join(said)}."
    ]


def _omitted(high: str, most: float, low: str, least: float) -> str:
    if high == low:
        return f"{high} leaves out {percent(most, 0)}% of the English pronouns."
    return (
        f"{high} leaves out most of the English pronouns, {percent(most, 0)}% in a chapter, {low} "
        f"fewest, {percent(least, 0)}%."
    )


def _speech(high: str, most: float, low: str, least: float) -> str:
    if high == low:
        return f"In {high}, {percent(most, 0)}% of the sentences hold speech."
    return (
        f"Most is spoken in {high}, in {percent(most, 0)}% of the sentences, least in {low}, in "
        f"{percent(least, 0)}%."
    )


def _table(key: str, rows: Sequence[Row]) -> PageTable:
    head = list(rows[0])
    texts = {name for name in head if any(isinstance(row[name], str) for row in rows)}
    columns = [
        Column(
            f"{name.replace('_', ' ')}{' %' if _is_share(name) else ''}",
            number=name not in texts,
            falling=name not in texts,
        )
        for name in head
    ]
    body = [[_datum(name, row[name]) for name in head] for row in rows]
    return PageTable(key, _TITLES[key], columns, body)


def _datum(name: str, value: str | float | None) -> Datum:
    if isinstance(value, str):
        return Datum(value)
    return share(value) if _is_share(name) else number(value)


def _is_share(name: str) -> bool:
    return "share" in name
