"""Titles of chapters: their number, their name, and the line of the text that repeats them.

Numbers are read from ``第一百零三章 灯渡``, ``卷三 第5回``, ``Chapter 12: X``, ``Vol. 2 Ch. 12``,
``12. X``, ``Chapter Twelve`` and ``Chapter XII``, with full-width digits too. The words are in
``crawl/titles.toml``.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A line that repeats the title is no longer than this, in code points, unless it is the title.
_LONGEST = 100
# … and there are at most so many of them: "Chapter 12", then "The Lamp", then both again.
_MOST = 3
_END_MARKS = ".!?…。」』”\"'’"
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


@dataclass(frozen=True, slots=True)
class Title:
    """A title in two parts.

    Attributes:
        number: Number of the chapter; None if the title names none, or is that of a side story.
        name: The rest, after the number; the whole if there is no number.
        before: What stands before the number: a volume, the title of the book.
    """

    number: int | None
    name: str
    before: str = ""


@dataclass(frozen=True)
class _Words:
    digits: Mapping[str, int]
    units: Mapping[str, int]
    tens: Mapping[str, int]
    english: Mapping[str, int]
    patterns: tuple[re.Pattern[str], ...]
    aside: tuple[re.Pattern[str], ...]
    before: tuple[re.Pattern[str], ...]
    pages: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=1)
def _words() -> _Words:
    text, _ = read_text(asset("crawl/titles.toml"))
    body = tomllib.loads(text)
    zh, en = body["zh"], body["en"]
    numeral = "[0-9" + "".join((*zh["digits"], *zh["units"], *zh["tens"])) + "]+"
    spelt = "|".join(sorted(en["numbers"], key=lambda word: -len(word)))
    counted = "|".join(re.escape(word) for word in zh["chapter"].split())
    chapter = "|".join(map(re.escape, en["chapter"].split()))
    decimals = r"(?:\.\d+)?"
    rest = r"(?P<name>.*)$"
    patterns = (
        rf"第\s*(?P<zh>{numeral})\s*(?:{counted}){rest}",
        rf"\b(?i:{chapter})s?\b[.\s]*(?:#|no\.)?\s*(?P<zh>\d+){decimals}(?!\d){rest}",
        rf"\b(?i:{chapter})\b[.\s]*(?P<en>(?i:(?:{spelt})(?:(?:[\s-]|\band\b)+(?:{spelt}))*))\b{rest}",
        rf"\b(?i:{chapter})\b[.\s]*(?P<roman>[IVXLCDM]+)\b{rest}",
        rf"^\W*(?P<zh>\d{{1,5}})(?:\s*[.、:)\]】—–-](?!\d)|\s*$){rest}",
        rf"^(?P<zh>0\d{{1,4}})\s+{rest}",
        rf"^(?P<zh>{numeral})(?:\s*[.、:](?!\d)|\s*$){rest}",
        rf"^(?P<zh>{numeral})\s+(?=[㐀-鿿])(?![{zh['quantities']}]){rest}",
    )
    return _Words(
        zh["digits"],
        zh["units"],
        zh["tens"],
        en["numbers"],
        tuple(re.compile(pattern, re.DOTALL) for pattern in patterns),
        *(
            tuple(re.compile(pattern) for pattern in body[part]["patterns"])
            for part in ("aside", "before", "pages")
        ),
    )


@lru_cache(maxsize=4096)
def split_title(title: str) -> Title:
    """Number and name of a chapter by its title; a page of the chapter (``(2/3)``) is cut."""
    words = _words()
    plain = without_page(unicodedata.normalize("NFKC", title).strip())
    if any(pattern.search(plain) for pattern in words.aside):
        return Title(None, plain)
    for pattern in words.patterns:
        match = pattern.search(plain)
        if match:
            number = _number(match)
            if number is not None:
                name = match["name"].lstrip(" \t.:、,-–—|·_)]】").rstrip()
                return Title(number, name, plain[: match.start()].strip())
    return Title(None, plain)


def chapter_number(title: str) -> int | None:
    """Number of the chapter; None if its title names none."""
    return split_title(title).number


def without_page(title: str) -> str:
    """The title without a mark that says which page of the chapter this is."""
    for pattern in _words().pages:
        cut = pattern.sub("", title)
        if cut.strip():
            title = cut
    return title


def repeats_title(line: str, title: str) -> bool:
    """Whether a line says what the title says, and nothing else.

    Case, punctuation and white space do not count, nor how the number is written, nor a page
    mark; the line may be the number alone (``第十二章``, not ``12``), or the name alone. A name
    alone that ends as a sentence does, while the title does not, is taken for text.
    """
    line, title = without_page(line), without_page(title)
    bare_line, bare_title = _bare(line), _bare(title)
    if not bare_line or not bare_title:
        return False
    if bare_line == bare_title:
        return _ends(line) == _ends(title) or split_title(line).number is not None
    if len(line) > _LONGEST:
        return False
    left, right = split_title(line), split_title(title)
    names = _bare(left.name), _bare(right.name)
    if left.before and left.before != right.before and not _heads(left.before):
        return False
    if chinese_number(bare_line) is not None:
        return False  # 一, or 12, heads a section as well
    if left.number is not None and right.number is not None:
        return left.number == right.number and names[0] in (names[1], "")
    if left.number is None and right.number is None:
        return False
    return bool(names[0]) and names[0] == names[1] and _ends(line) == _ends(title)


def count_title_lines(lines: Sequence[str], titles: Iterable[str]) -> int:
    """How many of the first lines only repeat one of the titles."""
    known = [title for title in titles if title]
    count = 0
    while count < min(_MOST, len(lines)) and any(
        repeats_title(lines[count], title) for title in known
    ):
        count += 1
    return count


def chinese_number(text: str) -> int | None:
    """The number a Chinese numeral or decimal digits stand for; None if it is neither.

    ``一百零三`` is 103, ``一百二`` 120, ``二〇三`` 203, ``廿五`` 25.
    """
    words = _words()
    text = unicodedata.normalize("NFKC", text)
    if text.isdecimal():
        return int(text)
    if text and all(character in words.digits for character in text):
        return int("".join(str(words.digits[character]) for character in text))
    total = section = 0
    digit: int | None = None
    unit = 1
    for character in text:
        if character in words.digits:
            digit = words.digits[character]
            unit = 1 if digit == 0 else unit
        elif character in words.tens:
            section += words.tens[character]
            unit = 10
        elif character in words.units:
            unit = words.units[character]
            if unit == 10000:
                total, section = (total + section + (digit or 0)) * unit, 0
            else:
                section += (1 if digit is None else digit) * unit
            digit = None
        else:
            return None
    if digit:
        # 一百二 is short for 一百二十; after 零 or 十 a last digit is units.
        section += digit * (unit // 10 if unit >= 100 else 1)
    return total + section if text else None


def _heads(text: str) -> bool:
    """Whether a title may begin so: with a volume, or the title of the book."""
    return any(pattern.fullmatch(text) for pattern in _words().before)


def _number(match: re.Match[str]) -> int | None:
    found = match.groupdict()
    if found.get("zh"):
        return chinese_number(found["zh"])
    if found.get("en"):
        return _english_number(found["en"])
    return _roman_number(found["roman"])


def _english_number(text: str) -> int:
    total = section = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        value = _words().english.get(word, 0)
        if value == 100:
            section = max(1, section) * value
        elif value == 1000:
            total, section = total + max(1, section) * value, 0
        else:
            section += value
    return total + section


def _roman_number(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    following = [*values[1:], 0]
    pairs = zip(values, following, strict=True)
    return sum(-value if value < after else value for value, after in pairs)


@lru_cache(maxsize=4096)
def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def _ends(text: str) -> bool:
    """Whether the text ends as a sentence does."""
    return text.rstrip()[-1:] in set(_END_MARKS)
