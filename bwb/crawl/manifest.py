"""Book manifests: which books to crawl, and where. A row a book; JSONL, CSV, TSV or TOML.

``crawl/README.md`` explains the keys. A manifest is read whole and checked before anything is
fetched: unknown keys, books or lists that are there twice, chapter maps that name a chapter twice.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from bwb.crawl.pick import Model, Text
from bwb.errors import Finding, FormatError, InputError, UnknownNameError
from bwb.records import Lang, Split  # noqa: TC001 - pydantic reads them
from bwb.textio import read_text
from bwb.tomlfile import parse_toml, problems, toml_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from bwb.crawl.recipe import Recipe

_URL = re.compile(r"https?://[^\s/]+(/\S*)?")
_PART = re.compile(r"(\d+(?:[-+]\d+)*):(\d+(?:[-+]\d+)*)")


@dataclass(frozen=True, slots=True)
class ChapterMatch:
    """Chapters that are each other's translation, by their place in the two lists, from 1."""

    zh: tuple[int, ...]
    en: tuple[int, ...]


def _number(value: object) -> object:
    """A number out of a CSV file."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


Place = Annotated[int, Field(ge=1), BeforeValidator(_number)]


class Book(Model):
    """A row: a book, where its lists of chapters are, and which recipes read them."""

    book: Annotated[str, Field(pattern=r"^[^\s/\\]+$")]
    zh_url: Text | None = None
    zh_recipe: Text | None = None
    en_url: Text | None = None
    en_recipe: Text | None = None
    title: str | None = None
    genre: str | None = None
    split: Split | None = None
    chapters: str | None = None
    first: Place | None = None
    last: Place | None = None

    @field_validator("zh_url", "en_url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        if value is not None and not _URL.fullmatch(value):
            raise ValueError(f"{value!r} is not an address; expected http://… or https://…")
        return value

    @field_validator("chapters")
    @classmethod
    def _check_chapters(cls, value: str | None) -> str | None:
        if value is not None:
            parse_chapters(value)
        return value

    @model_validator(mode="after")
    def _together(self) -> Book:
        for url, recipe in (("zh_url", "zh_recipe"), ("en_url", "en_recipe")):
            if (getattr(self, url) is None) != (getattr(self, recipe) is None):
                raise ValueError(f"{url} and {recipe} need each other")
        if not self.sides:
            raise ValueError("no list of chapters: expected zh_url and zh_recipe, or en_…, or both")
        if self.first and self.last and self.first > self.last:
            raise ValueError(f"first is {self.first}, after last, which is {self.last}")
        return self

    @property
    def sides(self) -> tuple[tuple[Lang, str, str], ...]:
        """Language, address of the list and recipe of each side there is, Chinese first."""
        sides: list[tuple[Lang, str, str]] = []
        if self.zh_url is not None and self.zh_recipe is not None:
            sides.append(("zh", self.zh_url, self.zh_recipe))
        if self.en_url is not None and self.en_recipe is not None:
            sides.append(("en", self.en_url, self.en_recipe))
        return tuple(sides)

    @property
    def matches(self) -> tuple[ChapterMatch, ...] | None:
        """Which chapters belong together; None if the row does not say."""
        return parse_chapters(self.chapters) if self.chapters is not None else None


def parse_chapters(text: str) -> tuple[ChapterMatch, ...]:
    """Read a map of chapters: ``1-10:1-10 11:12 12+13:13``, Chinese before the colon.

    Ranges of the same length go one by one; chapters joined by ``+`` go together.

    Raises:
        ValueError: if it is not one, or names a chapter twice.
    """
    matches: list[ChapterMatch] = []
    seen: dict[str, set[int]] = {"zh": set(), "en": set()}
    for part in text.replace(",", " ").split():
        found = _PART.fullmatch(part)
        if not found:
            raise ValueError(f"{part!r}: expected chapters such as 1-10:1-10, 11:12 or 12+13:13")
        zh, en = _chapters(found[1]), _chapters(found[2])
        together = "+" in part
        if not together and len(zh) != len(en):
            raise ValueError(
                f"{part!r}: {len(zh)} chapters against {len(en)}; chapters that go together are "
                "joined by +, as in 12+13:13"
            )
        pairs = [(zh, en)] if together else [((a,), (b,)) for a, b in zip(zh, en, strict=True)]
        matches += [ChapterMatch(*pair) for pair in pairs]
        for lang, chapters in (("zh", zh), ("en", en)):
            twice = seen[lang].intersection(chapters)
            if twice:
                raise ValueError(f"{part!r}: {lang} chapter {min(twice)} is in the map already")
            seen[lang].update(chapters)
    if not matches:
        raise ValueError("the map is empty; leave the key out to pair by number and content")
    return tuple(matches)


def _chapters(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in text.split("+"):
        ends = [int(end) for end in part.split("-")]
        if len(ends) > 2 or ends[0] > ends[-1] or ends[0] < 1:
            raise ValueError(f"{part!r}: expected a chapter, or a range such as 1-10")
        found += range(ends[0], ends[-1] + 1)
    return tuple(found)


def read_manifest(path: Path) -> tuple[Book, ...]:
    """Read a manifest, by its suffix: .jsonl, .csv, .tsv or .toml.

    Raises:
        FormatError: if a row is wrong, or a book or a list is there twice.
        InputError: if there is no such file, it is of another kind, or has no rows.
    """
    rows = {".jsonl": _jsonl, ".csv": _csv, ".tsv": _csv, ".toml": _toml}.get(path.suffix.lower())
    if rows is None:
        raise InputError(f"{path}: expected a manifest named .jsonl, .csv, .tsv or .toml")
    books: list[Book] = []
    seen: dict[str, int] = {}
    for row in rows(path):
        book, line = _book(row, path), row.line
        for what, value in (("book", book.book), ("list", book.zh_url), ("list", book.en_url)):
            first = seen.setdefault(f"{what} {value}", line) if value else line
            if first != line:
                message = f"{what} {value!r} is on line {first} already; expected it once"
                raise FormatError(Finding(str(path), line, 0, f"duplicate-{what}", message))
        books.append(book)
    if not books:
        raise InputError(f"{path}: the manifest has no rows; expected one a book")
    return tuple(books)


def check_recipes(books: tuple[Book, ...], recipes: Mapping[str, Recipe], file: str) -> None:
    """Make sure that every recipe named is there, and is of the language it is named for.

    Raises:
        UnknownNameError: if a recipe is not there.
        InputError: if one is of the other language.
    """
    for book in books:
        for lang, _, name in book.sides:
            if name not in recipes:
                raise UnknownNameError(f"recipe of book {book.book!r} in {file}:", name, recipes)
            if recipes[name].lang != lang:
                raise InputError(
                    f"{file}: book {book.book!r}: {lang}_recipe is {name!r}, a recipe for "
                    f"{recipes[name].lang}; expected one with lang = {lang!r}"
                )


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as it was read.

    Attributes:
        line: 1-based line.
        values: The row.
        text: The file, if lines of keys can be found in it; else empty.
        index: Index of the row.
    """

    line: int
    values: dict[str, Any]
    text: str = ""
    index: int = 0


