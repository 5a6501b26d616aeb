"""A judge on this machine for tests, benchmarks and trying things out: it answers by rule.

    with Judge([Fault(429, retry_after="0"), None, Fault(text="no JSON")]) as judge:
        main(["judge", "run", "--base-url", judge.url, "--no-key", …])
    assert len(judge.asked) == 4

Without being told, it answers in the form of the schema it is asked for: a score of 3, one
mistake a list, quoting the first words of the text. It reads nothing else of the prompt.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bwb.crawl.loopback_http import LocalServer, QuietHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_TEXT = re.compile(r"<<<TEXT \w+>>>\n(.*?)\n<<<END TEXT", re.DOTALL)
_WORDS = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """A bad answer.

    Attributes:
        status: HTTP status.
        body: The body; None for words in the form of an error.
        retry_after: A header of that name.
        delay: Seconds to wait before the answer.
        cut: Whether to end the body half-way, though its length was announced.
        drop: Whether to close the connection without an answer.
        text: What the judge says, in a reply that is well-formed.
        finish: Why it stopped.
    """

    status: int = 200
    body: bytes | None = None
    retry_after: str | None = None
    delay: float = 0.0
    cut: bool = False
    drop: bool = False
    text: str | None = None
    finish: str = "stop"


class Judge(LocalServer):
    """A server on 127.0.0.1 at a free port.

    Attributes:
        asked: The bodies of the requests that came, in order.
        headers: Their headers, names in lower case.
    """

    def __init__(
        self,
        faults: Iterable[Fault | None] = (),
        *,
        judge: Callable[[dict[str, Any]], Fault | None] | None = None,
    ) -> None:
        """Bind, and serve once entered by ``with``.

        Args:
            faults: Each takes its turn, None is a good answer; after them all is well.
            judge: Given the body of a request, says what is wrong with the answer to it.
        """
        super().__init__(_Handler)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._faults = deque(faults)
        self._judge = judge
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Base address for a client."""
        return f"{super().url}/v1"

    def receive(self, body: dict[str, Any], headers: dict[str, str]) -> Fault:
        """Note a request; returns how to answer it."""
        with self._lock:
            self.asked.append(body)
            self.headers.append(headers)
            fault = self._faults.popleft() if self._faults else None
        if fault is None and self._judge is not None:
            fault = self._judge(body)
        fault = fault or Fault()
        if fault.delay:
            self.closing.wait(fault.delay)
        return fault


def well(body: dict[str, Any]) -> str:
    """A good answer to a request: as its schema asks, else a score and no mistakes."""
    text = _TEXT.search(body["messages"][-1]["content"])
    quote = " ".join((text[1] if text else "").split()[:_WORDS])
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if schema is None:
        return json.dumps({"score": 3, "faults": [], "mistakes": []})
    return json.dumps(_fill(schema, quote), ensure_ascii=False)


def _fill(schema: dict[str, Any], quote: str) -> Any:  # noqa: ANN401 - JSON
    if schema["type"] == "object":
        return {name: quote if name == "quote" else _fill(inner, quote)
                for name, inner in schema["properties"].items()}  # fmt: skip
    if schema["type"] == "array":
        return [_fill(schema["items"], quote)]
    if "enum" in schema:
        return schema["enum"][len(schema["enum"]) // 2]
    return "so it is"


class _Handler(QuietHandler):
    def do_POST(self) -> None:  # noqa: N802 - as http.server calls it
        """Answer, or not."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(raw)
        fault = self.server.owner.receive(body, headers)
        if fault.drop:
            self.close_connection = True
            return
        data = self._data(body, fault)
        self.send_response(fault.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if fault.retry_after is not None:
            self.send_header("Retry-After", fault.retry_after)
        self.end_headers()
        if fault.cut:
            self.close_connection = True
            data = data[: len(data) // 2]
        self.wfile.write(data)
        self.wfile.flush()

    @staticmethod
    def _data(body: dict[str, Any], fault: Fault) -> bytes:
        if fault.body is not None:
            return fault.body
        if fault.status != 200:
            return json.dumps({"error": {"message": f"error {fault.status}"}}).encode()
        text = well(body) if fault.text is None else fault.text
        prompt = sum(len(message["content"]) for message in body["messages"]) // 4
        reply = {
            "id": f"reply-{time.monotonic_ns()}",
            "object": "chat.completion",
            "model": body.get("model"),
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text},
                 "finish_reason": fault.finish}
            ],
            "usage": {"prompt_tokens": prompt, "completion_tokens": len(text) // 4},
        }  # fmt: skip
        return json.dumps(reply).encode()
