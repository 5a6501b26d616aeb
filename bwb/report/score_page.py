"""The report on scores: one HTML page, and its figures and tables as files for a paper."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.report import score_plots, score_tables
from bwb.report.gender_plot import genders
from bwb.report.page import render
from bwb.report.page_table import transposed
from bwb.report.score_quotes import Quote, gender_quotes, worst_quotes
from bwb.report.score_views import (
    Options,
    View,
    make_binned,
    make_genders,
    make_matrix,
    make_view,
)
from bwb.report.score_words import Place, by_turns, gender_headline, headline, portraits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bwb.metrics.results import Results
    from bwb.report.page_table import PageTable
    from bwb.report.plots import Plot
    from bwb.report.score_tables import Linker
    from bwb.report.score_words import Portrait

# Lines to quote of each system: by pronouns turned, by what they lack.
_GENDER_QUOTES, _WORST_QUOTES = 6, 8
_MOST_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class MetricPart:
    """What the page has of a metric: figures and tables, each None where there is none."""

    view: View
    classes: Plot | None
    class_table: PageTable | None
    spread: Plot | None
    omitted: Plot | None
    omitted_table: PageTable | None


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """All that a report is made of.

    Attributes:
        results: What it is about.
        headline: Who is best, in sentences.
        portraits: What is said of each system.
        overview: The figure of all scores; None if none is defined.
        scores: The main table.
        gender: The figure of pronouns; None if there are none.
        characters: The table of characters.
        gender_quotes: System → lines.
        parts: A part a metric.
        documents: The table of documents.
        worst: System → lines.
        heat: The heat map of correlations.
        correlations: Its table.
        comparisons: The table of tests.
        notes: What is to be borne in mind.
        link: Makes addresses in the viewer.
    """

    results: Results
    headline: Sequence[str]
    portraits: Sequence[Portrait]
    overview: Plot | None
    scores: PageTable
    gender: Plot | None
    characters: PageTable | None
    gender_quotes: dict[str, list[Quote]]
    parts: Sequence[MetricPart]
    documents: PageTable
    worst: dict[str, list[Quote]]
    heat: Plot | None
    correlations: PageTable | None
    comparisons: PageTable | None
    notes: Sequence[str]
    link: Linker

    def plots(self) -> list[Plot]:
        """Every figure."""
        found = [self.overview, self.gender]
        found += [plot for part in self.parts for plot in (part.classes, part.spread, part.omitted)]
        return [plot for plot in (*found, self.heat) if plot is not None]

    def tables(self) -> list[PageTable]:
        """Every table."""
        found = [self.scores, self.characters]
        found += [one for part in self.parts for one in (part.class_table, part.omitted_table)]
        found += [self.documents, self.comparisons, self.correlations]
        return [one for one in found if one is not None]


def make_report(
    results: Results,
    options: Options | None = None,
    *,
    view: str | None = None,
    files: bool = False,
    progress: Callable[[int], object] | None = None,
) -> ScoreReport:
    """Compute a report.

    Args:
        results: What was scored.
        options: How statistics are made.
        view: Address of a page of `bwb view` to link to, as seen from the report.
        files: Whether figures are wanted as files too.
        progress: Called with 1 after each metric.
    """
    options = options or Options()
    systems = results.systems
    link = _linker(view)
    matrix = make_matrix(results)
    parts = []
    for row, measured in zip(results.scored, results.metrics, strict=True):
        one = make_view(row, results, measured.signature, options)
        parts.append(_part(one, results, options, files=files))
        if progress is not None:
            progress(1)
    views = [part.view for part in parts]
    found = make_genders(results)
    said = portraits(results, views, found)
    return ScoreReport(
        results=results,
        headline=[*headline(views, systems), *gender_headline(found)],
        portraits=said,
        overview=score_plots.overview(views, systems, files=files),
        scores=score_tables.scores(views, systems, options.alpha),
        gender=genders(found, systems, files=files),
        characters=score_tables.characters(found, systems),
        gender_quotes={s: gender_quotes(results, s, link, _GENDER_QUOTES) for s in by_turns(found)},
        parts=parts,
        documents=score_tables.documents(views, results, link),
        worst={
            one.system: worst_quotes(results, one.system, link, _WORST_QUOTES)
            for one in reversed(said)
        },
        heat=None if matrix is None else score_plots.heat(matrix, files=files),
        correlations=None if matrix is None else score_tables.correlations(matrix),
        comparisons=score_tables.comparisons(views),
        notes=_notes(results, views),
        link=link,
    )


def _part(view: View, results: Results, options: Options, *, files: bool) -> MetricPart:
    systems = results.systems
    books = {chapter.id: chapter.book for chapter in results.documents}
    binned = make_binned(view.scored, results, options) if view.ranked() else None
    return MetricPart(
        view,
        score_plots.classes(view, systems, files=files),
        score_tables.classes(view, systems),
        score_plots.spread(view, systems, books, files=files) if view.ranked() else None,
        score_plots.omitted(view, binned, systems, files=files) if binned else None,
        score_tables.omitted(view.name, binned, systems) if binned else None,
    )


def _linker(view: str | None) -> Linker:
    from bwb.report.view import fragment

    def link(document: str, sentence: int, system: str) -> str | None:
        return None if view is None else view + fragment(document, sentence + 1, system=system)

    return link


def _notes(results: Results, views: Sequence[View]) -> list[str]:
    """What a reader has to bear in mind."""
    from bwb.report.score_views import FEW

    notes = []
    sizes = {len(view.scored.documents) for view in views}
    if min(sizes) < 2:
        notes.append("Of one document there are no intervals, and nothing can be tested.")
    elif min(sizes) < FEW:
        notes.append(
            f"{min(sizes)} documents are few: intervals are too narrow. Differences are tested by "
            "permutation, which keeps its level."
        )
    for view in views:
        left = view.scored.left_out
        if left:
            name, lack = next(iter(left.items()))
            notes.append(f"{view.name} leaves out {len(left)} documents ({name}: {lack}).")
        undefined = sum(v is None for row in view.single.values() for v in row)
        if undefined and view.ranked():
            notes.append(f"{view.name} is undefined in {undefined} single outputs of documents.")
    if results.data.get("data", "").startswith("bwb-sample@") and results.corpus is None:
        notes.append(
            "The sample’s chapters and systems are invented: the scores say nothing about real "
            "systems, they show what a mistake does to a score."
        )
    return notes


def report_html(report: ScoreReport) -> str:
    """The page."""
    results = report.results
    name, _, digest = results.data.get("data", "").partition("@")
    things = "systems" if len(results.systems) > 1 else "system"
    return render(
        "score.jinja",
        title=f"{len(results.systems)} {things} on {name or 'plain files'}",
        report=report,
        # Of many metrics, each a row.
        scores=transposed(report.scores, "metric")
        if len(results.metrics) > _MOST_COLUMNS
        else report.scores,
        results=results,
        data=name or "plain files",
        digest=digest,
        split=results.data.get("split", "all"),
        books=len({chapter.book for chapter in results.documents}),
        sentences=sum(chapter.sentences for chapter in results.documents),
        command=shlex.join(results.command),
        is_place=lambda piece: isinstance(piece, Place),
    )


def write_figures(report: ScoreReport, folder: Path) -> list[Path]:
    """Write every figure as SVG and PDF, every table as LaTeX, Markdown and CSV."""
    from bwb.report.page_table import write_table
    from bwb.report.plots import write_plot

    folder.mkdir(parents=True, exist_ok=True)
    written = [path for plot in report.plots() for path in write_plot(plot, folder)]
    return written + [path for one in report.tables() for path in write_table(one, folder)]
