"""Counting a corpus: the tables and figures of the BWB paper, for any corpus.

Sources, all in Jiang et al. 2023: Table 1 (sizes), Table 4 (entities), Table 5 (pronouns),
section 3.2 (quotes and speakers), Figure 3 (distance to the nearest antecedent, spread from first
to last mention, size of chains). The paper's own numbers contradict each other in places, so each
definition is stated here:

- words are runs of letters and digits with inner hyphens and apostrophes (English); characters
  are all but white space (Chinese);
- an entity mention is a mention that is not a pronoun; an entity is counted once a document;
- repetition is mentions per entity;
- the omitted share is O / (O + P);
- distance and spread are in sentences, within a document, pronouns included.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from bwb.lexicon import pronoun_class
from bwb.records import ENTITY_TYPES, LANGS, SPLITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bwb.records import Document, Lang, Side

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
Row = dict[str, Any]
SERIES = ("antecedent_distance", "spread", "chain_size")


def length(text: str, lang: Lang) -> int:
    """Words of an English text, characters (white space apart) of a Chinese one."""
    return len("".join(text.split())) if lang == "zh" else len(_WORD.findall(text))


@dataclass(slots=True)
class _SideTotals:
    """Everything counted on one language."""

    documents: int = 0
    sentences: int = 0
    units: int = 0
    mentions: Counter[str] = field(default_factory=Counter)
    entities: Counter[str] = field(default_factory=Counter)
    pronouns: Counter[tuple[str, bool]] = field(default_factory=Counter)
    quotes: int = 0
    quoted_sentences: int = 0
    annotated_sentences: int = 0
    unknown_speakers: int = 0
    speakers: set[tuple[str, str]] = field(default_factory=set)
    series: dict[str, Counter[int]] = field(
        default_factory=lambda: {name: Counter() for name in SERIES}
    )


class Statistics:
    """Counts documents one by one; memory does not grow with their text."""

    def __init__(self) -> None:
        """Start empty."""
        self._books: dict[str, set[str]] = {}
        self._genres: Counter[str] = Counter()
        self._sizes: dict[tuple[str, Lang], _SideTotals] = {}
        self._all: dict[Lang, _SideTotals] = {}

    def add(self, document: Document) -> None:
        """Count one document."""
        split = document.split or "none"
        self._books.setdefault(split, set()).add(document.book)
        self._genres[document.genre or "none"] += 1
        for side in document.sides:
            totals = self._sizes.setdefault((split, side.lang), _SideTotals())
            overall = self._all.setdefault(side.lang, _SideTotals())
            units = sum(length(sentence, side.lang) for sentence in side.sentences)
            for target in (totals, overall):
                target.documents += 1
                target.sentences += len(side.sentences)
                target.units += units
            _add_mentions(side, overall)
            _add_quotes(side, document.book, overall)

    def tables(self) -> dict[str, list[Row]]:
        """Every table as a list of rows; a quantity that is undefined is None."""
        return {
            "sizes": list(self._size_rows()),
            "genres": [{"genre": g, "documents": n} for g, n in sorted(self._genres.items())],
            "entities": [
                row for lang in self._langs() for row in _entity_rows(lang, self._all[lang])
            ],
            "pronouns": [
                row for lang in self._langs() for row in _pronoun_rows(lang, self._all[lang])
            ],
            "quotes": [_quote_row(lang, self._all[lang]) for lang in self._langs()],
            "chains": [row for lang in self._langs() for row in _chain_rows(lang, self._all[lang])],
        }

    def series(self) -> list[Row]:
        """The three series of Figure 3: how often each value occurs, by language."""
        return [
            {"lang": lang, "series": name, "value": value, "count": counts[value]}
            for lang in self._langs()
            for name, counts in self._all[lang].series.items()
            for value in sorted(counts)
        ]

    def _langs(self) -> list[Lang]:
        return [lang for lang in LANGS if lang in self._all]

    def _size_rows(self) -> Iterator[Row]:
        for split in (*SPLITS, "none"):
            for lang in LANGS:
                if (split, lang) in self._sizes:
                    yield _size_row(split, lang, self._sizes[split, lang], self._books[split])
        for lang in self._langs():
            books = set().union(*self._books.values())
            yield _size_row("all", lang, self._all[lang], books)


def count_corpus(documents: Iterable[Document]) -> Statistics:
    """Count all documents of a corpus."""
    statistics = Statistics()
    for document in documents:
        statistics.add(document)
    return statistics


def _add_mentions(side: Side, totals: _SideTotals) -> None:
    if not {"entity", "coreference"} & set(side.layers):
        return
    entities: dict[str, set[str]] = {}
    chains: dict[str, list[int]] = {}
    for mention in side.mentions:
        chains.setdefault(mention.entity, []).append(mention.sentence)
        if mention.pronoun:
            totals.pronouns[pronoun_class(mention.text, side.lang), mention.omitted] += 1
            continue
        kinds = [mention.type or "untyped", "all"]
        if mention.term is not None:
            kinds.append("TERM" if mention.term else "NOM")
        for kind in kinds:
            totals.mentions[kind] += 1
            entities.setdefault(kind, set()).add(mention.entity)
    for kind, names in entities.items():
        totals.entities[kind] += len(names)
    for sentences in chains.values():
        sentences.sort()
        totals.series["chain_size"][len(sentences)] += 1
        totals.series["spread"][sentences[-1] - sentences[0]] += 1
        for before, after in pairwise(sentences):
            totals.series["antecedent_distance"][after - before] += 1


def _add_quotes(side: Side, book: str, totals: _SideTotals) -> None:
    if "quotation" not in side.layers:
        return
    totals.annotated_sentences += len(side.sentences)
    spans = sorted((span.start, span.end) for quote in side.quotes for span in quote.spans)
    for start, sentence in zip(side.offsets, side.sentences, strict=True):
        end = start + len(sentence)
        totals.quoted_sentences += any(first < end and start < last for first, last in spans)
    for quote in side.quotes:
        totals.quotes += 1
        if quote.speaker is None:
            totals.unknown_speakers += 1
        else:
            totals.speakers.add((book, quote.speaker))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _size_row(split: str, lang: Lang, totals: _SideTotals, books: set[str]) -> Row:
    return {
        "split": split,
        "lang": lang,
        "books": len(books),
        "documents": totals.documents,
        "sentences": totals.sentences,
        "unit": "characters" if lang == "zh" else "words",
        "length": totals.units,
        "sentences_per_document": _share(totals.sentences, totals.documents),
        "length_per_sentence": _share(totals.units, totals.sentences),
        "length_per_document": _share(totals.units, totals.documents),
    }


def _entity_rows(lang: Lang, totals: _SideTotals) -> Iterator[Row]:
    untyped = ("untyped",) if totals.mentions["untyped"] else ()
    for kind in (*ENTITY_TYPES, *untyped, "NOM", "TERM", "all"):
        mentions, entities = totals.mentions[kind], totals.entities[kind]
        yield {
            "lang": lang,
            "kind": kind,
            "mentions": mentions,
            "share": _share(mentions, totals.mentions["all"]),
            "entities": entities,
            "repetition": _share(mentions, entities),
        }


def _pronoun_rows(lang: Lang, totals: _SideTotals) -> Iterator[Row]:
    classes = sorted({name for name, _ in totals.pronouns}, key=_class_order)
    everything = sum(totals.pronouns.values())
    for name in (*classes, "all"):
        overt, omitted = (
            sum(
                n
                for (kind, left_out), n in totals.pronouns.items()
                if left_out is flag and name in {kind, "all"}
            )
            for flag in (False, True)
        )
        yield {
            "lang": lang,
            "class": name,
            "pronouns": overt + omitted,
            "share": _share(overt + omitted, everything),
            "omitted": omitted,
            "omitted_share": _share(omitted, overt + omitted),
        }


def _class_order(name: str) -> tuple[int, str]:
    order = ("masculine", "feminine", "neuter", "epicene", "first", "second", "reflexive")
    return (order.index(name) if name in order else len(order), name)


def _quote_row(lang: Lang, totals: _SideTotals) -> Row:
    return {
        "lang": lang,
        "quotes": totals.quotes,
        "sentences_with_speech": totals.quoted_sentences,
        "share_of_sentences": _share(totals.quoted_sentences, totals.annotated_sentences),
        "distinct_speakers": len(totals.speakers),
        "unknown_speaker": totals.unknown_speakers,
    }


def _chain_rows(lang: Lang, totals: _SideTotals) -> Iterator[Row]:
    for name in SERIES:
        values = sorted(totals.series[name].elements())
        yield {
            "lang": lang,
            "series": name,
            "n": len(values),
            "mean": fmean(values) if values else None,
            "median": float(median(values)) if values else None,
            "max": values[-1] if values else None,
        }
