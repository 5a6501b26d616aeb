"""Documents that were translated in chunks of k sentences (ST[k] of Sun et al. 2024).

An output is then a chunk a line, and which chunks are of one document is told by their sources: the
chunks' sources, one after the other, are the documents' sources, if white space is left aside, and
no chunk runs over the end of a document. Sources of chunks are read from the record of the dialogue
with the model, in one of two forms, ::

    USER: <instruction>                          [INST] <instruction>

    <source of the chunk>                        <source of the chunk>

    ASSISTANT: <answer>                           [/INST] <answer>

or from a file with the source of a chunk a line, or from JSONL with it under ``input``. Of a record
with several lines in an answer, the outputs have the line feeds replaced by spaces.

Chunks are stripped and joined with nothing between them, as the paper has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.errors import Finding, FormatError, InputError, LengthError
from bwb.metrics.document_files import Text, is_jsonl, read_texts
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Where a turn begins, and where its answer does.
_FORMS = (
    (re.compile(r"^USER:", re.M), re.compile(r"^ASSISTANT:", re.M)),
    (re.compile(r"^(?:<s>\s*)?\[INST\]", re.M), re.compile(r"\[/INST\]")),
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document.

    Attributes:
        source: Its source.
        line: The line of the file it begins in, from 1.
        answer: Its translation; None if the file has sources only.
    """

    source: str
    line: int
    answer: str | None = None


def is_dialogue(text: str) -> bool:
    """Whether a text is the record of a dialogue."""
    return any(begin.match(text) for begin, _ in _FORMS)


def read_chunks(path: Path, findings: list[Finding]) -> list[Chunk]:
    """The chunks of a file in one of the forms above.

    Args:
        path: The file.
        findings: List that repairs are appended to.

    Raises:
        FormatError: if it is not UTF-8, or a turn of a dialogue has no answer.
        InputError: if there is no such file.
    """
    if not is_jsonl(path):
        text, repairs = read_text(path)
        if is_dialogue(text):
            findings += repairs
            return _turns(text, path)
        return [Chunk(row.joined(""), row.line) for row in read_texts(path, findings)]
    chunks = []
    for row in read_texts(path, findings):
        if row.source is None:
            message = "no input; expected the source of the chunk"
            raise FormatError(Finding(str(path), row.line, 0, "json", message))
        chunks.append(Chunk(row.source, row.line, row.joined("")))
    return chunks


def _turns(text: str, path: Path) -> list[Chunk]:
    begin, answer = next(form for form in _FORMS if form[0].match(text))
    starts = [match.start() for match in begin.finditer(text)]
    chunks = []
    line = 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        turn = text[start:end]
        reply = answer.search(turn)
        if reply is None:
            message = f"a turn without answer: {turn[:40]!r}; expected {answer.pattern.strip('^')}"
            raise FormatError(Finding(str(path), line, 1, "dialogue", message))
        asked = turn[: reply.start()]
        # The instruction is a paragraph of its own.
        _, paragraph, source = asked.partition("\n\n")
        said = turn[reply.end() :].strip().replace("\n", " ")
        source = (source if paragraph else asked).strip()
        chunks.append(Chunk(source, line, said.removesuffix("</s>").strip()))
        line += turn.count("\n")
    return chunks


def chunk_counts(
    chunks: Sequence[Chunk], path: Path, sources: Sequence[tuple[str, int]], other: Path
) -> list[int]:
    """How many chunks each document has.

    Args:
        chunks: All chunks, in order.
        path: Their file, for messages.
        sources: The source of each document, and its line.
        other: Their file, for messages.

    Raises:
        InputError: if the chunks are not those of the documents.
    """
    counts = []
    at = 0
    for number, (source, line) in enumerate(sources, 1):
        wanted = _SPACE.sub("", source)
        document = f"document {number} ({other}:{line})"
        done = count = 0
        while done < len(wanted):
            if at == len(chunks):
                raise InputError(
                    f"{path}: the chunks end before {document} does, after {done} of its "
                    f"{len(wanted)} characters that are not white space"
                )
            part = _SPACE.sub("", chunks[at].source)
            if not wanted.startswith(part, done):
                raise InputError(_difference(chunks[at], at, path, part, wanted[done:], document))
            done += len(part)
            at, count = at + 1, count + 1
        counts.append(count)
    if at < len(chunks):
        raise InputError(
            f"{path}:{chunks[at].line}: chunk {at + 1} of {len(chunks)} comes after the last of "
            f"{len(sources)} documents of {other}: {chunks[at].source[:40]!r}"
        )
    return counts


