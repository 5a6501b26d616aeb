"""Write a dataset folder: Parquet files, a card, a Croissant file and a manifest.

  bwb build --out bwb-sample                            the sample corpus
  bwb build corpus/ --out dataset --name my-corpus      any corpus bwb reads

`datasets.load_dataset(DIR, "annotated")` opens the folder, `bwb push` puts it on the Hub. Every
document needs a split; give one for those without with --split.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, note_findings, plural, print_json
from bwb.records import SPLITS

if TYPE_CHECKING:
    import argparse

    from bwb.errors import Finding
    from bwb.publish.build import BuildResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "corpus", nargs="?", type=Path, help="any corpus bwb reads (default: the sample)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to make")
    parser.add_argument("--overwrite", action="store_true", help="replace an earlier build")
    parser.add_argument("--split", choices=SPLITS, help="split of documents that say none")
    parser.add_argument("--lenient", action="store_true", help="repair what can be repaired")
    parser.add_argument("--json", action="store_true", help="print JSON")
    about = parser.add_argument_group("what the card says (default: what corpus.toml says)")
    about.add_argument("--name", metavar="N", help="name of the dataset (default: the corpus's)")
    about.add_argument("--version", metavar="V", help="version of the data, such as 1.0.0")
    about.add_argument("--license", metavar="ID", help="SPDX identifier, such as CC-BY-4.0")
    about.add_argument("--date", metavar="DATE", help="date of publication, such as 2026-11-21")
    about.add_argument("--card", type=Path, metavar="FILE", help="template of the card")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tqdm import tqdm

    from bwb.annotations.sources import read_documents
    from bwb.publish.build import build
    from bwb.textio import read_text

    findings: list[Finding] = []
    documents = read_documents(args.corpus, strict=not args.lenient, findings=findings)
    with tqdm(documents, unit="chapter", disable=not sys.stderr.isatty(), leave=False) as bar:
        result = build(
            bar,
            args.out,
            **_about(args),
            published=args.date,
            card=read_text(args.card)[0] if args.card else None,
            default_split=args.split,
            overwrite=args.overwrite,
        )
    note_findings(findings)
    if args.json:
        print_json(_body(result))
    else:
        _print(result)
    return 0


def _about(args: argparse.Namespace) -> dict[str, Any]:
    """Name, description, version and licence: as said, else as `corpus.toml` says."""
    from bwb.annotations.corpus_folder import is_corpus_folder, read_config
    from bwb.assets import sample

    folder: Path = args.corpus or sample()
    own: dict[str, Any] = {"name": folder.resolve().name.partition(".")[0]}
    if is_corpus_folder(folder):
        config = read_config(folder)
        own = {
            "name": config.name,
            "description": config.description or None,
            "version": config.version,
            "license": config.license,
        }
    said = {"name": args.name, "version": args.version, "license": args.license}
    return own | {key: value for key, value in said.items() if value is not None}


def _body(result: BuildResult) -> dict[str, Any]:
    manifest = result.manifest
    return {
        "folder": str(result.folder),
        "name": manifest.name,
        "version": manifest.version,
        "digest": manifest.digest,
        "documents": manifest.documents,
        "counts": manifest.counts,
        "left_out": list(result.left_out),
        "files": [{"path": file.path, "bytes": file.bytes} for file in manifest.files],
    }


def _print(result: BuildResult) -> None:
    from bwb.records import SPLITS
    from bwb.report.tables import table

    manifest = result.manifest
    there = [s for s in SPLITS if any(s in splits for splits in manifest.counts.values())]
    rows = [
        [config, *(splits.get(split) for split in there)]
        for config, splits in manifest.counts.items()
    ]
    size = sum(file.bytes for file in manifest.files)
    print(f"{manifest.name}: {plural(manifest.documents, 'document')}, {plural(size, 'byte')}")
    print(table(["rows", *there], rows))
    print(f"digest  {manifest.digest}\nfolder  {result.folder}")
    if result.left_out:
        note(f"without rows, so left out: {', '.join(result.left_out)}")
