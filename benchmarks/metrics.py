"""The quick metrics on 7 systems x 80 documents x 33 sentences, against searching form by form.

The documents are the sample's, their lines repeated to 33; the systems are its three, repeated.
The baseline does for `entity` alone what reference code does: one regular expression a form, on
every sentence of every system and again on the reference for every system.
"""

from __future__ import annotations

import dataclasses
import re
import time

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.annotations.inline_writer import write_inline
from bwb.annotations.sources import read_documents
from bwb.metrics import default_metrics
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import compare
from bwb.records import Document, SystemOutput

SYSTEMS, DOCUMENTS, SENTENCES = 7, 80, 33


def make_corpus() -> list[Document]:
    """80 documents of 33 sentences with 7 outputs each."""
    chapters = list(read_documents())
    made = []
    for number in range(DOCUMENTS):
        chapter = chapters[number % len(chapters)]
        if chapter.zh is None or chapter.en is None:
            continue
        order = [(number + step) % len(chapter.links) for step in range(SENTENCES)]
        # Speech over several lines does not survive a new order of lines: drop the quote tags.
        sides = []
        for side in (chapter.zh, chapter.en):
            lines = [re.sub(r"<Q[^<>]*>|<\\Q>", "", line) for line in write_inline(side)]
            sides.append(read_inline([lines[i] for i in order], side.lang)[0])
        outputs = [chapter.systems[k % len(chapter.systems)] for k in range(SYSTEMS)]
        systems = tuple(
            SystemOutput(f"s{k}", tuple(output.sentences[i] for i in order))
            for k, output in enumerate(outputs)
        )
        name = f"{chapter.book}/{number}"
        document = assemble(name, chapter.book, str(number), *sides)
        made.append(dataclasses.replace(document, systems=systems))
    return made


def naive_entities(documents: list[Document]) -> int:
    """Count entities with one regular expression a form; returns the matches."""
    total = 0
    for document in documents:
        if document.en is None:
            continue
        for output in document.systems:
            for reference, sentence in zip(document.en.sentences, output.sentences, strict=True):
                for entity in document.entities:
                    for form in entity.en:
                        pattern = rf"\b{re.escape(form)}\b"
                        wanted = len(re.findall(pattern, reference, re.IGNORECASE))
                        got = len(re.findall(pattern, sentence, re.IGNORECASE))
                        total += min(wanted, got)
    return total


def main() -> None:
    """Print the table."""
    documents = make_corpus()
    outputs = {f"s{k}": {d.id: d.systems[k].sentences for d in documents} for k in range(SYSTEMS)}
    metrics = default_metrics()
    print(f"{SYSTEMS} systems x {len(documents)} documents x {SENTENCES} sentences")
    start = time.perf_counter()
    scored = score_systems(documents, outputs, metrics)
    for row in scored:
        row.scores()
    quick = time.perf_counter() - start
    print(f"all {len(metrics)} quick metrics              {quick:6.2f} s")
    for metric in metrics:
        start = time.perf_counter()
        score_systems(documents, outputs, [metric])
        print(f"  {metric.name:<30} {time.perf_counter() - start:6.2f} s")
    start = time.perf_counter()
    for row in scored:
        compare(row.metric, row.tallies, "s0")
    print(f"paired bootstrap, 10,000 each    {time.perf_counter() - start:6.2f} s")
    start = time.perf_counter()
    naive_entities(documents)
    naive = time.perf_counter() - start
    print(f"entity by a regex a form         {naive:6.2f} s")
    print(f"ratio: entity by regex / all      {naive / quick:5.1f}")


if __name__ == "__main__":
    main()
