"""Where the mentions of a reference stand in a system's text, by their words.

A mention of line *i* of the reference is looked for in line *i* of the system by the rules of
`bwb.metrics.matching`: longest form first, then leftmost, a token used once. Mentions nest, so
those inside another are looked for in a second round, and so on for each depth; what one mention
has is no other's. Where the system's
line has a form as often as the reference's line, a mention gets the occurrence of its own rank
(the "it" of "it rained" is not the "it" that was marked); else the occurrences are given out from
left to right. A mention whose words are not there is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.metrics.matching import Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Mention, Side


@dataclass(frozen=True, slots=True)
class Placed:
    """A mention in a sentence of a system.

    Attributes:
        mention: The mention, as the reference has it.
        start: First code point in the sentence.
        end: One past the last code point in the sentence.
    """

    mention: Mention
    start: int
    end: int


class _Level:
    """The mentions of one depth in one line."""

    def __init__(self, mentions: Sequence[Mention], line: str, base: int, *, case: bool) -> None:
        self.matcher = Matcher((mention.text for mention in mentions), case=case)
        starts: dict[str, list[int]] = {}
        for occurrence in self.matcher.find(line):
            starts.setdefault(occurrence.form, []).append(base + occurrence.start)
        # Form → how often the reference's line has it; and its mentions, each with its rank.
        self.times = {form: len(found) for form, found in starts.items()}
        self.wanted: dict[str, list[tuple[int | None, Mention]]] = {}
        for mention in mentions:
            form = self.matcher.canonical(mention.text)
            if form is not None:
                found = starts.get(form, [])
                rank = found.index(mention.start) if mention.start in found else None
                self.wanted.setdefault(form, []).append((rank, mention))

    def place(self, sentence: str, taken: set[tuple[int, int]]) -> list[Placed]:
        """The mentions of this depth that are in a system's line, at places not yet taken."""
        places: dict[str, list[tuple[int, int] | None]] = {}
        for found in self.matcher.find(sentence):
            place = (found.start, found.end)
            places.setdefault(found.form, []).append(None if place in taken else place)
        placed = []
        for form, free in places.items():
            ranked = len(free) == self.times.get(form)
            for rank, mention in self.wanted[form]:
                at = rank if ranked and rank is not None and free[rank] is not None else None
                if at is None:
                    at = next((i for i, place in enumerate(free) if place is not None), None)
                if at is None or (given := free[at]) is None:
                    break
                free[at] = None
                taken.add(given)
                placed.append(Placed(mention, *given))
        return placed


class Placer:
    """Finds the mentions of a reference in texts of the same lines.

    Args:
        reference: The annotated side.
        case: Whether case matters.
    """

    def __init__(self, reference: Side, *, case: bool = False) -> None:
        """Index the mentions of each line."""
        self.mentions = reference.mentions
        by_line: dict[int, list[Mention]] = {}
        for mention in reference.mentions:
            by_line.setdefault(mention.sentence, []).append(mention)
        self._lines = {
            line: [
                _Level(level, reference.sentences[line], reference.offsets[line], case=case)
                for level in _levels(by_line[line])
            ]
            for line in sorted(by_line)
        }

    def place(self, sentences: Sequence[str]) -> dict[int, list[Placed]]:
        """The mentions that are in a system's text: line → mentions, from left to right.

        Of two that begin together the longer comes first. Lines that have none are left out.
        """
        found = {}
        for line, levels in self._lines.items():
            sentence = sentences[line]
            taken: set[tuple[int, int]] = set()
            row = [placed for level in levels for placed in level.place(sentence, taken)]
            if row:
                found[line] = sorted(row, key=lambda placed: (placed.start, -placed.end))
        return found

    def missing(self, found: dict[int, list[Placed]]) -> list[Mention]:
        """The reference's mentions that are not among these, in the order of the reference."""
        there = {placed.mention.id for row in found.values() for placed in row}
        return [mention for mention in self.mentions if mention.id not in there]


def _levels(mentions: Sequence[Mention]) -> list[list[Mention]]:
    """The mentions by depth: those in no other, those in one other, and so on."""
    levels: list[list[Mention]] = []
    open_ends: list[int] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        while open_ends and open_ends[-1] <= mention.start:
            open_ends.pop()
        if len(open_ends) == len(levels):
            levels.append([])
        levels[len(open_ends)].append(mention)
        open_ends.append(mention.end)
    return levels
