"""Hooks of MkDocs: pages that are made from the code, and a site that asks no other site.

The pages are made by `sitegen`, which tests call as well. In `mkdocs.yml`, ``<metrics>`` and
``<commands>`` in the navigation stand for the pages of all metrics and commands.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File
from sitegen import commands, included, metrics, records

from bwb.cli import COMMANDS
from bwb.metrics import METRICS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_LOG = logging.getLogger("mkdocs.hooks.bwb")
# What a browser loads by itself when it opens the page.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(https?:)?//[^\"'\s>]+"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preconnect|icon|preload))"
    r"[^>]*\bhref=[\"']?(https?:)?//[^\"'\s>]+",
    re.IGNORECASE,
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the navigation."""
    filled = {
        "<metrics>": [{name: metrics.page_of(name)} for name in METRICS],
        "<commands>": [{name: commands.page_of(name)} for name in COMMANDS],
    }
    config.nav = _filled(config.nav, filled)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    for maker in (metrics, commands, records, included):
        for path, text in maker.pages():
            files.append(File.generated(config, path, content=text))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Warn, which fails a strict build, of anything that a page would load from elsewhere."""
    for found in _LOADED.finditer(output):
        _LOG.warning("%s loads from another site: %s", page.file.src_uri, found[0])
    return output


def _filled(nav: Any, filled: dict[str, list[dict[str, str]]]) -> Any:  # noqa: ANN401 - YAML
    """The navigation with its placeholders replaced, each by the pages it stands for."""
    if not isinstance(nav, list):
        return nav
    out: list[Any] = []
    for item in nav:
        if isinstance(item, str) and item in filled:
            out += filled[item]
        elif isinstance(item, dict):
            out.append({title: _filled(inner, filled) for title, inner in item.items()})
        else:
            out.append(item)
    return out
