"""Getting pages: by robots.txt, at the pace of each host, again after a failure, once only.

Whoever wants a page is called back when it is in the store, or cannot be had, or not now.
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bwb.crawl.address import origin_of, plain, robots_url, target, usable
from bwb.crawl.charset import Decoded, decode_page
from bwb.crawl.fetch import Answer, Fetcher
from bwb.crawl.frontier import ROBOTS, Frontier, Host, Task
from bwb.crawl.pace import ARCHIVE_SECONDS, back_off, interval, retry_after
from bwb.crawl.robots import FRESH_SECONDS, Rules, read_rules
from bwb.crawl.verdict import PASSING, REDIRECTS, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bwb.crawl.archive import Archive
    from bwb.crawl.index import Kind
    from bwb.crawl.options import CrawlOptions
    from bwb.crawl.recipe import Recipe
    from bwb.crawl.store import PageStore, StoredPage, Trail

    # Called with the page, or with None and the reason why it is not to be had now.
    Then = Callable[[StoredPage | None, str | None], None]

# How often a page is asked for, not counting 429; and how often it may be answered with 429.
TRIES = 6
BUSY = 10

# So many refusals in a row (403), or 429s, without a page between: the host is given up.
REFUSALS = 5
# So many failures in a row, of so many pages: it cannot be reached.
DEAD, DEAD_PAGES = 10, 5
# So many pages in a row answered with 5xx.
ILL_PAGES = 20
# After so many failures in a row the host has a rest, and not only the page.
REST = 3

# A host that asks to be left alone for longer is given up for this run, and not asked before.
PATIENCE = 300.0
# A host that refuses is not asked again before this.
REFUSED_FOR = timedelta(days=1)


@dataclass(slots=True)
class Want:
    """A page that somebody wants."""

    url: str
    kind: Kind
    seconds: float
    priority: tuple[int, ...]
    then: Then
    recipe: Recipe | None
    refresh: bool


@dataclass(slots=True)
class Counts:
    """What was asked.

    Attributes:
        requests: Number of requests, by what they were for.
        retries: How many of them were not the first of their page.
        bytes: Bytes of bodies as received.
        errors: Answers that were no use, by reason.
        unchanged: Pages asked for again that had not changed.
    """

    requests: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0


class Getter:
    """Gets pages into a store. `work` is run by several threads."""

    def __init__(
        self,
        store: PageStore,
        options: CrawlOptions,
        agent: str,
        archive: Archive | None = None,
        chance: random.Random | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            store: Where pages go.
            options: Rates and limits.
            agent: The User-Agent.
            archive: Where pages come from instead of their own sites.
            chance: Where jitter comes from.
        """
        self.store = store
        self.options = options
        self.agent = agent
        self.archive = archive
        self.clock = options.clock
        self.chance = chance or random.Random()
        self.frontier = Frontier(self.clock, self.chance)
        self.counts = Counts()
        self.notes: list[str] = []
        self._lock = threading.RLock()
        self._agenda: deque[tuple[Want, str | None]] = deque()
        self._tasks: dict[str, Task] = {}
        self._rules: dict[str, tuple[Rules, datetime]] = {}
        self._parked: dict[str, list[Task]] = {}
        self._fetchers: dict[str, Fetcher] = {}
        self._refreshed: set[str] = set()
        self._decoded: deque[tuple[str, str, Decoded]] = deque(maxlen=16)
        store.index.forget_robots(_stamp(self.clock.now() - timedelta(seconds=FRESH_SECONDS)))
        for host, reason in store.index.shut_hosts(self.clock.now()).items():
            self.frontier.named(host).shut = reason

    def close(self) -> None:
        """Close all connections."""
        for fetcher in self._fetchers.values():
            fetcher.close()

    # Wanting pages.

    def want(
        self,
        url: str,
        kind: Kind,
        seconds: float,
        priority: tuple[int, ...],
        then: Then,
        *,
        recipe: Recipe | None = None,
        refresh: bool = False,
    ) -> None:
        """Want a page; `then` is called later, by `work` or `settle`.

        Args:
            url: Its address.
            kind: What it is for.
            seconds: Least seconds between requests to a host, by its recipe.
            priority: Smaller is earlier.
            then: What to call.
            recipe: What it is decoded by.
            refresh: Whether to ask if it has changed, should it be stored.
        """
        wanted = Want(plain(url), kind, seconds, priority, then, recipe, refresh)
        self._agenda.append((wanted, None))

    def settle(self) -> None:
        """Look at what is wanted: call back for what is stored, make tasks of the rest."""
        while True:
            try:
                want, pending = self._agenda.popleft()
            except IndexError:
                return
            if pending is not None:
                want.then(None, pending)
                continue
            trail = self._trail(want)
            again = self._to_refresh(want, trail)
            if again is not None:
                self._ask(again, want, refresh=True)
            elif trail.missing is not None:
                self._ask(trail.missing, want)
            else:
                want.then(self.store.get(want.url), None)

    def decode(self, page: StoredPage, recipe: Recipe) -> Decoded:
        """The text of a page."""
        return self._decode(page.body, page.content_type, recipe, page.sha256_raw or "")

    def _decode(
        self, body: bytes, content_type: str | None, recipe: Recipe | None, digest: str
    ) -> Decoded:
        name = recipe.name if recipe else ""
        for known, by, decoded in list(self._decoded):
            if known == digest and by == name:
                return decoded
        decoded = decode_page(body, content_type, recipe)
        self._decoded.append((digest, name, decoded))
        return decoded

    def _trail(self, want: Want) -> Trail:
        if self.archive is not None and want.kind in ("list", "chapter"):
            return self.archive.trail(self.store, want.url, want.kind)
        return self.store.trail(want.url)

    def _to_refresh(self, want: Want, trail: Trail) -> str | None:
        """The next address of a trail to ask whether it has changed."""
        if not want.refresh or self.archive is not None:
            return None
        with self._lock:
            return next((r.url for r in trail.rows if r.url not in self._refreshed), None)

    def _ask(self, url: str, want: Want, *, refresh: bool = False) -> None:
        """Make a task of an address, or join the one there is."""
        kind = want.kind
        if self.archive is not None and kind != "robots":
            kind = "cdx" if self.archive.is_cdx(url) else kind
            if not self.archive.owns(url):
                message = f"the archive leads to {url}"
                self.store.fail(url, kind, "left-archive", message, None)
                self._agenda.append((want, None))
                return
        if not usable(url):
            self.store.fail(url, kind, "bad-url", "not an address one can ask", None)
            self._agenda.append((want, None))
            return
        host = self.frontier.host(url)
        with self._lock:

            def back(pending: str | None) -> None:
                self._agenda.append((want, pending))

            task = self._tasks.get(url)
            if task is not None:
                task.waiting.append(back)
                return
            if host.shut is not None:
                self._agenda.append((want, None if refresh else host.shut))
                self._refreshed.add(url)
                return
            if self.store.index.row(url) is not None and not refresh:
                self._agenda.append((want, None))
                return
            task = Task(url, kind, self._seconds(url, want), want.priority, [back], want.recipe)
            task.refresh = refresh
            self._tasks[url] = task
        self.frontier.push(task)

    def _seconds(self, url: str, want: Want) -> float:
        seconds = want.seconds
        if self.archive is not None and self.archive.owns(url) and not self.archive.local:
            seconds = max(seconds, ARCHIVE_SECONDS)
        return interval(url, seconds, self.options.seconds)

    # Asking.

    def work(self) -> None:
        """Get pages until all is done, or the frontier is stopped."""
        while (due := self.frontier.take()) is not None:
            host, task = due
            asked = False
            try:
                asked = self._do(host, task)
                self.settle()
            finally:
                self.frontier.release(host, asked=asked)

    def _do(self, host: Host, task: Task) -> bool:
        """Do what is due for a task; returns whether the host was asked."""
        if task.kind != "robots":
            rules = self._rules_for(task)
            if rules is None:
                return False
            self.frontier.slow(host, rules.delay)
            if not rules.allows(task.url):
                why = "it is refused itself" if rules.refused else "it forbids this address"
                message = f"{robots_url(task.url)}: {why}"
                self.store.fail(task.url, task.kind, "robots", message, None)
                self._finish(task)
                return False
        with self._lock:
            fetcher = self._fetchers.get(host.name)
            if fetcher is None:
                fetcher = self._fetchers[host.name] = Fetcher(
                    self.agent,
                    timeout=self.options.timeout,
                    max_body=self.options.max_body,
                    clock=self.clock,
                )
        answer = fetcher.get(task.url, self._conditions(task))
        verdict = self._judge(host, task, answer)
        with self._lock:
            self.counts.requests[task.kind] += 1
            self.counts.retries += bool(task.tries or task.busy)
            self.counts.bytes += len(answer.wire)
            if verdict.error is not None:
                self.counts.errors[verdict.error] += 1
        self._health(host, task, verdict, answer)
        if not (verdict.again and self._again(host, task, answer)):
            self._keep(task, answer, verdict)
        return True

    def _conditions(self, task: Task) -> dict[str, str] | None:
        row = self.store.index.row(task.url) if task.refresh else None
        if row is None or row.status != 200:
            return None
        conditions = {}
        if row.etag:
            conditions["If-None-Match"] = row.etag
        if row.modified:
            conditions["If-Modified-Since"] = row.modified
        return conditions

    def _judge(self, host: Host, task: Task, answer: Answer) -> Verdict:
        """The verdict, after a look at whether a page ends and a redirect moves."""
        verdict = judge(answer, task.kind)
        if verdict.error is not None or answer.status == 304:
            return verdict
        if answer.header("set-cookie") and not task.cookie and _leads_back(answer):
            task.cookie = True
            return replace(verdict, error="redirect-loop", again=True)
        if answer.unclosed is False:
            host.unclosed = False
        elif answer.unclosed and not host.unclosed and task.kind in ("list", "chapter"):
            digest = hashlib.sha256(answer.body).digest()
            if task.digest != digest:
                task.digest = digest
                return Verdict("truncated", True, "unknown", False)
            # The same twice: this is how the page is.
            if host.unclosed is None:
                host.unclosed = True
            else:
                self.notes.append(f"{task.url}: ends without </html>, unlike others of its host")
        return verdict

    def _health(self, host: Host, task: Task, verdict: Verdict, answer: Answer) -> None:
        """Keep count of what a host's answers say of it; give it up, or give it a rest."""
        health = verdict.health
        if health == "well":
            host.refusals = host.failures = 0
            host.ill.clear()
        elif health in ("refuses", "busy"):
            host.refusals += 1
            if host.refusals >= (REFUSALS if health == "refuses" else BUSY):
                said = f"{host.refusals} answers in a row were {answer.status}"
                self._give_up(host, "host-refuses", said, self.clock.now() + REFUSED_FOR)
        elif health in ("ill", "dead"):
            host.failures += 1
            host.ill.add(task.url)
            if health == "dead" and host.failures >= DEAD and len(host.ill) >= DEAD_PAGES:
                said = f"{host.failures} requests in a row failed, the last with {answer.message}"
                self._give_up(host, "host-unreachable", said)
            elif health == "ill" and len(host.ill) >= ILL_PAGES:
                said = f"{len(host.ill)} pages in a row were answered with 5xx"
                self._give_up(host, "host-errors", said)
            elif health == "dead" and host.failures > REST:
                rest = back_off(host.failures - REST, host.seconds, self.chance)
                self.frontier.pause(host, rest)

    def _again(self, host: Host, task: Task, answer: Answer) -> bool:
        """Put a task back to be asked again; False if it was asked often enough."""
        busy = answer.status == 429
        if busy:
            task.busy += 1
        else:
            task.tries += 1
        wait = retry_after(answer.header("retry-after"), self.clock.now())
        if wait is not None and answer.status >= 400 and wait > PATIENCE:
            until = self.clock.now() + timedelta(seconds=wait)
            said = f"it asks to be left alone until {_stamp(until)}"
            self._give_up(host, "retry-after", said, until)
        if host.shut is not None:
            self._finish(task, host.shut)
            return True
        if task.tries >= TRIES or task.busy >= BUSY:
            return False
        if wait is not None and answer.status >= 400:
            self.frontier.pause(host, wait)
        elif busy:
            self.frontier.pause(host, back_off(host.refusals, host.seconds, self.chance))
        elif not task.cookie or answer.status >= 400:
            wait = back_off(task.tries, host.seconds, self.chance)
            task.due = self.clock.monotonic() + wait
        self.frontier.push(task)
        return True

    def _give_up(self, host: Host, reason: str, said: str, until: datetime | None = None) -> None:
        """Ask a host no more in this run, and not before a time."""
        if host.shut is not None:
            return
        self.notes.append(f"{host.name} is given up: {said} ({reason})")
        if until is not None:
            self.store.index.shut_host(host.name, until, reason)
        for task in self.frontier.shut(host, reason):
            self._finish(task, reason)

    def _keep(self, task: Task, answer: Answer, verdict: Verdict) -> None:
        """Store what came of a task."""
        if task.refresh and (answer.status == 304 or verdict.error is not None):
            if answer.status == 304:
                self.counts.unchanged += 1
                self.store.unchanged(task.url, answer.fetched)
            else:
                self.notes.append(f"{task.url}: asked again, {verdict.error}; the old page is kept")
        elif verdict.record:
            digest = None
            if answer.status == 200 and task.kind in ("list", "chapter"):
                raw = hashlib.sha256(answer.body).hexdigest()
                kind = answer.header("content-type")
                text = self._decode(answer.body, kind, task.recipe, raw).text
                digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            self.store.add(answer, task.kind, sha256_text=digest, error=verdict.error)
        else:
            error = verdict.error or "connection"
            self.store.fail(task.url, task.kind, error, answer.message, answer.fetched)
        self._finish(task)

    def _finish(self, task: Task, pending: str | None = None) -> None:
        """Call back whoever waits for a task."""
        with self._lock:
            self._tasks.pop(task.url, None)
            self._refreshed.add(task.url)
            waiting = list(task.waiting)
            task.waiting.clear()
        for back in waiting:
            back(None if task.refresh else pending)

    # Robots.

    def _rules_for(self, task: Task) -> Rules | None:
        """The rules for a task; None if they are not known yet: then it is parked."""
        origin = origin_of(task.url)
        with self._lock:
            known = self._rules.get(origin)
            if known is not None and known[1] > self.clock.now():
                return known[0]
            parked = self._parked.setdefault(origin, [])
            parked.append(task)
            if len(parked) > 1:
                return None
        first = (ROBOTS,)

        def then(page: StoredPage | None, pending: str | None) -> None:
            self._robots(origin, page, pending)

        refresh = known is not None
        seconds = task.seconds
        self.want(robots_url(task.url), "robots", seconds, first, then, refresh=refresh)
        return None

    def _robots(self, origin: str, page: StoredPage | None, pending: str | None) -> None:
        """The robots.txt of an origin is there, or is not to be had."""
        host = self.frontier.host(origin)
        if page is None or page.status is None or page.error in PASSING:
            reason = "robots-unreachable"
            why = pending or (page.error if page else None)
            self._give_up(host, reason, f"no answer from {origin}/robots.txt: {why}")
        else:
            with self._lock:
                end = self.clock.now() + timedelta(seconds=FRESH_SECONDS)
                self._rules[origin] = (read_rules(page.status, page.body), end)
                self.frontier.slow(host, self._rules[origin][0].delay)
        with self._lock:
            tasks = self._parked.pop(origin, [])
        for task in tasks:
            if host.shut is not None:
                self._finish(task, host.shut)
            else:
                self.frontier.push(task)


def _leads_back(answer: Answer) -> bool:
    """Whether a redirect leads to where it came from."""
    return (
        answer.status in REDIRECTS and target(answer.url, answer.header("location")) == answer.url
    )


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
