"""What an answer means: to be kept, to be asked for again, or a reason to leave a host alone.

Reasons are stable codes:

    not-found (404)  gone (410)  refused (401, 403, 451)  http-NNN  timeout  connection  truncated
    empty  too-large  content-encoding  bad-url  bad-redirect  redirect-loop  too-many-redirects
    robots (robots.txt forbids it)  missing (an archive has no capture)  bad-cdx  left-archive
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bwb.crawl.address import target
from bwb.crawl.fetch import TROUBLES

if TYPE_CHECKING:
    from bwb.crawl.fetch import Answer

# Statuses after which the same request may succeed later.
_LATER = {408, 425, 429, 500, 502, 503, 504, 507, 509, 520, 521, 522, 523, 524, 529}
_NAMES = {401: "refused", 403: "refused", 404: "not-found", 410: "gone", 451: "refused"}
REDIRECTS = (300, 301, 302, 303, 307, 308)

# What `--retry-failed` asks for again. A refusal is none of them.
PASSING = (
    "timeout",
    "connection",
    "truncated",
    "empty",
    *(f"http-{status}" for status in sorted(_LATER)),
)

_MAY_BE_EMPTY = ("robots", "cdx")

# What an answer says of the host: it is well, at least alive, refusing, too busy, failing, not to
# be reached; or nothing.
Health = Literal["well", "alive", "refuses", "busy", "ill", "dead", "unknown"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with an answer.

    Attributes:
        error: Why it is not a page that can be used; None if it is one, or leads on.
        again: Whether to ask again.
        health: What it says of the host.
        record: Whether it is a whole answer, which a WARC file can hold.
    """

    error: str | None
    again: bool
    health: Health
    record: bool


def judge(answer: Answer, kind: str) -> Verdict:
    """What to do with an answer.

    Args:
        answer: The answer.
        kind: What it is for: a robots.txt or an archive's list may well be empty.
    """
    if answer.trouble == "empty" and kind in _MAY_BE_EMPTY:
        return Verdict(None, False, "well", True)
    if answer.trouble is not None:
        again = TROUBLES[answer.trouble]
        dead = answer.trouble in ("timeout", "connection")
        whole = answer.trouble == "empty"
        return Verdict(answer.trouble, again, "dead" if dead else "unknown", whole)
    status = answer.status
    error = final_error(answer, kind)
    if status == 304 or error is None:
        return Verdict(None, False, "well", True)
    if status == 429:
        return Verdict(error, True, "busy", True)
    if error == "refused":
        return Verdict(error, False, "refuses", True)
    if status in _LATER:
        return Verdict(error, True, "ill", True)
    return Verdict(error, False, "alive", True)


def final_error(answer: Answer, kind: str) -> str | None:
    """Why an answer that will not be asked for again is no page; None if it is, or leads on."""
    status = answer.status
    if status in REDIRECTS:
        return None if target(answer.url, answer.header("location")) else "bad-redirect"
    if status == 200:
        return None if answer.body.strip() or kind in _MAY_BE_EMPTY else "empty"
    return _NAMES.get(status, f"http-{status}")
