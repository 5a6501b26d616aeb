"""A chapter with its sentences: what rules, duplicates and pairing look at."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.errors import UsageError
from bwb.records import Chapter  # noqa: TC001 - pydantic reads the annotations

if TYPE_CHECKING:
    from collections.abc import Sequence

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_PARTS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Text:
    """A chapter in one language, cut into sentences."""

    chapter: Chapter
    """Where it came from, and its lines."""
    sentences: tuple[str, ...]
    """Its sentences, in order; none is empty."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Book, place of the chapter, language: unique in a corpus."""
        return self.chapter.book, self.chapter.chapter, self.chapter.lang


def join(texts: Sequence[Text]) -> Text:
    """Several chapters of one book and language as one, in the order given.

    The place becomes ``3+4``; address, title and number are those of the first; digests go.

    Raises:
        UsageError: if there is none, or they are not of one book and language.
    """
    if not texts:
        raise UsageError("no chapters to join; expected at least one")
    first = texts[0].chapter
    for text in texts:
        if (text.chapter.book, text.chapter.lang) != (first.book, first.lang):
            raise UsageError(
                f"chapters of {first.book} ({first.lang}) and of {text.chapter.book} "
                f"({text.chapter.lang}) cannot be joined; expected one book and one language"
            )
    if len(texts) == 1:
        return texts[0]
    chapters = [text.chapter for text in texts]
    original = None
    if any(chapter.original is not None for chapter in chapters):
        original = tuple(line for c in chapters for line in c.original or c.lines)
    whole = dataclasses.replace(
        first,
        chapter="+".join(chapter.chapter for chapter in chapters),
        lines=tuple(line for chapter in chapters for line in chapter.lines),
        pages=tuple(page for chapter in chapters for page in chapter.pages),
        sha256_raw=None,
        sha256_text=None,
        original=original,
    )
    return Text(whole, tuple(sentence for text in texts for sentence in text.sentences))


def han_share(text: str) -> float | None:
    """Share of a text's letters that are Chinese characters; None if it has no letters."""
    letters = sum(map(str.isalpha, text))
    return len(_HAN.findall(text)) / letters if letters else None


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which ``book10`` comes after ``book9``."""
    return tuple(
        (0, int(part), part) if part.isdecimal() else (1, 0, part)
        for part in _PARTS.split(name)
        if part
    )
