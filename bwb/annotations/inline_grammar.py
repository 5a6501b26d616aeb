"""The tags of BWB's inline format as regular expressions; `bwb.annotations.inline` reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bwb.records import ENTITY_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

_TYPES = "|".join(ENTITY_TYPES)
# Everything that is, or begins like, markup. Groups: a header with its arguments and brace; the
# end of a quote; a header of no known kind; a header that breaks off; a brace.
TOKEN = re.compile(
    rf"<\s*(?P<kind>{_TYPES}|[POQ])\s*(?P<args>(?:[,，][^<>{{}}\n]*)?)>(?P<open>\s*\{{)?"
    r"|(?P<end><\s*[\\/]\s*[Qq]\s*>)"
    r"|<\s*(?P<odd>[A-Za-z]{1,12})\s*(?P<oddargs>[,，][^<>{}\n]*)>(?P<oddopen>\s*\{)?"
    rf"|(?P<broken><\s*(?:{_TYPES}|[POQ])\s*[,，])"
    r"|[{}]"
)
# The same tags exactly as they should be: the fast path, and the definition of "well formed".
EXACT = re.compile(
    rf"<(?:(?:{_TYPES}), [TN?], [^\s,<>{{}}]+>\{{|[PO], [^\s,<>{{}}]+>\{{"
    r"|Q, [^\s,<>{}]+(?:, \+)?>)"
)
ID = re.compile(r"[^\s,，<>{}]+")
FLAGS = {"T": True, "N": False, "?": None}


def looks_annotated(lines: Iterable[str]) -> bool:
    """Whether any line has a tag that is exactly as it should be."""
    return any(EXACT.search(line) for line in lines)
