"""The pool: order, errors, deaths, ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from bwb.errors import UsageError
from bwb.run.base import WorkerError
from bwb.run.pool import Pool

TASKS = """
import os, signal, time

class Count:
    def __init__(self, folder):
        self.folder = folder

    def __call__(self, shard):
        (self.folder / f"{shard}-{os.getpid()}").touch()
        if shard.startswith("bad"):
            raise ValueError(f"no good: {shard}")
        if shard.startswith("killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        if shard.startswith("exit"):
            os._exit(7)
        if shard.startswith("odd"):
            return {"f": lambda: 0}
        if shard.startswith("slow"):
            time.sleep(0.3)
        return {"length": len(shard), "threads": os.environ.get("OMP_NUM_THREADS")}

class Unloadable:
    def __reduce__(self):
        return (int, ("x",))
"""


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    name = f"tasks_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(TASKS), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    module = __import__(name)
    marks = tmp_path / "marks"
    marks.mkdir()
    module.count = module.Count(marks)
    module.marks = marks
    yield module
    del sys.modules[name]


def rows(outcomes):
    return [(x.shard, x.result and x.result["length"], x.error) for x in outcomes]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_outcomes_are_in_order_whatever_the_workers(tasks, workers):
    shards = ["slow", "a", "bad1", "bb", "slow2", "ccc", "dddd"]
    found = rows(Pool(workers).run(tasks.count, shards, label="count"))
    assert [shard for shard, _, _ in found] == shards
    assert [length for _, length, _ in found] == [4, 1, None, 2, 5, 3, 4]
    assert found[2][2].startswith("ValueError: no good: bad1 (")
    assert all(error is None for shard, _, error in found if shard != "bad1")
    assert len(list(tasks.marks.iterdir())) == len(shards)


def test_two_workers_share_the_work_and_the_cores(tasks):
    outcomes = list(Pool(2).run(tasks.count, [f"slow{k}" for k in range(4)], label="count"))
    pids = {path.name.rpartition("-")[2] for path in tasks.marks.iterdir()}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids
    assert all(int(x.result["threads"]) >= 1 for x in outcomes)
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_killed_worker_fails_its_shard_alone(tasks):
    shards = ["a", "killed1", "b", "exit", "killed2", "c", "d"]
    outcomes = rows(Pool(2).run(tasks.count, shards, label="x"))
    found = {shard: error for shard, _, error in outcomes}
    assert list(found) == shards
    assert found["killed1"] == "the worker process was killed by SIGKILL (out of memory?)"
    assert found["exit"] == "the worker process ended with exit code 7"
    assert [shard for shard, error in found.items() if error is None] == ["a", "b", "c", "d"]


def test_a_result_that_cannot_be_sent_is_an_error(tasks):
    (_, odd) = Pool(2).run(tasks.count, ["a", "odd"], label="x")
    assert odd.result is None
    assert "the result" in odd.error


def test_one_worker_is_this_process(tasks):
    list(Pool(1).run(tasks.count, ["a", "b"], label="x"))
    assert {path.name.rpartition("-")[2] for path in tasks.marks.iterdir()} == {str(os.getpid())}


def test_no_shards(tasks):
    assert list(Pool(2).run(tasks.count, [], label="x")) == []


def test_tasks_that_cannot_be_sent(tasks):
    with pytest.raises(WorkerError, match="cannot be sent to a process"):
        list(Pool(2).run(lambda shard: {}, ["a", "b"], label="x"))
    with pytest.raises(WorkerError, match="cannot be loaded in a worker"):
        list(Pool(2).run(tasks.Unloadable(), ["a", "b"], label="x"))


def test_a_negative_number_of_workers():
    with pytest.raises(UsageError, match="workers is -1"):
        Pool(-1)


def test_a_run_that_is_left_ends_its_workers(tasks):
    outcomes = Pool(2).run(tasks.count, ["a", "slow", "slow2", "slow3"], label="x")
    assert next(outcomes).shard == "a"
    outcomes.close()
    pids = {int(path.name.rpartition("-")[2]) for path in tasks.marks.iterdir()}
    assert not any(alive(pid) for pid in pids)


PARENT = """
import signal
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import {name} as tasks
from bwb.run.pool import Pool

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    task = tasks.Count(Path(sys.argv[2]))
    for outcome in Pool(2).run(task, ["slow" + str(k) for k in range(10_000)], label="x"):
        print(outcome.shard, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_die_with_the_run(tasks, tmp_path, how):
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(name=tasks.__name__), encoding="utf-8")
    arguments = [sys.executable, str(script), str(tmp_path), str(tasks.marks)]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline().strip() == "slow0"
        run.send_signal(how)
        _, errors = run.communicate(timeout=30)
    assert run.returncode != 0
    if how == signal.SIGINT:
        assert errors.rstrip().endswith("KeyboardInterrupt")
    pids = {int(path.name.rpartition("-")[2]) for path in tasks.marks.iterdir()}
    assert len(pids) == 2
    for _ in range(100):
        if not any(alive(pid) for pid in pids):
            break
        time.sleep(0.1)
    assert not any(alive(pid) for pid in pids)


def alive(pid):
    """Whether a process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
