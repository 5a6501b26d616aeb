"""A web server on this machine: what pretended sites and the pretended judge have in common."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType


class LocalServer:
    """A server on 127.0.0.1 at a free port; it serves once entered by ``with``.

    Attributes:
        closing: Set when the server is told to stop, so that a slow answer need not be waited for.
    """

    def __init__(self, handler: type[QuietHandler]) -> None:
        """Bind.

        Args:
            handler: What answers; finds this object as `server.owner`.
        """
        self.closing = threading.Event()
        self._server = _Http(("127.0.0.1", 0), handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """Base address, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        """Serve."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Stop."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    owner: Any

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """A client that went away is no news."""


class QuietHandler(BaseHTTPRequestHandler):
    """Answers without a log."""

    protocol_version = "HTTP/1.1"
    server: _Http
    timeout = 60
    # Headers and body in one packet, at once.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Servers keep a log of their own."""
