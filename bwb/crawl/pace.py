"""How fast a host is asked: rate, jitter, back-off, Retry-After.

All waiting goes through a `Clock`, so that a test can let hours pass in no time.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from bwb.crawl.address import is_loopback

if TYPE_CHECKING:
    import random
    from threading import Condition

# Intervals are longer than asked for by up to this share.
JITTER = 0.25

# Hosts other than this machine are never asked faster, whatever a recipe says.
LEAST_SECONDS = 1.0

# The web archive blocks who asks more than about 0.4 times a second.
ARCHIVE_SECONDS = 2.5

# A back-off starts at twice the interval of the host, at least at this, and doubles up to …
FIRST_WAIT = 0.1
# … this.
LONGEST_WAIT = 300.0


class Clock:
    """Time as it passes."""

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def now(self) -> datetime:
        """Time of day, UTC."""
        return datetime.now(UTC)

    def wait(self, condition: Condition, seconds: float | None) -> None:
        """Wait on a condition that is held; None is for ever."""
        condition.wait(seconds)


def interval(url: str, recipe: float, asked: float | None) -> float:
    """Seconds between two requests to the host of an address, before its robots.txt is read.

    Args:
        url: The address.
        recipe: What the recipe says.
        asked: What the caller says: it can only slow things down, except on this machine.
    """
    if is_loopback(url):
        return recipe if asked is None else asked
    return max(recipe, asked or 0.0, LEAST_SECONDS)


def jittered(seconds: float, chance: random.Random) -> float:
    """The interval made longer by a random share of it."""
    return seconds * (1 + JITTER * chance.random())


def back_off(attempt: int, seconds: float, chance: random.Random) -> float:
    """Seconds to wait after a failure.

    Args:
        attempt: How often it has failed, from 1.
        seconds: The interval of the host, the unit of waiting.
        chance: Where the jitter comes from.
    """
    first = max(FIRST_WAIT, 2 * seconds)
    return jittered(min(first * 2 ** min(attempt - 1, 30), LONGEST_WAIT), chance)


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds a Retry-After header asks to wait; None if there is none that makes sense.

    Args:
        header: Seconds, or an HTTP date.
        now: The time at which it came.
    """
    value = (header or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
