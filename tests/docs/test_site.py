"""Hooks: the navigation, and that a page which loads from another site is seen."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from bwb.cli import COMMANDS
from bwb.metrics import METRICS


@pytest.fixture
def hooks(sitegen):
    import hooks

    return hooks


def test_placeholders_become_pages(hooks):
    nav = [{"Metrics": ["a.md", "<metrics>"]}, {"Commands": ["<commands>", {"B": "b.md"}]}]
    config = hooks.on_config(SimpleNamespace(nav=nav))
    metrics, commands = (next(iter(item.values())) for item in config.nav)
    assert metrics == ["a.md", *({name: f"metrics/{name}.md"} for name in METRICS)]
    assert commands == [*({name: f"commands/{name}.md"} for name in COMMANDS), {"B": "b.md"}]


@pytest.mark.parametrize(
    ("html", "warned"),
    [
        ('<script src="https://x.example/a.js"></script>', True),
        ('<link rel="stylesheet" href="//x.example/a.css">', True),
        ('<link href="https://fonts.example" rel=preconnect crossorigin>', True),
        ("<img src='http://x.example/a.png'>", True),
        ('<a href="https://x.example">x</a> <link rel="stylesheet" href="a.css">', False),
        ('<link rel="canonical" href="https://x.example/">', False),
    ],
)
def test_what_would_be_loaded_from_elsewhere_is_seen(hooks, caplog, html, warned):
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    with caplog.at_level(logging.WARNING, "mkdocs.hooks.bwb"):
        assert hooks.on_post_page(html, page, None) == html
    assert bool(caplog.records) is warned
