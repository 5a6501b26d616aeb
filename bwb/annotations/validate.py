"""The rules a document must keep, one function a group of rules.

Rule codes are stable; `RULES` says what each means. What makes a document unusable is an error,
what merely looks odd a warning.

Sources: the schema notes of LitBank, CorefUD 1.2 and GUM (spans, nesting, entities); Jiang et
al. 2023 (layers, omitted pronouns, error codes).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from bwb.errors import Finding, Severity
from bwb.records import ERROR_CODES, Document, Link, Mention, Side, SystemOutput, sentence_offsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RULES: dict[str, str] = {
    "no-sides": "a document has at least one side",
    "wrong-side": "the side named zh is Chinese, the side named en English",
    "line-feed": "a sentence holds no line feed",
    "empty-sentence": "a sentence is not empty (warning)",
    "span": "a span lies within the text, and is not empty",
    "span-text": "a mention's text is the text at its span",
    "span-sentence": "a mention's sentence is the one it starts in",
    "crosses-sentence": "a mention ends in the sentence it starts in (warning)",
    "duplicate-id": "ids of mentions, quotes, entities and documents are unique",
    "duplicate-mention": "two mentions of one entity do not have the same span (warning)",
    "crossing": "mentions nest, they do not cross (warning)",
    "quote-order": "the pieces of a quote are in order and do not overlap",
    "unknown-entity": "every mention, speaker and addressee is in the entity table",
    "unused-entity": "every entity is mentioned or speaks (warning)",
    "speaker-without-mention": "a speaker is mentioned somewhere in the document (warning)",
    "omitted": "only pronouns are marked as omitted in the other language",
    "term": "only names and nominals are marked as terms",
    "layer": "what is annotated is declared in the side's layers, each layer once",
    "link-range": "a link names sentences that exist, in ascending order",
    "link-monotone": "links do not cross and no sentence is in two of them",
    "link-cover": "every sentence of both sides is in a link",
    "named-entity": "a named entity's sentence exists",
    "output-length": "a system has as many sentences as the source",
    "duplicate-system": "a system occurs once in a document",
    "error-code": "an error code is one of 1 to 7",
    "error-span": "an error mark's text is the text at its span",
}


def validate(document: Document, file: str = "") -> list[Finding]:
    """Check one document against all `RULES`.

    Args:
        document: The document.
        file: Name for messages; the document's id if empty.

    Returns:
        The findings; `line` is the 1-based sentence, `column` the 1-based code point in it.
    """
    name = file or document.id
    checks = [_sides(document), _entities(document), _links(document), _systems(document)]
    checks += [_side(side) for side in document.sides]
    return [
        Finding(f"{name}{where}", line, column, code, message, severity=severity)
        for check in checks
        for where, line, column, code, message, severity in check
    ]


# (what to add to the file's name, line, column, code, message, severity)
_Row = tuple[str, int, int, str, str, Severity]


def duplicates(ids: Iterable[str]) -> list[str]:
    """The ids that occur more than once, each named once, in order."""
    seen: set[str] = set()
    again: dict[str, None] = {}
    for name in ids:
        if name in seen:
            again.setdefault(name)
        seen.add(name)
    return list(again)


def _sides(document: Document) -> Iterator[_Row]:
    if not document.sides:
        yield "", 0, 0, "no-sides", "neither a Chinese nor an English side", "error"
    for name, side in (("zh", document.zh), ("en", document.en)):
        if side is not None and side.lang != name:
            yield "", 0, 0, "wrong-side", f"the {name} side says it is {side.lang}", "error"


def _side(side: Side) -> Iterator[_Row]:
    where = f" [{side.lang}]"
    for number, sentence in enumerate(side.sentences, 1):
        if "\n" in sentence:
            yield where, number, sentence.index("\n") + 1, "line-feed", "a line feed", "error"
        if not sentence.strip():
            yield where, number, 1, "empty-sentence", "an empty sentence", "warning"
    for layer in duplicates(side.layers):
        yield where, 0, 0, "layer", f"layer {layer} is declared twice", "error"
    if side.mentions and not {"entity", "coreference"} & set(side.layers):
        declared = ", ".join(side.layers) or "none"
        message = f"{len(side.mentions)} mentions, but declared layers are: {declared}"
        yield where, 0, 0, "layer", message, "error"
    if side.quotes and "quotation" not in side.layers:
        yield where, 0, 0, "layer", f"{len(side.quotes)} quotes, layer not declared", "error"
    for kind, ids in (("mention", side.mentions), ("quote", side.quotes)):
        for name in duplicates(item.id for item in ids):
            yield where, 0, 0, "duplicate-id", f"{kind} id {name!r} occurs twice", "error"
    for entity in side.named_entities or ():
        if not 0 <= entity.sentence < len(side.sentences):
            message = f"{entity.text!r} in sentence {entity.sentence} of {len(side.sentences)}"
            yield where, 0, 0, "named-entity", message, "error"
    yield from _mentions(side, where)
    yield from _quotes(side, where)


def _mentions(side: Side, where: str) -> Iterator[_Row]:
    text = side.text
    seen: set[tuple[int, int, str]] = set()
    for mention in side.mentions:
        line, column = _place(side, mention.start)
        said = f"mention {mention.id} [{mention.start}, {mention.end})"
        if not 0 <= mention.start < mention.end <= len(text):
            message = f"{said} of a text of {len(text)} code points"
            yield where, line, column, "span", message, "error"
            continue
        found = text[mention.start : mention.end]
        if found != mention.text:
            message = f"{said} says {mention.text!r}, the text is {found!r}"
            yield where, line, column, "span-text", message, "error"
        if mention.sentence != line - 1:
            message = f"{said} says sentence {mention.sentence}, it starts in {line - 1}"
            yield where, line, column, "span-sentence", message, "error"
        if "\n" in found:
            yield where, line, column, "crosses-sentence", f"{said} {found!r}", "warning"
        if mention.omitted and not mention.pronoun:
            message = f"{said} {found!r} is marked omitted, form {mention.form}"
            yield where, line, column, "omitted", message, "error"
        if mention.term is not None and mention.pronoun:
            message = f"{said} {found!r} is a pronoun with term={mention.term}"
            yield where, line, column, "term", message, "error"
        key = (mention.start, mention.end, mention.entity)
        if key in seen:
            message = f"{said} {found!r}: entity {mention.entity} is marked there twice"
            yield where, line, column, "duplicate-mention", message, "warning"
        seen.add(key)
    for first, second in crossing_mentions(side):
        line, column = _place(side, second.start)
        message = f"mentions {first.text!r} and {second.text!r} cross"
        yield where, line, column, "crossing", message, "warning"


def _quotes(side: Side, where: str) -> Iterator[_Row]:
    for quote in side.quotes:
        end = -1
        if not quote.spans:
            yield where, 0, 0, "span", f"quote {quote.id} has no span", "error"
        for span in quote.spans:
            line, column = _place(side, span.start)
            said = f"quote {quote.id} [{span.start}, {span.end})"
            if not 0 <= span.start < span.end <= len(side.text):
                message = f"{said} of a text of {len(side.text)} code points"
                yield where, line, column, "span", message, "error"
            elif span.start < end:
                message = f"{said} begins before the piece in front of it ends, at {end}"
                yield where, line, column, "quote-order", message, "error"
            end = span.end


def crossing_mentions(side: Side) -> list[tuple[Mention, Mention]]:
    """Pairs of mentions of which neither holds the other, though they overlap.

    For each mention the nearest open one it crosses is named, so the list stays linear.
    """
    pairs = []
    stack: list[Mention] = []
    for mention in sorted(side.mentions, key=lambda m: (m.start, -m.end)):
        stack = [opened for opened in stack if opened.end > mention.start]
        for opened in reversed(stack):
            if mention.end > opened.end:
                pairs.append((opened, mention))
                break
        stack.append(mention)
    return pairs


def _entities(document: Document) -> Iterator[_Row]:
    known = [entity.id for entity in document.entities]
    for name in duplicates(known):
        yield "", 0, 0, "duplicate-id", f"entity id {name!r} occurs twice", "error"
    table = set(known)
    mentioned = {mention.entity for side in document.sides for mention in side.mentions}
    speaking: set[str] = set()
    for side in document.sides:
        where = f" [{side.lang}]"
        for mention in side.mentions:
            if mention.entity not in table:
                line, column = _place(side, mention.start)
                message = f"mention {mention.text!r} is of entity {mention.entity!r}"
                yield where, line, column, "unknown-entity", _not_in(message, known), "error"
        for quote in side.quotes:
            line, column = _place(side, quote.spans[0].start) if quote.spans else (0, 0)
            for role, name in _roles(quote.speaker, quote.addressees):
                speaking.add(name)
                message = f"{role} {name!r} of quote {quote.id}"
                if name not in table:
                    found = _not_in(message, known)
                    yield where, line, column, "unknown-entity", found, "error"
                elif name not in mentioned:
                    found = f"{message} is mentioned nowhere"
                    yield where, line, column, "speaker-without-mention", found, "warning"
    for name in known:
        if name not in mentioned and name not in speaking:
            yield "", 0, 0, "unused-entity", f"entity {name!r} is never mentioned", "warning"


def _roles(speaker: str | None, addressees: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if speaker is not None:
        yield "speaker", speaker
    for name in addressees:
        yield "addressee", name


def _not_in(message: str, known: list[str]) -> str:
    listed = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f"{message}; the entity table has {listed or 'nothing'}"


def _links(document: Document) -> Iterator[_Row]:
    if not document.links or document.zh is None or document.en is None:
        return
    for side, attribute in ((document.zh, "zh"), (document.en, "en")):
        total = len(side.sentences)
        last = -1
        used: set[int] = set()
        for number, link in enumerate(document.links, 1):
            indices: tuple[int, ...] = getattr(link, attribute)
            yield from _link(link, number, indices, attribute, total)
            if any(index <= last for index in indices):
                message = f"link {number} ({attribute} {list(indices)}) follows sentence {last}"
                yield "", 0, 0, "link-monotone", message, "error"
            last = max((last, *indices))
            used.update(indices)
        missing = sorted(set(range(total)) - used)
        if missing:
            shown = ", ".join(map(str, missing[:10]))
            message = f"{len(missing)} {attribute} sentences are in no link: {shown}"
            yield "", 0, 0, "link-cover", message, "error"


def _link(
    link: Link, number: int, indices: tuple[int, ...], lang: str, total: int
) -> Iterator[_Row]:
    if not link.zh and not link.en:
        yield "", 0, 0, "link-range", f"link {number} is empty on both sides", "error"
    if list(indices) != sorted(set(indices)) or any(not 0 <= i < total for i in indices):
        message = f"link {number} names {lang} sentences {list(indices)} of {total}"
        yield "", 0, 0, "link-range", message, "error"


def _systems(document: Document) -> Iterator[_Row]:
    for name in duplicates(output.system for output in document.systems):
        yield "", 0, 0, "duplicate-system", f"system {name!r} occurs twice", "error"
    source = document.zh or document.en
    for output in document.systems:
        where = f" [{output.system}]"
        if source is not None and len(output.sentences) != len(source.sentences):
            message = f"{len(output.sentences)} sentences; expected {len(source.sentences)}"
            yield where, 0, 0, "output-length", message, "error"
        yield from _errors(output, where)


def _errors(output: SystemOutput, where: str) -> Iterator[_Row]:
    offsets = sentence_offsets(output.sentences)
    for mark in output.errors or ():
        if not 0 <= mark.sentence < len(output.sentences):
            message = f"sentence {mark.sentence} of {len(output.sentences)}"
            yield where, 0, 0, "error-span", message, "error"
            continue
        line = mark.sentence + 1
        if mark.code not in ERROR_CODES:
            yield where, line, 0, "error-code", f"code {mark.code}; expected 1 to 7", "error"
        if mark.start is None or mark.end is None:
            continue
        found = output.text[mark.start : mark.end] if mark.start >= 0 else ""
        column = mark.start - offsets[mark.sentence] + 1
        if not found or found != mark.text:
            message = f"[{mark.start}, {mark.end}) says {mark.text!r}, the text is {found!r}"
            yield where, line, max(column, 0), "error-span", message, "error"


def _place(side: Side, offset: int) -> tuple[int, int]:
    """1-based sentence and column of an offset; 0, 0 if it lies outside the text."""
    if not side.sentences or not 0 <= offset <= len(side.text):
        return 0, 0
    index = bisect_right(side.offsets, offset) - 1
    return index + 1, offset - side.offsets[index] + 1
