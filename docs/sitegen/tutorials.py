"""Runs the code of a page in order, and compares what it prints with what the page shows.

    python -m sitegen.tutorials [--write] PAGE.md …      (from docs/)

Blocks marked ``bash`` and ``python`` are run, in order, in one empty folder; Python blocks share
one interpreter. A block marked ``text`` that follows is what the one before it prints to stdout;
where none follows, the output is not looked at. A block with the attribute ``.norun`` is shown and
not run. ``bash`` blocks must succeed; the exit code is that of `bash -e`.

In what is shown, ``...`` stands for anything, line feeds included; runs of white space are alike;
and numbers with a decimal point may differ by `TOLERANCE`, since another processor sums floats in
another order. Everything else has to be the same. ``--write`` puts the real output into blocks
that differ.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

# Percent with one decimal, that may be rounded the other way.
TOLERANCE = 0.1501

_BLOCK = re.compile(r"^```(\{ \.\w+ \.norun \}|\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d+\.\d+")
# What changes with every correction of the data and every version: digests, in signatures.
_CHANGING = re.compile(r"(\bdata:[^@|]+@|\bversion:|\bdigest +|127.0.0.1:)[\w.]+")
_RUN = ("bash", "python")


@dataclass(frozen=True, slots=True)
class Step:
    """A block that is run.

    Attributes:
        language: ``bash`` or ``python``.
        code: What is run.
        line: 1-based line of the page where the block begins.
        shown: What the page says it prints; None if it does not say.
        span: Place of that in the text of the page.
    """

    language: str
    code: str
    line: int
    shown: str | None
    span: tuple[int, int] | None


class RunError(Exception):
    """A block failed; the message has its line, what it printed, and why."""


def steps(text: str) -> list[Step]:
    """The blocks of a page that are run."""
    blocks = list(_BLOCK.finditer(text))
    found = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block[1] not in _RUN:
            continue
        follows = after is not None and after[1] == "text"
        line = text.count("\n", 0, block.start()) + 1
        shown = after[2] if after is not None and follows else None
        span = after.span(2) if after is not None and follows else None
        found.append(Step(block[1], block[2], line, shown, span))
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether what was printed is what is shown; see the module."""
    wanted = " ".join(shown.split())
    got = " ".join(printed.split())
    pattern = ""
    for number, part in enumerate(re.split(r"(\.\.\.|\d+\.\d+)", wanted)):
        if number % 2 == 0:
            pattern += re.escape(part)
        else:
            pattern += ".*?" if part == "..." else r"(\d+\.\d+)"
    found = re.fullmatch(pattern, got, re.DOTALL)
    if found is None:
        return False
    pairs = zip(_NUMBER.findall(wanted), found.groups(), strict=True)
    return all(abs(float(one) - float(other)) <= TOLERANCE for one, other in pairs)


class Session:
    """A folder, and a Python interpreter that works in it."""

    def __init__(self, folder: Path) -> None:
        """Take a folder, which should be empty; the interpreter is started when it is needed."""
        self.folder = folder
        here = Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "PATH": f"{here}{os.pathsep}{os.environ.get('PATH', '')}",
            "HF_HOME": str(folder / ".cache" / "huggingface"),
            "HF_HUB_OFFLINE": "1",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONUNBUFFERED": "1",
            "COLUMNS": "100",
            "MPLBACKEND": "Agg",
        }
        self._python: subprocess.Popen[str] | None = None

    def run(self, step: Step) -> str:
        """Run a block; returns what it prints to stdout.

        Raises:
            RunError: if it fails.
        """
        return self._bash(step) if step.language == "bash" else self._exec(step)

    def _bash(self, step: Step) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step.code],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RunError(
                f"line {step.line}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout

    def _exec(self, step: Step) -> str:
        if self._python is None:
            self._python = subprocess.Popen(
                [sys.executable, str(Path(__file__)), "--worker"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        self._python.stdin.write(json.dumps(step.code) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        if not answer:
            raise RunError(f"line {step.line}: the interpreter ended")
        printed, error = json.loads(answer)
        if error:
            raise RunError(f"line {step.line}: {error}\n{printed}")
        return str(printed)

    def __enter__(self) -> Session:
        """The session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End the interpreter."""
        if self._python is not None:
            self._python.communicate(timeout=60)


def differences(text: str, folder: Path) -> Iterator[tuple[Step, str]]:
    """Run a page; yields the blocks whose output is not what is shown, with the real one.

    Raises:
        RunError: if a block fails.
    """
    with Session(folder) as session:
        for step in steps(text):
            printed = session.run(step)
            if step.shown is not None and not matches(step.shown, printed):
                yield step, printed


def _rewritten(text: str, changes: list[tuple[Step, str]]) -> str:
    for step, printed in reversed(changes):
        if step.span is not None:
            body = "\n".join(line.rstrip() for line in printed.strip("\n").split("\n"))
            body = _CHANGING.sub(r"\1...", body)
            text = f"{text[: step.span[0]]}{body}\n{text[step.span[1] :]}"
    return text


def _worker() -> None:
    """Run blocks that come as lines of JSON; answer each with what it printed, and its error."""
    space: dict[str, object] = {"__name__": "__main__"}
    answers, sys.stdout = sys.stdout, sys.stderr
    # A block may import what lies in the folder, as a script there may.
    sys.path[0] = ""
    for line in sys.stdin:
        printed, error = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(json.loads(line), "<block>", "exec"), space)
            except Exception:
                error = traceback.format_exc(limit=-2)
        answers.write(json.dumps([printed.getvalue(), error]) + "\n")
        answers.flush()


def main() -> int:
    """Run pages from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    wrong = 0
    for page in args.pages:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="bwb-page-") as folder:
            changes = list(differences(text, Path(folder)))
        for step, printed in changes:
            sys.stdout.write(f"{page}:{step.line}: prints\n{printed}\n")
        wrong += len(changes)
        if args.write and changes:
            page.write_text(_rewritten(text, changes), encoding="utf-8")
    return 1 if wrong and not args.write else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        _worker()
    else:
        raise SystemExit(main())
