"""Records of a WARC file: written one gzip member each, read by offset, found after a crash.

A record is of use only if it is whole: a gzip member carries a checksum of its content, so half of
one, or one that was damaged, is always noticed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bwb import __version__
from bwb.crawl.fetch import Answer, decompress
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAGIC = b"\x1f\x8b\x08"
_PIECE = 1 << 20

# Fields of ours, beside those of the standard. Kind is what the page is for.
_KIND = "X-Bwb-Kind"
_RAW = "X-Bwb-Sha256-Body"
_TEXT = "X-Bwb-Sha256-Text"

# A body that was decompressed once more than this is not a page of ours.
_LARGEST = 1 << 30


class CorruptRecordError(InputError):
    """A record of a WARC file cannot be read.

    Attributes:
        file: The file.
        offset: Byte at which the record starts.
    """

    def __init__(self, file: Path, offset: int, why: str) -> None:
        """Say where."""
        super().__init__(f"{file}: byte {offset}: corrupt record: {why}")
        self.file = file
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it was stored.

    Attributes:
        url: The address asked.
        kind: What the page is for.
        fetched: Time of the request, ISO 8601, UTC.
        status: HTTP status.
        headers: As received.
        body: The body, content coding undone.
        sha256_raw: Digest of the body, as the record says.
        sha256_text: Digest of the decoded page in UTF-8, as the record says; None if not decoded.
    """

    url: str
    kind: str
    fetched: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    sha256_raw: str | None
    sha256_text: str | None

    def header(self, name: str) -> str | None:
        """A header by its name in lower case; the first of several."""
        return next((value for key, value in self.headers if key.lower() == name), None)


def info_record(agent: str, name: str) -> bytes:
    """The first record of a file: who wrote it."""
    from warcio.warcwriter import WARCWriter

    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    fields = {
        "software": f"bwb/{__version__}",
        "format": "WARC File Format 1.1",
        "http-header-user-agent": agent,
        "robots": "obey",
    }
    writer.write_record(writer.create_warcinfo_record(name, fields))
    return out.getvalue()


def response_records(answer: Answer, kind: str, sha256_text: str | None) -> tuple[bytes, bytes]:
    """The request and the response, a gzip member each; the response is what is indexed.

    The body is stored as received, but for chunks, which are joined.
    """
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    writer = WARCWriter(io.BytesIO(), gzip=True, warc_version="1.1")
    identity = f"<urn:uuid:{uuid4()}>"
    named = [
        # The body that follows is not in chunks any more.
        (
            ("X-Archive-Orig-" if key.lower() == "transfer-encoding" else "") + _ascii(key),
            _text(value),
        )
        for key, value in answer.headers
    ]
    line = f"{answer.status} {_ascii(answer.reason)}".strip()
    head = StatusAndHeaders(line, named, protocol="HTTP/1.1")
    fields = {
        "WARC-Date": answer.fetched,
        "WARC-Record-ID": identity,
        _KIND: kind,
        _RAW: hashlib.sha256(answer.body).hexdigest(),
    }
    if sha256_text is not None:
        fields[_TEXT] = sha256_text
    response = writer.create_warc_record(
        answer.url,
        "response",
        io.BytesIO(answer.wire),
        len(answer.wire),
        warc_headers_dict=fields,
        http_headers=head,
    )
    target = answer.url.split("/", 3)[-1] if answer.url.count("/") > 2 else ""
    host = answer.url.split("/", 3)[2]
    asked = StatusAndHeaders(
        f"GET /{target} HTTP/1.1", [("Host", host), *answer.sent], is_http_request=True
    )
    request = writer.create_warc_record(
        answer.url,
        "request",
        warc_headers_dict={"WARC-Date": answer.fetched, "WARC-Concurrent-To": identity},
        http_headers=asked,
    )
    return _bytes(writer, request), _bytes(writer, response)


def _ascii(text: str) -> str:
    """What a status line or the name of a header may hold."""
    return text.encode("ascii", "replace").decode("ascii")


def _text(value: str) -> str:
    """The value of a header on one line; UTF-8 that came as Latin-1 is put right."""
    with contextlib.suppress(UnicodeError):
        value = value.encode("latin-1").decode("utf-8")
    return " ".join(value.split())


