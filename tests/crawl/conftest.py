"""Text and recipes for the tests of the crawler."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from bwb.annotations.sources import read_documents
from bwb.crawl.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable


def _sentences(lang: str) -> tuple[str, ...]:
    sides = (side for document in read_documents() for side in document.sides)
    return tuple(text for side in sides if side.lang == lang for text in side.sentences)


@pytest.fixture(scope="session")
def chinese() -> tuple[str, ...]:
    """The Chinese sentences of the sample."""
    return _sentences("zh")


@pytest.fixture(scope="session")
def traditional(chinese) -> tuple[str, ...]:
    """The same in traditional characters."""
    from opencc import OpenCC

    convert = OpenCC("s2tw").convert
    return tuple(convert(text) for text in chinese)


@pytest.fixture(scope="session")
def english() -> tuple[str, ...]:
    """The English sentences of the sample."""
    return _sentences("en")


@pytest.fixture(scope="session")
def recipe() -> Callable[..., Recipe]:
    """Makes a recipe out of TOML added to the least there can be."""

    def make(more: str = "", *, lang: str = "zh", links: str = "#list a", body: str = "#content"):
        text = (
            f'name = "mini"\nlang = "{lang}"\nlist.links = ["{links}"]\nchapter.body = ["{body}"]\n'
        )
        return Recipe.model_validate(tomllib.loads(text + more))

    return make
