"""The folder of intermediate files: one file a stage and book, and a note of what made it.

    work/<stage>/<book>.jsonl            what the stage made of the book
    work/<stage>/<book>.dropped.jsonl    what it dropped, and why
    work/<stage>/<book>.done.json        key, counts, digests: written last

A stage is done for a book if its note has the key that it would have now: a digest of the
settings that matter to the stage and of its input. So a run that was killed goes on where it
was, and a changed setting redoes what depends on it and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(slots=True)
class Flow:
    """What went into a stage and what came out, counted in chapters or pairs."""

    taken: int = 0
    passed: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    """Other things counted: lines removed by reason, pages, sentences."""
    warnings: list[str] = field(default_factory=list)
    """What a person should look at."""

    def add(self, other: Flow) -> None:
        """Add the counts of another book."""
        self.taken += other.taken
        self.passed += other.passed
        self.dropped += other.dropped
        self.notes += other.notes
        self.warnings += other.warnings

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "in": self.taken,
            "out": self.passed,
            "dropped": dict(sorted(self.dropped.items())),
            "notes": dict(sorted(self.notes.items())),
            "warnings": self.warnings,
        }

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> Flow:
        """The inverse of `as_dict`."""
        dropped, notes = Counter(body["dropped"]), Counter(body["notes"])
        return cls(body["in"], body["out"], dropped, notes, body["warnings"])


@dataclass(frozen=True, slots=True)
class Done:
    """The note that a stage is done for a book."""

    key: str
    flow: Flow
    digests: dict[str, str]
    """SHA-256 of each file the stage wrote, by suffix."""

    @property
    def digest(self) -> str:
        """One digest of all it wrote."""
        return digest_of(self.digests)


def digest_of(value: Any) -> str:  # noqa: ANN401 - anything JSON holds
    """SHA-256 of a value's canonical JSON."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Work:
    """The folder of one run; safe to use from several processes on different books."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not exist."""
        self.folder = folder

    def path(self, stage: str, book: str, suffix: str = "jsonl") -> Path:
        """Where a stage's file for a book lies."""
        return self.folder / stage / f"{quote(book, safe=' ')}.{suffix}"

    def done(self, stage: str, book: str) -> Done | None:
        """The note of a stage that is done; None if it is not, or its files are gone."""
        try:
            body = json.loads(self.path(stage, book, "done.json").read_bytes())
            made = Done(body["key"], Flow.from_dict(body["flow"]), body["digests"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        there = all(self.path(stage, book, suffix).is_file() for suffix in made.digests)
        return made if there else None

    def finish(
        self, stage: str, book: str, key: str, flow: Flow, files: dict[str, Iterable[str]]
    ) -> Done:
        """Write what a stage made of a book, and note that it is done.

        Args:
            stage: The stage.
            book: The book.
            key: What the result depends on.
            flow: What was counted; complete when the last of `files` has been read.
            files: Lines of each file, without line feeds, by suffix; written in order.
        """
        self.path(stage, book, "done.json").unlink(missing_ok=True)
        digests = {}
        for suffix, lines in files.items():
            digest = hashlib.sha256()
            with replacing(self.path(stage, book, suffix)) as file:
                for line in lines:
                    file.write(line + "\n")
                    digest.update(line.encode("utf-8") + b"\n")
            digests[suffix] = digest.hexdigest()
        done = Done(key, flow, digests)
        with replacing(self.path(stage, book, "done.json")) as file:
            json.dump({"key": key, "flow": flow.as_dict(), "digests": digests}, file)
        return done

    def gather(self, suffix: str, stages: Iterable[str], books: Iterable[str], out: Path) -> int:
        """Join a kind of file of all stages and books into one; returns the number of lines."""
        listed = list(books)
        count = 0
        with replacing(out) as file:
            for stage in stages:
                for book in listed:
                    path = self.path(stage, book, suffix)
                    if path.is_file():
                        with path.open(encoding="utf-8", newline="\n") as lines:
                            for line in lines:
                                file.write(line)
                                count += 1
        return count
