"""Metrics of n-grams on 7 systems x 80 documents x 33 sentences, against sacrebleu in the same run.

The texts are made up: words of 1 to 12 letters drawn by Zipf's law, an output being its reference
with a third of the words changed, half of these in the ending only. No two sentences are alike;
dbleu, avgbleu and tbleu find the tokens that bleu made. Seconds of processor time, after start-up.
sacrebleu is given one corpus a system, which is what it is quickest at. tBLEU is compared with the
distances of all pairs of words in each sentence and a matching of all words.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from scipy.optimize import linear_sum_assignment

from bwb.metrics.affix import affix_distance
from bwb.metrics.avgbleu import AvgBleu
from bwb.metrics.bleu import Bleu
from bwb.metrics.chrf import Chrf
from bwb.metrics.dbleu import DBleu
from bwb.metrics.scoring import score_systems
from bwb.metrics.tbleu import TBleu
from bwb.records import Document, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.metrics.base import Metric
    from bwb.metrics.systems import Outputs

SYSTEMS, DOCUMENTS, SENTENCES, WORDS = 7, 80, 33, 20
VOCABULARY = 8000
# Sentences that the naive matching is timed on.
NAIVE = 200


def make_corpus(seed: int = 1) -> tuple[list[Document], Outputs]:
    """Documents and the outputs of them."""
    draw = random.Random(seed)
    letters = "eeeeeetttaaooiinnsshhrrddlluucmwfgypbvk"
    words = ["".join(draw.choices(letters, k=draw.randint(1, 12))) for _ in range(VOCABULARY)]
    weights = [1 / rank for rank in range(1, VOCABULARY + 1)]

    def sentence() -> list[str]:
        return draw.choices(words, weights, k=draw.randint(WORDS // 2, WORDS * 3 // 2))

    def changed(word: str) -> str:
        chance = draw.random()
        if chance < 1 / 6:
            return draw.choice(words)
        return f"{word[:-1]}{draw.choice(['s', 'ed', 'ing'])}" if chance < 1 / 3 else word

    documents = []
    outputs: Outputs = {f"s{k}": {} for k in range(SYSTEMS)}
    for number in range(DOCUMENTS):
        lines = [sentence() for _ in range(SENTENCES)]
        text = tuple(f"{' '.join(line)}." for line in lines)
        documents.append(Document(str(number), "", "", en=Side("en", text)))
        for found in outputs.values():
            found[str(number)] = tuple(f"{' '.join(map(changed, line))}." for line in lines)
    return documents, outputs


def lines_of(document: Document) -> tuple[str, ...]:
    """The reference of a document."""
    return document.en.sentences if document.en else ()


def seconds(what: Callable[[], object]) -> float:
    """Processor time."""
    start = time.process_time()
    what()
    return time.process_time() - start


def naive_matching(documents: list[Document], outputs: Outputs) -> None:
    """Match the words of some sentences by the distances of all pairs."""
    pairs = [
        (one.split(), other.split())
        for document in documents
        for one, other in zip(outputs["s0"][document.id], lines_of(document), strict=True)
    ]
    for words, reference in pairs[:NAIVE]:
        linear_sum_assignment(
            np.array([[affix_distance.__wrapped__(a, b) for b in reference] for a in words])
        )


def main() -> None:
    """Print the table."""
    documents, outputs = make_corpus()
    sentences = SYSTEMS * DOCUMENTS * SENTENCES
    print(
        f"{SYSTEMS} systems x {DOCUMENTS} documents x {SENTENCES} sentences of about {WORDS} words"
    )
    reference = [line for document in documents for line in lines_of(document)]
    systems = [[line for d in documents for line in found[d.id]] for found in outputs.values()]
    whole = [" ".join(lines_of(document)) for document in documents]
    joined = [[" ".join(found[d.id]) for d in documents] for found in outputs.values()]

    def peer(metric: BLEU | CHRF, texts: list[list[str]], against: list[str]) -> float:
        return seconds(lambda: [metric.corpus_score(text, [against]) for text in texts])

    def ours(metric: Metric) -> float:
        def both() -> None:
            for row in score_systems(documents, outputs, [metric]):
                row.scores()

        return seconds(both)

    def alone() -> None:
        metric = BLEU(force=True)
        for text in joined:
            for one, other in zip(text, whole, strict=True):
                metric.corpus_score([one], [[other]])

    total = 0.0
    rows: list[tuple[str, Metric, Callable[[], float]]] = [
        ("bleu", Bleu(), lambda: peer(BLEU(force=True), systems, reference)),
        ("dbleu", DBleu(), lambda: peer(BLEU(force=True), joined, whole)),
        ("avgbleu", AvgBleu(), lambda: seconds(alone)),
        ("chrf", Chrf(), lambda: peer(CHRF(), systems, reference)),
        ("chrf++", Chrf(word_order=2), lambda: peer(CHRF(word_order=2), systems, reference)),
    ]
    for name, metric, other in rows:
        mine, theirs = ours(metric), other()
        total += mine if name != "chrf++" else 0
        print(f"{name:<16} {mine:6.2f} s   sacrebleu {theirs:6.2f} s   ratio {theirs / mine:5.1f}")
    naive = seconds(lambda: naive_matching(documents, outputs)) / NAIVE
    for epsilon in (0.05, 0.5, 1.0):
        mine = ours(TBleu(epsilon=epsilon))
        total += mine if epsilon == 0.05 else 0
        rate = sentences / mine
        print(
            f"tbleu ε = {epsilon:<6} {mine:6.2f} s   {rate:7,.0f} pairs a second   "
            f"all pairs of words: {1 / naive:5,.0f}   ratio {rate * naive:5.1f}"
        )
    print(f"bleu, dbleu, avgbleu, chrf and tbleu together: {total:.2f} s")


if __name__ == "__main__":
    main()
