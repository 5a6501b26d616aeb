"""What a human evaluation consists of: items, candidates, raters, and the plan that holds them.

The plan is the key: it says whose text is behind which label, and which items are checks. Raters
get forms and sheets, in which none of that stands.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from bwb.errors import Finding, FormatError
from bwb.textio import read_text, replacing

if TYPE_CHECKING:
    from pathlib import Path

Unit = Literal["sentence", "document"]
Design = Literal["ranking", "bws"]
UNITS: tuple[Unit, ...] = get_args(Unit)
DESIGNS: tuple[Design, ...] = get_args(Design)
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PLAN_FILE = "plan.json"

_STRICT = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text to be judged.

    Attributes:
        systems: The systems whose output it is; several if theirs are the same to the letter.
        sentences: Its sentences; one in a sentence unit.
        damaged: Whether it was shuffled to see if the rater reads; it is then nobody's output.
    """

    __pydantic_config__ = _STRICT
    systems: tuple[str, ...]
    sentences: tuple[str, ...]
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A place in a document, and the candidates that are compared there.

    Attributes:
        id: Unique within the plan; says nothing of what the item is.
        part: 1 or 2; the parts are of different books.
        unit: Sentence, or document (a few consecutive sentences).
        document: Id of the document.
        first: Index of the first sentence.
        last: One past the index of the last.
        source: The Chinese sentences; empty if no criterion needs them.
        candidates: Two or more, no two of them the same.
    """

    __pydantic_config__ = _STRICT
    id: str
    part: int
    unit: Unit
    document: str
    first: int
    last: int
    source: tuple[str, ...]
    candidates: tuple[Candidate, ...]

    @property
    def spam(self) -> bool:
        """Whether the item is a check."""
        return any(candidate.damaged for candidate in self.candidates)


@dataclass(frozen=True, slots=True)
class Task:
    """An item as one rater sees it.

    Attributes:
        item: Id of the item.
        order: Indices of the candidates; the first is labelled A, the second B, and so on.
    """

    __pydantic_config__ = _STRICT
    item: str
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rater:
    """Somebody who judges by one criterion.

    Attributes:
        name: Unique within the plan, such as ``r01``.
        criterion: Name of the criterion.
        tasks: What there is to judge, in order; one unit after the other.
    """

    __pydantic_config__ = _STRICT
    name: str
    criterion: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """What raters are asked.

    Attributes:
        name: Its name in tables.
        source: Whether the rater sees the source.
        title: Its name in forms.
        question: The question.
        help: What to look for.
    """

    __pydantic_config__ = _STRICT
    name: str
    source: bool
    title: str
    question: str
    help: str


@dataclass(frozen=True)
class Plan:
    """A human evaluation.

    Attributes:
        design: ``ranking`` (ranks with ties) or ``bws`` (the best and the worst are marked).
        seed: Seed of every random choice.
        systems: Names of the systems, in the order they were given.
        criteria: What is asked; a rater has one of them.
        units: The units that are judged; a rater judges both, on different parts.
        data: What the texts are, as in the signature of a score.
        options: The other choices that the plan was made with.
        items: All items, checks among them.
        raters: Who judges what.
        left_out: Why places were not drawn → how many there are.
        unit_help: What raters are told of each unit.
        design_help: What raters are told of how to answer.
    """

    __pydantic_config__ = _STRICT
    design: Design
    seed: int
    systems: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    units: tuple[Unit, ...]
    data: dict[str, str]
    options: dict[str, int | float | bool | None]
    items: tuple[Item, ...]
    raters: tuple[Rater, ...]
    left_out: dict[str, int] = field(default_factory=dict)
    unit_help: dict[str, str] = field(default_factory=dict)
    design_help: str = ""

    @cached_property
    def id(self) -> str:
        """Digest of all that is in the plan; a letter and ten digits."""
        body = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        return "p" + hashlib.sha256(body.encode()).hexdigest()[:10]

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """The items by their ids."""
        return {item.id: item for item in self.items}

    @cached_property
    def by_name(self) -> dict[str, Rater]:
        """The raters by their names."""
        return {rater.name: rater for rater in self.raters}

    def criterion(self, rater: Rater) -> Criterion:
        """What the rater is asked."""
        return next(one for one in self.criteria if one.name == rater.criterion)

    def with_raters(self, raters: tuple[Rater, ...]) -> Plan:
        """The same items, judged by others."""
        return replace(self, raters=raters)


def row_key(plan: str, rater: str, item: str, label: str) -> str:
    """What binds a row of a sheet to its place in the plan; a letter and ten digits."""
    # The letter keeps spreadsheets from reading 12345e6789 as a number.
    return "k" + hashlib.sha256(f"{plan}:{rater}:{item}:{label}".encode()).hexdigest()[:10]


def write_plan(plan: Plan, path: Path) -> None:
    """Write the plan as JSON."""
    body: dict[str, Any] = {"plan": plan.id, **asdict(plan)}
    with replacing(path) as file:
        file.write(json.dumps(body, ensure_ascii=False, indent=1) + "\n")


def read_plan(folder: Path) -> Plan:
    """Read the plan of a folder that `bwb human plan` wrote.

    Raises:
        InputError: if there is none.
        FormatError: if it is not a plan, or was changed since.
    """
    from pydantic import TypeAdapter, ValidationError

    path = folder / PLAN_FILE if folder.is_dir() else folder
    text, _ = read_text(path)

    def refuse(code: str, message: str, line: int = 0, column: int = 0) -> FormatError:
        return FormatError(Finding(str(path), line, column, code, message))

    try:
        body = json.loads(text)
    except json.JSONDecodeError as error:
        raise refuse("json", f"not JSON: {error.msg}", error.lineno, error.colno) from None
    if not isinstance(body, dict) or not isinstance(stated := body.pop("plan", None), str):
        raise refuse("plan", "no key 'plan'; expected a plan of bwb human plan")
    try:
        plan = TypeAdapter(Plan).validate_python(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise refuse("plan", f"{place or 'the plan'}: {first['msg']}") from None
    if plan.id != stated:
        raise refuse("plan", f"the plan is {plan.id} but calls itself {stated}: it was changed")
    return plan
