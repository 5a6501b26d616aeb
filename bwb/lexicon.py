"""Closed word lists; the words themselves are in `annotations/pronouns.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING

from bwb.assets import asset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bwb.records import Lang

# The third person: the four classes that tell gender (BlonDe, section 3.2).
THIRD_PERSON = ("masculine", "feminine", "neuter", "epicene")


@cache
def pronoun_classes(lang: Lang) -> Mapping[str, str]:
    """Each pronoun of a language, in lower case, with the class it belongs to."""
    text = asset("annotations/pronouns.toml").read_text(encoding="utf-8")
    classes: dict[str, list[str]] = tomllib.loads(text)[lang]
    return {word: name for name, words in classes.items() for word in words}


def pronoun_class(text: str, lang: Lang) -> str:
    """Class of a pronoun; ``other`` if it is not in the list (人家, thou …)."""
    return pronoun_classes(lang).get(text.casefold(), "other")
