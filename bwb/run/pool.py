"""The default executor: processes of this machine, by the standard library alone.

Each worker has a pipe and one shard at a time, so that it is known which shard a worker died of
(the kernel kills what needs too much memory): that one has failed, and a new worker takes the
next. Workers end with this process, however it ends. What a task loads, it loads once a worker.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from bwb.errors import UsageError
from bwb.run.base import Outcome, Progress, WorkerError, attempt, describe

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from bwb.run.base import Task

# Libraries of linear algebra would start a thread a core in every worker.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PATIENCE = 5.0  # seconds for a worker to end by itself


class Pool:
    """Runs tasks in some processes, or in this one.

    Attributes:
        workers: Number of processes; 1 is this process, where a debugger can follow.
    """

    def __init__(self, workers: int = 0) -> None:
        """Keep the number of workers; 0 is one for each core that may be used.

        Raises:
            UsageError: if it is negative.
        """
        if workers < 0:
            raise UsageError(f"workers is {workers}; expected 0 (one a core) or more")
        self.workers = workers or cores()

    def run(self, task: Task, shards: Sequence[str], *, label: str) -> Iterator[Outcome]:
        """See `Executor`.

        Raises:
            WorkerError: if the task cannot be pickled, or no worker can be started.
        """
        with Progress(label, len(shards)) as progress:
            if self.workers == 1 or len(shards) < 2:
                for shard in shards:
                    outcome = attempt(task, shard)
                    progress.add(outcome)
                    yield outcome
                return
            ready: dict[int, Outcome] = {}
            following = 0
            with contextlib.closing(_outcomes(task, shards, self.workers)) as outcomes:
                for number, outcome in outcomes:
                    progress.add(outcome)
                    ready[number] = outcome
                    while following in ready:
                        yield ready.pop(following)
                        following += 1


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(slots=True)
class _Worker:
    """A process and the shard it is at."""

    process: SpawnProcess
    pipe: Connection
    number: int | None = None
    shard: str = ""
    since: float = field(default_factory=time.perf_counter)
    began: bool = False

    def give(self, number: int, shard: str) -> None:
        """Hand over a shard; a worker that is dead is noticed when its outcome is awaited."""
        self.number, self.shard, self.since = number, shard, time.perf_counter()
        with contextlib.suppress(OSError):
            self.pipe.send(shard)

    def take(self) -> Outcome | None:
        """What there is to receive: the outcome of its shard, or None if it has only begun.

        Raises:
            WorkerError: if it cannot begin.
        """
        try:
            message: Outcome | str | None = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(_PATIENCE)
            end = _end(self.process.exitcode)
            if not self.began:
                raise WorkerError(f"a worker process {end} before it could begin") from None
            seconds = time.perf_counter() - self.since
            return Outcome(self.shard, None, f"the worker process {end}", seconds)
        if isinstance(message, str):
            raise WorkerError(message)
        self.began = True
        return message


def _end(code: int | None) -> str:
    if code is None:
        return "closed its pipe"
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
        return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
    return f"was killed by signal {-code}"


def _outcomes(
    task: Task, shards: Sequence[str], count: int
) -> Generator[tuple[int, Outcome], None, None]:
    """Outcomes as they come, each with the number of its shard."""
    try:
        payload = pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise WorkerError(
            f"the task {task!r} cannot be sent to a process ({error}); expected a function or an "
            "object of a module, or workers=1"
        ) from None
    todo = iter(enumerate(shards))
    crew: list[_Worker] = []
    try:
        for _, first in zip(range(count), todo, strict=False):
            crew.append(_hire(payload, count))
            crew[-1].give(*first)
        while busy := [worker for worker in crew if worker.number is not None]:
            there = wait([worker.pipe for worker in busy])
            for worker in busy:
                outcome = worker.take() if worker.pipe in there else None
                number = worker.number
                if outcome is None or number is None:
                    continue
                worker.number = None
                following = next(todo, None)
                if following is not None:
                    crew.append(_replaced(worker, payload, count, crew))
                    crew[-1].give(*following)
                yield number, outcome
        for worker in crew:
            with contextlib.suppress(OSError):
                worker.pipe.send(None)
            worker.process.join(_PATIENCE)
    finally:
        for worker in crew:
            worker.process.terminate()
            worker.process.join(_PATIENCE)
            worker.pipe.close()


def _replaced(worker: _Worker, payload: bytes, count: int, crew: list[_Worker]) -> _Worker:
    """The worker, or a new one if it died; taken out of the crew."""
    crew.remove(worker)
    if worker.process.is_alive():
        return worker
    worker.pipe.close()
    return _hire(payload, count)


def _hire(payload: bytes, count: int) -> _Worker:
    # "spawn" is the one way that works everywhere, and with threads in this process.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, payload), daemon=True)
    with few_threads(count):
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextlib.contextmanager
def few_threads(workers: int) -> Iterator[None]:
    """Processes started meanwhile share the cores, unless the environment says how many threads."""
    new = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(new, str(max(1, cores() // workers))))
    try:
        yield
    finally:
        for name in new:
            del os.environ[name]


def _work(pipe: Connection, payload: bytes) -> None:
    """What a worker does: sends None when it begins, or a message if it cannot; then outcomes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        task = pickle.loads(payload)
    except Exception as error:
        pipe.send(f"the task cannot be loaded in a worker process: {describe(error)}")
        return
    pipe.send(None)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while (shard := pipe.recv()) is not None:
            outcome = attempt(task, shard)
            try:
                pipe.send(outcome)
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                pipe.send(Outcome(shard, None, f"the result: {describe(error)}", outcome.seconds))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
