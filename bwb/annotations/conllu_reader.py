"""Reading one CoNLL-U file with CorefUD's brackets; `bwb.annotations.conllu` says what is read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from bwb.annotations.layout import guess_lang
from bwb.annotations.loss import Loss, losses_of
from bwb.annotations.tokens import TERMS, malformed, qualified, read_exactly, unescape
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
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bwb.annotations.layout import DocumentFiles
    from bwb.errors import FormatError
    from bwb.records import Lang

_COMMENT = re.compile(
    r"#\s*(newdoc id|newdoc|global\.Entity|bwb\.layers|bwb\.quote|text)\s*(?:= ?(.*))?"
)
_ID = re.compile(r"(?P<word>[0-9]+)(?:-(?P<to>[0-9]+)|(?P<empty>\.[0-9]+))?")
_BRACKET = re.compile(r"(?P<open>\()?(?P<body>[^()]+)(?P<close>\))?")
_PART = re.compile(r"(.+)\[([0-9]+)/[0-9]+\]")
_SPAN = re.compile(r"([0-9]+):([0-9]+)")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}


class _Row(NamedTuple):
    """A line of ten columns."""

    number: int
    columns: list[str]
    misc: dict[str, str]


@dataclass(slots=True, eq=False)
class _Draft:
    """A mention being read: what its bracket says, its first and last node."""

    row: _Row
    entity: str
    type: str
    other: dict[str, str]
    first: int
    last: int = -1


def read_file(
    file: Path, lang: Lang | None, group: DocumentFiles, losses: list[Loss]
) -> Iterator[tuple[str, Side]]:
    """The ids and sides of the documents in a file.

    Args:
        file: The file.
        lang: Its language; guessed for each document if None.
        group: What the file's name says.
        losses: Is told what was not read.

    Raises:
        FormatError: at the first thing that is not as it should be.
    """
    fields: list[str] = []
    reader: _DocumentReader | None = None
    total = 0
    for number, block in _blocks(read_exactly(file).split("\n")):
        rows = []
        comments = []
        for at, line in enumerate(block, number):
            if not line.startswith("#"):
                rows.append(_row(file, at, line))
            elif comment := _COMMENT.fullmatch(line):
                comments.append((at, comment[1], comment[2] or ""))
        names = [value if "id" in key else "" for _, key, value in comments if "newdoc" in key]
        if names or (rows and reader is None):
            if reader is not None:
                yield reader.name, reader.side(lang)
                losses += losses_of(reader.name, reader.skipped)
            total += 1
            unnamed = f"{group.id}.{total}" if total > 1 else group.id
            name = qualified(names[0], group) if any(names) else unnamed
            reader = _DocumentReader(file, name, fields)
        if reader is not None:
            reader.feed(comments, rows)
    if reader is None:
        raise malformed(file, 0, 0, "empty-file", "no sentence and no '# newdoc' in the file")
    yield reader.name, reader.side(lang)
    losses += losses_of(reader.name, reader.skipped)


def _blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """1-based number of the first line, and the lines, of each stretch without empty lines."""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        if line:
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _row(file: Path, number: int, line: str) -> _Row:
    columns = line.split("\t")
    if len(columns) != 10:
        message = f"{len(columns)} columns; expected 10 divided by tabs, or a comment"
        raise malformed(file, number, 1, "bad-columns", message)
    misc = {}
    if columns[9] != "_":
        for item in columns[9].split("|"):
            key, _, value = item.partition("=")
            misc[key] = value
    return _Row(number, columns, misc)


class _DocumentReader:
    """Reads the sentences of a document.

    Args:
        file: Name for messages.
        name: The document's id.
        fields: The fields of a bracket; shared by the documents of a file.

    Attributes:
        skipped: How many there were of each kind of thing that is not read.
    """

    def __init__(self, file: Path, name: str, fields: list[str]) -> None:
        """Start an empty document."""
        self.file = file
        self.name = name
        self.fields = fields
        self.skipped: Counter[str] = Counter()
        self.layers: tuple[Layer, ...] | None = None
        self.quotes: list[Quote] = []
        self.sentences: list[str] = []
        self.length = 0
        # Words and empty nodes as ranges of the text; those of empty nodes are empty.
        self.nodes: list[tuple[int, int]] = []
        self.empty: list[bool] = []
        self.drafts: list[_Draft] = []
        self.ids: set[str] = set()
        self.open: dict[str, list[_Draft]] = {}
        self.parts: dict[str, _Draft] = {}

    def feed(self, comments: Iterable[tuple[int, str, str]], rows: list[_Row]) -> None:
        """Read one sentence, or comments alone."""
        text = None
        for line, key, value in comments:
            if key == "global.Entity":
                if not {"eid", "GRP"} & set(value.split("-")):
                    message = f"fields {value!r}; expected eid among them"
                    raise malformed(self.file, line, 1, "bad-fields", message)
                self.fields[:] = value.split("-")
            elif key == "bwb.layers":
                self._declare(line, value.split())
            elif key == "bwb.quote":
                self.quotes.append(self._quote(line, value))
            elif key == "text":
                text = (line, value)
        if not rows:
            return
        sentence = self._sentence(rows)
        self.sentences.append(sentence)
        self.length += len(sentence) + 1
        blank = any("Blank" in row.misc for row in rows)
        if text and not blank and text[1].split() != sentence.split():
            message = f"text {text[1]!r}; the tokens give {sentence!r}"
            raise malformed(self.file, text[0], 1, "text-differs", message)

    def _declare(self, line: int, names: list[str]) -> None:
        for name in names:
            if name not in LAYERS:
                message = f"layer {name!r}; expected {', '.join(LAYERS)}"
                raise malformed(self.file, line, 1, "unknown-layer", message)
        self.layers = cast("tuple[Layer, ...]", tuple(names))

    def _quote(self, line: int, value: str) -> Quote:
        given = dict(item.partition("=")[::2] for item in value.split(" "))
        spans = [_SPAN.fullmatch(item) for item in given.get("spans", "").split(",")]
        if not all(spans) or given.get("kind") not in get_args(QuoteKind) or "id" not in given:
            message = f"{value!r}; expected id=… spans=START:END,… kind={get_args(QuoteKind)}"
            raise malformed(self.file, line, 1, "bad-quote", message)
        names = given.get("addressees", "")
        return Quote(
            id=unescape(given["id"]),
            spans=tuple(Span(int(span[1]), int(span[2])) for span in spans if span),
            speaker=unescape(given["speaker"]) if "speaker" in given else None,
            addressees=tuple(unescape(name) for name in names.split(",")) if names else (),
            kind=cast("QuoteKind", given["kind"]),
        )

    def _sentence(self, rows: list[_Row]) -> str:
        """Read the rows of a sentence; returns its text."""
        parts: list[str] = []
        position = self.length
        gap, misc = "", {"SpaceAfter": "No"}
        words = covered = 0
        span = (position, position)
        for row in rows:
            number, last, kind = self._id(row, words)
            if kind != "empty" and number > covered:
                gap = _after(misc) if parts else ""
                misc = row.misc
                before = gap + _unescaped(misc.get("SpacesBefore", ""))
                form = "" if "Blank" in misc else row.columns[1]
                parts += (before, form)
                span = (position + len(before), position + len(before) + len(form))
                position = span[1]
                covered = last
            if kind == "word":
                words = number
                self._node(row, *span, empty=False)
            elif kind == "empty":
                self._node(row, position, position, empty=True)
            elif "Entity" in row.misc:
                raise self._fail(row, "entity-of-range", "a bracket on a range of words")
        if "SpacesAfter" in misc:
            parts.append(_after(misc).rstrip("\n"))
        return "".join(parts).replace("\n", " ")

    def _id(self, row: _Row, words: int) -> tuple[int, int, str]:
        """First and last word of a row, and what it is: a word, a range or an empty node."""
        parts = _ID.fullmatch(row.columns[0])
        number = int(parts["word"]) if parts else -1
        last = int(parts["to"]) if parts and parts["to"] else number
        kind = "empty" if parts and parts["empty"] else "range" if last > number else "word"
        if number != words + (kind != "empty"):
            message = f"id {row.columns[0]!r}; expected that of a word, range or empty node"
            raise malformed(self.file, row.number, 1, "bad-id", f"{message} after {words}")
        if kind != "range":
            self.skipped["words with an analysis"] += set(row.columns[2:9]) != {"_"}
            self.skipped["bridging links"] += "Bridge" in row.misc
            self.skipped["split antecedents"] += "SplitAnte" in row.misc
        return number, last, kind

    def _fail(self, row: _Row, code: str, message: str) -> FormatError:
        column = sum(len(column) + 1 for column in row.columns[:9]) + 1
        at = row.columns[9].find("Entity=")
        return malformed(self.file, row.number, column + max(at, 0), code, message)

    def _node(self, row: _Row, start: int, end: int, *, empty: bool) -> None:
        node = len(self.nodes)
        self.nodes.append((start, end))
        self.empty.append(empty)
        cell = row.misc.get("Entity", "")
        brackets = list(_BRACKET.finditer(cell))
        good = all(bracket["open"] or bracket["close"] for bracket in brackets)
        if not good or "".join(bracket.group() for bracket in brackets) != cell:
            raise self._fail(row, "bad-bracket", f"brackets {cell!r}; expected (…, (…) and …)")
        if cell and not self.fields:
            raise self._fail(row, "no-fields", f"{cell!r} without '# global.Entity' before it")
        # A bracket that only closes was opened at an earlier node.
        for bracket in brackets:
            if not bracket["open"]:
                self._close(row, node, bracket["body"])
        for bracket in brackets:
            if bracket["open"]:
                self._open(row, node, bracket["body"], closed=bracket["close"] is not None)

    def _open(self, row: _Row, node: int, body: str, *, closed: bool) -> None:
        values = body.split("-")
        if len(values) > len(self.fields):
            message = f"{body!r} has {len(values)} fields; declared are {'-'.join(self.fields)}"
            raise self._fail(row, "bad-bracket", message)
        fields = dict(zip(self.fields, values, strict=False))
        key = fields.get("eid") or fields.get("GRP") or ""
        if not key:
            raise self._fail(row, "bad-bracket", f"{body!r} has no eid")
        part = _PART.fullmatch(key)
        entity = part[1] if part else key
        if part and int(part[2]) > 1:
            if entity not in self.parts:
                raise self._fail(row, "bad-bracket", f"{key!r} without a first part")
            draft = self.parts[entity]
            self.skipped["gaps in mentions"] += 1
        else:
            pairs = (item.partition(":") for item in fields.get("other", "").split(","))
            other = {name: value for name, _, value in pairs if name.startswith("bwb.")}
            draft = _Draft(row, entity, fields.get("etype", fields.get("entity", "")), other, node)
            self.drafts.append(draft)
            if part:
                self.parts[entity] = draft
        draft.last = node if closed else -1
        if not closed:
            self.open.setdefault(key, []).append(draft)

    def _close(self, row: _Row, node: int, key: str) -> None:
        opened = self.open.get(key, [])
        exact = [d for d in opened if d.first + self._integer(d, "words", 0) - 1 == node]
        free = exact or [d for d in opened if "bwb.words" not in d.other]
        if not free:
            raise self._fail(row, "bad-bracket", f"{key!r} is closed, but not open")
        free[-1].last = node
        opened.remove(free[-1])

    def _integer(self, draft: _Draft, key: str, default: int) -> int:
        value = draft.other.get(f"bwb.{key}", str(default))
        if not value.isdecimal():
            message = f"bwb.{key}:{value}; expected a number"
            raise self._fail(draft.row, "bad-attribute", message)
        return int(value)

    def side(self, lang: Lang | None) -> Side:
        """The side, once all sentences were read.

        Raises:
            FormatError: if a bracket is open, a span lies outside the text, an id occurs twice.
        """
        text = "\n".join(self.sentences)
        for draft in self.drafts:
            if draft.last < 0:
                raise self._fail(draft.row, "bad-bracket", f"{draft.entity!r} is never closed")
        for quoted in self.quotes:
            if any(not span.start < span.end <= len(text) for span in quoted.spans):
                message = f"quote {quoted.id}: a span outside the {len(text)} code points"
                raise malformed(self.file, 0, 0, "bad-span", f"document {self.name}: {message}")
        ordered = sorted(
            enumerate(self.drafts), key=lambda pair: self._integer(pair[1], "n", pair[0])
        )
        offsets = sentence_offsets(tuple(self.sentences))
        found = (self._mention(draft, rank, text, offsets) for rank, draft in ordered)
        mentions = tuple(mention for mention in found if mention is not None)
        layers = self.layers
        if layers is None:
            typed = any(mention.type for mention in mentions)
            layers = (*(("entity",) if typed else ()), *(("coreference",) if mentions else ()))
        lang = lang or guess_lang(text)
        return Side(lang, tuple(self.sentences), layers, mentions, tuple(self.quotes))

    def _mention(
        self, draft: _Draft, rank: int, text: str, offsets: tuple[int, ...]
    ) -> Mention | None:
        """A mention; None if it has no words, only empty nodes."""
        first, last = draft.first, draft.last
        while first <= last and self.empty[first]:
            first += 1
        while first <= last and self.empty[last]:
            last -= 1
        if first > last:
            self.skipped["mentions of empty nodes"] += 1
            return None
        start = self.nodes[first][0] - self._integer(draft, "left", 0)
        end = self.nodes[last][1] + self._integer(draft, "right", 0)
        known = draft.type in ENTITY_TYPES
        self.skipped["entity types"] += bool(draft.type) and not known
        kind = draft.other.get("bwb.type", draft.type if known else "none")
        form, term = draft.other.get("bwb.form"), draft.other.get("bwb.term")
        if (
            not 0 <= start < end <= len(text)
            or kind not in (*ENTITY_TYPES, "none")
            or form not in (*get_args(Form), None)
            or term not in TERMS
        ):
            message = f"{draft.entity!r} [{start}, {end}) of {len(text)}: {draft.other}"
            raise self._fail(draft.row, "bad-attribute", message)
        name = unescape(draft.other.get("bwb.id", f"m{rank + 1}"))
        if name in self.ids:
            raise self._fail(draft.row, "duplicate-id", f"a second mention {name!r}")
        self.ids.add(name)
        return Mention(
            id=name,
            entity=unescape(draft.entity),
            start=start,
            end=end,
            sentence=bisect_right(offsets, start) - 1,
            text=text[start:end],
            type=None if kind == "none" else cast("EntityType", kind),
            form=cast("Form | None", form),
            term=TERMS[term],
            omitted=draft.other.get("bwb.omitted") == "yes",
        )


def _after(misc: dict[str, str]) -> str:
    """The white space behind a token that another follows."""
    if "SpacesAfter" in misc:
        return _unescaped(misc["SpacesAfter"])
    return "" if misc.get("SpaceAfter") == "No" else " "


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[0]), text)
