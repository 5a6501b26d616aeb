"""From a manifest of books to a dataset: every stage in order, and what went in and out.

    fetch ─► extract ─► clean ─► (duplicates) ─► pair ─► align ─► filter ─► split ─► Parquet + card

Each stage streams by book, one book a process, and is skipped for books for which it is done. Only
the search for duplicates looks at all books, by fingerprints.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError
from bwb.pipeline.align import Align, Filter, read_documents
from bwb.pipeline.clean import Clean, read_prints
from bwb.pipeline.extract import Extract
from bwb.pipeline.pair import Pair
from bwb.pipeline.stage import DROPPED, MANIFEST_ROWS, REMOVED
from bwb.pipeline.work import Flow, Work, digest_of
from bwb.records import LANGS
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bwb.clean.duplicates import Duplicate
    from bwb.clean.numbering import Link
    from bwb.crawl.crawler import CrawlReport, Progress
    from bwb.crawl.manifest import Book
    from bwb.pipeline.assemble import ManifestRow
    from bwb.pipeline.settings import CorpusSettings
    from bwb.pipeline.stage import Stage
    from bwb.records import Document
    from bwb.run.base import Executor


@dataclass(slots=True)
class StageReport:
    """What a stage did over all books."""

    name: str
    unit: str
    flow: Flow = field(default_factory=Flow)
    fresh: int = 0
    """Books it was done for now; the others were done before."""
    failed: dict[str, str] = field(default_factory=dict)
    """Books it could do nothing with, and why."""
    seconds: float = 0.0
    """Time spent in it, over all processes."""


@dataclass(slots=True)
class CorpusReport:
    """What was built."""

    name: str
    out: Path
    stages: list[StageReport] = field(default_factory=list)
    crawl: CrawlReport | None = None
    """What the crawler counted; None if it was not asked."""
    documents: int = 0
    digest: str | None = None
    """Logical digest of the documents."""
    sizes: list[dict[str, Any]] = field(default_factory=list)
    """Table 1 of the paper, for what was built."""
    fresh: bool = True
    """Whether the dataset was written now; False if it was there."""

    @property
    def failed(self) -> dict[str, str]:
        """Books that are not in the dataset because of an error."""
        return {book: why for stage in self.stages for book, why in stage.failed.items()}

    @property
    def dataset(self) -> Path:
        """The dataset folder."""
        return self.out / "dataset"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "out": str(self.out),
            "dataset": str(self.dataset),
            "fresh": self.fresh,
            "documents": self.documents,
            "digest": self.digest,
            "crawl": self.crawl and self.crawl.as_dict(),
            "stages": [
                {
                    "stage": stage.name.partition("-")[2],
                    "unit": stage.unit,
                    **stage.flow.as_dict(),
                    "books_done_now": stage.fresh,
                    "failed": stage.failed,
                    "seconds": round(stage.seconds, 3),
                }
                for stage in self.stages
            ],
            "sizes": self.sizes,
        }


class _Run:
    """One run of the pipeline."""

    def __init__(self, settings: CorpusSettings) -> None:
        self.settings = settings
        self.out = settings.out
        self.work = Work(settings.out / "work")
        self.report = CorpusReport(settings.name, settings.out)
        self.books = _books(settings)
        self.executor = _executor(settings)

    def stage(self, stage: Stage, books: Sequence[str]) -> list[str]:
        """Do a stage; returns the books for which it is done."""
        report = StageReport(stage.name, stage.unit)
        self.report.stages.append(report)
        label = stage.name.partition("-")[2]
        for outcome in self.executor.run(stage, books, label=label):
            report.seconds += outcome.seconds
            if outcome.result is None:
                report.failed[outcome.shard] = outcome.error or "unknown error"
                continue
            report.flow.add(Flow.from_dict(outcome.result["flow"]))
            report.fresh += outcome.result["fresh"]
        left = [book for book in books if book not in report.failed]
        if books and not left:
            book, why = next(iter(report.failed.items()))
            more = f", and {len(books) - 1} more" if len(books) > 1 else ""
            raise InputError(f"{label}: every book failed: {book}: {why}{more}")
        return left


def build_corpus(
    settings: CorpusSettings,
    watch: Callable[[Progress], None] | None = None,
    rows: Sequence[ManifestRow] | None = None,
) -> CorpusReport:
    """Build a corpus, or go on with one.

    Args:
        settings: What to build.
        watch: Called now and then while pages are fetched.
        rows: Manifest of a corpus that is rebuilt: what belongs together, genres and splits.

    Returns:
        Counts of every stage, and where the dataset is. Books that failed are left out and listed.

    Raises:
        InputError: if the manifest, a recipe or a setting is wrong, or nothing is left to publish.
    """
    from bwb.align.registry import make_aligner
    from bwb.clean.filters import load_filters

    # What is wrong with the settings is refused now, not after a day of fetching.
    make_aligner(settings.align.aligner, **settings.align.as_given)
    load_filters(settings.filters)
    run = _Run(settings)
    if settings.chapters is None and settings.crawl.enabled:
        from bwb.pipeline.fetch import fetch

        run.report.crawl = fetch(settings, watch)
    books = sorted(run.books)
    books = run.stage(Extract(settings, run.work), books)
    books = run.stage(Clean(settings, run.work), books)
    duplicates = _duplicates(run, books)
    maps = _maps(run) if rows is None else _maps_of(rows)
    books = run.stage(Pair(settings, run.work, duplicates, maps), books)
    books = run.stage(Align(settings, run.work), books)
    about = {name: (book.genre, book.split) for name, book in run.books.items() if book}
    about |= {row.book: (row.genre, row.split) for row in rows or ()}
    books = run.stage(Filter(settings, run.work, about), books)
    _publish(run, books)
    _write_report(run, books)
    return run.report


def _books(settings: CorpusSettings) -> dict[str, Book | None]:
    """The books by id; None for one that is there as chapters, but not in a manifest."""
    books: dict[str, Book | None] = {}
    if settings.manifest is not None:
        from bwb.crawl.manifest import read_manifest

        books = {book.book: book for book in read_manifest(settings.manifest)}
    if settings.chapters is not None:
        there = {path.stem for path in settings.chapters.glob("*.jsonl")}
        if not there:
            raise InputError(f"{settings.chapters}: no files of chapters; expected <book>.jsonl")
        if missing := sorted(set(books) - there):
            raise InputError(f"{settings.chapters}: no {missing[0]}.jsonl, but the manifest has it")
        books = {name: books.get(name) for name in there}
    return books


def _executor(settings: CorpusSettings) -> Executor:
    if settings.executor == "datatrove":
        from bwb.run.cluster import LocalDatatrove

        return LocalDatatrove(settings.out / "work" / "datatrove", workers=settings.workers)
    from bwb.run.pool import Pool

    return Pool(settings.workers)


def _duplicates(run: _Run, books: Sequence[str]) -> dict[str, list[Duplicate]]:
    """Chapters that say what an earlier one says, by book."""
    from bwb.clean.duplicates import find_duplicates
    from bwb.clean.filters import load_filters

    settings = load_filters(run.settings.filters).duplicates
    prints = (row for book in books for row in read_prints(run.work, book))
    found: dict[str, list[Duplicate]] = {}
    for row in find_duplicates(prints, settings):
        found.setdefault(row.book, []).append(row)
    return found


def _maps_of(rows: Sequence[ManifestRow]) -> dict[str, list[Link]]:
    """The maps of chapters that the manifest of a built corpus amounts to."""
    sides: dict[str, dict[str, dict[str, tuple[int, ...]]]] = {}
    for row in rows:
        places = tuple(int(chapter.chapter) for chapter in row.chapters)
        sides.setdefault(row.book, {}).setdefault(row.id, {})[row.lang] = places
    return {
        book: sorted((d["zh"], d["en"]) for d in documents.values() if len(d) == len(LANGS))
        for book, documents in sides.items()
    }


def _maps(run: _Run) -> dict[str, list[Link]]:
    """The maps of chapters that the manifest gives."""
    return {
        name: [(match.zh, match.en) for match in book.matches]
        for name, book in run.books.items()
        if book and book.matches
    }


def _publish(run: _Run, books: Sequence[str]) -> None:
    """Write dataset, manifest and lists of what was dropped, unless they are there."""
    settings, report = run.settings, run.report
    done = [run.work.done(Filter.name, book) for book in books]
    about = [settings.name, settings.version, settings.license, settings.description]
    key = digest_of([about, [one.digest for one in done if one]])
    note = run.work.folder / "publish.done.json"
    try:
        body = json.loads(note.read_bytes())
    except (OSError, ValueError):
        body = {}
    if body.get("key") == key and (report.dataset / "manifest.json").is_file():
        report.documents, report.digest = body["documents"], body["digest"]
        report.sizes, report.fresh = body["sizes"], False
        return
    _build(run, books)
    with replacing(note) as file:
        json.dump(
            {
                "key": key,
                "documents": report.documents,
                "digest": report.digest,
                "sizes": report.sizes,
            },
            file,
        )


def _build(run: _Run, books: Sequence[str]) -> None:
    from bwb.annotations.statistics import Statistics
    from bwb.publish.build import build

    settings, report = run.settings, run.report
    statistics = Statistics()

    def documents() -> Iterator[Document]:
        for book in books:
            for document in read_documents(run.work, Filter.name, book):
                statistics.add(document)
                yield document

    result = build(
        documents(),
        report.dataset,
        name=settings.name,
        description=settings.description,
        version=settings.version,
        license=settings.license,
        overwrite=True,
    )
    report.documents, report.digest = result.manifest.documents, result.manifest.digest
    report.sizes = statistics.tables()["sizes"]


def _write_report(run: _Run, books: Sequence[str]) -> None:
    """The manifest of chapters, what was dropped, and the counts."""
    names = [stage.name for stage in run.report.stages]
    everything = sorted(run.books)
    run.work.gather(DROPPED, names, everything, run.out / "dropped.jsonl")
    run.work.gather(REMOVED, names, everything, run.out / "removed-lines.jsonl")
    run.work.gather(MANIFEST_ROWS, [Filter.name], books, run.out / "manifest.jsonl")
    with replacing(run.out / "report.json") as file:
        json.dump(run.report.as_dict(), file, ensure_ascii=False, indent=2)
        file.write("\n")
