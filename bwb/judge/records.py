"""What lies in a file of answers: runs, requests, items and answers, and published records.

A file that `bwb judge run` writes has an object a line, and only ever grows:

run      what answers depend on: rubric, model, settings; and where its answers have the scores
request  a request, whole, under its digest; written before it is first sent
item     a text of a system that a request is about; several may share a request, and its answer
answer   an answer to a request, with a number from 0 for repeats
failure  a request that was given up; it is asked again by the next run

Published records (Sun et al. 2024) have the text, the reference and the answer in one object.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bwb.errors import Finding, FormatError
from bwb.judge.layout import Place, plain_key, reading_rules
from bwb.judge.scores import find
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bwb.judge.reading import Reading

_STRICT = json.JSONDecoder()
_LENIENT = json.JSONDecoder(strict=False)
_GAP = re.compile(r"[\s,\x1e]*")
_DIRECTION = re.compile(r"(?<![a-z])([a-z]{2}-[a-z]{2})(?![a-z])")
_TEXT_KEY = re.compile(r"translation\d*|output|hypothesis")


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored answer.

    Attributes:
        file: Name of its file.
        line: 1-based line in it.
        system: Whose text was judged.
        document: Which document, or which window of it (``book/chapter#0-10``).
        direction: Source and target language, ``zh-en``; None if the file does not tell.
        text: The text that was judged.
        reference: The reference the judge saw; None if it saw none.
        answer: What the judge said.
        places: Where the scores are; None if the answer itself has to tell.
        repeat: Number of the repeat, from 0.
        key: Digest of what was asked: answers with the same key are repeats of one another.
        offset: Where the text begins in the system's output, in code points.
        sentence: Index of its first sentence there.
        windows: Number of windows that the document was cut into.
        judge: Name of the judge; None for a published record.
        cut_off: Whether the server says that the answer was cut off at the limit of tokens.
    """

    file: str
    line: int
    system: str
    document: str
    direction: str | None
    text: str
    reference: str | None
    answer: str
    places: tuple[Place, ...] | None
    repeat: int
    key: str
    offset: int = 0
    sentence: int = 0
    windows: int = 1
    judge: str | None = None
    cut_off: bool = False


