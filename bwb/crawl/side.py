"""One side of a book: its list of chapters, then the pages of each chapter.

The first chapter is fetched right after the first page of the list and read by the recipe. If it
cannot be read nothing more is fetched: a wrong selector costs two pages, not ten thousand.
"""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bwb.crawl.frontier import CHAPTERS, LISTS
from bwb.crawl.page import (
    EmptyBodyError,
    PageError,
    merge_lists,
    next_page,
    read_chapter,
    read_list,
)
from bwb.crawl.rows import ChapterPages, SideRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.crawl.getter import Getter
    from bwb.crawl.manifest import Book
    from bwb.crawl.page import ChapterRef, ListPage
    from bwb.crawl.recipe import Recipe
    from bwb.crawl.rows import State
    from bwb.crawl.store import StoredPage
    from bwb.records import Lang

# Chapters of a side that are asked for at a time.
WINDOW = 8
# So many chapters in a row that cannot be read: the site has changed, or hides behind a notice.
UNREADABLE = 10
# A chapter whose text is empty may be a picture; so many at the start are a wrong selector.
EMPTY = 3
# After so many chapters that cannot be had, the rest is asked for without a trial.
TRIALS = 20
# More pages than a list or a chapter has: a site that counts on without end.
MOST_LISTS = 2000
MOST_PAGES = 200


@dataclass(slots=True)
class _Walk:
    """A chapter being fetched page by page."""

    chapter: ChapterPages
    pages: list[str]


