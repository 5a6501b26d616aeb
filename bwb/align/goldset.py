r"""Our own small gold set: chapters of the sample corpus, sentences merged, split, dropped, moved.

The sample is written line by line, so the true links are known whatever is done to its lines. From
each chapter come two documents: ``a`` with lines split at sentence ends and neighbours merged, on
either side for itself, and ``b`` with that and with lines left out on one side and neighbours
exchanged on one side (a 2-2 link, as links do not cross). All is drawn with a fixed seed.

    python -m bwb.align.goldset [--check]

writes ``align/gold/sample.jsonl``: rows with `id`, `src` (Chinese), `tgt` (English) and `gold`. It
says something about regressions, and nothing about real translations, which are freer.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from bwb.assets import asset, sample
from bwb.textio import read_lines, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    _Draw = Callable[[], float]

GOLD = "align/gold/sample.jsonl"
# Headers with their brace, closing braces, and both ends of quotes; the sample has no others.
_TAGS = re.compile(r"<(?:[A-Z]{3}, [TN?]|[PO]), [^\s,<>{}]+>\{|\}|<Q, [^<>{}]+>|<\\Q>")
_END = re.compile(
    r"[.!?。！？…]+[”’」』\"')]*(?=\s+[“‘\"'A-Z])\s*|[。！？…]+[”’」』]*(?=[^”’」』])"
)
_SPLIT, _MERGE, _DROP, _MOVE = 0.5, 0.12, 0.06, 0.06


@dataclass(slots=True)
class Bead:
    """Sentences that belong together."""

    src: list[str] = field(default_factory=list)
    tgt: list[str] = field(default_factory=list)


def build() -> list[dict[str, object]]:
    """The rows of the gold set."""
    rows = []
    for name, zh, en in _chapters(sample()):
        for variant in ("a", "b"):
            rows.append(_row(f"{name}/{variant}", zh, en))
    return rows


def dumps(rows: Sequence[dict[str, object]]) -> str:
    """The rows as the file has them."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def strip(line: str) -> str:
    """A line of the sample without its tags."""
    return _TAGS.sub("", line)


def sentences(line: str) -> list[str]:
    """A line cut at its sentence ends."""
    ends = [0, *(match.end() for match in _END.finditer(line)), len(line)]
    pieces = [line[a:b].strip() for a, b in pairwise(ends)]
    return [piece for piece in pieces if piece]


def _row(name: str, zh: Sequence[str], en: Sequence[str]) -> dict[str, object]:
    # Only random() is used: its sequence is the same in every version of Python.
    draw = random.Random(name).random
    beads = []
    for left, right in zip(zh, en, strict=True):
        cut = [sentences(line) if draw() < _SPLIT else [line] for line in (left, right)]
        beads.append(Bead(*cut))
    if name.endswith("b"):
        beads = _move(_drop(beads, draw), draw)
    beads = _merge(beads, draw)
    src = [text for bead in beads for text in bead.src]
    tgt = [text for bead in beads for text in bead.tgt]
    gold, at = [], [0, 0]
    for bead in beads:
        sizes = (len(bead.src), len(bead.tgt))
        sides = [list(range(a, a + n)) for a, n in zip(at, sizes, strict=True)]
        # A side that has none: each sentence of the other is a null link of its own.
        gold += (
            [sides] if all(sizes) else [[[i], []] for i in sides[0]] + [[[], [i]] for i in sides[1]]
        )
        at = [a + n for a, n in zip(at, sizes, strict=True)]
    return {"id": name, "src": src, "tgt": tgt, "gold": gold}


def _drop(beads: list[Bead], draw: _Draw) -> list[Bead]:
    for bead in beads:
        chance = draw()
        if chance < _DROP:
            bead.src = []
        elif chance < 2 * _DROP:
            bead.tgt = []
    return beads


def _move(beads: list[Bead], draw: _Draw) -> list[Bead]:
    """Exchange neighbours on the target side; they become one bead."""
    out: list[Bead] = []
    for bead in beads:
        last = out[-1] if out else Bead()
        single = len(last.src) == len(last.tgt) == len(bead.src) == len(bead.tgt) == 1
        if draw() < _MOVE and single:
            out[-1] = Bead(last.src + bead.src, bead.tgt + last.tgt)
        else:
            out.append(bead)
    return out


def _merge(beads: list[Bead], draw: _Draw) -> list[Bead]:
    """Join the last sentence of a bead and the first of the next, on one side, into one."""
    out: list[Bead] = []
    joinable = False  # no bead is joined twice
    for bead in beads:
        last = out[-1] if out else Bead()
        chance = draw()
        if joinable and chance < _MERGE and last.src and last.tgt and bead.src and bead.tgt:
            joined = Bead(last.src + bead.src, last.tgt + bead.tgt)
            if chance < _MERGE / 2:
                joined.src = [*last.src[:-1], last.src[-1] + bead.src[0], *bead.src[1:]]
            else:
                joined.tgt = [*last.tgt[:-1], f"{last.tgt[-1]} {bead.tgt[0]}", *bead.tgt[1:]]
            out[-1] = joined
            joinable = False
        else:
            out.append(bead)
            joinable = True
    return out


def _chapters(root: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    for path in sorted(root.glob("*/*.zh.an.txt")):
        book, chapter = path.parent.name, path.name.split(".")[0]
        sides = [
            [strip(line) for line in read_lines(path.with_name(f"{chapter}.{lang}.an.txt"))[0]]
            for lang in ("zh", "en")
        ]
        yield f"{book}/{chapter}", sides[0], sides[1]


def main() -> int:
    """Write the gold set, or see that it is up to date."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 if it differs")
    args = parser.parse_args()
    text = dumps(build())
    path = asset("align") / "gold" / "sample.jsonl"
    if args.check:
        same = path.is_file() and path.read_text("utf-8") == text
        sys.stderr.write(f"{path}: {'up to date' if same else 'differs'}\n")
        return 0 if same else 1
    with replacing(path) as file:
        file.write(text)
    sys.stderr.write(f"{path}: {text.count(chr(10))} documents\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
