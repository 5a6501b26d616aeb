"""Addresses of captures in a web archive of the Wayback kind: ``/web/20200131235959id_/URL``.

``id_`` asks for the page as it was received, without the archive's frame and rewritten links.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_CAPTURE = re.compile(
    r"(?P<base>https?://.*?/web/)(?P<time>\d{14})(?P<flag>[a-z]{2}_)?/(?P<url>.+)"
)


def capture_address(archive: str, time: str, url: str) -> str:
    """Where the raw content of a capture is.

    Args:
        archive: Base address of the archive.
        time: 14 digits, UTC.
        url: The address captured.
    """
    return f"{archive.rstrip('/')}/web/{time}id_/{url}"


def capture_of(url: str) -> tuple[str | None, str | None]:
    """Time of the capture, ISO 8601, and the address captured; None and None if it is no capture.

    This is read from the address that answered, as an archive leads to another capture when it
    cannot show the one asked for.
    """
    found = _CAPTURE.fullmatch(url)
    moment = read_time(found["time"]) if found else None
    if found is None or moment is None:
        return None, None
    return moment.isoformat().replace("+00:00", "Z"), found["url"]


def raw_capture(url: str) -> str:
    """The same capture, raw; other addresses as they are."""
    found = _CAPTURE.fullmatch(url)
    return f"{found['base']}{found['time']}id_/{found['url']}" if found else url


def read_time(digits: str) -> datetime | None:
    """The time that 14 digits name, UTC; None if they name none."""
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def read_date(text: str) -> datetime | None:
    """A date as people write it, ISO 8601 or digits from the year on; None if it is none.

    A day alone is its noon, so that captures of the day are nearest.
    """
    digits = re.sub(r"\D", "", text)
    if re.fullmatch(r"\d{4}-\d\d-\d\d|\d{8}", text):
        return read_time(f"{digits}120000")
    if re.fullmatch(r"\d{14}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+00:00)?", text):
        return read_time(digits[:14])
    return None
