"""Reading the inline format: lines a second, against splitting the same lines, and memory.

The corpus is the sample, its chapters repeated. Memory is the peak of a process that reads it
document by document; it must not grow with the number of documents.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bwb.annotations.sources import read_documents
from bwb.assets import sample


def write_corpus(folder: Path, documents: int) -> int:
    """Copy the sample's inline files until there are enough; returns the number of lines."""
    pairs = [
        (file, file.with_name(file.name.replace(".zh.", ".en.")))
        for file in sorted(sample().glob("*/*.zh.an.txt"))
    ]
    lines = 0
    for number in range(documents):
        for lang, file in zip(("zh", "en"), pairs[number % len(pairs)], strict=True):
            text = file.read_text("utf-8")
            lines += text.count("\n")
            target = folder / f"book{number // 50}" / f"{number}.{lang}.an.txt"
            target.parent.mkdir(exist_ok=True)
            target.write_text(text, "utf-8")
    return lines


def read(folder: Path) -> float:
    """Seconds to read all documents."""
    start = time.perf_counter()
    for _ in read_documents(folder):
        pass
    return time.perf_counter() - start


def baseline(folder: Path) -> float:
    """Seconds to read the files and cut the tags out with one regular expression."""
    tag = re.compile(r"<[^<>]*>|[{}]")
    start = time.perf_counter()
    for file in folder.rglob("*.an.txt"):
        for line in file.read_text("utf-8").split("\n"):
            tag.sub("", line)
    return time.perf_counter() - start


def peak(folder: Path) -> float:
    """Peak memory of a fresh process that reads the folder, in MB."""
    command = [sys.executable, __file__, "--only-read", str(folder)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--only-read", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only_read:
        read(args.only_read)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    with tempfile.TemporaryDirectory() as name:
        small, large = Path(name, "small"), Path(name, "large")
        small.mkdir()
        large.mkdir()
        write_corpus(small, args.documents // 10)
        lines = write_corpus(large, args.documents)
        read(small)
        ours = min(read(large) for _ in range(3))
        plain = min(baseline(large) for _ in range(3))
        print(f"{args.documents} documents, {lines:,} annotated lines")
        print(f"read with offsets, entities, links   {ours:6.2f} s  {lines / ours:10,.0f} lines/s")
        print(
            f"cut the tags with a regex            {plain:6.2f} s  {lines / plain:10,.0f} lines/s"
        )
        print(f"ratio                                {ours / plain:6.1f}")
        print(f"peak memory, a tenth of the corpus   {peak(small):6.1f} MB")
        print(f"peak memory, the corpus              {peak(large):6.1f} MB")


if __name__ == "__main__":
    main()
