"""Floors of quality: the F1 that each aligner must reach on gold data; they only rise.

``align/floors.json`` holds, for each set of gold data, its SHA-256 and the least strict and lax F1
of each aligner: what it reached less a margin of .003, since on another processor sums of floats
differ and a link or two with them. A test measures again and fails below a floor, or if
the data is not what the floor was measured on.

    python -m bwb.align.floors [--data NAME …] [--aligner NAME …] [--raise]

prints what is reached beside the floors; ``--raise`` writes what is higher. A floor is never
lowered; if a set of data has changed, ``--new-data`` measures all of its floors anew.

Idea: trafilatura's evaluation gate.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.align.linkrows import read_rows
from bwb.align.scoring import score_documents
from bwb.assets import asset
from bwb.corpus import sha256_file
from bwb.errors import InputError, UnknownNameError
from bwb.textio import read_lines, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bwb.align.base import Aligner, SentenceLink
    from bwb.align.scoring import AlignmentScore

FLOORS = "align/floors.json"
KINDS = ("strict", "lax")
MARGIN = 0.003

# Where each set lies: in the repository, or in the data for development (first part "shared").
DATA: dict[str, str] = {
    "sample": "align/gold/sample.jsonl",
    "mac-dev": "shared/mac/mac-dev.jsonl",
    "textberg-dev": "shared/textberg/textberg-dev.jsonl",
}
# Translations for Bleualign that a set brings: source to target, target to source.
_BROUGHT = {"textberg-dev": (("mt_europarlfull",), ("mt_back_europarlfull",))}
_PAIRS = {"textberg-dev": "de-fr"}
ALIGNERS = ("galechurch", "bleualign", "hybrid")


@dataclass(frozen=True, slots=True)
class Measured:
    """What an aligner reached on a set.

    Attributes:
        score: Its score.
        seconds: Wall time of all calls, what they load and embed included.
        sentences: Number of source sentences.
    """

    score: AlignmentScore
    seconds: float
    sentences: int

    def f1(self, kind: str) -> float:
        """F1 of a kind; 0 if undefined."""
        return self.score.total.f1(kind) or 0.0


def data_path(data: str) -> Path:
    """Where a set lies.

    Raises:
        UnknownNameError: if there is no such set.
        InputError: if it is not here.
    """
    if data not in DATA:
        raise UnknownNameError("set of gold data", data, DATA)
    name = DATA[data]
    if not name.startswith("shared/"):
        return asset(name)
    default = asset("align").resolve().parents[1] / "shared" / "data"
    path = Path(os.environ.get("BWB_SHARED_DATA", default)) / name.removeprefix("shared/")
    if not path.is_file():
        raise InputError(f"{data}: no data at {path}; set BWB_SHARED_DATA")
    return path


def make_aligner(name: str, data: str) -> Aligner:
    """An aligner with the settings it has on a set.

    Raises:
        UnknownNameError: if there is no such aligner.
        MissingDependencyError: if it needs a library that is not installed.
    """
    table: dict[str, Callable[..., Aligner]] = import_module("bwb.align.registry").ALIGNERS
    if name not in table:
        raise UnknownNameError("aligner", name, table)
    options: dict[str, Any] = {}
    if name == "hybrid":
        options = {"pair": _PAIRS.get(data, "zh-en"), "cache": False}
    elif name == "bleualign" and data not in _BROUGHT:
        options = {"translator": import_module("bwb.align.translators").translator("gloss")}
    return table[name](**options)


def measure(name: str, data: str) -> Measured:
    """Align a set and score it.

    Raises:
        InputError: if the data is not here or lacks sentences.
        UnknownNameError: as `make_aligner`, likewise MissingDependencyError.
    """
    path = data_path(data)
    align: Callable[..., list[SentenceLink]] = make_aligner(name, data).align
    brought = _BROUGHT.get(data) if name == "bleualign" else None
    lines, _ = read_lines(path)
    gold, pred, seconds, sentences = {}, {}, 0.0, 0
    for row, line in zip(read_rows(path, ("gold",)), lines, strict=True):
        if row.src is None or row.tgt is None:
            raise InputError(f"{row.place}: {row.id} has no sentences; expected src and tgt")
        body = json.loads(line) if brought else {}
        more = [[body[key] for key in keys] for keys in brought or ()]
        start = time.perf_counter()
        pred[row.id] = align(list(row.src), list(row.tgt), *more)
        seconds += time.perf_counter() - start
        gold[row.id] = row.links
        sentences += len(row.src)
    return Measured(score_documents(gold, pred), seconds, sentences)


def read_floors() -> dict[str, Any]:
    """The floors: for each set ``sha256`` and ``f1``, and in it for each aligner both kinds.

    Raises:
        InputError: if the file is missing or is not JSON.
    """
    path = asset(FLOORS)
    try:
        body: dict[str, Any] = json.loads(path.read_bytes())
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    return body


def raised(
    floors: dict[str, Any], data: str, digest: str, name: str, reached: dict[str, float]
) -> dict[str, Any]:
    """The floors with one aligner's raised to what it reached, where that is higher.

    Args:
        floors: As `read_floors` gives them; not changed.
        data: Name of the set.
        digest: SHA-256 of the set as measured.
        name: Name of the aligner.
        reached: F1 of each kind.

    Raises:
        InputError: if the floors of the set are of other data.
    """
    out: dict[str, Any] = json.loads(json.dumps(floors))
    entry = out.setdefault(data, {"sha256": digest, "f1": {}})
    if entry["sha256"] != digest:
        raise InputError(
            f"{data} has digest {digest[:12]}…, its floors are of {entry['sha256'][:12]}…; "
            "--new-data measures them anew"
        )
    old = entry["f1"].get(name, {})
    entry["f1"][name] = {
        kind: max(old.get(kind, 0.0), floor(1000 * (reached[kind] - MARGIN)) / 1000)
        for kind in KINDS
    }
    return out


def write_floors(floors: dict[str, Any]) -> None:
    """Write the floors, sorted."""
    with replacing(asset("align") / "floors.json") as file:
        file.write(json.dumps(floors, indent=2, sort_keys=True) + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Print what is reached; raise the floors if asked to. Exit code 1 if something is below."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--aligner", nargs="+", default=list(ALIGNERS))
    parser.add_argument("--raise", dest="up", action="store_true", help="raise the floors")
    parser.add_argument("--new-data", action="store_true", help="forget floors of changed data")
    args = parser.parse_args(argv)
    floors = read_floors() if (asset("align") / "floors.json").is_file() else {}
    below = False
    for data in args.data:
        try:
            digest = sha256_file(data_path(data))
        except InputError as error:
            sys.stderr.write(f"skipped: {error}\n")
            continue
        if args.new_data and floors.get(data, {}).get("sha256") != digest:
            floors.pop(data, None)
        for name in args.aligner:
            try:
                found = measure(name, data)
            except (ImportError, UnknownNameError) as error:
                sys.stderr.write(f"skipped: {name} on {data}: {error}\n")
                continue
            reached = {kind: found.f1(kind) for kind in KINDS}
            least = floors.get(data, {}).get("f1", {}).get(name, {})
            below |= any(reached[kind] < value for kind, value in least.items())
            shown = ", ".join(f"{k} {reached[k]:.4f} (floor {least.get(k, '–')})" for k in KINDS)
            sys.stdout.write(f"{data:13} {name:11} {shown}, {found.seconds:.1f} s\n")
            if args.up:
                floors = raised(floors, data, digest, name, reached)
                write_floors(floors)
    return int(below)


if __name__ == "__main__":
    sys.exit(main())
