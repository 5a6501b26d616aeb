"""Time of the hybrid aligner against that of encoding each sentence once, and its memory.

Usage: python benchmarks/hybrid.py [DATA.jsonl]   (rows with src and tgt; made-up text without)
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bwb.align.encoders import Cached, Usem3
from bwb.align.hybrid import Hybrid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.align.encoders import Vectors

_HAN = "山水人家门前有风月光中白马过桥来去不见天地春秋老树青石小路长夜灯火"
_LATIN = [
    "stone",
    "river",
    "moon",
    "gate",
    "horse",
    "bridge",
    "night",
    "lamp",
    "wind",
    "road",
    "tree",
    "snow",
    "boat",
    "hill",
    "bell",
    "door",
]


class Known:
    """An encoder that gives pseudo-random vectors: what is left is the aligner."""

    name = "known"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, 512); a text's topic is its first number."""
        rows = np.empty((len(texts), 512), np.float32)
        for k, text in enumerate(texts):
            topic = int("".join(filter(str.isdigit, text)) or 0)
            rows[k] = np.random.default_rng(topic).standard_normal(512)
            rows[k] += 0.8 * np.random.default_rng(zlib.crc32(text.encode())).standard_normal(512)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def made_up(n: int, m: int) -> tuple[list[str], list[str]]:
    """Texts of n and m sentences that translate each other by number."""
    rng = random.Random(1)
    src = [
        "，".join("".join(rng.choices(_HAN, k=9)) for _ in range(3)) + f"{k}。" for k in range(n)
    ]
    tgt = [
        ", ".join(" ".join(rng.choices(_LATIN, k=7)) for _ in range(2)) + f" {k * n // m}."
        for k in range(m)
    ]
    return src, tgt


def megabytes() -> float:
    """Highest resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments: list[str]) -> None:
    """Print the table."""
    if arguments:
        lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
        chapters = [(row["src"], row["tgt"]) for row in map(json.loads, lines)]
    else:
        chapters = [made_up(250, 300) for _ in range(4)]
    sentences = sum(len(src) for src, _ in chapters) / 1000
    encoder = Usem3()
    encoder.encode(["warm"])
    Hybrid(encoder=encoder, cache=False).align(["你好。"], ["Hello."])  # loads the lexicon
    start = time.perf_counter()
    for src, tgt in chapters:
        encoder.encode([*src, *tgt])
    once = (time.perf_counter() - start) / sentences
    with tempfile.TemporaryDirectory() as folder:
        aligner = Hybrid(encoder=Cached(encoder, Path(folder)))
        took = []
        for _ in range(3):
            start = time.perf_counter()
            for src, tgt in chapters:
                aligner.align(src, tgt)
            took.append((time.perf_counter() - start) / sentences)
    print("seconds per 1,000 source sentences")
    print(f"encode each sentence once   {once:6.2f}")
    print(f"hybrid, nothing cached      {took[0]:6.2f}   {took[0] / once:5.2f} times (limit 2.5)")
    print(f"hybrid, vectors cached      {min(took[1:]):6.2f}   (limit 1)")
    before = megabytes()
    for _ in range(20):
        aligner.align(*chapters[0])
    print(f"memory                      {before:6.0f} MB, after 20 more chapters {megabytes():.0f}")
    src, tgt = made_up(5000, 6000)
    start = time.perf_counter()
    Hybrid(encoder=Known()).align(src, tgt)
    took_long = time.perf_counter() - start
    print(f"5,000 x 6,000 sentences     {took_long:6.1f} s, {megabytes():.0f} MB at most")


if __name__ == "__main__":
    main(sys.argv[1:])
