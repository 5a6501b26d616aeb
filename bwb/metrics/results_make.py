"""Making a file of results from what was scored: see `bwb.metrics.results`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bwb.errors import InputError
from bwb.lexicon import THIRD_PERSON, pronoun_classes
from bwb.metrics.figures import omitted_ratio
from bwb.metrics.gender import pronoun_lines, shifts
from bwb.metrics.results import Chapter, Quoted, Results, measured
from bwb.records import LANGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.metrics.gender import PronounLine
    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

# Lines to quote: of each system, by all metrics together, by each metric, by pronouns turned.
_QUOTED, _QUOTED_METRIC, _QUOTED_TURNED = 12, 3, 12

Place = tuple[str, int]


def make_results(
    scored: Sequence[Scored],
    documents: Sequence[Document],
    outputs: Outputs,
    *,
    command: Sequence[str] = (),
    corpus: str | None = None,
    texts: bool = True,
) -> Results:
    """Put together what a report needs.

    Args:
        scored: The counts of each metric.
        documents: Those that were scored.
        outputs: The systems' sentences.
        command: The command line, to be told.
        corpus: Where the documents were read from.
        texts: Whether to quote lines.

    Raises:
        InputError: if nothing was scored.
    """
    if not scored:
        raise InputError("nothing was scored; there are no results to write")
    # A whole document is no line to be looked at.
    by_line = scored[0].data.get("unit") != "document"
    lines = list(pronoun_lines(documents, outputs)) if by_line else []
    return Results(
        systems=list(outputs),
        documents=[_chapter(document) for document in documents],
        metrics=[measured(row) for row in scored],
        command=list(command),
        data=dict(scored[0].data),
        corpus=corpus,
        pronouns=lines,
        quoted=_quoted(scored, lines, documents, outputs) if texts and by_line else [],
    )


def missed_by_line(rows: Sequence[Scored], system: str) -> dict[Place, Counter[str]]:
    """What a system lacks in each line, by all metrics together: name → how many.

    What several metrics miss under the same name is one thing missed; pronouns of the third person
    count by their class only, if the metric of pronouns is there.
    """
    found: dict[Place, Counter[str]] = {}
    spelled: dict[str, str] = {}
    known = {word for word, name in pronoun_classes("en").items() if name in THIRD_PERSON}
    if not any(row.metric.name == "pronoun" for row in rows):
        known = set()
    for row in rows:
        here: dict[Place, Counter[str]] = {}
        for tally in row.tallies[system]:
            for miss in tally.misses:
                if known and known.issuperset(miss.name.casefold().split()):
                    continue
                name = spelled.setdefault(miss.name.casefold(), miss.name)
                here.setdefault((miss.document, miss.sentence), Counter())[name] += miss.count
        for place, counts in here.items():
            found[place] = found.get(place, Counter()) | counts
    return found


def worst_lines(rows: Sequence[Scored], system: str, limit: int) -> list[Place]:
    """The lines in which a system lacks most; of equals the first."""
    found = missed_by_line(rows, system)
    return sorted(found, key=lambda place: (-found[place].total(), place))[:limit]


def turned_lines(
    lines: Iterable[PronounLine], system: str, one: str, other: str, limit: int | None = None
) -> list[tuple[Place, int]]:
    """Lines in which a system turns pronouns of a class into another, and how many; most first."""
    found = []
    for line in lines:
        if number := shifts(line.reference, line.of(system))[one, other]:
            found.append(((line.document, line.sentence), number))
    return sorted(found, key=lambda row: -row[1])[:limit]


def _chapter(document: Document) -> Chapter:
    side = document.en or document.zh
    ratios = {lang: omitted_ratio(document, lang) for lang in LANGS}
    return Chapter(
        document.id,
        document.book,
        document.genre,
        document.split,
        len(side.sentences) if side else 0,
        {lang: ratio for lang, ratio in ratios.items() if ratio is not None},
    )


def _quoted(
    scored: Sequence[Scored],
    lines: Sequence[PronounLine],
    documents: Sequence[Document],
    outputs: Mapping[str, Mapping[str, Sequence[str]]],
) -> list[Quoted]:
    """The lines that a report may want to quote, in the order of the text."""
    wanted: set[Place] = set()
    for system in outputs:
        wanted.update(worst_lines(scored, system, _QUOTED))
        for row in scored:
            wanted.update(worst_lines([row], system, _QUOTED_METRIC))
        for pair in (("feminine", "masculine"), ("masculine", "feminine")):
            found = turned_lines(lines, system, *pair, limit=_QUOTED_TURNED)
            wanted.update(place for place, _ in found)
    return [
        Quoted(
            document.id,
            index,
            document.zh.sentences[index] if document.zh else None,
            document.en.sentences[index] if document.en else None,
            {system: found[document.id][index] for system, found in outputs.items()},
        )
        for document in documents
        for index in sorted(index for name, index in wanted if name == document.id)
    ]
