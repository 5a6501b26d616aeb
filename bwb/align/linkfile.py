"""Links in text files: ``[0, 1]:[0]`` a line, a null link as ``[]:[3]``.

The form is that of the gold files of Vecalign and of Bleualign's evaluation; a score may follow
behind another colon.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bwb.align.base import SentenceLink
from bwb.errors import Finding, FormatError
from bwb.textio import read_lines, replacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LINE = re.compile(r"\[([\d, ]*)\]\s*:\s*\[([\d, ]*)\](?:\s*:\s*(-?[\d.eE+-]+|nan))?\s*")


def parse_link(line: str, *, file: str = "<string>", number: int = 1) -> SentenceLink:
    """One line as a link.

    Raises:
        FormatError: if it is not of the form above.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        message = f"{line[:60]!r}; expected a link like [0, 1]:[0]"
        raise FormatError(Finding(file, number, 1, "link", message))
    sides = [tuple(int(i) for i in match[k].replace(",", " ").split()) for k in (1, 2)]
    score = float(match[3]) if match[3] else None
    return SentenceLink(sides[0], sides[1], score)


def read_links(path: Path) -> list[SentenceLink]:
    """The links of a file; empty lines are passed over.

    Raises:
        FormatError: if a line is no link.
    """
    lines, _ = read_lines(path)
    return [
        parse_link(line, file=str(path), number=number)
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def write_links(links: Iterable[SentenceLink], path: Path) -> None:
    """Write a link a line, without scores."""
    with replacing(path) as file:
        file.writelines(f"{link}\n" for link in links)
