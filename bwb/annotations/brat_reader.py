"""Reading one annotation file of brat; `bwb.annotations.brat` says what the lines mean."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from bwb.annotations.tokens import TERMS, malformed, read_exactly, unescape
from bwb.records import (
    ENTITY_TYPES,
    LAYERS,
    EntityType,
    Form,
    Layer,
    Mention,
    Quote,
    QuoteKind,
    Side,
    Span,
    sentence_offsets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bwb.errors import FormatError
    from bwb.records import Lang

QUOTE = "QUOTE"
FORMS: dict[str, Form] = {"PROP": "name", "NOM": "nominal", "PRON": "pronoun"}
# Label of a mention -> its type and form.
LABELS: dict[str, tuple[EntityType | None, Form | None]] = {
    "MENTION": (None, None),
    **{kind: (kind, None) for kind in ENTITY_TYPES},
    **{name: (None, form) for name, form in FORMS.items()},
    **{f"{name}_{kind}": (kind, form) for name, form in FORMS.items() for kind in ENTITY_TYPES},
}
RELATIONS = ("cop", "appos")
# Attribute -> its values, of mentions and of quotes; brat writes a flag without a value.
ATTRIBUTES: dict[str, tuple[str, ...]] = {"Term": ("T", "N"), "Omitted": ("",)}
QUOTE_ATTRIBUTES: dict[str, tuple[str, ...]] = {"Kind": get_args(QuoteKind)}

_ID = re.compile(r"[TAMNRE#][0-9]+|\*")
_CHAIN = re.compile(r"\S+-[0-9]+")
_RELATION = re.compile(r"(\S+) Arg1:(\S+) Arg2:(\S+)")
_REFERENCE = re.compile(r"Reference (\S+) ([^\s:]+):(\S+)")
_RANGES = re.compile(r"[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*")
_BOUND = re.compile(rf"(\S+) ({_RANGES.pattern})")


def visible(spans: Iterable[Span], text: str) -> list[Span]:
    """The ranges brat can show: in order, apart from each other, none with a line feed."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if merged and span.start <= merged[-1].end:
            span = Span(merged[-1].start, max(merged.pop().end, span.end))
        merged.append(span)
    shown = []
    for span in merged:
        start = span.start
        for line in text[span.start : span.end].split("\n"):
            if line:
                shown.append(Span(start, start + len(line)))
            start += len(line) + 1
    return shown


def joined(shown: Iterable[Span], text: str) -> tuple[Span, ...]:
    """The pieces that ranges stand for: those with only line feeds between them are one."""
    pieces: list[Span] = []
    for span in shown:
        if pieces and not text[pieces[-1].end : span.start].strip("\n"):
            span = Span(pieces.pop().start, span.end)
        pieces.append(span)
    return tuple(pieces)


def ranges(spans: Iterable[Span]) -> str:
    """Ranges as brat writes them: ``0 5;7 9``."""
    return ";".join(f"{span.start} {span.end}" for span in spans)


def covered(spans: Iterable[Span], text: str) -> str:
    """The text of ranges as brat writes it: joined by spaces."""
    return " ".join(text[span.start : span.end] for span in spans)


@dataclass(slots=True)
class _Bound:
    """A text-bound annotation, and what other lines say of it."""

    id: str
    label: str
    shown: list[Span]
    line: int
    pieces: tuple[Span, ...]
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    roles: dict[str, list[str]] = field(default_factory=dict)
    hangs_on: dict[str, None] = field(default_factory=dict)


class _Line(NamedTuple):
    number: int
    id: str
    body: str
    tail: str