def _book(row: _Row, path: Path) -> Book:
    try:
        return Book.model_validate(row.values)
    except ValidationError as error:
        found = problems(error, Book, str(path), row.text, within=("book", row.index))[0]
        finding = Finding(str(path), found.line or row.line, 0, found.code, found.message)
        raise FormatError(finding) from None


def _jsonl(path: Path) -> Iterator[_Row]:
    text, _ = read_text(path)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            message = f"not JSON: {error}; expected an object a line"
            raise FormatError(Finding(str(path), number, 0, "json", message)) from None
        if not isinstance(row, dict):
            message = f"{line.strip()[:40]!r} is not an object; expected one a line"
            raise FormatError(Finding(str(path), number, 0, "json", message))
        yield _Row(number, row)


def _csv(path: Path) -> Iterator[_Row]:
    text, _ = read_text(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"not a table: {error}"
            raise FormatError(Finding(str(path), line, 0, "csv", message)) from None
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = [cell.strip() for cell in cells]
            continue
        if len(cells) != len(header):
            message = f"{len(cells)} cells; expected {len(header)}, as the header has"
            raise FormatError(Finding(str(path), line, 0, "csv", message))
        pairs = zip(header, cells, strict=True)
        yield _Row(line, {key: cell.strip() for key, cell in pairs if cell.strip()})


def _toml(path: Path) -> Iterator[_Row]:
    body, text = parse_toml(path)
    rows = body.get("book")
    if set(body) != {"book"} or not isinstance(rows, list):
        message = f"the file has {', '.join(body) or 'nothing'}; expected [[book]] tables alone"
        raise FormatError(Finding(str(path), 1, 0, "manifest", message))
    for index, row in enumerate(rows):
        yield _Row(toml_line(text, ("book", index)), row, text, index)
