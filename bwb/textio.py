"""Reading and writing text files of one sentence a line.

A line ends at a line feed and nowhere else: web novels hold U+2028, form feeds and other
characters at which `str.splitlines` would cut a sentence in two.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING

from bwb.errors import Finding, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

_BOMS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


def decode(raw: bytes, file: str) -> tuple[str, list[Finding]]:
    """Decode a text file, which must be UTF-8.

    A byte order mark and Windows line ends are taken off, and reported as repaired findings.

    Args:
        raw: The bytes.
        file: Name for messages.

    Returns:
        The text, and what was repaired.

    Raises:
        FormatError: if the bytes are not UTF-8, or hold a NUL; names the line and column of the
            first bad byte, and the encoding it looks like.
    """
    findings = []
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
        message = "the file begins with a byte order mark; expected plain UTF-8"
        findings.append(Finding(file, 1, 1, "byte-order-mark", message, "mark removed"))
    for bom, name in _BOMS:
        if raw.startswith(bom):
            message = f"the file is {name}; expected UTF-8"
            raise FormatError(Finding(file, 1, 1, "encoding", message))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(_bad_byte(raw, error.start, file)) from None
    if (nul := text.find("\0")) >= 0:
        line, column = position(text, nul)
        message = "a NUL character; expected UTF-8 text (is the file UTF-16?)"
        raise FormatError(Finding(file, line, column, "encoding", message))
    if (at := text.find("\r\n")) >= 0:
        line, column = position(text, at)
        count = text.count("\r\n")
        message = f"{count} Windows line end{'s' * (count > 1)}; expected a line feed alone"
        findings.append(Finding(file, line, column, "line-ends", message, "carriage return cut"))
        text = text.replace("\r\n", "\n")
    return text, findings


def read_lines(path: Path, *, strict: bool = False) -> tuple[list[str], list[Finding]]:
    """The lines of a UTF-8 file, without their line feeds.

    Args:
        path: The file. A line feed at the end of the last line is optional.
        strict: Whether a byte order mark or Windows line ends are an error.

    Raises:
        FormatError: as `decode`; also for an empty file.
        InputError: if there is no such file.
    """
    text, findings = read_text(path)
    if strict and findings:
        raise FormatError(findings[0])
    if not text:
        message = "the file is empty; expected one sentence a line"
        raise FormatError(Finding(str(path), 0, 0, "empty-file", message))
    return text.removesuffix("\n").split("\n"), findings


def read_text(path: Path) -> tuple[str, list[Finding]]:
    """The text of a UTF-8 file, and what had to be repaired; see `decode`."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return decode(raw, str(path))


def position(text: str, offset: int) -> tuple[int, int]:
    """1-based line and column (code points) of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Open a file for writing that takes its name only when all of it is written.

    A run that is interrupted leaves the old file, or none, never half of one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # noqa: PTH101 - mkstemp made it private
        os.replace(name, path)  # noqa: PTH105 - a name, not a Path
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)  # noqa: PTH108
        raise


def _bad_byte(raw: bytes, offset: int, file: str) -> Finding:
    line = raw.count(b"\n", 0, offset) + 1
    start = raw.rfind(b"\n", 0, offset) + 1
    column = len(raw[start:offset].decode("utf-8")) + 1
    guess = ""
    for encoding in ("gb18030", "big5"):
        with contextlib.suppress(UnicodeDecodeError):
            raw.decode(encoding)
            guess = f" (it would decode as {encoding}: iconv -f {encoding} -t utf-8)"
            break
    message = f"byte 0x{raw[offset]:02x} is not UTF-8; expected UTF-8{guess}"
    return Finding(file, line, column, "encoding", message)
