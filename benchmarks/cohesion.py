"""The cohesion metric on 7 systems x 80 documents x 33 sentences, against plain loops.

The documents are made of the sample's sentences, their lines drawn at random; the systems are its
three, repeated. Analyses and vectors of words are made beforehand, as they are kept on disk. The
baseline computes the same measures word by word and pair by pair, on the words that the metric
reads, and both have to come to the same numbers.
"""

from __future__ import annotations

import math
import time
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bwb.align.encoders import make_encoder
from bwb.annotations.assemble import assemble
from bwb.annotations.sources import read_documents
from bwb.metrics.cohesion import MEASURES, Cohesion
from bwb.metrics.grids import LineReader
from bwb.metrics.systems import embedded_outputs
from bwb.records import Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bwb.metrics.grids import Line
    from bwb.records import Document

SYSTEMS, DOCUMENTS, SENTENCES = 7, 80, 33
Outputs = dict[str, dict[str, tuple[str, ...]]]


def make_corpus() -> tuple[list[Document], Outputs]:
    """80 documents of 33 sentences, with the outputs of 7 systems."""
    chapters = list(read_documents())
    known = embedded_outputs(chapters)
    rows = [
        (sentence, *(known[system][chapter.id][number] for system in known))
        for chapter in chapters
        if chapter.en is not None
        for number, sentence in enumerate(chapter.en.sentences)
    ]
    rng = np.random.default_rng(1)
    documents: list[Document] = []
    outputs: Outputs = {f"s{k}": {} for k in range(SYSTEMS)}
    for number in range(DOCUMENTS):
        picked = [rows[i] for i in rng.choice(len(rows), SENTENCES, replace=False)]
        name = f"b/{number}"
        documents.append(
            assemble(name, "b", str(number), None, Side("en", tuple(row[0] for row in picked)))
        )
        for k in range(SYSTEMS):
            outputs[f"s{k}"][name] = tuple(row[1 + k % len(known)] for row in picked)
    return documents, outputs


def places(rows: Sequence[Sequence[str]], word: str) -> list[int]:
    """The lines that a word stands in, once for each time."""
    return [number for number, row in enumerate(rows) for other in row if other == word]


def distinct(rows: Sequence[Sequence[str]]) -> list[str]:
    """The words of a text."""
    return list(dict.fromkeys(word for row in rows for word in row))


class Plain:
    """The measures of variant "paper", by their definitions."""

    def __init__(self, vectors: dict[str, NDArray[np.float32]], threshold: float) -> None:
        """Note the vectors of all words."""
        self.vectors = vectors
        self.threshold = threshold

    def related(self, one: str, other: str) -> bool:
        """Whether two words are related."""
        return float(self.vectors[one] @ self.vectors[other]) > self.threshold

    def graph(self, groups: Sequence[Sequence[int]], size: int) -> float:
        """The sum of the weights of a graph."""
        return math.fsum(
            1 / (j - i)
            for i, j in combinations(range(size), 2)
            if any(i in group and j in group for group in groups)
        )

    def groups(self, nouns: Sequence[str]) -> list[list[str]]:
        """Nouns that are related, directly or through others."""
        found: list[list[str]] = []
        for noun in nouns:
            near = [group for group in found if any(self.related(noun, one) for one in group)]
            found = [group for group in found if group not in near]
            found.append([noun, *(one for group in near for one in group)])
        return found

    def measures(self, lines: Sequence[Line], reference: Sequence[Line]) -> dict[str, float]:
        """Every measure that the metric has; those that are undefined are left out."""
        nouns, content = [line.nouns for line in lines], [line.content for line in lines]
        theirs = [line.nouns for line in reference]
        size, out = len(lines), {}
        words, total = distinct(content), sum(map(len, content))
        repeated = {word for word in words if len(places(content, word)) > 1}
        tied = {w for w in words if any(self.related(w, o) for o in words if o != w)}
        out["rc"] = sum(len(places(content, word)) for word in repeated) / total
        out["lc"] = sum(len(places(content, word)) for word in repeated | tied) / total
        ours = [noun for noun in distinct(nouns) if len(set(places(nouns, noun))) > 1]
        overlaps = []
        for noun in ours:
            one, other = set(places(nouns, noun)), set(places(theirs, noun))
            overlaps.append(len(one & other) / len(other) if len(other) > 1 else 0)
        if ours:
            out["lexical_chain"] = sum(overlaps) / len(ours)
        graph = self.graph([places(nouns, noun) for noun in distinct(nouns)], size)
        out["entity_graph"], out["conn"] = graph / size, graph / size**2
        grouped = [
            [place for noun in group for place in places(nouns, noun)]
            for group in self.groups(distinct(nouns))
        ]
        out["lexical_graph"] = self.graph(grouped, size) / size
        again = [n for noun in distinct(nouns) if (n := len(places(nouns, noun))) > 1]
        if again:
            out["freq"] = sum(again) / len(again)
        return out


def main() -> None:
    """Print the table."""
    documents, outputs = make_corpus()
    print(f"{SYSTEMS} systems x {len(documents)} documents x {SENTENCES} sentences")
    start = time.perf_counter()
    Cohesion().prepare(documents, outputs)
    print(f"analysis, vectors of words               {time.perf_counter() - start:6.2f} s")
    start = time.perf_counter()
    metric = Cohesion()
    metric.prepare(documents, outputs)
    prepared = time.perf_counter() - start
    print(f"  once they are kept                     {prepared:6.2f} s")
    start = time.perf_counter()
    tallies = {}
    for document in documents:
        count = metric.counter(document)
        for system, found in outputs.items():
            tallies[system, document.id] = count(found[document.id])
    ours = time.perf_counter() - start
    print(f"all measures                             {ours:6.2f} s")
    # A few documents are enough to compare with.
    reader = LineReader()
    some = documents[:: DOCUMENTS // 4]
    words = distinct(
        [line.content + line.nouns for d in some for line in reader.read(_texts(d, outputs))]
    )
    vectors = dict(zip(words, make_encoder().encode(words), strict=True))
    plain = Plain(vectors, metric.threshold)
    start = time.perf_counter()
    for document in some:
        reference = reader.read(_texts(document, {}))
        for system, found in outputs.items():
            expected = plain.measures(reader.read(found[document.id]), reference)
            counts = tallies[system, document.id].counts
            got: dict[str, float] = {name: counts[name] for name in MEASURES if name in counts}
            if expected.keys() != got.keys() or any(
                not math.isclose(got[name], value) for name, value in expected.items()
            ):
                raise SystemExit(f"{document.id} {system}: {got} is not {expected}")
    plainly = (time.perf_counter() - start) * len(documents) / len(some)
    print(f"word by word (from {len(some)} documents)          {plainly:6.2f} s")
    print(f"ratio                                    {plainly / (prepared + ours):6.1f}")


def _texts(document: Document, outputs: Outputs) -> list[str]:
    reference = document.en.sentences if document.en is not None else ()
    return [*reference, *(t for found in outputs.values() for t in found[document.id])]


if __name__ == "__main__":
    main()
