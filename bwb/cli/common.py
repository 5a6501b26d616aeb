"""What several subcommands share."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from bwb.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from types import ModuleType

    from bwb.errors import Finding

T = TypeVar("T")


def print_json(body: dict[str, Any]) -> None:
    """Print an object, its schema version first."""
    print(json.dumps({"schema_version": SCHEMA_VERSION, **body}, ensure_ascii=False, indent=2))


def note(text: str) -> None:
    """Say something to the person, not to the program that reads our output."""
    sys.stderr.write(f"bwb: {text}\n")


def done(text: str) -> None:
    """Say, as the last line of a command, what was made and where it is."""
    from bwb.report.tables import styled

    sys.stderr.write(f"{styled('bwb:', 'good', sys.stderr)} {text}\n")


def note_findings(findings: Iterable[Finding], limit: int = 20) -> None:
    """List repairs and warnings on stderr."""
    listed = list(findings)
    for finding in listed[:limit]:
        sys.stderr.write(f"{finding}\n")
    if len(listed) > limit:
        note(f"… and {len(listed) - limit} more")


def progress(items: Iterable[T], unit: str, total: int | None = None) -> Iterable[T]:
    """Pass things on, with a bar on stderr if that is a terminal."""
    from tqdm import tqdm

    quiet = not sys.stderr.isatty()
    bar: Iterable[T] = tqdm(items, unit=unit, total=total, disable=quiet, leave=False)
    return bar


def plural(number: int, thing: str) -> str:
    """``1 document``, ``2 documents``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def command_line(
    name: str, module: ModuleType, args: argparse.Namespace, leave_out: Collection[str] = ()
) -> list[str]:
    """The command that these arguments are of: ``["bwb", "score", "--metrics", "entity"]``.

    Args:
        name: The subcommand.
        module: Its module, which declares the arguments.
        args: The arguments as parsed; those left as they are by default are not repeated.
        leave_out: Names of arguments not to tell.
    """
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    words = ["bwb", name]
    for action in parser._actions:
        value = getattr(args, action.dest, action.default)
        if action.dest in leave_out or value == action.default:
            continue
        option = action.option_strings[:1]
        if action.nargs == 0:
            words += option
        elif isinstance(value, list) and action.nargs is None:
            words += [word for one in value for word in (*option, str(one))]
        else:
            words += [*option, *map(str, value if isinstance(value, list) else [value])]
    return words
