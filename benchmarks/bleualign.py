"""Is Bleualign fast, and is it still Bleualign?

Aligns with `bwb.align.bleualign` and with a straightforward implementation of the same rules
(below: Counters, dictionaries, a score for every pair of sentences), checks that both give the
same links, and prints seconds per 1,000 source sentences and their ratio, in one process.

    python benchmarks/bleualign.py [--chapters FILE.jsonl] [--sentences 1000] [--repeat 3] [--large]

Both are timed text by text in turn, --repeat times; what is printed are medians.
--chapters: rows with `src` and `tgt`, glossed from Chinese; without it only made-up text is
aligned. --large also aligns 5,000 × 6,000 sentences and prints time and peak memory.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import resource
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bwb.align.bleualign import Bleualign

Run = tuple[int, ...]
Link = tuple[Run, Run, str]
Score = tuple[float, Any, list[int]]
Text = tuple[list[str], list[str], list[str]]  # source, target, translation

_SPLIT = re.compile(r"([!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~ ]|(?<!\d)[.,]|[.,](?!\d)|(?<=\d)-)")
_PRIORS = {
    (1, 0): 0.0099,
    (0, 1): 0.0099,
    (1, 1): 0.89,
    (2, 1): 0.089,
    (1, 2): 0.089,
    (2, 2): 0.011,
}


def tokenize(text: str) -> list[str]:
    """Tokens of a sentence."""
    text = text.lower()
    for entity, mark in (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, mark)
    return [t for t in _SPLIT.split(text.replace("<skipped>", "")) if t and t != " "]


def ngrams(tokens: list[str], orders: int) -> list[Counter[tuple[str, ...]]]:
    """N-gram counts of each order."""
    return [
        Counter(tuple(tokens[i : i + k]) for i in range(len(tokens) - k + 1))
        for k in range(1, orders + 1)
    ]


def score(
    left: int, right: int, a: list[Counter[Any]], b: list[Counter[Any]]
) -> tuple[float, list[int]] | None:
    """The sentence score and the clipped matches; None without a match of the highest order."""
    counts = [sum(min(n, y[g]) for g, n in x.items() if g in y) for x, y in zip(a, b, strict=True)]
    if not counts[-1]:
        return None
    both = []
    for h, t in ((left, right), (right, left)):
        logs = sum(math.log(c / (h - k)) for k, c in enumerate(counts))
        both.append(math.exp(logs / len(counts) + min(0, 1 - t / h)))
    return 2 * both[0] * both[1] / (both[0] + both[1]), counts


def score_all(src: dict[Any, str], tgt: dict[Any, str], orders: int, most: int) -> dict[Any, Any]:
    """The best targets of each source text: (score, target, matches), best first."""
    targets = {j: (len(w := tokenize(text)), ngrams(w, orders)) for j, text in tgt.items()}
    first: dict[Any, Any] = {}
    same = {
        j: first.setdefault(frozenset(g for c in counts for g in c), j)
        for j, (_, counts) in targets.items()
    }
    out: dict[Any, list[Score]] = {}
    for i, text in src.items():
        tokens = tokenize(text)
        counts = ngrams(tokens, orders)
        known: dict[Any, Any] = {}
        found = []
        for j in tgt:
            like = same[j]
            if like not in known:
                known[like] = score(len(tokens), targets[like][0], counts, targets[like][1])
            if known[like]:
                found.append((known[like][0], j, known[like][1]))
        found.sort(key=lambda x: -x[0])
        out[i] = found[:most]
    return out


def path(scores: dict[Any, list[Score]], n: int, m: int) -> list[tuple[int, int]]:
    """The best monotone path of 1-1 links."""
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    move = [[""] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        row = {j: s for s, j, _ in scores[i]}
        for j in range(m):
            value, how = best[i][j + 1], "up"
            if best[i + 1][j] > value:
                value, how = best[i + 1][j], "left"
            if j in row and best[i][j] + row[j] > value:
                value, how = best[i][j] + row[j], "match"
            best[i + 1][j + 1], move[i + 1][j + 1] = value, how
    i, j, out = n, m, []
    while i and j:
        how = move[i][j]
        if how == "match":
            out.append((i - 1, j - 1))
        i, j = i - (how != "left"), j - (how != "up")
    return out[::-1]


def gale_church(left: list[int], right: list[int]) -> list[tuple[Run, Run]]:
    """Gale-Church with probabilities."""
    best: dict[tuple[int, int], tuple[float, int, int]] = {(0, 0): (1.0, 0, 0)}
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            if not (i and j):
                if i or j:
                    best[i, j] = float(i + j == 1), int(i > 0), int(j > 0)
                continue
            cells = []
            for (a, b), prior in _PRIORS.items():
                if a <= i and b <= j:
                    l1, l2 = sum(left[i - a : i]), sum(right[j - b : j])
                    mean = (l1 + l2) / 2
                    delta = abs(l2 - l1) / math.sqrt(mean * 6.8) if mean else math.inf
                    p = math.erfc(delta / math.sqrt(2))
                    cells.append((best[i - a, j - b][0] * p * prior, a, b))
            best[i, j] = max(cells)
    i, j, out = len(left), len(right), []
    while i or j:
        _, a, b = best[i, j]
        if a and b:
            out.append((tuple(range(i - a, i)), tuple(range(j - b, j))))
        i, j = i - a, j - b
    return out[::-1]


class Gap:
    """A gap between two anchors, in the words of the rules."""

    def __init__(self, naive: Naive, pre: list[Any], post: list[Any], gap: list[list[int]]) -> None:
        """Score all candidates of both sides."""
        self.naive, self.pre, self.post, self.gap = naive, pre, post, gap
        self.scores: dict[Run, list[Score]] = {}
        if gap[0] or gap[1]:
            sides = [self._candidates(k) for k in (0, 1)]
            self.scores = score_all(sides[0], sides[1], naive.orders, naive.most)

    def _candidates(self, side: int) -> dict[Run, str]:
        near, gap = 10 + self.naive.merge, self.gap[side]
        inner = [g for k, g in enumerate(gap) if k < near or k >= len(gap) - near]
        base = [r for r in (self.pre[side], *((g,) for g in inner), self.post[side]) if r]
        runs = list(base)
        for size in range(2, self.naive.merge + 1):
            for at in range(len(base) - size + 1):
                runs.append(tuple(x for part in base[at : at + size] for x in part))
        return {run: " ".join(self.naive.texts[side][x] for x in run) for run in runs}

    def best(self, run: Run) -> Score | None:
        """The best target of a source run."""
        return next(iter(self.scores.get(run, [])), None)

    def grow_source(self) -> bool:
        """Step 1."""
        gap = self.gap[0]
        for pair, first in ((self.pre, True), (self.post, False)):
            if not gap or not pair[0]:
                continue
            run = (*pair[0], gap[0]) if first else (gap[-1], *pair[0])
            new, old = self.best(run), self.best(pair[0])
            if new and new[1] == pair[1] and (not old or (new[0] > old[0] and new[2] > old[2])):
                pair[0], pair[2] = run, "GAPFILLER"
                gap.pop(0 if first else -1)
                return True
        return False

    def grow_target(self) -> bool:
        """Step 2."""
        for pair in (self.pre, self.post):
            best = self.best(pair[0]) if self.gap[1] and pair[0] else None
            if best and best[1] not in (self.pre[1], self.post[1]):
                pair[1], pair[2] = best[1], "GAPFILLER"
                self.gap[1] = [j for j in self.gap[1] if j not in best[1]]
                return True
        return False

    def run(self, out: list[Link]) -> None:
        """All steps."""
        while self.gap[0] or self.gap[1]:
            if self.naive.merge > 1 and (self.grow_source() or self.grow_target()):
                continue
            src, tgt = self.gap
            if not src or not tgt:
                break
            best = self.best((src[0],))
            if best and best[1] == (tgt[0],):
                out.append((self.pre[0], self.pre[1], self.pre[2]))
                self.pre = [(src.pop(0),), (tgt.pop(0),), "GAPFILLER"]
                continue
            small, large = sorted((len(src), len(tgt)))
            if large < 4 or large < 2 * small:
                out.append((self.pre[0], self.pre[1], self.pre[2]))
                texts = self.naive.texts
                lengths = [[len(texts[k][x].strip()) for x in self.gap[k]] for k in (0, 1)]
                for a, b in gale_church(*lengths):
                    run = tuple(src[x] for x in a), tuple(tgt[x] for x in b)
                    out.append((*run, "GALECHURCH"))
                return
            break
        out.append((self.pre[0], self.pre[1], self.pre[2]))


class Naive:
    """Bleualign, written down as its rules are."""

    def __init__(self, orders: int = 2, most: int = 3, merge: int = 2) -> None:
        """Keep the settings."""
        self.orders, self.most, self.merge = orders, most, merge
        self.texts: tuple[list[str], list[str]] = ([], [])

    def align(self, translation: list[str], tgt: list[str]) -> list[Link]:
        """The links."""
        self.texts = translation, tgt
        scores = score_all(
            dict(enumerate(translation)), dict(enumerate(tgt)), self.orders, self.most
        )
        out: list[Link] = []
        pre: list[Any] = [(), (), "BLEU"]
        ends = len(translation), len(tgt)
        for anchor in [*path(scores, *ends), None]:
            post: list[Any] = [(anchor[0],), (anchor[1],), "BLEU"] if anchor else [(), (), "BLEU"]
            start = (pre[0][-1] + 1, pre[1][-1] + 1) if pre[0] else (0, 0)
            gap = [list(range(a, b)) for a, b in zip(start, anchor or ends, strict=True)]
            Gap(self, pre, post, gap).run(out)
            pre = post
        return [link for link in out if link[0] and link[1]]


def made_up(sentences: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """A translation with two words in five wrong, and a target with split and added sentences."""
    rng = random.Random(seed)
    words = [f"w{k}" for k in range(20_000)]
    weights = [1 / (k + 3) for k in range(len(words))]
    src, tgt = [], []
    for _ in range(sentences):
        right = rng.choices(words, weights, k=rng.randint(4, 35))
        wrong = [x if rng.random() < 0.6 else rng.choice(words) for x in right]
        src.append(" ".join(wrong) + " .")
        half = len(right) // 2 if rng.random() < 0.2 else len(right)
        tgt += [" ".join(part) + " ." for part in (right[:half], right[half:]) if part]
        if rng.random() < 0.03:
            tgt.append(" ".join(rng.choices(words, weights, k=9)) + " .")
    return src, tgt


def compare(name: str, texts: list[Text], repeat: int, **options: Any) -> None:  # noqa: ANN401 - those of Bleualign
    """Time both on texts, and print a line."""
    ours = Bleualign(compat=True, **options)
    naive = Naive(ours.ngrams, ours.maxalternatives, ours.Nto1)
    total = sum(len(src) for src, _, _ in texts)
    src, tgt, translation = texts[0]
    ours.raw(src[:20], tgt[:20], [translation[:20]])  # imports
    rates: list[tuple[float, float]] = []
    same = True
    for _ in range(repeat):
        spent = [0.0, 0.0]
        for src, tgt, translation in texts:
            start = time.process_time()
            fast = ours.raw(src, tgt, [translation])[0]
            middle = time.process_time()
            slow = naive.align(translation, tgt)
            spent = [spent[0] + middle - start, spent[1] + time.process_time() - middle]
            same &= {(x.src, x.tgt, x.method) for x in fast} == set(slow)
        rates.append((spent[1] / total * 1000, spent[0] / total * 1000))
    slow_rate, fast_rate = (statistics.median(x) for x in zip(*rates, strict=True))
    ratio = statistics.median(slow / fast for slow, fast in rates)
    print(
        f"{name:<34} {slow_rate:8.3f} {fast_rate:8.3f} {ratio:8.1f}"
        f"   {'same links' if same else 'DIFFERENT LINKS'}"
    )
    if not same:
        raise SystemExit(1)


def joint(name: str, texts: list[Text], repeat: int) -> None:
    """Time the default, which has no counterpart, and print a line."""
    ours = Bleualign()
    total = sum(len(src) for src, _, _ in texts)
    spent = []
    for _ in range(repeat):
        start = time.process_time()
        for src, tgt, translation in texts:
            ours.align(src, tgt, [translation])
        spent.append(time.process_time() - start)
    print(f"{name:<34} {'':>8} {statistics.median(spent) / total * 1000:8.3f}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--chapters", type=Path)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    most = {"ngrams": 1, "maxalternatives": 1000, "Nto1": 4}
    src, tgt = made_up(args.sentences)
    sets: dict[str, list[Text]] = {f"made up, {len(src)} × {len(tgt)}": [(src, tgt, src)]}
    if args.chapters:
        from bwb.align.translators import Gloss

        rows = [json.loads(line) for line in args.chapters.read_text("utf-8").splitlines()]
        texts = [(row["src"], row["tgt"], Gloss().translate(row["src"])) for row in rows]
        sets[f"{args.chapters.stem}, {len(texts)} chapters"] = texts
    print(f"{'seconds per 1,000 source sentences':<34} {'naive':>8} {'bwb':>8} {'ratio':>8}")
    for name, texts in sets.items():
        compare(name, texts, args.repeat)
        compare("  1-grams, 1000 alternatives, 4to1", texts, args.repeat, **most)
        joint("  default (joint)", texts, args.repeat)
    if args.large:
        src, tgt = made_up(5000)
        for options in ({"compat": True}, {}):
            start = time.perf_counter()
            Bleualign(**options).align(src, tgt, [src])  # type: ignore[arg-type]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            peak //= 2**20 if sys.platform == "darwin" else 2**10
            seconds = time.perf_counter() - start
            print(f"{len(src)} × {len(tgt)} {options or 'default'}: {seconds:.1f} s, {peak} MB")


if __name__ == "__main__":
    main()
