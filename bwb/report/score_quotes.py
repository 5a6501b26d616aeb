"""Lines to be read: source, reference and output beside each other, with what matters marked."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.lexicon import pronoun_classes
from bwb.metrics.gender import shifts
from bwb.metrics.results_make import missed_by_line, turned_lines
from bwb.report.gender_plot import SAID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.metrics.results import Results
    from bwb.report.score_tables import Linker

# A piece of a text, and what it is: ``she``, ``he``, ``missed`` or nothing.
Piece = tuple[str, str]
_MARKED = {"feminine": "she", "masculine": "he"}
_LONGEST = 44


@dataclass(frozen=True, slots=True)
class Quote:
    """A line.

    Attributes:
        document: Id of the document.
        line: Number of the line, from 1.
        href: Where the viewer shows it; None if there is none.
        about: What is wrong with it, in a few words each.
        zh: The source; None if there is none, or it may not be quoted.
        en: The reference, in pieces; empty if it may not be quoted.
        output: The system's, in pieces.
    """

    document: str
    line: int
    href: str | None
    about: Sequence[str]
    zh: str | None
    en: Sequence[Piece]
    output: Sequence[Piece]


def gender_quotes(results: Results, system: str, link: Linker, limit: int) -> list[Quote]:
    """Lines in which a system turns "she" into "he" or back, those with most of it first."""
    found: Counter[tuple[str, int]] = Counter()
    for one, other in (("feminine", "masculine"), ("masculine", "feminine")):
        for place, count in turned_lines(results.pronouns, system, one, other):
            found[place] += count
    by_place = {(line.document, line.sentence): line for line in results.pronouns}
    chosen = [place for place, _ in sorted(found.items(), key=lambda row: -row[1])[:limit]]
    quotes = []
    for document, sentence in chosen:
        line = by_place[document, sentence]
        about = []
        for (one, other), count in sorted(shifts(line.reference, line.of(system)).items()):
            if one in _MARKED and other in _MARKED and one != other:
                owner = f" ({line.owners[one]})" if one in line.owners else ""
                about.append(f"“{SAID[one]}” → “{SAID[other]}” ×{count}{owner}")
        quotes.append(_quote(results, system, document, sentence, about, (), link))
    return quotes


def worst_quotes(results: Results, system: str, link: Linker, limit: int) -> list[Quote]:
    """The lines in which a system lacks most."""
    found = missed_by_line(results.scored, system)
    order = sorted(found, key=lambda place: (-found[place].total(), place))[:limit]
    return [
        _quote(results, system, *place, _about(found[place]), list(found[place]), link)
        for place in order
    ]


def _about(counts: Counter[str]) -> list[str]:
    """What is missed, most first: ``Bell County``, ``she ×2``."""
    said = []
    for name, count in counts.most_common():
        text = f"“{SAID[name]}”" if name in SAID else name
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        said.append(f"{text} ×{count}" if count > 1 else text)
    return said


def _quote(
    results: Results,
    system: str,
    document: str,
    sentence: int,
    about: Sequence[str],
    names: Iterable[str],
    link: Linker,
) -> Quote:
    text = results.texts.get((document, sentence))
    return Quote(
        document,
        sentence + 1,
        link(document, sentence, system),
        about,
        text.zh if text else None,
        pieces(text.en, names) if text and text.en else (),
        pieces(text.outputs[system], ()) if text else (),
    )


def pieces(text: str, names: Iterable[str]) -> list[Piece]:
    """A text cut at pronouns that tell a gender, and at names that are missed."""
    words = {w: _MARKED[c] for w, c in pronoun_classes("en").items() if c in _MARKED}
    wanted = sorted({name for name in names if name not in SAID}, key=len, reverse=True)
    patterns = [(re.escape(name), "missed") for name in wanted]
    patterns += [(word, kind) for word, kind in sorted(words.items(), reverse=True)]
    every = "|".join(f"({pattern})" for pattern, _ in patterns)
    found: list[Piece] = []
    at = 0
    for match in re.finditer(rf"(?<!\w)(?:{every})(?!\w)", text, re.IGNORECASE):
        found.append((text[at : match.start()], ""))
        found.append((match.group(), patterns[(match.lastindex or 1) - 1][1]))
        at = match.end()
    found.append((text[at:], ""))
    return [piece for piece in found if piece[0]]
