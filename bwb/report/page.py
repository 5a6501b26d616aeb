"""A page of a report: templates, style and script put together into one file without a network."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from bwb import __version__
from bwb.report.plots import PALETTE

_HERE = Path(__file__).parent
# One for each marker of `bwb.report.plots`.
SIGNS = "●■▲◆▼✚✖★"
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(template: str, **values: Any) -> str:  # noqa: ANN401 - what templates take
    """A page.

    Args:
        template: Name of a template beside this module; it extends ``page.jinja``.
        **values: What the template takes. All text is escaped.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"sign": lambda place: SIGNS[place % len(SIGNS)], "svg": Markup}
    style = (_HERE / "page.css").read_text(encoding="utf-8") + _colours()
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    page = environment.get_template(template).render(
        **values,
        # Our own text; the hashes let the browser run no other script.
        style=Markup(style),
        script=Markup(script),
        script_hash=_hash(script),
        version=__version__,
    )
    return _SURROGATE.sub("\ufffd", page)


def _colours() -> str:
    """A class a colour of the palette, for the signs of systems."""
    rules = [
        f".s{place}{{color:{colour}}}.edge{place}{{border-top-color:{colour}}}"
        for place, colour in enumerate(PALETTE)
    ]
    return "".join(rules) + "\n"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
