"""How fast a corpus is built from chapters, with how much memory, and what a large one would take.

Makes synthetic books, builds a corpus of them with `bwb build-corpus` in a process of its own, and
prints chapter pairs a second for each stage, the most memory of all its processes together, and
what 196,304 chapter pairs (the size of BWB) would take. With --kill it is killed (SIGKILL) half-way
and run again: the dataset must be that of a run without a break.

    python benchmarks/pipeline.py                       1,000 pairs, bleualign
    python benchmarks/pipeline.py --pairs 20000 --kill
    python benchmarks/pipeline.py --pairs 200 --aligner hybrid
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bwb.pipeline.synthetic import FAULTS, write_chapters
from bwb.run.pool import cores

BWB = 196_304  # chapter pairs, Jiang et al. 2023, table 1
CHAPTERS = 200  # of a book
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def write_corpus(folder: Path, pairs: int, aligner: str, workers: int) -> Path:
    """Chapters and `corpus.toml`; every tenth book has faults. Returns the latter."""
    chapters = min(CHAPTERS, max(pairs // max(4, 2 * workers), 10))
    books = max(1, round(pairs / chapters))
    start = time.perf_counter()
    write_chapters(
        folder / "chapters", books, chapters, seed=1, faults=lambda k: () if k % 10 else FAULTS
    )
    seconds = time.perf_counter() - start
    print(
        f"{books} books of {chapters} chapter pairs made, {books * chapters / seconds:,.0f} pairs/s"
    )
    options = "options = { cache = false }\n" if aligner == "hybrid" else ""
    path = folder / "corpus.toml"
    path.write_text(
        f'name = "synthetic"\nchapters = "chapters"\nworkers = {workers}\n'
        f'[align]\naligner = "{aligner}"\n{options}'
        "[split]\nvalidation = 0.05\ntest = 0.05\n",
        encoding="utf-8",
    )
    return path


def start_build(corpus: Path, out: Path) -> subprocess.Popen[bytes]:
    """`bwb build-corpus`, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "bwb", "build-corpus", str(corpus), "--out", str(out), "--json"],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def megabytes(session: int) -> float:
    """Resident memory of all processes of a session; 0 where there is no /proc."""
    pages = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            pages += int(fields[21])
    return pages * _PAGE / 2**20


def watch(run: subprocess.Popen[bytes], until: float | None = None) -> float:
    """Wait for a run to end, or kill it after some seconds; returns its peak megabytes."""
    peak, start = 0.0, time.perf_counter()
    while run.poll() is None:
        peak = max(peak, megabytes(run.pid))
        if until is not None and time.perf_counter() - start > until:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            break
        time.sleep(0.2)
    return peak


def build(corpus: Path, out: Path) -> tuple[dict[str, Any], float, float]:
    """Build to the end: report, seconds, peak megabytes."""
    start = time.perf_counter()
    with start_build(corpus, out) as run:
        peak = watch(run)
    if run.returncode:
        raise SystemExit(f"bwb build-corpus ended with exit code {run.returncode}")
    report: dict[str, Any] = json.loads((out / "report.json").read_text(encoding="utf-8"))
    return report, time.perf_counter() - start, peak


def print_stages(report: dict[str, Any], seconds: float, peak: float, workers: int) -> None:
    """A line a stage, and what the whole of BWB would take."""
    pairs = report["documents"]
    print(f"{'stage':<10} {'in':>9} {'out':>9} {'pairs/s a core':>15} {'ms a pair':>10}")
    busy = 0.0
    for stage in report["stages"]:
        spent = stage["seconds"]
        busy += spent
        number = stage["out"] / (2 if stage["unit"] == "chapters" else 1)
        rate = number / spent if spent else float("nan")
        print(
            f"{stage['stage']:<10} {stage['in']:>9,} {stage['out']:>9,} {rate:>15,.0f} "
            f"{1000 / rate if rate else 0:>10.1f}"
        )
    print(
        f"{pairs:,} pairs in {seconds:.0f} s, {workers} workers: {pairs / seconds:.1f} pairs/s, "
        f"{100 * busy / (seconds * workers):.0f} % of it in the stages; {peak:,.0f} MB at most"
    )
    print(f"{BWB:,} pairs at this rate: {BWB / (pairs / seconds) / 3600:.1f} hours")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--aligner", default="bleualign")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--kill", action="store_true", help="kill it half-way, and go on")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = write_corpus(folder, args.pairs, args.aligner, args.workers)
        report, seconds, peak = build(corpus, folder / "out")
        print_stages(report, seconds, peak, args.workers)
        if args.kill:
            with start_build(corpus, folder / "broken") as run:
                watch(run, until=seconds / 2)
            again, rest, _ = build(corpus, folder / "broken")
            same = again["digest"] == report["digest"]
            print(
                f"killed after {seconds / 2:.0f} s and run again for {rest:.0f} s: "
                f"{'the same dataset' if same else 'ANOTHER DATASET'}"
            )
            if not same:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
