"""Checking a corpus: what no single document shows, and what each one does.

One pass over the documents. What is kept of a chapter is its id, a few numbers, and fingerprints of
its sides (1.4 kB each), so that leakage and duplicates are found at the end; of all else the most
extreme values and the first findings of each kind are kept, and the rest is counted.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.clean.duplicates import EXACT, find_duplicates, fingerprints
from bwb.clean.filters import load_filters
from bwb.clean.text import Text
from bwb.errors import Finding, Severity
from bwb.pipeline.checkup import Checkup, DoctorSettings, links_exist
from bwb.pipeline.outliers import Outliers
from bwb.records import Chapter
from bwb.tomlfile import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bwb.clean.duplicates import Duplicate, Fingerprint
    from bwb.records import Document

CODES: dict[str, str] = {
    "duplicate-id": "a document's id is unique",
    "split-leak": "a book is in one split",
    "duplicate-leak": "no chapter of a split is, or nearly is, one of another split",
    "duplicate-chapter": "no chapter is, or nearly is, another one (warning)",
    "encoding-damage": "text was decoded right (an error above the threshold of the filter)",
    "hidden-character": "no control or invisible characters (warning)",
    "wrong-language": "each side is in its language",
    "untranslated": "no sentence is in the other language (an error above the filter's threshold)",
    "identical": "the sides differ (an error for the whole, a warning for links)",
    "empty-side": "each side has text",
    "one-sided": "both sides are there (warning)",
    "no-split": "each document is in a split (warning)",
    "chapter-length": "no chapter is far longer or shorter than the others (warning)",
    "sentence-length": "no sentence is far longer or shorter than the others (warning)",
    "chapter-ratio": "the sides are as long as those of other chapters (warning)",
    "link-ratio": "the sides of a link are as long as those of other links (warning)",
    "no-links": "sentences are aligned (warning)",
    "link-range": "a link names sentences that exist",
    "many-nulls": "most sentences have a counterpart (warning)",
    "low-alignment": "the mean score of links is not low (warning)",
    "no-provenance": "each side says where it is from (warning)",
    "provenance": "what is from a page has digests, time and recipe (warning)",
}
_KEPT = 1000  # findings of a kind


@dataclass(slots=True)
class Diagnosis:
    """What was found.

    Attributes:
        documents: Number of documents.
        sentences: Sentences by language.
        counts: Findings by code and severity.
        findings: The findings, at most some of each code.
    """

    documents: int = 0
    sentences: Counter[str] = field(default_factory=Counter)
    counts: Counter[tuple[str, Severity]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, found: Iterable[Finding]) -> None:
        """Count findings, and keep them unless there are many of their kind."""
        for finding in found:
            key = finding.code, finding.severity
            self.counts[key] += 1
            if self.counts[key] <= _KEPT:
                self.findings.append(finding)

    @property
    def failed(self) -> bool:
        """Whether any finding is an error."""
        return any(severity == "error" for _, severity in self.counts)


class Doctor:
    """Examines documents; `finish` says what was found."""

    def __init__(self) -> None:
        """Read the thresholds."""
        self.filters = load_filters()
        self.settings = read_toml(asset("crawl/doctor.toml"), DoctorSettings)
        self.diagnosis = Diagnosis()
        self._checkup = Checkup(self.settings, self.filters)
        self._splits: dict[str, dict[str, str]] = {}
        self._split_of: dict[str, str] = {}
        self._prints: list[Fingerprint] = []
        self._book: list[Document] = []
        names = ("chapter-length", "sentence-length", "chapter-ratio", "link-ratio")
        self._outliers = {
            (name, lang): Outliers()
            for name in names
            for lang in (("zh", "en") if name.endswith("length") else ("",))
        }

    def examine(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Look at documents as they pass."""
        for document in documents:
            self._look(document)
            yield document

    def finish(self) -> Diagnosis:
        """All that was found."""
        self._close_book()
        self.diagnosis.add(self._leaks())
        self.diagnosis.add(self._unusual())
        return self.diagnosis

    def _look(self, document: Document) -> None:
        self.diagnosis.documents += 1
        self.diagnosis.add(self._checkup.check(document))
        split = document.split or "none"
        self._splits.setdefault(document.book, {}).setdefault(split, document.id)
        if document.id in self._split_of:
            message = "a second document of this id"
            self.diagnosis.add([Finding(document.id, 0, 0, "duplicate-id", message)])
            return
        self._split_of[document.id] = split
        if self._book and self._book[0].book != document.book:
            self._close_book()
        self._book.append(document)
        self._measure(document)

    def _measure(self, document: Document) -> None:
        name = document.id
        for side in document.sides:
            self.diagnosis.sentences[side.lang] += len(side.sentences)
            if side.sentences:
                chapters = self._outliers["chapter-length", side.lang]
                chapters.add(math.log(len(side.sentences)), (f"{name} [{side.lang}]", 0))
            sentences = self._outliers["sentence-length", side.lang]
            for number, text in enumerate(side.sentences, 1):
                if text:
                    sentences.add(math.log(len(text)), (f"{name} [{side.lang}]", number))
        if document.zh is None or document.en is None:
            return
        zh, en = ([len(text) for text in side.sentences] for side in document.sides)
        if sum(zh) and sum(en):
            self._outliers["chapter-ratio", ""].add(math.log(sum(en) / sum(zh)), (name, 0))
        for link in document.links if links_exist(document) else ():
            left, right = sum(zh[i] for i in link.zh), sum(en[j] for j in link.en)
            if left and right and left + right >= self.settings.link_least:
                place = f"{name} [zh]", link.zh[0] + 1
                self._outliers["link-ratio", ""].add(math.log(right / left), place)

    def _close_book(self) -> None:
        """Take the fingerprints of the documents of a book, and forget their text."""
        texts = [
            Text(Chapter(document.book, document.id, side.lang, "", side.sentences), side.sentences)
            for document in self._book
            for side in document.sides
            if side.sentences
        ]
        self._prints += fingerprints(texts, self.filters.duplicates)
        self._book = []

    def _leaks(self) -> Iterator[Finding]:
        for book, splits in self._splits.items():
            if len(splits) > 1:
                listed = ", ".join(f"{split} ({first})" for split, first in splits.items())
                message = f"the book is in {len(splits)} splits: {listed}"
                yield Finding(book, 0, 0, "split-leak", message)
        for twin in find_duplicates(self._prints, self.filters.duplicates):
            yield self._twin(twin)

    def _twin(self, twin: Duplicate) -> Finding:
        splits = self._split_of[twin.chapter], self._split_of[twin.of_chapter]
        how = "the same text as" if twin.kind == EXACT else f"{twin.jaccard:.0%} alike to"
        where = f"{twin.chapter} [{twin.lang}]"
        if splits[0] != splits[1]:
            message = f"in {splits[0]}, {how} {twin.of_chapter} in {splits[1]}"
            return Finding(where, 0, 0, "duplicate-leak", message)
        other = " of another book" if twin.book != twin.of_book else ""
        message = f"{how} {twin.of_chapter}{other}"
        return Finding(where, 0, 0, "duplicate-chapter", message, severity="warning")

    def _unusual(self) -> Iterator[Finding]:
        limits = {
            "chapter-length": (self.settings.chapter_z, "{:.0f} sentences; the median is {:.0f}"),
            "sentence-length": (
                self.settings.sentence_z,
                "{:.0f} characters; the median is {:.0f}",
            ),
            "chapter-ratio": (
                self.settings.chapter_ratio_z,
                "{:.2f} English characters to a Chinese one; the median is {:.2f}",
            ),
            "link-ratio": (
                self.settings.link_ratio_z,
                "{:.2f} English characters to a Chinese one; the median is {:.2f}",
            ),
        }
        for (code, _), values in self._outliers.items():
            limit, text = limits[code]
            centre = values.centre()
            for outlier in values.found(
                limit, least=math.log(self.settings.factor), fewest=self.settings.fewest
            ):
                median = math.exp(centre[0]) if centre else math.nan
                message = f"{text.format(math.exp(outlier.value), median)} (z = {outlier.z:+.1f})"
                yield Finding(*outlier.place, 0, code, message, severity="warning")


def diagnose(documents: Iterable[Document]) -> Diagnosis:
    """Examine all documents."""
    doctor = Doctor()
    for _ in doctor.examine(documents):
        pass
    return doctor.finish()
