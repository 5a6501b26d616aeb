"""What `bwb build-corpus` is told: a TOML file.

Paths in it are relative to the file. Everything but the manifest has a default.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from bwb.errors import Finding, FormatError
from bwb.tomlfile import Strict, read_toml

if TYPE_CHECKING:
    from bwb.records import Split


class CrawlSettings(Strict):
    """How pages are fetched; see `bwb crawl --help`."""

    enabled: bool = True
    """False takes the pages that are there and fetches none."""
    archive: bool = False
    """Fetch from a web archive instead of the sites."""
    archive_url: str | None = None
    """The archive; None is the Wayback Machine."""
    archive_date: str | None = None
    """The capture nearest to this day is taken; None takes the latest."""
    contact: str | None = None
    """Who asks, an address in the User-Agent."""
    seconds: float | None = None
    """Least time between two requests to a host; a recipe's own is kept if it is longer."""
    refresh: bool = False
    """Ask whether lists of chapters have changed."""
    retry_failed: bool = False
    """Ask again for pages that failed for a passing reason."""


class AlignSettings(Strict):
    """How sentences are aligned."""

    aligner: str = "hybrid"
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the aligner."""

    @property
    def as_given(self) -> dict[str, Any]:
        """The options, with no cache of sentence vectors unless it is asked for.

        Each chapter is aligned once; the vectors of a whole corpus would fill some 80 GB.
        """
        return {"cache": False, **self.options} if self.aligner == "hybrid" else self.options


class SplitSettings(Strict):
    """Shares of books that go to a split if the manifest does not say; the rest trains."""

    validation: float = Field(default=0.0, ge=0, le=1)
    test: float = Field(default=0.0, ge=0, le=1)
    seed: int = 0


class CorpusSettings(Strict):
    """`corpus.toml` of a corpus to build; an unknown key is an error."""

    name: str
    manifest: Path | None = None
    """The books; see `bwb.crawl.manifest`. May be left out only if `chapters` is there."""
    sites: tuple[Path, ...] = ()
    """Folders of recipes, besides those that come with the package."""
    out: Path = Path("build")
    """Folder for pages, intermediate files and the dataset."""
    chapters: Path | None = None
    """Folder of `<book>.jsonl` files of chapters: takes the place of crawling and extraction."""
    version: str | None = None
    license: str | None = None
    description: str | None = None
    workers: int = Field(default=0, ge=0)
    """Processes; 0 is one a core."""
    executor: Literal["pool", "datatrove"] = "pool"
    crawl: CrawlSettings = CrawlSettings()
    align: AlignSettings = AlignSettings()
    split: SplitSettings = SplitSettings()
    filters: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Rules of `crawl/filters.toml` to change: ``[filters.short] threshold = 3``."""


def read_settings(path: Path) -> CorpusSettings:
    """Read a `corpus.toml`, its paths made absolute.

    Raises:
        FormatError: as `bwb.tomlfile.read_toml`.
    """
    home = path.resolve().parent
    settings = read_toml(path, CorpusSettings)
    if settings.manifest is None and settings.chapters is None:
        message = "neither manifest nor chapters is set; expected the manifest of the books"
        raise FormatError(Finding(str(path), 0, 0, "settings", message))
    return settings.model_copy(
        update={
            "manifest": settings.manifest and home / settings.manifest,
            "sites": tuple(home / folder for folder in settings.sites),
            "out": home / settings.out,
            "chapters": settings.chapters and home / settings.chapters,
        }
    )


def split_of(book: str, given: Split | None, settings: SplitSettings) -> Split:
    """The split of a book: as given, else by a digest of its id, so that it never changes.

    Args:
        book: Id of the book.
        given: What the manifest says.
        settings: Shares of the splits.
    """
    import hashlib

    if given is not None:
        return given
    digest = hashlib.sha256(f"{settings.seed}:{book}".encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < settings.test:
        return "test"
    return "validation" if place < settings.test + settings.validation else "train"
