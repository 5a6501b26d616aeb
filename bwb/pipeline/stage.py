"""What a stage is: a function of one book that counts what goes in and out, and resumes."""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.pipeline.work import Flow, Work, digest_of
from bwb.schema import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bwb.clean.dropped import Dropped
    from bwb.pipeline.settings import CorpusSettings

Files = dict[str, "Iterable[str]"]

# Suffixes of files that several stages write.
DROPPED = "dropped.jsonl"
REMOVED = "lines.jsonl"
MANIFEST_ROWS = "manifest.jsonl"


class Stage(ABC):
    """A step of the pipeline; called with a book's id by an executor, perhaps in another process.

    A subclass says what its result depends on (`depends`) and makes the lines of its files
    (`files`), adding to the flow what it takes, passes on and drops.
    """

    name: ClassVar[str]
    """Folder of its files."""
    version: ClassVar[int] = 1
    """Changed when the stage makes something else of the same input: old results are redone."""
    unit: ClassVar[str] = "chapters"
    """What is counted."""

    def __init__(self, settings: CorpusSettings, work: Work) -> None:
        """Keep what the stage is told and where it works."""
        self.settings = settings
        self.work = work

    @abstractmethod
    def depends(self, book: str) -> Any:  # noqa: ANN401 - anything JSON holds
        """What the result for a book depends on: settings, and digests of the input."""

    @abstractmethod
    def files(self, book: str, flow: Flow) -> Files:
        """The lines of each file of a book, by suffix.

        Raises:
            BwbError: if nothing can be made of the book.
        """

    def key(self, book: str) -> str:
        """Digest of what the result for a book depends on."""
        return digest_of([self.name, self.version, self.depends(book)])

    def __call__(self, book: str) -> dict[str, Any]:
        """Do the stage for a book, unless it is done; returns the flow and whether it was done."""
        key = self.key(book)
        done = self.work.done(self.name, book)
        if done is not None and done.key == key:
            return {"flow": done.flow.as_dict(), "fresh": False}
        flow = Flow()
        done = self.work.finish(self.name, book, key, flow, self.files(book, flow))
        return {"flow": done.flow.as_dict(), "fresh": True}

    def digest(self, stage: str, book: str) -> str | None:
        """Digest of what an earlier stage made of a book; None if it made nothing."""
        done = self.work.done(stage, book)
        return done.digest if done else None

    def drop(self, flow: Flow, rows: list[str], dropped: Dropped) -> None:
        """Note something that goes no further, with every reason."""
        flow.dropped[dropped.rule] += 1
        rows.append(dropped_line(self.name.partition("-")[2], dropped))


def dropped_line(stage: str, dropped: Dropped) -> str:
    """A row of the list of what was dropped."""
    return json.dumps({"stage": stage, **dataclasses.asdict(dropped)}, ensure_ascii=False)


def lines_of(records: Iterable[Any]) -> Iterator[str]:
    """Records as lines of JSON."""
    return (dumps(record) for record in records)
