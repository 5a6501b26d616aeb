"""What is to be fetched, by host: one request at a time a host, at its pace, hosts side by side.

A host has a heap of tasks and the earliest time of its next request. Threads take the task that is
due; a host that was told to wait does not keep a thread.
"""

from __future__ import annotations

import heapq
import itertools
import random
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.crawl.address import host_of
from bwb.crawl.pace import Clock, jittered

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.crawl.recipe import Recipe
    from bwb.crawl.rows import Kind

# Order of tasks of a host: what decides whether the rest makes sense comes first.
ROBOTS, LISTS, CHAPTERS = range(3)


@dataclass(eq=False, slots=True)
class Task:
    """An address to ask, until it is had or given up.

    Attributes:
        url: The address.
        kind: What it is for.
        seconds: Least seconds between requests to its host, before its robots.txt is read.
        priority: Smaller is earlier: what kind of task, which side, which place.
        waiting: What to call when the store knows of it, or with the reason why it will not.
        recipe: What its pages are decoded by.
        refresh: Whether it is stored, and to be asked whether it has changed.
        tries: How often it was asked for and failed.
        busy: How often the answer was 429.
        due: Earliest time on the clock.
        digest: Digest of a body that looked cut off, to compare the next one with.
        cookie: Whether it has led back to itself with a cookie.
    """

    url: str
    kind: Kind
    seconds: float
    priority: tuple[int, ...]
    waiting: list[Callable[[str | None], None]] = field(default_factory=list)
    recipe: Recipe | None = None
    refresh: bool = False
    tries: int = 0
    busy: int = 0
    due: float = 0.0
    digest: bytes | None = None
    cookie: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """Smaller is earlier: what has failed comes after what was not asked for yet.

        So a host that is down shows it by failing on many pages, not often on one.
        """
        return (self.priority[0], self.tries, *self.priority[1:])


@dataclass(eq=False)
class Host:
    """A host.

    Attributes:
        name: Its name, with port.
        seconds: Least seconds between two requests.
        next: Earliest time of the next request.
        busy: Whether it is being asked.
        shut: Why it is not asked any more; None if it is.
        refusals: Refusals since the last page.
        ill: Distinct addresses that failed since the last page.
        failures: Failures since the last page.
        put_off: Pages that it wants to be asked for much later, since the last page.
        unclosed: Whether its pages end without ``</html>``; None if that is not known.
    """

    name: str
    seconds: float = 0.0
    next: float = 0.0
    busy: bool = False
    shut: str | None = None
    refusals: int = 0
    failures: int = 0
    put_off: int = 0
    ill: set[str] = field(default_factory=set)
    unclosed: bool | None = None
    waiting: list[tuple[float, int, Task]] = field(default_factory=list)
    ready: list[tuple[tuple[int, ...], int, Task]] = field(default_factory=list)

    def ripen(self, now: float) -> None:
        """Move the tasks that are due to those that are ready."""
        while self.waiting and self.waiting[0][0] <= now:
            _, number, task = heapq.heappop(self.waiting)
            heapq.heappush(self.ready, (task.order, number, task))

    @property
    def due(self) -> float | None:
        """Earliest time of its next task; None if there is none."""
        if self.ready:
            return self.next
        return max(self.next, self.waiting[0][0]) if self.waiting else None


class Frontier:
    """The hosts and their tasks, for several threads."""

    def __init__(self, clock: Clock, chance: random.Random | None = None) -> None:
        """Start empty.

        Args:
            clock: What tells the time, and waits.
            chance: Where jitter comes from.
        """
        self.clock = clock
        self.chance = chance or random.Random()
        self.hosts: dict[str, Host] = {}
        self.stopped = False
        self._numbers = itertools.count()
        self._changed = threading.Condition()

    def host(self, url: str) -> Host:
        """The host of an address."""
        return self.named(host_of(url))

    def named(self, name: str) -> Host:
        """The host of a name."""
        with self._changed:
            if name not in self.hosts:
                self.hosts[name] = Host(name)
            return self.hosts[name]

    def push(self, task: Task) -> None:
        """Add a task, or put it back; it is taken once it is due."""
        host = self.host(task.url)
        with self._changed:
            host.seconds = max(host.seconds, task.seconds)
            heapq.heappush(host.waiting, (task.due, next(self._numbers), task))
            self._changed.notify()

    def take(self) -> tuple[Host, Task] | None:
        """The next task, whose host is then busy; waits for one.

        Returns:
            None if all is done, or `stop` was called.
        """
        with self._changed:
            while not self.stopped:
                now = self.clock.monotonic()
                best: Host | None = None
                earliest: float | None = None
                for host in self.hosts.values():
                    if host.busy or host.shut is not None:
                        continue
                    host.ripen(now)
                    due = host.due
                    if due is not None and (earliest is None or due < earliest):
                        best, earliest = host, due
                if best is None or earliest is None:
                    if not any(host.busy for host in self.hosts.values()):
                        self._changed.notify_all()
                        return None
                    self.clock.wait(self._changed, None)
                elif earliest > now:
                    self.clock.wait(self._changed, earliest - now)
                else:
                    best.busy = True
                    return best, heapq.heappop(best.ready)[2]
            return None

    def release(self, host: Host, *, asked: bool) -> None:
        """A host may be asked again, after its interval if it was asked now."""
        with self._changed:
            if asked:
                now = self.clock.monotonic()
                host.next = max(host.next, now + jittered(host.seconds, self.chance))
            host.busy = False
            self._changed.notify()

    def slow(self, host: Host, seconds: float) -> None:
        """The host wants at least so many seconds between requests."""
        with self._changed:
            host.seconds = max(host.seconds, seconds)

    def pause(self, host: Host, seconds: float) -> None:
        """Do not ask the host for so many seconds."""
        with self._changed:
            host.next = max(host.next, self.clock.monotonic() + seconds)

    def shut(self, host: Host, reason: str) -> list[Task]:
        """Ask the host no more; returns the tasks it had."""
        with self._changed:
            host.shut = reason
            tasks = [task for *_, task in host.ready] + [task for *_, task in host.waiting]
            host.ready.clear()
            host.waiting.clear()
            return tasks

    def stop(self) -> None:
        """Hand out no more tasks."""
        with self._changed:
            self.stopped = True
            self._changed.notify_all()
