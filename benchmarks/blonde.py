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
Sentences = list[list[str]]


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
    return [row.f1 for row in score_systems(documents, outputs, [metric])[0].scores()]


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20, help="default 20")
    parser.add_argument("--no-reference-way", action="store_true", help="leave the slowest out")
    args = parser.parse_args(arguments)
    documents, outputs = make_texts(args.documents)
    texts = [document.en.sentences for document in documents if document.en]
    distinct = list(dict.fromkeys(line for text in texts for line in text))
    distinct += dict.fromkeys(
        line for found in outputs.values() for t in found.values() for line in t
    )
    model = import_module(model_package())
    needed = model.load(exclude=["parser", "senter", "attribute_ruler", "lemmatizer"])
    list(needed.pipe(distinct[:300]))
    list(English().run(distinct[:300]))
    print(
        f"1 + {SYSTEMS} texts of {len(documents)} x {SENTENCES} sentences, {len(distinct)} distinct"
    )

    cpu = time.process_time
    plain, _ = timed(lambda: sum(1 for _ in needed.pipe(distinct)), cpu)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.perf_counter()
        cold, first = timed(lambda: score(documents, outputs, folder / "one"), cpu)
        alone = time.perf_counter() - start
        warm, second = timed(lambda: score(documents, outputs, folder / "one"), cpu)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        both, third = timed(lambda: score(documents, outputs, folder / "two", workers=2))
        size = sum(file.stat().st_size for file in (folder / "one").iterdir())
        same = first == second == third
        analyser = Analyser(English(), cache=folder / "one")
        analyses = dict(zip(distinct, analyser.analyse(distinct), strict=True))
    ours = min(
        timed(lambda: count_ours(analyser, documents, outputs), time.process_time)[0]
        for _ in range(3)
    )
    rows = {
        text: (a.tokens, list(a.tags), [a.entity_text(e) for e in a.entities])
        for text, a in analyses.items()
    }
    lines = [rows[line] for text in texts for line in text]
    naive, _ = timed(
        lambda: [
            count_by_counters(lines, [rows[line] for d in documents for line in found[d.id]])
            for found in outputs.values()
        ],
        cpu,
    )
    scale = 1024 if sys.platform == "darwin" else 1
    print(f"one plain pass of the needed components  {plain:7.2f} s")
    print(f"cold, one process                        {cold:7.2f} s")
    print(
        f"cold, two processes                      {both:7.2f} s   by the clock; one: {alone:.2f}"
    )
    print(f"warm cache                               {warm:7.2f} s   scores the same: {same}")
    print(f"counting, ours                           {ours:7.2f} s   Counters: {naive:.2f} s")
    print(f"ratio: cold / plain pass                 {cold / plain:7.2f}   (target: at most 1.1)")
    print(f"ratio: two processes / one               {both / alone:7.2f}   (target: at most 0.65)")
    print(f"ratio: cold / warm                       {cold / warm:7.1f}   (target: at least 20)")
    print(f"ratio: Counters / ours                   {naive / ours:7.1f}   (target: at least 8)")
    print(f"memory, at most                          {memory / scale:7.0f} MB (target: under 500)")
    print(f"cache                                    {size / len(distinct):7.0f} bytes a sentence")
    if args.no_reference_way:
        return
    theirs = model.load(exclude=["parser", "senter"])

    def reference_way() -> None:
        for found in outputs.values():
            for document, text in zip(documents, texts, strict=True):
                for side in (text, found[document.id]):
                    for _ in theirs.pipe(side):
                        pass

    slow, _ = timed(reference_way, cpu)
    print(f"the reference package's way              {slow + naive:7.2f} s")
    print(
        f"ratio: its way / cold                    {(slow + naive) / cold:7.2f}"
        "   (target: at least 2.4)"
    )


if __name__ == "__main__":
    main()
