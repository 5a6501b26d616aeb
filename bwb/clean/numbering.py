"""Which chapters belong together by their numbers, their places, or the user's map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.clean.chain import Chain, heaviest
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.clean.text import Text

Group = tuple[int, ...]
Link = tuple[Group, Group]

_USABLE = 0.8  # share of the shorter list that must have a number of its own


def map_links(
    zh: Sequence[Text], en: Sequence[Text], chapter_map: Sequence[Link]
) -> tuple[list[Link], list[tuple[Link, str]]]:
    """The links of the user's map, which has places in the lists from 1.

    Returns:
        The links by index; and those that name a chapter that is not there (there is no such one,
        it could not be fetched, or was dropped), with a message. Such a chapter is passed over; a
        link of which a side has nothing left is none.

    Raises:
        InputError: if the map names a place twice, joins what does not follow each other, or its
            links cross.
    """
    sides = zh, en
    book = next((text.chapter.book for side in sides for text in side), "the book")
    index = [{int(text.chapter.chapter): at for at, text in enumerate(side)} for side in sides]
    links: list[Link] = []
    absent: list[tuple[Link, str]] = []
    last = [0, 0]
    for given in chapter_map:
        missing: list[str] = []
        for k, name in enumerate(("Chinese", "English")):
            for place in given[k]:
                if place <= last[k]:
                    raise InputError(
                        f"{book}: the chapter map has {name} chapter {place} after {last[k]}; "
                        "expected ascending places, each once"
                    )
                last[k] = place
                if place not in index[k]:
                    missing.append(f"{name} chapter {place}")
        left, right = (
            tuple(where[p] for p in given[k] if p in where) for k, where in enumerate(index)
        )
        for group in (left, right):
            if group and group[-1] - group[0] >= len(group):
                raise InputError(
                    f"{book}: the chapter map joins chapters that do not follow each other in "
                    f"{_named(given)}; expected neighbours"
                )
        if left and right:
            links.append((left, right))
        if missing:
            message = f"{_named(given)} names {', '.join(missing)}, not among the chapters"
            absent.append(((left, right), message))
    return links, absent


def _named(link: Link) -> str:
    return ":".join("+".join(map(str, group)) for group in link)


def by_number(zh: Sequence[Text], en: Sequence[Text]) -> list[tuple[int, int]]:
    """Chapters of equal number, in order; none if few chapters have a number of their own."""
    sides = []
    for texts in (zh, en):
        places: dict[int, list[int]] = {}
        for at, text in enumerate(texts):
            if text.chapter.number is not None:
                places.setdefault(text.chapter.number, []).append(at)
        sides.append({number: found[0] for number, found in places.items() if len(found) == 1})
    cells = [
        Chain((sides[0][number],), (sides[1][number],), 1.0)
        for number in sorted(sides[0].keys() & sides[1].keys())
    ]
    chain = heaviest(cells)
    usable = len(chain) >= _USABLE * min(len(zh), len(en))
    return [(link.left[0], link.right[0]) for link in chain] if usable else []


def diagonal(zh: Sequence[Text], en: Sequence[Text], *, end: bool = False) -> list[tuple[int, int]]:
    """Chapters of equal index, counted from the first or from the last."""
    shift = (len(zh), len(en)) if end else (0, 0)
    steps = range(-min(len(zh), len(en)), 0) if end else range(min(len(zh), len(en)))
    return [(shift[0] + k, shift[1] + k) for k in steps]
