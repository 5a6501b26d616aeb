"""The error layer: a system's sentence a line, then tab-separated what is wrong with it.

    sentence<TAB>4,Joe <pos/1,3><TAB>3,her, his <pos/35,37><TAB>6

A field is a code (`bwb.records.ERROR_CODES`; 0 is "no error") and, behind a comma, the phrases
it is about, divided by semicolons: the right phrase and a comma where there is one, the wrong
phrase, and its place in the sentence, counted from 1, last character included.

Source: README of the BWB release (`an.txt`); Jiang et al. 2023, section 4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.errors import Finding, FormatError
from bwb.records import ERROR_CODES, ErrorMark, SystemOutput

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIELD = re.compile(r"([0-9]+)\s*(?:,(.*))?", re.DOTALL)
_POSITION = re.compile(r"<pos/\s*(\d+)\s*,\s*(\d+)\s*>")


@dataclass(slots=True)
class _Reader:
    file: str
    strict: bool
    findings: list[Finding] = field(default_factory=list)
    line: int = 0

    def report(self, column: int, code: str, message: str, repair: str | None) -> None:
        finding = Finding(self.file, self.line, column, code, message, repair)
        if self.strict or repair is None:
            raise FormatError(finding)
        self.findings.append(finding)

    def fields(self, fields: list[str], sentence: str, column: int) -> list[tuple[ErrorMark, int]]:
        """The marks of a line, with the column of each."""
        marks: list[tuple[ErrorMark, int]] = []
        clean = False
        for text in fields:
            if text != text.strip():
                message = f"field {text!r} begins or ends with a space"
                self.report(column, "field-spacing", message, "space ignored")
            match = _FIELD.fullmatch(text.strip())
            code = int(match[1]) if match else -1
            if match is None or (code and code not in ERROR_CODES):
                expected = "0, or a code from 1 to 7 with its phrases"
                message = f"field {text!r}; expected {expected}"
                self.report(column, "error-code", message, "field left out")
            elif code == 0:
                clean = True
            else:
                for mark in self.items(code, match[2] or "", sentence, column):
                    marks.append((mark, column))
            column += len(text) + 1
        if clean and marks:
            message = "code 0 (no error) beside other codes"
            self.report(marks[0][1], "error-code", message, "0 ignored")
        return marks

    def items(self, code: int, body: str, sentence: str, column: int) -> Iterable[ErrorMark]:
        """The phrases of one field; a field of none marks the whole sentence."""
        number = self.line - 1
        if not body.strip():
            yield ErrorMark(number, code)
            return
        done = 0
        for match in _POSITION.finditer(body):
            phrases = body[done : match.start()].lstrip("; ").rstrip()
            done = match.end()
            yield self.item(code, phrases, int(match[1]) - 1, int(match[2]), sentence, column)
        rest = body[done:].strip("; ")
        if rest:
            message = f"{rest!r} has no <pos/first,last>"
            self.report(column, "no-position", message, "looked for in the sentence")
            yield self.item(code, rest, -1, -1, sentence, column)

    def item(
        self, code: int, phrases: str, start: int, end: int, sentence: str, column: int
    ) -> ErrorMark:
        """One phrase; its place is checked against the sentence."""
        number = self.line - 1
        found = sentence[start:end] if 0 <= start < end <= len(sentence) else None
        if found and phrases.endswith(found):
            right = phrases[: -len(found)]
            if right and not right.endswith(", "):
                message = f"{phrases!r}; expected a comma and a space before the wrong phrase"
                self.report(column, "phrase-spacing", message, "read as if there were")
            return ErrorMark(number, code, right.rstrip(", ") or None, found, start, end)
        right, _, wrong = phrases.rpartition(", ")
        places = [match.start() for match in re.finditer(re.escape(wrong), sentence)]
        at = min(places, key=lambda place: abs(place - start), default=-1)
        if start >= 0:
            says = f"position {start + 1},{end} is {found!r}, the phrase {wrong!r}"
            moved = f"position {at + 1},{at + len(wrong)}, the nearest"
            self.report(column, "position", says, moved if places else "marked without place")
        if not places:
            return ErrorMark(number, code, right or None, wrong)
        return ErrorMark(number, code, right or None, wrong, at, at + len(wrong))


def read_error_marks(
    lines: Iterable[str], system: str, *, file: str = "<text>", strict: bool = True
) -> tuple[SystemOutput, list[Finding]]:
    """Read a system's sentences and the errors marked in them.

    Args:
        lines: Lines without line feeds.
        system: Name of the system.
        file: Name for messages.
        strict: Raise on the first problem; otherwise repair and report.

    Raises:
        FormatError: in strict mode; with file, line and column.
    """
    reader = _Reader(file, strict)
    sentences: list[str] = []
    marks: list[ErrorMark] = []
    offset = 0
    for number, line in enumerate(lines, 1):
        reader.line = number
        sentence, *fields = line.split("\t")
        if not fields:
            message = "no error field; expected a tab and 0 where there is no error"
            reader.report(len(line) + 1, "no-error-field", message, "read as no error")
        for mark, _ in reader.fields(fields, sentence, len(sentence) + 2):
            marks.append(_shift(mark, offset))
        sentences.append(sentence)
        offset += len(sentence) + 1
    return SystemOutput(system, tuple(sentences), tuple(marks)), reader.findings


def write_error_marks(output: SystemOutput) -> list[str]:
    """The output as lines of the error format: the inverse of strict reading.

    Marks of one code on one sentence share a field.
    """
    by_sentence: dict[int, dict[int, list[str]]] = {}
    offset = 0
    offsets = []
    for sentence in output.sentences:
        offsets.append(offset)
        offset += len(sentence) + 1
    for mark in output.errors or ():
        items = by_sentence.setdefault(mark.sentence, {}).setdefault(mark.code, [])
        if mark.text is not None:
            phrase = f"{mark.reference}, {mark.text}" if mark.reference else mark.text
            if mark.start is not None and mark.end is not None:
                base = offsets[mark.sentence]
                phrase += f" <pos/{mark.start - base + 1},{mark.end - base}>"
            items.append(phrase)
    lines = []
    for number, sentence in enumerate(output.sentences):
        codes = by_sentence.get(number, {0: []})
        fields = [
            f"{code},{';'.join(items)}" if items else str(code) for code, items in codes.items()
        ]
        lines.append("\t".join([sentence, *fields]))
    return lines


def _shift(mark: ErrorMark, offset: int) -> ErrorMark:
    if mark.start is None or mark.end is None:
        return mark
    return ErrorMark(
        mark.sentence, mark.code, mark.reference, mark.text, mark.start + offset, mark.end + offset
    )
