"""Addresses of web sites in text, also where they are disguised.

Sites write their name into the chapters so that neither readers nor copiers lose sight of it, and
disguise it so that programs do not find it: full-width or mathematical letters, a space after each
letter, 。 or 点 for the dot.
"""

from __future__ import annotations

import re
import unicodedata

# Endings of addresses. Those that are words (so, me, in) only count after www.
_ENDINGS = ("com", "net", "org", "cc", "cn", "info", "xyz", "vip", "top", "tv", "io", "tw", "hk")
_ENDING = "(?:" + "|".join(_ENDINGS) + ")"
_SPACED_ENDING = r"(?:c\ o\ m|n\ e\ t|o\ r\ g|com|net|org|cc|info)"
_DOT = r"(?:[.。·•丶]|[\[(]\.[\])]|[\[(]?dot[\])]|[点點](?=com|net|org|cc))"

# For use in verbose patterns; on text that `fold` returned, in lower case.
SITE = (
    "(?:"
    rf"(?:www\.)?[a-z0-9][a-z0-9-]{{1,30}}(?:\.[a-z0-9-]{{2,20}}){{0,2}}{_DOT}{_ENDING}(?![a-z0-9])"
    rf"|(?:w\s?){{3}}\s?[.。·•,]\s?[a-z0-9](?:\s?[a-z0-9-]){{1,30}}\s?[.。·•,]\s?(?:{_SPACED_ENDING}|[a-z]{{2,4}})(?![a-z])"
    rf"|(?:[a-z0-9]\s){{2,20}}[a-z0-9]\s?[.。·•]\s?{_SPACED_ENDING}(?![a-z])"
    ")"
)
_SITE = re.compile(SITE, re.VERBOSE)
_HINT = re.compile(
    r"[.。·•丶\])t点點]\s?(?:c\s?o\s?m|n\s?e\s?t|o\s?r\s?g|cc|cn|info|xyz|vip|top|tv|io|tw|hk)(?![a-z0-9])"
    r"|w\s?w\s?w\s?[.。·•,]"
)
# Full-width letters, digits and dot; circled, squared and mathematical letters.
_DISGUISED = re.compile(
    "[\uff0e\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u2460-\u24ff\U0001d400-\U0001d7ff\U0001f130-\U0001f189]"
)


class _Fold(dict[int, int]):
    """Plain letters for disguised ones, one for one; filled as they come."""

    def __missing__(self, code: int) -> int:
        plain = unicodedata.normalize("NFKC", chr(code))
        fits = len(plain) == 1 and plain.isascii() and (plain.isalnum() or plain == ".")
        self[code] = ord(plain) if fits else code
        return self[code]


_FOLD = _Fold()


def fold(line: str) -> str:
    """A line in lower case with plain letters for disguised ones, as long as the line itself."""
    if _DISGUISED.search(line):
        line = line.translate(_FOLD)
    low = line.lower()
    # Two letters in lower case for one (İ) would shift every offset behind it.
    return low if len(low) == len(line) else "".join(c.lower()[0] for c in line)


def has_site(folded: str) -> bool:
    """Whether a folded line holds the address of a web site."""
    return _HINT.search(folded) is not None and _SITE.search(folded) is not None
