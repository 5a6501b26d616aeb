"""A document as the page needs it: rows of sentences cut at their annotations, chains, problems.

What comes out is JSON, as small as it can be, for a page may hold eighty documents and seven
systems. A row is a link, with ``z`` and ``e``, the numbers of its Chinese and English sentences
(from 1), ``zh`` and ``en``, their pieces, and ``s``, for each system its pieces, its problems and
an annotator's marks. Pieces are those of `bwb.report.view_cut`; a label has three parts:

    m  chain  p: pronoun, o: omitted in the other language, T: term     a mention
    g  chain  what would stand there|what the English has               an omitted pronoun
    q  chain of the speaker, or -1  1 where the quote begins            direct speech
    b  number of the problem in its row  its kinds                      something wrong
    h  number of the mark in its row  its code                          an annotator's mark

A problem is ``[kinds, sort, due, reason, chain or -1, count, what stands there]``, a mark
``[code, reason]``, a chain ``[id, label, letters, type, pronoun, Chinese forms, English forms]``.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any

from bwb.lexicon import THIRD_PERSON, pronoun_class
from bwb.metrics.placing import Placed, Placer
from bwb.records import Link
from bwb.report.view_cut import Span, cut
from bwb.report.view_omitted import ghosts
from bwb.report.view_problems import KINDS, Describer, Problem, by_line, marked, names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.analysis.base import Analyser
    from bwb.metrics.base import Miss
    from bwb.records import Document, ErrorMark, Mention, Quote, Side
    from bwb.report.view_cut import Piece
    from bwb.report.view_tense import Shift

Row = dict[str, Any]
# System → metric → what it misses; a metric that could not count the document is left out.
Misses = dict[str, dict[str, list["Miss"]]]
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PRONOUN = {"masculine": "he", "feminine": "she", "neuter": "it", "epicene": "they"}
# Which span is outside, of two of the same range.
_QUOTE, _PROBLEM, _MARK, _MENTION = range(4)
# Error code of named entities.
_NAME = 4


def document_data(
    document: Document,
    outputs: Mapping[str, Sequence[str]],
    misses: Misses,
    analyser: Analyser | None = None,
) -> Row:
    """All that the page shows of a document.

    Args:
        document: With as much of sides, links and annotations as it has.
        outputs: System → its sentences.
        misses: What the metrics miss in them.
        analyser: Tells the tense of verbs; None if tense is not looked at.
    """
    chains = _Chains(document)
    rows = [_row(document, link, chains) for link in _links(document)]
    found = {
        system: _system(document, system, sentences, misses[system], analyser, chains)
        for system, sentences in outputs.items()
    }
    for number, row in enumerate(rows):
        row["s"] = [
            lines[number][0] if number < len(lines) else [[], [], []] for lines in found.values()
        ]
    looked = [k for k, (metric, _) in KINDS.items() if any(metric in m for m in misses.values())]
    if analyser is not None and document.en is not None and outputs:
        looked.append("V")
    return {
        "id": document.id,
        "book": document.book,
        "genre": document.genre,
        "split": document.split,
        "titles": [side.title for side in document.sides if side.title],
        "chains": chains.rows,
        "rows": rows,
        "looked": "".join(looked),
        "counts": [_counts([p for _, ps in lines for p in ps]) for lines in found.values()],
    }


def _counts(problems: Sequence[Problem]) -> dict[str, int]:
    """Number of problems of each kind, those of two kinds in both, and of wrong genders."""
    counts = {kind: sum(p.count for p in problems if kind in p.kinds) for kind in KINDS}
    return {**counts, "gender": sum(p.count for p in problems if p.sort == "gender")}


def _links(document: Document) -> Sequence[Link]:
    """The document's links; where it has none, a row for each line."""
    if document.links:
        return document.links
    zh, en = (len(side.sentences) if side else 0 for side in (document.zh, document.en))
    return [Link((n,) if n < zh else (), (n,) if n < en else ()) for n in range(max(zh, en))]


class _Chains:
    """The chains of a document, those with most mentions first; single mentions have no letter."""

    def __init__(self, document: Document) -> None:
        self.number: dict[str, int] = {}
        self.rows: list[list[Any]] = []
        labels = names(document)
        entities = {entity.id: entity for entity in document.entities}
        times = Counter(m.entity for side in document.sides for m in side.mentions)
        pronouns: dict[str, Counter[str]] = {}
        for mention in document.en.mentions if document.en else ():
            if mention.pronoun and (kind := pronoun_class(mention.text, "en")) in THIRD_PERSON:
                pronouns.setdefault(mention.entity, Counter())[kind] += 1
        for entity, number in sorted(times.items(), key=lambda item: -item[1]):
            self.number[entity] = len(self.rows)
            known = entities.get(entity)
            called = pronouns.get(entity)
            self.rows.append(
                [
                    entity,
                    labels.get(entity) or f"#{entity}",
                    _letters(len(self.rows)) if number > 1 else "",
                    known.type if known else None,
                    _PRONOUN[called.most_common(1)[0][0]] if called else "",
                    known.zh if known else (),
                    known.en if known else (),
                ]
            )

    def of(self, entity: str | None) -> int:
        """Number of an entity's chain; -1 if it has none."""
        return self.number.get(entity, -1) if entity is not None else -1


def _letters(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, len(_LETTERS))
        text = _LETTERS[rest] + text
    return text


def _row(document: Document, link: Link, chains: _Chains) -> Row:
    row: Row = {"z": [n + 1 for n in link.zh], "e": [n + 1 for n in link.en]}
    if document.zh is not None:
        row["zh"] = _side(document, document.zh, link.zh, link, chains)
    if document.en is not None:
        row["en"] = _side(document, document.en, link.en, link, chains)
    return row


