"""Cutting sentences into clauses, the pieces that translators move between sentences.

Chinese strings short clauses together with commas where English makes sentences of them; which
clauses of a bead find their translation inside it says more about its borders than the sentences
do. The cut is by punctuation alone, and joining the clauses gives back the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_CUT_CJK = re.compile(
    r"(?<=[，；：、,;:—。！？!?…])(?![，；：、,;:—。！？!?…”’」』）)\"'])"
    r"|(?<=[。！？!?…，—][”’」』）)\"'])(?![，；：、,;:—。！？!?…”’」』）)\"'])"
)
_CUT_OTHER = re.compile(
    r"(?<=[,;:—–])(?=\s)"  # not within 3,000 or 12:30
    r"|(?<=[—–])(?=\w)"
    r"|(?<=[”’\"'»])(?<=\W[”’\"'»])(?=\s)"  # a quotation ends; an apostrophe follows a letter
    r"|(?<=[.!?…])(?=\s)(?!\s\S?[.!?…])"  # sentences that nobody split; spaced marks too
    r"|(?<=[.!?…][)”“’\"'])(?=\s)"
    r"|(?=\s[(\[«„])|(?<=[)\]])(?=\s)|(?<=\s-)(?=\s)"
)


@dataclass(frozen=True, slots=True)
class ClauseRule:
    """How short clauses are glued on.

    Attributes:
        least: A clause shorter than this many characters takes in the next.
        last: A last clause shorter than this is taken in by the one before it.
    """

    least: int
    last: int


CJK = ClauseRule(4, 3)
OTHER = ClauseRule(10, 8)


def is_cjk(text: str) -> bool:
    """Whether at least a third of the characters are Chinese characters or kana."""
    return 3 * len(_CJK.findall(text)) >= len(text) > 0


def split_clauses(text: str, *, cjk: bool | None = None) -> list[str]:
    """The clauses of a sentence.

    Args:
        text: One sentence.
        cjk: Whether Chinese rules hold; None looks at the characters, for any language.

    Returns:
        At least one clause; joined they are `text`.
    """
    if cjk is None:
        cjk = is_cjk(text)
    rule, cut = (CJK, _CUT_CJK) if cjk else (OTHER, _CUT_OTHER)
    pieces = [piece for piece in cut.split(text) if piece]
    out: list[str] = []
    for piece in pieces:
        if out and len(out[-1].strip()) < rule.least:
            out[-1] += piece
        else:
            out.append(piece)
    if len(out) > 1 and len(out[-1].strip()) < rule.last:
        tail = out.pop()
        out[-1] += tail
    return out or [text]
