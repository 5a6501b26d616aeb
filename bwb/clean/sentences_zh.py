"""Where Chinese sentences end.

A sentence ends after 。！？ with the closing marks that follow. After …… it ends if it is long
enough to be one and does not stutter (我……我不去). A quotation that ends like a sentence ends one,
unless it is followed by punctuation, by 的 and the like, or, where quotations are kept whole, by
who says it (他喊道。).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bwb.clean.quotes import spans
from bwb.clean.settings import cleaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.clean.quotes import Span

_END = re.compile(r"[。！？!?…]+(?:\s*[”’」』】］）》〉»])*|\.{3,}(?:\s*[”’」』】］）》〉»])*")
_CLOSING = '”’」』】］）》〉»"'
_OPENING = "“‘「『【［（《〈«"
_SPACE = " \t\u3000\u00a0"


@dataclass(frozen=True)
class Rules:
    """The settings, ready for use."""

    tag: re.Pattern[str]
    goes_on: tuple[str, ...]
    before_ellipsis: int


@cache
def rules() -> Rules:
    """The settings of `crawl/cleaning.toml`, ready for use."""
    settings = cleaning().sentences.zh
    verbs = "|".join(sorted(map(re.escape, settings.speech.split()), key=len, reverse=True))
    tag = re.compile(
        rf"[^，。！？!?：；、…“”‘’「」『』\"\s]{{0,{settings.speaker}}}(?:{verbs})[道着了]?(?:一[句声])?(?:[。：，！]|$)"
    )
    return Rules(tag, tuple(settings.goes_on.split()), settings.before_ellipsis)


def cuts(line: str, *, whole: bool) -> list[int]:
    """Offsets at which a line is cut, ascending.

    Args:
        line: A line of Chinese.
        whole: Whether quotations are kept whole; else they are cut inside as well.
    """
    ends = list(_END.finditer(line))
    if not ends or (len(ends) == 1 and ends[0].end() == len(line)):
        return []
    quotes, round_ = spans(line, "zh")
    closing = {end - 1 for _, end in quotes if line[end - 1] == '"'}
    kept = round_ + quotes if whole else [*round_, *_messages(line, quotes)]
    found: list[int] = []
    start = 0
    for match in ends:
        at = match.end()
        # A straight mark belongs to this sentence if it closes a quotation or ends the line.
        while at < len(line) and line[at] == '"' and (at in closing or at + 1 == len(line)):
            at += 1
        if at == len(line) or at <= start:
            continue
        if any(a < at < b for a, b in kept):
            continue
        if _ends(line, start, match.start(), at, whole=whole):
            found.append(at)
            start = at
    return found


def _messages(line: str, quotes: Sequence[Span]) -> list[Span]:
    """Messages in square brackets (【系统：…】), which are never cut."""
    return [span for span in quotes if line[span[0]] in "【［["]


def _ends(line: str, start: int, mark: int, end: int, *, whole: bool) -> bool:
    """Whether the sentence that began at ``start`` ends at ``end``; its end mark is at ``mark``."""
    body = line[start:mark].strip(_SPACE + _OPENING + _CLOSING + "…。！？!?")
    if not body and not line[start:end].strip(_SPACE).startswith(tuple(_OPENING + '"')):
        return False  # nothing but marks
    rest = line[end:].lstrip(_SPACE)
    if not rest:
        return False
    if rest[0] in "，、；：,;:—～~·。！？!?…" or rest[0] in _CLOSING[:-1]:
        return False
    if line[end - 1] in _CLOSING:
        if rest.startswith(rules().goes_on):
            return False
        if line[end - 1] in "）)》〉":
            # A parenthesis ends a sentence only if it is one: （他不信。）
            opened = line.rfind(
                {"）": "（", ")": "(", "》": "《", "〉": "〈"}[line[end - 1]], start, mark
            )
            return opened < 0 or not line[start:opened].strip(_SPACE)
        return not (whole and rules().tag.match(rest))
    if line[mark] in "….":
        last = line[mark:end].rstrip(_SPACE)[-1]
        if last in "….":
            return _ends_in_ellipsis(line[start:mark].rstrip(_SPACE), rest)
    return True


def _ends_in_ellipsis(before: str, rest: str) -> bool:
    if len(before) < rules().before_ellipsis or before[-1] in "，、；：,":
        return False
    if any(mark in before for mark in "“「『") and not any(mark in before for mark in "”」』"):
        return False
    # 怕……怕得厉害; 所以……所以
    return before[-1] != rest[0] and before[-2:] != rest[:2]
