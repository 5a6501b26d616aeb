"""The annotated documents of a corpus as one page: sides, chains, systems and what they get wrong.

The page is one file that needs no network: text, script and style lie in it, and a policy in its
head forbids everything else. `write_view` makes it, `bwb view` calls that.

Links into a page
    ``page.html#doc=ID&line=12&chain=3&system=NAME`` opens the document ID at line 12 (counted from
    1 in the English side, or in the side there is), follows the chain of entity 3, and shows the
    system NAME. Every part may be left out; values are percent-encoded. `fragment` makes one.

What is marked as missing or wrong is what the metrics miss; see `bwb.report.view_problems`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bwb.errors import InputError
from bwb.metrics.entity import Entity
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation
from bwb.metrics.scoring import score_systems
from bwb.metrics.systems import embedded_outputs
from bwb.metrics.terminology import Terminology
from bwb.metrics.zero_pronoun import ZeroPronoun
from bwb.report.view_data import document_data
from bwb.report.view_problems import KINDS
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.analysis.base import Analyser
    from bwb.metrics.systems import Outputs
    from bwb.records import Document
    from bwb.report.view_data import Misses

_HERE = Path(__file__).parent
# What the last one starts needs the others.
_SCRIPTS = ("view_text.js", "view_panels.js", "view.js", "view_start.js")
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_view(
    path: Path,
    documents: Sequence[Document],
    outputs: Outputs | None = None,
    *,
    title: str = "bwb",
    analyser: Analyser | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a page; arguments and errors as for `view_page`.

    Returns:
        Its size in bytes.
    """
    page = view_page(documents, outputs, title=title, analyser=analyser, progress=progress)
    with replacing(path) as file:
        file.write(page)
    return path.stat().st_size


def view_page(
    documents: Sequence[Document],
    outputs: Outputs | None = None,
    *,
    title: str = "bwb",
    analyser: Analyser | None = None,
    progress: Callable[[int], object] | None = None,
) -> str:
    """The page as text.

    Args:
        documents: What to show, in this order.
        outputs: System → document id → sentences; those that the documents carry by default.
        title: Title of the page.
        analyser: Tells the tense of verbs; None leaves tense out.
        progress: Called with 1 after each document.

    Raises:
        InputError: if there are no documents; or if systems do not fit the documents, whose
            sides then have to correspond line by line.
    """
    if not documents:
        raise InputError("there are no documents to show")
    if outputs is None:
        outputs = embedded_outputs(documents)
    misses = _misses(documents, outputs)
    bodies, index, by_hand = [], [], False
    for document in documents:
        sentences = {system: found[document.id] for system, found in outputs.items()}
        body = document_data(document, sentences, misses[document.id], analyser)
        bodies.append(_json(body))
        by_hand = by_hand or any(cell[2] for row in body["rows"] for cell in row["s"])
        index.append(
            {
                "id": document.id,
                "titles": body["titles"],
                "rows": len(body["rows"]),
                "looked": body["looked"],
                "counts": body["counts"],
            }
        )
        if progress is not None:
            progress(1)
    kinds = {letter: said for letter, (_, said) in KINDS.items()}
    head = {"systems": list(outputs), "kinds": kinds, "hands": by_hand, "documents": index}
    return _render(title, _json(head), bodies)


def fragment(
    document: str, line: int | None = None, chain: str | None = None, system: str | None = None
) -> str:
    """What to put behind a page's name to open it at a place; see the module.

    Args:
        document: Id of the document.
        line: Line, from 1.
        chain: Id of an entity.
        system: Name of a system.
    """
    parts = {"doc": document, "line": line, "chain": chain, "system": system}
    given = [f"{name}={quote(str(v), safe='/')}" for name, v in parts.items() if v is not None]
    return "#" + "&".join(given)


def _misses(documents: Sequence[Document], outputs: Outputs) -> dict[str, Misses]:
    """Document → system → metric → what the metric misses."""
    found: dict[str, Misses] = {d.id: {system: {} for system in outputs} for d in documents}
    if not outputs:
        return found
    every = (Entity(), Terminology(), Pronoun(), ZeroPronoun(), Quotation())
    fit = [m for m in every if any(m.lacks(document) is None for document in documents)]
    for row in score_systems(documents, outputs, fit):
        for system, tallies in row.tallies.items():
            for name, tally in zip(row.documents, tallies, strict=True):
                found[name][system][row.metric.name] = tally.misses
    return found


def _json(body: dict[str, Any]) -> str:
    """JSON that may stand in a script element: nothing in it ends the element or opens another."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    text = _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.replace("<", "\\u003c")


def _render(title: str, head: str, bodies: Sequence[str]) -> str:
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    style = (_HERE / "view.css").read_text(encoding="utf-8")
    script = '"use strict";\n' + "".join(
        (_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS
    )
    page: str = environment.get_template("view.jinja").render(
        title=_SURROGATE.sub("\ufffd", title),
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        head=head,
        bodies=bodies,
    )
    return page + "\n"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
