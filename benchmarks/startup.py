"""How long `import bwb` and `bwb --help` take beyond an empty interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time


def seconds(arguments: list[str], runs: int = 9) -> float:
    """Median wall-clock seconds of a command."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(arguments, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print the table."""
    empty = seconds([sys.executable, "-c", "pass"])
    print(f"{'empty interpreter':<20} {empty:6.3f} s")
    for name, arguments in {
        "import bwb": ["-c", "import bwb"],
        "bwb --help": ["-m", "bwb", "--help"],
        "bwb metrics": ["-m", "bwb", "metrics"],
        "bwb score (sample)": ["-m", "bwb", "score"],
    }.items():
        took = seconds([sys.executable, *arguments])
        print(f"{name:<20} {took:6.3f} s, {took - empty:+.3f} s, {took / empty:5.1f} times empty")


if __name__ == "__main__":
    main()
