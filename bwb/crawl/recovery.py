"""Putting index and WARC files in step again: after a crash, after damage, after loss of the index.

Only files that changed since they were last closed are looked at. Checksums are compared for all
their records; what is not indexed is read.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

from bwb.crawl.fetch import Answer
from bwb.crawl.warc import scan

if TYPE_CHECKING:
    from pathlib import Path

    from bwb.crawl.index import Index
    from bwb.crawl.rows import Row
    from bwb.crawl.warc import Found


def recover(index: Index, folder: Path) -> list[str]:
    """Check the WARC files of a folder and mend what can be mended.

    Returns:
        What was done, a line each: damage with file and byte.

    Raises:
        StoreError: if the index cannot be written.
    """
    notes: list[str] = []
    known = index.warcs()
    files = {path.name: path for path in sorted(folder.glob("*.warc.gz"))}
    for name, path in files.items():
        about = path.stat()
        if known.get(name) != (about.st_size, about.st_mtime_ns):
            _file(index, path, known.get(name, (0, None))[0], notes)
    for name in sorted(set(known) - set(files)):
        lost = list(index.rows(name))
        with index.transaction():
            for row in lost:
                index.forget(row.url)
            index.put_warc(name, 0)
        if lost:
            notes.append(
                f"{folder / name}: the file is gone; its {len(lost)} pages are fetched again"
            )
            index.list_again()
    return notes


def _file(index: Index, path: Path, extent: int, notes: list[str]) -> None:
    """Check one file whose first `extent` bytes are indexed."""
    damaged, sound = 0, 0
    for row in index.rows(path.name):
        error = _damage(path, row)
        if error is None:
            sound = (row.start or 0) + (row.length or 0)
            continue
        damaged += 1
        index.forget(row.url)
        place = f"{path}: byte {row.start}: corrupt record: {error}"
        notes.append(f"{place}; {row.url} is fetched again")
    if damaged:
        index.list_again()
    size = path.stat().st_size
    if size != extent:
        _rest(index, path, min(extent, sound) if size < extent else extent, notes)


def _damage(path: Path, row: Row) -> str | None:
    """What is wrong with an indexed record; None if nothing."""
    with path.open("rb") as stream:
        stream.seek(row.start or 0)
        packed = stream.read(row.length or 0)
    if len(packed) < (row.length or 0):
        return "the file ends before it"
    unpacker = zlib.decompressobj(31)
    try:
        unpacker.decompress(packed)
    except zlib.error as error:
        return str(error)
    return None if unpacker.eof and not unpacker.unused_data else "it does not end where it did"


def _rest(index: Index, path: Path, extent: int, notes: list[str]) -> None:
    """Index what was written after the last commit; cut off half a record."""
    end, added = extent, 0
    with index.transaction():
        for found in scan(path, extent):
            if found.torn:
                os.truncate(path, found.offset)
                notes.append(f"{path}: byte {found.offset}: half a record at the end is cut off")
                break
            end = found.end
            if found.error is not None:
                notes.append(f"{path}: byte {found.offset}: corrupt record: {found.error}")
            elif found.response is not None:
                added += _index(index, path.name, found)
        index.put_warc(path.name, end)
    if added:
        notes.append(f"{path}: {added} pages that were not in the index are there again")


def _index(index: Index, file: str, found: Found) -> bool:
    """Give a record its row, unless there is a later one of the same address."""
    from bwb.crawl.store import row_of
    from bwb.crawl.verdict import final_error

    response = found.response
    if response is None:
        return False
    known = index.row(response.url)
    if known is not None and (known.fetched or "") > response.fetched:
        return False
    answer = Answer(
        response.url,
        response.fetched,
        response.status,
        headers=response.headers,
        wire=response.body,
        body=response.body,
    )
    row = row_of(answer, response.kind)  # type: ignore[arg-type]
    index.put(
        replace(
            row,
            sha256_text=response.sha256_text,
            file=file,
            start=found.offset,
            length=found.end - found.offset,
            error=final_error(answer, response.kind),
        )
    )
    return True