class Side:
    """A side of a book. Its methods are called back by a getter, from several threads."""

    def __init__(
        self,
        getter: Getter,
        book: Book,
        lang: Lang,
        url: str,
        recipe: Recipe,
        number: int,
    ) -> None:
        """Fetch nothing yet.

        Args:
            getter: Where pages come from.
            book: The row of the manifest.
            lang: Which side.
            url: Address of its list.
            recipe: Recipe of its site.
            number: Its place among all sides; earlier ones are fetched first.
        """
        self.getter = getter
        self.index = getter.store.index
        self.book = book
        self.lang = lang
        self.recipe = recipe
        self.row = SideRow(book.book, lang, url, _digest(recipe))
        self.number = number
        self.done = self.bad = self.total = 0
        matches = book.matches
        self._mapped = None if matches is None else {n for m in matches for n in getattr(m, lang)}
        self._lock = threading.RLock()
        self._lists: list[ListPage] = []
        self._seen: set[str] = set()
        self._urls: frozenset[str] = frozenset()
        self._queue: deque[ChapterPages] = deque()
        self._active = 0
        self._tried = False
        self._unreadable = 0
        self._empty = 0

    # The list.

    def start(self) -> None:
        """Want what is to be had first."""
        before = self.index.side(self.book.book, self.lang)
        same = before and (before.url, before.recipe) == (self.row.url, self.row.recipe)
        if before and not same:
            # Pages are read again by the new recipe; those that are there are not fetched again.
            self.index.look_again(self.book.book, self.lang)
        if before and same and before.listed and not self.getter.options.refresh:
            self.row = replace(self.row, listed=True)
            self._begin()
            return
        self._want_list(self.row.url, at_source=False)

    def _want_list(self, url: str, *, at_source: bool) -> None:
        self._seen.add(url)

        def then(page: StoredPage | None, pending: str | None) -> None:
            with self._lock:
                self._list_page(page, pending, at_source=at_source)

        self.getter.want(
            *(url, "list", self.recipe.seconds, (LISTS, self.number), then),
            recipe=self.recipe,
            refresh=self.getter.options.refresh,
        )

    def _list_page(self, page: StoredPage | None, pending: str | None, *, at_source: bool) -> None:
        if page is None or page.error is not None:
            why = pending or (page.error if page else None) or "missing"
            url = page.url if page else "the list of chapters"
            self._list_fails(why, f"{url}: {page.message if page and page.message else why}")
            return
        text = self.getter.decode(page, self.recipe).text
        try:
            listing = read_list(self.recipe, text, page.final_url or page.url, at_source=at_source)
        except PageError as error:
            self._list_fails(error.reason, str(error))
            return
        if listing.source is not None and listing.source not in self._seen:
            self._want_list(listing.source, at_source=True)
            return
        self._lists.append(listing)
        go_on = listing.next if listing.next not in self._seen else None
        if len(self._lists) >= MOST_LISTS:
            go_on = None
        if self._tried or (self.recipe.listing.reverse and go_on):
            self._after_list(go_on, at_source=at_source)
        else:
            listed = enumerate(listing.chapters, 1)
            urls = [ref.url for place, ref in listed if self.wants(place)]
            self._try_one(deque(urls[:TRIALS]), go_on, at_source=at_source)

    def _after_list(self, go_on: str | None, *, at_source: bool) -> None:
        """Want the next page of the list, or end it."""
        if go_on is not None:
            self._want_list(go_on, at_source=at_source)
            return
        self.row = replace(self.row, listed=True)
        self._store_list(merge_lists(self.recipe, self._lists))
        self._begin()

    def _list_fails(self, reason: str, message: str) -> None:
        """A page of the list cannot be had or read; chapters known so far are fetched."""
        self._stop(reason, message)
        if self._lists and self._tried:
            self._store_list(merge_lists(self.recipe, self._lists))
            self._begin()

    def _store_list(self, refs: Sequence[ChapterRef]) -> None:
        listed = [(ref.url, ref.title) for ref in refs]
        book = self.book.book
        gone = self.index.put_chapters(book, self.lang, listed, whole=self.row.listed)
        if gone:
            note = f"book {book!r} {self.lang}: {gone} chapters are not in the list any more"
            self.getter.notes.append(note)
        self.index.put_side(self.row)

    def _stop(self, reason: str, message: str | None) -> None:
        """Remember what is wrong with the side."""
        self.row = replace(self.row, reason=reason, message=message)
        self.index.put_side(self.row)

    # The trial.

    def _try_one(self, refs: deque[str], go_on: str | None, *, at_source: bool) -> None:
        """Fetch a chapter and see whether the recipe reads it, before anything else."""
        if self._tried or not refs:
            # Where none can be had the rest is asked for all the same.
            self._tried = self._tried or self.row.listed
            self._empty = 0
            if self.row.listed:
                self._begin()
            else:
                self._after_list(go_on, at_source=at_source)
            return
        url = refs.popleft()

        def then(page: StoredPage | None, pending: str | None) -> None:
            with self._lock:
                if page is None:
                    self._stop(pending or "missing", f"{url}: {pending}")
                    return
                if page.error is None:
                    self._trial(page)
                if self.row.reason is None:
                    self._try_one(refs, go_on, at_source=at_source)

        priority = (LISTS, self.number, 1)
        self.getter.want(*(url, "chapter", self.recipe.seconds, priority, then), recipe=self.recipe)

    def _trial(self, page: StoredPage) -> None:
        """Read a page; if it cannot be read, that is what is wrong with the side."""
        text = self.getter.decode(page, self.recipe).text
        try:
            read_chapter(self.recipe, text, page.final_url or page.url)
        except PageError as error:
            self._empty += isinstance(error, EmptyBodyError)
            if not isinstance(error, EmptyBodyError) or self._empty >= EMPTY:
                self._stop(error.reason, str(error))
        else:
            self._tried = True

    # Chapters.

    def wants(self, place: int) -> bool:
        """Whether a chapter is to be fetched, by its place in the list."""
        limit = self.getter.options.limit
        first = self.book.first or 1
        last = self.book.last if self.book.last is not None else place
        if not first <= place <= last or (limit is not None and place >= first + limit):
            return False
        return self._mapped is None or place in self._mapped

    def _begin(self) -> None:
        """Want the first chapters that are not there yet."""
        chapters = self.index.chapters(self.book.book, self.lang)
        self._urls = frozenset(chapter.url for chapter in chapters)
        wanted = [chapter for chapter in chapters if self.wants(int(chapter.chapter))]
        self.total = len(wanted)
        self.done = sum(chapter.state == "done" for chapter in wanted)
        self._queue = deque(chapter for chapter in wanted if chapter.state != "done")
        if self.row.listed:
            self.index.put_side(self.row)
        self._tried = self._tried or self.done > 0
        if self._tried or not wanted:
            self._feed()
        else:
            urls = deque(chapter.url for chapter in wanted[:TRIALS])
            self._try_one(urls, None, at_source=False)

    def _feed(self) -> None:
        while self._active < WINDOW and self._queue:
            chapter = self._queue.popleft()
            self._active += 1
            self._want_page(_Walk(chapter, []), chapter.url)

    def _want_page(self, walk: _Walk, url: str) -> None:
        walk.pages.append(url)

        def then(page: StoredPage | None, pending: str | None) -> None:
            with self._lock:
                self._chapter_page(walk, page, pending)

        priority = (CHAPTERS, self.number, int(walk.chapter.chapter), len(walk.pages))
        self.getter.want(*(url, "chapter", self.recipe.seconds, priority, then), recipe=self.recipe)

    def _chapter_page(self, walk: _Walk, page: StoredPage | None, pending: str | None) -> None:
        if page is None:
            walk.pages.pop()
            self._end(walk, "pending", pending, None)
            return
        if page.error is not None:
            walk.pages.pop()
            where = f"{page.url}: {page.message or page.error}"
            self._end(walk, "failed", page.error, where)
            return
        text = self.getter.decode(page, self.recipe).text
        url = page.final_url or page.url
        try:
            read_chapter(self.recipe, text, url)
            following = next_page(self.recipe, text, url)
        except PageError as error:
            self._unreadable += 1
            self._end(walk, "failed", error.reason, str(error))
            if self._unreadable >= UNREADABLE and self._queue:
                said = f"{self._unreadable} chapters in a row cannot be read, the last: {error}"
                self._stop(error.reason, said)
                self._queue.clear()
            return
        except Exception as error:  # one odd page must not end a crawl of days
            self._end(walk, "failed", "unreadable", f"{url}: {type(error).__name__}: {error}")
            return
        self._unreadable = 0
        known = following in walk.pages or following in self._urls
        if following is not None and not known and len(walk.pages) < MOST_PAGES:
            self._want_page(walk, following)
            return
        self._end(walk, "done", None, None)

    def _end(self, walk: _Walk, state: State, reason: str | None, message: str | None) -> None:
        chapter = replace(walk.chapter, pages=tuple(walk.pages))
        self.index.put_chapter(chapter, state, reason, message)
        self._active -= 1
        self.done += state == "done"
        self.bad += state == "failed"
        self._feed()


def _digest(recipe: Recipe) -> str:
    """Signature of a recipe, and a digest of all it says."""
    body = recipe.model_dump_json().encode()
    return f"{recipe.signature} {hashlib.sha256(body).hexdigest()[:16]}"
