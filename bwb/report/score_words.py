"""What scores say, in words: which system is best at what, and what each gets wrong most."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.metrics.gender import LEFT_OUT
from bwb.metrics.results_make import turned_lines
from bwb.report.gender_plot import SAID
from bwb.report.score_views import turned
from bwb.report.tables import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.metrics.base import Miss
    from bwb.metrics.results import Results
    from bwb.report.score_views import Genders, View

# What is said of a system besides its pronouns.
_POINTS = 3
# A class that the reference has less often says little.
_LEAST = 5


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a document, to be linked to.

    Attributes:
        document: Id of the document.
        sentence: Index of the sentence.
        system: The system meant.
    """

    document: str
    sentence: int
    system: str

    def __str__(self) -> str:
        """``ninth-tide/1, line 12``."""
        return f"{self.document}, line {self.sentence + 1}"


# Pieces of a sentence: text, and places.
Words = list[str | Place]
Point = tuple[str, str, Words]


@dataclass(frozen=True, slots=True)
class Portrait:
    """What is said of a system.

    Attributes:
        system: Its name.
        verdict: Where it stands.
        points: What it gets wrong most, each a headword, what that is about, and a sentence.
    """

    system: str
    verdict: str
    points: Sequence[Point]


def headline(views: Sequence[View], systems: Sequence[str]) -> list[str]:
    """Who is best, in a sentence or two."""
    shown = [view for view in views if view.best()]
    if len(systems) == 1:
        return [f"{systems[0]} is the only system here, so there is nothing to compare it with."]
    if not shown:
        return ["No metric tells the systems apart."]
    said = []
    wins = {system: [view for view in shown if system in view.best()] for system in systems}
    order = sorted(systems, key=lambda name: -len(wins[name]))
    for name in order:
        if not wins[name]:
            continue
        clear = [view.name for view in wins[name] if _clear(view, name)]
        text = f"{name} has the best score by {_of(len(wins[name]), len(shown), 'metric')}"
        if len(wins[name]) < len(shown):
            text += f" ({_listed([view.name for view in wins[name]])})"
        if any(view.comparisons for view in shown):
            if len(clear) == len(wins[name]):
                text += ", each time significantly ahead of every other system"
            elif clear:
                text += f", significantly ahead of every other system by {_listed(clear)}"
            else:
                text += ", never significantly ahead of all others"
        said.append(f"{text}.")
    last = Counter(view.ranked()[-1] for view in shown)
    name, times = last.most_common(1)[0]
    if len(systems) > 2:
        said.append(f"{name} comes last by {_of(times, len(shown), 'metric')}.")
    return said


def portraits(results: Results, views: Sequence[View], found: Genders) -> list[Portrait]:
    """What is said of each system, the best first."""
    shown = [view for view in views if view.best()]
    rank = Counter[str]()
    for view in shown:
        for place, name in enumerate(view.ranked()):
            rank[name] += place
    order = sorted(results.systems, key=lambda name: rank[name])
    return [
        Portrait(name, _verdict(name, shown), [
            *_pronouns(results, found, name),
            *_points(results, views, name),
        ])
        for name in order
    ]  # fmt: skip


def _verdict(system: str, views: Sequence[View]) -> str:
    if not views:
        return ""
    best = [view.name for view in views if system in view.best()]
    last = [view.name for view in views if view.ranked()[-1] == system]
    if len(best) == len(views):
        return f"Best by {_of(len(best), len(views), 'metric')}."
    if len(last) == len(views):
        return f"Last by {_of(len(last), len(views), 'metric')}."
    parts = []
    if best:
        parts.append(f"Best by {_listed(best)}.")
    if last:
        parts.append(f"Last by {_listed(last)}.")
    middle = len(views) - len(set(best) | set(last))
    if middle and not parts:
        return f"In between by {_of(middle, len(views), 'metric')}."
    return " ".join([*parts, f"In between by {middle} more."] if middle else parts)


def by_turns(found: Genders) -> list[str]:
    """The systems, those that turn most pronouns into another gender first."""
    return sorted(found.systems, key=lambda name: -max(row[0] for row in _turns(found, name)))


def gender_headline(found: Genders) -> list[str]:
    """Which system turns most pronouns into the other gender, and whose; nothing if none does."""
    if not found.systems:
        return []
    system = by_turns(found)[0]
    changed, kind, other = max(_turns(found, system), key=lambda row: row[0])
    if not changed:
        return []
    most = " most" if len(found.systems) > 1 else ""
    text = (
        f"{system} changes gender{most}: {changed} of the reference’s {found.total[kind]} {kind} "
        f"pronouns become {other}."
    )
    return ["".join([text, *(str(piece) for piece in _victim(found, system, kind, other))])]