def objects(path: Path, findings: list[Finding]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with the line each begins on.

    Two objects on a line, an object over several lines, raw control characters and objects that
    are encoded twice are read, and reported. What is no object is reported, and passed over.

    Raises:
        FormatError: if the file is not UTF-8.
        InputError: if there is no such file.
    """
    text, found = read_text(path)
    findings += found
    name = str(path)
    at, line, counted = 0, 1, 0
    ended_on = 0
    while True:
        at = max(at, *(match.end() for match in [_GAP.match(text, at)] if match))
        if at >= len(text):
            return
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, end = _decode(text, at, name, line, findings)
        except (json.JSONDecodeError, RecursionError) as error:
            findings.append(_no_json(error, name, line))
            newline = text.find("\n", at)
            at = len(text) if newline < 0 else newline
            continue
        if ended_on == line:
            message = "a second object on the line; expected one a line"
            findings.append(Finding(name, line, 0, "two-records", message, "both are read"))
        ended_on = line + text.count("\n", at, end)
        for row in value if isinstance(value, list) else [value]:
            if isinstance(row, dict):
                yield line, row
            else:
                message = f"{str(row)[:40]!r}; expected an object"
                findings.append(Finding(name, line, 0, "json", message))
        at = end


def _decode(text: str, at: int, name: str, line: int, findings: list[Finding]) -> tuple[Any, int]:
    try:
        value, end = _STRICT.raw_decode(text, at)
    except json.JSONDecodeError:
        value, end = _LENIENT.raw_decode(text, at)
        message = "raw control characters in a string"
        findings.append(Finding(name, line, 0, "control-characters", message, "read as they are"))
    if isinstance(value, str):
        value = _LENIENT.decode(value)
        message = "a string that holds JSON; expected an object"
        findings.append(Finding(name, line, 0, "double-encoded", message, "decoded twice"))
    return value, end


def _no_json(error: Exception, name: str, line: int) -> Finding:
    reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deep"
    return Finding(name, line, 0, "json", f"no JSON from here to the end of the line: {reason}")


def stored_answers(path: Path, findings: list[Finding]) -> list[Stored]:
    """The answers of a file, in its order.

    Args:
        path: A file that `bwb judge run` wrote, or one of published records.
        findings: List that what is odd is appended to.

    Raises:
        FormatError: if there is no answer in it, or a record lacks what it needs.
        InputError: if there is no such file.
    """
    rows = list(objects(path, findings))
    if any(row.get("record") == "run" for _, row in rows):
        stored = _ours(path, rows, findings)
    else:
        of = (_system_name(path), _direction(path))
        stored = [_published(path, line, row, *of) for line, row in rows if "gpt_response" in row]
        for line, row in rows:
            if "gpt_response" not in row:
                message = f"keys {', '.join(map(repr, row)) or 'none'}; expected gpt_response"
                findings.append(Finding(str(path), line, 0, "no-answer", message))
    if not stored:
        message = "no answers of a judge in it; expected a file of bwb judge run, or records "
        message += "with gpt_response"
        raise FormatError(Finding(str(path), 0, 0, "no-answers", message))
    return stored


def _ours(
    path: Path, rows: list[tuple[int, dict[str, Any]]], findings: list[Finding]
) -> list[Stored]:
    """The answers of a file of ours, one for each text that shares the request."""
    runs: dict[str, dict[str, Any]] = {}
    # An item of a later run takes the place of the same item of an earlier one.
    items: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {}
    answers: list[tuple[int, dict[str, Any]]] = []
    line = 0
    try:
        for line, row in rows:
            if row["record"] == "run":
                runs[row["id"]] = row
            elif row["record"] == "item":
                same = (row["part"], row["system"], row["document"], *row["window"])
                items.setdefault(row["request"], {})[same] = row
            elif row["record"] == "answer":
                answers.append((line, row))
        labels = _judges(runs)
        places = {
            (name, part): tuple(map(Place.model_validate, rows))
            for name, run in runs.items()
            for part, rows in run["places"].items()
        }
        stored = [
            _our_answer(path, line, row, item, runs[item["run"]], labels, places)
            for line, row in answers
            for item in items[row["request"]].values()
        ]
    except (KeyError, TypeError, ValueError) as error:
        message = f"a record that lacks {error}, or refers to what is not there"
        raise FormatError(Finding(str(path), line, 0, "record", message)) from None
    answered = {row["request"] for _, row in answers}
    missing = sum(len(of) for key, of in items.items() if key not in answered)
    if missing:
        message = f"{missing} texts are not judged yet; run bwb judge run again"
        findings.append(Finding(str(path), 0, 0, "unanswered", message, severity="warning"))
    return stored


def _judges(runs: dict[str, dict[str, Any]]) -> dict[tuple[str, str], str]:
    """A name for the judge of each run and part: the model, with a digest where there are several.

    Other settings or prompts make another judge of the same model.
    """
    digests: dict[tuple[str, str], set[str]] = {}
    for run in runs.values():
        for part, digest in run["judges"].items():
            digests.setdefault((run["settings"]["model"], part), set()).add(digest)
    names = {}
    for name, run in runs.items():
        model = run["settings"]["model"]
        for part, digest in run["judges"].items():
            alone = len(digests[model, part]) == 1
            names[name, part] = model if alone else f"{model}#{digest}"
    return names


def _our_answer(
    path: Path,
    line: int,
    row: dict[str, Any],
    item: dict[str, Any],
    run: dict[str, Any],
    labels: dict[tuple[str, str], str],
    places: dict[tuple[str, str], tuple[Place, ...]],
) -> Stored:
    first, last = item["window"]
    window = f"#{first}-{last}" if item["windows"] > 1 else ""
    return Stored(
        file=str(path),
        line=line,
        system=item["system"],
        document=item["document"] + window,
        direction=run["direction"],
        text=item["text"],
        reference=item["reference"],
        answer=row["text"],
        places=places[item["run"], item["part"]],
        repeat=row["repeat"],
        key=row["request"],
        offset=item["offset"],
        sentence=first,
        windows=item["windows"],
        judge=labels[item["run"], item["part"]],
        cut_off=row["finish"] == "length",
    )


def _published(
    path: Path, line: int, row: dict[str, Any], system: str, direction: str | None
) -> Stored:
    key = next((key for key in row if _TEXT_KEY.fullmatch(key)), None)
    text = _plain_text(row.get(key)) if key else ""
    reference = row.get("reference")
    reference = None if reference is None else _plain_text(reference)
    answer = row["gpt_response"]
    if not isinstance(answer, str):
        answer = "" if answer is None else json.dumps(answer, ensure_ascii=False)
    of_text = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    document = "text-" + of_text.hexdigest()[:12]
    of_text.update(json.dumps(reference).encode())
    return Stored(
        file=str(path),
        line=line,
        system=system,
        document=document,
        direction=direction,
        text=text,
        reference=reference,
        answer=answer,
        places=None,
        repeat=0,
        key=of_text.hexdigest(),
    )


def _plain_text(value: Any) -> str:  # noqa: ANN401 - JSON
    """A text; one that was encoded as JSON once too often is decoded."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if text.startswith(('"', "[")):
        try:
            inner = json.loads(text)
        except (json.JSONDecodeError, RecursionError):
            return text
        if isinstance(inner, str):
            return inner
        if isinstance(inner, list) and all(isinstance(part, str) for part in inner):
            return "\n".join(inner)
    return text


def _direction(path: Path) -> str | None:
    """The languages that the name of a file, or of a folder around it, tells."""
    found = (_DIRECTION.search(part) for part in reversed(path.parts[-4:]))
    return next((match[1] for match in found if match), None)


def _system_name(path: Path) -> str:
    """The name of a published file without what tells the kind of its answers."""
    name = path.stem
    for ending in reading_rules().published_files.endings:
        name = name.removesuffix(ending)
    return name


def kind_places(reading: Reading) -> tuple[Place, ...]:
    """The published metrics that an answer is about, by its keys; none if it has none of them."""
    if reading.value is None:
        return ()
    groups = _groups()
    named = [groups[key] for key in map(plain_key, reading.value) if key in groups]
    if named:
        return named[0] if len(named) == 1 else tuple(place for of in named for place in of)
    for group in groups.values():
        if any(find(reading.value, place) for place in group):
            return group
    return ()


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[Place, ...]]:
    """The published metrics by their outer key."""
    groups: dict[str, tuple[Place, ...]] = {}
    for place in reading_rules().published:
        groups[place.keys[0]] = (*groups.get(place.keys[0], ()), place)
    return groups