class SideReader:
    """Reads the annotation file of a side.

    Args:
        file: Name for messages; the layers lie beside it.
        text: The side's text.
        lang: The side's language.

    Attributes:
        skipped: How many there were of each kind of thing that is not read.
    """

    def __init__(self, file: Path, text: str, lang: Lang) -> None:
        """Start an empty side."""
        self.file = file
        self.text = text
        self.lang = lang
        self.skipped: Counter[str] = Counter()
        # Mentions and quotes in the order of the file; annotations that only hold a chain.
        self.bounds: dict[str, _Bound] = {}
        self.chains: list[_Bound] = []
        self.alias: dict[str, str] = {}
        self.ids: set[str] = set()

    def feed(self, lines: Iterable[str]) -> None:
        """Read all lines: first what marks text, then what refers to that.

        Raises:
            FormatError: at the first line that is not as it should be.
        """
        rest = []
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            name, body, tail, *_ = (*line.split("\t", 2), "", "")
            if not _ID.fullmatch(name):
                message = f"id {name!r}; expected T, A, M, N, R, E or # and a number, or *"
                raise malformed(self.file, number, 1, "unknown-annotation", message)
            if name in self.ids:
                raise malformed(self.file, number, 1, "duplicate-id", f"a second {name!r}")
            if name != "*":
                self.ids.add(name)
            parsed = _Line(number, name, body, tail)
            if name[0] == "T":
                self._text_bound(parsed)
            else:
                rest.append(parsed)
        self._resolve_chains()
        actions = {"A": self._attribute, "M": self._attribute, "N": self._reference}
        actions |= {"R": self._relation, "*": self._equivalence, "#": self._note}
        for parsed in rest:
            actions.get(parsed.id[0], self._event)(parsed)

    def _fail(self, line: _Line, code: str, message: str, offset: int = 0) -> FormatError:
        return malformed(self.file, line.number, len(line.id) + 2 + offset, code, message)

    def _spans(self, line: _Line, ranges: str, offset: int) -> list[Span]:
        spans = []
        for pair in ranges.split(";"):
            start, end = map(int, pair.split(" "))
            if not start < end <= len(self.text):
                message = f"offsets {pair!r}; expected two ascending within 0 and {len(self.text)}"
                raise self._fail(line, "bad-span", message, offset)
            spans.append(Span(start, end))
        return spans

    def _text_bound(self, line: _Line) -> None:
        parts = _BOUND.fullmatch(line.body)
        if parts is None:
            message = f"{line.body!r}; expected 'LABEL START END', then a tab and the text"
            raise self._fail(line, "bad-annotation", message)
        label, ranges = parts.groups()
        shown = self._spans(line, ranges, parts.start(2))
        found = covered(shown, self.text)
        if line.tail != found:
            message = f"text {line.tail!r}; the text at {ranges} is {found!r}"
            raise self._fail(line, "text-differs", message, len(line.body) + 1)
        bound = _Bound(line.id, label, shown, line.number, joined(shown, self.text), line.id)
        if label == QUOTE or label in LABELS:
            self.bounds[line.id] = bound
        elif _CHAIN.fullmatch(label):
            self.chains.append(bound)
        else:
            message = f"label {label!r}; expected {QUOTE}, {', '.join(LABELS)}"
            raise self._fail(line, "unknown-label", message)

    def _resolve_chains(self) -> None:
        """Give chains to the mentions on the same spans, in the order of the file."""
        free: dict[tuple[Span, ...], list[_Bound]] = {}
        for bound in reversed(self.bounds.values()):
            if bound.label != QUOTE:
                free.setdefault(tuple(bound.shown), []).append(bound)
        for chain in self.chains:
            mentions = free.get(tuple(chain.shown))
            if not mentions:
                message = f"label {chain.label!r} on a span without a mention to go with it"
                raise malformed(self.file, chain.line, len(chain.id) + 2, "unknown-label", message)
            mention = mentions.pop()
            mention.roles["Entity"] = [chain.label]
            self.alias[chain.id] = mention.id

    def _find(self, line: _Line, name: str) -> _Bound | None:
        """The mention or quote of an id; None if it is something that is not read."""
        if name not in self.ids:
            message = f"{line.body!r} refers to {name!r}, which is not in the file"
            raise self._fail(line, "missing-id", message, line.body.find(name))
        return self.bounds.get(self.alias.get(name, name))

    def _attribute(self, line: _Line) -> None:
        kind, _, rest = line.body.partition(" ")
        name, _, value = rest.partition(" ")
        bound = self._find(line, name)
        allowed = QUOTE_ATTRIBUTES if bound and bound.label == QUOTE else ATTRIBUTES
        if bound is None or kind not in allowed:
            self.skipped["attributes"] += 1
            return
        if value not in allowed[kind] or kind in bound.attributes:
            known = f"; {name} has one already" if kind in bound.attributes else ""
            message = f"{line.body!r}: value {value!r}; expected one of {allowed[kind]}{known}"
            raise self._fail(line, "bad-attribute", message)
        bound.attributes[kind] = value

    def _reference(self, line: _Line) -> None:
        parts = _REFERENCE.fullmatch(line.body)
        if parts is None:
            message = f"{line.body!r}; expected 'Reference ID BASE:ENTRY'"
            raise self._fail(line, "bad-reference", message)
        name, role, entity = parts.groups()
        bound = self._find(line, name)
        roles = {"Speaker", "Addressee"} if bound and bound.label == QUOTE else {"Entity"}
        if bound is None or role not in roles:
            self.skipped["references"] += 1
            return
        known = bound.roles.setdefault(role, [])
        if known and role != "Addressee":
            message = f"{line.body!r}: {name} has the {role} {known[0]!r} already"
            raise self._fail(line, "bad-reference", message)
        known.append(unescape(entity))

    def _relation(self, line: _Line) -> None:
        parts = _RELATION.fullmatch(line.body)
        if parts is None:
            message = f"{line.body!r}; expected 'TYPE Arg1:ID Arg2:ID'"
            raise self._fail(line, "bad-relation", message)
        relation, first, second = parts.groups()
        source, target = self._find(line, first), self._find(line, second)
        if source is not None and source is target:
            message = f"{line.body!r} ties {first} to itself"
            raise self._fail(line, "bad-relation", message)
        labels = {bound.label for bound in (source, target) if bound is not None}
        if not source or not target or QUOTE in labels or relation not in RELATIONS:
            self.skipped["relations"] += 1
        else:
            source.hangs_on[f".{relation}.{target.id}"] = None

    def _equivalence(self, line: _Line) -> None:
        _, *names = line.body.split(" ")
        found = [self._find(line, name) for name in names]
        mentions = [m for m in found if m is not None and m.label != QUOTE]
        free = [m for m in mentions if "Entity" not in m.roles]
        if len(free) < len(names) or not free:
            self.skipped["equivalences"] += 1
            return
        for mention in free:
            mention.roles["Entity"] = [f"{self.lang}.{free[0].id}"]

    def _note(self, line: _Line) -> None:
        kind, _, name = line.body.partition(" ")
        bound = self._find(line, name)
        if bound is None or kind not in {"Id", "Pieces"}:
            self.skipped["notes"] += 1
        elif kind == "Id":
            bound.name = unescape(line.tail)
        else:
            offset = len(line.body) + 1
            known = _RANGES.fullmatch(line.tail)
            pieces = tuple(self._spans(line, line.tail, offset)) if known else ()
            if visible(pieces, self.text) != bound.shown:
                message = f"pieces {line.tail!r}; expected those of {name}: {ranges(bound.shown)}"
                raise self._fail(line, "bad-pieces", message, offset)
            bound.pieces = pieces

    def _event(self, _: _Line) -> None:
        self.skipped["events"] += 1

    def side(self, sentences: tuple[str, ...]) -> Side:
        """The side, once all lines were read.

        Raises:
            FormatError: if a mention has several pieces, or an id occurs twice.
        """
        mentions: list[Mention] = []
        quotes: list[Quote] = []
        offsets = sentence_offsets(sentences)
        names: set[tuple[bool, str]] = set()
        for bound in self.bounds.values():
            quoted = bound.label == QUOTE
            if (quoted, bound.name) in names:
                message = f"a second annotation with the id {bound.name!r}"
                raise malformed(self.file, bound.line, 1, "duplicate-id", message)
            names.add((quoted, bound.name))
            if quoted:
                quotes.append(_quote(bound))
            else:
                mentions.append(self._mention(bound, offsets))
        return Side(self.lang, sentences, self._layers(), tuple(mentions), tuple(quotes))

    def _mention(self, bound: _Bound, offsets: tuple[int, ...]) -> Mention:
        if len(bound.pieces) > 1:
            message = f"{bound.label} of {len(bound.pieces)} pieces; a mention has one"
            column = len(bound.id) + 2
            raise malformed(self.file, bound.line, column, "several-pieces", message)
        kind, form = LABELS[bound.label]
        span = bound.pieces[0]
        if "Entity" in bound.roles:
            entity = bound.roles["Entity"][0]
            self.skipped["relations"] += len(bound.hangs_on)
        else:
            entity = "".join((self.lang, ".", bound.id, *bound.hangs_on))
        return Mention(
            id=bound.name,
            entity=entity,
            start=span.start,
            end=span.end,
            sentence=bisect_right(offsets, span.start) - 1,
            text=self.text[span.start : span.end],
            type=kind,
            form=form,
            term=TERMS[bound.attributes.get("Term")],
            omitted="Omitted" in bound.attributes,
        )

    def _layers(self) -> tuple[Layer, ...]:
        """The layers the file beside names, or else those of which there is anything."""
        beside = self.file.with_suffix(".layers")
        if beside.is_file():
            names = read_exactly(beside).split("\n")[:-1]
            for number, name in enumerate(names, 1):
                if name not in LAYERS:
                    message = f"layer {name!r}; expected one of {', '.join(LAYERS)}"
                    raise malformed(beside, number, 1, "unknown-layer", message)
            return cast("tuple[Layer, ...]", tuple(names))
        found: set[Layer] = set()
        for bound in self.bounds.values():
            found.add("quotation" if bound.label == QUOTE else "entity")
            found |= {"terminology"} if "Term" in bound.attributes else set()
            found |= {"coreference"} if "Entity" in bound.roles else set()
        return tuple(layer for layer in LAYERS if layer in found)


def _quote(bound: _Bound) -> Quote:
    return Quote(
        id=bound.name,
        spans=bound.pieces,
        speaker=bound.roles.get("Speaker", [None])[0],
        addressees=tuple(bound.roles.get("Addressee", ())),
        kind=cast("QuoteKind", bound.attributes.get("Kind", "direct")),
    )
