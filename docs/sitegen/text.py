"""From docstrings, as `bwb metrics NAME` and `bwb COMMAND --help` print them, to Markdown.

What is indented after a blank line is a formula or an example, and so is a paragraph that is set
in columns; what is indented right after a line is a section with that line as its heading; a list
is a list. All else is running text, in which only `code` and *emphasis* are marks.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_CODE = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
_EMPHASIS = re.compile(r"(?<!\w)\*(\w[\w -]*)\*(?!\w)")
_COLUMNS = re.compile(r"\S {3,}\S")
_ITEM = re.compile(r"(- |\d+\. )")


def markdown(text: str, links: Callable[[str], str | None] | None = None) -> str:
    """A docstring as Markdown.

    Args:
        text: The docstring, without the indentation of the source.
        links: Address for what stands in single backticks; None where there is none.
    """
    blocks = [block for block in re.split(r"\n{2,}", text.strip("\n")) if block.strip()]
    return "\n\n".join(_blocks(blocks, links or (lambda _: None))) + "\n"


def escape(text: str) -> str:
    """Running text: what Markdown and HTML would read as marks is taken literally, but *this*."""
    kept = _EMPHASIS.sub("\0\\1\0", text)
    return re.sub(r"([*_\\\[\]])", r"\\\1", kept).replace("<", "&lt;").replace("\0", "*")


def inline(text: str, links: Callable[[str], str | None] | None = None) -> str:
    """Running text as Markdown: code in backticks stays code, the rest is escaped."""
    find = links or (lambda _: None)
    parts, at = [], 0
    for found in _CODE.finditer(text):
        name = " ".join((found[1] or found[2]).split())
        address = find(name)
        code = f"`{name}`"
        parts += [escape(text[at : found.start()]), f"[{code}]({address})" if address else code]
        at = found.end()
    return "".join([*parts, escape(text[at:])])


def cell(text: str, links: Callable[[str], str | None] | None = None) -> str:
    """`inline`, for a cell of a table."""
    return " ".join(inline(text, links).split()).replace("|", "&#124;")


def fence(text: str, language: str = "text") -> str:
    """A block of code."""
    body = textwrap.dedent(text).strip("\n")
    return f"```{language}\n{body}\n```"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _blocks(blocks: list[str], links: Callable[[str], str | None]) -> Iterator[str]:
    """Blocks that blank lines part; indented ones in a row are one."""
    place = 0
    while place < len(blocks):
        block = blocks[place]
        place += 1
        if _indent(block) >= 2:
            yield fence(block)
            continue
        lines = block.split("\n")
        if len(lines) > 1 and _indent(lines[1]) >= 4 and not _ITEM.match(block):
            inside = ["\n".join(lines[1:])]
            while place < len(blocks) and _indent(blocks[place]) >= 4:
                inside.append(blocks[place])
                place += 1
            dedented = textwrap.dedent("\n\n".join(inside))
            yield f"**{inline(lines[0], links)}**"
            yield markdown(dedented, links).rstrip("\n")
        elif any(_COLUMNS.search(line) for line in lines):
            yield fence(block)
        else:
            yield _prose(lines, links)


def _prose(lines: Sequence[str], links: Callable[[str], str | None]) -> str:
    """A paragraph, a list, or a paragraph and the list right below it; each on a line of its own.

    A number that a line happens to begin with (“… can exceed / 1. Words are …”) makes no list.
    """
    out: list[list[str]] = []
    listed = False
    for line in lines:
        item = _ITEM.match(line)
        begins = listed or not out or (item is not None and item[0] == "- ")
        if item and (begins or out[-1][-1].endswith(":")):
            if out and not listed:
                out.append([])
            listed = True
            out.append([line])
        elif out:
            out[-1].append(line.strip())
        else:
            out.append([line])
    made = []
    for part in out:
        text = " ".join(part)
        item = _ITEM.match(text) if listed else None
        mark = item[0] if item else ""
        made.append(mark + inline(text[len(mark) :], links))
    return "\n".join(made)


def _indent(block: str) -> int:
    first = block.split("\n", 1)[0]
    return len(first) - len(first.lstrip(" "))
