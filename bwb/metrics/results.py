"""The file of results that `bwb score --out` writes, and `bwb report` reads.

It holds everything that reports and statistics are made of, so that no text has to be looked at
again: the counts of every document, system and metric, what was missed, what became of pronouns
line by line, and what is said of the documents. The only texts are those of the lines that systems
get wrong most, to be quoted (`Quoted`); they can be left out.

The file is JSON, one object of `Results`. What has been read is checked: keys, types, that names
and numbers of things agree, and that the counts come to the scores that stand beside them.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from bwb import __version__
from bwb.errors import BwbError, Finding, FormatError, InputError
from bwb.metrics.base import Miss, Tally
from bwb.metrics.gender import PronounLine  # noqa: TC001 - pydantic has to find it here
from bwb.metrics.scoring import Scored
from bwb.textio import read_text, replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bwb.metrics.base import Metric

FORMAT = "bwb results"
# Raised when an older bwb could not read the file.
FORMAT_VERSION = 1
_STRICT = {"extra": "forbid"}
# Two sums of the same counts, in another order, may differ by this much.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Chapter:
    """What is said of a document.

    Attributes:
        id: Id of the document.
        book: Its book.
        genre: Genre of the book.
        split: Split of the book.
        sentences: Number of lines.
        omitted: Side (``en``, ``zh``) → share of its annotated pronouns that the other omits.
    """

    __pydantic_config__ = _STRICT
    id: str
    book: str
    genre: str | None
    split: str | None
    sentences: int
    omitted: dict[str, float]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A line that some system gets wrong, in full."""

    __pydantic_config__ = _STRICT
    document: str
    sentence: int
    zh: str | None
    en: str | None
    outputs: dict[str, str]


@dataclass(frozen=True, slots=True)
class Counted:
    """What a metric found in a document of a system: counts, and misses as lists.

    A miss is (index of the sentence, name, kind, how many).
    """

    __pydantic_config__ = _STRICT
    counts: dict[str, float]
    misses: list[tuple[int, str, str, int]]


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric.

    Attributes:
        name: Name in `bwb.metrics.METRICS`.
        arguments: What it was made with, where that is not the default.
        signature: As it was when the texts were scored.
        documents: Ids of the documents that could be scored.
        left_out: Ids of the others, and what they lack.
        tallies: System → one of each document.
        scores: System → its scores, as `bwb.metrics.base.Score.to_json`, without misses.
    """

    __pydantic_config__ = _STRICT
    name: str
    arguments: dict[str, Any]
    signature: str
    documents: list[str]
    left_out: dict[str, str]
    tallies: dict[str, list[Counted]]
    scores: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Results:
    """Everything a report needs.

    Attributes:
        systems: Names of the systems, in the order they were given.
        documents: The documents.
        metrics: The metrics.
        command: The command line that made the file, without the program's folder.
        data: What signatures say of the data: ``data`` (name and digest) and ``split``.
        corpus: Where the documents were read from; None for the sample, or for plain files.
        pronouns: Lines with pronouns of the third person; see `bwb.metrics.gender`.
        quoted: Lines in full.
        version: Version of bwb.
    """

    __pydantic_config__ = _STRICT
    systems: list[str]
    documents: list[Chapter]
    metrics: list[Measured]
    command: list[str] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    corpus: str | None = None
    pronouns: list[PronounLine] = field(default_factory=list)
    quoted: list[Quoted] = field(default_factory=list)
    version: str = __version__

    @cached_property
    def scored(self) -> list[Scored]:
        """The counts of each metric, as they were before they were written."""
        return [_scored(row, self.data) for row in self.metrics]

    @cached_property
    def chapters(self) -> Mapping[str, Chapter]:
        """The documents by their ids."""
        return {row.id: row for row in self.documents}

    @cached_property
    def texts(self) -> Mapping[tuple[str, int], Quoted]:
        """The lines in full, by document and index."""
        return {(row.document, row.sentence): row for row in self.quoted}


def measured(row: Scored) -> Measured:
    """A metric's counts in the form they are written in."""
    scores = {}
    for score in row.scores():
        body = score.to_json()
        scores[score.system] = {k: v for k, v in body.items() if k not in {"misses", "signature"}}
    return Measured(
        name=row.metric.name,
        arguments=arguments(row.metric),
        signature=str(row.metric.signature(row.data)),
        documents=list(row.documents),
        left_out=dict(row.left_out),
        tallies={
            system: [
                Counted(
                    dict(tally.counts),
                    [(m.sentence, m.name, m.kind, m.count) for m in tally.misses],
                )
                for tally in tallies
            ]
            for system, tallies in row.tallies.items()
        },
        scores=scores,
    )


def arguments(metric: Metric) -> dict[str, Any]:
    """What a metric was made with, where that is not the default and can be written as JSON.

    Texts and models are no part of it: scores are made of counts alone. A metric keeps an argument
    under its own name, or, if it takes any keyword, in a dataclass `settings`.
    """
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(type(metric)).parameters.items():
        settings = getattr(metric, "settings", None)
        if parameter.kind is inspect.Parameter.VAR_KEYWORD and dataclasses.is_dataclass(settings):
            for one in dataclasses.fields(settings):
                empty = one.default_factory() if callable(one.default_factory) else one.default
                found |= _argument(one.name, getattr(settings, one.name), empty)
        else:
            default = parameter.default
            found |= _argument(name, getattr(metric, name, default), default)
    return found


def _argument(name: str, value: object, default: object) -> dict[str, Any]:
    if value == default or name in {"references", "analyser", "resolver"}:
        return {}
    try:
        return {name: json.loads(json.dumps(value))}
    except (TypeError, ValueError):
        return {}


