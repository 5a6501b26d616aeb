"""A corpus from the manifest of another: fetch its pages again, compare, rebuild.

A row of the manifest is one side of a chapter. What became of it is one of

    ok           the text is the same
    changed      the text is another
    redirected   the address leads elsewhere than it did
    missing      a page cannot be had
    dropped      the pages are there, but no chapter can be made of them any more
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from bwb.corpus import read_records, write_jsonl
from bwb.crawl.recipe import find_recipe
from bwb.crawl.refetch import WantedPage, fetch_pages
from bwb.crawl.store import ChapterPages, PageStore
from bwb.errors import Finding, FormatError
from bwb.pipeline.assemble import ManifestChapter, ManifestRow
from bwb.pipeline.extract import Extraction, recipe_name
from bwb.pipeline.work import Flow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bwb.crawl.crawler import CrawlOptions, Progress
    from bwb.crawl.recipe import Recipe
    from bwb.records import Chapter, Lang

State = Literal["ok", "changed", "redirected", "missing", "dropped"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a row.

    Attributes:
        id: Id of the document.
        book: Id of the book.
        lang: Language of the side.
        state: See the module.
        detail: Why, for people; empty if it is as it was.
        same_bytes: Whether every page has the bytes it had; None if one is not there.
        same_text: Whether the text is the same; None if there is none.
    """

    id: str
    book: str
    lang: Lang
    state: State
    detail: str = ""
    same_bytes: bool | None = None
    same_text: bool | None = None


@dataclass(slots=True)
class RebuildReport:
    """What became of a manifest."""

    rows: list[Checked] = field(default_factory=list)

    @property
    def counts(self) -> dict[State, int]:
        """Number of rows in each state."""
        found = Counter(row.state for row in self.rows)
        return {state: found[state] for state in STATES}

    @property
    def same(self) -> bool:
        """Whether everything is as it was."""
        return all(row.state == "ok" for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = [dataclasses.asdict(row) for row in self.rows]
        return {"rows": len(rows), "counts": self.counts, "same": self.same, "documents": rows}


def read_rows(path: Path) -> list[ManifestRow]:
    """Read the manifest that `bwb build-corpus` wrote.

    Raises:
        FormatError: if a line is no row, or a chapter of a site is in two rows.
        InputError: if there is no such file.
    """
    rows = list(read_records(path, ManifestRow, lambda row: f"{row.id} ({row.lang})", "row"))
    seen: dict[tuple[str, str, str], int] = {}
    for number, row in enumerate(rows, 1):
        for chapter in row.chapters:
            key = row.book, row.lang, chapter.chapter
            if seen.setdefault(key, number) != number:
                message = (
                    f"{row.lang} chapter {chapter.chapter} of {row.book} is on line {seen[key]} "
                    "already; expected each chapter once"
                )
                raise FormatError(Finding(str(path), number, 0, "duplicate-chapter", message))
    return rows


class Rebuild:
    """The pages of a manifest, fetched again, and what is made of them."""

    def __init__(
        self, rows: Sequence[ManifestRow], recipes: Mapping[str, Recipe], pages: Path
    ) -> None:
        """Look at nothing yet.

        Args:
            rows: The manifest.
            recipes: Recipes by name.
            pages: Crawl folder.

        Raises:
            UnknownNameError: if a recipe is not there.
        """
        self.rows = rows
        self.pages = pages
        self._recipes = {
            chapter.recipe or "": find_recipe(recipes, recipe_name(chapter.recipe or "-"))
            for row in rows
            for chapter in row.chapters
        }
        self._pending: dict[str, str] = {}

    def fetch(self, options: CrawlOptions, watch: Callable[[Progress], None] | None = None) -> None:
        """Fetch the pages that are not in the folder yet."""
        wanted = {
            page.url: WantedPage(page.url, self._recipe(chapter), page.captured)
            for row in self.rows
            for chapter in row.chapters
            for page in chapter.pages
            if page.url is not None
        }
        self._pending = fetch_pages(list(wanted.values()), self.pages, options, watch)

    def check(self) -> RebuildReport:
        """Compare what is there with the manifest."""
        report = RebuildReport()
        with PageStore.open(self.pages) as store:
            for row in self.rows:
                report.rows.append(self._check(store, row))
        return report

    def chapters(self, folder: Path) -> list[str]:
        """Write `<book>.jsonl` files of what can be had; returns the books."""
        by_book: dict[str, list[ManifestRow]] = {}
        for row in self.rows:
            by_book.setdefault(row.book, []).append(row)
        made = []
        with PageStore.open(self.pages) as store:
            for book, rows in by_book.items():
                rows.sort(key=lambda row: (row.lang != "zh", int(row.chapters[0].chapter)))
                if write_jsonl(self._chapters(store, rows), folder / f"{book}.jsonl"):
                    made.append(book)
        return made

    def _chapters(self, store: PageStore, rows: Sequence[ManifestRow]) -> Iterator[Chapter]:
        for row in rows:
            for chapter in row.chapters:
                found, _ = self._extract(store, row, chapter)
                if found is not None:
                    yield found

    def _recipe(self, chapter: ManifestChapter) -> Recipe:
        return self._recipes[chapter.recipe or ""]

    def _extract(
        self, store: PageStore, row: ManifestRow, chapter: ManifestChapter
    ) -> tuple[Chapter | None, str]:
        """A chapter of what is stored now; None, and why, if it cannot be had."""
        extraction = Extraction(store, {}, Flow())
        urls = tuple(page.url for page in chapter.pages if page.url is not None)
        place = row.book, row.lang, chapter.chapter, chapter.url, chapter.title
        found = extraction.chapter(ChapterPages(*place, urls, "done"), self._recipe(chapter))
        return found, "" if found else str(extraction.reasons[-1])

    def _check(self, store: PageStore, row: ManifestRow) -> Checked:
        place = row.id, row.book, row.lang
        moved, same_bytes = [], True
        for page in (page for chapter in row.chapters for page in chapter.pages):
            stored = store.get(page.url) if page.url else None
            if stored is None or stored.error is not None:
                why = (
                    self._pending.get(page.url or "") or (stored and stored.error) or "not fetched"
                )
                return Checked(*place, "missing", f"{page.url}: {why}")
            same_bytes = same_bytes and stored.sha256_raw == page.sha256_raw
            if (stored.final_url or page.url) != (page.final_url or page.url):
                moved.append(f"{page.url} leads to {stored.final_url}")
        texts: list[bool] = []
        for chapter in row.chapters:
            found, why = self._extract(store, row, chapter)
            if found is None:
                state: State = "redirected" if moved else "dropped"
                return Checked(*place, state, "; ".join([*moved, why]), same_bytes)
            texts.append(found.sha256_text == chapter.sha256_text)
        same = all(texts)
        if moved:
            return Checked(*place, "redirected", "; ".join(moved), same_bytes, same)
        if not same:
            return Checked(*place, "changed", "the text is another", same_bytes, same)
        return Checked(*place, "ok", "", same_bytes, same)
