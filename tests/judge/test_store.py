"""The file of answers: whole records only, one writer, and what is killed is resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bwb.errors import InputError
from bwb.judge.loopback import Fault, Judge
from bwb.judge.store import Store

ANSWER = {"record": "answer", "request": "r", "repeat": 0, "text": "t", "prompt_tokens": 3,
          "answer_tokens": 4, "tries": 2}  # fmt: skip
RUN = {"record": "run", "id": "x"}


def test_what_is_added_is_there_when_it_is_opened_again(tmp_path):
    path = tmp_path / "new" / "a.jsonl"
    with Store(path) as store:
        store.add([RUN, {"record": "request", "id": "r"}])
        store.add([ANSWER, {"record": "failure", "tries": 5}])
        store.add([])
    with Store(path) as store:
        assert (store.runs, store.requests, store.answered) == ({"x"}, {"r"}, {("r", 0)})
        assert (store.tries, store.prompt_tokens, store.answer_tokens) == (7, 3, 4)
        assert store.findings == []


def test_half_a_pair_of_surrogates_can_be_stored(tmp_path):
    with Store(tmp_path / "a.jsonl") as store:
        store.add([{**ANSWER, "text": "\ud800"}])
    with Store(tmp_path / "a.jsonl") as store:
        assert store.answered == {("r", 0)}


@pytest.mark.parametrize("cut", [1, 2, 30])
def test_a_torn_last_line_is_cut_off(tmp_path, cut):
    path = tmp_path / "a.jsonl"
    with Store(path) as store:
        store.add([RUN, ANSWER])
    path.write_bytes(path.read_bytes()[:-cut])
    with Store(path) as store:
        assert store.answered == set()
        [finding] = store.findings
        assert (finding.code, finding.line) == ("torn-line", 2)
        store.add([ANSWER])
    assert [json.loads(line)["record"] for line in path.read_text().splitlines()] == [
        "run",
        "answer",
    ]


def test_a_bad_line_in_the_middle_is_told_and_kept(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(RUN) + "\nrubbish\n" + json.dumps(ANSWER) + "\n")
    with Store(path) as store:
        assert [finding.line for finding in store.findings] == [2]
        assert store.answered == {("r", 0)}
    assert "rubbish" in path.read_text()


def test_there_is_one_writer(tmp_path):
    with (
        Store(tmp_path / "a.jsonl"),
        pytest.raises(InputError, match="another run"),
        Store(tmp_path / "a.jsonl"),
    ):
        pass


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path):
    """Kill -9: no answer that came is asked for again."""
    out = tmp_path / "a.jsonl"
    command = [sys.executable, "-m", "bwb", "judge", "run", "--model", "m", "--no-key", "--out",
               str(out), "--parts", "fluency", "--concurrency", "2", "--json"]  # fmt: skip
    with Judge(judge=lambda _: Fault(text='{"score": 4, "faults": []}', delay=0.02)) as judge:
        command += ["--base-url", judge.url]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(judge.asked) < 6 and process.poll() is None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = len(judge.asked)
        body = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert 4 <= body["there_before"] <= before < body["wanted"]
    assert body["missing"] == 0
    # What was under way when it was killed, at most, is asked for again.
    assert len(judge.asked) - body["wanted"] == before - body["there_before"] <= 2
