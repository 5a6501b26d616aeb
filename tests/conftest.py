"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser import browser, browser_page  # noqa: F401 - fixtures for all tests

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Modules with a slow test come first, so that no process works on one at the end, alone."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data by others, which is not ours to ship: tests that read it are skipped without."""
    path = Path(os.environ.get("BWB_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no real data at {path}; set BWB_SHARED_DATA")
    return path
