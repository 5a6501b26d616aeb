"""Asking all there is to ask: several at a time, again where it may help, nothing twice.

What is answered is on disk before the next is asked. A server that is busy is given a rest by all
threads together, as long as it asks for (up to a limit). One that cannot be reached, or denies
the key, ends the run; what was not asked is asked by the next run.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from bwb.crawl.pace import back_off, retry_after
from bwb.judge.client import FATAL, PASSING
from bwb.judge.tasks import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.judge.budget import Budget
    from bwb.judge.client import Client, Reply
    from bwb.judge.store import Store
    from bwb.judge.tasks import Task

# How often a request is sent at most.
TRIES = 6
# A Retry-After that asks for longer is cut to this.
LONGEST_REST = 300.0
# Unit of back-off in seconds: waits are 1, 2, 4, … and up to a quarter more.
UNIT = 0.5
# So many requests given up in a row, without an answer between: the endpoint is not there …
DEAD = 4
# … or refuses whatever it is asked.
REFUSED = 10

Form = Literal["json_schema", "json_object", "none"]
_FORMS: tuple[Form, ...] = ("json_schema", "json_object", "none")


@dataclass(frozen=True, slots=True)
class Patience:
    """How patient a run is.

    Attributes:
        tries: How often a request is sent at most.
        unit: Unit of back-off in seconds.
        rest: Longest rest that a server is given at its request.
    """

    tries: int = TRIES
    unit: float = UNIT
    rest: float = LONGEST_REST


@dataclass(slots=True)
class Run:
    """What came of a run.

    Attributes:
        wanted: Number of answers there should be.
        there: How many of them were there before.
        answered: How many came.
        failed: Requests that were given up, with the reason.
        sent: How often the endpoint was asked.
        troubles: What went wrong, whether or not it went well another time.
        forms: Answers by the form that was asked for.
        cut_off: Number of answers that ended at the limit of tokens.
        stopped: Why the run ended before all was asked; None if it did not.
        notes: What a person should know.
        seconds: How long it took.
    """

    wanted: int = 0
    there: int = 0
    answered: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)
    sent: int = 0
    troubles: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    cut_off: int = 0
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def missing(self) -> int:
        """Number of answers that are still not there."""
        return self.wanted - self.there - self.answered


class Runner:
    """Asks the questions of one run."""

    def __init__(
        self,
        client: Client,
        store: Store,
        budget: Budget,
        *,
        workers: int = 4,
        answer_tokens: int = 4000,
        patience: Patience | None = None,
        sleep: Callable[[float], object] | None = None,
        watch: Callable[[Run], object] | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            client: The endpoint.
            store: Where answers go.
            budget: What may be spent.
            workers: How many requests are under way at a time.
            answer_tokens: Tokens that an answer may have, for the budget.
            patience: How patient to be.
            sleep: What waits; a test can let time pass in none.
            watch: Called with the run after each answer or failure.
        """
        self.client = client
        self.store = store
        self.budget = budget
        self.workers = workers
        self.answer_tokens = answer_tokens
        self.patience = patience or Patience()
        self.watch = watch
        self.run = Run()
        self._stop = threading.Event()
        self._sleep = sleep or self._stop.wait
        self._state = threading.Condition()
        self._queue: deque[tuple[Task, int]] = deque()
        self._quiet_until = 0.0
        self._in_a_row = 0
        self._form: dict[Form, Form] = {}
        self._error: BaseException | None = None
        self._chance = random.Random()

    def ask_all(self, tasks: Sequence[Task], repeats: int) -> Run:
        """Ask everything that is not answered yet.

        Args:
            tasks: What is to be asked; tasks with the same key share a request.
            repeats: How many answers each request is to have.
        """
        start = time.monotonic()
        first = {task.key: task for task in reversed(tasks)}
        wanted = [(key, repeat) for repeat in range(repeats) for key in dict.fromkeys(
            task.key for task in tasks)]  # fmt: skip
        self._queue = deque(
            (first[key], repeat)
            for key, repeat in wanted
            if (key, repeat) not in self.store.answered
        )
        self.run.wanted = len(wanted)
        self.run.there = len(wanted) - len(self._queue)
        threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(min(self.workers, len(self._queue)))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)
        except KeyboardInterrupt:
            self._end("interrupted")
            # What is under way is paid for; a second interrupt does not wait for it.
            for thread in threads:
                thread.join()
        if self._error is not None:
            raise self._error
        self.run.seconds = time.monotonic() - start
        return self.run

    def _end(self, reason: str) -> None:
        with self._state:
            if self.run.stopped is None:
                self.run.stopped = reason
            self._stop.set()
            self._state.notify_all()

    def _work(self) -> None:
        try:
            while (taken := self._take()) is not None:
                task, repeat, leave = taken
                self._one(task, repeat, leave)
                with self._state:
                    self._state.notify_all()
                    if self.watch is not None:
                        self.watch(self.run)
        except BaseException as error:
            with self._state:
                self._error = self._error or error
            self._end(f"{type(error).__name__}")

    def _take(self) -> tuple[Task, int, int] | None:
        """The next question, and leave to ask it; None if there is none."""
        with self._state:
            while self._queue and not self._stop.is_set():
                task, repeat = self._queue[0]
                leave, over = self.budget.begin(task.tokens, self.answer_tokens)
                if leave is not None:
                    self._queue.popleft()
                    return task, repeat, leave
                if not self.budget.busy:
                    self.run.stopped = f"the next request might pass the limit of {over}"
                    self._stop.set()
                    self._state.notify_all()
                else:
                    self._state.wait()
        return None

    def _one(self, task: Task, repeat: int, leave: int) -> None:
        """Ask one question until it is answered or given up."""
        self._store_request(task)
        form = self._first_form(task)
        tries = 0
        reply: Reply | None = None
        while True:
            self._rest()
            if self._stop.is_set():
                self.budget.end(leave, 0, 0)
                if reply is not None:
                    self._failed(task, repeat, reply, tries)
                return
            reply = self.client.ask(_in_form(task.body, form))
            tries += 1
            spent = self._spent(task, reply)
            self.budget.end(leave, *spent)
            with self._state:
                self.run.sent += 1
                if reply.trouble is not None:
                    self.run.troubles[reply.trouble] += 1
            if reply.trouble is None:
                self._answered(task, repeat, reply, form, tries, spent)
                return
            lower = self._lower(form, reply)
            if lower is not None:
                form = lower
            elif not self._again(reply, tries):
                self._failed(task, repeat, reply, tries)
                return
            again, over = self.budget.begin(task.tokens, self.answer_tokens)
            if again is None:
                self._failed(task, repeat, reply, tries)
                self._end(f"the next request might pass the limit of {over}")
                return
            leave = again

    def _store_request(self, task: Task) -> None:
        with self._state:
            if task.key in self.store.requests:
                return
            row = {"record": "request", "id": task.key, "endpoint": self.client.url}
            self.store.add([{**row, "body": task.body}])

    def _first_form(self, task: Task) -> Form:
        form: Form = "json_schema" if "response_format" in task.body else "none"
        with self._state:
            return self._form.get(form, form)

    def _lower(self, form: Form, reply: Reply) -> Form | None:
        """The next simpler form, if a refusal may be about the form."""
        refused = reply.trouble == "refused" or (reply.trouble == "server" and reply.about_format)
        if form == "none" or not refused:
            return None
        return _FORMS[_FORMS.index(form) + 1]

    def _again(self, reply: Reply, tries: int) -> bool:
        """Whether to ask again; sets the rest that all take."""
        if reply.trouble not in PASSING or tries >= self.patience.tries or self._stop.is_set():
            return False
        wait = retry_after(reply.retry_after, datetime.now(UTC))
        if wait is None:
            wait = back_off(tries, self.patience.unit, self._chance)
        until = time.monotonic() + min(wait, self.patience.rest)
        with self._state:
            self._quiet_until = max(self._quiet_until, until)
        return True

    def _rest(self) -> None:
        with self._state:
            wait = self._quiet_until - time.monotonic()
        if wait > 0:
            self._sleep(wait)

    def _spent(self, task: Task, reply: Reply) -> tuple[int, int]:
        """Tokens that a request cost; estimated where the server does not count."""
        if reply.trouble is not None:
            return 0, 0
        prompt = task.tokens if reply.prompt_tokens is None else reply.prompt_tokens
        answer = reply.answer_tokens
        return prompt, tokens(reply.text or "") if answer is None else answer

    def _answered(
        self, task: Task, repeat: int, reply: Reply, form: Form, tries: int, spent: tuple[int, int]
    ) -> None:
        row = {
            "record": "answer",
            "request": task.key,
            "repeat": repeat,
            "text": reply.text,
            "finish": reply.finish,
            "model": reply.model,
            "fingerprint": reply.fingerprint,
            "form": form,
            "prompt_tokens": spent[0],
            "answer_tokens": spent[1],
            "counted": reply.prompt_tokens is not None and reply.answer_tokens is not None,
            "tries": tries,
            "seconds": reply.seconds,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.store.add([row])
        wanted: Form = "json_schema" if "response_format" in task.body else "none"
        with self._state:
            self._in_a_row = 0
            self.run.answered += 1
            self.run.forms[form] += 1
            self.run.cut_off += reply.finish == "length"
            if form != wanted and self._form.get(wanted) != form:
                self._form[wanted] = form
                self.run.notes.append(
                    f"the endpoint refuses structured output ({wanted}); asked for "
                    f"{'a JSON object' if form == 'json_object' else 'JSON in words only'} instead"
                )

    def _failed(self, task: Task, repeat: int, reply: Reply, tries: int) -> None:
        row = {
            "request": task.key,
            "repeat": repeat,
            "trouble": reply.trouble,
            "status": reply.status,
            "message": reply.message,
            "tries": tries,
        }
        time_now = datetime.now(UTC).isoformat(timespec="seconds")
        self.store.add([{"record": "failure", **row, "time": time_now}])
        what = {"part": task.part, "system": task.system, "document": task.document}
        with self._state:
            self.run.failed.append({**what, "window": [task.first, task.last], **row})
            self._in_a_row += 1
            # A text may be refused for what is in it, or for its length.
            most = DEAD if reply.trouble in PASSING else REFUSED
            dead = self._in_a_row >= most
        if reply.trouble in FATAL:
            self._end(f"the endpoint answers {reply.message}")
        elif dead:
            self._end(f"{most} requests in a row were given up, the last: {reply.message}")


def _in_form(body: dict[str, Any], form: Form) -> dict[str, Any]:
    """The request in a form: with the schema, as any JSON object, or without."""
    if form == "json_schema":
        return body
    rest = {name: value for name, value in body.items() if name != "response_format"}
    return rest if form == "none" else {**rest, "response_format": {"type": "json_object"}}
