r"""BWB's inline format: one sentence a line, annotations as tags in the text.

    <TYPE, T|N|?, id>{span}   mention of an entity        <P, id>{span}   pronoun
    <O, id>{span}             pronoun the other language leaves out
    <Q, id>…<\Q>              direct speech; `?` for an unknown speaker, `<Q, id, +>` goes on

Source: Jiang et al. 2023, appendix, and the README of the BWB release. `?` and `+` are ours.
Mentions nest and end on their line; quotes may cross lines and mentions. A brace that belongs
to no tag is text; it must be balanced, or the writer refuses the sentence, since the format has
no escapes.

Strict reading raises on the first thing that is not exactly so. Lenient reading repairs what can
be understood in one way only, reports each repair, and where it cannot repair removes the tag
and keeps the text. Either way nothing that is not markup is lost.

One pass with an explicit stack: no recursion, linear in the length of the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from bwb.annotations.inline_grammar import EXACT, FLAGS, ID, TOKEN
from bwb.errors import Finding, FormatError
from bwb.records import ENTITY_TYPES, LAYERS, EntityType, Mention, Quote, Side, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bwb.records import Lang

_REMOVED = "tag removed, text kept"

# What a closing brace closes.
_MENTION, _DROPPED, _LITERAL = range(3)


class _Open(NamedTuple):
    """A brace, or a header that ought to have one, waiting for its closing brace."""

    kind: int
    start: int
    column: int
    header: str = ""
    mention: int = -1
    braced: bool = True


@dataclass(slots=True)
class _OpenQuote:
    quote: int
    start: int
    line: int
    column: int
    line_end: int = -1


@dataclass(slots=True)
class _Draft:
    """A mention being read; `end` is -1 until it closes."""

    entity: str
    start: int
    sentence: int
    type: EntityType | None
    pronoun: bool
    term: bool | None
    omitted: bool
    end: int = -1
    text: str = ""


@dataclass(slots=True)
class _Speech:
    speaker: str | None
    spans: list[Span] = field(default_factory=list)


class InlineReader:
    """Reads the lines of one side.

    Args:
        lang: Language of the side.
        file: Name for messages.
        strict: Raise at the first finding, instead of repairing.

    Attributes:
        findings: What was found and repaired, in the order of the text.
    """

    def __init__(self, lang: Lang, *, file: str = "<text>", strict: bool = True) -> None:
        """Start at the first line."""
        self.lang = lang
        self.file = file
        self.strict = strict
        self.findings: list[Finding] = []
        self._sentences: list[str] = []
        self._offset = 0
        self._mentions: list[_Draft] = []
        self._speeches: list[_Speech] = []
        self._quotes: list[_OpenQuote] = []
        self._latest: dict[str | None, int] = {}

    def feed(self, line: str) -> str:
        """Read one line (without its line feed); returns the sentence it holds."""
        out: list[str] = []
        offset = base = self._offset
        done = 0
        stack: list[_Open] = []
        for token in TOKEN.finditer(line):
            at = token.start()
            if at > done:
                out.append(line[done:at])
                offset += at - done
            text = self._markup(token, stack, offset, at + 1)
            out.append(text)
            offset += len(text)
            done = token.end()
        out.append(line[done:])
        for opened in stack:
            self._unclosed(opened)
        sentence = "".join(out)
        self._finish_line(sentence, base)
        return sentence

    def _markup(self, token: re.Match[str], stack: list[_Open], offset: int, column: int) -> str:
        """Act on one piece of markup; returns the part of it that is text."""
        if kind := token["kind"]:
            if kind != "Q":
                self._open_mention(token, stack, offset, column)
                return ""
            self._open_quote(token, offset, column)
            if token["open"]:  # a brace behind a quote's header is text
                stack.append(_Open(_LITERAL, offset, column))
            return token["open"] or ""
        found = token.group()
        if found == "}":
            return self._close_brace(stack, offset, column)
        if found == "{":
            stack.append(_Open(_LITERAL, offset, column))
            return found
        if token["end"]:
            self._close_quote(found, offset, column)
            return ""
        if token["odd"]:
            expected = f"{', '.join(ENTITY_TYPES)}, P, O or Q"
            self._report(column, "unknown-tag", f"tag {found!r}; expected {expected}", _REMOVED)
            if token["oddopen"]:
                stack.append(_Open(_DROPPED, offset, column))
            return ""
        message = f"{found!r} is not followed by '>' before the next tag, brace or end of line"
        self._report(column, "broken-header", message, "kept as text")
        return found

    def _finish_line(self, sentence: str, base: int) -> None:
        end = base + len(sentence)
        for quote in self._quotes:
            if quote.line_end < 0:
                quote.line_end = end
        drafts = self._mentions
        index = len(self._sentences)
        for position in range(len(drafts) - 1, -1, -1):
            draft = drafts[position]
            if draft.sentence != index:
                break
            if draft.end > draft.start:
                draft.text = sentence[draft.start - base : draft.end - base]
        self._sentences.append(sentence)
        self._offset = end + 1

    def finish(self) -> Side:
        """The side that was read.

        Raises:
            FormatError: in strict mode, if a quote is still open.
        """
        for opened in self._quotes:
            self._report(
                opened.column,
                "unclosed-quote",
                r"'<Q' without its '<\Q>'; expected one before the end of the file",
                "closed at the end of its line",
                line=opened.line,
            )
            self._add_span(opened, opened.line_end)
        numbered = enumerate((d for d in self._mentions if d.end > d.start), 1)
        mentions = tuple(
            Mention(
                id=f"m{number}",
                entity=draft.entity,
                start=draft.start,
                end=draft.end,
                sentence=draft.sentence,
                text=draft.text,
                type=draft.type,
                form="pronoun" if draft.pronoun else None,
                term=draft.term,
                omitted=draft.omitted,
            )
            for number, draft in numbered
        )
        speeches = (speech for speech in self._speeches if speech.spans)
        quotes = tuple(
            Quote(
                id=f"q{number}",
                spans=tuple(sorted(speech.spans, key=lambda span: span.start)),
                speaker=speech.speaker,
            )
            for number, speech in enumerate(speeches, 1)
        )
        return Side(self.lang, tuple(self._sentences), LAYERS, mentions, quotes)

    def _report(
        self,
        column: int,
        code: str,
        message: str,
        repair: str,
        *,
        line: int = 0,
    ) -> None:
        finding = Finding(
            self.file,
            line or len(self._sentences) + 1,
            column,
            code,
            message,
            repair,
        )
        if self.strict:
            raise FormatError(finding)
        self.findings.append(finding)

    def _check_header(self, token: re.Match[str], column: int) -> list[str]:
        """A header's arguments; spacing that is not as it should be is reported."""
        arguments = [part.strip() for part in re.split("[,，]", token["args"])[1:]]
        quote = token["kind"] == "Q"
        stop = token.end("args") + 1 if quote or not token["open"] else token.end()
        found = token.string[token.start() : stop]
        right = f"<{', '.join([token['kind'], *arguments])}>"
        if found not in {right, right + "{"}:
            brace = "" if quote else "{"
            message = f"{found!r}; expected {right + brace!r}"
            self._report(column, "header-spacing", message, f"read as {right}")
        return arguments

    def _open_mention(
        self, token: re.Match[str], stack: list[_Open], start: int, column: int
    ) -> None:
        header = token.group()
        braced = token["open"] is not None
        if EXACT.fullmatch(header):
            arguments = token["args"][2:].split(", ")
        else:
            arguments = self._check_header(token, column)
        draft = self._draft(token["kind"], arguments, start, header, column)
        if draft is not None:
            stack.append(_Open(_MENTION, start, column, header, len(self._mentions), braced))
            self._mentions.append(draft)
        elif braced:
            stack.append(_Open(_DROPPED, start, column))

    def _draft(
        self, kind: str, arguments: list[str], start: int, header: str, column: int
    ) -> _Draft | None:
        """Read a mention's arguments; None if they cannot be understood."""
        sentence = len(self._sentences)
        entity = arguments[-1] if arguments and ID.fullmatch(arguments[-1]) else ""
        if kind in {"P", "O"}:
            if len(arguments) == 1 and entity:
                return _Draft(entity, start, sentence, None, True, None, kind == "O")
            expected = f"<{kind}, id>"
        else:
            if len(arguments) == 2 and entity:
                term = self._term(arguments[0], header, column)
                return _Draft(entity, start, sentence, cast("EntityType", kind), False, term, False)
            if len(arguments) == 1 and entity and entity not in FLAGS:
                message = f"{header!r} has no T or N; expected <{kind}, T, {entity}> or N"
                self._report(column, "missing-flag", message, "read as undecided (?)")
                return _Draft(entity, start, sentence, cast("EntityType", kind), False, None, False)
            expected = f"<{kind}, T|N, id>"
        message = f"{header!r}: {len(arguments)} arguments {arguments}; expected {expected}"
        self._report(column, "header-arguments", message, _REMOVED)
        return None

    def _term(self, flag: str, header: str, column: int) -> bool | None:
        if flag not in FLAGS:
            message = f"{header!r}: flag {flag!r}; expected T or N"
            read_as = flag.upper() if flag.upper() in FLAGS else "undecided (?)"
            self._report(column, "unknown-flag", message, f"read as {read_as}")
        return FLAGS.get(flag.upper())

    def _close_brace(self, stack: list[_Open], offset: int, column: int) -> str:
        """Handle a closing brace; returns it if it is text."""
        if not stack:
            self._report(column, "stray-brace", "'}' without its '{'", "kept as text")
            return "}"
        opened = stack.pop()
        if opened.kind != _MENTION:
            return "}" if opened.kind == _LITERAL else ""
        if offset == opened.start:
            message = f"{opened.header!r} marks an empty span"
            self._report(opened.column, "empty-span", message, "tag removed")
            return ""
        if not opened.braced:
            span = f"span of {offset - opened.start} characters"
            message = f"{opened.header!r} is not followed by '{{'"
            self._report(opened.column, "missing-brace", message, f"brace supplied, {span}")
        self._mentions[opened.mention].end = offset
        return ""

    def _unclosed(self, opened: _Open) -> None:
        if opened.kind == _LITERAL:
            self._report(opened.column, "stray-brace", "'{' without its '}'", "kept as text")
        elif opened.kind == _MENTION:
            found = "'{' without its '}'" if opened.braced else "no span in braces"
            message = f"{opened.header!r}: {found} on this line"
            self._report(opened.column, "unclosed-mention", message, _REMOVED)

    def _open_quote(self, token: re.Match[str], start: int, column: int) -> None:
        arguments = self._check_header(token, column)
        header = f"<{', '.join(['Q', *arguments])}>"
        more = len(arguments) == 2 and arguments[1] == "+"
        if more:
            arguments = arguments[:1]
        speaker: str | None = None
        if len(arguments) == 1 and ID.fullmatch(arguments[0]):
            speaker = None if arguments[0] == "?" else arguments[0]
        else:
            self._report(
                column,
                "header-arguments",
                f"{header!r}: arguments {arguments}; expected <Q, id>",
                "read as direct speech of an unknown speaker",
            )
        quote = self._latest.get(speaker, -1) if more else -1
        if more and quote < 0:
            message = f"{header!r} goes on with a quote of {speaker}; none precedes it"
            self._report(column, "nothing-to-continue", message, "read as a new quote")
        if quote < 0:
            self._speeches.append(_Speech(speaker))
            quote = len(self._speeches) - 1
            self._latest[speaker] = quote
        self._quotes.append(_OpenQuote(quote, start, len(self._sentences) + 1, column))

    def _close_quote(self, found: str, end: int, column: int) -> None:
        if found != "<\\Q>":
            self._report(column, "header-spacing", rf"{found!r}; expected '<\Q>'", r"read as <\Q>")
        if not self._quotes:
            message = rf"{found!r} without its '<Q, id>'"
            self._report(column, "stray-quote-end", message, _REMOVED)
            return
        opened = self._quotes.pop()
        if end == opened.start:
            self._report(
                opened.column, "empty-span", "a quote with no text", "tag removed", line=opened.line
            )
            return
        self._add_span(opened, end)

    def _add_span(self, opened: _OpenQuote, end: int) -> None:
        if end > opened.start:
            self._speeches[opened.quote].spans.append(Span(opened.start, end))


def read_inline(
    lines: Iterable[str], lang: Lang, *, file: str = "<text>", strict: bool = True
) -> tuple[Side, list[Finding]]:
    """Read the lines of one side.

    Args:
        lines: Lines without line feeds.
        lang: Language of the side.
        file: Name for messages.
        strict: Raise on the first error; otherwise repair and report.

    Returns:
        The side, with all four layers annotated, and the findings (repairs and warnings).

    Raises:
        FormatError: in strict mode.
    """
    reader = InlineReader(lang, file=file, strict=strict)
    for line in lines:
        reader.feed(line)
    return reader.finish(), reader.findings


def strip_tags(line: str) -> str:
    """The text of a line without its tags, whatever the line; never raises."""
    return InlineReader("en", strict=False).feed(line)
