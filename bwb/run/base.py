"""What an executor is: it does a task for each shard, somewhere, and tells what came of it.

A task is called with the name of a shard (a book) and returns a small dict of counts that JSON
can hold; what it makes, it writes itself. It must be picklable: a function of a module, or an
object of a class of a module, with its settings. An executor gives the same outcomes in the same
order wherever and with however many workers it runs; a task that fails, fails for its shard.
"""

from __future__ import annotations

import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bwb.errors import BwbError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Task = Callable[[str], dict[str, Any]]


class WorkerError(BwbError):
    """Worker processes cannot be started, or the task cannot be sent to them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a shard.

    Attributes:
        shard: Name of the shard.
        result: What the task returned; None if it failed.
        error: Why it failed; None if it did not.
        seconds: How long it took.
    """

    shard: str
    result: dict[str, Any] | None
    error: str | None
    seconds: float


class Executor(Protocol):
    """Does tasks."""

    def run(self, task: Task, shards: Sequence[str], *, label: str) -> Iterator[Outcome]:
        """Do a task for all shards.

        Args:
            task: The task.
            shards: Names of the shards, no two alike.
            label: Name of the task, for people.

        Yields:
            The outcomes, in the order of the shards, as they become known.
        """


def attempt(task: Task, shard: str) -> Outcome:
    """Do a task for one shard; an exception becomes the outcome's error."""
    start = time.perf_counter()
    result, error = None, None
    try:
        result = task(shard)
    except BwbError as raised:
        error = str(raised)
    except Exception as raised:  # a shard must not take the others with it
        error = describe(raised)
    return Outcome(shard, result, error, time.perf_counter() - start)


def describe(raised: Exception) -> str:
    """Type, message and place of an exception that nobody foresaw."""
    frames = traceback.extract_tb(raised.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(raised).__name__}: {raised}{place}"


class Progress:
    """A bar on stderr, if that is a terminal; counts the shards that failed."""

    def __init__(self, label: str, total: int) -> None:
        """Show the bar."""
        from tqdm import tqdm

        self._bar = tqdm(
            total=total, desc=label, unit="shard", file=sys.stderr, disable=not sys.stderr.isatty()
        )
        self._failed = 0

    def __enter__(self) -> Progress:
        """Nothing more."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the bar."""
        self._bar.close()

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        if outcome.error is not None:
            self._failed += 1
            self._bar.set_postfix(failed=self._failed)
        self._bar.update()