def _bytes(writer: Any, record: Any) -> bytes:  # noqa: ANN401 - warcio is untyped
    out = io.BytesIO()
    writer.out = out
    writer.write_record(record)
    return out.getvalue()


def parse_record(plain: bytes) -> Response | None:
    """A record, decompressed; None if it is not a response of ours.

    Raises:
        ValueError: if it is not a record, or its body does not have the digest it says.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        record = next(iter(ArchiveIterator(io.BytesIO(plain))), None)
        if record is None:
            raise ValueError("no record")
        field = record.rec_headers.get_header
        if record.rec_type != "response" or field(_KIND) is None:
            return None
        wire = record.raw_stream.read()
    except ArchiveLoadFailed as error:
        raise ValueError(str(error)) from None
    headers = tuple(record.http_headers.headers)
    coding = ",".join(value for key, value in headers if key.lower() == "content-encoding")
    body, trouble, message = (
        decompress(wire, coding.lower(), _LARGEST) if wire else (wire, None, "")
    )
    if trouble is not None:
        raise ValueError(message)
    made = Response(
        field("WARC-Target-URI"),
        field(_KIND),
        field("WARC-Date"),
        int(record.http_headers.get_statuscode()),
        headers,
        body,
        field(_RAW),
        field(_TEXT),
    )
    if made.sha256_raw is not None and made.sha256_raw != hashlib.sha256(body).hexdigest():
        raise ValueError("the body is not the one whose digest was stored")
    return made


def read_record(file: Path, offset: int, length: int) -> Response:
    """Read a response by its place.

    Raises:
        CorruptRecordError: if it is not whole.
    """
    try:
        with file.open("rb") as stream:
            stream.seek(offset)
            packed = stream.read(length)
        if len(packed) < length:
            raise ValueError(f"the file ends {length - len(packed):,} bytes too early")
        unpacker = zlib.decompressobj(31)
        plain = unpacker.decompress(packed)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("the gzip member does not end where it did")
        response = parse_record(plain)
    except (OSError, zlib.error, ValueError) as error:
        raise CorruptRecordError(file, offset, str(error)) from None
    if response is None:
        raise CorruptRecordError(file, offset, "another kind of record")
    return response


@dataclass(frozen=True, slots=True)
class Found:
    """What a scan came upon.

    Attributes:
        offset: First byte.
        end: One past the last.
        response: The response; None if it is another record, or none.
        error: Why this stretch is no record; None if it is one.
        torn: Whether the file ends in the middle of this record.
    """

    offset: int
    end: int
    response: Response | None = None
    error: str | None = None
    torn: bool = False


def scan(file: Path, start: int = 0) -> Iterator[Found]:
    """The records of a file from a place on, and the stretches between that are none."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        offset = start
        while offset < size:
            found = _member(stream, offset, size)
            if found.error is not None:
                after = _next_member(stream, offset + 1, size)
                found = Found(offset, after, None, found.error, after == size)
            yield found
            offset = found.end


def _member(stream: Any, offset: int, size: int) -> Found:  # noqa: ANN401 - a binary file
    """The gzip member at a place."""
    stream.seek(offset)
    unpacker = zlib.decompressobj(31)
    plain: list[bytes] = []
    end = offset
    try:
        while not unpacker.eof:
            packed = stream.read(_PIECE)
            if not packed:
                return Found(offset, size, None, "the file ends in the middle of a record", True)
            plain.append(unpacker.decompress(packed))
            end += len(packed) - len(unpacker.unused_data)
        return Found(offset, end, parse_record(b"".join(plain)))
    except (zlib.error, ValueError) as error:
        return Found(offset, size, None, str(error))


def _next_member(stream: Any, offset: int, size: int) -> int:  # noqa: ANN401 - a binary file
    """Where the next record that can be read starts; the size of the file if nowhere."""
    while offset < size:
        stream.seek(offset)
        piece = stream.read(_PIECE + len(_MAGIC))
        at = piece.find(_MAGIC)
        while at >= 0:
            if _member(stream, offset + at, size).error is None:
                return int(offset + at)
            at = piece.find(_MAGIC, at + 1)
        offset += _PIECE
    return size
