"""Align the sentences of two texts.

SRC and TGT are files of a sentence a line, or folders of such files with the same names but for
the last suffix. --jsonl reads rows {"id", "src": [...], "tgt": [...]} instead and writes them
with "links" and "scores" added. Every sentence is in exactly one link; one without counterpart
is in a link with an empty side, as []:[3].

Aligners: hybrid (the best), bleualign (through a translation: --translation, or glosses for
Chinese), galechurch (length alone). --compat makes the output of bleualign that of the original.
With folders, --links and --output name folders. A line .EOA ends an article (bleualign only).

  bwb align chapter.zh.txt chapter.en.txt --links links.txt --output chapter
  bwb align a.de a.fr --aligner bleualign --translation a.mt.fr --compat --output out --links l
  bwb align --jsonl chapters.jsonl aligned.jsonl --documents corpus.jsonl
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import done, note, plural, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from bwb.align.base import Aligner, SentenceLink
    from bwb.align.bleualign_filter import Filter
    from bwb.align.bleualign_gaps import RawLink
    from bwb.align.pairs import TextPair

# Options that go to the aligner as they are: name -> (type, help).
_OPTIONS: dict[str, tuple[type, str]] = {
    "ngrams": (int, "bleualign: highest n-gram order"),
    "maxalternatives": (int, "bleualign: targets kept for each source sentence"),
    "Nto1": (int, "bleualign: largest number of sentences on a side of a link"),
    "gaps": (str, "bleualign: joint, steps (as the original) or none"),
    "c": (float, "galechurch: target characters a source character becomes"),
    "s2": (float, "galechurch: variance of a length difference a character"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("src", nargs="?", type=Path, metavar="SRC", help="source file or folder")
    add("tgt", nargs="?", type=Path, metavar="TGT", help="target file or folder")
    add("--jsonl", nargs=2, type=Path, metavar=("IN", "OUT"), help="rows to align, and where to")
    add("--aligner", default="hybrid", metavar="NAME", help="default hybrid")
    add(
        "--translation",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="bleualign: translations of the source, line by line; - is the source itself",
    )
    add(
        "--back-translation",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="bleualign: translations of the target",
    )
    add(
        "--translator",
        metavar="NAME",
        help="bleualign: gloss (default for Chinese), file:PATH or marian:FOLDER",
    )
    add("--compat", action="store_true", help="bleualign, galechurch: as the original Bleualign")
    add("--intersect", action="store_true", help="bleualign: only links all translations give")
    for name, (kind, text) in _OPTIONS.items():
        add(f"--{name}", type=kind, help=text)
    add("--filter", choices=("sentence", "article"), help="bleualign: also write PREFIX-good, -bad")
    add("--filterthreshold", type=float, default=90, help="percent of the links that are good")
    add("--bleuthreshold", type=float, default=0, help="confidence below which a link is bad")
    add("--links", type=Path, metavar="OUT", help="write links, one a line")
    add("--output", type=Path, metavar="PREFIX", help="write sentences to PREFIX-s and PREFIX-t")
    add("--tsv", type=Path, metavar="OUT", help="write a table")
    add("--tmx", type=Path, metavar="OUT", help="write TMX")
    add("--documents", type=Path, metavar="OUT", help="write bwb documents (zh and en)")
    add("--src-lang", default="zh", help="language of the source (default zh)")
    add("--tgt-lang", default="en", help="language of the target (default en)")
    add("--book", help="book of the documents, if the ids do not say")
    add("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.align.registry import make_aligner

    _check(args)
    aligner = make_aligner(args.aligner, **_options(args))
    rules = _filter(args)
    counts = {"texts": 0, "links": 0, "null": 0, "source": 0, "target": 0}
    with ExitStack() as stack:
        sinks = _Sinks(args, stack)
        for pair in _progress(_pairs(args)):
            links = _align(aligner, pair)
            sinks.add(pair, links, aligner, rules)
            counts["texts"] += 1
            counts["links"] += len(links)
            counts["null"] += sum(not (link.src and link.tgt) for link in links)
            counts["source"] += len(pair.src)
            counts["target"] += len(pair.tgt)
        sinks.finish()
    if args.json:
        print_json({"aligner": args.aligner, **counts})
    else:
        written = (args.jsonl and args.jsonl[1], args.links, args.output, args.tsv, args.tmx)
        places = ", ".join(str(path) for path in (*written, args.documents) if path)
        done(
            f"{plural(counts['texts'], 'text')}: {counts['source']:,}:{counts['target']:,} "
            f"sentences, {plural(counts['links'], 'link')}, {counts['null']:,} with an empty side; "
            f"in {places}"
        )
    return 0


def _check(args: argparse.Namespace) -> None:
    from bwb.errors import UsageError

    if bool(args.jsonl) == bool(args.src):
        raise UsageError("expected SRC and TGT, or --jsonl IN OUT")
    if args.src and not args.tgt:
        raise UsageError(f"{args.src} alone; expected SRC and TGT")
    translated = args.translation or args.back_translation
    if args.jsonl and translated:
        raise UsageError("--translation is for files; put translations into the rows of --jsonl")
    if translated and args.translator:
        raise UsageError("--translation and --translator: expected one of them")
    if translated and args.aligner != "bleualign":
        raise UsageError(f"the aligner {args.aligner} uses no translation; bleualign does")
    outputs = (args.jsonl, args.links, args.output, args.tsv, args.tmx, args.documents)
    if not any(outputs):
        raise UsageError("nothing to write: expected --links, --output, --tsv, --tmx, --documents")
    if args.jsonl and (args.links or args.output):
        raise UsageError("--links and --output are for files; --jsonl writes links into its rows")
    if args.filter and not (args.output and args.aligner == "bleualign"):
        raise UsageError("--filter needs --aligner bleualign and --output")
    if args.documents and sorted((args.src_lang, args.tgt_lang)) != ["en", "zh"]:
        raise UsageError(
            f"languages {args.src_lang} and {args.tgt_lang}: --documents holds zh and en only"
        )


def _options(args: argparse.Namespace) -> dict[str, Any]:
    options = {name: getattr(args, name) for name in _OPTIONS if getattr(args, name) is not None}
    options |= {name: True for name in ("compat", "intersect") if getattr(args, name)}
    if args.translator:
        from bwb.align.translators import translator

        options["translator"] = translator(args.translator)
    return options


def _filter(args: argparse.Namespace) -> Filter | None:
    from bwb.align.bleualign_filter import Filter

    if not args.filter:
        return None
    return Filter(args.filter, args.filterthreshold, args.bleuthreshold, compat=args.compat)


def _pairs(args: argparse.Namespace) -> Iterator[TextPair]:
    from bwb.align import pairs

    if args.jsonl:
        yield from pairs.read_jsonl(args.jsonl[0])
    elif args.src.is_dir():
        yield from pairs.read_folders(args.src, args.tgt, args.translation, args.back_translation)
    else:
        yield pairs.read_files(args.src, args.tgt, args.translation, args.back_translation)


def _progress(pairs: Iterator[TextPair]) -> Iterator[TextPair]:
    import sys

    from tqdm import tqdm

    yield from tqdm(pairs, unit="text", disable=not sys.stderr.isatty())


def _align(aligner: Aligner, pair: TextPair) -> list[SentenceLink]:
    from bwb.align.bleualign import Bleualign
    from bwb.errors import BwbError, LengthError

    try:
        if isinstance(aligner, Bleualign):
            return aligner.align(pair.src, pair.tgt, pair.translations, pair.back_translations)
        return aligner.align(pair.src, pair.tgt)
    except LengthError as error:
        raise LengthError(f"{pair.id}: {error}") from None
    except BwbError as error:
        note(f"while aligning {pair.id}")
        raise error from None


class _Sinks:
    """Everything that is written, a text at a time."""

    def __init__(self, args: argparse.Namespace, stack: ExitStack) -> None:
        from bwb.align import export
        from bwb.textio import replacing

        self._args = args
        self._many = bool(args.src and args.src.is_dir())
        self._jsonl, self._documents, self._tsv, self._tmx = (
            stack.enter_context(replacing(path)) if path else None
            for path in (args.jsonl and args.jsonl[1], args.documents, args.tsv, args.tmx)
        )
        if self._tsv:
            self._tsv.write(export.TSV_HEAD)
        if self._tmx:
            self._tmx.write(export.tmx_head(args.src_lang))

    def add(
        self, pair: TextPair, links: list[SentenceLink], aligner: Aligner, rules: Filter | None
    ) -> None:
        """Write what can be written of a text."""
        from bwb.align import export
        from bwb.align.linkfile import write_links
        from bwb.schema import dumps

        args = self._args
        if self._jsonl and pair.row is not None:
            row = pair.row | {
                "links": [[list(link.src), list(link.tgt)] for link in links],
                "scores": [link.score for link in links],
            }
            self._jsonl.write(json.dumps(row, ensure_ascii=False) + "\n")
        if args.links:
            path = args.links / f"{pair.id}.links" if self._many else args.links
            write_links(links, path)
        if args.output:
            prefix = args.output / pair.id if self._many else args.output
            _write_sides(prefix, pair, links, aligner, rules)
        langs = args.src_lang, args.tgt_lang
        if self._tsv or self._tmx:
            aligned = export.aligned_texts(links, pair.src, pair.tgt, nulls=True)
            kept = (link for link in links if link.method != "boundary")
            for link, texts in zip(kept, aligned, strict=True):
                if self._tsv:
                    self._tsv.write(export.tsv_line(pair.id, link, *texts))
                if self._tmx:
                    self._tmx.write(export.tmx_unit(pair.id, link, texts, langs))
        if self._documents:
            made = export.document(pair.id, pair.src, pair.tgt, links, langs, args.book)
            self._documents.write(dumps(made) + "\n")

    def finish(self) -> None:
        """Write what comes after all texts."""
        from bwb.align import export

        if self._tmx:
            self._tmx.write(export.TMX_TAIL)


def _write_sides(
    prefix: Path,
    pair: TextPair,
    links: list[SentenceLink],
    aligner: Aligner,
    rules: Filter | None,
) -> None:
    """PREFIX-s and PREFIX-t; with a filter also PREFIX-good-s and so on.

    With compat these are Bleualign's own links, which may use a sentence twice; else there is a
    line for each link, empty on one side where the link is.
    """
    from bwb.align import export
    from bwb.align.bleualign import Bleualign

    articles: list[list[SentenceLink | RawLink]] = [list(links)]
    compat = isinstance(aligner, Bleualign) and aligner.compat
    if isinstance(aligner, Bleualign) and compat:
        found = aligner.raw(pair.src, pair.tgt, pair.translations, pair.back_translations)
        articles = [list(article) for article in found]
    elif rules:
        articles = [[]]
        for link in links:
            if link.method == "boundary":
                articles.append([])
            else:
                articles[-1].append(link)
    flat = [link for article in articles for link in article]
    export.write_sides(prefix, "", export.aligned_texts(flat, pair.src, pair.tgt, nulls=not compat))
    if rules and isinstance(aligner, Bleualign):
        back = not pair.translations and bool(pair.back_translations)
        if back:
            texts = pair.back_translations[0], pair.src
        else:
            texts = (pair.translations or [aligner.translated(pair.src)])[0], pair.tgt
        marks = rules.good(articles, *texts, back=back)
        for name, wanted in (("-good", True), ("-bad", False)):
            chosen = [
                link
                for article, row in zip(articles, marks, strict=True)
                for link, good in zip(article, row, strict=True)
                if good == wanted
            ]
            export.write_sides(
                prefix, name, export.aligned_texts(chosen, pair.src, pair.tgt, nulls=False)
            )
