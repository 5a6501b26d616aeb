"""A page for each metric, and one for the definitions they share: what `bwb metrics NAME` prints.

The docstring of a metric's module says how it is computed; the attributes of its class say the
rest. The modules that such docstrings name in backticks are explained on the shared page.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bwb.metrics import METRICS
from bwb.metrics.base import COSTS
from sitegen.text import cell, escape, fence, inline, markdown, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bwb.metrics.base import Metric

SHARED = "metrics/definitions.md"
# Packages whose modules define something that a score depends on.
_DEFINING = ("bwb.metrics.", "bwb.coref.", "bwb.corefscores", "bwb.judge.")
_NAMED = re.compile(r"`(bwb(?:\.\w+)+)`")
# What a metric asks of the data, in words.
_NEEDS = {
    "reference": "a reference",
    "source": "the source",
    "entity": "annotated entities",
    "terminology": "annotated terms",
    "coreference": "annotated coreference",
    "quotation": "annotated quotations",
}


def page_of(name: str) -> str:
    """Path of a metric's page within the site."""
    return f"metrics/{name}.md"


@cache
def metrics() -> dict[str, Metric]:
    """One of each metric, with its default choices."""
    return {name: make() for name, make in METRICS.items()}


def pages() -> Iterator[tuple[str, str]]:
    """Paths and texts of all pages."""
    for name, metric in metrics().items():
        yield page_of(name), page(metric)
    yield "metrics/all.md", listing()
    yield SHARED, definitions()


def page(metric: Metric) -> str:
    """The page of a metric."""
    lead = f"# {metric.name}\n\n{inline(_sentence(metric.title))}\n{{ .lead }}"
    parts = [lead, _facts(metric), "## How it is computed"]
    parts.append(markdown(explanation(metric), link))
    if arguments := _arguments(type(metric)):
        parts += ["## Choices", _choices(metric, arguments)]
    elif metric.options():
        parts += ["## Choices", _defaults(metric)]
    parts += ["## Using it", _use(metric)]
    return "\n\n".join(parts) + "\n"


def listing() -> str:
    """The table of all metrics."""
    rows = [
        [
            f"[{escape(name)}]({name}.md)",
            cell(metric.title),
            ", ".join(_NEEDS.get(need, need) for need in metric.needs),
            metric.cost,
            cell(metric.paper),
        ]
        for name, metric in metrics().items()
    ]
    header = ["metric", "what it counts", "needs", "cost", "source"]
    cost = [f"**{name}**: {escape(text)}." for name, text in COSTS.items()]
    return "\n\n".join(
        [
            "# All metrics",
            "What `bwb metrics` lists. Each has a page, which is what `bwb metrics NAME` prints.",
            table(header, rows),
            "What it costs: " + " ".join(cost),
        ]
    )


def definitions() -> str:
    """The page of what several metrics share."""
    parts = [
        "# Shared definitions",
        "What the pages of the metrics refer to. Each part is the docstring of the module it is "
        "named after.",
    ]
    for module in shared_modules():
        parts += [f"## {escape(module)} {{ #{_anchor(module)} }}", markdown(_doc(module), link)]
    return "\n\n".join(parts) + "\n"


@cache
def shared_modules() -> tuple[str, ...]:
    """Modules that the docstrings of metrics name, and those that these name, in that order."""
    own = _homes()
    found: dict[str, None] = {}
    waiting = list(own)
    while waiting:
        for name in _NAMED.findall(_doc(waiting.pop(0))):
            module = _module(name)
            if (
                module
                and module.startswith(_DEFINING)
                and module not in own
                and module not in found
            ):
                found[module] = None
                waiting.append(module)
    return tuple(found)


def link(name: str) -> str | None:
    """Address of what a docstring names, from a page beside the metrics'; None if none."""
    from sitegen.records import PAGE, anchors

    module = _module(name) if name.startswith("bwb.") else None
    if module in _homes():
        return f"{_homes()[module]}.md"
    if module in shared_modules():
        return f"definitions.md#{_anchor(module)}"
    if module == "bwb.records":
        last = name.rpartition(".")[2]
        return f"../{PAGE}#{last.lower()}" if last in anchors() else f"../{PAGE}"
    return None


def explanation(metric: Metric) -> str:
    """How a metric is computed, as `bwb metrics NAME` prints it."""
    return _doc(type(metric).__module__)


@cache
def _homes() -> dict[str, str]:
    """Module -> the metric that is explained there; of several, the first."""
    homes: dict[str, str] = {}
    for name, metric in metrics().items():
        homes.setdefault(type(metric).__module__, name)
    return homes


def _doc(module: str) -> str:
    if module not in sys.modules:
        import_module(module)
    return inspect.getdoc(sys.modules[module]) or ""


def _module(name: str) -> str | None:
    """The module that a dotted name is, or is in; None if there is none."""
    while "." in name:
        try:
            if find_spec(name) is not None:
                return name
        except ModuleNotFoundError:
            pass
        name = name.rpartition(".")[0]
    return None


def _anchor(module: str) -> str:
    return module.replace(".", "-").replace("_", "-")


def _facts(metric: Metric) -> str:
    needs = ", ".join(_NEEDS.get(need, need) for need in metric.needs)
    direction = "higher is better" if metric.higher_is_better else "lower is better"
    rows = [
        ["Source", cell(metric.paper)],
        ["Needs", needs or "nothing but outputs"],
        ["Counted by", metric.unit],
        ["Direction", direction],
        ["Cost", escape(COSTS.get(metric.cost, metric.cost))],
        ["Runs", "when it is asked for by name" if metric.expensive else "unless others are named"],
        [
            "To bring first",
            cell(metric.download) if metric.download else "nothing; it works offline",
        ],
    ]
    items = [f"{name}\n:   {text}" for name, text in rows]
    return '<div class="facts" markdown>\n\n' + "\n\n".join(items) + "\n\n</div>"


def _arguments(made: type[Metric]) -> dict[str, str]:
    """The arguments that the docstring of a class describes, by name."""
    text = inspect.getdoc(made) or ""
    found = re.search(r"^Args:\n((?: {4}.*\n?|\n)+)", text, re.MULTILINE)
    arguments: dict[str, str] = {}
    for line in found[1].split("\n") if found else ():
        if head := re.match(r" {4}(\*{0,2}\w+): (.*)", line):
            last = head[1]
            arguments[last] = head[2]
        elif line.strip() and arguments:
            arguments[last] += f" {line.strip()}"
    return arguments


def _choices(metric: Metric, arguments: dict[str, str]) -> str:
    made = type(metric)
    rows = [[f"`{name}`", cell(text, link)] for name, text in arguments.items()]
    said = f"Arguments of `{made.__module__}.{made.__qualname__}`:"
    parts = [said, table(["argument", "what it is"], rows)]
    if metric.options():
        parts.append(_defaults(metric))
    return "\n\n".join(parts)


def _defaults(metric: Metric) -> str:
    options = "|".join(f"{name}:{value}" for name, value in metric.options().items())
    return f"In the signature, with the defaults: `{options}`."


def _use(metric: Metric) -> str:
    parts = [fence(f"bwb score --metrics {metric.name}", "bash")]
    if metric.classes:
        shown = metric.classes[:12]
        names = ", ".join(f"`{name}`" for name in shown)
        more = f" and {len(metric.classes) - len(shown)} more" * (len(metric.classes) > len(shown))
        example = fence(
            f"bwb compare --metrics {metric.name} --of {metric.classes[0]}.{metric.shown}", "bash"
        )
        parts += [f"Classes: {names}{more}. Any score of a class can be compared:", example]
    return "\n\n".join(parts)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
