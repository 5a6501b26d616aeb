"""The word lists of the resolver; the words are in `annotations/coreference.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.errors import Finding, FormatError
from bwb.tomlfile import parse_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLES = (
    "names",
    "pronouns",
    "titles",
    "nouns",
    "speech",
    "detection",
    "modifiers",
    "demonyms",
)


@dataclass(frozen=True, slots=True)
class Words:
    """The lists.

    Attributes:
        lists: ``table.key`` → its words.
        salience: Weight of each kind of mention as an antecedent.
        places: Word for the people of a place → the place.
    """

    lists: Mapping[str, frozenset[str]]
    salience: Mapping[str, float]
    places: Mapping[str, str]

    def __getitem__(self, name: str) -> frozenset[str]:
        """The words of a list, such as ``nouns.person``."""
        return self.lists[name]


@cache
def words() -> Words:
    """The lists, read once.

    Raises:
        FormatError: if the file has another table, or a value that is not words.
    """
    path = asset("annotations/coreference.toml")
    body, _ = parse_toml(path)
    weights = body.pop("salience", {})
    lists: dict[str, frozenset[str]] = {}
    for table, entries in body.items():
        if table not in _TABLES or not all(isinstance(text, str) for text in entries.values()):
            message = f"[{table}]; expected one of {', '.join(_TABLES)}, with words in strings"
            raise FormatError(Finding(str(path), 0, 0, "bad-value", message))
        for key, text in entries.items():
            lists[f"{table}.{key}"] = frozenset(text.split())
    places = {
        word: name.removeprefix("demonyms.")
        for name, listed in lists.items()
        if name.startswith("demonyms.")
        for word in listed
    }
    return Words(lists, weights, places)
