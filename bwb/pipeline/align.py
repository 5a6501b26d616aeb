"""The fourth and fifth stages: which sentences translate each other, and the rules for pairs."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any

from bwb.clean.filters import load_filters
from bwb.clean.rules import TextPair, decide_pair, pair_rules
from bwb.clean.text import Text
from bwb.corpus import read_jsonl
from bwb.pipeline.assemble import linked
from bwb.pipeline.settings import split_of
from bwb.pipeline.stage import DROPPED, MANIFEST_ROWS, Stage, lines_of
from bwb.records import Chapter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bwb.align.base import Aligner
    from bwb.pipeline.settings import CorpusSettings
    from bwb.pipeline.stage import Files
    from bwb.pipeline.work import Flow, Work
    from bwb.records import Document, Side, Split


class Align(Stage):
    """Documents get their links."""

    name = "4-align"
    unit = "pairs"

    def depends(self, book: str) -> Any:  # noqa: ANN401 - anything JSON holds
        """See `Stage`."""
        return [self.digest("3-pair", book), self.settings.align.model_dump(mode="json")]

    def files(self, book: str, flow: Flow) -> Files:
        """See `Stage`."""
        return {"jsonl": lines_of(self._documents(book, flow))}

    def _documents(self, book: str, flow: Flow) -> Iterator[Document]:
        settings = self.settings.align
        options = json.dumps(settings.as_given, sort_keys=True)
        aligner = _aligner(settings.aligner, options)
        for document in read_documents(self.work, "3-pair", book):
            flow.taken += 1
            zh, en = (side.sentences for side in document.sides)
            made = linked(document, aligner.align(zh, en))
            flow.passed += 1
            flow.notes["links"] += len(made.links)
            flow.notes["null links"] += sum(not (link.zh and link.en) for link in made.links)
            yield made


@cache
def _aligner(name: str, options: str) -> Aligner:
    """One a process: its dictionary and vectors are loaded once."""
    from bwb.align.registry import make_aligner

    return make_aligner(name, **json.loads(options))


class Filter(Stage):
    """The rules for pairs; genre and split of the book."""

    name = "5-filter"
    unit = "pairs"

    def __init__(
        self,
        settings: CorpusSettings,
        work: Work,
        about: dict[str, tuple[str | None, Split | None]],
    ) -> None:
        """Keep genre and split of each book, as the manifest says."""
        super().__init__(settings, work)
        self.about = about

    def depends(self, book: str) -> Any:  # noqa: ANN401 - anything JSON holds
        """See `Stage`."""
        filters = load_filters(self.settings.filters)
        return [
            self.digest("4-align", book),
            filters.model_dump(mode="json", exclude={"pairing", "duplicates"}),
            self.about.get(book),
            self.settings.split.model_dump(),
        ]

    def files(self, book: str, flow: Flow) -> Files:
        """See `Stage`."""
        dropped: list[str] = []
        kept: set[str] = set()
        return {
            "jsonl": lines_of(self._documents(book, flow, dropped, kept)),
            DROPPED: dropped,
            MANIFEST_ROWS: self._rows(book, kept),
        }

    def _rows(self, book: str, kept: set[str]) -> Iterator[str]:
        """The rows of the manifest for what is kept; read after the documents are written."""
        with self.work.path("3-pair", book, MANIFEST_ROWS).open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["id"] in kept:
                    genre, split = self._about(book)
                    yield json.dumps(row | {"genre": genre, "split": split}, ensure_ascii=False)

    def _about(self, book: str) -> tuple[str | None, Split]:
        genre, given = self.about.get(book, (None, None))
        return genre, split_of(book, given, self.settings.split)

    def _documents(
        self, book: str, flow: Flow, dropped: list[str], kept: set[str]
    ) -> Iterator[Document]:
        genre, split = self._about(book)
        filters = load_filters(self.settings.filters)
        rules = pair_rules(filters)
        least = filters.alignment.get(self.settings.align.aligner)
        for document in read_documents(self.work, "4-align", book):
            flow.taken += 1
            if (reason := decide_pair(_pair(document, least), rules)) is not None:
                self.drop(flow, dropped, reason)
                continue
            flow.passed += 1
            kept.add(document.id)
            yield dataclasses.replace(document, genre=genre, split=split)


def _pair(document: Document, least: float | None) -> TextPair:
    zh, en = document.sides
    scores = [link.score for link in document.links if link.score is not None]
    alignment = fmean(scores) / least if scores and least else None
    return TextPair(_text(document, zh), _text(document, en), alignment)


def _text(document: Document, side: Side) -> Text:
    """A side as the rules want it; their lines are its sentences."""
    chapter = Chapter(document.book, document.chapter, side.lang, "", side.sentences)
    return Text(chapter, side.sentences)


def read_documents(work: Work, stage: str, book: str) -> Iterator[Document]:
    """The documents a stage wrote, perhaps none."""
    path = work.path(stage, book)
    if path.stat().st_size:
        yield from read_jsonl(path)
