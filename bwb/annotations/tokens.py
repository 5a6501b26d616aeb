"""Tokens, and the checks, escapes and pairing that the exchange formats share.

The tokens are those of a simple rule, the same in every format that needs any: good enough to
hang annotations on, no substitute for a trained segmenter. A token holds no white space. In
English it is a word with its inner hyphens and apostrophes; in Chinese one Han character, runs of
Latin letters and digits kept together; anything else is one character, or the same one repeated
(``……``, ``!!``). Combining marks and joiners stay with what they follow.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from bwb.annotations.assemble import collect_entities, line_links
from bwb.annotations.layout import DocumentFiles, find_documents
from bwb.errors import Finding, FormatError, InputError
from bwb.records import Document
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from bwb.records import Lang, Mention, Side

    SideReader: TypeAlias = Callable[[Path, Lang | None, DocumentFiles], Iterable[tuple[str, Side]]]

_HAN = "〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff"
_MARKS = "[\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*"
_PATTERNS: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(rf"(?:\w{_MARKS})+(?:['’-](?:\w{_MARKS})+)*|(\S)\1*{_MARKS}"),
    "zh": re.compile(
        rf"[{_HAN}]{_MARKS}|(?:[^\W{_HAN}]{_MARKS})+(?:['’-](?:[^\W{_HAN}]{_MARKS})+)*"
        rf"|(\S)\1*{_MARKS}"
    ),
}

_SPACED = re.compile(r"\S+")

Offsets: TypeAlias = tuple[int, int]

# What brat and CoNLL-U call a term, and what is not marked.
TERMS = {"T": True, "N": False, None: None}


def token_spans(
    text: str, lang: Lang, cuts: Iterable[int] = (), *, spaced: bool = False
) -> list[Offsets]:
    """Half-open ranges of the tokens of a text, in order; linear in its length.

    Args:
        text: Any text; white space separates tokens and is in none.
        lang: Its language.
        cuts: Offsets at which a token must end, in any order.
        spaced: Tokens are what white space divides; the text was tokenised before.
    """
    marks = iter(sorted(set(cuts)))
    cut = next(marks, -1)
    spans: list[Offsets] = []
    for token in (_SPACED if spaced else _PATTERNS[lang]).finditer(text):
        start, end = token.span()
        while 0 <= cut < end:
            if cut > start:
                spans.append((start, cut))
                start = cut
            cut = next(marks, -1)
        spans.append((start, end))
    return spans


def side_tokens(side: Side, *, spaced: bool = False) -> list[list[Offsets]]:
    """The tokens of each sentence, as ranges of the side's text.

    No token crosses the boundary of a mention or of a piece of a quote. A sentence without
    characters other than white space has no tokens. For `spaced` see `token_spans`.
    """
    cuts = [offset for m in side.mentions for offset in (m.start, m.end)]
    cuts += [offset for q in side.quotes for s in q.spans for offset in (s.start, s.end)]
    cuts.sort()
    sentences = []
    for base, sentence in zip(side.offsets, side.sentences, strict=True):
        near = cuts[bisect_left(cuts, base) : bisect_right(cuts, base + len(sentence))]
        spans = token_spans(sentence, side.lang, (c - base for c in near), spaced=spaced)
        sentences.append([(base + start, base + end) for start, end in spans])
    return sentences


class Place(NamedTuple):
    """Where a mention lies among the tokens of its side.

    Attributes:
        first: Index of its first token.
        last: Index of its last token, itself included.
        left: Characters of white space it holds in front of its first token.
        right: Characters of white space it holds behind its last token.
    """

    first: int
    last: int
    left: int
    right: int


def place(mention: Mention, tokens: list[Offsets]) -> Place | None:
    """The tokens of a mention at whose boundaries tokens were cut; None if it has none."""
    first = bisect_left(tokens, mention.start, key=lambda token: token[0])
    last = bisect_left(tokens, mention.end, key=lambda token: token[0]) - 1
    if last < first:
        return None
    return Place(first, last, tokens[first][0] - mention.start, mention.end - tokens[last][1])


def self_crossing(spans: list[tuple[str, int, int]]) -> set[int]:
    """Mentions that cross another of their own entity, which brackets named by it cannot say.

    Args:
        spans: Entity, first token and last token (included) of each mention.

    Returns:
        Indices into `spans`.
    """
    found: set[int] = set()
    opened: dict[str, list[int]] = {}
    for index in sorted(range(len(spans)), key=lambda i: (spans[i][1], -spans[i][2])):
        entity, first, last = spans[index]
        stack = [i for i in opened.get(entity, ()) if spans[i][2] > first]
        crossed = [i for i in stack if spans[i][1] < first and spans[i][2] < last]
        if crossed:
            found.update(crossed)
            found.add(index)
        stack.append(index)
        opened[entity] = stack
    return found


def escape(text: str, special: str = "") -> str:
    """Percent-encode white space, control characters, ``%`` and all `special` characters.

    What is left is never empty: the empty text is a lone ``%``.
    """
    if not text:
        return "%"
    return "".join(
        quote(c, safe="")
        if c == "%" or c.isspace() or not c.isprintable()
        # `quote` never encodes these.
        else f"%{ord(c):02X}"
        if c in special
        else c
        for c in text
    )


def unescape(text: str) -> str:
    """The inverse of `escape`; a text that it cannot have made stays as it is."""
    if text == "%":
        return ""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def read_exactly(file: Path) -> str:
    """The text of a UTF-8 file.

    Raises:
        InputError: if there is no such file.
        FormatError: if it is not UTF-8, or has a byte order mark or Windows line ends, which
            would shift offsets.
    """
    text, findings = read_text(file)
    if findings:
        raise FormatError(findings[0])
    return text


def read_pairs(
    path: Path, suffix: str, lang: Lang | None, read_file: SideReader
) -> Iterator[Document]:
    """Read files of one side each and put the sides of a document together.

    Args:
        path: A file, or a folder.
        suffix: End of the files' names.
        lang: Language of files whose name does not say; guessed by the reader if None.
        read_file: Gives the ids and sides in a file, from the file, its language if known, and
            what its name says.

    Raises:
        InputError: if there is nothing to read, or a document has the same side twice.
    """
    groups = find_documents(path, suffix)
    if not groups:
        raise InputError(f"{path}: no files named *{suffix} in this folder")
    for group in groups:
        found: dict[str, dict[Lang, Side]] = {}
        files: list[tuple[Lang | None, Path]] = [*group.files.items()]
        if group.untagged is not None:
            files.append((lang, group.untagged))
        for tag, file in files:
            for name, side in read_file(file, tag, group):
                sides = found.setdefault(name, {})
                if side.lang in sides:
                    raise InputError(f"{file}: a second {side.lang} side of document {name}")
                sides[side.lang] = side
        for name, sides in found.items():
            yield join_sides(name, sides.get("zh"), sides.get("en"))


def qualified(name: str, group: DocumentFiles) -> str:
    """A document's id from the name a file gives it: that name, with a book if it has none."""
    return name if "/" in name else f"{group.book}/{name}"


