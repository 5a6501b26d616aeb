"""What several subcommands share."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from bwb.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bwb.errors import Finding


def print_json(body: dict[str, Any]) -> None:
    """Print an object, its schema version first."""
    print(json.dumps({"schema_version": SCHEMA_VERSION, **body}, ensure_ascii=False, indent=2))


def note(text: str) -> None:
    """Say something to the person, not to the program that reads our output."""
    sys.stderr.write(f"bwb: {text}\n")


def note_findings(findings: Iterable[Finding], limit: int = 20) -> None:
    """List repairs and warnings on stderr."""
    listed = list(findings)
    for finding in listed[:limit]:
        sys.stderr.write(f"{finding}\n")
    if len(listed) > limit:
        note(f"… and {len(listed) - limit} more")


def plural(number: int, thing: str) -> str:
    """``1 document``, ``2 documents``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