def _turns(found: Genders, system: str) -> list[tuple[int, str, str]]:
    """How many pronouns of either gender become the other: (how many, one, other)."""
    pairs = (("feminine", "masculine"), ("masculine", "feminine"))
    return [(found.systems[system][pair], *pair) for pair in pairs]


def _pronouns(results: Results, found: Genders, system: str) -> list[Point]:
    """What it does to "she" or "he", whichever it turns more often."""
    changed, kind, other = max(_turns(found, system), key=lambda row: row[0])
    total = found.total[kind]
    if not total:
        return []
    fates = turned({b: n for (a, b), n in found.systems[system].items() if a == kind}, kind)
    dropped = fates[LEFT_OUT]
    words: Words = [
        f"Turns {changed or 'none'} of {total} {kind} pronouns into {other} ones",
        f" and has none at all for {dropped} more" if dropped else "",
        f"; {percent(fates['kept'] / total, 0)}% stay “{SAID[kind]}”.",
        *_victim(found, system, kind, other),
    ]
    if places := turned_lines(results.pronouns, system, kind, other):
        chapters = Counter[str]()
        for (name, _), count in places:
            chapters[name] += count
        worst, count = chapters.most_common(1)[0]
        here = next(place for place, _ in places if place[0] == worst)
        words += [f" Worst in {worst}, {_times(count)}; see ", Place(*here, system), "."]
    return [("Gender", "", words)]


def _victim(found: Genders, system: str, kind: str, other: str) -> list[str]:
    """The character who suffers most."""
    rows = [
        (counts[system].get(other, 0), sum(counts[system].values()), name, book)
        for (book, name, one), counts in found.characters.items()
        if one == kind
    ]
    if not rows or not max(rows)[0]:
        return []
    changed, total, name, book = max(rows)
    where = f" ({book})" if book else ""
    return [
        f" Hit hardest: {name}{where}, who is “{SAID[other]}” {_times(changed)} out of {total}."
    ]


def _points(results: Results, views: Sequence[View], system: str) -> Iterable[Point]:
    """What else it gets wrong, where it is furthest behind first."""
    rows = []
    for view in views:
        misses = [miss for tally in view.scored.tallies[system] for miss in tally.misses]
        value = view.overall[system][0]
        if view.name == "pronoun" or not misses or value is None or _whole_text(view):
            continue
        top = view.overall[view.ranked()[0]][0] or 0.0
        rows.append((abs(top - value), 1 - value, view, misses))
    rows.sort(key=lambda row: row[:2], reverse=True)
    told: set[str] = set()
    count = 0
    for _, _, view, misses in rows:
        name, kind, times, first = _most(misses)
        # Several metrics may count the same thing.
        if name.casefold() in told:
            continue
        told.add(name.casefold())
        score = percent(view.overall[system][0])
        leader = view.ranked()[0]
        ahead = f" ({leader}: {percent(view.overall[leader][0])})" if leader != system else ""
        words: Words = [f"{score}{ahead}."]
        if weakest := _weakest(view, system):
            words.append(f" Weakest on {weakest}.")
        said = f"“{name}” ({kind})" if name != kind else kind
        words += [
            f" Misses {said} most often, {_times(times)}, first in "
            if times > 1
            else f" Misses, for one, {said} in ",
            Place(first.document, first.sentence, system),
            ".",
        ]
        # The title, without what stands behind a comma or in brackets.
        about = re.split(r",| \(", view.scored.metric.title)[0]
        yield view.name, about, words
        count += 1
        if count == _POINTS:
            return


def _most(misses: Sequence[Miss]) -> tuple[str, str, int, Miss]:
    """What is missed most often, how often, and where first."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Miss] = {}
    for miss in misses:
        counts[miss.name, miss.kind] += miss.count
        first.setdefault((miss.name, miss.kind), miss)
    (name, kind), times = counts.most_common(1)[0]
    return name, kind, times, first[name, kind]


def _weakest(view: View, system: str) -> str:
    known = [
        (row.values[system][0] or 0.0, row.name)
        for row in view.classes
        if row.values[system][0] is not None and (row.count or 0) >= _LEAST
    ]
    if len(known) < 2:
        return ""
    value, name = min(known)
    return f"{name} ({view.shown} {percent(value)})"


def _whole_text(view: View) -> bool:
    """Whether a metric counts words of every kind, so that what it misses says little."""
    return view.scored.metric.cost != "counting" or not view.scored.metric.classes


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _clear(view: View, system: str) -> bool:
    others = [name for name in view.ranked() if name != system]
    return bool(others) and all(view.differ(system, name) for name in others)


def _of(count: int, total: int, thing: str) -> str:
    things = f"{thing}{'' if total == 1 else 's'}"
    if count == total:
        return f"all {total} {things}" if total > 1 else f"the one {thing}"
    return f"{count} of {total} {things}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
