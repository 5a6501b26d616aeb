"""The gate before every request: what the robots.txt of its origin says.

A robots.txt is asked for once an origin and day. Until it has been answered nothing else is asked
of the origin: its tasks are parked here.
"""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING

from bwb.crawl.address import origin_of, robots_url
from bwb.crawl.frontier import ROBOTS
from bwb.crawl.patience import PATIENCE
from bwb.crawl.robots import FRESH_SECONDS, Rules, read_rules
from bwb.crawl.verdict import PASSING

if TYPE_CHECKING:
    from datetime import datetime

    from bwb.crawl.frontier import Task
    from bwb.crawl.getter import Getter
    from bwb.crawl.store import StoredPage


class Gate:
    """The rules of origins."""

    def __init__(self, getter: Getter) -> None:
        """Know no rules; forget those in the store that are too old to go by.

        Args:
            getter: What gets robots.txt files, and wants to know.
        """
        self.getter = getter
        self._lock = threading.Lock()
        self._rules: dict[str, tuple[Rules, datetime]] = {}
        self._parked: dict[str, list[Task]] = {}
        old = getter.clock.now() - timedelta(seconds=FRESH_SECONDS)
        stamp = old.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        getter.store.index.forget_robots(stamp)
        # What was forbidden is judged again, by the robots.txt in the store if it is fresh.
        getter.store.index.forget_errors(["robots"])

    def rules(self, task: Task) -> Rules | None:
        """The rules for a task; None if they are not known yet: then it is parked."""
        origin = origin_of(task.url)
        with self._lock:
            known = self._rules.get(origin)
            if known is not None and known[1] > self.getter.clock.now():
                return known[0]
            parked = self._parked.setdefault(origin, [])
            parked.append(task)
            if len(parked) > 1:
                return None

        def then(page: StoredPage | None, pending: str | None) -> None:
            self._answered(origin, page, pending)

        url, refresh = robots_url(task.url), known is not None
        self.getter.expire(url)
        self.getter.want(url, "robots", task.seconds, (ROBOTS,), then, refresh=refresh)
        return None

    def _answered(self, origin: str, page: StoredPage | None, pending: str | None) -> None:
        """The robots.txt of an origin is there, or is not to be had."""
        getter = self.getter
        host = getter.frontier.host(origin)
        if page is None or page.status is None or page.error in PASSING:
            why = pending or (page.error if page else None)
            said = f"no answer from {origin}/robots.txt: {why}"
            getter.patience.give_up(host, "robots-unreachable", said)
        else:
            rules = read_rules(page.status, page.body)
            getter.frontier.slow(host, rules.delay)
            if rules.delay > PATIENCE:
                said = f"{origin}/robots.txt asks for {rules.delay:,.0f} s between requests"
                getter.patience.give_up(host, "crawl-delay", said)
            with self._lock:
                end = getter.clock.now() + timedelta(seconds=FRESH_SECONDS)
                self._rules[origin] = (rules, end)
        with self._lock:
            tasks = self._parked.pop(origin, [])
        for task in tasks:
            if host.shut is not None:
                getter.finish(task, host.shut)
            else:
                getter.frontier.push(task)
