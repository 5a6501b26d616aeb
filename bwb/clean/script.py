"""Traditional characters, and putting text into simplified ones where it is traditional.

Which characters tell the scripts apart is asked of OpenCC: a character is traditional if OpenCC
makes another one of it (國), simplified if it makes another one of it on the way to traditional
(国), and says nothing if it is in both (人). What GB 2312, the character set of simplified text,
has as well, such as 乾 and 徵, is in both too: simplified text needs them for names.

Limits: in a traditional edition a person called 沈乾 comes out as 沈干 and the note 徵 as 征, for
OpenCC knows few names (乾隆 and 乾坤 it does); one simplified character stands for several
traditional ones (后, 里, 面), so the original cannot be had back from the result, which is why
callers keep it; words of Taiwan (滑鼠) stay what they are.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from bwb.clean.settings import cleaning

if TYPE_CHECKING:
    from collections.abc import Sequence

_HAN = re.compile("[\u3400-\u9fff]")


@cache
def _converter(config: str) -> Any:  # noqa: ANN401 - opencc has no types
    import opencc

    return opencc.OpenCC(config)


@cache
def _tables() -> tuple[frozenset[str], frozenset[str]]:
    """Characters that are only traditional, and those that are only simplified."""
    characters = [chr(code) for code in range(0x3400, 0xA000)]
    to_simplified = _converter("t2s").convert("\n".join(characters)).split("\n")
    to_traditional = _converter("s2t").convert("\n".join(characters)).split("\n")
    changed = {c for c, made in zip(characters, to_simplified, strict=True) if made != c}
    simplified = {c for c, made in zip(characters, to_traditional, strict=True) if made != c}
    # 后 becomes 後 and stays 后: it is at home in both.
    at_home = {c for c in changed if _in_gb2312(c)}
    return frozenset(changed - simplified - at_home), frozenset(simplified - changed)


def _in_gb2312(character: str) -> bool:
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    traditional, simplified = _tables()
    return re.compile(f"[{''.join(traditional)}]"), re.compile(f"[{''.join(simplified)}]")


def counts(text: str) -> tuple[int, int]:
    """Number of characters that are only traditional, and of those that are only simplified."""
    traditional, simplified = _patterns()
    return len(traditional.findall(text)), len(simplified.findall(text))


def traditional_share(text: str) -> float | None:
    """Share of traditional characters among those that tell the scripts apart; None if none does.

    1.0 is a text all traditional, 0.0 one all simplified.
    """
    traditional, simplified = counts(text)
    return traditional / (traditional + simplified) if traditional + simplified else None


def simplify(text: str) -> str:
    """Put text into simplified characters, whatever it is in."""
    made = _converter("t2s").convert(text)
    return str(made)


def simplify_lines(lines: Sequence[str]) -> tuple[str, ...] | None:
    """Put the traditional lines of a chapter into simplified characters.

    In a traditional chapter every line is converted that is not simplified itself, short ones
    that do not tell included; in a simplified one only lines that are traditional themselves: a
    letter, a stele. So a mixed chapter comes out in one script.

    Returns:
        As many lines as there were; None if there is nothing to convert.
    """
    settings = cleaning().script
    text = "\n".join(lines)
    traditional, simplified = counts(text)
    if traditional < settings.least:
        return None
    whole = traditional / (traditional + simplified) > settings.threshold
    made = []
    for line in lines:
        here, against = counts(line)
        share = here / (here + against) if here + against else None
        if share is None:
            convert = whole
        else:
            convert = share > settings.threshold and (whole or here >= settings.least)
        made.append(simplify(line) if convert else line)
    return tuple(made) if any(a != b for a, b in zip(made, lines, strict=True)) else None