def join_sides(document_id: str, zh: Side | None, en: Side | None) -> Document:
    """A document of sides that say nothing of links: by line if they are equally long, else none.

    Entities are those the mentions imply; book and chapter those the id names.
    """
    book, _, chapter = document_id.rpartition("/")
    equal = zh is not None and en is not None and len(zh.sentences) == len(en.sentences)
    links = line_links(zh, en, document_id) if equal else ()
    entities = collect_entities((zh, en))
    return Document(document_id, book, chapter, zh, en, links, entities)


def checked(documents: Iterable[Document]) -> Iterator[Document]:
    """Pass on documents that can be written to files of their own and read back.

    Raises:
        InputError: if an id occurs twice or is no file name, or a side is not consistent: its
            language, a line feed or NUL in a sentence, a span outside the text, a mention whose
            text or sentence is not that of its span, an id given twice.
    """
    seen: set[str] = set()
    for document in documents:
        name = document.id
        if name in seen:
            raise InputError(f"document {name}: a second one with this id")
        seen.add(name)
        parts = name.split("/")
        if name != name.strip() or min(name, default="") < " " or any(p[:1] == "." for p in parts):
            raise InputError(f"document id {name!r} cannot be used as a file name")
        for lang, side in (("zh", document.zh), ("en", document.en)):
            if side is not None:
                if side.lang != lang:
                    raise InputError(f"document {name}: the {lang} side says it is {side.lang}")
                _check_side(side, f"document {name} [{lang}]")
        yield document


def _check_side(side: Side, where: str) -> None:
    for number, sentence in enumerate(side.sentences, 1):
        if "\n" in sentence or "\0" in sentence:
            raise InputError(f"{where}: sentence {number} holds a line feed or a NUL: {sentence!r}")
    size = len(side.text)
    spans = [(f"mention {m.id}", m.start, m.end) for m in side.mentions]
    spans += [(f"quote {q.id}", s.start, s.end) for q in side.quotes for s in q.spans]
    for what, start, end in spans:
        if not 0 <= start < end <= size:
            raise InputError(f"{where}: {what} [{start}, {end}) in a text of {size} code points")
    for mention in side.mentions:
        found = side.text[mention.start : mention.end]
        if found != mention.text:
            raise InputError(f"{where}: mention {mention.id} {mention.text!r}, text is {found!r}")
        starts_in = bisect_right(side.offsets, mention.start) - 1
        if starts_in != mention.sentence:
            said = f"says sentence {mention.sentence}, it starts in {starts_in}"
            raise InputError(f"{where}: mention {mention.id} {said}")
    for kind, ids in (("mention", side.mentions), ("quote", side.quotes)):
        if len({item.id for item in ids}) < len(ids):
            raise InputError(f"{where}: two {kind}s have the same id")
    for quoted in side.quotes:
        if not quoted.spans:
            raise InputError(f"{where}: quote {quoted.id} has no span")


def malformed(file: Path, line: int, column: int, code: str, message: str) -> FormatError:
    """The error for a place in a file, to be raised."""
    return FormatError(Finding(str(file), line, column, code, message))
