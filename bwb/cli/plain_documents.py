"""Reading files of documents for `bwb score`: a document a line or a row, whole or in chunks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import note, plural
from bwb.errors import Finding, FormatError, InputError, UsageError
from bwb.metrics.chunks import (
    Chunk,
    chunk_counts,
    is_dialogue,
    join_chunks,
    joined_references,
    read_chunks,
)
from bwb.metrics.document_files import Text, is_jsonl, matched, read_texts
from bwb.records import Document, Lang, Side
from bwb.textio import read_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bwb.cli.plain_files import Further
    from bwb.metrics.systems import Outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group(
        "files of documents (--unit document)",
        "--system and --reference hold a document a line, or are JSONL with text or output, and "
        "optionally id. What was translated in chunks is put together with --chunks.",
    )
    group.add_argument(
        "--chunks",
        type=Path,
        metavar="FILE",
        help="lines of --system are chunks; FILE has their sources, as the record of a dialogue "
        "(USER: … ASSISTANT: …, or [INST] … [/INST]) or a line each; the sources of the documents "
        "are in --source, or under input in --reference",
    )
    group.add_argument(
        "--chunk-size",
        type=int,
        metavar="K",
        help="join the reference as Sun et al. 2024 do: a space between sentences in a chunk of "
        "K, nothing between chunks; needs --reference-sentences",
    )
    group.add_argument(
        "--reference-sentences",
        type=Path,
        metavar="FILE",
        help="the same reference with nothing between its sentences, to tell them apart",
    )


def wanted(args: argparse.Namespace) -> bool:
    """Whether the arguments name files of documents."""
    if args.unit == "document":
        return bool(args.system or args.reference)
    if args.chunks or args.chunk_size or args.reference_sentences:
        raise UsageError("--chunks, --chunk-size and --reference-sentences need --unit document")
    return bool(args.reference) and is_jsonl(args.reference[0])


def read(
    args: argparse.Namespace, findings: list[Finding]
) -> tuple[list[Document], Outputs, Further]:
    """The documents, the outputs of them, and their further references.

    Raises:
        UsageError: if the files named do not go together.
        InputError: if the documents of two files are not the same, or a file cannot be read.
    """
    _check(args)
    path, *others = args.reference
    references = _references(path, findings)
    sources = _sources(args, references, findings)
    counts = None
    if args.chunks:
        if not sources[0]:
            raise UsageError("--chunks needs the sources: --source, or input in --reference")
        counts = chunk_counts(read_chunks(args.chunks, findings), args.chunks, *sources)
    systems: dict[str, list[Text]] = {}
    for spec in args.system:
        name, file = _named(spec)
        if name in systems:
            raise InputError(f"system {name!r} is given twice; name them: NAME={spec}")
        texts, chunks = _output(file, findings)
        own = counts
        if own is None and chunks is not None and sources[0] and len(chunks) != len(references):
            own = chunk_counts(chunks, file, *sources)
        if own is not None:
            texts = join_chunks(texts, own, file, args.chunks or file)
            counts = own if args.chunk_size else counts
        systems[name] = matched(file, texts, path, references)
    further = [matched(other, _references(other, findings), path, references) for other in others]
    if args.chunk_size:
        references = _rejoined(args, references, counts, findings)
    return _assembled(references, systems, further, split=args.unit == "sentence")


def _check(args: argparse.Namespace) -> None:
    """See that the files named go together."""
    if args.systems or args.data or args.split:
        raise UsageError("--system and --reference do not go with --systems, --data or --split")
    if not args.system or not args.reference:
        raise UsageError("files of documents need --system and --reference")
    if args.errors or args.entities:
        raise UsageError("--errors and --entities are of lines; --reference is of documents")
    if bool(args.chunk_size) != bool(args.reference_sentences):
        raise UsageError("--chunk-size and --reference-sentences need each other")
    if args.chunk_size is not None and args.chunk_size < 1:
        raise UsageError(f"--chunk-size {args.chunk_size}; expected 1 or more")


def _named(spec: str) -> tuple[str, Path]:
    """Name and file of ``NAME=FILE`` or ``FILE``."""
    name, equals, rest = spec.partition("=")
    if equals and not Path(spec).exists():
        return name, Path(rest)
    return Path(spec).name.split(".")[0], Path(spec)


def _references(path: Path, findings: list[Finding]) -> list[Text]:
    """The references of a file, each of some words."""
    texts = read_texts(path, findings)
    for text in texts:
        if not text.joined("").strip():
            message = "a reference without a word"
            raise FormatError(Finding(str(path), text.line, 0, "empty-document", message))
    return texts


def _sources(
    args: argparse.Namespace, references: Sequence[Text], findings: list[Finding]
) -> tuple[list[tuple[str, int]], Path]:
    """The source of each document with its line, and their file; none if not given for all."""
    path: Path = args.reference[0]
    if args.source:
        texts = matched(args.source, read_texts(args.source, findings), path, references)
        return [(text.source or text.joined(""), text.line) for text in texts], args.source
    found = [(text.source, text.line) for text in references]
    if any(source is None for source, _ in found):
        return [], path
    return [(source or "", line) for source, line in found], path


def _output(file: Path, findings: list[Finding]) -> tuple[list[Text], list[Chunk] | None]:
    """The texts of a system, and the chunks if the file is the record of a dialogue."""
    if not is_jsonl(file) and is_dialogue(read_text(file)[0]):
        chunks = read_chunks(file, findings)
        return [Text((chunk.answer or "",), chunk.line) for chunk in chunks], chunks
    return read_texts(file, findings), None


def _rejoined(
    args: argparse.Namespace,
    references: list[Text],
    counts: Sequence[int] | None,
    findings: list[Finding],
) -> list[Text]:
    """The references joined chunk by chunk."""
    if counts is None:
        raise UsageError("--chunk-size needs an output in chunks: see --chunks")
    sentences = "".join(t.joined("") for t in read_texts(args.reference_sentences, findings))
    return joined_references(
        references,
        args.reference[0],
        sentences,
        args.reference_sentences,
        counts,
        args.chunk_size,
    )


def _assembled(
    references: Sequence[Text],
    systems: dict[str, list[Text]],
    further: Sequence[Sequence[Text]],
    *,
    split: bool,
) -> tuple[list[Document], Outputs, Further]:
    """Records of the texts, whole, or split into lines."""
    ids = [text.id or str(number) for number, text in enumerate(references, 1)]
    documents = [
        Document(name, "", str(number), en=Side(_lang(text), _lines(text, split=split)))
        for number, (name, text) in enumerate(zip(ids, references, strict=True), 1)
    ]
    outputs = {
        system: {name: _lines(text, split=split) for name, text in zip(ids, texts, strict=True)}
        for system, texts in systems.items()
    }
    for system, found in outputs.items():
        empty = [name for name, lines in found.items() if not "".join(lines).strip()]
        if empty:
            listed = ", ".join(empty[:3]) + (", …" if len(empty) > 3 else "")
            note(f"{system}: {plural(len(empty), 'document')} without a word ({listed})")
    more = {
        name: [_lines(texts[place], split=split) for texts in further]
        for place, name in enumerate(ids)
    }
    return documents, outputs, more if further else {}


def _lang(text: Text) -> Lang:
    """Language of a side, as far as records know languages."""
    return "zh" if (text.target_lang or "").startswith("zh") else "en"


def _lines(text: Text, *, split: bool) -> tuple[str, ...]:
    if not split:
        return (text.joined(" "),)
    if len(text.sentences) > 1:
        return text.sentences
    return tuple(text.joined("").removesuffix("\n").split("\n"))
