"""The tasks under datatrove: on this machine, and as Slurm would run them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bwb.errors import InputError, MissingDependencyError, UsageError
from bwb.run.cluster import LocalDatatrove, Slurm, SlurmSettings, slurm_script
from bwb.run.pool import Pool

TASKS = """
import os

def count(shard):
    if shard == "bad":
        raise ValueError("no good")
    if shard == "exit" and "DATATROVE_EXECUTOR" in os.environ:
        os._exit(7)
    return {"length": len(shard)}
"""


@pytest.fixture
def datatrove():
    return pytest.importorskip("datatrove")


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    name = f"cluster_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(TASKS), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__(name)
    del sys.modules[name]


def plain(outcomes):
    return [(x.shard, x.result, x.error) for x in outcomes]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_outcomes_are_those_of_the_pool(datatrove, tasks, tmp_path):
    shards = ["a", "bb", "bad", "书", "dddd", "e" * 9]
    expected = plain(Pool(1).run(tasks.count, shards, label="count"))
    one = LocalDatatrove(tmp_path / "one", 1)
    assert plain(one.run(tasks.count, shards, label="count")) == expected
    two = LocalDatatrove(tmp_path / "two", 2)
    assert plain(two.run(tasks.count, shards, label="count")) == expected
    # Again, with fewer shards, in the same folder: nothing is left of the first run.
    assert plain(two.run(tasks.count, shards[:2], label="count")) == expected[:2]
    assert list(two.run(tasks.count, [], label="count")) == []


SETTINGS = SlurmSettings(
    "cpu", "02:00:00", tasks=3, workers=2, memory=6, setup="source env/bin/activate"
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_script(datatrove, tmp_path):
    text = slurm_script(["a", "b", "c", "d"], SETTINGS, tmp_path, label="align")
    lines = text.split("\n")
    assert lines[0] == "#!/bin/bash"
    for line in (
        "#SBATCH --partition=cpu",
        "#SBATCH --time=02:00:00",
        "#SBATCH --array=0-2%2",
        "#SBATCH --mem-per-cpu=6G",
        "#SBATCH --job-name=bwb-align",
        "source env/bin/activate",
    ):
        assert line in lines
    assert f"launch_pickled_pipeline {tmp_path}/logs/align/executor.pik" in text
    assert "--array=0-0%2" in slurm_script(["a"], SETTINGS, tmp_path, label="align")


SBATCH = """#!/bin/sh
eval "script=\\${{$#}}"
cp "$script" {folder}/script-$(ls {folder} | wc -l)
echo Submitted batch job 17
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_job_is_submitted_run_and_collected(datatrove, tasks, tmp_path, monkeypatch):
    home = tmp_path / "bin"
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    home.mkdir()
    for name, text in (
        ("sbatch", SBATCH.format(folder=scripts)),
        ("scontrol", "#!/bin/sh\necho node1\n"),
    ):
        (home / name).write_text(text, encoding="utf-8")
        (home / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{home}{os.pathsep}{os.environ['PATH']}")
    slurm = Slurm(tmp_path / "shared", SETTINGS)
    shards = ["a", "bb", "bad", "exit", "书", "ffffff"]
    assert slurm.submit(tasks.count, shards, label="count") == "17"
    first = (scripts / "script-0").read_text(encoding="utf-8")
    assert first == slurm.script(shards, label="count")
    assert all("no outcome" in x.error for x in slurm.collect(shards, label="count"))
    for number in range(3):
        environment = {
            **os.environ,
            "SLURM_ARRAY_TASK_ID": str(number),
            "SLURM_NODELIST": "node[1]",
            "SLURM_CPUS_PER_TASK": "1",
            "SLURM_MEM_PER_CPU": "6144",
            "PYTHONPATH": str(tmp_path),
        }
        pickle = tmp_path / "shared" / "logs" / "count" / "executor.pik"
        command = [Path(sys.executable).parent / "launch_pickled_pipeline", pickle]
        subprocess.run(command, env=environment, capture_output=True, check=False)
    found = {x.shard: x for x in slurm.collect(shards, label="count")}
    assert list(found) == shards
    assert found["bb"].result == {"length": 2}
    assert found["bad"].error.startswith("ValueError: no good")
    assert "no outcome" in found["exit"].error
    assert [x.error for x in found.values() if x.shard not in {"bad", "exit"}] == [None] * 4


def test_jobs_that_make_no_sense(datatrove, tasks, tmp_path, monkeypatch):
    slurm = Slurm(tmp_path, SETTINGS)
    with pytest.raises(InputError, match="no shards"):
        slurm.submit(tasks.count, [], label="x")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no sbatch"):
        slurm.submit(tasks.count, ["a"], label="x")
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "0")
    with pytest.raises(UsageError, match="task of a Slurm job"):
        slurm.submit(tasks.count, ["a"], label="x")
    with pytest.raises(UsageError, match="tasks is 0"):
        SlurmSettings("cpu", "1:00:00", tasks=0)


def test_without_datatrove(monkeypatch, tmp_path):
    for name in ("local", "slurm"):
        monkeypatch.setitem(sys.modules, f"datatrove.executor.{name}", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'bwb-corpus\[cluster\]'"):
        LocalDatatrove(tmp_path)
    with pytest.raises(MissingDependencyError, match="datatrove"):
        Slurm(tmp_path, SETTINGS)
