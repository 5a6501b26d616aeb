"""Pairing of chapters under slips: the share of chapters paired right; pairs a second of one core.

Usage: python benchmarks/pairing.py [MAC.jsonl …] [--rounds N] [--fit]

Chapters are those of the sample corpus, and parts (halves, quarters, sixths) of those in the files
given (rows with src, tgt and gold), so that neighbours share names and subject. Each kind of slip
is made at a random place; a chapter is right if it is in exactly the group it should be in, or left
over if it should be. Columns: by index alone; by number alone and by us, where titles keep their
numbers; by us, where the site numbers its chapters anew after the slip.

--fit prints weights for align/chapters.toml, and how they do on books left out of fitting.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from bwb.align.chapterscore import FEATURES, ChapterSimilarity
from bwb.align.goldset import strip
from bwb.assets import sample
from bwb.clean.filters import load_filters
from bwb.clean.pairing import pair_chapters
from bwb.clean.text import Text
from bwb.records import Chapter, Lang
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Bead = tuple[list[str], list[str]]
Cell = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Item:
    """A chapter of one list: its sentences, number, and which parts of which true chapter it is."""

    sentences: tuple[str, ...]
    number: int
    true: tuple[tuple[int, int], ...]  # (chapter, half 0 or 1); none if it has no counterpart


Side = list[Item]
Slip = Callable[[Side, Side, random.Random, Item], None]


def sides(chapters: Sequence[list[Bead]]) -> tuple[Side, Side]:
    """A book's two lists, without a slip."""
    out: tuple[Side, Side] = ([], [])
    for number, beads in enumerate(chapters):
        for k in (0, 1):
            text = tuple(s for bead in beads for s in bead[k])
            out[k].append(Item(text, number + 1, ((number, 0), (number, 1))))
    return out


def _drop(side: Side, rng: random.Random) -> None:
    del side[rng.randrange(len(side))]


def _double(side: Side, rng: random.Random) -> None:
    at = rng.randrange(len(side))
    side.insert(at + 1, replace(side[at], true=()))


def _split(side: Side, rng: random.Random) -> None:
    at = rng.randrange(len(side))
    item = side[at]
    cut = round(len(item.sentences) * rng.uniform(0.35, 0.65))
    halves = [replace(item, sentences=item.sentences[:cut], true=item.true[:1])]
    halves.append(replace(item, sentences=item.sentences[cut:], true=item.true[1:]))
    side[at : at + 1] = halves


def _merge(side: Side, rng: random.Random) -> None:
    at = rng.randrange(len(side) - 1)
    a, b = side[at : at + 2]
    side[at : at + 2] = [replace(a, sentences=a.sentences + b.sentences, true=a.true + b.true)]


def _swap(side: Side, rng: random.Random, other: Item) -> None:
    at = rng.randrange(len(side))
    side[at] = replace(side[at], sentences=other.sentences, true=())


def _insert(side: Side, rng: random.Random, other: Item) -> None:
    side.insert(rng.randrange(len(side) + 1), replace(other, number=0, true=()))


def _misnumber(side: Side, rng: random.Random) -> None:
    at = rng.randrange(len(side))
    side[at] = replace(side[at], number=rng.randrange(1, len(side) + 1))


def _renumber(side: Side, rng: random.Random) -> None:
    at = rng.randrange(len(side))
    side[at:] = [replace(item, number=item.number + 1) for item in side[at:]]


