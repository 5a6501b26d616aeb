"""How well sentences are split: boundaries found, and lines that come out exactly right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.errors import Finding, FormatError
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

GOLD = "crawl/gold/sample-sentences.tsv"


@dataclass(frozen=True)
class SplittingScore:
    """Counts over lines; a boundary is a place between two sentences of one line."""

    hits: int
    """Boundaries found that are right."""
    found: int
    """Boundaries found."""
    true: int
    """Boundaries there are."""
    exact: int
    """Lines whose sentences are all right."""
    lines: int
    """Lines."""

    @property
    def precision(self) -> float | None:
        """Share of the boundaries found that are right; None if none was found."""
        return self.hits / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """Share of the boundaries there are that were found; None if there are none."""
        return self.hits / self.true if self.true else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the two; None if there is no boundary, found or true."""
        total = self.found + self.true
        return 2 * self.hits / total if total else None

    @property
    def exact_lines(self) -> float | None:
        """Share of lines that are exactly right; None without lines."""
        return self.exact / self.lines if self.lines else None


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Where sentences end, in characters of the line that are no white space; not its end."""
    ends = []
    at = 0
    for sentence in sentences:
        at += len("".join(sentence.split()))
        ends.append(at)
    return set(ends[:-1])


def score(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> SplittingScore:
    """Compare the sentences of lines: pairs of those found and the true ones."""
    hits = found = true = exact = lines = 0
    for ours, theirs in pairs:
        a, b = boundaries(ours), boundaries(theirs)
        hits, found, true = hits + len(a & b), found + len(a), true + len(b)
        exact, lines = exact + (a == b), lines + 1
    return SplittingScore(hits, found, true, exact, lines)


def read_gold(path: Path | None = None) -> dict[tuple[str, int], list[str]]:
    """The sentences of lines that hold more than one, quotations kept whole.

    Args:
        path: A file of rows: ``book/chapter.lang:line``, then the sentences, divided by tabs. By
            default that of the sample corpus, whose lines are what a translator made one of.

    Returns:
        The sentences, by ``book/chapter.lang`` and 1-based line.

    Raises:
        FormatError: if a row has another form.
    """
    path = path or asset(GOLD)
    gold = {}
    for number, row in enumerate(read_lines(path)[0], 1):
        if row.startswith("#"):
            continue
        place, *sentences = row.split("\t")
        chapter, _, line = place.rpartition(":")
        if not (chapter and line.isdecimal() and len(sentences) > 1):
            message = "expected chapter:line and at least two sentences, divided by tabs"
            raise FormatError(Finding(str(path), number, 0, "gold-row", message))
        gold[chapter, int(line)] = sentences
    return gold
