"""The second stage: lines into sentences, and out with chapters that are none."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from bwb.clean.filters import load_filters
from bwb.clean.rules import decide_side, side_rules
from bwb.clean.text import Text
from bwb.corpus import read_records
from bwb.pipeline.stage import DROPPED, Stage, lines_of
from bwb.records import Chapter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bwb.clean.duplicates import Fingerprint
    from bwb.pipeline.stage import Files
    from bwb.pipeline.work import Flow, Work

PRINTS = "prints.jsonl"


class Clean(Stage):
    """Chapters to texts: simplified characters, sentences, the rules for one side, fingerprints."""

    name = "2-clean"

    def depends(self, book: str) -> Any:  # noqa: ANN401 - anything JSON holds
        """See `Stage`."""
        filters = load_filters(self.settings.filters)
        return [
            self.digest("1-extract", book),
            filters.model_dump(mode="json", exclude={"pairing"}),
        ]

    def files(self, book: str, flow: Flow) -> Files:
        """See `Stage`."""
        from bwb.clean.duplicates import fingerprints
        from bwb.clean.language import language_of

        filters = load_filters(self.settings.filters)
        rules = side_rules(filters, language_of)
        kept: list[Text] = []
        dropped: list[str] = []
        for chapter in read_chapters(self.work, "1-extract", book):
            flow.taken += 1
            text = to_text(chapter)
            flow.notes["simplified"] += text.chapter.original is not None
            if (reason := decide_side(text, rules)) is not None:
                self.drop(flow, dropped, reason)
                continue
            kept.append(text)
            flow.passed += 1
            flow.notes["sentences"] += len(text.sentences)
        prints = fingerprints(kept, filters.duplicates)
        return {
            "jsonl": lines_of(kept),
            PRINTS: (_print_line(row) for row in prints),
            DROPPED: dropped,
        }


def to_text(chapter: Chapter) -> Text:
    """A chapter in simplified characters, cut into sentences."""
    from bwb.clean.script import simplify_lines
    from bwb.clean.sentences import split_lines

    simple = simplify_lines(chapter.lines) if chapter.lang == "zh" else None
    if simple is not None:
        chapter = dataclasses.replace(chapter, lines=simple, original=chapter.lines)
    return Text(chapter, tuple(split_lines(chapter.lines, chapter.lang)))


def read_chapters(work: Work, stage: str, book: str) -> Iterator[Chapter]:
    """The chapters a stage wrote."""
    path = work.path(stage, book)
    yield from read_records(path, Chapter, chapter_key, "chapter", empty=True)


def chapter_key(chapter: Chapter) -> str:
    """What no two chapters share."""
    return f"{chapter.book}/{chapter.chapter} ({chapter.lang})"


def read_texts(work: Work, book: str) -> Iterator[Text]:
    """The texts that `Clean` wrote."""
    path = work.path(Clean.name, book)
    yield from read_records(path, Text, lambda text: chapter_key(text.chapter), "text", empty=True)


def read_prints(work: Work, book: str) -> Iterator[Fingerprint]:
    """The fingerprints that `Clean` wrote."""
    import numpy as np

    from bwb.clean.duplicates import Fingerprint

    with work.path(Clean.name, book, PRINTS).open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            row["sha256"] = bytes.fromhex(row["sha256"])
            row["minhash"] = np.frombuffer(base64.b64decode(row["minhash"]), dtype="<u4")
            yield Fingerprint(**row)


def _print_line(row: Fingerprint) -> str:
    numbers = base64.b64encode(row.minhash.astype("<u4").tobytes()).decode("ascii")
    body = {
        "book": row.book,
        "chapter": row.chapter,
        "lang": row.lang,
        "sha256": row.sha256.hex(),
        "ngrams": row.ngrams,
        "minhash": numbers,
    }
    return json.dumps(body)
