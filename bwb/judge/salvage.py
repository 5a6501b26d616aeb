"""Reading lists of mistakes and scores out of an answer that is no JSON, by their keys.

What breaks answers most is quoting: a judge writes ``"snow" should be "rain",`` or
``"Omission": "The last line is missing.",`` as an item of a list. A general repair of JSON takes
such pairs for an object, in which equal keys fall together, and the next list for one of its
values; mistakes are lost or doubled. Here the key of each list is looked for, what stands
between it and the next key is its list, and

- where its items stand on lines of their own, each line that begins as an item is one;
- else a closing quotation mark, a comma and an opening one part two items.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.judge.layout import Place

SalvageRepair = Literal["inner-quotes", "pairs-in-list", "open-string", "cut-off"]

# ``", "`` and ``},{`` end an item and begin one.
_BETWEEN = re.compile(r'(?<=["”}])\s*,\s*(?=["“{])')
_ITEM = re.compile(r"""["“'‘{\[-]|\d+[.)]\s""")
_QUOTE = re.compile(r'(?<!\\)"')
_PAIR = re.compile(r'[\[,]\s*"[^"\n]*"\s*:(?!\s*[\[{])')
# The judge's words on a score, up to what closes the object.
_WORDS = re.compile(r'"([A-Za-z_ ]+)"\s*:\s*"(.*?)"?[\s}`]*\Z', re.DOTALL)
_NUMBER = re.compile(r"""\s*["“]?\s*(-?\d+(?:\.\d+)?(?:\s*(?:/|out of)\s*\d+)?)""")
_LENIENT = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was read.

    Attributes:
        value: An object as the answer should have been, without what is no list or score.
        repair: Name of what was wrong.
    """

    value: dict[str, Any]
    repair: SalvageRepair


def salvage(text: str, places: Sequence[Place]) -> Salvaged | None:
    """Read the metrics by their keys; None if no key is there.

    Args:
        text: The answer.
        places: The metrics to look for.
    """
    starts = sorted(
        (match.start(), match.end(), place)
        for place in places
        if (match := _key_pattern(place).search(text)) is not None
    )
    value: dict[str, Any] = {}
    cut_off = pairs = False
    for number, (_, end, place) in enumerate(starts):
        last = number + 1 == len(starts)
        region = text[end : len(text) if last else starts[number + 1][0]]
        if place.scale == "score":
            if found := _NUMBER.match(region):
                _put(value, place.path, found[1])
                if words := _WORDS.search(region, found.end()):
                    _put(value, (*place.path[:-1], words[1]), words[2])
            continue
        items, closed = _list_items(region, last=last)
        if items is not None:
            _put(value, place.path, items)
            cut_off |= last and not closed
            pairs |= _PAIR.search(region) is not None
    if not value:
        return None
    if cut_off:
        return Salvaged(value, "cut-off")
    if len(_QUOTE.findall(text)) % 2:
        return Salvaged(value, "open-string")
    return Salvaged(value, "pairs-in-list" if pairs else "inner-quotes")


def _key_pattern(place: Place) -> re.Pattern[str]:
    words = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", place.path[-1])))
    return re.compile(rf"""["'“]{words}["'”]\s*:""", re.IGNORECASE)


def _put(value: dict[str, Any], path: Sequence[str], found: object) -> None:
    for key in path[:-1]:
        value = value.setdefault(key, {})
    value[path[-1]] = found


def _list_items(region: str, *, last: bool) -> tuple[list[Any] | None, bool]:
    """The items of a list, and whether the list was closed; None if no list begins here."""
    region = region.lstrip()
    if not region.startswith("["):
        return None, False
    try:
        value, _ = _LENIENT.raw_decode(region)
    except (json.JSONDecodeError, RecursionError):
        pass
    else:
        return value, True
    end = _end_of_list(region, last=last)
    body = region[1:end] if end > 0 else region[1:]
    return _items(body), end > 0


def _end_of_list(region: str, *, last: bool) -> int:
    """Where the bracket stands that closes the list; 0 if it is not there.

    It is one with nothing but brackets, commas and space between it and the next key or the end;
    if words follow the answer, the first that ends a line or an object.
    """
    trimmed = region.rstrip(" \t\r\n,{")
    if not last and trimmed.endswith("]"):
        return len(trimmed) - 1
    if tail := re.search(r"\][\s}\]`]*\Z", region):
        return tail.start()
    if inner := re.search(r"\]\s*\}\s*\}|^[ \t]*\]", region, re.MULTILINE):
        return inner.start() + inner[0].index("]")
    return 0


def _items(body: str) -> list[Any]:
    lines = [line.strip() for line in body.split("\n") if line.strip()]
    if len(lines) > 1:
        items: list[Any] = []
        for line in lines:
            found = _line_items(line)
            if found is None and items and isinstance(items[-1], str) and not _ITEM.match(line):
                items[-1] += "\n" + line
            else:
                items += found or [_clean(line)]
        return items
    return [_clean(part) for part in _BETWEEN.split(body.strip().rstrip(",")) if part.strip()]


def _line_items(line: str) -> list[Any] | None:
    """What a line holds if it is JSON; None if it is not."""
    try:
        found = _LENIENT.decode(f"[{line.rstrip(',')}]")
    except (json.JSONDecodeError, RecursionError):
        return None
    return list(found)


def _clean(item: str) -> str:
    item = item.strip().rstrip(",").strip()
    if len(item) > 1 and item[0] == item[-1] == '"' and '"' not in item[1:-1]:
        item = item[1:-1]
    elif item.startswith('"') and item.count('"') == 1:
        item = item[1:]
    return item.replace('\\"', '"').replace("\\n", "\n")
