"""Reading the plain files of `bwb score`: a system, references, and what annotators noted."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bwb.errors import Finding, LengthError, UsageError
from bwb.records import Side

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from bwb.metrics.systems import Outputs
    from bwb.records import Document, Lang, NamedEntity, SystemOutput

# Further references by document id.
Further = dict[str, list[tuple[str, ...]]]


def read(
    args: argparse.Namespace, findings: list[Finding]
) -> tuple[list[Document], Outputs, Further]:
    """One document, the outputs of it, and its further references.

    Raises:
        UsageError: if the files named do not go together.
        LengthError: if two of them have different numbers of lines.
    """
    from bwb.annotations.assemble import assemble
    from bwb.metrics.systems import read_outputs

    if args.systems or args.data or args.split:
        raise UsageError(
            "--system, --reference, --source, --errors and --entities do not go with --systems "
            "or --data"
        )
    if not args.system or not args.reference:
        raise UsageError("plain files need --system and --reference")
    path = args.reference[0]
    en = _side(path, "en", findings)
    zh = _side(args.source, "zh", findings) if args.source else None
    if args.entities:
        en = dataclasses.replace(en, named_entities=_entities(args.entities, path, en, findings))
    document = assemble(path.name.split(".")[0], "", "", zh, en)
    if args.errors:
        document = dataclasses.replace(
            document, systems=(_errors(args.errors, path, en, findings),)
        )
    further = [_side(more, "en", findings).sentences for more in args.reference[1:]]
    for more, sentences in zip(args.reference[1:], further, strict=True):
        _same_length(more, len(sentences), path, en)
    outputs = read_outputs(args.system, [document], findings)
    return [document], outputs, {document.id: further} if further else {}


def _side(path: Path, lang: Lang, findings: list[Finding]) -> Side:
    from bwb.annotations.inline import read_inline
    from bwb.annotations.inline_grammar import looks_annotated
    from bwb.textio import read_lines

    lines, repairs = read_lines(path)
    findings += repairs
    if not looks_annotated(lines):
        return Side(lang, tuple(lines))
    side, repairs = read_inline(lines, lang, file=str(path), strict=False)
    findings += repairs
    return side


def _errors(path: Path, reference: Path, en: Side, findings: list[Finding]) -> SystemOutput:
    from bwb.annotations.error_marks import read_error_marks
    from bwb.textio import read_lines

    lines, repairs = read_lines(path)
    findings += repairs
    _same_length(path, len(lines), reference, en)
    output, repairs = read_error_marks(lines, path.name, file=str(path), strict=False)
    findings += repairs
    return output


def _entities(
    path: Path, reference: Path, en: Side, findings: list[Finding]
) -> tuple[NamedEntity, ...]:
    """Listed entities; one that its sentence does not hold is told, it cannot be found."""
    from bwb.annotations.named_entities import read_named_entities
    from bwb.metrics.matching import Matcher
    from bwb.textio import read_lines

    lines, repairs = read_lines(path)
    findings += repairs
    _same_length(path, len(lines), reference, en)
    listed = read_named_entities(lines, file=str(path))
    for entity in listed:
        if not Matcher([entity.text]).find(en.sentences[entity.sentence]):
            message = f"{entity.text!r} is not in line {entity.sentence + 1} of {reference}"
            line = entity.sentence + 1
            findings.append(
                Finding(str(path), line, 1, "entity-not-found", message, severity="warning")
            )
    return listed


def _same_length(path: Path, lines: int, reference: Path, en: Side) -> None:
    if lines != len(en.sentences):
        raise LengthError(
            f"{path} has {lines} lines, {reference} has {len(en.sentences)}; "
            "they must correspond line by line"
        )
