"""Make a page of scores: who is best at what, what each system gets wrong, and where.

  bwb score --out results.json                     first, score; everything is kept in the file
  bwb report results.json                          then a page, results.html, to open in a browser
  bwb report results.json --with-view              and bwb view's page beside it, linked
  bwb report results.json --view pages/view.html   or linked to a page that is there already
  bwb report results.json --figures paper/         figures as SVG and PDF, tables as LaTeX,
                                                   Markdown and CSV

The page is one file that needs no network. Intervals and tests are made of the counts in the
results, so they need no text; the lines that are quoted are in the file unless it was written with
--no-text. Of fewer than 20 documents differences are tested by permutation, else by the bootstrap.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import done, note, print_json
from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    import argparse

    from bwb.metrics.results import Results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, metavar="RESULTS", help="what bwb score --out wrote")
    parser.add_argument(
        "--out", type=Path, metavar="PAGE.html", help="where to write (default: RESULTS.html)"
    )
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--view", type=Path, metavar="PAGE", help="a page of bwb view to link to")
    view.add_argument(
        "--with-view", action="store_true", help="make that page too, if the texts are found"
    )
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write figures and tables too")
    parser.add_argument("--resamples", type=int, default=10_000, metavar="N", help="default 10000")
    parser.add_argument("--seed", type=int, default=12345, help="of the resamples (default 12345)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of tests (default 0.05)")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tqdm import tqdm

    from bwb.metrics.results import read_results
    from bwb.report.score_page import make_report, report_html, write_figures
    from bwb.report.score_views import Options
    from bwb.textio import replacing

    if args.resamples < 1 or not 0 < args.alpha < 1:
        raise UsageError(
            f"--resamples {args.resamples} --alpha {args.alpha}; expected 1 or more, and a number "
            "between 0 and 1"
        )
    results = read_results(args.results)
    out: Path = args.out or args.results.with_suffix(".html")
    if out.resolve() == args.results.resolve():
        raise UsageError(f"{out} is the file of results; name another with --out")
    view: Path | None = args.view
    if view is not None and not view.is_file():
        raise InputError(f"{view}: no such file; bwb view --out {view} makes it")
    if args.with_view:
        view = _write_view(results, out.with_name(f"{out.stem}-view.html"))
    options = Options(resamples=args.resamples, seed=args.seed, alpha=args.alpha)
    quiet = not sys.stderr.isatty()
    with tqdm(total=len(results.metrics), unit="metric", disable=quiet, leave=False) as bar:
        report = make_report(
            results,
            options,
            view=None if view is None else _relative(view, out.parent),
            files=args.figures is not None,
            progress=bar.update,
        )
    with replacing(out) as file:
        file.write(report_html(report))
    files = write_figures(report, args.figures) if args.figures else []
    if args.json:
        said = {"page": str(out), "bytes": out.stat().st_size, "files": [str(p) for p in files]}
        print_json({**said, "view": None if view is None else str(view)})
    else:
        for text in report.headline:
            print(text)
        print(out)
    sys.stdout.flush()
    also = f", {len(files)} figures and tables in {args.figures}" if files else ""
    done(f"report in {out}{also}; open it in a browser")
    return 0


def _relative(path: Path, folder: Path) -> str:
    """An address as seen from the page."""
    from urllib.parse import quote

    return quote(os.path.relpath(path.resolve(), folder.resolve()).replace(os.sep, "/"))


def _write_view(results: Results, out: Path) -> Path | None:
    """Write the viewer's page from the texts that were scored; None, with a note, without them."""
    from bwb.cli.results_file import read_texts
    from bwb.report.view import write_view

    try:
        documents, outputs = read_texts(results)
    except InputError as error:
        note(f"no page of texts: {error}")
        return None
    write_view(out, documents, outputs, title=results.data.get("data", "").partition("@")[0])
    return out
