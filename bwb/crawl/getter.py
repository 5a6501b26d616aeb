"""Getting pages: by robots.txt, at the pace of each host, again after a failure, once only.

Whoever wants a page is called back when it is in the store, or cannot be had, or not now.
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bwb.crawl.address import plain, robots_url, target, usable
from bwb.crawl.charset import Decoded, decode_page
from bwb.crawl.fetch import Answer, Fetcher
from bwb.crawl.frontier import Frontier, Host, Task
from bwb.crawl.gate import Gate
from bwb.crawl.pace import ARCHIVE_SECONDS, interval
from bwb.crawl.patience import Patience
from bwb.crawl.verdict import REDIRECTS, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.crawl.archive import Archive
    from bwb.crawl.options import CrawlOptions
    from bwb.crawl.recipe import Recipe
    from bwb.crawl.rows import Kind
    from bwb.crawl.store import PageStore, StoredPage, Trail

    # Called with the page, or with None and the reason why it is not to be had now.
    Then = Callable[[StoredPage | None, str | None], None]


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
        self.patience = Patience(self.frontier, store.index, self.chance, self.finish)
        self.gate = Gate(self)
        self.notes = self.patience.notes
        self._lock = threading.RLock()
        self._agenda: deque[tuple[Want, str | None]] = deque()
        self._tasks: dict[str, Task] = {}
        self._fetchers: dict[str, Fetcher] = {}
        self._refreshed: set[str] = set()
        self._decoded: deque[tuple[str, str, Decoded]] = deque(maxlen=16)

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
        url = plain(url) if usable(url) else url
        wanted = Want(url, kind, seconds, priority, then, recipe, refresh)
        self._agenda.append((wanted, None))

    def expire(self, url: str) -> None:
        """Let an address be asked again in this run, if a refresh is wanted."""
        with self._lock:
            self._refreshed.discard(url)

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
        if not want.refresh or (self.archive is not None and want.kind != "robots"):
            return None  # a capture does not change
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
            shut = host.shut or self.patience.put_off.get(url)
            if shut is not None:
                self._agenda.append((want, None if refresh else shut))
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
            rules = self.gate.rules(task)
            if rules is None:
                return False
            self.frontier.slow(host, rules.delay)
            if not rules.allows(task.url):
                why = "it is refused itself" if rules.refused else "it forbids this address"
                message = f"{robots_url(task.url)}: {why}"
                self.store.fail(task.url, task.kind, "robots", message, None)
                self.finish(task)
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
            # That there is no robots.txt is as good an answer as any.
            if verdict.error is not None and (verdict.again or task.kind != "robots"):
                self.counts.errors[verdict.error] += 1
        self.patience.learn(host, task, verdict, answer)
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

    def _again(self, host: Host, task: Task, answer: Answer) -> bool:
        """Put a task back to be asked again; False if it was asked often enough."""
        again = self.patience.again(host, task, answer)
        pending = host.shut or self.patience.put_off.get(task.url)
        if pending is not None:
            self.finish(task, pending)
        elif again:
            self.frontier.push(task)
        return again or pending is not None

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
        self.finish(task)

    def finish(self, task: Task, pending: str | None = None) -> None:
        """Call back whoever waits for a task."""
        with self._lock:
            self._tasks.pop(task.url, None)
            if task.kind in ("list", "robots"):
                self._refreshed.add(task.url)
            waiting = list(task.waiting)
            task.waiting.clear()
        for back in waiting:
            back(None if task.refresh else pending)


def _leads_back(answer: Answer) -> bool:
    """Whether a redirect leads to where it came from."""
    return (
        answer.status in REDIRECTS and target(answer.url, answer.header("location")) == answer.url
    )