def _side(
    document: Document, side: Side, lines: Sequence[int], link: Link, chains: _Chains
) -> list[Piece]:
    pieces: list[Piece] = []
    for line in lines:
        spans = [_mention(m, side.offsets[line], chains) for m in _in_line(side, line)]
        spans += _quotes(side, line, chains)
        if side.lang == "zh" and document.en is not None and len(link.zh) == 1:
            spans += _ghosts(document.en, side.sentences[line], link.en, chains)
        if pieces:
            pieces.append("\n")
        pieces += cut(side.sentences[line], spans)
    return pieces


def _in_line(side: Side, line: int) -> list[Mention]:
    return [mention for mention in side.mentions if mention.sentence == line]


def _mention(mention: Mention, base: int, chains: _Chains) -> Span:
    mark = ("m", chains.of(mention.entity), _flags(mention))
    return Span(mention.start - base, mention.end - base, mark, _MENTION)


def _flags(mention: Mention) -> str:
    return "p" * mention.pronoun + "o" * mention.omitted + "T" * (mention.term is True)


def _quotes(side: Side, line: int, chains: _Chains) -> list[Span]:
    base, length = side.offsets[line], len(side.sentences[line])
    return [
        Span(span.start - base, span.end - base, _quote(quote, number, span.start - base, chains))
        for quote in side.quotes
        for number, span in enumerate(quote.spans)
        if span.start < base + length and base < span.end
    ]


def _quote(quote: Quote, number: int, start: int, chains: _Chains) -> tuple[str, int, str]:
    return ("q", chains.of(quote.speaker), "1" * (number == 0 and start >= 0))


def _ghosts(en: Side, chinese: str, lines: Sequence[int], chains: _Chains) -> list[Span]:
    return [
        Span(g.at, g.at, ("g", chains.of(g.mention.entity), f"{g.text}|{g.mention.text}"))
        for line in lines
        for g in ghosts(chinese, en.sentences[line], en.offsets[line], _in_line(en, line))
    ]


# The pieces of a system's row with its problems and marks, and the problems.
_Lines = list[tuple[list[Any], list[Problem]]]


def _system(
    document: Document,
    system: str,
    sentences: Sequence[str],
    misses: dict[str, list[Miss]],
    analyser: Analyser | None,
    chains: _Chains,
) -> _Lines:
    marks = _marks(document, system, sentences)
    if document.en is None:
        return [([cut(sentence, ()), [], []], []) for sentence in sentences]
    names = tuple(m for m in document.en.mentions if not m.pronoun)
    placed = Placer(dataclasses.replace(document.en, mentions=names)).place(sentences)
    shifts = _shifts(document.en, sentences, analyser)
    describer = Describer(document, document.en)
    missed = by_line(misses)
    lines: _Lines = []
    for line, sentence in enumerate(sentences):
        here, by_hand = placed.get(line, []), marks.get(line, [])
        wrong_names = [place for mark, place in by_hand if mark.code == _NAME and place is not None]
        problems, right = describer.line(
            line, sentence, missed.get(line, {}), here, wrong_names, shifts.get(line, ())
        )
        spans = [_placed(one, chains) for one in here]
        spans += [Span(*place, ("m", chains.of(entity), "p"), _MENTION) for place, entity in right]
        spans += [
            Span(*p.place, ("b", number, p.kinds), _PROBLEM)
            for number, p in enumerate(problems)
            if p.place is not None
        ]
        spans += [
            Span(*place, ("h", number, str(mark.code)), _MARK)
            for number, (mark, place) in enumerate(by_hand)
            if place is not None
        ]
        shown = [_problem(problem, sentence, chains) for problem in problems]
        hands = [[mark.code, marked(mark)] for mark, _ in by_hand]
        lines.append(([cut(sentence, spans), shown, hands], problems))
    return lines


def _placed(placed: Placed, chains: _Chains) -> Span:
    mark = ("m", chains.of(placed.mention.entity), _flags(placed.mention))
    return Span(placed.start, placed.end, mark, _MENTION)


def _problem(problem: Problem, sentence: str, chains: _Chains) -> list[Any]:
    got = sentence[slice(*problem.place)] if problem.place is not None else ""
    number = chains.of(problem.entity)
    return [problem.kinds, problem.sort, problem.due, problem.reason, number, problem.count, got]


def _marks(
    document: Document, system: str, sentences: Sequence[str]
) -> dict[int, list[tuple[ErrorMark, tuple[int, int] | None]]]:
    """An annotator's marks by line, if they are on these very sentences; places in the line."""
    found: dict[int, list[tuple[ErrorMark, tuple[int, int] | None]]] = {}
    for output in document.systems:
        if output.system != system or output.sentences != tuple(sentences):
            continue
        base = [0]
        for sentence in sentences:
            base.append(base[-1] + len(sentence) + 1)
        for mark in output.errors or ():
            place = None
            if mark.start is not None and mark.end is not None:
                place = (mark.start - base[mark.sentence], mark.end - base[mark.sentence])
            found.setdefault(mark.sentence, []).append((mark, place))
    return found


def _shifts(
    reference: Side, sentences: Sequence[str], analyser: Analyser | None
) -> dict[int, list[Shift]]:
    if analyser is None:
        return {}
    from bwb.report.view_tense import shifts

    pairs = zip(
        analyser.analyse(reference.sentences), analyser.analyse(list(sentences)), strict=True
    )
    return {line: shifts(wanted, got) for line, (wanted, got) in enumerate(pairs)}
