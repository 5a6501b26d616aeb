"""The release's counted entity strings: ``PERSON: (A: 1; B: 2; )<TAB>NONPERSON: ()`` a line.

Source: README of the BWB release (`ner_re.txt`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from bwb.errors import Finding, FormatError
from bwb.records import NamedEntity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bwb.records import EntityClass

_LINE = re.compile(r"PERSON: \((.*)\)\s*\tNONPERSON: \((.*)\)\s*")
_ITEM = re.compile(r"\s*(.+?): (\d+)\s*")


def read_named_entities(lines: Iterable[str], *, file: str = "<text>") -> tuple[NamedEntity, ...]:
    """Read one line a sentence.

    Raises:
        FormatError: with file and line, if a line is not of the form above.
    """
    found = []
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            message = f"{line[:60]!r}; expected 'PERSON: (name: count; …)<TAB>NONPERSON: (…)'"
            raise FormatError(Finding(file, number, 1, "named-entities", message))
        for label, body in zip(("PERSON", "NONPERSON"), match.groups(), strict=True):
            for item in filter(str.strip, body.split(";")):
                pair = _ITEM.fullmatch(item)
                if pair is None:
                    message = f"{item!r} in {label}; expected 'name: count'"
                    raise FormatError(Finding(file, number, 1, "named-entities", message))
                found.append(
                    NamedEntity(number - 1, cast("EntityClass", label), pair[1], int(pair[2]))
                )
    return tuple(found)
