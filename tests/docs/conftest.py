"""The makers of the site's pages, which lie beside the pages and not in the package."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(scope="session", autouse=True)
def sitegen(repository):
    """Make `sitegen` importable, as MkDocs does for hooks."""
    folder = str(repository / "docs")
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)


@pytest.fixture(scope="session")
def pages(sitegen):
    """All pages that are made: path -> text."""
    from sitegen import commands, included, metrics, records

    return dict(page for maker in (metrics, commands, records, included) for page in maker.pages())
