"""Put a folder that `bwb build` wrote on the Hugging Face Hub.

  bwb push dataset my-lab/my-corpus                          say what would be uploaded
  bwb push dataset my-lab/my-corpus --execute --tag v1.0.0   upload it

The files are checked against the manifest first. A new repository is private unless --public. The
token is the one that `hf auth login` stored, or HF_TOKEN.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.publish.hub import Push


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="what bwb build wrote")
    parser.add_argument("repository", metavar="REPO", help="namespace/name on the Hub")
    parser.add_argument("--execute", action="store_true", help="do it, not only say it")
    parser.add_argument("--branch", metavar="B", help="branch to push to (default: main)")
    parser.add_argument("--tag", metavar="T", help="tag for the commit, such as v1.0.0")
    parser.add_argument(
        "--public", action="store_true", help="the repository is, or may be, public"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    from bwb.publish.hub import push

    if not sys.stderr.isatty():
        disable_progress_bars()
    result = push(
        args.folder,
        args.repository,
        private=not args.public,
        branch=args.branch,
        tag=args.tag,
        dry_run=not args.execute,
    )
    if args.json:
        print_json(_body(result))
    else:
        _print(result)
    return 0


def _body(result: Push) -> dict[str, Any]:
    return {
        "repository": result.repo_id,
        "private": result.private,
        "branch": result.branch,
        "tag": result.tag,
        "message": result.message,
        "files": [{"path": file.path, "bytes": file.bytes} for file in result.files],
        "ignored": list(result.ignored),
        "uploaded": result.commit is not None,
        "commit": result.commit,
        "url": result.url,
    }


def _print(result: Push) -> None:
    from bwb.report.tables import table

    where = f"{result.repo_id}, branch {result.branch}" + (f", tag {result.tag}" * bool(result.tag))
    print(f"{where}, {'private' if result.private else 'public'}: {result.message}")
    print(table(["file", "bytes"], [[file.path, file.bytes] for file in result.files]))
    if result.ignored:
        note(f"not of the build, so not uploaded: {', '.join(result.ignored)}")
    total = f"{plural(len(result.files), 'file')}, {plural(result.bytes, 'byte')}"
    if result.url is None:
        print(f"{total}; nothing was uploaded: add --execute")
    else:
        print(f"{total} uploaded: {result.url}")
