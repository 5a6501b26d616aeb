"""A headless browser for pages: what it shows, and what it complains of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM = Path("/usr/bin/chromium")


@dataclass
class BrowserPage:
    """A page.

    Attributes:
        page: The page of playwright.
        complaints: Errors and warnings on its console, and errors of its scripts.
        requests: Addresses it asked for, other than files on this machine and data in the page.
    """

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, path: Path, fragment: str = "") -> Any:
        """Open a file; returns the page of playwright."""
        self.page.goto(path.resolve().as_uri() + fragment)
        return self.page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, launched once a module; the test is skipped where it, or playwright, is not there.

    Not once a session: playwright's event loop would be in the way of other tests' loops.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.is_file():
        pytest.skip(f"no browser at {CHROMIUM}")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def browser_page(browser: Any) -> Iterator[BrowserPage]:
    """A fresh page of 1280 by 900 that records what it complains of and asks for."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = BrowserPage(context.new_page())

    def said(message: Any) -> None:
        if message.type in {"error", "warning"}:
            opened.complaints.append(message.text)

    def asked(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            opened.requests.append(request.url)

    opened.page.on("console", said)
    opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.page.on("request", asked)
    yield opened
    context.close()