def write_results(path: Path, results: Results) -> None:
    """Write a file of results; the old one is there until the new one is complete."""
    body = {"format": FORMAT, "format_version": FORMAT_VERSION, **dataclasses.asdict(results)}
    with replacing(path) as file:
        json.dump(_compact(body), file, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        file.write("\n")


def _compact(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The same with whole numbers as such."""
    if isinstance(value, dict):
        return {key: _compact(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_compact(one) for one in value]
    if hasattr(value, "item"):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read_results(path: Path) -> Results:
    """Read a file of results.

    Raises:
        FormatError: if it is no such file, or does not agree with itself: the message names the
            key, its value, and what was expected.
        InputError: if it is not there, or of a later version.
    """
    from pydantic import ValidationError

    from bwb.schema import adapter

    text, _ = read_text(path)
    try:
        body = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise _wrong(path, f"not JSON: {error}", line) from None
    if not isinstance(body, dict) or body.pop("format", None) != FORMAT:
        raise _wrong(path, "not a file of results; expected one that bwb score --out wrote")
    version = body.pop("format_version", None)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _wrong(path, f"format_version: found {version!r}; expected 1 to {FORMAT_VERSION}")
    if version > FORMAT_VERSION:
        raise InputError(
            f"{path}: format_version {version}, written by bwb {body.get('version')}; this is bwb "
            f"{__version__}, which reads up to {FORMAT_VERSION}: install the later one"
        )
    try:
        results = adapter(Results).validate_python(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        value = repr(first.get("input"))
        value = value if len(value) <= 80 else f"{value[:77]}..."
        raise _wrong(path, f"{where}: {first['msg']}; found {value}") from None
    _check(results, path)
    return results


def _wrong(path: Path, message: str, line: int = 0) -> FormatError:
    return FormatError(Finding(str(path), line, 0, "results", message))


def _check(results: Results, path: Path) -> None:
    """See that the parts fit together.

    Raises:
        FormatError: if they do not.
    """
    sizes = {row.id: row.sentences for row in results.documents}
    if len(sizes) < len(results.documents):
        raise _wrong(path, "documents: an id occurs twice")
    if not results.systems or not results.metrics or not sizes:
        raise _wrong(path, "systems, documents and metrics: expected one or more of each")
    for number, row in enumerate(results.metrics):
        where = f"metrics.{number} ({row.name})"
        if unknown := [name for name in row.documents if name not in sizes]:
            raise _wrong(path, f"{where}.documents: {unknown[0]!r} is not among the documents")
        for what, given in (("tallies", list(row.tallies)), ("scores", list(row.scores))):
            if given != results.systems:
                raise _wrong(path, f"{where}.{what}: systems {given}; expected {results.systems}")
        for system, tallies in row.tallies.items():
            if len(tallies) != len(row.documents):
                raise _wrong(
                    path,
                    f"{where}.tallies.{system}: {len(tallies)} rows; expected "
                    f"{len(row.documents)}, one a document",
                )
            for name, tally in zip(row.documents, tallies, strict=True):
                for index, *_ in tally.misses:
                    _in_range(path, f"{where}.tallies.{system}", name, index, sizes)
    placed: list[tuple[str, list[Any]]] = [("pronouns", results.pronouns)]
    for what, lines in (*placed, ("quoted", list(results.quoted))):
        for line in lines:
            _in_range(path, what, line.document, line.sentence, sizes)
            if unknown := [name for name in line.outputs if name not in results.systems]:
                raise _wrong(path, f"{what}: {unknown[0]!r} is not among the systems")
    _check_scores(results, path)


def _in_range(path: Path, what: str, name: str, index: int, sizes: Mapping[str, int]) -> None:
    if name not in sizes or not 0 <= index < sizes[name]:
        said = f"0 to {sizes[name] - 1}" if name in sizes else "a document that is listed"
        raise _wrong(path, f"{what}: sentence {index} of {name!r}; expected {said}")


def _check_scores(results: Results, path: Path) -> None:
    """See that counts come to the scores that the file gives.

    Raises:
        FormatError: if they do not: the file was changed, or the metric was.
    """
    try:
        scored = results.scored
    except (BwbError, TypeError, ValueError) as error:
        raise _wrong(path, f"metrics: {error}") from None
    for number, (row, back) in enumerate(zip(results.metrics, scored, strict=True)):
        for score in back.scores():
            said = row.scores[score.system]
            for name in ("score", "precision", "recall", "f1", "exact_match"):
                ours, theirs = getattr(score, name), said.get(name)
                same = ours is theirs if None in (ours, theirs) else _close(ours, theirs)
                if not same:
                    raise _wrong(
                        path,
                        f"metrics.{number} ({row.name}).scores.{score.system}.{name}: {theirs!r}, "
                        f"but the counts come to {ours!r}; the file was changed, or the metric "
                        f"since bwb {results.version}",
                    )


def _close(ours: object, theirs: object) -> bool:
    both = isinstance(ours, int | float) and isinstance(theirs, int | float)
    return both and math.isclose(
        cast("float", ours), cast("float", theirs), rel_tol=_ROUNDING, abs_tol=_ROUNDING
    )


def _scored(row: Measured, data: Mapping[str, str]) -> Scored:
    from bwb.metrics import metric_class

    return Scored(
        metric_class(row.name)(**row.arguments),
        list(row.documents),
        {
            system: [
                Tally(
                    dict(tally.counts),
                    [Miss(name, *miss) for miss in tally.misses],
                )
                for name, tally in zip(row.documents, tallies, strict=True)
            ]
            for system, tallies in row.tallies.items()
        },
        dict(row.left_out),
        data,
    )
