"""The format of the CoNLL-2012 shared task on coreference, both ways.

    #begin document (river/3); part 000
    river/3  0  0  Lin  -  …  (0
    river/3  0  1  Wan  -  …  0)

    #end document

One line a token, an empty line behind a sentence; the last column holds the brackets of the
chains, divided by ``|``. Written are 12 columns divided by tabs, those that are not known ``-``;
the tokens are those of `bwb.annotations.tokens`, the chains numbers, the same on both sides. Read
are any five columns or more, divided by tabs or else by spaces, of which the first four are
document, part, number and word; ``-``, ``_``, ``*`` or nothing means no bracket.

Sources: Pradhan et al. 2012 and https://conll.cemantix.org/2012/data.html; LitBank's files
(Bamman et al. 2020) have 13 columns, the last of them blank.

What is kept and what is lost
    Kept, writing: tokens, sentences, which mentions refer to the same thing.
    Lost, and returned as `Loss`: ids of entities and mentions, types, forms, terms, omitted
    pronouns, quotes, layers, white space (tokens are read back with one space between them),
    empty sentences, mentions that are only white space, spans of mentions that cross another of
    their own chain, the order of mentions, and whatever else a `Document` has.
    Kept, reading: words, sentences, chains, singletons included; each part is a document.
    Lost, reading: all columns between the word and the brackets.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple

from bwb.annotations.layout import DocumentFiles, find_documents, guess_lang, side_path
from bwb.annotations.loss import Loss, document_losses, losses_of
from bwb.annotations.tokens import (
    Place,
    checked,
    malformed,
    place,
    qualified,
    read_exactly,
    read_pairs,
    self_crossing,
    side_tokens,
)
from bwb.errors import InputError
from bwb.records import Mention, Side, sentence_offsets
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from bwb.annotations.tokens import Offsets
    from bwb.records import Document, Lang

SUFFIX = ".conll"

_BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part (?P<part>[0-9]+)\s*")
_BRACKET = re.compile(r"(?P<open>\()?(?P<chain>[^()|\s]+)(?P<close>\))?")
_NOTHING = {"-", "_", "*", ""}
_CANONICAL = re.compile(r"0|[1-9][0-9]*")


class ClusteredDocument(NamedTuple):
    """What coreference scoring needs of a document.

    Attributes:
        name: As the file has it; with the part's number behind a dot unless that is 0.
        tokens: The words, those of all sentences in one list.
        clusters: Mentions of each chain as ranges of tokens, the end excluded; chains and
            mentions in the order in which they begin, the longer one first.
    """

    name: str
    tokens: list[str]
    clusters: list[list[tuple[int, int]]]


@dataclass(slots=True, eq=False)
class _Chained:
    """A mention being read, as a range of tokens; `end` is -1 until it closes."""

    chain: str
    start: int
    line: int
    column: int
    end: int = -1


@dataclass(slots=True)
class _Part:
    """A document as the file has it."""

    name: str
    line: int
    words: list[str] = field(default_factory=list)
    # Index of the first token of each sentence.
    sentences: list[int] = field(default_factory=list)
    mentions: list[_Chained] = field(default_factory=list)


def read_clusters(path: Path, *, lang: Lang | None = None) -> list[ClusteredDocument]:
    """The documents of a file, or of the ``.conll`` files of a folder, for coreference scoring.

    Args:
        path: The file or folder.
        lang: Read only the files whose name says this language; all if None.

    Raises:
        FormatError: as `read`.
        InputError: if there is nothing to read.
    """
    suffix = path.suffix if path.is_file() else SUFFIX
    groups = find_documents(path, suffix)
    if not groups:
        raise InputError(f"{path}: no files named *{suffix} in this folder")
    found = []
    for group in groups:
        files = [file for tag, file in group.files.items() if lang in {tag, None}]
        if group.untagged is not None and lang is None:
            files.append(group.untagged)
        for file in files:
            for part in _parts(file):
                chains: dict[str, list[tuple[int, int]]] = {}
                for mention in part.mentions:
                    chains.setdefault(mention.chain, []).append((mention.start, mention.end))
                found.append(ClusteredDocument(part.name, part.words, list(chains.values())))
    return found


def read(path: Path, *, lang: Lang | None = None) -> Iterator[Document]:
    """Read CoNLL-2012 files; a document's text is its tokens with one space between them.

    Args:
        path: A file of any name, or a folder of ``.conll`` files. Documents without a book in
            their name belong to the book the folder names; parts other than 0 are documents of
            their own.
        lang: Language of files whose name does not say; guessed from the words if None.

    Raises:
        FormatError: at the first line that is malformed or bracket that does not match.
        InputError: as `tokens.read_pairs`.
    """
    return read_pairs(path, path.suffix if path.is_file() else SUFFIX, lang, _read_file)


def _read_file(file: Path, lang: Lang | None, group: DocumentFiles) -> Iterator[tuple[str, Side]]:
    for part in _parts(file):
        bounds = pairwise([*part.sentences, len(part.words)])
        sentences = tuple(" ".join(part.words[start:end]) for start, end in bounds)
        offsets = sentence_offsets(tuple(part.words))
        lines = sentence_offsets(sentences)
        text = "\n".join(sentences)
        mentions = []
        for number, chained in enumerate(part.mentions, 1):
            start = offsets[chained.start]
            end = offsets[chained.end - 1] + len(part.words[chained.end - 1])
            sentence = bisect_right(lines, start) - 1
            mention = Mention(f"m{number}", chained.chain, start, end, sentence, text[start:end])
            mentions.append(mention)
        known = lang or guess_lang(text)
        yield qualified(part.name, group), Side(known, sentences, ("coreference",), tuple(mentions))


def _parts(file: Path) -> Iterator[_Part]:
    """The documents of a file."""
    part: _Part | None = None
    opened: dict[str, list[_Chained]] = {}
    fresh = True
    number = 0
    for number, line in enumerate(read_exactly(file).split("\n"), 1):
        if line.startswith("#begin document"):
            if part is not None:
                message = f"{line!r}; expected '#end document' of the one begun in line {part.line}"
                raise malformed(file, number, 1, "document-in-document", message)
            part = _begin(file, number, line)
            opened = {}
            fresh = True
        elif line.startswith("#end document"):
            if part is None:
                raise malformed(file, number, 1, "no-document", f"{line!r} without a beginning")
            for left in opened.values():
                if left:
                    message = f"'({left[0].chain}' is never closed"
                    raise malformed(file, left[0].line, left[0].column, "bad-bracket", message)
            part.mentions.sort(key=lambda m: (m.start, -m.end))
            yield part
            part = None
        elif not line.strip():
            fresh = True
        elif line.startswith("#"):
            continue
        elif part is None:
            message = f"{line[:60]!r}; expected '#begin document (NAME); part 000'"
            raise malformed(file, number, 1, "no-document", message)
        else:
            if fresh:
                part.sentences.append(len(part.words))
                fresh = False
            _token(file, number, line, part, opened)
    if part is not None:
        message = f"expected '#end document' of the one begun in line {part.line}"
        raise malformed(file, number, 0, "no-end", message)


def _begin(file: Path, number: int, line: str) -> _Part:
    found = _BEGIN.fullmatch(line)
    if found is None or not found["name"]:
        message = f"{line!r}; expected '#begin document (NAME); part 000'"
        raise malformed(file, number, 1, "bad-header", message)
    part = int(found["part"])
    return _Part(f"{found['name']}.{part}" if part else found["name"], number)


def _token(
    file: Path, number: int, line: str, part: _Part, opened: dict[str, list[_Chained]]
) -> None:
    """Read the line of a token: its word, and the chains that begin and end there."""
    columns = line.split("\t") if "\t" in line else line.split()
    if len(columns) < 5:
        message = f"{len(columns)} columns; expected document, part, number, word, …, chains"
        raise malformed(file, number, 1, "bad-columns", message)
    word, cell = columns[3], columns[-1].strip()
    if not word or word.split() != [word]:
        raise malformed(file, number, 1, "bad-word", f"word {word!r}; expected no white space")
    index = len(part.words)
    part.words.append(word)
    if cell in _NOTHING:
        return
    column = len(line.rstrip()) - len(cell) + 1
    closing = []
    for item in cell.split("|"):
        found = _BRACKET.fullmatch(item)
        if found is None or not (found["open"] or found["close"]):
            message = f"chains {cell!r}; expected '-' or (N), (N, N) divided by '|'"
            raise malformed(file, number, column, "bad-bracket", message)
        if not found["open"]:
            closing.append(found["chain"])
            continue
        mention = _Chained(found["chain"], index, number, column)
        part.mentions.append(mention)
        if found["close"]:
            mention.end = index + 1
        else:
            opened.setdefault(mention.chain, []).append(mention)
    for chain in closing:
        # A bracket that only closes was opened by an earlier token.
        waiting = [m for m in opened.get(chain, ()) if m.start < index]
        if not waiting:
            message = f"'{chain})' is closed, but not open"
            raise malformed(file, number, column, "bad-bracket", message)
        waiting[-1].end = index + 1
        opened[chain].remove(waiting[-1])


def write(documents: Iterable[Document], folder: Path, *, spaced: bool = False) -> list[Loss]:
    """Write each side to ``<book>/<chapter>.<lang>.conll``.

    Args:
        documents: The documents.
        folder: Where to.
        spaced: Tokens are what white space divides, as in a corpus that came tokenised.

    Returns:
        What the files do not hold.

    Raises:
        InputError: as `tokens.checked`.
    """
    losses = []
    for document in checked(documents):
        losses += document_losses(document)
        chains = _chains(document)
        for side in document.sides:
            tokens = side_tokens(side, spaced=spaced)
            cells, counts = _cells(side, [token for line in tokens for token in line], chains)
            counts |= _side_losses(side, tokens)
            counts["ids of entities"] = sum(
                chains[name] != name for name in {mention.entity for mention in side.mentions}
            )
            losses += losses_of(document.id, counts)
            with replacing(side_path(folder, document.id, side.lang, SUFFIX)) as file:
                file.writelines(f"{line}\n" for line in _lines(document.id, side, tokens, cells))
    return losses


def _chains(document: Document) -> dict[str, str]:
    """A number for each entity; its own id if all ids are numbers."""
    names = dict.fromkeys(m.entity for side in document.sides for m in side.mentions)
    if all(_CANONICAL.fullmatch(name) for name in names):
        return {name: name for name in names}
    return {name: str(number) for number, name in enumerate(names)}


def _lines(
    name: str, side: Side, tokens: list[list[Offsets]], cells: Mapping[int, str]
) -> Iterator[str]:
    yield f"#begin document ({name}); part 000"
    # A reader that splits at white space must find the word in the fourth column.
    first = re.sub(r"\s|^#", "_", name)
    node = count()
    for sentence in tokens:
        for index, (start, end) in enumerate(sentence):
            cell = cells.get(next(node), "-")
            word = side.text[start:end]
            yield "\t".join((first, "0", str(index), word, *"-------", cell))
        if sentence:
            yield ""
    yield "#end document"


def _cells(
    side: Side, tokens: list[Offsets], chains: Mapping[str, str]
) -> tuple[dict[int, str], dict[str, int]]:
    """The brackets of each token that has any, and what they do not say."""
    rows: list[tuple[Mention, Place]] = []
    for mention in side.mentions:
        at = place(mention, tokens)
        if at is not None:
            rows.append((mention, at))
    order = sorted(range(len(rows)), key=lambda i: (rows[i][1].first, -rows[i][1].last, i))
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    for index in order:
        mention, at = rows[index]
        chain = chains[mention.entity]
        if at.first == at.last:
            opening.setdefault(at.first, []).append(f"({chain})")
        else:
            opening.setdefault(at.first, []).append(f"({chain}")
            closing.setdefault(at.last, []).insert(0, f"{chain})")
    cells = {
        node: "|".join([*closing.get(node, ()), *opening.get(node, ())])
        for node in opening.keys() | closing.keys()
    }
    named = enumerate((rows[i][0].id for i in order), 1)
    spans = [(mention.entity, at.first, at.last) for mention, at in rows]
    counts = {
        "mentions that are only white space": len(side.mentions) - len(rows),
        "white space at the ends of mentions": sum(bool(at.left or at.right) for _, at in rows),
        "spans of mentions that cross their own chain": len(self_crossing(spans)),
        "mentions out of order": sum(i != rank for rank, i in enumerate(order)),
        "ids of mentions": sum(name != f"m{number}" for number, name in named),
    }
    return cells, counts


def _side_losses(side: Side, tokens: list[list[Offsets]]) -> dict[str, int]:
    """What of a side has no place in any column."""
    gaps = 0
    for sentence, spans in enumerate(tokens):
        if spans:
            whole = side.sentence_span(sentence)
            gaps += (spans[0][0] > whole.start) + (spans[-1][1] < whole.end)
            gaps += sum(side.text[a[1] : b[0]] != " " for a, b in pairwise(spans))
    return {
        "places with other white space": gaps,
        "empty sentences": sum(not spans for spans in tokens),
        "types": sum(mention.type is not None for mention in side.mentions),
        "forms": sum(mention.form is not None for mention in side.mentions),
        "terms": sum(mention.term is not None for mention in side.mentions),
        "omitted pronouns": sum(mention.omitted for mention in side.mentions),
        "quotes": len(side.quotes),
        "layers": len({"coreference"} ^ set(side.layers)),
    }
