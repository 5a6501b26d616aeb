"""Quality of the deterministic resolver on novels: CoNLL F1 with gold mentions and with its own.

LitBank (Bamman et al. 2020) has every second text, in the order of the file names, for tuning the
weights and rules; the others decided nothing, and are printed by themselves. Scores are
those of the official scorer on what LitBank annotates: singletons are in the key and in the
response, and count in B3, CEAF and LEA. With its own mentions, then, every singleton too many or
too few costs; a score without singletons cannot be compared. Attributes (appositions, predicates)
are apart, as LitBank has them; on our sample they are together.

    python benchmarks/sieve.py [--data FOLDER] [--texts]

FOLDER holds LitBank's `coref/conll`; without it only the sample is measured.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.annotations.conll2012 import read
from bwb.annotations.sources import read_documents
from bwb.coref.project import project_speech, side_chains
from bwb.coref.sieve import Sieve
from bwb.corefscores import CorefCounts, count
from bwb.report.tables import percent, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.records import Side

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("BWB_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))


def measure(resolver: Sieve, side: Side, *, gold: bool, speakers: bool = False) -> CorefCounts:
    """The counts of the resolver on one text."""
    key = side_chains(side)
    mentions = [span for chain in key for span in chain] if gold else None
    speech = project_speech(side, side.sentences) if speakers else None
    return count(key, resolver.resolve(side.sentences, mentions, speech))


def row(name: str, counts: Sequence[CorefCounts]) -> list[str]:
    """A row of the table: the sum of some counts."""
    total = sum(counts[1:], start=counts[0])
    f1s = (
        total.conll_f1,
        total.muc.f1,
        total.b_cubed.f1,
        total.ceafm.f1,
        total.ceafe.f1,
        total.lea.f1,
        total.blanc().f1,
        total.mentions.precision,
        total.mentions.recall,
    )
    return [name, str(len(counts)), *(percent(value) for value in f1s)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = SHARED / "litbank" / "coref" / "conll"
    parser.add_argument("--data", type=Path, default=default, help="LitBank's coref/conll")
    parser.add_argument("--texts", action="store_true", help="each text by itself, too")
    args = parser.parse_args()
    rows: list[list[str]] = []
    start = time.perf_counter()
    words = 0
    if args.data.is_dir():
        texts = [
            (document.chapter, document.en)
            for file in sorted(args.data.glob("*.conll"))
            for document in read(file, lang="en")
            if document.en is not None
        ]
        resolver = Sieve(attributes=False)
        for gold in (True, False):
            found = [(name, measure(resolver, side, gold=gold)) for name, side in texts]
            kind = "gold mentions" if gold else "own mentions"
            if args.texts:
                rows += [row(f"{name[:28]}, {kind}", [counts]) for name, counts in found]
            rows.append(row(f"LitBank, tuned on, {kind}", [c for _, c in found[::2]]))
            rows.append(row(f"LitBank, held out, {kind}", [c for _, c in found[1::2]]))
            rows.append(row(f"LitBank, all, {kind}", [c for _, c in found]))
        words += sum(len(side.text.split()) for _, side in texts)
    sides = [d.en for d in read_documents() if d.en is not None]
    for name, gold, speakers in (
        ("gold mentions and speakers", True, True),
        ("gold mentions", True, False),
        ("own mentions", False, False),
    ):
        found_here = [measure(Sieve(), s, gold=gold, speakers=speakers) for s in sides]
        rows.append(row(f"sample, {name}", found_here))
    words += sum(len(side.text.split()) for side in sides)
    names = ("CoNLL", "MUC", "B3", "CEAFm", "CEAFe", "LEA", "BLANC", "mention P", "mention R")
    header = ["F1 %", "texts", *names]
    print(table(header, rows))
    spent = time.perf_counter() - start
    print(f"{words / spent:,.0f} words a second, parsing and two or three passes")


if __name__ == "__main__":
    main()
