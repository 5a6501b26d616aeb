"""Damage within a line that can be undone without a doubt: encoding, markup, invisible characters.

Reason codes of alterations, in the order in which they are made:

==============  ==================================================================================
mojibake        UTF-8 that was read as windows-1252 (â€œ, æˆ‘), read again
markup          tags that a page showed as text (<br>)
entity          HTML entities that a page showed as text (&nbsp;, &#8220;)
private-use     characters without a meaning of their own
invisible       zero-width characters, soft hyphens, direction marks, control characters
space           white space at the ends, in runs, or other than U+0020
==============  ==================================================================================

UTF-8 that was read as GBK (鎴戜滑) has lost bytes and cannot be had back from the text.
"""

from __future__ import annotations

import html
import re
import unicodedata

_CONTROL = r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_PRIVATE = r"\ue000-\uf8ff\U000f0000-\U0010ffff"
_LATIN_DAMAGE = "ÃÂâäåæçèéïðœ"
_SPACE = r"\t\n\x0b\x0c\r\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

# One search a line for all that may have to be done; clean lines cost no more.
_SUSPICIOUS = re.compile(f"[&<{_CONTROL}{_INVISIBLE}{_PRIVATE}{_LATIN_DAMAGE}{_SPACE}]|  ")
_CP1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_MOJIBAKE = re.compile(
    rf"[ÃÂ][\x80-\xbf{_CP1252}]|â[\x80€][\x80-\xbf{_CP1252}]"
    rf"|[äåæçèéï][\x80-\xbf{_CP1252}][\x80-\xbf{_CP1252}]|ðŸ"
)
_TAG = re.compile(
    r"</?(?:p|br|div|span|b|i|u|em|strong|font|img|sup|sub|hr|h[1-6]|li|ul|a(?=[\s>]))(?:\s+[\w-]+\s*=[^<>]{0,200})?\s*/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|[A-Za-z][A-Za-z0-9]{1,30});")
_HIDDEN = re.compile(f"[{_CONTROL}{_INVISIBLE}]")
_PRIVATE_USE = re.compile(f"[{_PRIVATE}]")


def repair(line: str) -> tuple[str, list[str]]:
    """Undo the damage of a line.

    Args:
        line: A line as extracted.

    Returns:
        The line, perhaps empty, and the reason codes of what was done to it (see the module).
    """
    stripped = line.strip()
    reasons = [] if stripped == line else ["space"]
    if not _SUSPICIOUS.search(stripped):
        return stripped, reasons
    for reason, step in _STEPS:
        done = step(stripped)
        if done != stripped:
            stripped = done
            if reason not in reasons:
                reasons.append(reason)
    return stripped, reasons


def _mojibake(line: str) -> str:
    if not _MOJIBAKE.search(line):
        return line
    import ftfy

    config = ftfy.TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        remove_control_chars=False,
        normalization=None,
        explain=False,
    )
    return str(ftfy.fix_text(line, config))


def _markup(line: str) -> str:
    if "<" not in line:
        return line
    return _TAG.sub(lambda tag: " " if tag[0][1:3].lower() in ("br", "hr") else "", line)


def _entities(line: str) -> str:
    # Twice: &amp;nbsp; is as frequent as &nbsp;.
    for _ in range(2):
        if "&" not in line or not _ENTITY.search(line):
            break
        line = _ENTITY.sub(lambda entity: _character(entity[0]), line)
    return line


def _character(entity: str) -> str:
    made = html.unescape(entity)
    # &foo; is text; a number that names no character is left for people to see.
    if made.endswith(";") or any(unicodedata.category(char) == "Cs" for char in made):
        return entity if made != ";" else made
    return made


_STEPS = (
    ("mojibake", _mojibake),
    ("markup", _markup),
    ("entity", _entities),
    ("private-use", lambda line: _PRIVATE_USE.sub("", line)),
    ("invisible", lambda line: _HIDDEN.sub("", line)),
    ("space", lambda line: " ".join(line.split())),
)
