"""The records: what a chapter, its annotations and the outputs of systems are.

This module is the one source of truth for the schema. JSON Schema, Arrow schema and dataset
features are derived from it (`bwb.schema`). It imports nothing of ours.

Offsets are half-open ``[start, end)`` ranges of Unicode code points into the text of a side,
which is its sentences joined by a line feed: ``side.text[m.start:m.end] == m.text``.

A layer named in `Side.layers` was annotated, though perhaps nothing was found; a layer that is
not named there was never looked for.

Sources: Jiang et al. 2023 (BWB) for the layers and the error codes; Bamman et al. 2019, 2020
(LitBank) for the entity types and the forms of a mention; Vishnubhotla et al. 2022 (PDNC) for
quotations of several pieces with speaker and addressees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, get_args

Lang = Literal["zh", "en"]
Split = Literal["train", "validation", "test"]
EntityType = Literal["PER", "FAC", "GPE", "LOC", "VEH", "ORG"]
Form = Literal["name", "nominal", "pronoun"]
Layer = Literal["entity", "terminology", "coreference", "quotation"]
QuoteKind = Literal["direct", "thought", "written"]
EntityClass = Literal["PERSON", "NONPERSON"]

LANGS: tuple[Lang, ...] = get_args(Lang)
SPLITS: tuple[Split, ...] = get_args(Split)
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
LAYERS: tuple[Layer, ...] = get_args(Layer)

# BWB paper, Table 6 and the release's README. 0 (no error) is the absence of a mark.
ERROR_CODES: dict[int, str] = {
    1: "ambiguity",
    2: "omitted pronoun",
    3: "other ellipsis",
    4: "named entity",
    5: "tense",
    6: "sentence level",
    7: "undocumented",
}

# Read by pydantic when it validates these classes: an unknown key is an error, and the
# docstring below a field is its description in the JSON Schema.
_STRICT = {"extra": "forbid", "use_attribute_docstrings": True}


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points of a side's text."""

    __pydantic_config__ = _STRICT
    start: int
    """First code point."""
    end: int
    """One past the last code point."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase that refers to an entity."""

    __pydantic_config__ = _STRICT
    id: str
    """Unique within its side."""
    entity: str
    """Id of the entity referred to, shared by both sides."""
    start: int
    """First code point in the side's text."""
    end: int
    """One past the last code point in the side's text."""
    sentence: int
    """Index of the sentence in which the mention starts."""
    text: str
    """The phrase itself: the side's text from start to end."""
    type: EntityType | None = None
    """Entity type of this mention; None where the annotation does not type it (pronouns)."""
    form: Form | None = None
    """Name, nominal or pronoun; None where the annotation does not say."""
    term: bool | None = None
    """True for T, False for N; None where undecided or not annotated."""
    omitted: bool = False
    """True for an overt pronoun that the other language leaves out (BWB's O)."""

    @property
    def pronoun(self) -> bool:
        """Whether the mention is a pronoun (BWB's P and O)."""
        return self.form == "pronoun"


@dataclass(frozen=True, slots=True)
class Quote:
    """Direct speech, in one piece or several."""

    __pydantic_config__ = _STRICT
    id: str
    """Unique within its side."""
    spans: tuple[Span, ...]
    """The pieces, in order; a piece may run over several sentences."""
    speaker: str | None = None
    """Id of the entity that speaks; None if it cannot be told."""
    addressees: tuple[str, ...] = ()
    """Ids of the entities spoken to, if annotated."""
    kind: QuoteKind = "direct"
    """Speech, thought, or writing read out."""


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """A named entity string counted in a sentence, as in the release's ``ner_re`` files."""

    __pydantic_config__ = _STRICT
    sentence: int
    """Index of the sentence."""
    label: EntityClass
    """PERSON or NONPERSON."""
    text: str
    """The string."""
    count: int
    """How often it occurs in the sentence."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a side came from and what was done to it; None is unknown."""

    __pydantic_config__ = _STRICT
    url: str | None = None
    """Address of the page."""
    final_url: str | None = None
    """Address that answered, after redirects; None if it is the same or not known."""
    captured: str | None = None
    """Time of the archive's capture, ISO 8601."""
    fetched: str | None = None
    """Time of the request, ISO 8601."""
    status: int | None = None
    """HTTP status."""
    charset_declared: str | None = None
    """Charset the page or the header named."""
    charset_used: str | None = None
    """Charset the body was decoded with."""
    sha256_raw: str | None = None
    """Digest of the body as received."""
    sha256_text: str | None = None
    """Digest of the text in UTF-8."""
    recipe: str | None = None
    """Recipe and version, or the file the side was read from."""


