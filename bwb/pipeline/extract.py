"""The first stage: pages to chapters, cleaned line by line.

Chinese stays in the characters it was printed in; `bwb.pipeline.clean` simplifies it.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from bwb.clean.chapter import clean_chapter
from bwb.clean.dropped import Dropped
from bwb.clean.script import simplify
from bwb.corpus import read_records, sha256_file
from bwb.crawl.extract import ExtractError, digest_lines, extract_chapter
from bwb.crawl.recipe import Recipe, find_recipe, load_recipes
from bwb.errors import InputError
from bwb.pipeline.stage import DROPPED, REMOVED, Stage, dropped_line, lines_of
from bwb.pipeline.work import digest_of
from bwb.records import LANGS, Chapter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bwb.crawl.extract import Page
    from bwb.crawl.store import ChapterPages, PageStore
    from bwb.pipeline.stage import Files
    from bwb.pipeline.work import Flow


class Extraction:
    """Takes the chapters of a book out of a crawl folder, and counts."""

    def __init__(self, store: PageStore, recipes: Mapping[str, Recipe], flow: Flow) -> None:
        """Use a store and the recipes its books were crawled with."""
        self.store = store
        self.recipes = recipes
        self.flow = flow
        self.reasons: list[str] = []
        """Why chapters could not be had, for people."""
        self.dropped: list[str] = []
        """The same, a line of JSON each."""
        self.removed: list[str] = []
        """Lines that were taken out, likewise."""

    def chapters(self, book: str) -> Iterator[Chapter]:
        """The chapters that can be had, Chinese first, in the order of their lists.

        Raises:
            UnknownNameError: if the recipe of a side is not among those given.
        """
        for lang in LANGS:
            side = self.store.index.side(book, lang)
            if side is None:
                continue
            recipe = find_recipe(self.recipes, recipe_name(side.recipe))
            for pages in self.store.chapters(book, lang):
                self.flow.taken += 1
                chapter = self.chapter(pages, recipe)
                if chapter is not None:
                    self.flow.passed += 1
                    yield chapter

    def chapter(self, pages: ChapterPages, recipe: Recipe) -> Chapter | None:
        """A chapter; None if it cannot be had, with the reason in `dropped`."""
        if pages.state != "done":
            self._drop(pages, pages.reason or "not-fetched", pages.message or "")
            return None
        try:
            found = extract_chapter(pages, _getter(self.store), recipe)
        except ExtractError as error:
            self._drop(pages, error.reason, str(error))
            return None
        chapter = found.chapter
        for item in found.removed:
            self._remove(chapter, None, item.text, item.reason, part=item.reason == "cut")
        self.flow.notes["pages"] += len(pages.pages)
        self.flow.notes["characters that could not be decoded"] += found.replaced
        cleaned, removed, changed = clean_chapter(chapter)
        for line in removed:
            self._remove(chapter, line.line, line.text, line.reason, part=line.part)
        for reason, count in changed.items():
            if reason != "simplified":
                self.flow.notes[f"lines altered: {reason}"] += count
        if cleaned.original is not None:
            both = zip(cleaned.original, cleaned.lines, strict=True)
            lines = tuple(_as_printed(original, line) for original, line in both)
            cleaned = dataclasses.replace(
                cleaned,
                lines=lines,
                original=None,
                title=chapter.title,
                sha256_text=digest_lines(lines),
            )
        if not cleaned.lines:
            self._drop(pages, "empty-body", "nothing is left after cleaning")
            return None
        return cleaned

    def _drop(self, pages: ChapterPages, rule: str, detail: str) -> None:
        self.flow.dropped[rule] += 1
        self.reasons.append(detail or rule)
        row = Dropped(pages.book, pages.chapter, pages.lang, rule, None, None, detail)
        self.dropped.append(dropped_line("extract", row))

    def _remove(
        self, chapter: Chapter, line: int | None, text: str, reason: str, *, part: bool
    ) -> None:
        what = "cut out of lines" if part else "lines removed"
        self.flow.notes[f"{what}: {reason}"] += 1
        body = {
            "book": chapter.book,
            "chapter": chapter.chapter,
            "lang": chapter.lang,
            "line": line,
            "reason": reason,
            "part": part,
            "text": text,
        }
        self.removed.append(json.dumps(body, ensure_ascii=False))


def stored_recipes(store: PageStore, folders: Sequence[Path]) -> dict[str, Recipe]:
    """The recipes of some folders; without folders, those the crawl was made with.

    Raises:
        FormatError: if a recipe is wrong.
        InputError: if there is no such folder.
    """
    if folders:
        return load_recipes(*folders)
    made = store.index.recipes()
    return {name: Recipe.model_validate_json(body) for name, body in made.items()}


def recipe_name(said: str) -> str:
    """The name of a recipe, of what the index of a crawl says of it."""
    return said.split()[0].rpartition("-")[0]


def _getter(store: PageStore) -> Callable[[str], Page | None]:
    return store.get


def _as_printed(original: str, line: str) -> str:
    """A cleaned line in the characters of the page: cleaning is done on simplified ones.

    Where cutting changed the line, the same range is cut out of the original, if characters
    correspond one to one; else the line stays simplified.
    """
    simple = simplify(original)
    at = simple.find(line)
    if len(simple) != len(original) or at < 0:
        return line
    return original[at : at + len(line)]


class Extract(Stage):
    """Pages of a crawl folder, or a file of chapters, to cleaned chapters."""

    name = "1-extract"

    def depends(self, book: str) -> Any:  # noqa: ANN401 - anything JSON holds
        """See `Stage`."""
        if self.settings.chapters is not None:
            return sha256_file(self.settings.chapters / f"{book}.jsonl")
        from bwb.crawl.store import PageStore

        recipes = load_recipes(*self.settings.sites)
        with PageStore.open(self.settings.out / "pages") as store:
            return store_digest(store, book, recipes)

    def files(self, book: str, flow: Flow) -> Files:
        """See `Stage`."""
        if self.settings.chapters is not None:
            chapters = _given(self.settings.chapters / f"{book}.jsonl", book, flow)
            return {"jsonl": lines_of(chapters)}
        from bwb.crawl.store import PageStore

        with PageStore.open(self.settings.out / "pages") as store:
            extraction = Extraction(store, load_recipes(*self.settings.sites), flow)
            made = list(lines_of(extraction.chapters(book)))
        return {"jsonl": made, DROPPED: extraction.dropped, REMOVED: extraction.removed}


def store_digest(store: PageStore, book: str, recipes: Mapping[str, Recipe]) -> str:
    """A digest of all that the extraction of a book depends on."""
    body: list[Any] = []
    for lang in LANGS:
        side = store.index.side(book, lang)
        if side is None:
            continue
        recipe = find_recipe(recipes, recipe_name(side.recipe))
        body.append([lang, recipe.model_dump(mode="json")])
        for pages in store.chapters(book, lang):
            raw = [[row.sha256_raw for row in store.trail(url).rows] for url in pages.pages]
            body.append([pages.chapter, pages.url, pages.title, pages.state, pages.reason, raw])
    return digest_of(body)


def _given(path: Path, book: str, flow: Flow) -> Iterator[Chapter]:
    """Chapters from a file, cleaned."""
    for chapter in read_records(path, Chapter, lambda c: f"{c.chapter} ({c.lang})", "chapter"):
        if chapter.book != book:
            message = f"{path}: a chapter of book {chapter.book!r}; expected {book!r}"
            raise InputError(message)
        flow.taken += 1
        flow.passed += 1
        yield clean_chapter(chapter)[0]
