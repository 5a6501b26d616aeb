"""What can be made again: where it is kept, and a store of rows in SQLite.

A row's key is the digest of a text; its value is bytes that the caller understands, kept with
their checksum. Several processes may read and write at once. What is damaged is treated as
absent: a row whose checksum is wrong is left out, a file that is no database is replaced. If the
folder cannot be used at all, a `CacheWarning` says so and nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import sys
import warnings
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_BATCH = 900  # keys in one SELECT; SQLite allows 999 parameters in old builds
_TABLE = "CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB)"
_EMPTY = "SELECT 1 FROM sqlite_master WHERE name = 'kept'"
# Seconds that one process waits for another.
_PATIENCE = 60


class CacheWarning(UserWarning):
    """The cache on disk cannot be used; what it would hold is made again."""


def user_caches() -> Path:
    """Folder of the user's caches: ``$BWB_CACHE``, or where the system keeps caches."""
    if given := os.environ.get("BWB_CACHE"):
        return Path(given)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "bwb"


def text_key(text: str) -> bytes:
    """Digest of a text, 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Store:
    """The rows of one model, in one file.

    Args:
        folder: Where to keep the file; made when something is written.
        model: Name and version of all that a value depends on.
        limit: Greatest number of rows; the oldest make room for new ones.
    """

    def __init__(self, folder: Path, model: str, *, limit: int) -> None:
        """Note the settings; nothing is read or written yet."""
        self.path = folder / f"{hashlib.blake2b(model.encode(), digest_size=8).hexdigest()}.sqlite"
        self.limit = limit
        self._broken = False

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there and sound."""
        found: dict[bytes, bytes] = {}
        if not self.path.exists():
            self._usable()
            return found
        with self._connection() as base:
            if base is None or base.execute(_EMPTY).fetchone() is None:
                return found
            for at in range(0, len(keys), _BATCH):
                some = keys[at : at + _BATCH]
                marks = ",".join("?" * len(some))
                rows = base.execute(f"SELECT key, value FROM kept WHERE key IN ({marks})", some)
                for key, value in rows:
                    if zlib.crc32(value[4:]).to_bytes(4, "little") == value[:4]:
                        found[key] = value[4:]
        return found

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values, all of them or, if the process dies, none."""
        rows = [
            (key, zlib.crc32(value).to_bytes(4, "little") + value) for key, value in values.items()
        ]
        if not self._usable():
            return
        with self._connection() as base:
            if base is None:
                return
            base.execute("PRAGMA synchronous=OFF")  # a cache need not outlive a power cut
            # The lock is taken at once: one that is asked for in the middle of a transaction is
            # refused without waiting if another process writes.
            base.execute("BEGIN IMMEDIATE")
            base.execute(_TABLE)
            base.executemany("INSERT OR REPLACE INTO kept (key, value) VALUES (?, ?)", rows)
            last = base.execute("SELECT max(id) FROM kept").fetchone()[0] or 0
            base.execute("DELETE FROM kept WHERE id <= ?", (last - self.limit,))
            base.execute("COMMIT")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection | None]:
        """A connection; None if there is none. Closing it undoes what is not committed."""
        base = None
        try:
            if not self._broken:
                base = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
            yield base
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except sqlite3.DatabaseError:  # damaged, or no database: the next `write` makes a new one
            if base is not None:
                base.close()
            self._remove()
        finally:
            if base is not None:
                base.close()

    def _usable(self) -> bool:
        """Whether there is a folder to write in; makes it."""
        if not self._broken:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                self._give_up(error)
        return not self._broken

    def _remove(self) -> None:
        for ending in ("", "-journal"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + ending).unlink()

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        message = f"{self.path}: {error}; nothing is kept (set BWB_CACHE to another folder)"
        warnings.warn(message, CacheWarning, stacklevel=2)
