"""What the crawler knows of HTML: sets of elements, and patterns; ``crawl/html.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache

from bwb.assets import asset
from bwb.textio import read_text


@dataclass(frozen=True)
class Html:
    """See the comments in ``crawl/html.toml``."""

    blocks: frozenset[str]
    paragraphs: frozenset[str]
    silent: frozenset[str]
    containers: frozenset[str]
    hidden: re.Pattern[str]
    display: re.Pattern[str]
    preformatted: re.Pattern[str]
    other_chapter: re.Pattern[str]


@lru_cache(maxsize=1)
def html() -> Html:
    """Read it, once a process."""
    text, _ = read_text(asset("crawl/html.toml"))
    body = tomllib.loads(text)
    sets = {name: frozenset(names.split()) for name, names in body["elements"].items()}
    patterns = {name: re.compile(pattern) for name, pattern in body["patterns"].items()}
    return Html(
        sets["blocks"],
        sets["paragraphs"],
        sets["silent"],
        sets["containers"],
        patterns["hidden"],
        patterns["display"],
        patterns["preformatted"],
        patterns["other_chapter"],
    )
