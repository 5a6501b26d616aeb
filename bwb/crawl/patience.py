"""When to ask again, when to give a host a rest, and when to leave it alone."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bwb.crawl.pace import back_off, retry_after

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from datetime import datetime

    from bwb.crawl.fetch import Answer
    from bwb.crawl.frontier import Frontier, Host, Task
    from bwb.crawl.index import Index
    from bwb.crawl.verdict import Verdict

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

# A page that is to be left alone for longer is put off to another run; the host has a rest.
PATIENCE = 300.0
# So many pages in a row put off so: the host is given up.
PUT_OFF = 3
RETRY_AFTER = "retry-after"
# That rest is as long as that after so many failures.
REST_STEPS = 5

# A host that refuses is not asked again before this.
REFUSED_FOR = timedelta(days=1)


class Patience:
    """What the answers of hosts say of them.

    Attributes:
        notes: Hosts that were given up, and why.
        put_off: Addresses that are not to be asked for in this run, and why.
    """

    def __init__(
        self,
        frontier: Frontier,
        index: Index,
        chance: random.Random,
        drop: Callable[[Task, str], None],
    ) -> None:
        """Know nothing yet.

        Args:
            frontier: Where the hosts are.
            index: Where refusals are kept for the next run.
            chance: Where jitter comes from.
            drop: What to do with the tasks of a host that is given up.
        """
        self.frontier = frontier
        self.index = index
        self.clock = frontier.clock
        self.chance = chance
        self.drop = drop
        self.notes: list[str] = []
        self.put_off: dict[str, str] = {}
        for name, reason in index.shut_hosts(self.clock.now()).items():
            if "://" in name:
                self.put_off[name] = reason
            else:
                frontier.named(name).shut = reason

    def learn(self, host: Host, task: Task, verdict: Verdict, answer: Answer) -> None:
        """Keep count of what a host's answers say of it; give it up, or give it a rest."""
        health = verdict.health
        if health == "well":
            host.refusals = host.put_off = 0
        if health in ("well", "alive"):
            host.failures = 0
            host.ill.clear()
        elif health in ("refuses", "busy"):
            host.refusals += 1
            if host.refusals >= (REFUSALS if health == "refuses" else BUSY):
                said = f"{host.refusals} answers in a row were refusals, the last {answer.status}"
                self.give_up(host, "host-refuses", said, self.clock.now() + REFUSED_FOR)
        elif health in ("ill", "dead"):
            host.failures += 1
            host.ill.add(task.url)
            self._failing(host, answer, dead=health == "dead")

    def _failing(self, host: Host, answer: Answer, *, dead: bool) -> None:
        if not dead:
            if len(host.ill) >= ILL_PAGES:
                said = f"{len(host.ill)} pages in a row could not be had, the last: {answer.status}"
                self.give_up(host, "host-errors", said)
        elif host.failures >= DEAD and len(host.ill) >= DEAD_PAGES:
            said = f"{host.failures} requests in a row failed, the last: {answer.message}"
            self.give_up(host, "host-unreachable", said)
        elif host.failures > REST:
            rest = back_off(host.failures - REST, host.seconds, self.chance)
            self.frontier.pause(host, rest)

    def again(self, host: Host, task: Task, answer: Answer) -> bool:
        """Whether to ask for a page again; sets when.

        A wait that the host asks for is a rest for the host, others are for the page alone.
        """
        busy = answer.status == 429
        if busy:
            task.busy += 1
        else:
            task.tries += 1
        wait = None
        if answer.status >= 400:
            wait = retry_after(answer.header("retry-after"), self.clock.now())
        if wait is not None and wait > PATIENCE:
            self._put_off(host, task, wait)
            return False
        if host.shut is not None or task.tries >= TRIES or task.busy >= BUSY:
            return False
        if wait is not None:
            self.frontier.pause(host, wait)
        elif busy:
            self.frontier.pause(host, back_off(host.refusals, host.seconds, self.chance))
        elif answer.status >= 400 or answer.trouble is not None:
            pause = back_off(task.tries, host.seconds, self.chance)
            task.due = self.clock.monotonic() + pause
        return True

    def _put_off(self, host: Host, task: Task, wait: float) -> None:
        """Leave a page alone that is not to be asked for again in this run.

        The host has a rest; when it says so of several pages in a row it is left alone as well.
        """
        until = self.clock.now() + timedelta(seconds=wait)
        self.put_off[task.url] = RETRY_AFTER
        self.index.shut_host(task.url, until, RETRY_AFTER)
        host.put_off += 1
        if host.put_off >= PUT_OFF:
            said = f"it asks to be left alone until {until.isoformat(timespec='seconds')}"
            self.give_up(host, RETRY_AFTER, said, until)
        else:
            self.frontier.pause(host, back_off(REST_STEPS, host.seconds, self.chance))

    def give_up(self, host: Host, reason: str, said: str, until: datetime | None = None) -> None:
        """Ask a host no more in this run, and not before a time."""
        if host.shut is not None:
            return
        self.notes.append(f"{host.name} is given up: {said} ({reason})")
        if until is not None:
            self.index.shut_host(host.name, until, reason)
        for task in self.frontier.shut(host, reason):
            self.drop(task, reason)
