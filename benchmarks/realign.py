"""Accuracy and time of `bwb realign`, beside mweralign where that is installed.

Outputs whose lines are known are taken apart: joined to one paragraph, sentences merged, split,
dropped, added, replaced, punctuation removed. Then they are mapped back, and it is counted for how
many letters (all but those of added text) and for how many reference sentences (an empty line for a
dropped one; added text on it does not count against it) the line is the true one. For ours also F1
of the sentences said to be missing or doubtful and, in letters, of the text said to be added or
doubtful, or how many there are where none is true; mweralign says neither.

    python benchmarks/realign.py [--outputs sample|docmt] [--seeds 5]
    python benchmarks/realign.py --repetitive 5000

The second times a made-up text of so many sentences that has only sixteen different ones, of which
the output lacks 3 %: nothing in it says where in the text it is.

`sample` are the three systems of the sample corpus, which the settings were searched on, so its
figures flatter ours. `docmt` are published outputs on WMT22 data (Vicuna-7B, zh-en and en-zh,
documents as lines): the search did not use them, but five of its settings were compared on a third
of them before one was taken, and the bound for doubtful lines was set with a look at half of them.
It needs the data for development beside the repository, or where BWB_SHARED_DATA points. mweralign
gets lower-cased tokens, the best of five ways to call it that were tried on `sample`, but for
`bare`, where raw text gave it 34.5 % of the sentences instead of 30.8.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bwb.align.realign import realign
from bwb.align.realign_mwer import available, realign_mwer
from bwb.annotations.inline import strip_tags
from bwb.assets import sample
from bwb.report.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A piece of an output, with the reference sentence it renders; None for added text.
Piece: TypeAlias = tuple[str, int | None]
Pair: TypeAlias = tuple[list[str], list[str]]  # output lines, reference lines

KINDS = ("joined", "merged", "split", "dropped", "added", "replaced", "bare", "all")
_REPOSITORY = Path(__file__).resolve().parents[1]
_SHARED = Path(os.environ.get("BWB_SHARED_DATA", _REPOSITORY.parent / "shared" / "data"))
# What joins two sentences: the mark that ends the first, the word that begins the second.
_JOINTS = ((",", ""), ("", "and "), (",", "and "), (";", ""))
_HAN_JOINTS = (("，", ""), ("，", "而"))
_LAST = re.compile(r"[.。!?！？][\"”’」']*$")


@dataclass
class Tally:
    """Counts of one method on one kind of damage."""

    letters: int = 0
    letters_right: int = 0
    sentences: int = 0
    sentences_right: int = 0
    missing: list[int] = field(default_factory=lambda: [0, 0, 0])  # hits, said, true
    added: list[int] = field(default_factory=lambda: [0, 0, 0])
    seconds: float = 0.0


def sample_pairs() -> list[Pair]:
    """Outputs of the sample corpus with their references."""
    pairs = []
    root = sample()
    for path in sorted(root.glob("systems/*/*/*.txt")):
        chapter = path.name.split(".")[0]
        lines = [line.split("\t")[0] for line in _lines(path)]
        reference = _lines(root / path.parent.name / f"{chapter}.en.an.txt")
        pairs.append((lines, [strip_tags(line) for line in reference]))
    return pairs


def docmt_pairs(size: int = 40) -> list[Pair]:
    """Published outputs, `size` lines at a time."""
    pairs = []
    for direction in ("zh-en", "en-zh"):
        folder = _SHARED / "docmt"
        rows = _lines(folder / "Reference" / f"wmt22_{direction}_doc_combined.jsonl")
        reference = [" ".join(json.loads(row)["output"].split()) for row in rows]
        found = folder / "BLEU" / "DOC" / "Vicuna-7B-V1.5" / direction
        output = [
            " ".join(line.split()) for line in _lines(found / f"prediction_{direction}.txt.hyp")
        ]
        whole = list(zip(output, reference, strict=True))
        for start in range(0, len(whole), size):
            part = [(o, r) for o, r in whole[start : start + size] if o]
            pairs.append(([o for o, _ in part], [r for _, r in part]))
    return pairs


def damage(lines: Sequence[str], kind: str, others: Sequence[str], seed: int) -> list[Piece]:
    """Take an output apart.

    Args:
        lines: Its lines.
        kind: One of `KINDS`; ``all`` does everything but ``bare``, each less often.
        others: Lines of other chapters, to add.
        seed: Seed.
    """
    rng = random.Random(f"{kind} {seed} {lines[0]}")
    rate = dict.fromkeys(KINDS, 0.0)
    share = {"merged": 0.3, "split": 0.3, "dropped": 0.15, "added": 0.15, "replaced": 0.1}
    for name, value in share.items():
        rate[name] = value if kind == name else value / 2 if kind == "all" else 0.0
    pieces: list[Piece] = []
    for number, line in enumerate(lines):
        if rng.random() < rate["dropped"]:
            continue
        if rng.random() < rate["replaced"]:
            pieces.append((rng.choice(others), None))
            continue
        if rng.random() < rate["added"]:
            pieces.append((rng.choice(others), None))
        text = split(line, rng) if rng.random() < rate["split"] else line
        if pieces and pieces[-1][1] is not None and rng.random() < rate["merged"]:
            before, of = pieces[-1]
            stop, joint = rng.choice(_HAN_JOINTS if _han(before) else _JOINTS)
            pieces[-1] = (_LAST.sub("", before) + stop, of)
            text = joint + text[:1].lower() + text[1:]
        pieces.append((text, number))
    if kind == "bare":
        pieces = [(" ".join(re.sub(r"[^\w\s]", " ", t).lower().split()), of) for t, of in pieces]
    return [piece for piece in pieces if piece[0]]


def split(line: str, rng: random.Random) -> str:
    """Make two sentences of one at a comma, if it has one."""
    commas = list(re.finditer(r", |，", line))
    if not commas:
        return line
    cut = rng.choice(commas)
    rest = line[cut.end() :]
    stop = "。" if cut[0] == "，" else ". "
    return line[: cut.start()] + stop + rest[:1].upper() + rest[1:]


def assemble(pieces: Sequence[Piece]) -> tuple[str, list[int | None]]:
    """The damaged output, and the sentence of each of its letters (all but white space)."""
    text = ("" if pieces and _han(pieces[0][0]) else " ").join(text for text, _ in pieces)
    origin = [of for text, of in pieces for char in text if not char.isspace()]
    return text, origin


def count(tally: Tally, labels: Sequence[int], origin: Sequence[int | None], size: int) -> None:
    """Compare the line each letter came to with its true one.

    Raises:
        SystemExit: if letters were lost or invented.
    """
    if len(labels) != len(origin):
        raise SystemExit(f"{len(origin)} letters went in, {len(labels)} came out")
    wrong = set()
    for got, true in zip(labels, origin, strict=True):
        if true is not None:
            tally.letters += 1
            tally.letters_right += got == true
            if got != true:
                wrong |= {got, true}
    tally.sentences += size
    tally.sentences_right += size - len(wrong)


def run(pairs: Sequence[Pair], kind: str, seeds: int) -> dict[str, Tally]:
    """All outputs, damaged in one way, by all methods."""
    methods: dict[str, Callable[[str, Sequence[str]], Sequence[str]]] = {}
    if available():
        methods["mweralign"] = realign_mwer
    tallies = {name: Tally() for name in ("ours", *methods)}
    for place, (lines, reference) in enumerate(pairs):
        others = pairs[(place + len(pairs) // 2) % len(pairs)][0]
        for seed in range(seeds):
            text, origin = assemble(damage(lines, kind, others, seed))
            start = time.perf_counter()
            found = realign(text, reference)
            tallies["ours"].seconds += time.perf_counter() - start
            count(tallies["ours"], _labels(found.lines), origin, len(reference))
            true = set(range(len(reference))) - set(origin)
            doubtful = {piece.sentence for piece in found.doubtful}
            _add(tallies["ours"].missing, set(found.missing) | doubtful, true)
            said = {
                at
                for at, piece in enumerate(
                    piece for piece in found.pieces for c in text[piece.start : piece.end]
                    if not c.isspace()
                )
                if piece.added or piece in found.doubtful
            }  # fmt: skip
            _add(tallies["ours"].added, said, {i for i, of in enumerate(origin) if of is None})
            for name, method in methods.items():
                start = time.perf_counter()
                got = method(text, reference)
                tallies[name].seconds += time.perf_counter() - start
                count(tallies[name], _labels(got), origin, len(reference))
    return tallies


def repetitive(size: int) -> str:
    """Time and accuracy of ours on a made-up text of few different sentences."""
    rng = random.Random(3)
    stock = ["Yes.", "No.", "He said nothing.", "They waited."]
    for thing in ("boat", "river", "old man", "lamp"):
        stock += [f"He said that the {thing} was {state}." for state in ("gone", "there", "cold")]
    reference = [rng.choice(stock) for _ in range(size)]
    output = [sentence for sentence in reference if rng.random() > 0.03]
    start = time.perf_counter()
    found = realign(" ".join(output), reference)
    seconds = time.perf_counter() - start
    right = sum(line == sentence for line, sentence in zip(found.lines, reference, strict=True))
    return (
        f"{size} sentences of {len(stock)} kinds: {seconds:.1f} s; {right / size:.3f} of the lines "
        f"as in the reference, {len(output) / size:.3f} can be"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--outputs", choices=("sample", "docmt"), default="sample")
    parser.add_argument("--seeds", type=int, default=3, help="ways to damage each output")
    parser.add_argument("--repetitive", type=int, help="sentences of a text that repeats itself")
    args = parser.parse_args()
    if args.repetitive:
        print(repetitive(args.repetitive))
        return
    if args.outputs == "docmt" and not (_SHARED / "docmt").is_dir():
        sys.exit(f"no data at {_SHARED / 'docmt'}; set BWB_SHARED_DATA")
    pairs = sample_pairs() if args.outputs == "sample" else docmt_pairs()
    if not available():
        print("mweralign is not installed; only ours is shown (pip install mweralign)")
    rows = []
    for kind in KINDS:
        for name, of in run(pairs, kind, args.seeds).items():
            mine = name == "ours"
            rows.append(
                [
                    kind,
                    name,
                    f"{100 * of.letters_right / of.letters:.2f}",
                    f"{100 * of.sentences_right / of.sentences:.2f}",
                    _f1(of.missing) if mine else "–",
                    _f1(of.added) if mine else "–",
                    f"{1000 * of.seconds / of.sentences:.2f}",
                ]
            )
    header = ["damage", "method", "letters %", "sentences %", "missing F1", "added F1"]
    print(f"{len(pairs)} outputs, {args.seeds} ways each")
    print(table([*header, "s per 1,000"], rows))


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def _han(text: str) -> bool:
    return len(re.findall(r"[\u4e00-\u9fff]", text)) > len(text) / 3


def _labels(lines: Sequence[str]) -> list[int]:
    return [number for number, line in enumerate(lines) for char in line if not char.isspace()]


def _add(counts: list[int], said: set[int], true: set[int]) -> None:
    for place, number in enumerate((len(said & true), len(said), len(true))):
        counts[place] += number


def _f1(counts: Sequence[int]) -> str:
    hits, said, true = counts
    if not true:
        return f"{said} false" if said else "–"
    return f"{2 * hits / (said + true):.3f}"


if __name__ == "__main__":
    main()
