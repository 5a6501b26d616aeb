"""Pages that are files of the repository: one text, read there and here."""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING

from bwb.assets import asset

if TYPE_CHECKING:
    from collections.abc import Iterator

# Path in the site -> file in the repository.
INCLUDED = {
    "guidelines.md": "annotations/GUIDELINES.md",
    "recipes.md": "crawl/README.md",
    "changes.md": "CHANGELOG.md",
}
_TITLES = {"recipes.md": "Recipes and manifests"}
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def pages() -> Iterator[tuple[str, str]]:
    """Paths and texts of all pages."""
    for path, file in INCLUDED.items():
        text = asset(file).read_text(encoding="utf-8")
        if path in _TITLES:
            text = re.sub(r"\A# .*", f"# {_TITLES[path]}", text)
        yield path, _LINK.sub(partial(_linked, file), text)


def _linked(file: str, found: re.Match[str]) -> str:
    """A link to another file: to its page if it has one, else to its name, as code."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(file), found[1]))
    for path, source in INCLUDED.items():
        if source == target:
            return f"]({path})"
    return f'](index.md "{target} in the repository")'
