"""The command line. One file a subcommand, imported when it is called.

Results go to stdout, as JSON under ``--json``; progress and messages to stderr. Exit codes: 0
done, 1 bad input, 2 a call that makes no sense, 3 finished with failed items.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from bwb import __version__
from bwb.errors import BwbError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Name -> (module, what it does in a line). In the order of a first visit.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("bwb.cli.demo", "see the whole idea on the sample corpus"),
    "score": ("bwb.cli.score", "score systems per phenomenon"),
    "report": ("bwb.cli.report", "make a page of scores: who is best, what goes wrong, where"),
    "blonde": ("bwb.cli.blonde", "score one system with the options of the package blonde"),
    "compare": ("bwb.cli.compare", "is the difference between systems significant?"),
    "coref": ("bwb.cli.coref", "score predicted coreference against a key"),
    "correlate": ("bwb.cli.correlate", "how far do metrics agree? correlations between them"),
    "meta": ("bwb.cli.meta", "how well do metrics agree with people? meta-evaluation"),
    "judge": ("bwb.cli.judge", "have a language model judge systems, and score what it said"),
    "metrics": ("bwb.cli.metrics", "list the metrics"),
    "validate": ("bwb.cli.validate", "check annotated files"),
    "convert": ("bwb.cli.convert", "convert annotations between formats"),
    "stats": ("bwb.cli.stats", "count a corpus: the tables of the BWB paper"),
    "view": ("bwb.cli.view", "show annotated documents and what systems get wrong, as a page"),
    "paper": ("bwb.cli.paper", "every table and figure of the BWB paper, for any corpus"),
    "align": ("bwb.cli.align", "align the sentences of two texts"),
    "align-score": ("bwb.cli.align_score", "score links against gold links"),
    "align-audit": ("bwb.cli.align_audit", "have a sample of links marked, and correct them"),
    "realign": ("bwb.cli.realign", "put a translation without sentence breaks back into lines"),
    "recipe": ("bwb.cli.recipe", "try out and check site recipes"),
    "crawl": ("bwb.cli.crawl", "fetch the pages of the books in a manifest"),
    "extract": ("bwb.cli.extract", "take the chapters out of fetched pages"),
    "build-corpus": ("bwb.cli.build_corpus", "fetch, extract, clean, pair, align, filter, publish"),
    "corpus": ("bwb.cli.corpus", "check a corpus: leakage, duplicates, damage, outliers"),
    "rebuild": ("bwb.cli.rebuild", "fetch a corpus's pages again: verify, or rebuild it"),
    "human": ("bwb.cli.human", "have people judge translations: forms, and what they say"),
    "agreement": ("bwb.cli.agreement", "compare two annotations of the same text"),
    "import": ("bwb.cli.import_", "read the authors' release of BWB"),
    "build": ("bwb.cli.build", "write a dataset folder for load_dataset and the Hub"),
    "push": ("bwb.cli.push", "put a dataset folder on the Hub"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments else ""
    if name not in COMMANDS:
        _top().parse_args(arguments or ["--help"])
        return 2
    module = import_module(COMMANDS[name][0])
    parser = argparse.ArgumentParser(
        prog=f"bwb {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    args = parser.parse_args(arguments[1:])
    try:
        code: int = module.run(args)
        sys.stdout.flush()
    except UsageError as error:
        return _complain(error, 2)
    except BwbError as error:
        return _complain(error, 1)
    except BrokenPipeError:
        # The reader of our output has gone (`bwb … | head`): not our error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("bwb: interrupted\n")
        return 130
    return code


def _complain(error: Exception, code: int) -> int:
    sys.stderr.write(f"bwb: error: {error}\n")
    return code


def _top() -> argparse.ArgumentParser:
    wide = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{wide}}  {text}" for name, (_, text) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="bwb",
        description="Annotated corpus and benchmark for document-level literary translation.",
        epilog=f"commands:\n{listed}\n\n`bwb COMMAND --help` tells more of one.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"bwb {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    return parser
