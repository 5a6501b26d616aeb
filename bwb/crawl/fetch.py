"""One request: its answer, whole and checked, or why there is none.

Redirects are not followed here: where they lead may be another host, with a rate and rules of its
own, so each is an answer like any other and the crawler asks on. A body must be as long as the
server said, its compression must end, and it must not be larger than the limit.
"""

from __future__ import annotations

import os
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bwb import __version__
from bwb.crawl.address import is_loopback
from bwb.crawl.pace import Clock
from bwb.errors import UsageError

if TYPE_CHECKING:
    import requests

# What went wrong with a request; the answer, if there is one, is not to be used.
Trouble = Literal[
    "timeout", "connection", "truncated", "too-large", "content-encoding", "bad-url", "empty"
]

# Reason -> whether it may help to ask again.
TROUBLES: dict[Trouble, bool] = {
    "timeout": True,
    "connection": True,
    "truncated": True,
    "empty": True,
    "too-large": False,
    "content-encoding": False,
    "bad-url": False,
}

MAX_BODY = 16 * 1024 * 1024
TIMEOUT = 30.0

# A body that arrives drop by drop may take this many times the timeout in all.
_PATIENCE = 4
_CHUNK = 64 * 1024
_OPENS = re.compile(rb"<html[\s>]", re.IGNORECASE)
_CLOSES = re.compile(rb"</html\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request.

    Attributes:
        url: The address asked.
        fetched: Time of the request, ISO 8601, UTC.
        status: HTTP status; 0 if no answer came.
        reason: The words after the status.
        headers: As received.
        wire: The body as received, chunks joined.
        body: The body with its compression undone.
        trouble: What is wrong with it; None if nothing.
        message: More about the trouble.
        sent: The headers of the request.
        unclosed: Whether the page begins as an HTML document and has no end; None if it is
            none.
    """

    url: str
    fetched: str
    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    wire: bytes = b""
    body: bytes = b""
    trouble: Trouble | None = None
    message: str = ""
    sent: tuple[tuple[str, str], ...] = ()
    unclosed: bool | None = None

    def header(self, name: str) -> str | None:
        """A header of the answer by its name in lower case; the first of several."""
        return next((value for key, value in self.headers if key.lower() == name), None)


def user_agent(contact: str | None) -> str:
    """Who we say we are.

    Raises:
        UsageError: if the contact cannot stand in a header.
    """
    if contact is None:
        return f"bwb/{__version__}"
    if not contact.strip() or not contact.isascii() or not contact.isprintable():
        raise UsageError(f"contact {contact!r}; expected an address or URL in plain ASCII")
    return f"bwb/{__version__} (+{contact.strip()})"


class Fetcher:
    """Asks one host; keeps its connection and cookies. Not for several threads at a time."""

    def __init__(
        self,
        agent: str,
        *,
        timeout: float = TIMEOUT,
        max_body: int = MAX_BODY,
        clock: Clock | None = None,
    ) -> None:
        """Open no connection yet.

        Args:
            agent: The User-Agent.
            timeout: Seconds to wait for a connection, and for each piece of the answer.
            max_body: Largest body in bytes, before and after decompression.
            clock: What tells the time.
        """
        import requests

        self.timeout = timeout
        self.max_body = max_body
        self.clock = clock or Clock()
        self._session = requests.Session()
        # Neither ~/.netrc nor a proxy in the way of this machine; see `_proxies`.
        self._session.trust_env = False
        self._session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
        self._session.headers.clear()
        self._session.headers.update(
            {
                "User-Agent": agent,
                "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
                "Accept-Encoding": "gzip",
                "Connection": "keep-alive",
            }
        )

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def get(self, url: str, conditions: dict[str, str] | None = None) -> Answer:
        """Ask once.

        Args:
            url: The address.
            conditions: If-None-Match or If-Modified-Since.

        Returns:
            The answer; of one that is not whole, why.
        """
        import requests

        fetched = self.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            with self._session.get(
                url,
                headers=conditions,
                stream=True,
                allow_redirects=False,
                timeout=self.timeout,
                proxies=_proxies(url),
            ) as response:
                return self._answer(url, fetched, response)
        except requests.Timeout as error:
            return Answer(url, fetched, trouble="timeout", message=_short(error))
        except ValueError as error:  # requests' InvalidURL and InvalidSchema, a bad host name
            return Answer(url, fetched, trouble="bad-url", message=_short(error))
        except (requests.RequestException, OSError) as error:
            return Answer(url, fetched, trouble="connection", message=_short(error))

    def _answer(self, url: str, fetched: str, response: requests.Response) -> Answer:
        raw = response.raw
        wire, trouble, message = self._read(raw)
        headers = tuple((key, value) for key, value in raw.headers.items())
        body = wire
        if trouble is None and wire:
            coding = ",".join(raw.headers.getlist("content-encoding")).lower()
            body, trouble, message = decompress(wire, coding, self.max_body)
        if trouble is None and not body.strip() and response.status_code == 200:
            trouble, message = "empty", "the body is empty"
        return Answer(
            url,
            fetched,
            response.status_code,
            response.reason or "",
            headers,
            wire,
            body,
            trouble,
            message,
            tuple((str(k), str(v)) for k, v in response.request.headers.items()),
            not _CLOSES.search(body[-4096:]) if _OPENS.search(body[:4096]) else None,
        )

    def _read(self, raw: Any) -> tuple[bytes, Trouble | None, str]:  # noqa: ANN401 - urllib3
        from urllib3.exceptions import HTTPError, ReadTimeoutError

        pieces: list[bytes] = []
        size = 0
        end = self.clock.monotonic() + _PATIENCE * self.timeout
        try:
            # urllib3 compares with Content-Length, and wants the last chunk of a chunked body.
            for piece in raw.stream(_CHUNK, decode_content=False):
                pieces.append(piece)
                size += len(piece)
                if size > self.max_body:
                    return b"", "too-large", f"the body is over {self.max_body:,} bytes"
                if self.clock.monotonic() > end:
                    return b"", "timeout", f"the body took over {_PATIENCE * self.timeout:g} s"
        except (ReadTimeoutError, TimeoutError) as error:
            return b"".join(pieces), "timeout", _short(error)
        except (HTTPError, OSError, ValueError) as error:
            return b"".join(pieces), "truncated", _short(error)
        return b"".join(pieces), None, ""


def decompress(wire: bytes, coding: str, limit: int) -> tuple[bytes, Trouble | None, str]:
    """Undo a Content-Encoding.

    Args:
        wire: The bytes as received.
        coding: The header in lower case; may be empty.
        limit: Largest result in bytes.

    Returns:
        The bytes, and what is wrong with them: ``truncated`` if the stream does not end.
    """
    for name in reversed([part.strip() for part in coding.split(",")]):
        if name in ("", "identity"):
            continue
        if name not in ("gzip", "x-gzip", "deflate"):
            return b"", "content-encoding", f"Content-Encoding {name!r}, which was not asked for"
        # Some servers send raw deflate, without the zlib header that the name stands for.
        bare = name == "deflate" and (wire[0] & 0x0F != 8 or int.from_bytes(wire[:2]) % 31 != 0)
        stream = zlib.decompressobj(-15 if bare else 15 if name == "deflate" else 31)
        try:
            wire = stream.decompress(wire, limit + 1)
        except zlib.error as error:
            return b"", "truncated", f"{name}: {error}"
        if len(wire) > limit:
            return b"", "too-large", f"the body is over {limit:,} bytes"
        if not stream.eof:
            return wire, "truncated", f"the {name} stream does not end"
    return wire, None, ""


def _proxies(url: str) -> dict[str, str]:
    """Proxies the environment names; none in the way of this machine."""
    from requests.utils import get_environ_proxies

    return {} if is_loopback(url) else dict(get_environ_proxies(url))


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]
