"""The page of `bwb view`: its size, and how long making and using it takes.

A browser tells after how long it can be used, and after how long another document is shown. The
documents are those of the sample, again and again under other names, and the systems its three.

    python benchmarks/view.py [--documents 80] [--systems 7] [--tense]
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.annotations.sources import read_documents
from bwb.report.view import write_view

if TYPE_CHECKING:
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

_CHROMIUM = "/usr/bin/chromium"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=80)
    parser.add_argument("--systems", type=int, default=7)
    parser.add_argument("--tense", action="store_true")
    args = parser.parse_args()
    documents, outputs = make(args.documents, args.systems)
    lines = sum(len(document.links) for document in documents)
    print(f"{len(documents)} documents, {lines} lines, {len(outputs)} systems")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        start = time.perf_counter()
        size = write_view(path, documents, outputs, analyser=_analyser() if args.tense else None)
        print(f"made in {time.perf_counter() - start:.1f} s, {size / 1e6:.1f} MB")
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            print("playwright is not installed: nothing opened")
            return
        with sync_playwright() as running:
            browser = running.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(path.as_uri())
            page.wait_for_selector("#row-0")
            ready = page.evaluate(
                "performance.timing.domInteractive - performance.timing.fetchStart"
            )
            print(f"can be used after {ready / 1000:.2f} s")
            took = page.evaluate(
                """() => { const start = performance.now();
                document.querySelector("#doc-next").click();
                document.body.offsetHeight; return performance.now() - start; }"""
            )
            print(f"another document after {took / 1000:.2f} s")
            browser.close()


def make(number: int, systems: int) -> tuple[list[Document], Outputs]:
    """Copies of the sample's documents under other names, and of its systems."""
    sample = list(read_documents())
    documents: list[Document] = []
    outputs: Outputs = {f"system {system + 1}": {} for system in range(systems)}
    for copy in range(number):
        source = sample[copy % len(sample)]
        name = f"{source.book}-{copy}/{source.chapter}"
        documents.append(
            dataclasses.replace(source, id=name, book=f"{source.book}-{copy}", systems=())
        )
        for system, found in enumerate(outputs.values()):
            found[name] = source.systems[system % len(source.systems)].sentences
    return documents, outputs


def _analyser() -> Any:  # noqa: ANN401 - an Analyser
    from bwb.analysis.english import english

    return english()


if __name__ == "__main__":
    main()
