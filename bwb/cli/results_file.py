"""``bwb score --out``: write what was scored to a file that `bwb report` reads."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bwb.cli import scoring
from bwb.cli.common import command_line, done
from bwb.errors import InputError

if TYPE_CHECKING:
    from bwb.errors import Finding
    from bwb.metrics.results import Results
    from bwb.metrics.scoring import Scored
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

# What makes no difference to the results.
_NOT_TOLD = {"out", "json", "misses", "no_text", "intervals", "resamples", "seed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group("results")
    group.add_argument(
        "--out", type=Path, metavar="FILE.json", help="write everything that bwb report needs"
    )
    group.add_argument(
        "--no-text", action="store_true", help="quote no lines of the texts in that file"
    )


def score(args: argparse.Namespace) -> list[Scored]:
    """Score what the arguments name; write the results if there is an ``--out``."""
    from bwb.metrics.results import write_results
    from bwb.metrics.results_make import make_results

    read: list[tuple[list[Document], Outputs]] = []
    scored = scoring.score(args, lambda *both: read.append(both))
    if args.out is None:
        return scored
    results = make_results(
        scored,
        *read[0],
        command=command_line("score", sys.modules["bwb.cli.score"], args, _NOT_TOLD),
        corpus=str(args.data) if args.data else None,
        texts=not args.no_text,
    )
    write_results(args.out, results)
    return scored


def finish(args: argparse.Namespace) -> None:
    """Say, last of all, where the results are."""
    if args.out is not None:
        done(f"results in {args.out}; bwb report {args.out} makes a page of them")


def read_texts(results: Results) -> tuple[list[Document], Outputs]:
    """Read the texts again that were scored.

    Raises:
        InputError: if they are not where they were, seen from here, or are not the same.
    """
    from bwb.cli import score as command
    from bwb.metrics.scoring import data_fields

    parser = _Parser()
    command.add_arguments(parser)
    args = parser.parse_args(results.command[2:])
    findings: list[Finding] = []
    documents, outputs, _, _ = scoring.read(args, findings)
    name, _, digest = results.data.get("data", "").partition("@")
    found = data_fields(name, documents, args.split)["data"].partition("@")[2]
    if found != digest:
        raise InputError(f"the texts of {name} have changed since: digest {found}, not {digest}")
    return documents, outputs


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"the command in the results is none of this version: {message}")
