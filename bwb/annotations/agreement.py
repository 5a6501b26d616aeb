"""How far two annotators agree, layer by layer and language by language.

The measures are those of Table 3 of Jiang et al. 2023: F1 of mentions, entities, terminology and
quotations, and the CoNLL F1 of coreference. The first annotator is the key. All are fractions;
None where neither annotated anything of the kind.

mention      spans, pronouns included
entity       spans and types of mentions that are not pronouns
terminology  spans of mentions marked T
coreference  (MUC + B³ + CEAFe) / 3 over the chains, singletons included
omitted      spans of pronouns marked O
quotation    quotes with the same pieces
speaker      quotes with the same pieces and speaker; the second annotator's ids are mapped to
             the first's one to one, so that most mentions fall together
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bwb.corefscores import CorefCounts, Ratio, count
from bwb.errors import InputError
from bwb.records import LANGS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from bwb.records import Document, Lang, Side

Measure = Literal[
    "mention", "entity", "terminology", "coreference", "omitted", "quotation", "speaker"
]
MEASURES: tuple[Measure, ...] = (
    "mention",
    "entity",
    "terminology",
    "coreference",
    "omitted",
    "quotation",
    "speaker",
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """One measure for one language.

    Attributes:
        lang: The language.
        measure: One of `MEASURES`.
        precision: Share of what the second annotated that the first did too; None if undefined.
        recall: Share of what the first annotated that the second did too; None if undefined.
        f1: Their harmonic mean, or for coreference the CoNLL mean; None if undefined.
        first: How many the first annotated (for coreference: mentions).
        second: How many the second annotated.
        both: How many are the same.
    """

    lang: Lang
    measure: Measure
    precision: float | None
    recall: float | None
    f1: float | None
    first: int
    second: int
    both: int


def pair_documents(
    first: Iterable[Document], second: Iterable[Document]
) -> list[tuple[Document, Document]]:
    """Pair the second annotator's documents with the first's.

    Raises:
        InputError: if the second has a document the first lacks, none are common, an id occurs
            twice, or the texts of a pair differ.
    """
    by_id: dict[str, Document] = {}
    for document in first:
        if document.id in by_id:
            raise InputError(f"document {document.id} occurs twice in the first annotation")
        by_id[document.id] = document
    pairs = []
    for other in second:
        if other.id not in by_id:
            known = ", ".join(list(by_id)[:8])
            raise InputError(
                f"document {other.id} is not in the first annotation, which has {known}"
            )
        pair = (by_id[other.id], other)
        _require_same_text(*pair)
        pairs.append(pair)
    if not pairs:
        raise InputError("the two annotations have no document in common")
    return pairs


def agreement(pairs: Iterable[tuple[Document, Document]]) -> list[Agreement]:
    """Agreement over all documents: counts are summed, then divided."""
    items: dict[tuple[Lang, Measure], Ratio] = {}
    chains: dict[Lang, CorefCounts] = {}
    for one, other in pairs:
        for lang in LANGS:
            key, response = getattr(one, lang), getattr(other, lang)
            if key is None or response is None:
                continue
            for measure, extract in _EXTRACT.items():
                shared = set(key.layers) & set(response.layers)
                if _LAYER[measure] in shared:
                    ratio = _overlap(extract(key), extract(response))
                    at = (lang, measure)
                    items[at] = items[at] + ratio if at in items else ratio
            if "quotation" in set(key.layers) & set(response.layers):
                mapping = entity_mapping(key, response)
                ratio = _overlap(_speakers(key, {}), _speakers(response, mapping))
                at = (lang, "speaker")
                items[at] = items[at] + ratio if at in items else ratio
            if "coreference" in set(key.layers) & set(response.layers):
                counts = count(_chains(key), _chains(response))
                chains[lang] = chains[lang] + counts if lang in chains else counts
    return [
        row
        for lang in LANGS
        for measure in MEASURES
        if (row := _row(lang, measure, items, chains)) is not None
    ]


def entity_mapping(key: Side, response: Side) -> dict[str, str]:
    """The response's entity ids mapped to the key's, one to one, most shared mentions first.

    Ties go to the pair that has equal ids, then to the smaller ids, so that the result does not
    depend on the order of anything.
    """
    spans: dict[tuple[int, int], list[str]] = {}
    for mention in key.mentions:
        spans.setdefault((mention.start, mention.end), []).append(mention.entity)
    shared: Counter[tuple[str, str]] = Counter()
    for mention in response.mentions:
        for entity in spans.get((mention.start, mention.end), ()):
            shared[mention.entity, entity] += 1
    mapping: dict[str, str] = {}
    taken: set[str] = set()
    ranked = sorted(shared, key=lambda pair: (-shared[pair], pair[0] != pair[1], pair))
    for theirs, ours in ranked:
        if theirs not in mapping and ours not in taken:
            mapping[theirs] = ours
            taken.add(ours)
    return mapping


def _mentions(side: Side) -> list[Hashable]:
    return [(m.start, m.end) for m in side.mentions]


def _entities(side: Side) -> list[Hashable]:
    return [(m.start, m.end, m.type) for m in side.mentions if not m.pronoun]


def _terms(side: Side) -> list[Hashable]:
    return [(m.start, m.end) for m in side.mentions if m.term]


def _omitted(side: Side) -> list[Hashable]:
    return [(m.start, m.end) for m in side.mentions if m.omitted]


def _quotes(side: Side) -> list[Hashable]:
    return [quote.spans for quote in side.quotes]


_EXTRACT: dict[Measure, Callable[[Side], list[Hashable]]] = {
    "mention": _mentions,
    "entity": _entities,
    "terminology": _terms,
    "omitted": _omitted,
    "quotation": _quotes,
}
_LAYER: dict[Measure, str] = {
    "mention": "coreference",
    "entity": "entity",
    "terminology": "terminology",
    "omitted": "coreference",
    "quotation": "quotation",
}


def _speakers(side: Side, mapping: dict[str, str]) -> list[Hashable]:
    return [
        (quote.spans, mapping.get(quote.speaker, quote.speaker) if quote.speaker else None)
        for quote in side.quotes
    ]


def _chains(side: Side) -> list[list[tuple[int, int]]]:
    chains: dict[str, list[tuple[int, int]]] = {}
    for mention in side.mentions:
        chains.setdefault(mention.entity, []).append((mention.start, mention.end))
    return list(chains.values())


def _overlap(first: list[Hashable], second: list[Hashable]) -> Ratio:
    both = sum((Counter(first) & Counter(second)).values())
    return Ratio(both, len(first), both, len(second))


def _row(
    lang: Lang,
    measure: Measure,
    items: dict[tuple[Lang, Measure], Ratio],
    chains: dict[Lang, CorefCounts],
) -> Agreement | None:
    f1 = None
    if measure == "coreference":
        if lang not in chains:
            return None
        ratio = chains[lang].mentions
        f1 = chains[lang].conll_f1
        precision = recall = None
    else:
        if (lang, measure) not in items:
            return None
        ratio = items[lang, measure]
        precision, recall, f1 = ratio.precision, ratio.recall, ratio.f1
    return Agreement(
        lang,
        measure,
        precision,
        recall,
        f1,
        first=round(ratio.recall_den),
        second=round(ratio.precision_den),
        both=round(ratio.recall_num),
    )


def _require_same_text(one: Document, other: Document) -> None:
    for lang in LANGS:
        first, second = getattr(one, lang), getattr(other, lang)
        if first is None or second is None or first.sentences == second.sentences:
            continue
        if len(first.sentences) != len(second.sentences):
            lengths = f"{len(first.sentences)} and {len(second.sentences)}"
            raise InputError(f"{one.id} [{lang}]: the annotators have {lengths} sentences")
        pairs = enumerate(zip(first.sentences, second.sentences, strict=True), 1)
        number, (left, right) = next(item for item in pairs if item[1][0] != item[1][1])
        raise InputError(
            f"{one.id} [{lang}] sentence {number}: the annotators' texts differ: "
            f"{left!r} against {right!r}"
        )
