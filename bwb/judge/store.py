"""The file of answers: it only grows, and what is said to be in it is on disk.

A record is written whole and synced before anything depends on it. A process that was killed may
leave half a line at the end: that was never acknowledged and is cut off when the file is opened.
One process writes at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from typing import TYPE_CHECKING, Any

from bwb.errors import Finding, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Store:
    """The one writer of a file of answers.

    Attributes:
        path: The file.
        requests: Digests of the requests that are in it.
        items: Items that are in it: request, part, system, document, first sentence.
        runs: Digests of the runs.
        answered: Answers that are in it: digest of the request, number of the repeat.
        tries: How often anything was asked, answered or not.
        prompt_tokens: Tokens of the prompts that were answered.
        answer_tokens: Tokens of the answers.
        findings: What was odd about the file.
    """

    def __init__(self, path: Path) -> None:
        """Open a file, or make it, and see what is in it.

        Raises:
            InputError: if it cannot be opened, another process writes to it, or it is no file of
                answers.
        """
        self.path = path
        self.requests: set[str] = set()
        self.items: set[tuple[str, ...]] = set()
        self.runs: set[str] = set()
        self.answered: set[tuple[str, int]] = set()
        self.tries = self.prompt_tokens = self.answer_tokens = 0
        self.findings: list[Finding] = []
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._file = os.open(path, flags, 0o666)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        try:
            self._open()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Store:
        """For ``with``."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file and let others in."""
        os.close(self._file)

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        """Append records, and return when they are on disk.

        Raises:
            InputError: if there is no room; then the file is as it was.
        """
        rows = list(records)
        if not rows:
            return
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        # Half of a pair of surrogates is no character, and JSON from a server may hold one.
        raw = data.encode("utf-8", "backslashreplace")
        with self._lock:
            size = os.fstat(self._file).st_size
            try:
                view = memoryview(raw)
                while view:
                    view = view[os.write(self._file, view) :]
                os.fsync(self._file)
            except OSError as error:
                os.ftruncate(self._file, size)
                raise InputError(f"{self.path}: {error.strerror or error}") from None
            for row in rows:
                self._learn(row)

    def _open(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{self.path}: another run writes to it; wait for its end") from None
        raw = self.path.read_bytes()
        whole = raw.rfind(b"\n") + 1
        if whole < len(raw):
            torn = len(raw) - whole
            message = f"the last line is torn: {torn:,} bytes of a record that was being written"
            line = raw.count(b"\n") + 1
            self.findings.append(Finding(str(self.path), line, 0, "torn-line", message, "cut off"))
        known = 0
        for number, line_bytes in enumerate(raw[:whole].split(b"\n")[:-1], 1):
            try:
                row = json.loads(line_bytes)
                self._learn(row)
                known += 1
            except (ValueError, KeyError, TypeError):
                message = "no record of a run; its request will be asked again"
                self.findings.append(
                    Finding(str(self.path), number, 0, "record", message, "passed over")
                )
        if raw and not known:
            raise InputError(f"{self.path}: it is there, and no file of bwb judge run; expected a "
                             "new name, or a file to go on with")  # fmt: skip
        if whole < len(raw):
            os.ftruncate(self._file, whole)
            os.fsync(self._file)

    def _learn(self, row: dict[str, Any]) -> None:
        kind = row["record"]
        if kind == "run":
            self.runs.add(row["id"])
        elif kind == "request":
            self.requests.add(row["id"])
        elif kind == "item":
            self.items.add(item_key(row))
        elif kind == "answer":
            self.answered.add((row["request"], row["repeat"]))
            self.prompt_tokens += row["prompt_tokens"]
            self.answer_tokens += row["answer_tokens"]
            self.tries += row["tries"]
        elif kind == "failure":
            self.tries += row["tries"]
        else:
            raise ValueError(kind)


def item_key(row: dict[str, Any]) -> tuple[str, ...]:
    """What tells an item from others."""
    names = ("run", "request", "part", "system", "document")
    return (*(str(row[name]) for name in names), str(row["window"]))
