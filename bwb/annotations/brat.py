r"""brat's standoff format, both ways; the brat files of LitBank, reading.

A side is a text file, one sentence a line, and a file of annotations beside it:
``river/3.en.txt``, ``river/3.en.ann``. Offsets are code points of the text file.

    T1	PROP_PER 0 7	Lin Wan           a mention: form and type, either may be absent (PER,
                                            PRON, MENTION)
    N1	Reference T1 Entity:林晚	Lin Wan   its entity; without one it is alone: ``en.T1``
    A1	Term T1 T                           T or N;  A2 Omitted T1: the O of BWB
    #1	Id T1	m1                          its id, if that is not T1
    T2	QUOTE 9 20;31 40	“Go,” “home.”     a quote, one range a piece and line
    N2	Reference T2 Speaker:林晚	…         then Addressee:…, and A3 Kind T2 thought
    #2	Pieces T2	9 20;31 40              the exact ranges, where lines or gaps hide them
    R1	appos Arg1:T5 Arg2:T4               LitBank's; T5's entity is ``en.T5.appos.T4``

Sources: https://brat.nlplab.org/standoff.html (Stenetorp et al. 2012); LitBank (Bamman et al.
2019, 2020), which gives each mention of a chain a second annotation on the same span whose label
is the chain (``Lin_Wan-2``), and none to a mention that only hangs on a copula or an apposition.

What is kept and what is lost
    Kept, both ways: sentences, layers (in ``3.en.layers``, one a line; guessed if there is no
    such file), mentions and quotes with all their fields and their order.
    Kept, reading LitBank: ids, spans, types, forms, chains, relations. Chains come from labels;
    the ids of the annotations that hold them, and repeated relations, do not.
    Lost, and returned as `Loss`: whatever else a `Document` has.
    Lost, and reported to the reader's `losses`: events, other relations, notes, attributes and
    references of files that brat's users made.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from bwb.annotations.layout import guess_lang, side_path
from bwb.annotations.tokens import (
    checked,
    document_losses,
    escape,
    losses_of,
    malformed,
    read_exactly,
    read_pairs,
    unescape,
)
from bwb.errors import FormatError, InputError
from bwb.records import ENTITY_TYPES, LAYERS, EntityType, Form, Layer, Mention, Quote, Side, Span
from bwb.records import QuoteKind as Kind
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bwb.annotations.layout import DocumentFiles
    from bwb.annotations.loss import Loss
    from bwb.records import Document, Lang

SUFFIX = ".ann"

_FORMS: dict[str, Form] = {"PROP": "name", "NOM": "nominal", "PRON": "pronoun"}
_QUOTE = "QUOTE"
# Label -> type and form, for mentions.
_LABELS: dict[str, tuple[EntityType | None, Form | None]] = {"MENTION": (None, None)}
_LABELS |= {kind: (kind, None) for kind in ENTITY_TYPES}
_LABELS |= {name: (None, form) for name, form in _FORMS.items()}
_LABELS |= {f"{name}_{kind}": (kind, form) for name, form in _FORMS.items() for kind in ENTITY_TYPES}
_LABEL_OF = {fields: label for label, fields in _LABELS.items()}

_CONFIGURATION = f"""\
[entities]
{chr(10).join([*_LABELS, _QUOTE])}
[relations]
cop Arg1:<ENTITY>, Arg2:<ENTITY>
appos Arg1:<ENTITY>, Arg2:<ENTITY>
<OVERLAP> Arg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>
[events]
[attributes]
Term Arg:<ENTITY>, Value:T|N
Omitted Arg:<ENTITY>
Kind Arg:{_QUOTE}, Value:{"|".join(get_args(Kind))}
"""

_NUMBERED = re.compile(r"T(?:0|[1-9][0-9]*)")
_CHAIN = re.compile(r"\S+-[0-9]+")
_HANGING = re.compile(r"(?P<own>.+?)(?P<on>(?:\.(?:cop|appos)\.T[0-9]+)+)")
_RELATION = re.compile(r"(\S+) Arg1:(\S+) Arg2:(\S+)")
_REFERENCE = re.compile(r"Reference (\S+) ([^\s:]+):(\S+)")
_BOUND = re.compile(r"(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)")


def write(documents: Iterable[Document], folder: Path) -> list[Loss]:
    """Write documents as brat files, with the configuration brat needs to show them.

    Args:
        documents: The documents.
        folder: Gets ``<book>/<chapter>.<lang>.txt``, ``.ann`` and ``.layers``, and
            ``annotation.conf``.

    Returns:
        What the files do not hold.

    Raises:
        InputError: as `tokens.checked`; also if the text begins with a byte order mark or holds
            a carriage return, which brat takes for a line end.
    """
    losses = []
    for document in checked(documents):
        losses += document_losses(document)
        names = {e.id: (*e.en, *e.zh, e.id)[0] for e in document.entities}
        for side in document.sides:
            if "\r" in side.text or side.text.startswith("\ufeff"):
                where = f"document {document.id} [{side.lang}]"
                raise InputError(f"{where}: a carriage return or byte order mark in the text")
            for suffix, lines in (
                (".txt", iter(side.sentences)),
                (".layers", iter(side.layers)),
                (SUFFIX, _SideWriter(side, names).lines()),
            ):
                with replacing(side_path(folder, document.id, side.lang, suffix)) as file:
                    file.writelines(f"{line}\n" for line in lines)
    with replacing(folder / "annotation.conf") as file:
        file.write(_CONFIGURATION)
    return losses


class _SideWriter:
    """Numbers the annotations of a side and makes their lines."""

    def __init__(self, side: Side, names: dict[str, str]) -> None:
        self.side = side
        self.names = names
        self.ids = {prefix: count(1) for prefix in "AN#R"}
        items = (*side.mentions, *side.quotes)
        self.used = {item.id for item in items if _NUMBERED.fullmatch(item.id)}
        self.free = (name for n in count(1) if (name := f"T{n}") not in self.used)
        # A quote may have the id of a mention, but they share brat's numbers.
        self.kept = {m.id for m in side.mentions} & self.used

    def lines(self) -> Iterator[str]:
        """The annotation file, without line feeds."""
        for mention in self.side.mentions:
            own = mention.id if mention.id in self.kept else next(self.free)
            span = (Span(mention.start, mention.end),)
            yield from self._bound(own, _LABEL_OF[mention.type, mention.form], span)
            yield from self._entity(mention, own)
            if mention.term is not None:
                yield self._line("A", f"Term {own} {'T' if mention.term else 'N'}")
            if mention.omitted:
                yield self._line("A", f"Omitted {own}")
            if own != mention.id:
                yield self._line("#", f"Id {own}", escape(mention.id))
        for quote in self.side.quotes:
            keep = quote.id in self.used - self.kept
            own = quote.id if keep else next(self.free)
            yield from self._bound(own, _QUOTE, quote.spans)
            if quote.speaker is not None:
                yield self._reference(own, "Speaker", quote.speaker)
            for addressee in quote.addressees:
                yield self._reference(own, "Addressee", addressee)
            if quote.kind != "direct":
                yield self._line("A", f"Kind {own} {quote.kind}")
            if own != quote.id:
                yield self._line("#", f"Id {own}", escape(quote.id))

    def _line(self, prefix: str, *fields: str) -> str:
        return "\t".join((f"{prefix}{next(self.ids[prefix])}", *fields))

    def _bound(self, own: str, label: str, spans: tuple[Span, ...]) -> Iterator[str]:
        text = self.side.text
        shown = _visible(spans, text)
        yield f"{own}\t{label} {_ranges(shown)}\t{_covered(shown, text)}"
        if _joined(shown, text) != spans:
            yield self._line("#", f"Pieces {own}", _ranges(spans))

    def _reference(self, own: str, role: str, entity: str) -> str:
        name = " ".join(self.names.get(entity, entity).split())
        return self._line("N", f"Reference {own} {role}:{escape(entity)}", name)

    def _entity(self, mention: Mention, own: str) -> Iterator[str]:
        alone = f"{self.side.lang}.{own}"
        if mention.entity == alone:
            return
        hanging = _HANGING.fullmatch(mention.entity)
        if hanging and hanging["own"] == alone:
            relations = hanging["on"].split(".")[1:]
            pairs = list(zip(relations[::2], relations[1::2], strict=True))
            targets = {target for _, target in pairs}
            if len(set(pairs)) == len(pairs) and targets <= self.kept - {own}:
                for relation, target in pairs:
                    yield self._line("R", f"{relation} Arg1:{own} Arg2:{target}")
                return
        yield self._reference(own, "Entity", mention.entity)


def _visible(spans: Iterable[Span], text: str) -> list[Span]:
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


def _joined(shown: Iterable[Span], text: str) -> tuple[Span, ...]:
    """The pieces that ranges stand for: those with only line feeds between them are one."""
    pieces: list[Span] = []
    for span in shown:
        if pieces and not text[pieces[-1].end : span.start].strip("\n"):
            span = Span(pieces.pop().start, span.end)
        pieces.append(span)
    return tuple(pieces)


def _ranges(spans: Iterable[Span]) -> str:
    return ";".join(f"{span.start} {span.end}" for span in spans)


def _covered(spans: Iterable[Span], text: str) -> str:
    return " ".join(text[span.start : span.end] for span in spans)


def read(
    path: Path, *, lang: Lang | None = None, losses: list[Loss] | None = None
) -> Iterator[Document]:
    """Read brat files: ours, LitBank's, or others with the same labels.

    Args:
        path: An ``.ann`` or ``.txt`` file, the other beside it, or a folder of them. Files
            ``3.zh.ann`` and ``3.en.ann`` are the two sides of a document.
        lang: Language of files whose name does not say; guessed from the text if None.
        losses: List that is told what the files have and a `Document` has no place for.

    Raises:
        FormatError: at the first line that is malformed, whose offsets or text do not fit the
            text file, whose label or id is not known, or whose id is there already.
        InputError: as `tokens.read_pairs`.
    """
    sink: list[Loss] = [] if losses is None else losses

    def read_file(
        file: Path, known: Lang | None, group: DocumentFiles
    ) -> Iterator[tuple[str, Side]]:
        text = read_exactly(file.with_suffix(".txt"))
        sentences = tuple(text.removesuffix("\n").split("\n")) if text else ()
        reader = _SideReader(file, text.removesuffix("\n"))
        reader.feed(read_exactly(file).split("\n"))
        yield group.id, reader.side(known or guess_lang(text), sentences)
        sink.extend(losses_of(group.id, reader.skipped))

    ann = path.with_suffix(SUFFIX) if path.suffix == ".txt" and path.is_file() else path
    return read_pairs(ann, SUFFIX, lang, read_file)


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


class _SideReader:
    """Reads the annotation file of a side."""

    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.text = text
        self.skipped: Counter[str] = Counter()
        # Mentions and quotes in the order of the file; annotations that only hold a chain.
        self.bounds: dict[str, _Bound] = {}
        self.chains: list[_Bound] = []
        self.alias: dict[str, str] = {}
        self.ids: set[str] = set()

    def feed(self, lines: Iterable[str]) -> None:
        """Read all lines: first what marks text, then what refers to that."""
        rest = []
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            name, body, tail, *_ = (*line.split("\t", 2), "", "")
            if not re.fullmatch(r"[TAMNRE#][0-9]+|\*", name):
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
        found = _covered(shown, self.text)
        if line.tail != found:
            message = f"text {line.tail!r}; the text at {ranges} is {found!r}"
            raise self._fail(line, "text-differs", message, len(line.body) + 1)
        bound = _Bound(line.id, label, shown, line.number, _joined(shown, self.text), line.id)
        if label == _QUOTE or label in _LABELS:
            self.bounds[line.id] = bound
        elif _CHAIN.fullmatch(label):
            self.chains.append(bound)
        else:
            message = f"label {label!r}; expected {_QUOTE}, {', '.join(_LABELS)}"
            raise self._fail(line, "unknown-label", message)

    def _resolve_chains(self) -> None:
        """Give chains to the mentions on the same spans, in the order of the file."""
        free: dict[tuple[Span, ...], list[_Bound]] = {}
        for bound in reversed(self.bounds.values()):
            if bound.label != _QUOTE:
                free.setdefault(tuple(bound.shown), []).append(bound)
        for chain in self.chains:
            mentions = free.get(tuple(chain.shown))
            if not mentions:
                message = f"label {chain.label!r} on a span without a mention to go with it"
                raise malformed(
                    self.file, chain.line, len(chain.id) + 2, "unknown-label", message
                )
            mention = mentions.pop()
            mention.roles["Entity"] = [chain.label]
            self.alias[chain.id] = mention.id

    def _find(self, line: _Line, name: str) -> _Bound | None:
        """The mention or quote of an id; None if it is something that is not read."""
        if name not in self.ids:
            message = f"{line.body!r} refers to {name}, which is not in the file"
            raise self._fail(line, "missing-id", message, line.body.find(name))
        return self.bounds.get(self.alias.get(name, name))

    def _set(self, line: _Line, bound: _Bound, key: str, value: str, allowed: Iterable[str]) -> None:
        if value not in allowed or key in bound.attributes:
            second = "a second one" if key in bound.attributes else "found"
            message = f"{line.body!r}: {second}; expected one {key} of {bound.id}: {list(allowed)}"
            raise self._fail(line, "bad-attribute", message)
        bound.attributes[key] = value

    def _attribute(self, line: _Line) -> None:
        kind, _, rest = line.body.partition(" ")
        name, _, value = rest.partition(" ")
        bound = self._find(line, name)
        allowed = {"Kind": get_args(Kind)} if bound and bound.label == _QUOTE else _ATTRIBUTES
        if bound is None or kind not in allowed:
            self.skipped["attributes"] += 1
        else:
            self._set(line, bound, kind, value, allowed[kind])

    def _reference(self, line: _Line) -> None:
        parts = _REFERENCE.fullmatch(line.body)
        if parts is None:
            message = f"{line.body!r}; expected 'Reference ID BASE:ENTRY'"
            raise self._fail(line, "bad-reference", message)
        name, role, entity = parts.groups()
        bound = self._find(line, name)
        roles = {"Speaker", "Addressee"} if bound and bound.label == _QUOTE else {"Entity"}
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
        mentions = source and target and _QUOTE not in {source.label, target.label}
        if not mentions or "Entity" in source.roles or relation not in {"cop", "appos"}:
            self.skipped["relations"] += 1
        else:
            source.hangs_on[f".{relation}.{target.id}"] = None

    def _equivalence(self, line: _Line) -> None:
        _, *names = line.body.split(" ")
        found = [self._find(line, name) for name in names]
        mentions = [m for m in found if m is not None and m.label != _QUOTE]
        free = [m for m in mentions if "Entity" not in m.roles]
        if len(free) < len(names) or not free:
            self.skipped["equivalences"] += 1
            return
        for mention in free:
            mention.roles["Entity"] = [f"*{free[0].id}"]

    def _note(self, line: _Line) -> None:
        kind, _, name = line.body.partition(" ")
        bound = self._find(line, name)
        if bound is None or kind not in {"Id", "Pieces"}:
            self.skipped["notes"] += 1
        elif kind == "Id":
            bound.name = unescape(line.tail)
        else:
            parts = _BOUND.fullmatch(f"{kind} {line.tail}")
            offset = len(line.body) + 1
            pieces = tuple(self._spans(line, line.tail, offset)) if parts else ()
            if _visible(pieces, self.text) != bound.shown:
                message = f"pieces {line.tail!r}; expected those of {name}: {_ranges(bound.shown)}"
                raise self._fail(line, "bad-pieces", message, offset)
            bound.pieces = pieces

    def _event(self, _: _Line) -> None:
        self.skipped["events"] += 1
