"""The third stage: which chapters of the two languages belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.clean.dropped import Dropped
from bwb.clean.filters import load_filters
from bwb.clean.pairing import pair_chapters
from bwb.pipeline.assemble import document_of, manifest_rows
from bwb.pipeline.clean import Clean, read_texts
from bwb.pipeline.stage import DROPPED, MANIFEST_ROWS, Stage, lines_of
from bwb.schema import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bwb.clean.duplicates import Duplicate
    from bwb.clean.filters import DuplicateSettings
    from bwb.clean.pairing import Pairing
    from bwb.clean.text import Text
    from bwb.pipeline.settings import CorpusSettings
    from bwb.pipeline.stage import Files
    from bwb.pipeline.work import Flow, Work
    from bwb.records import Document


class Pair(Stage):
    """Texts to documents of two sides.

    A chapter that repeats another of its book goes before pairing, where it would shift what comes
    after; one that repeats a chapter of another book goes after, with its partner.
    """

    name = "3-pair"

    def __init__(
        self,
        settings: CorpusSettings,
        work: Work,
        duplicates: dict[str, list[Duplicate]],
        maps: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]],
    ) -> None:
        """Keep what the search for duplicates found in each book, and the maps of chapters."""
        super().__init__(settings, work)
        self.duplicates = duplicates
        self.maps = maps

    def depends(self, book: str) -> Any:  # noqa: ANN401 - anything JSON holds
        """See `Stage`."""
        filters = load_filters(self.settings.filters)
        found = [
            [row.chapter, row.lang, row.of_book, row.of_chapter, row.kind]
            for row in self.duplicates.get(book, ())
        ]
        return [
            self.digest(Clean.name, book),
            filters.pairing.model_dump(mode="json"),
            found,
            self.maps.get(book),
        ]

    def files(self, book: str, flow: Flow) -> Files:
        """See `Stage`."""
        from bwb.align.chapterscore import ChapterSimilarity

        filters = load_filters(self.settings.filters)
        rows: list[str] = []
        inside, across = self._repeated(book, filters.duplicates)
        sides: dict[str, list[Text]] = {"zh": [], "en": []}
        for text in read_texts(self.work, book):
            flow.taken += 1
            key = text.chapter.lang, text.chapter.chapter
            if key in inside:
                self.drop(flow, rows, inside[key])
            else:
                sides[text.chapter.lang].append(text)
        zh, en = sides["zh"], sides["en"]
        pairing = pair_chapters(zh, en, ChapterSimilarity, filters.pairing, self.maps.get(book))
        for wrong in pairing.contradictions:
            flow.warnings.append(f"{book}: the chapter map: {wrong.message}")
        made = list(self._documents(pairing, zh, en, across, flow, rows))
        return {
            "jsonl": lines_of(document for document, *_ in made),
            MANIFEST_ROWS: (dumps(row) for one in made for row in manifest_rows(*one)),
            DROPPED: rows,
        }

    def _repeated(
        self, book: str, settings: DuplicateSettings
    ) -> tuple[dict[tuple[str, str], Dropped], dict[tuple[str, str], Dropped]]:
        """Chapters that repeat one of this book, and of another, by language and place."""
        inside: dict[tuple[str, str], Dropped] = {}
        across: dict[tuple[str, str], Dropped] = {}
        for row in self.duplicates.get(book, ()):
            where = inside if row.of_book == book else across
            where[row.lang, row.chapter] = row.dropped(settings)
        return inside, across

    def _documents(
        self,
        pairing: Pairing,
        zh: Sequence[Text],
        en: Sequence[Text],
        across: dict[tuple[str, str], Dropped],
        flow: Flow,
        rows: list[str],
    ) -> Iterator[tuple[Document, list[Text], list[Text]]]:
        for pair in pairing.pairs:
            texts = [zh[i] for i in pair.zh], [en[j] for j in pair.en]
            both = [*texts[0], *texts[1]]
            reasons = [across[key] for t in both if (key := t.key[2:0:-1]) in across]
            if pair.reason is not None:
                score = pair.score
                for text in both:
                    chapter = text.chapter
                    place = chapter.book, chapter.chapter, chapter.lang
                    self.drop(flow, rows, Dropped(*place, pair.reason, score, None, ""))
            elif reasons:
                for _ in both:
                    self.drop(flow, rows, reasons[0])
            else:
                flow.passed += len(both)
                flow.notes["pairs"] += 1
                flow.notes[f"paired by {pair.how}"] += 1
                flow.notes["pairs of several chapters"] += len(both) > 2
                yield document_of(*texts), *texts