SLIPS: dict[str, Slip] = {
    "none": lambda zh, en, rng, other: None,
    "missing zh": lambda zh, en, rng, other: _drop(zh, rng),
    "missing en": lambda zh, en, rng, other: _drop(en, rng),
    "doubled zh": lambda zh, en, rng, other: _double(zh, rng),
    "doubled en": lambda zh, en, rng, other: _double(en, rng),
    "split zh": lambda zh, en, rng, other: _split(zh, rng),
    "split en": lambda zh, en, rng, other: _split(en, rng),
    "merged zh": lambda zh, en, rng, other: _merge(zh, rng),
    "merged en": lambda zh, en, rng, other: _merge(en, rng),
    "foreign in place": lambda zh, en, rng, other: _swap(en, rng, other),
    "foreign added": lambda zh, en, rng, other: _insert(en, rng, other),
    "wrong language": lambda zh, en, rng, other: _insert(zh, rng, en[0]),
    "wrong number": lambda zh, en, rng, other: _misnumber(en, rng),
    "numbers shifted": lambda zh, en, rng, other: _renumber(en, rng),
}


def several(zh: Side, en: Side, rng: random.Random, other: Item) -> None:
    """A slip for every eight chapters, at random."""
    for _ in range(max(2, len(zh) // 8)):
        kind = rng.choice(["missing zh", "missing en", "doubled en", "foreign added"])
        SLIPS[kind](zh, en, rng, other)


def truth(zh: Side, en: Side) -> set[Cell]:
    """The groups, and each left-over chapter as a group of its own."""
    groups: list[tuple[set[tuple[int, int]], set[tuple[int, int]]]] = []
    for k, side in enumerate((zh, en)):
        for at, item in enumerate(side):
            parts, members = set(item.true), {(k, at)}
            for group in [g for g in groups if g[0] & parts]:
                groups.remove(group)
                parts |= group[0]
                members |= group[1]
            groups.append((parts, members))
    return {
        (tuple(sorted(a for k, a in m if k == 0)), tuple(sorted(b for k, b in m if k == 1)))
        for _, m in groups
    }


def right(found: set[Cell], true: set[Cell]) -> float:
    """Share of chapters, of both sides, that are in the group they should be in."""
    total = sum(len(a) + len(b) for a, b in true)
    return sum(len(a) + len(b) for a, b in found & true) / total


def texts(side: Side, lang: Lang, *, anew: bool) -> list[Text]:
    """The list as the pairing wants it."""
    out = []
    for at, item in enumerate(side):
        number = at + 1 if anew else item.number or None
        chapter = Chapter("book", str(at + 1), lang, "", item.sentences, number=number)
        out.append(Text(chapter, item.sentences))
    return out


def by_index(zh: Side, en: Side) -> set[Cell]:
    """Chapters of equal index."""
    least = min(len(zh), len(en))
    cells: set[Cell] = {((k,), (k,)) for k in range(least)}
    cells |= {((k,), ()) for k in range(least, len(zh))}
    return cells | {((), (k,)) for k in range(least, len(en))}


def by_number(zh: Side, en: Side) -> set[Cell]:
    """Chapters of equal number; the first of several."""
    left = {item.number: k for k, item in reversed(list(enumerate(zh)))}
    right = {item.number: k for k, item in reversed(list(enumerate(en)))}
    cells: set[Cell] = {((left[n],), (right[n],)) for n in left.keys() & right.keys()}
    used = {a for a, _ in cells}, {b for _, b in cells}
    cells |= {((k,), ()) for k in range(len(zh)) if (k,) not in used[0]}
    return cells | {((), (k,)) for k in range(len(en)) if (k,) not in used[1]}


def ours(zh: Side, en: Side, *, anew: bool) -> set[Cell]:
    """What `pair_chapters` says."""
    settings = load_filters().pairing
    lists = texts(zh, "zh", anew=anew), texts(en, "en", anew=anew)
    pairing = pair_chapters(*lists, ChapterSimilarity, settings)
    return {(pair.zh, pair.en) for pair in pairing.pairs}


def read_books(files: Sequence[Path], parts: int) -> dict[str, list[list[Bead]]]:
    """Chapters of each book, as beads."""
    books: dict[str, list[list[Bead]]] = {}
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            beads = [
                ([row["src"][i] for i in a], [row["tgt"][j] for j in b]) for a, b in row["gold"]
            ]
            cuts = [len(beads) * k // parts for k in range(parts + 1)]
            books[row["id"]] = [beads[cuts[k] : cuts[k + 1]] for k in range(parts)]
    for folder in sorted(sample().glob("*/1.zh.an.txt")):
        for name in ("1", "2"):
            pair = [
                [strip(s) for s in read_lines(folder.with_name(f"{name}.{lang}.an.txt"))[0]]
                for lang in ("zh", "en")
            ]
            beads = [([a], [b]) for a, b in zip(*pair, strict=True)]
            books.setdefault(folder.parent.name, []).append(beads)
    return books


def drawn(books: dict[str, list[list[Bead]]], count: int, rng: random.Random) -> list[list[Bead]]:
    """Chapters made of sentence pairs drawn from all books: many words in common, any number."""
    beads = [bead for chapters in books.values() for beads in chapters for bead in beads]
    return [rng.sample(beads, 40) for _ in range(count)]


def table(files: Sequence[Path], rounds: int) -> None:
    """Print the table of slips."""
    shelves: list[tuple[str, list[list[list[Bead]]]]] = []
    for name, parts in (("halves", 2), ("quarters", 4), ("sixths", 6)):
        books = read_books(files, parts)
        own = [chapters for chapters in books.values() if len(chapters) > 2]
        if files:
            shelves.append((f"{name}, each book for itself", own))
        shelves.append((f"{name}, all books as one", [[c for b in books.values() for c in b]]))
        if not files:
            break
    shelves.append(("drawn", [drawn(books, 60, random.Random(1))]))
    for name, shelf in shelves:
        if not shelf:
            continue
        print(f"\n{name}: {len(shelf)} x {len(shelf[0])} chapters")
        print(f"{'slip':18}{'index':>8}{'number':>8}{'ours':>8}{'ours, renumbered':>18}")
        for kind, slip in {**SLIPS, "several": several}.items():
            scores: list[list[float]] = [[], [], [], []]
            for at, chapters in enumerate(shelf):
                others = [b for b in shelf if b is not chapters] or [
                    drawn(books, 1, random.Random(9))
                ]
                for turn in range(rounds):
                    rng = random.Random(f"{kind} {at} {turn}")
                    zh, en = sides(chapters)
                    slip(zh, en, rng, sides(rng.choice(others))[1][0])
                    true = truth(zh, en)
                    found = [by_index(zh, en), by_number(zh, en)]
                    found += [ours(zh, en, anew=anew) for anew in (False, True)]
                    for column, cells in zip(scores, found, strict=True):
                        column.append(right(cells, true))
            means = [fmean(column) for column in scores]
            print(f"{kind:18}{means[0]:8.1%}{means[1]:8.1%}{means[2]:8.1%}{means[3]:18.1%}")


def speed(files: Sequence[Path]) -> None:
    """Print pairs a second of a long book, without a slip and with one at its beginning."""
    ours(*sides(drawn(read_books(files, 1), 2, random.Random(0))), anew=True)  # loads the lexicon
    chapters = drawn(read_books(files, 1), 500, random.Random(2))
    print()
    for name in ("none", "missing en", "several"):
        zh, en = sides(chapters)
        slip = several if name == "several" else SLIPS[name]
        slip(zh, en, random.Random(3), zh[0])
        start = time.process_time()
        found = ours(zh, en, anew=True)
        took = time.process_time() - start
        share = right(found, truth(zh, en))
        print(
            f"{len(chapters)} chapters of 40 sentence pairs, {name}: "
            f"{len(chapters) / took:.0f} pairs/s, {took / len(chapters) * 1e3:.2f} ms a pair, "
            f"{share:.2%} right"
        )


@dataclass(frozen=True)
class Example:
    """Two groups of chapters of a book: their measurements, and whether they are a pair."""

    kind: str
    book: str
    values: tuple[float, ...]
    pair: bool


# Each kind of example counts as much as all of another, times this.
KINDS = {"pair": 1.0, "pair of two": 0.5, "same book": 2.0, "other book": 1.0, "too much": 1.0}


def examples(chapters: Sequence[tuple[str, list[Bead]]]) -> list[Example]:
    """All chapters with all, and neighbours with one of them too many."""
    whole = [
        ([s for b in beads for s in b[0]], [s for b in beads for s in b[1]])
        for _, beads in chapters
    ]
    book = ChapterSimilarity([zh for zh, _ in whole], [en for _, en in whole])
    names = [name for name, _ in chapters]
    out = []

    def add(kind: str, name: str, zh: list[int], en: list[int], *, pair: bool) -> None:
        values = book.features(zh, en)
        if values is not None:
            out.append(Example(kind, name, values, pair))

    for i, name in enumerate(names):
        for j, other in enumerate(names):
            kind = "pair" if i == j else "same book" if name == other else "other book"
            add(kind, name, [i], [j], pair=i == j)
    for i, (name, after) in enumerate(pairwise(names)):
        if name == after:
            two = [i, i + 1]
            add("pair of two", name, two, two, pair=True)
            for one in two:
                add("too much", name, [one], two, pair=False)
                add("too much", name, two, [one], pair=False)
    return out


def logistic(rows: Sequence[Example]) -> NDArray[np.float64]:
    """Weights of the features and the bias, with a slight pull to 0."""
    x = np.array([[*row.values, 1.0] for row in rows])
    sign = np.array([1.0 if row.pair else -1.0 for row in rows])
    kinds = [row.kind for row in rows]
    weight = np.array([KINDS[kind] / kinds.count(kind) for kind in kinds])
    for side in (sign > 0, sign < 0):
        weight[side] /= 2 * weight[side].sum()
    scale = np.append(x[:, :-1].std(axis=0), 1.0)
    x = x / scale

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (x @ w)
        slope = -(sign * weight / (1 + np.exp(np.clip(margin, -50, 50)))) @ x
        pull = np.append(w[:-1], 0.0)
        value = float((weight * np.logaddexp(0, -margin)).sum() + 1e-3 * (pull @ pull))
        return value, slope + 2e-3 * pull

    found: NDArray[np.float64] = minimize(loss, np.zeros(x.shape[1]), jac=True).x / scale
    return found


def fit(files: Sequence[Path]) -> None:
    """Print weights, and the scores of each kind of example when its book was left out."""
    rows: list[Example] = []
    for parts in (2, 4, 6):
        books = read_books(files, parts)
        rows += examples([(name, beads) for name, book in books.items() for beads in book])
        for name, book in books.items():
            rows += examples([(name, beads) for beads in book])
    left_out: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for name in sorted({row.book for row in rows}):
        weights = logistic([row for row in rows if row.book != name])
        for row in rows:
            if row.book == name:
                odds = float(np.dot([*row.values, 1.0], weights))
                left_out[row.kind].append(1 / (1 + np.exp(-odds)))
    for kind, scores in left_out.items():
        low, middle, high = np.quantile(scores, [0, 0.5, 1])
        print(f"{kind:14}{len(scores):6}   least {low:.3f}  median {middle:.3f}  most {high:.3f}")
    print("\n[weights]")
    for feature, weight in zip([*FEATURES, "bias"], logistic(rows), strict=True):
        print(f"{feature} = {weight:.3f}")


def main() -> None:
    """Print the tables, or weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="MAC.jsonl")
    parser.add_argument("--rounds", type=int, default=2, help="times each slip is made on a book")
    parser.add_argument("--fit", action="store_true", help="print weights instead")
    args = parser.parse_args()
    if args.fit:
        fit(args.files)
        return
    table(args.files, args.rounds)
    speed(args.files)


if __name__ == "__main__":
    main()
