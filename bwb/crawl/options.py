"""What a crawl is told, and what it tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from bwb.crawl.fetch import MAX_BODY, TIMEOUT
from bwb.crawl.pace import Clock

if TYPE_CHECKING:
    from datetime import datetime

    from bwb.records import Lang


@dataclass(frozen=True)
class CrawlOptions:
    """How to fetch.

    Attributes:
        contact: An address or URL for the User-Agent; None says only what program it is.
        seconds: Least seconds between requests to a host. A recipe's own is kept if it is
            longer, except on this machine.
        archive: Base address of a web archive to fetch from; None fetches from the sites.
        archive_date: The capture nearest to this is taken; None takes the latest.
        limit: Number of chapters of each side to fetch, from the first; None is all.
        refresh: Whether to ask if lists of chapters have changed.
        retry_failed: Whether to ask again for pages that failed for a passing reason.
        timeout: Seconds to wait for a connection and for each piece of an answer.
        max_body: Largest page in bytes.
        threads: Number of hosts that are asked at the same time.
        clock: What tells the time, and waits.
    """

    contact: str | None = None
    seconds: float | None = None
    archive: str | None = None
    archive_date: datetime | None = None
    limit: int | None = None
    refresh: bool = False
    retry_failed: bool = False
    timeout: float = TIMEOUT
    max_body: int = MAX_BODY
    threads: int = 8
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True, slots=True)
class Failure:
    """A chapter that is not there.

    Attributes:
        book: Id of the book.
        lang: Side.
        chapter: Place in the list.
        url: Address of its first page.
        reason: Stable code.
        message: More about it.
    """

    book: str
    lang: Lang
    chapter: str
    url: str
    reason: str
    message: str | None


@dataclass(slots=True)
class SideReport:
    """How far a side of a book is.

    Attributes:
        book: Id of the book.
        lang: Side.
        recipe: Signature of its recipe.
        listed: Chapters in its list.
        wanted: Chapters that were to be fetched.
        done: Chapters all of whose pages are there.
        failed: Chapters that cannot be had or read, by reason.
        pending: Chapters that were not asked for, or not to the end, by reason.
        reason: What is wrong with the side; None if nothing.
        message: More about it.
    """

    book: str
    lang: Lang
    recipe: str
    listed: int = 0
    wanted: int = 0
    done: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    pending: Counter[str] = field(default_factory=Counter)
    reason: str | None = None
    message: str | None = None

    @property
    def whole(self) -> bool:
        """Whether everything wanted is there."""
        return self.reason is None and self.done == self.wanted

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        # Not by `asdict`, which cannot copy a Counter before Python 3.12.
        body = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**body, "failed": dict(self.failed), "pending": dict(self.pending)}


@dataclass(slots=True)
class CrawlReport:
    """What a crawl did.

    Attributes:
        sides: Each side of each book.
        failures: Chapters that are not there.
        notes: What a person should know: hosts given up, damage found and mended.
        requests: Number of requests, by what they were for.
        retries: How many of them were for a page asked for before in this run.
        errors: Answers that were no use, by reason; most were asked for again.
        unchanged: Pages asked for again that had not changed.
        bytes: Bytes of bodies received.
        seconds: How long it took.
    """

    sides: list[SideReport] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0
    bytes: int = 0
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether anything that was wanted is not there."""
        return not all(side.whole for side in self.sides)

    def states(self) -> Counter[tuple[str, str]]:
        """Number of chapters by state and reason."""
        total: Counter[tuple[str, str]] = Counter()
        for side in self.sides:
            total["done", ""] += side.done
            total.update({("failed", why): n for why, n in side.failed.items()})
            total.update({("pending", why): n for why, n in side.pending.items()})
        return +total

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "failed": self.failed,
            "chapters": [
                {"state": state, "reason": reason or None, "count": count}
                for (state, reason), count in sorted(self.states().items())
            ],
            "requests": dict(sorted(self.requests.items())),
            "retries": self.retries,
            "errors": dict(sorted(self.errors.items())),
            "unchanged": self.unchanged,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "sides": [side.as_dict() for side in self.sides],
            "failures": [asdict(failure) for failure in self.failures],
            "notes": self.notes,
        }
