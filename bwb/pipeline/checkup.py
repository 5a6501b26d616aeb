"""What can be wrong with a document by itself; `bwb.pipeline.doctor` looks at all together."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pydantic import Field

from bwb.clean.language import language_of
from bwb.clean.text import han_share
from bwb.errors import Finding, Severity
from bwb.tomlfile import Strict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bwb.clean.filters import Filters
    from bwb.records import Document, Side

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[A-Za-z]+")
# Control characters but the tab, and characters that cannot be seen.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


class DoctorSettings(Strict):
    """`crawl/doctor.toml`."""

    chapter_z: float
    sentence_z: float
    chapter_ratio_z: float
    link_ratio_z: float
    factor: float = Field(gt=1)
    link_least: int
    fewest: int
    nulls: float
    latin: float
    latin_words: int


class Checkup:
    """Checks documents one by one."""

    def __init__(self, settings: DoctorSettings, filters: Filters) -> None:
        """Keep the thresholds."""
        self.settings, self.filters = settings, filters
        self._damage = _compiled("|".join(f"(?:{p})" for p in filters.damage.patterns))

    def check(self, document: Document) -> Iterator[Finding]:
        """What is wrong with a document; the line of a finding is the 1-based sentence."""
        name = document.id
        if document.split is None:
            yield _finding(name, 0, "no-split", "the document is in no split", "warning")
        for lang, side in (("zh", document.zh), ("en", document.en)):
            if side is None:
                yield _finding(name, 0, "one-sided", f"no {lang} side", "warning")
                continue
            where = f"{name} [{lang}]"
            if not any(map(str.strip, side.sentences)):
                yield _finding(where, 0, "empty-side", "no text", "error")
                continue
            yield from self._encoding(side, where)
            yield from self._language(side, where)
            yield from _provenance(side, where)
        if document.zh is not None and document.en is not None:
            yield from self._links(document)

    def _encoding(self, side: Side, where: str) -> Iterator[Finding]:
        found = list(self._damage.finditer(side.text))
        if found:
            share = sum(len(m.group()) for m in found) / len(side.text)
            bad = share > self.filters.rules["encoding-damage"].threshold
            line, column = _place(side, found[0].start())
            first = ascii(found[0].group()[:10])
            message = f"{share:.2%} of the characters look wrongly decoded, first {first}"
            severity: Severity = "error" if bad else "warning"
            yield Finding(where, line, column, "encoding-damage", message, severity=severity)
        hidden = [m for m in _HIDDEN.finditer(side.text) if m.group() != "\n"]
        if hidden:
            line, column = _place(side, hidden[0].start())
            message = f"{len(hidden)} control or invisible characters, first {hidden[0].group()!a}"
            yield Finding(where, line, column, "hidden-character", message, severity="warning")

    def _language(self, side: Side, where: str) -> Iterator[Finding]:
        guess = language_of(side.text)
        if guess not in (None, side.lang):
            yield _finding(where, 0, "wrong-language", f"the text is {guess}", "error")
            return
        foreign = self._chinese(side) if side.lang == "en" else self._english(side)
        if foreign:
            share = len(foreign) / len(side.sentences)
            bad = share > self.filters.rules["untranslated"].threshold
            what = "Chinese" if side.lang == "en" else "English"
            message = (
                f"{len(foreign)} of {len(side.sentences)} sentences are {what}, first "
                f"{side.sentences[foreign[0]]!r:.60}"
            )
            severity: Severity = "error" if bad else "warning"
            yield _finding(where, foreign[0] + 1, "untranslated", message, severity)

    def _chinese(self, side: Side) -> list[int]:
        """English sentences that are Chinese."""
        if not _HAN.search(side.text):
            return []
        least = self.filters.untranslated.han
        return [k for k, text in enumerate(side.sentences) if (han_share(text) or 0) >= least]

    def _english(self, side: Side) -> list[int]:
        """Chinese sentences that are English."""
        if not _LATIN.search(side.text):
            return []
        settings = self.settings
        return [
            k
            for k, text in enumerate(side.sentences)
            if len(_WORD.findall(text)) >= settings.latin_words
            and len(_LATIN.findall(text)) >= settings.latin * sum(map(str.isalpha, text))
        ]

    def _links(self, document: Document) -> Iterator[Finding]:
        zh, en = document.zh, document.en
        if zh is None or en is None:
            return
        if zh.sentences == en.sentences:
            yield _finding(document.id, 0, "identical", "both sides are the same", "error")
            return
        if not document.links:
            yield _finding(document.id, 0, "no-links", "no sentence is aligned", "warning")
            return
        if not links_exist(document):
            message = "a link names a sentence that does not exist"
            yield _finding(document.id, 0, "link-range", message, "error")
            return
        nulls = sum(not link.zh or not link.en for link in document.links) / len(document.links)
        if nulls > self.settings.nulls:
            message = f"{nulls:.0%} of {len(document.links)} links have no counterpart"
            yield _finding(document.id, 0, "many-nulls", message, "warning")
        scores = [
            link.score for link in document.links if link.zh and link.en and link.score is not None
        ]
        least = self.filters.alignment[_aligner(document)]
        if scores and (mean := sum(scores) / len(scores)) < least:
            message = f"the links' mean score is {mean:.3f}; expected at least {least:g}"
            yield _finding(document.id, 0, "low-alignment", message, "warning")
        same = [
            link.zh[0]
            for link in document.links
            if len(link.zh) == len(link.en) == 1
            and zh.sentences[link.zh[0]].strip() == en.sentences[link.en[0]].strip()
            and any(map(str.isalpha, zh.sentences[link.zh[0]]))
        ]
        if same:
            message = f"{len(same)} links have the same text on both sides"
            yield _finding(f"{document.id} [zh]", same[0] + 1, "identical", message, "warning")


def _aligner(document: Document) -> str:
    """Whose scores the links have: bleualign calls its links after how it found them."""
    found = any(link.method.startswith("BLEU") for link in document.links)
    return "bleualign" if found else "hybrid"


def links_exist(document: Document) -> bool:
    """Whether all links of a document name sentences that it has."""
    zh, en = (len(side.sentences) if side else 0 for side in (document.zh, document.en))
    last = max((max(link.zh, default=-1) - zh for link in document.links), default=-1)
    other = max((max(link.en, default=-1) - en for link in document.links), default=-1)
    return max(last, other) < 0


def _provenance(side: Side, where: str) -> Iterator[Finding]:
    from_where = side.provenance
    if from_where is None or (from_where.url is None and from_where.recipe is None):
        yield _finding(where, 0, "no-provenance", "nothing says where it is from", "warning")
    elif from_where.url is not None:
        fields = ("sha256_raw", "sha256_text", "recipe")
        missing = [name for name in fields if getattr(from_where, name) is None]
        if from_where.fetched is None and from_where.captured is None:
            missing.append("fetched")
        if missing:
            message = f"the provenance lacks {', '.join(missing)}"
            yield _finding(where, 0, "provenance", message, "warning")


def _finding(file: str, line: int, code: str, message: str, severity: Severity) -> Finding:
    return Finding(file, line, 0, code, message, severity=severity)


def _place(side: Side, offset: int) -> tuple[int, int]:
    """1-based sentence and column of an offset."""
    before = side.text.rfind("\n", 0, offset)
    return side.text.count("\n", 0, offset) + 1, offset - before


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
