"""TOML files that people write: models that refuse what they do not know, findings with lines."""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from bwb.errors import Finding, FormatError
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_HEADER = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*([\w"'-][\w\s."'-]*?)\s*=""")
_AT_LINE = re.compile(r"at line (\d+), column (\d+)")

Place = tuple["str | int", ...]
M = TypeVar("M", bound=BaseModel)


class Strict(BaseModel):
    """A frozen model; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def read_toml(path: Path, model: type[M]) -> M:
    """Read and check a TOML file.

    Raises:
        FormatError: if it is not TOML, or a key is unknown, missing or has a wrong value; for the
            first such thing, with its line.
        InputError: if there is no such file.
    """
    body, text = parse_toml(path)
    return check(body, model, str(path), text)


def check(body: dict[str, Any], model: type[M], file: str, text: str = "") -> M:
    """Check what was read, or put together, against a model; see `read_toml`.

    Args:
        body: The table.
        model: What it should be.
        file: Where it comes from, for messages.
        text: The text of the file, to find lines in; none if it is of several.
    """
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise FormatError(problems(error, model, file, text)[0]) from None


def parse_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Read a TOML file; returns what it says, and its text.

    Raises:
        FormatError: if it is not TOML, with the line.
        InputError: if there is no such file.
    """
    text, _ = read_text(path)
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, 0)
        reason = _AT_LINE.sub("", str(error)).replace(" ()", "").strip()
        hint = "; in TOML a backslash needs '…' around the text, not \"…\"" * ("escape" in reason)
        message = f"not TOML: {reason}{hint}"
        raise FormatError(Finding(str(path), line, column, "toml", message)) from None


def problems(
    error: ValidationError, model: type[BaseModel], file: str, text: str, within: Place = ()
) -> list[Finding]:
    """The findings of a validation error, by line.

    Args:
        error: What pydantic found.
        model: The model the file, or the part of it, should be.
        file: Name of the file.
        text: Its text.
        within: Place in the file of what was validated: ``("book", 2)`` is the third
            ``[[book]]``.
    """
    found = []
    whole = "the row" if within else "the file"
    for item in error.errors(include_url=False):
        place = tuple(part for part in item["loc"] if part != "function-after")
        line = toml_line(text, (*within, *place))
        code, message = _message(item, place, model, whole)
        found.append(Finding(file, line, 0, code, message))
    # An unknown key is the likely reason of what else is amiss, such as a key that is missing.
    found.sort(key=lambda finding: (finding.code != "unknown-key", finding.line))
    return found


def _message(item: Any, place: Place, model: type[BaseModel], whole: str) -> tuple[str, str]:  # noqa: ANN401
    key = dotted(place) or whole
    if item["type"] == "extra_forbidden":
        return "unknown-key", _unknown(place, model, whole)
    if item["type"] == "missing":
        return "missing-key", f"{key} is missing; it is needed"
    reason = item["msg"].removeprefix("Value error, ")
    value = item["input"]
    if item["type"] == "value_error" or isinstance(value, dict | list):
        return "bad-value", f"{key}: {reason}"
    return "bad-value", f"{key} is {value!r}: {reason[0].lower()}{reason[1:]}"


def _unknown(place: Place, model: type[BaseModel], whole: str) -> str:
    name = str(place[-1])
    tables = dict(_tables(model))
    where = tuple(part for part in place[:-1] if isinstance(part, str))
    known = tables.get(where) or tables.get(("*", "inline"), [])
    message = (
        f"unknown key {name!r} in {_table_name(place[:-1]) or whole}: known are {', '.join(known)}"
    )
    elsewhere = [table for table, keys in tables.items() if name in keys and table != where]
    if elsewhere and elsewhere[0] == ():
        return f"{message}; {name!r} belongs at the top, before the first [table]"
    if elsewhere and elsewhere[0][0] != "*":
        return f"{message}; {name!r} belongs in {_table_name(elsewhere[0])}"
    close = get_close_matches(name, known, n=1)
    return f"{message}; did you mean {close[0]!r}?" if close else message


def _table_name(place: Place) -> str:
    return f"[{dotted(place)}]" if place else ""


def _tables(model: type[BaseModel], at: tuple[str, ...] = ()) -> Iterator[tuple[Any, list[str]]]:
    """The keys of each table of the model, by its place; those of an inline table under ``*``."""
    fields = model.model_fields
    names = {name: field.alias or name for name, field in fields.items()}
    yield at, list(names.values())
    for name, field in fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _tables(inner, (*at, names[name]))
        else:
            for model in _models(inner):
                yield ("*", "inline"), list(model.model_fields)


def _models(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - a type expression
    """The models that a list, a union or the like may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models(part)]


def dotted(place: Sequence[str | int]) -> str:
    """``("chapter", "body", 1, "text")`` as a person writes it: ``chapter.body[1].text``."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def toml_line(text: str, place: Place) -> int:
    """1-based line of a key, or of the table it is missing in; 0 if neither can be found."""
    names = [part for part in place if isinstance(part, str)]
    index = next((part for part in place if isinstance(part, int)), 0)
    best, depth, count = 0, 0, -1
    current: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            current = [part.strip(" \"'") for part in header[1].split(".")]
            if current == names[: len(current)]:
                count += 1
                nth = index if line.lstrip().startswith("[[") else count
                if count == nth and len(current) > depth:
                    best, depth = number, len(current)
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        full = [*current, *(part.strip(" \"'") for part in key[1].split("."))]
        same = next(
            (length for length in range(len(full), 0, -1) if full[:length] == names[:length]), 0
        )
        array = current and place[1:2] and isinstance(place[1], int)
        if same > depth and (not array or count == index):
            best, depth = number, same
    return best
