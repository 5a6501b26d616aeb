"""One request to a judge: its answer, or why there is none.

The endpoint speaks the chat protocol of OpenAI (``POST …/chat/completions``), as most servers of
models do. The key goes into one header and nowhere else; a message of the server that repeats it
has it blotted out.
"""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from bwb import __version__
from bwb.crawl.address import is_loopback
from bwb.errors import UsageError

if TYPE_CHECKING:
    import requests

# What went wrong with a request. Those in `PASSING` may go well another time.
Trouble = Literal[
    "timeout", "connection", "truncated", "too-large", "no-json", "busy", "server", "refused",
    "denied", "not-found", "redirect", "no-answer",
]  # fmt: skip
PASSING: frozenset[Trouble] = frozenset(
    ("timeout", "connection", "truncated", "no-json", "busy", "server", "no-answer")
)
# These will not get better while the run goes on.
FATAL: frozenset[Trouble] = frozenset(("denied", "not-found", "redirect"))

TIMEOUT = 120.0
MAX_BODY = 16 * 1024 * 1024
_CHUNK = 16 * 1024
_SAID = 300

# Words of a refusal that is about structured output.
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "schema", "structured", "guided")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request.

    Attributes:
        status: HTTP status; 0 if no answer came.
        text: The judge's words; None if there are none.
        finish: Why the judge stopped, ``stop`` or ``length``; None if not said.
        model: The model that answered, as the server names it; None if not said.
        fingerprint: The server's configuration, if it says so.
        prompt_tokens: Tokens of the prompt, as the server counts; None if not said.
        answer_tokens: Tokens of the answer; None if not said.
        trouble: What went wrong; None if nothing.
        message: More about it.
        about_format: Whether the refusal is about structured output.
        retry_after: The header of that name.
        seconds: How long it took.
    """

    status: int = 0
    text: str | None = None
    finish: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    trouble: Trouble | None = None
    message: str = ""
    about_format: bool = False
    retry_after: str | None = None
    seconds: float = 0.0


def read_key(name: str | None) -> str | None:
    """The key in an environment variable; None if no key is to be sent.

    Raises:
        UsageError: if the variable is not set, or cannot stand in a header. The value is not told.
    """
    if name is None:
        return None
    key = os.environ.get(name, "").strip()
    if not key:
        raise UsageError(
            f"the environment variable {name} is not set; put the key of the endpoint there, name "
            "another with --key-env, or say --no-key"
        )
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the key in {name} has characters that cannot stand in a header")
    return key


def endpoint_url(base: str) -> str:
    """The address of an endpoint, without a slash at its end.

    Raises:
        UsageError: if it is none, or holds a user name or password.
    """
    try:
        parts = urlsplit(base.strip())
        fit = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fit = False
    if not fit:
        raise UsageError(f"--base-url {base!r}; expected http://… or https://…")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError("--base-url has a user, password, query or fragment; expected the bare "
                         "address, and the key in the environment (--key-env)")  # fmt: skip
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


class Client:
    """Asks one endpoint; may be used by several threads."""

    def __init__(self, endpoint: str, key: str | None, *, timeout: float = TIMEOUT) -> None:
        """Open no connection yet.

        Args:
            endpoint: Its address, see `endpoint_url`.
            key: The key; None to send none.
            timeout: Seconds for an answer in all.
        """
        self.url = f"{endpoint}/chat/completions"
        self.timeout = timeout
        self._key = key
        self._local = threading.local()

    def ask(self, body: dict[str, Any]) -> Reply:
        """Ask once."""
        import requests

        start = time.monotonic()
        try:
            with self._session().post(
                self.url,
                data=json.dumps(body, ensure_ascii=False).encode(),
                stream=True,
                allow_redirects=False,
                timeout=self.timeout,
                proxies=self._proxies(),
            ) as response:
                raw = self._read(response, start + self.timeout)
                reply = self._reply(response, raw)
        except _TooLargeError:
            reply = Reply(trouble="too-large", message=f"over {MAX_BODY:,} bytes")
        except (requests.Timeout, TimeoutError) as error:
            reply = Reply(trouble="timeout", message=self._clean(error))
        except requests.exceptions.ChunkedEncodingError as error:
            reply = Reply(trouble="truncated", message=self._clean(error))
        except requests.ConnectionError as error:
            # A read that takes too long in the middle of a body is one of these as well.
            late = "timed out" in str(error).lower()
            reason = getattr(error.args[0], "reason", error) if error.args else error
            reply = Reply(trouble="timeout" if late else "connection", message=self._clean(reason))
        except (requests.RequestException, OSError, ValueError) as error:
            reply = Reply(trouble="connection", message=self._clean(error))
        return _timed(reply, time.monotonic() - start)

    def _session(self) -> requests.Session:
        import requests

        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = requests.Session()
            # ~/.netrc would put another key in place of ours.
            session.trust_env = False
            session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
            headers = {"User-Agent": f"bwb/{__version__}", "Content-Type": "application/json"}
            session.headers.update(headers)
            if self._key is not None:
                session.headers["Authorization"] = f"Bearer {self._key}"
            self._local.session = session
        return session

    def _proxies(self) -> dict[str, str]:
        from requests.utils import get_environ_proxies

        return {} if is_loopback(self.url) else dict(get_environ_proxies(self.url))

    @staticmethod
    def _read(response: requests.Response, end: float) -> bytes:
        pieces = []
        size = 0
        for piece in response.iter_content(_CHUNK):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY:
                raise _TooLargeError
            if time.monotonic() > end:
                raise TimeoutError("the answer took too long")
        return b"".join(pieces)

    def _reply(self, response: requests.Response, raw: bytes) -> Reply:
        status = response.status_code
        if status != 200:
            return self._refusal(status, raw, response.headers.get("Retry-After"))
        try:
            body = json.loads(raw)
        except ValueError:
            said = self._clean(raw.decode("utf-8", "replace"))
            return Reply(status, trouble="no-json", message=f"the body is no JSON: {said}")
        return read_reply(body, self._clean)

    def _refusal(self, status: int, raw: bytes, retry_after: str | None) -> Reply:
        said = raw.decode("utf-8", "replace")
        trouble: Trouble = "refused"
        if status == 429:
            trouble = "busy"
        elif status >= 500 or status in (408, 409, 425):
            trouble = "server"
        elif status in (401, 402, 403):
            trouble = "denied"
        elif status in (404, 405):
            trouble = "not-found"
        elif 300 <= status < 400:
            trouble = "redirect"
        about = any(word in said.lower() for word in _FORMAT_WORDS)
        return Reply(
            status,
            trouble=trouble,
            message=f"HTTP {status}: {self._clean(said)}",
            about_format=about,
            retry_after=retry_after,
        )

    def _clean(self, said: object) -> str:
        """The beginning of what a server or library says, on one line and without the key."""
        text = str(said)
        if self._key is not None:
            text = text.replace(self._key, "[key]")
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line if len(line) <= _SAID else line[:_SAID] + "…"


class _TooLargeError(Exception):
    """The body is larger than any answer."""


def read_reply(body: Any, clean: Any = str) -> Reply:  # noqa: ANN401 - JSON, a function
    """The reply in the body of a chat completion."""
    try:
        choice = body["choices"][0]
        message = choice["message"]
        text = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError):
        said = clean(json.dumps(body, ensure_ascii=False))
        return Reply(200, trouble="no-answer", message=f"no choices[0].message: {said}")
    if isinstance(text, list):
        text = "".join(str(p.get("text", "")) for p in text if isinstance(p, dict))
    if text is None:
        # A refusal is an answer: it was paid for, and asking again brings the same.
        text = message.get("refusal") or ""
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    return Reply(
        200,
        text=str(text),
        finish=_text(choice.get("finish_reason")),
        model=_text(body.get("model")),
        fingerprint=_text(body.get("system_fingerprint")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        answer_tokens=_count(usage.get("completion_tokens")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _timed(reply: Reply, seconds: float) -> Reply:
    from dataclasses import replace

    return replace(reply, seconds=round(seconds, 3))