def _difference(chunk: Chunk, index: int, path: Path, part: str, rest: str, document: str) -> str:
    """Where a chunk stops to be what comes next in a document."""
    same = next(
        (n for n, (a, b) in enumerate(zip(part, rest, strict=False)) if a != b),
        min(len(part), len(rest)),
    )
    place = f"{path}:{chunk.line}: chunk {index + 1}"
    if same == len(rest):
        return f"{place} goes on beyond the end of {document}: {part[same:][:30]!r}"
    return (
        f"{place} does not fit {document}: {part[same:][:30]!r} after {same} characters that are "
        f"not white space, where the document has {rest[same:][:30]!r}"
    )


def join_chunks(
    lines: Sequence[Text], counts: Sequence[int], path: Path, other: Path
) -> list[Text]:
    """The documents that chunks are put together to.

    Args:
        lines: The translation of each chunk.
        counts: How many chunks each document has.
        path: File of the translations, for messages.
        other: File of the chunks' sources, for messages.

    Raises:
        LengthError: if there are more or fewer.
    """
    if len(lines) != sum(counts):
        raise LengthError(f"{path} has {len(lines)} chunks, {other} has {sum(counts)}")
    documents = []
    at = 0
    for count in counts:
        parts = lines[at : at + count]
        text = "".join(part.joined("").strip() for part in parts)
        documents.append(Text((text,), parts[0].line if parts else 0))
        at += count
    return documents


def joined_references(
    texts: Sequence[Text], path: Path, sentences: str, other: Path, counts: Sequence[int], k: int
) -> list[Text]:
    """References put together from chunks of k sentences, as the paper does for English.

    There, the sentences of a chunk are joined with a space and the chunks with nothing, though the
    reference itself has a space throughout.

    Args:
        texts: The references, with white space between sentences.
        path: Their file, for messages.
        sentences: The same references one after the other, without white space between
            sentences; where only they lack white space, a sentence ends.
        other: Its file, for messages.
        counts: How many chunks each document has.
        k: Sentences in a chunk.

    Raises:
        InputError: if the two are not the same text, or a document has not as many chunks as its
            sentences make.
    """
    at = 0
    made = []
    for number, (text, count) in enumerate(zip(texts, counts, strict=True), 1):
        found, at = _split(text.joined(" "), sentences, at)
        if found is None:
            raise InputError(
                f"{other}: document {number} ({path}:{text.line}) reads otherwise there: "
                f"{sentences[at : at + 30]!r}"
            )
        if -(-len(found) // k) != count:
            raise InputError(
                f"document {number} ({path}:{text.line}) has {len(found)} sentences by {other}, "
                f"which are {-(-len(found) // k)} chunks of {k}, not {count}"
            )
        parts = (" ".join(found[n : n + k]) for n in range(0, len(found), k))
        made.append(Text(("".join(parts),), text.line, text.id, text.source, text.target_lang))
    if sentences[at:].strip():
        raise InputError(f"{other}: text after the last document: {sentences[at:][:30]!r}")
    return made


def _split(text: str, sentences: str, at: int) -> tuple[list[str] | None, int]:
    """The sentences of a text, and where it ends; None, and where it differs, if it does."""
    found, begin = [], 0
    for place, character in enumerate(text):
        if sentences[at : at + 1] == character:
            at += 1
        elif character.isspace():
            found.append(text[begin:place])
            begin = place + 1
        else:
            return None, at
    return [*found, text[begin:]], at
