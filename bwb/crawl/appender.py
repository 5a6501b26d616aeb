"""Appending to the WARC files of a folder, so that what is said to be written is on disk."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from typing import TYPE_CHECKING

from bwb.crawl.index import StoreError
from bwb.crawl.warc import info_record

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILE = 512 * 1024 * 1024

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Appender:
    """The one writer of a crawl folder: a lock keeps other processes out.

    Attributes:
        folder: Where the files are.
        name: Name of the file that was written last; empty if none was.
        size: Its size in bytes.
    """

    def __init__(self, out: Path, agent: str) -> None:
        """Make the folder if it is not there, and lock it.

        Args:
            out: The crawl folder.
            agent: User-Agent, for the first record of a file.

        Raises:
            StoreError: if it cannot be made, or another process writes to it.
        """
        self.folder = out / "warc"
        self.name = ""
        self.size = 0
        self._agent = agent
        self._file: int | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(out / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise disk_error(error, out) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise StoreError(f"{out}: another crawl writes to it; wait for its end") from None

    def close(self) -> None:
        """Close the file and let others in."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        os.close(self._lock)

    def append(self, records: bytes) -> int:
        """Append to the last file and sync it.

        Returns:
            Where the records start.

        Raises:
            StoreError: if there is no room; then the file is as it was.
        """
        try:
            file = self._room()
            start = self.size
            _write_all(file, records)
        except OSError as error:
            self.cut(self.size)
            raise disk_error(error, self.folder) from None
        self.size += len(records)
        return start

    def cut(self, size: int) -> None:
        """Take off what was appended in vain."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, size)
                os.fsync(self._file)
        self.size = size

    def _room(self) -> int:
        """The last file if it has room, else a new one."""
        if self._file is not None and self.size < MAX_FILE:
            return self._file
        if self._file is not None:
            os.close(self._file)
            self._file = None
        names = sorted(path.name for path in self.folder.glob("bwb-*.warc.gz"))
        if names and (self.folder / names[-1]).stat().st_size < MAX_FILE:
            self.name = names[-1]
        else:
            number = int(names[-1].split("-")[1].split(".")[0]) + 1 if names else 1
            self.name = f"bwb-{number:05}.warc.gz"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self.folder / self.name, flags, 0o666)
        self.size = os.fstat(self._file).st_size
        if not self.size:
            info = info_record(self._agent, self.name)
            _write_all(self._file, info)
            self.size = len(info)
            _sync_folder(self.folder)
        return self._file


def _write_all(file: int, records: bytes) -> None:
    view = memoryview(records)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def disk_error(error: OSError, folder: Path) -> StoreError:
    """What to say of a disk that does not take what we write."""
    if error.errno in _FULL:
        return StoreError(
            f"{folder}: the disk is full ({error.strerror}); what was fetched before is safe: "
            "make room and run it again"
        )
    return StoreError(f"{error.filename or folder}: {error.strerror or error}")
