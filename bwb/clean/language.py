"""Which language a text is in: Chinese, English, or neither.

Cheap, by the characters, and for Latin script by frequent words; made for finding chapters in the
wrong language and lines that were never translated, not for telling languages apart in general.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from bwb.clean.settings import cleaning

Guess = Literal["zh", "en", "other"]

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = re.compile("[\u3041-\u309f\u30a0-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_LETTER = re.compile(r"[^\W\d_]")
_PIECE = 600  # characters
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> Guess | None:
    """The language of a text.

    Args:
        text: A line or a chapter. Of a long text three pieces are looked at: its beginning,
            middle and end.

    Returns:
        ``zh`` for Chinese in either script, ``en`` for English, ``other`` for anything else; None
        if there is too little text to tell.
    """
    settings = cleaning().language
    if len(text) > 3 * _PIECE:
        middle = (len(text) - _PIECE) // 2
        text = "\n".join((text[:_PIECE], text[middle : middle + _PIECE], text[-_PIECE:]))
    letters = len(_LETTER.findall(text))
    han, kana = len(_HAN.findall(text)), len(_KANA.findall(text))
    # A Chinese character is worth about three letters.
    if letters + 2 * han < settings.least:
        return None
    if han and kana >= settings.kana * (han + kana):
        return "other"
    if han >= settings.han * letters:
        return "zh"
    if len(_LATIN.findall(text)) < settings.latin * letters:
        return "other"
    words = _WORD.findall(text.lower())
    if len(words) < settings.least_words:
        return None
    english, others = _words()
    ours = sum(word in english for word in words)
    theirs = sum(word in others for word in words)
    if ours == theirs == 0 and len(words) < 2 * settings.least_words:
        return None  # a heading, a list of names
    return "en" if ours > theirs and ours >= settings.function_words * len(words) else "other"


@cache
def _words() -> tuple[frozenset[str], frozenset[str]]:
    settings = cleaning().language
    english = frozenset(settings.en.split())
    return english, frozenset(settings.others.split()) - english
