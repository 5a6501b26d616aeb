"""See the whole idea on the sample corpus.

Reads it, builds a dataset, loads that with `datasets`, and scores three systems on it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import plural

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to put the dataset (default: a new folder)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    import datasets

    from bwb.annotations.sources import read_documents
    from bwb.assets import sample
    from bwb.cli.score import print_scores
    from bwb.corpus import logical_digest
    from bwb.metrics import METRICS
    from bwb.metrics.scoring import score_systems
    from bwb.metrics.systems import embedded_outputs
    from bwb.publish.build import build

    datasets.disable_progress_bars()
    out: Path = args.out or Path(tempfile.mkdtemp(prefix="bwb-demo-")) / "bwb-sample"

    documents = list(read_documents())
    pairs = sum(len(document.links) for document in documents)
    mentions = sum(len(side.mentions) for document in documents for side in document.sides)
    books = len({document.book for document in documents})
    print(
        f"1. Read the sample: {plural(books, 'book')}, {plural(len(documents), 'chapter')}, "
        f"{plural(pairs, 'sentence pair')}, {plural(mentions, 'mention')} annotated."
    )
    build(documents, out, name="bwb-sample", overwrite=args.out is not None)
    print(f"2. Built a dataset folder:\n   {out}")
    rows = datasets.load_dataset(str(out), "annotated", split="test")
    first = rows[0]
    print(
        f'3. load_dataset(folder, "annotated", split="test"): {len(rows)} rows; the first begins:'
    )
    print(f"   zh  {first['zh']['sentences'][0]}")
    print(f"   en  {first['en']['sentences'][0]}")
    print("4. Scored three systems, all invented like the chapters: the numbers say nothing about")
    print("   real systems, they show what a mistake does to a score.\n")
    digest = logical_digest(documents)[:12]
    scored = score_systems(
        documents,
        embedded_outputs(documents),
        [make() for make in METRICS.values()],
        data={"data": f"bwb-sample@{digest}", "split": "all"},
    )
    print_scores(scored, misses=4)
    print(f"The dataset is in      {out}")
    print(f"The annotated text in  {sample()}")
    print("Next: bwb score --systems mine=YOUR_FOLDER    bwb compare    bwb stats")
    return 0