@dataclass(frozen=True)
class Chapter:
    """A chapter in one language, as taken from its pages: what cleaning and pairing work on."""

    __pydantic_config__ = _STRICT
    book: str
    """Id of the book."""
    chapter: str
    """Place in the list of chapters of this language, from 1, in decimal digits."""
    lang: Lang
    """Language of the edition the pages belong to; what they are written in may differ."""
    url: str
    """Address of the first page, as the list of chapters gave it."""
    lines: tuple[str, ...]
    """The text, a paragraph a line; none is empty or holds a line feed."""
    title: str | None = None
    """Title, as the list of chapters or the page has it."""
    number: int | None = None
    """Number of the chapter by its title; None if the title names none."""
    sha256_raw: str | None = None
    """Digest of the bodies of its pages as received, one after the other."""
    sha256_text: str | None = None
    """Digest of the lines joined by a line feed, in UTF-8."""
    pages: tuple[Provenance, ...] = ()
    """Its pages, in order."""
    original: tuple[str, ...] | None = None
    """The lines before they were put into simplified characters; None if they were not."""


@dataclass(frozen=True)
class Side:
    """The chapter in one language, with what was annotated on it."""

    __pydantic_config__ = _STRICT
    lang: Lang
    """Language of the side."""
    sentences: tuple[str, ...]
    """The sentences, untouched; none holds a line feed."""
    layers: tuple[Layer, ...] = ()
    """The layers that were annotated, in the order of `LAYERS`."""
    mentions: tuple[Mention, ...] = ()
    """Mentions of entities, pronouns included."""
    quotes: tuple[Quote, ...] = ()
    """Direct speech."""
    named_entities: tuple[NamedEntity, ...] | None = None
    """Counted entity strings; None if there is no such list."""
    title: str | None = None
    """Title of the chapter."""
    provenance: Provenance | None = None
    """Where it came from."""

    @cached_property
    def text(self) -> str:
        """The sentences joined by a line feed; all offsets point into it."""
        return "\n".join(self.sentences)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Offset of the first code point of each sentence; length = number of sentences."""
        return sentence_offsets(self.sentences)

    def sentence_span(self, index: int) -> Span:
        """The range of a sentence in the text, without its line feed."""
        start = self.offsets[index]
        return Span(start, start + len(self.sentences[index]))


@dataclass(frozen=True, slots=True)
class Link:
    """Sentences that translate each other (an aligner's bead); either list may be empty."""

    __pydantic_config__ = _STRICT
    zh: tuple[int, ...]
    """Indices of Chinese sentences, ascending."""
    en: tuple[int, ...]
    """Indices of English sentences, ascending."""
    method: str = "line"
    """How the link was made."""
    score: float | None = None
    """The method's confidence; None if it has none."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something in the story, the same in both languages."""

    __pydantic_config__ = _STRICT
    id: str
    """Unique within the document; the same in all chapters of a book where so annotated."""
    type: EntityType | None
    """Entity type; None if it is only ever referred to by pronouns."""
    term: bool | None
    """Whether any of its mentions is a term (T); None if undecided or not annotated."""
    zh: tuple[str, ...] = ()
    """Distinct Chinese forms that are not pronouns, in order of appearance."""
    en: tuple[str, ...] = ()
    """Distinct English forms that are not pronouns, in order of appearance."""


@dataclass(frozen=True, slots=True)
class ErrorMark:
    """An error that an annotator marked in a system's output."""

    __pydantic_config__ = _STRICT
    sentence: int
    """Index of the sentence."""
    code: int
    """1 to 7, see `ERROR_CODES`."""
    reference: str | None = None
    """The right phrase; None if not given."""
    text: str | None = None
    """The wrong phrase; None if the mark is on the whole sentence."""
    start: int | None = None
    """First code point of the phrase in the output's text; None as for `text`."""
    end: int | None = None
    """One past its last code point; None as for `text`."""


@dataclass(frozen=True)
class SystemOutput:
    """A system's translation of the document: one more side, a sentence to a source sentence."""

    __pydantic_config__ = _STRICT
    system: str
    """Name of the system."""
    sentences: tuple[str, ...]
    """As many as the source has; a sentence may be empty."""
    errors: tuple[ErrorMark, ...] | None = None
    """Marked errors; empty if looked for and none found, None if never looked for."""

    @cached_property
    def text(self) -> str:
        """The sentences joined by a line feed; the offsets of error marks point into it."""
        return "\n".join(self.sentences)


@dataclass(frozen=True)
class Document:
    """A chapter."""

    __pydantic_config__ = _STRICT
    id: str
    """Unique in the corpus: ``book/chapter``."""
    book: str
    """Id of the book."""
    chapter: str
    """Id of the chapter within its book."""
    zh: Side | None = None
    """The Chinese side; None in a corpus that has only English."""
    en: Side | None = None
    """The English side; None in a corpus that has only Chinese."""
    links: tuple[Link, ...] = ()
    """Which sentences translate each other; monotone, every sentence in exactly one."""
    entities: tuple[Entity, ...] = ()
    """The entities that the mentions and quotes of both sides refer to."""
    systems: tuple[SystemOutput, ...] = ()
    """Outputs of systems."""
    genre: str | None = None
    """Genre of the book."""
    split: Split | None = None
    """Split of the book."""

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides there are, Chinese first."""
        return tuple(side for side in (self.zh, self.en) if side is not None)


def sentence_offsets(sentences: tuple[str, ...]) -> tuple[int, ...]:
    """Offset of each sentence in the sentences joined by a line feed."""
    lengths = (len(sentence) + 1 for sentence in sentences[:-1])
    return tuple(accumulate(lengths, initial=0)) if sentences else ()
