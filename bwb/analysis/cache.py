"""Analyses on disk: one SQLite file a model, a row a sentence.

A key is the digest of a text; a value is bytes that the caller understands, kept with their
checksum. Several processes may read and write at once (write-ahead log). What is damaged is
treated as absent: a row whose checksum is wrong is left out, a file that is no database is
replaced. If the folder cannot be used at all, a `CacheWarning` says so and nothing is kept.

The file holds at most `LIMIT` rows, some 300 bytes each; the oldest make room for new ones.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import warnings
import zlib
from typing import TYPE_CHECKING

from bwb.caches import user_caches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# Rows: about 600 MB.
LIMIT = 2_000_000
_BATCH = 900
_TABLE = "CREATE TABLE IF NOT EXISTS analyses (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB)"


class CacheWarning(UserWarning):
    """The cache on disk cannot be used; texts are analysed again."""


def cache_folder() -> Path:
    """Folder of the analyses, among the user's caches; see `user_caches`."""
    return user_caches() / "analysis"


def text_key(text: str) -> bytes:
    """Digest of a text, 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Store:
    """The rows of one model.

    Args:
        folder: Where to keep the file; made if it is not there.
        model: Name and version of all that a value depends on.
        limit: Greatest number of rows.
    """

    def __init__(self, folder: Path, model: str, *, limit: int = LIMIT) -> None:
        """Note the settings; nothing is read or written yet."""
        self.path = folder / f"{hashlib.blake2b(model.encode(), digest_size=8).hexdigest()}.sqlite"
        self.limit = limit
        self._broken = False

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there and sound."""
        found: dict[bytes, bytes] = {}
        with self._connection() as base:
            if base is None:
                return found
            for at in range(0, len(keys), _BATCH):
                some = keys[at : at + _BATCH]
                marks = ",".join("?" * len(some))
                rows = base.execute(f"SELECT key, value FROM analyses WHERE key IN ({marks})", some)
                for key, value in rows:
                    if zlib.crc32(value[4:]).to_bytes(4, "little") == value[:4]:
                        found[key] = value[4:]
        return found

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values, all of them or, if the process dies, none."""
        rows = [
            (key, zlib.crc32(value).to_bytes(4, "little") + value) for key, value in values.items()
        ]
        with self._connection() as base:
            if base is None:
                return
            base.executemany("INSERT OR REPLACE INTO analyses (key, value) VALUES (?, ?)", rows)
            last = base.execute("SELECT max(id) FROM analyses").fetchone()[0] or 0
            base.execute("DELETE FROM analyses WHERE id <= ?", (last - self.limit,))

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection | None]:
        base = None if self._broken else self._open()
        try:
            yield base
            if base is not None:
                base.commit()
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except sqlite3.DatabaseError:  # damaged: forget it, the next call makes a new one
            if base is not None:
                base.close()
            self._remove()
        finally:
            if base is not None:
                base.close()

    def _open(self) -> sqlite3.Connection | None:
        for again in (True, False):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                return self._connect()
            except (OSError, sqlite3.OperationalError) as error:
                self._give_up(error)
                return None
            except sqlite3.DatabaseError as error:  # not a database
                if not again:
                    self._give_up(error)
                    return None
                self._remove()
        return None

    def _connect(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.path, timeout=60)
        try:
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            base.execute(_TABLE)
        except BaseException:
            base.close()
            raise
        return base

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + ending).unlink()

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        message = f"{self.path}: {error}; analyses are not kept (set BWB_CACHE to another folder)"
        warnings.warn(message, CacheWarning, stacklevel=2)
