"""Rows of sentences and links: a JSON object a line, with `id`, `src`, `tgt`, `links` or `gold`.

Links are lists of two lists of 0-based indices, ``[[0, 1], [0]]``. `src` and `tgt` are lists of
sentences and may be absent from a file that holds links alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bwb.align.base import AlignmentError, SentenceLink
from bwb.align.linkfile import read_links
from bwb.align.scoring import check_prediction, covered_size
from bwb.errors import Finding, FormatError, InputError
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bwb.align.scoring import Size

_TEXT_ID = "links"


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A line of such a file.

    Attributes:
        id: Id of the document.
        links: Its links, in the order of the file.
        src: The source sentences; None if the line has none.
        tgt: The target sentences; None if the line has none.
        place: File and line, for messages.
    """

    id: str
    links: tuple[SentenceLink, ...]
    src: tuple[str, ...] | None = None
    tgt: tuple[str, ...] | None = None
    place: str = ""

    @property
    def size(self) -> Size:
        """Number of sentences of each side, as far as the line tells."""
        return tuple(None if side is None else len(side) for side in (self.src, self.tgt))  # type: ignore[return-value]


def read_rows(path: Path, keys: Sequence[str] = ("links", "gold")) -> list[LinkRow]:
    """Read a JSONL file.

    Args:
        path: The file.
        keys: Under which name the links lie: the first of these that a line has.

    Raises:
        FormatError: if a line is not as described above, or has the id of an earlier one.
        InputError: if there is no such file.
    """
    lines, _ = read_lines(path)
    rows: dict[str, LinkRow] = {}
    for number, line in enumerate(lines, 1):
        row = _row(line, keys, str(path), number)
        if row.id in rows:
            message = f"{row.id!r} is at {rows[row.id].place} already"
            raise FormatError(Finding(str(path), number, 0, "duplicate-id", message))
        rows[row.id] = row
    return list(rows.values())


def read_comparison(
    gold: Path, pred: Path, *, lenient: bool = False
) -> tuple[dict[str, tuple[SentenceLink, ...]], dict[str, tuple[SentenceLink, ...]]]:
    """Read gold and predicted links and see that they can be compared.

    Args:
        gold: A JSONL file or a file of links (one document, whatever the name).
        pred: A file of the same kind.
        lenient: Whether predicted links may cross and share sentences.

    Returns:
        Gold and predicted links by the id of the document. Ids are not compared here.

    Raises:
        FormatError: if a file is not of its format.
        InputError: if one file is JSONL and the other is not, or if the sentences differ.
        AlignmentError: if links are out of range, cross, or share a sentence.
    """
    kinds = [_is_jsonl(path) for path in (gold, pred)]
    if kinds[0] != kinds[1]:
        names = ("links, one a line", "JSONL")
        raise InputError(
            f"{gold} holds {names[kinds[0]]}, {pred} {names[kinds[1]]}; expected the same of both"
        )
    left = _load(gold, ("gold", "links"), jsonl=kinds[0])
    right = _load(pred, ("links", "gold"), jsonl=kinds[0])
    for name, row in left.items():
        other = right.get(name)
        size = _size(row, other)
        for one, crossing in ((row, True), (other, lenient)):
            if one is not None:
                try:
                    check_prediction(one.links, size, crossing=crossing)
                except AlignmentError as error:
                    raise AlignmentError(f"{one.place}: {error}") from None
    return tuple({name: row.links for name, row in rows.items()} for rows in (left, right))  # type: ignore[return-value]


def parse_pairs(value: Any, file: str, number: int) -> tuple[SentenceLink, ...]:  # noqa: ANN401
    """Links from their JSON form.

    Raises:
        FormatError: if the value is not a list of pairs of lists of indices.
    """
    links = []
    for place, pair in enumerate(value if isinstance(value, list) else [value]):
        sides = pair if isinstance(pair, list) and len(pair) == 2 else [None]
        if not all(
            isinstance(side, list) and all(type(i) is int and i >= 0 for i in side)
            for side in sides
        ):
            message = f"link {place}: {json.dumps(pair)[:60]}; expected one like [[0, 1], [0]]"
            raise FormatError(Finding(file, number, 0, "link", message))
        links.append(SentenceLink(tuple(sides[0] or ()), tuple(sides[1] or ())))
    return tuple(links)


def _is_jsonl(path: Path) -> bool:
    lines, _ = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    return first.lstrip().startswith("{")


def _load(path: Path, keys: Sequence[str], *, jsonl: bool) -> dict[str, LinkRow]:
    if jsonl:
        return {row.id: row for row in read_rows(path, keys)}
    return {_TEXT_ID: LinkRow(_TEXT_ID, tuple(read_links(path)), place=str(path))}


def _size(gold: LinkRow, pred: LinkRow | None) -> Size:
    known = pred.size if pred is not None else (None, None)
    sizes: list[int | None] = []
    for side, mine, theirs, covered in zip(
        ("source", "target"), gold.size, known, covered_size(gold.links), strict=True
    ):
        if pred is not None and mine is not None and theirs is not None and mine != theirs:
            raise InputError(
                f"{gold.id}: {mine} {side} sentences at {gold.place}, {theirs} at {pred.place}; "
                "expected the same text"
            )
        found = (value for value in (mine, theirs, covered) if value is not None)
        sizes.append(next(found, None))
    return sizes[0], sizes[1]


def _row(line: str, keys: Sequence[str], file: str, number: int) -> LinkRow:
    def refuse(message: str, code: str = "row") -> FormatError:
        return FormatError(Finding(file, number, 0, code, message))

    try:
        body = json.loads(line)
    except ValueError as error:
        raise refuse(f"not JSON ({error}); expected an object with id and links", "json") from None
    if not isinstance(body, dict) or not isinstance(body.get("id"), str):
        raise refuse(f"{line[:60]!r}; expected an object whose id is a string")
    key = next((key for key in keys if key in body), None)
    if key is None:
        raise refuse(f"{body['id']!r} has {', '.join(body)}; expected one of {', '.join(keys)}")
    sides: list[tuple[str, ...] | None] = []
    for name in ("src", "tgt"):
        side = body.get(name)
        if side is not None and not (
            isinstance(side, list) and all(isinstance(text, str) for text in side)
        ):
            raise refuse(f"{body['id']!r}: {name} is not a list of sentences")
        sides.append(None if side is None else tuple(side))
    links = parse_pairs(body[key], file, number)
    return LinkRow(body["id"], links, sides[0], sides[1], f"{file}:{number}")
