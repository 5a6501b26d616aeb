"""What a robots.txt allows us (RFC 9309), read by Protego.

404 and other 4xx       there are no rules: everything is allowed
401, 403, 451           a refusal: nothing is allowed
429, 5xx, no answer     not known: nothing is asked until there is an answer
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

# The product token that robots.txt files address us by.
AGENT = "bwb"

# RFC 9309, section 2.5: at least 500 KiB are read.
LONGEST = 512 * 1024

# RFC 9309, section 2.4: a copy is used for no more than 24 hours.
FRESH_SECONDS = 24 * 3600

REFUSALS = (401, 403, 451)


@dataclass(frozen=True)
class Rules:
    """What one origin allows.

    Attributes:
        parsed: The rules; None if there are none.
        refused: Whether the robots.txt itself was refused, so that nothing is allowed.
    """

    parsed: Protego | None = None
    refused: bool = False

    def allows(self, url: str) -> bool:
        """Whether we may ask for an address of this origin."""
        if self.refused:
            return False
        return self.parsed is None or bool(self.parsed.can_fetch(url, AGENT))

    @property
    def delay(self) -> float:
        """Least seconds between two requests, by Crawl-delay or Request-rate; 0 if neither."""
        if self.parsed is None:
            return 0.0
        rate = self.parsed.request_rate(AGENT)
        by_rate = rate.seconds / rate.requests if rate else 0.0
        return max(float(self.parsed.crawl_delay(AGENT) or 0), by_rate)


def read_rules(status: int, body: bytes) -> Rules:
    """The rules of an origin, by what it answered.

    Args:
        status: HTTP status, after redirects; none that means "not known", see above.
        body: The file.
    """
    from protego import Protego

    if status in REFUSALS:
        return Rules(refused=True)
    if not 200 <= status < 300:
        return Rules()
    text = body[:LONGEST].decode("utf-8", "replace").removeprefix("\ufeff")
    return Rules(Protego.parse(text))
