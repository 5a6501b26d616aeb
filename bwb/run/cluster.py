"""The same tasks under datatrove: its local executor, and Slurm.

datatrove (Penedo et al. 2024) runs a pipeline for each of a number of ranks; here a rank does the
shards ``rank, rank + tasks, …`` one after another and writes each outcome as a line of
``<folder>/outcomes/<label>/<rank>.jsonl``. These are our own counts: the executor's are not used,
nor is its note of completed ranks, which would be wrong for another number of tasks; what is done
is known by the tasks themselves. Needs the extra ``cluster``.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError, MissingDependencyError, UsageError
from bwb.run.base import Outcome, Progress, WorkerError, attempt
from bwb.run.pool import cores, few_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bwb.run.base import Task

_INSTALL = "bwb-corpus[cluster]"


class Rank:
    """A step of a datatrove pipeline: does every `world_size`-th shard."""

    def __init__(self, task: Task, shards: Sequence[str], folder: Path) -> None:
        """Keep what to do, and the folder for the outcomes."""
        self.task, self.shards, self.folder = task, tuple(shards), folder

    def __call__(self, data: object = None, rank: int = 0, world_size: int = 1) -> None:
        """Do the shards of a rank; what was done of it before is forgotten."""
        path = self.folder / f"{rank:05d}.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for shard in self.shards[rank::world_size]:
                outcome = attempt(self.task, shard)
                file.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
                file.flush()


class LocalDatatrove:
    """Runs tasks under datatrove's executor for one machine.

    Attributes:
        folder: Folder for outcomes and datatrove's logs.
        workers: Processes at a time.
    """

    def __init__(self, folder: Path, workers: int = 0) -> None:
        """Keep the settings; 0 workers is one for each core that may be used.

        Raises:
            MissingDependencyError: if datatrove is not installed.
        """
        self._local = _executor("local", "LocalPipelineExecutor")
        self.folder, self.workers = folder, workers or cores()

    def run(self, task: Task, shards: Sequence[str], *, label: str) -> Iterator[Outcome]:
        """See `Executor`; outcomes are known when all is done."""
        outcomes = _empty(self.folder, label)
        if shards:
            count = min(len(shards), 4 * self.workers)  # some are longer than others
            try:
                executor = self._local(
                    pipeline=[Rank(task, shards, outcomes)],
                    tasks=count,
                    workers=self.workers,
                    logging_dir=str(self.folder / "logs" / label),
                    skip_completed=False,
                )
                with few_threads(self.workers):
                    executor.run()
            except (AttributeError, TypeError) as error:
                raise WorkerError(f"datatrove cannot run {task!r}: {error}") from error
        yield from _counted(outcomes, shards, label)


@dataclass(frozen=True, slots=True)
class SlurmSettings:
    """How a job is to run on Slurm.

    Attributes:
        partition: Partition.
        time: Longest time of a task, as Slurm writes it: ``12:00:00``.
        tasks: Tasks of the job array; each does its share of the shards.
        workers: Tasks at a time; -1 is all.
        memory: Gigabytes a task.
        setup: Shell command that makes bwb available, such as ``source venv/bin/activate``.
        sbatch: Further options of sbatch.
    """

    partition: str
    time: str
    tasks: int
    workers: int = -1
    memory: int = 4
    setup: str = ""
    sbatch: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """See that the numbers make sense."""
        for name in ("tasks", "memory"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; expected at least 1")


class Slurm:
    """Hands tasks to Slurm, and reads what came of them.

    Attributes:
        folder: Folder on a file system that all nodes share.
        settings: How to run.
    """

    def __init__(self, folder: Path, settings: SlurmSettings) -> None:
        """Keep the settings.

        Raises:
            MissingDependencyError: if datatrove is not installed.
        """
        self._make = _executor("slurm", "SlurmPipelineExecutor")
        self.folder, self.settings = folder.resolve(), settings

    def script(self, shards: Sequence[str], *, label: str) -> str:
        """The batch script that `submit` would hand to sbatch; makes the folder of its logs."""
        executor = self._executor(_nothing, shards, label)
        count = min(self.settings.tasks, max(len(shards), 1))
        pickle = self.folder / "logs" / label / "executor.pik"
        text: str = executor.get_launch_file_contents(
            executor.get_sbatch_args(count), f"srun  -l -n 1 launch_pickled_pipeline {pickle}"
        )
        return text

    def submit(self, task: Task, shards: Sequence[str], *, label: str) -> str:
        """Write the task and the script, and call sbatch.

        Returns:
            Slurm's number of the job.

        Raises:
            UsageError: if there is no sbatch here, or this is a node of a Slurm job.
            InputError: if there are no shards.
        """
        if not shards:
            raise InputError(f"{label}: there is nothing to do: no shards")
        if "SLURM_ARRAY_TASK_ID" in os.environ:
            raise UsageError("this is a task of a Slurm job; expected to be called from outside")
        if shutil.which("sbatch") is None:
            raise UsageError("there is no sbatch here; expected a machine that submits to Slurm")
        executor = self._executor(task, shards, label)
        _empty(self.folder, label)
        executor.run()
        return str(executor.job_id)

    def collect(self, shards: Sequence[str], *, label: str) -> Iterator[Outcome]:
        """The outcomes so far; a shard that has none has failed, or is not done yet."""
        yield from _counted(_outcomes(self.folder, label), shards, label)

    def _executor(self, task: Task, shards: Sequence[str], label: str) -> Any:  # noqa: ANN401 - datatrove's
        settings = self.settings
        logs = self.folder / "logs" / label
        return self._make(
            pipeline=[Rank(task, shards, _outcomes(self.folder, label))],
            tasks=min(settings.tasks, max(len(shards), 1)),
            time=settings.time,
            partition=settings.partition,
            workers=settings.workers,
            mem_per_cpu_gb=settings.memory,
            job_name=f"bwb-{label}",
            qos="",
            env_command=settings.setup or None,
            sbatch_args=dict(settings.sbatch),
            logging_dir=str(logs),
            slurm_logs_folder=str(logs / "slurm"),
            skip_completed=False,
        )


def slurm_script(
    shards: Sequence[str], settings: SlurmSettings, folder: Path, *, label: str
) -> str:
    """The batch script of a task for some shards, to be looked at; see `Slurm.script`."""
    return Slurm(folder, settings).script(shards, label=label)


def _nothing(shard: str) -> dict[str, Any]:
    """The task of a script that is only shown."""
    return {"shard": shard}


def _executor(module: str, name: str) -> Any:  # noqa: ANN401 - a class of datatrove
    try:
        return getattr(import_module(f"datatrove.executor.{module}"), name)
    except ImportError:
        raise MissingDependencyError("datatrove", _INSTALL) from None


def _outcomes(folder: Path, label: str) -> Path:
    return folder.resolve() / "outcomes" / label


def _empty(folder: Path, label: str) -> Path:
    """The folder of outcomes, without those of an earlier run with perhaps other tasks."""
    path = _outcomes(folder, label)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(path)
    path.mkdir(parents=True)
    return path


def _counted(folder: Path, shards: Sequence[str], label: str) -> Iterator[Outcome]:
    """The outcomes that the ranks wrote, in the order of the shards."""
    found: dict[str, Outcome] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            with contextlib.suppress(ValueError, TypeError):  # a line that is half written
                outcome = Outcome(**json.loads(line))
                found[outcome.shard] = outcome
    with Progress(label, len(shards)) as progress:
        for shard in shards:
            missing = Outcome(shard, None, f"no outcome in {folder}: its process ended", 0.0)
            outcome = found.get(shard, missing)
            progress.add(outcome)
            yield outcome
