"""Cleaning the lines of a chapter: what is not the author's text is taken out.

Precision comes first: a line of the story that is lost is worse than a watermark that stays. So
most rules take whole lines only, none with quotation marks in it unless said otherwise, and no
rule takes a line just because it mentions a site or a chapter. The rules are in
`crawl/cleaning.toml`.

Reason codes of lines, and of parts of lines, that are taken out:

==============  ==================================================================================
empty           nothing is left when the line is repaired
title           the title of the chapter
credit          translator, editor, number of words
note            a note of the translator or editor
author-note     the author about votes, chapters and readers
chapter-end     (本章完), To be continued
navigation      上一章 下一章, Prev Next
watermark       a site about itself
advertisement   a site or somebody else about other things
separator       ***, ———
duplicate       a long paragraph that follows itself
repeated-block  lines that follow themselves, or come again
==============  ==================================================================================

Alterations of lines that stay are counted by the codes of `bwb.clean.repair` and, where a part was
cut out, by those above.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from bwb.clean.repair import repair
from bwb.clean.repeats import repeated
from bwb.clean.settings import LineRule, cleaning
from bwb.clean.sites import SITE, fold, has_site
from bwb.clean.titles import title_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.records import Lang

_SPEECH = re.compile("[“”「」『』\"]|^['‘]")
_OPENING, _CLOSING = "“「『", "”」』"
_PIECE_START = re.compile(r"[。！？!?…][”」』\"]*\s*|[.!?][”\"]?\s+")
_PIECE_ENDS = "。！？!?.，)）】]"
_SEPARATOR = re.compile(r"[\s*＊\-－—–―_＿=＝~～·•◆◇◈※○●◎☆★■□▲△▼▽♦♢♡♥❤✦✧§#＃+＋<>|/\\^]*")


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """A line, or a part of one, that was taken out."""

    line: int
    """Index in the input, from 0."""
    text: str
    """What was taken out."""
    reason: str
    """Why: a code of the table in the module."""
    part: bool = False
    """Whether the rest of the line stayed."""


@dataclass(frozen=True)
class CleanedLines:
    """The lines that stay, and what became of the others."""

    lines: tuple[str, ...]
    """The text; no line is empty."""
    removed: tuple[RemovedLine, ...]
    """What was taken out, by line."""
    changed: Counter[str]
    """Lines that stayed and were altered, by reason."""
    kept: tuple[int, ...]
    """For each line that stayed, its index in the input."""


@dataclass(frozen=True)
class _Rule:
    """A rule, ready for use."""

    settings: LineRule
    triggers: frozenset[str]
    pattern: re.Pattern[str]


@dataclass
class _Work:
    """A chapter while it is cleaned: the lines that still stand."""

    index: list[int]
    lines: list[str]
    removed: list[RemovedLine] = field(default_factory=list)
    reasons: dict[int, set[str]] = field(default_factory=dict)

    def drop(self, which: dict[int, str]) -> None:
        """Take lines out, given by their place among those that still stand."""
        if not which:
            return
        for at, reason in which.items():
            self.removed.append(RemovedLine(self.index[at], self.lines[at], reason))
        stay = [at for at in range(len(self.lines)) if at not in which]
        self.index = [self.index[at] for at in stay]
        self.lines = [self.lines[at] for at in stay]


def clean_lines(
    lines: Sequence[str], lang: Lang, *, title: str | None = None, number: int | None = None
) -> CleanedLines:
    """Take out of a chapter what is not its text.

    Clean a chapter once: rules that hold near its ends count the lines as they were extracted.

    Args:
        lines: The lines of a chapter as extracted, a paragraph a line.
        lang: Its language. Chinese is expected in simplified characters.
        title: Its title, if known.
        number: Its number, if known.
    """
    work = _repaired(lines)
    folded = fold("\n".join(work.lines)).split("\n")
    taken = _by_rules(work, folded, lang)
    skip = [taken.get(at) == "credit" for at in range(len(work.lines))]
    titles = dict.fromkeys(title_lines(work.lines, lang, title, number, skip), "title")
    work.drop(titles | {at: reason for at, reason in taken.items() if at not in titles})
    work.drop({at: "separator" for at, line in enumerate(work.lines) if _is_separator(line)})
    work.drop(_tail(work.lines))
    work.drop(repeated(work.lines, lang))
    stand = set(work.index)
    changed: Counter[str] = Counter()
    for at, reasons in work.reasons.items():
        if at in stand:
            changed.update(reasons)
    work.removed.sort(key=lambda removed: removed.line)
    return CleanedLines(tuple(work.lines), tuple(work.removed), changed, tuple(work.index))


def _repaired(lines: Iterable[str]) -> _Work:
    work = _Work([], [])
    for at, raw in enumerate(lines):
        line, reasons = repair(raw)
        if line:
            work.index.append(at)
            work.lines.append(line)
            if reasons:
                work.reasons[at] = set(reasons)
        else:
            work.removed.append(RemovedLine(at, raw, "empty"))
    return work


def _by_rules(work: _Work, folded: list[str], lang: Lang) -> dict[int, str]:
    """Apply the rules: cuts parts out of lines in place; returns the lines to take out."""
    rules = _rules(lang)
    text = "\n".join(folded)
    # What the chapter does not hold its lines need not be searched for.
    active = [t for t in {t for rule in rules for t in rule.triggers} if t in text]
    taken: dict[int, str] = {}
    for at, low in enumerate(folded):
        hits = {trigger for trigger in active if trigger in low}
        if has_site(low):
            hits.add("SITE")
        if not hits:
            continue
        near = min(at, len(folded) - 1 - at)
        for rule in rules:
            if rule.triggers.isdisjoint(hits):
                continue
            if rule.settings.near is not None and near >= rule.settings.near:
                continue
            reason = _apply(rule, work, at)
            if reason:
                taken[at] = reason
                break
    return taken


def _apply(rule: _Rule, work: _Work, at: int) -> str | None:
    """Apply a rule to a line; the reason if all of the line goes."""
    line = work.lines[at]
    low = fold(line)
    settings = rule.settings
    if settings.at != "piece" and not settings.quoted and _SPEECH.search(line):
        return None
    if settings.at == "line":
        fits = len(line) <= settings.longest and rule.pattern.fullmatch(low)
        return settings.reason if fits else None
    spans = _pieces(rule.pattern, low) if settings.at == "piece" else _parts(rule.pattern, low)
    spans = [(a, b) for a, b in spans if 0 < b - a <= settings.longest]
    if not spans:
        return None
    edges = [0, *(edge for span in spans for edge in span), len(line)]
    rest = _joined([line[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)])
    if not any(map(str.isalnum, rest)):
        return settings.reason
    for a, b in spans:
        gone = RemovedLine(work.index[at], line[a:b].strip(), settings.reason, part=True)
        work.removed.append(gone)
    work.reasons.setdefault(work.index[at], set()).add(settings.reason)
    work.lines[at] = rest
    return None


def _joined(pieces: list[str]) -> str:
    """What is left of a line when parts are cut out: no space stays before a mark."""
    rest = pieces[0]
    for piece in pieces[1:]:
        if piece.lstrip()[:1] in (*",.;:!?，。；：！？”’", ""):
            rest, piece = rest.rstrip(), piece.lstrip()
        rest += piece
    return " ".join(rest.split())


def _parts(pattern: re.Pattern[str], low: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(low)]


def _pieces(pattern: re.Pattern[str], low: str) -> list[tuple[int, int]]:
    """Whole sentences outside quotations that match."""
    found = []
    end = 0
    for start in [0, *(match.end() for match in _PIECE_START.finditer(low))]:
        if start < end or _inside_quotation(low[:start]):
            continue
        match = pattern.match(low, start)
        if match and (match.end() == len(low) or low[match.end() - 1] in _PIECE_ENDS):
            found.append(match.span())
            end = match.end()
    return found


def _inside_quotation(before: str) -> bool:
    opened = sum(map(before.count, _OPENING)) - sum(map(before.count, _CLOSING))
    return opened > 0 or before.count('"') % 2 == 1


def _is_separator(line: str) -> bool:
    # …… and ？！ on a line of their own are what somebody does not say, and says: they are text.
    return len(line) <= 200 and _SEPARATOR.fullmatch(line) is not None


def _tail(lines: Sequence[str]) -> dict[int, str]:
    """An afterword under a heading of its own at the end of the chapter."""
    most = cleaning().lines.tail_lines
    for at in range(max(len(lines) // 2, len(lines) - most - 1), len(lines)):
        if len(lines[at]) <= 40 and _tail_heading().fullmatch(lines[at]):
            return dict.fromkeys(range(at, len(lines)), "author-note")
    return {}


@cache
def _tail_heading() -> re.Pattern[str]:
    return _compiled(cleaning().lines.tail_headings)


@cache
def _rules(lang: Lang) -> tuple[_Rule, ...]:
    return tuple(
        _Rule(rule, frozenset(rule.triggers), _compiled(rule.patterns))
        for rule in cleaning().lines.rule
        if rule.lang in (None, lang)
    )


def _compiled(patterns: Iterable[str]) -> re.Pattern[str]:
    joined = "|".join(f"(?:{pattern}\n)" for pattern in patterns)
    return re.compile(joined.replace("SITE", SITE), re.VERBOSE | re.IGNORECASE)
