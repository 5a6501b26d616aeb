"""BlonDe on 7 systems, against one plain pass of spaCy and against the reference package's way.

    python benchmarks/blonde.py                  20 documents, a minute or two
    python benchmarks/blonde.py --documents 80   the size that the targets are set for

The text is the sample's own words, put together at random: references of 33 sentences of about 21
words, and systems that change a part of the words. The package's way is timed by doing what it
does: all components but the parser, sentence after the other in a pipe, every text and its
reference again for every system; and counting with a Counter a sentence over its word lists.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.analysis.base import Analyser
from bwb.analysis.english import English, model_package
from bwb.annotations.assemble import assemble
from bwb.annotations.sources import read_documents
from bwb.metrics.blonde import Blonde
from bwb.metrics.blonde_settings import word_lists
from bwb.metrics.scoring import score_systems
from bwb.records import Document, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.metrics.systems import Outputs

SYSTEMS, SENTENCES, WORDS = 7, 33, 21
CPU = time.process_time


def make_texts(documents: int) -> tuple[list[Document], Outputs]:
    """References, and systems that change three words in ten."""
    rng = random.Random(7)
    clauses = [
        clause
        for document in read_documents()
        for sentence in (document.en.sentences if document.en else ())
        for clause in sentence.rstrip(".!?”’").split(", ")
    ]
    words = [word for clause in clauses for word in clause.split()]
    made = []
    outputs: Outputs = {f"s{k}": {} for k in range(SYSTEMS)}
    for number in range(documents):
        lines = [_sentence(rng, clauses) for _ in range(SENTENCES)]
        made.append(assemble(f"b/{number}", "b", str(number), None, Side("en", tuple(lines))))
        for found in outputs.values():
            found[f"b/{number}"] = tuple(_changed(rng, line, words) for line in lines)
    return made, outputs


def _sentence(rng: random.Random, clauses: list[str]) -> str:
    parts: list[str] = []
    while sum(part.count(" ") + 1 for part in parts) < WORDS - 4:
        parts.append(rng.choice(clauses))
    return ", ".join(parts) + "."


def _changed(rng: random.Random, line: str, words: list[str]) -> str:
    return " ".join(rng.choice(words) if rng.random() < 0.3 else word for word in line.split())


def timed(
    work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Seconds, and what came out; work in one process is best timed by `time.process_time`."""
    start = clock()
    result = work()
    return clock() - start, result


def score(
    documents: list[Document], outputs: Outputs, folder: Path, workers: int = 1
) -> list[float | None]:
    """All systems by our BlonDe."""
    metric = Blonde(analyser=Analyser(English(), cache=folder, workers=workers))
    ids = {document.id for document in documents}
    found = {name: {i: text for i, text in of.items() if i in ids} for name, of in outputs.items()}
    return [row.f1 for row in score_systems(documents, found, [metric])[0].scores()]


def count_by_counters(reference: list[Any], system: list[Any]) -> dict[str, int]:
    """Matches of each category, a Counter a sentence and class, over the word lists."""
    lists = word_lists("blonde-0.1.4")
    markers = [" ".join(marker) for marker in lists.markers]
    matched: Counter[str] = Counter()
    for pair in zip(system, reference, strict=True):
        found = []
        for tokens, tags, entities in pair:
            lower = [token.lower() for token in tokens]
            text = f" {' '.join(lower)} "
            row = {
                "tense": Counter({tag: tags.count(tag) for tag in lists.tags}),
                "pronoun": Counter({word: lower.count(word) for word in lists.pronouns}),
                "entity": Counter(entities),
                "dm": Counter({marker: text.count(f" {marker} ") for marker in markers}),
            }
            for n in range(1, 5):
                row[str(n)] = Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
            found.append(row)
        for name in found[0]:
            matched[name] += (found[0][name] & found[1][name]).total()
    return matched


def count_ours(analyser: Analyser, documents: list[Document], outputs: Outputs) -> None:
    """What `score_systems` does when everything is analysed."""
    metric = Blonde(analyser=analyser)
    metric.prepare(documents, outputs)
    for document in documents:
        count = metric.counter(document)
        for found in outputs.values():
            count(found[document.id])


