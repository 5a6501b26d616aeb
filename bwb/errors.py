"""Errors and findings.

    BwbError                      everything this package raises on purpose
    ├── InputError                bad input: exit code 1
    │   ├── FormatError           a place in a file that the format does not allow (a Finding)
    │   ├── LengthError           two things that must have the same number of lines do not
    │   └── UnknownNameError      a metric, format, split, system … that does not exist
    ├── UsageError                a call that makes no sense: exit code 2
    ├── HubError                  the Hub cannot be reached, refuses, or holds what must stay
    └── MissingDependencyError    an optional library is absent; the message carries the pip line

Every message names the value, the file and line where there is one, and what was allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or looks wrong, at one place of an input.

    Attributes:
        file: Name of the file, or of the document where there is no file.
        line: 1-based line (inline and JSONL files) or sentence; 0 if it concerns the whole file.
        column: 1-based column in code points; 0 if it concerns the whole line.
        code: Stable name of the rule, such as ``unclosed-quote``.
        message: What was found and what was expected.
        repair: What lenient reading did about it; None if nothing was or could be done.
        severity: ``error`` makes ``bwb validate`` fail, unless repaired; ``warning`` does not.
    """

    file: str
    line: int
    column: int
    code: str
    message: str
    repair: str | None = None
    severity: Severity = "error"

    @property
    def place(self) -> str:
        """``file:line:column``, without the parts that are unknown."""
        parts = [self.file]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)

    @property
    def fails(self) -> bool:
        """Whether this finding means that the input cannot be used as it is."""
        return self.severity == "error" and self.repair is None

    def __str__(self) -> str:
        """One line, as a compiler would print it."""
        if self.repair is None:
            return f"{self.place}: {self.severity}: {self.message} ({self.code})"
        return f"{self.place}: repaired: {self.message} ({self.code}): {self.repair}"


class BwbError(Exception):
    """Root of the tree drawn in the module's docstring."""


class InputError(BwbError):
    """The input cannot be used."""


class FormatError(InputError):
    """A place in an input that the format does not allow."""

    def __init__(self, finding: Finding) -> None:
        """Keep the finding; its text is the message."""
        super().__init__(f"{finding.place}: {finding.message} ({finding.code})")
        self.finding = finding


class LengthError(InputError):
    """Two things that correspond line by line differ in length."""


class UnknownNameError(InputError):
    """A name that is not one of those known."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        """Say what is known, and what was probably meant."""
        names = sorted(known)
        close = get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"unknown {what} {name!r}: known are {', '.join(names) or 'none'}{hint}")


class UsageError(BwbError):
    """A call that makes no sense, whatever the input."""


class HubError(BwbError):
    """The Hub cannot be reached, refuses, or holds what must not be replaced."""


class MissingDependencyError(BwbError):
    """An optional library is not installed."""

    def __init__(self, what: str, install: str) -> None:
        """Carry the line to type."""
        super().__init__(f"{what} is not installed; install it with: pip install '{install}'")
