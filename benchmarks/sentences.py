"""Accuracy and speed of sentence splitting, beside two other splitters.

Boundaries are places between two sentences of one line: precision, recall, F1, and the share of
lines whose sentences are all right.

    python benchmarks/sentences.py [--errors]

`sample` are the lines of the sample corpus against `crawl/gold/sample-sentences.tsv`, quotations
kept whole. That file was first cut by this splitter and then read and corrected, so the figures
flatter ours. `MAC` are six manually aligned chapters of published novels; their sentences, joined
to lines of one to eight, are cut again (quotations cut inside, as MAC does). All six chapters were
looked at when the rules were written, and two word lists were shortened for what was seen; no
part of it is unseen. `release` are thirty lines a side of the BWB release, which no rule was
tuned on: how many of its quotations of several sentences stay whole, and at how many line ends we
cut too when the chapter is one line. MAC and the release are with the data for development beside
the repository, or where BWB_SHARED_DATA points.

The others: `naive` cuts after every end mark and the closing marks behind it; `spaCy` is its
rule-based sentencizer for the language.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bwb.annotations.inline import strip_tags
from bwb.assets import sample
from bwb.clean.sentences import split_line
from bwb.clean.splitting import boundaries, read_gold, score
from bwb.records import LANGS
from bwb.report.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.clean.sentences import Quotes
    from bwb.records import Lang

Splitter: TypeAlias = "Callable[[str], list[str]]"

_REPOSITORY = Path(__file__).resolve().parents[1]
_SHARED = Path(os.environ.get("BWB_SHARED_DATA", _REPOSITORY.parent / "shared" / "data"))
_NAIVE = {
    "zh": re.compile(r"(?<=[。！？…])(?![。！？…”’」』）])|(?<=[。！？…][”’」』）])"),
    "en": re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"”'’)])\s+"),
}
_GLUE = {"zh": "", "en": " "}
_QUOTED = re.compile(r"“[^“”]*[。！？.!?][^“”]*[^“”\s][^“”]*”")


def naive(line: str, lang: Lang) -> list[str]:
    """Cut after every end mark."""
    return [piece for piece in _NAIVE[lang].split(line) if piece and piece.strip()]


@cache
def _sentencizer(lang: Lang) -> Any:  # noqa: ANN401 - spacy has no types
    import spacy

    nlp = spacy.blank(lang)
    nlp.add_pipe("sentencizer")
    return nlp


def sentencizer(line: str, lang: Lang) -> list[str]:
    """Cut as spaCy's sentencizer does."""
    return [str(sentence) for sentence in _sentencizer(lang)(line).sents]


def sample_lines(lang: Lang) -> list[list[str]]:
    """The sentences of each line of the sample corpus."""
    gold = read_gold()
    lines = []
    for path in sorted(sample().glob(f"*/*.{lang}.an.txt")):
        chapter = f"{path.parent.name}/{path.name.removesuffix('.an.txt')}"
        for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            lines.append(gold.get((chapter, number), [strip_tags(raw)]))
    return lines


def mac_lines(lang: Lang) -> dict[str, list[list[str]]]:
    """The sentences of MAC in runs of one to eight, by chapter."""
    path = _SHARED / "mac" / "mac-dev.jsonl"
    chapters = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        sentences = [s.strip() for s in row["src" if lang == "zh" else "tgt"]]
        chosen = random.Random(row["id"])
        runs = []
        while sentences:
            size = chosen.randint(1, 8)
            runs.append(sentences[:size])
            sentences = sentences[size:]
        chapters[row["id"]] = runs
    return chapters


def release_rows(lang: Lang) -> list[list[str]]:
    """Line ends of the BWB release found in the chapter as one line, and quotations kept whole."""
    name = {"zh": "0.chs_re.txt", "en": "0.ref_re.txt"}[lang]
    path = _SHARED / "bwb-release" / "test" / "book0" / name
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    ours = split_line(_GLUE[lang].join(lines), lang)
    true = boundaries(lines)
    quotes = [quote for line in lines for quote in _QUOTED.findall(line)]
    kept = sum(
        any(quote in piece for line in lines for piece in split_line(line, lang))
        for quote in quotes
    )
    return [
        [lang, "line ends found", f"{len(boundaries(ours) & true)} of {len(true)}"],
        [lang, "quotations of several sentences kept whole", f"{kept} of {len(quotes)}"],
    ]


def rate(split: Splitter, lines: list[list[str]], glue: str) -> float:
    """Sentences a second, the best of three runs."""
    joined = [glue.join(line) for line in lines]
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for line in joined:
            split(line)
        best = min(best, time.process_time() - start)
    return sum(map(len, lines)) / best


def rows(name: str, lines: list[list[str]], lang: Lang, quotes: Quotes) -> list[list[str]]:
    """A row of the table for each splitter."""
    ours = partial(split_line, lang=lang, quotes=quotes)
    splitters: dict[str, Splitter] = {
        "bwb": ours,
        "naive": partial(naive, lang=lang),
        "spaCy": partial(sentencizer, lang=lang),
    }
    made = []
    for splitter, split in splitters.items():
        result = score((split(_GLUE[lang].join(line)), line) for line in lines)
        values = (result.precision, result.recall, result.f1, result.exact_lines)
        cells = ["-" if value is None else f"{100 * value:.1f}" for value in values]
        speed = f"{rate(split, lines, _GLUE[lang]):,.0f}"
        made.append([name, lang, splitter, str(sum(map(len, lines))), *cells, speed])
    return made


def print_errors(lines: list[list[str]], lang: Lang, quotes: Quotes) -> None:
    """The lines that come out wrong."""
    for line in lines:
        ours = split_line(_GLUE[lang].join(line), lang, quotes=quotes)
        if boundaries(ours) != boundaries(line):
            print("ours", " | ".join(ours))
            print("true", " | ".join(line))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--errors", action="store_true", help="print the lines that come out wrong")
    args = parser.parse_args()
    found = []
    for lang in LANGS:
        sets: dict[str, tuple[list[list[str]], Quotes]] = {"sample": (sample_lines(lang), "whole")}
        if _SHARED.is_dir():
            chapters = mac_lines(lang)
            sets |= {f"MAC {name}": (runs, "split") for name, runs in chapters.items()}
            sets["MAC"] = ([run for runs in chapters.values() for run in runs], "split")
        for name, (lines, quotes) in sets.items():
            found += rows(name, lines, lang, quotes)
            if args.errors:
                print_errors(lines, lang, quotes)
    header = ["text", "lang", "splitter", "sentences", "P", "R", "F1", "exact lines", "sentences/s"]
    print(table(header, found))
    if _SHARED.is_dir():
        print(table(["release", "", ""], [row for lang in LANGS for row in release_rows(lang)]))
    else:
        print(f"no MAC and no release at {_SHARED}", file=sys.stderr)


if __name__ == "__main__":
    main()