def measure_analysis(documents: list[Document], outputs: Outputs, folder: Path) -> float:
    """Print the ratios of the analysis; returns the seconds of the cold run."""
    needed = load("parser", "senter", "attribute_ruler", "lemmatizer")
    lines = all_lines(documents, outputs)
    list(needed.pipe(lines[:300]))
    list(English().run(lines[:300]))
    plain = cold = alone = 0.0
    seen: set[str] = set()
    # The machine's pace changes from minute to minute: a few documents in turn.
    for at in range(0, len(documents), 4):
        some = documents[at : at + 4]
        distinct = [line for line in all_lines(some, outputs) if line not in seen]
        distinct = list(dict.fromkeys(distinct))
        seen.update(distinct)
        plain += timed(partial(list, needed.pipe(distinct)), CPU)[0]
        start = time.perf_counter()
        cold += timed(partial(score, some, outputs, folder / "0"), CPU)[0]
        alone += time.perf_counter() - start
    distinct = list(seen)
    first = score(documents, outputs, folder / "0")
    warm, second = timed(lambda: score(documents, outputs, folder / "0"), CPU)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    both, third = timed(lambda: score(documents, outputs, folder / "two", workers=2))
    size = sum(file.stat().st_size for file in (folder / "0").iterdir())
    print(f"{len(distinct)} distinct sentences")
    print(f"one plain pass of the needed components  {plain:8.2f} s")
    print(f"cold, one process                        {cold:8.2f} s   by the clock {alone:.2f}")
    print(f"cold, two processes                               by the clock {both:.2f}")
    print(f"warm cache                               {warm:8.2f} s")
    print(f"the scores are the same                  {first == second == third!s:>8}")
    print(f"memory, at most                          {megabytes(peak):8.0f} MB (target: 500)")
    print(f"cache                                    {size / len(distinct):8.0f} bytes a sentence")
    print(f"ratio: cold / plain pass                 {cold / plain:8.2f}   (target: at most 1.1)")
    print(f"ratio: two processes / one               {both / alone:8.2f}   (target: at most 0.65)")
    print(f"ratio: cold / warm                       {cold / warm:8.1f}   (target: at least 20)")
    return cold


def measure_counting(documents: list[Document], outputs: Outputs, folder: Path) -> float:
    """Print the ratio of the counting; returns the seconds of the slow way."""
    analyser = Analyser(English(), cache=folder / "0")
    lines = all_lines(documents, outputs)
    rows = {
        a.text: (a.tokens, list(a.tags), [a.entity_text(e) for e in a.entities])
        for a in analyser.analyse(lines)
    }
    reference = [rows[line] for d in documents if d.en for line in d.en.sentences]

    def naive() -> None:
        for found in outputs.values():
            system = [rows[line] for document in documents for line in found[document.id]]
            count_by_counters(reference, system)

    ours = min(timed(lambda: count_ours(analyser, documents, outputs), CPU)[0] for _ in range(3))
    slow, _ = timed(naive, CPU)
    print(f"counting, ours                           {ours:8.2f} s")
    print(f"counting by a Counter a sentence         {slow:8.2f} s")
    print(f"ratio: Counters / ours                   {slow / ours:8.1f}   (target: at least 8)")
    return slow


def measure_reference_way(documents: list[Document], outputs: Outputs) -> float:
    """Seconds of analysing every text, and its reference again for every system."""
    theirs = load("parser", "senter")

    def work() -> None:
        for found in outputs.values():
            for document in documents:
                for side in (document.en.sentences if document.en else (), found[document.id]):
                    for _ in theirs.pipe(side):
                        pass

    return timed(work, CPU)[0]


def load(*exclude: str) -> Any:  # noqa: ANN401 - a spaCy Language
    """The English model without some of its components."""
    return import_module(model_package()).load(exclude=list(exclude))


def all_lines(documents: list[Document], outputs: Outputs) -> list[str]:
    """Every sentence of every text of these documents."""
    lines = [line for document in documents if document.en for line in document.en.sentences]
    texts = (found[document.id] for found in outputs.values() for document in documents)
    return lines + [line for text in texts for line in text]


def megabytes(peak: int) -> float:
    """What the system reports as a process's greatest size."""
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20, help="default 20")
    parser.add_argument("--no-reference-way", action="store_true", help="leave the slowest out")
    args = parser.parse_args(arguments)
    documents, outputs = make_texts(args.documents)
    print(f"1 + {SYSTEMS} texts of {len(documents)} x {SENTENCES} sentences; CPU seconds")
    with tempfile.TemporaryDirectory() as name:
        cold = measure_analysis(documents, outputs, Path(name))
        counters = measure_counting(documents, outputs, Path(name))
    if not args.no_reference_way:
        slow = measure_reference_way(documents, outputs) + counters
        print(f"the reference package's way              {slow:8.2f} s")
        print(
            f"ratio: its way / cold                    {slow / cold:8.2f}   (target: at least 2.4)"
        )


if __name__ == "__main__":
    main()
