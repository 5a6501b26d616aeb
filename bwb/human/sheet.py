"""What raters get and give: a sheet a rater, as CSV or as a form in a page.

The sheet has a row a text, the rows of an item one below the other. Into `rank` comes 1 for the
best text of an item, 2 for the next …; equal ranks are ties, and gaps do not matter. Under
best-worst scaling `choice` takes ``best`` once and ``worst`` once in an item. An item without an
answer is one the rater did not judge. The form saves the same columns, without the texts.

Texts begin with their label in brackets, so that no spreadsheet takes one for a formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bwb.errors import Finding, FormatError, InputError
from bwb.human.design import LABELS, row_key
from bwb.sheets import read_sheet, script_json, write_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bwb.human.design import Design, Item, Plan, Rater

ANSWER: dict[Design, str] = {"ranking": "rank", "bws": "choice"}
# Answers of best-worst scaling, as numbers that are smaller for the better.
_PICKS = {1: "best", 3: "worst"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A rater's answer to an item.

    Attributes:
        rater: Name of the rater.
        item: Id of the item.
        values: For each candidate of the item, in the item's order: its rank (1 is the best), or
            under best-worst scaling 1 (best), 2 (neither) or 3 (worst).
        seconds: Time spent, as the form measured it; None if unknown.
    """

    rater: str
    item: str
    values: tuple[int, ...]
    seconds: float | None = None


def columns(design: Design) -> tuple[str, ...]:
    """The columns of a sheet, in order."""
    answer = ANSWER[design]
    return ("rater", "criterion", "unit", "item", "source", "label", "text", answer, "note", "key")


def form_columns(design: Design) -> tuple[str, ...]:
    """The columns of what a form saves."""
    return ("rater", "item", "label", ANSWER[design], "seconds", "note", "key")


def write_csv(plan: Plan, rater: Rater, path: Path) -> int:
    """Write a rater's sheet; returns the number of rows."""
    return write_sheet(columns(plan.design), _rows(plan, rater), path)


def write_form(plan: Plan, rater: Rater, path: Path) -> None:
    """Write a rater's form: one page that needs nothing else, and holds no name of a system."""
    from jinja2 import Environment

    from bwb.textio import replacing

    criterion = plan.criterion(rater)
    here = Path(__file__).parent
    parts = {name: (here / f"form.{name}").read_text("utf-8") for name in ("css", "js")}
    template = Environment(autoescape=True).from_string(
        (here / "form.html.jinja").read_text("utf-8")
    )
    data = {
        "plan": plan.id,
        "rater": rater.name,
        "design": plan.design,
        "answer": ANSWER[plan.design],
        "columns": form_columns(plan.design),
        "unitHelp": plan.unit_help,
        "items": [_item(plan, rater, number) for number in range(len(rater.tasks))],
    }
    page = template.render(
        criterion=criterion,
        rater=rater.name,
        design=plan.design,
        how=plan.design_help,
        css=parts["css"],
        js=parts["js"],
        data=script_json(data),
    )
    with replacing(path) as file:
        file.write(page)


def write_answers(plan: Plan, rater: Rater, answers: Iterable[Answer], path: Path) -> None:
    """Write a rater's answers as the form would save them."""
    by_item = {answer.item: answer for answer in answers if answer.rater == rater.name}
    columns = form_columns(plan.design)

    def rows() -> Iterator[dict[str, str]]:
        for task in rater.tasks:
            if task.item not in by_item:
                continue
            answer = by_item[task.item]
            for label, index in zip(LABELS, task.order, strict=False):
                value = answer.values[index]
                shown = _PICKS.get(value, "") if plan.design == "bws" else str(value)
                seconds = "" if answer.seconds is None else f"{answer.seconds:.1f}"
                key = row_key(plan.id, rater.name, task.item, label)
                cells = (rater.name, task.item, label, shown, seconds, "", key)
                yield dict(zip(columns, cells, strict=True))

    write_sheet(columns, rows(), path)


def read_answers(
    plan: Plan, paths: Sequence[Path], findings: list[Finding] | None = None
) -> list[Answer]:
    """Read filled-in sheets, and what forms saved.

    Args:
        plan: The plan they belong to.
        paths: Files; one may hold several raters, and a rater may be in several.
        findings: List that warnings of items with half an answer are appended to; such an item
            counts as not judged.

    Returns:
        The answers, in the order of the plan.

    Raises:
        FormatError: if a row is not of this plan, is there twice, or has an answer out of range;
            names the line and the number of the column.
        InputError: if a file is not there.
    """
    given: dict[tuple[str, str], dict[str, _Cell]] = {}
    for path in paths:
        _read_file(plan, path, given)
    sink = [] if findings is None else findings
    answers = []
    for rater in plan.raters:
        for task in rater.tasks:
            cells = given.get((rater.name, task.item), {})
            answer = _answer(plan, rater, task.item, cells, sink)
            if answer is not None:
                answers.append(answer)
    return answers


@dataclass(frozen=True, slots=True)
class _Cell:
    """What stands in a row.

    Attributes:
        value: The rank, or 1 or 3 for best or worst; None if nothing does.
        seconds: Time, if it was measured.
        file: Name of the file.
        line: Line of the row.
        column: Number of the answer's column.
    """

    value: int | None
    seconds: float | None
    file: str
    line: int
    column: int


def _texts(plan: Plan, rater: Rater, number: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Label and sentences of what the rater sees."""
    task = rater.tasks[number]
    item = plan.by_id[task.item]
    for label, index in zip(LABELS, task.order, strict=False):
        yield label, item.candidates[index].sentences


def _rows(plan: Plan, rater: Rater) -> Iterator[dict[str, str]]:
    criterion = plan.criterion(rater)
    for number, task in enumerate(rater.tasks):
        item = plan.by_id[task.item]
        for label, sentences in _texts(plan, rater, number):
            lines = _numbered(item.source) if criterion.source and label == "A" else ""
            yield {
                "rater": rater.name,
                "criterion": rater.criterion,
                "unit": item.unit,
                "item": item.id,
                "source": lines,
                "label": label,
                "text": f"[{label}] " + "\n".join(sentences),
                ANSWER[plan.design]: "",
                "note": "",
                "key": row_key(plan.id, rater.name, item.id, label),
            }


def _numbered(sentences: Sequence[str]) -> str:
    return "\n".join(f"[{number}] {text}" for number, text in enumerate(sentences, 1))


def _item(plan: Plan, rater: Rater, number: int) -> dict[str, object]:
    """An item as the form has it; the source is not in the form of who must not see it."""
    item = plan.by_id[rater.tasks[number].item]
    return {
        "id": item.id,
        "unit": item.unit,
        "source": item.source if plan.criterion(rater).source else [],
        "texts": [
            {
                "label": label,
                "sentences": sentences,
                "key": row_key(plan.id, rater.name, item.id, label),
            }
            for label, sentences in _texts(plan, rater, number)
        ],
    }


def _read_file(plan: Plan, path: Path, given: dict[tuple[str, str], dict[str, _Cell]]) -> None:
    answer = ANSWER[plan.design]
    needed = ("rater", "item", "label", answer, "key")
    what = f"a sheet or a form's file of bwb human plan --design {plan.design}"
    for line, cells, numbers in read_sheet(path, needed, what):

        def refuse(name: str, code: str, message: str, line: int = line) -> NoReturn:
            column = numbers.get(name, 0)  # noqa: B023 - called in this round only
            raise FormatError(Finding(str(path), line, column, code, f"{name} {message}"))

        rater, name, label = (cells[column] for column in ("rater", "item", "label"))
        if rater not in plan.by_name:
            known = ", ".join(plan.by_name)
            refuse("rater", "unknown-rater", f"{rater!r} is not in the plan, which has {known}")
        item = plan.by_id.get(name)
        if item is None or all(task.item != name for task in plan.by_name[rater].tasks):
            refuse("item", "unknown-item", f"{name!r} is not one that {rater} was to judge")
        labels = LABELS[: len(item.candidates)]
        if label not in labels or len(label) != 1:
            refuse("label", "unknown-label", f"{label!r}; expected one of {', '.join(labels)}")
        if cells["key"] != row_key(plan.id, rater, name, label):
            refuse("key", "key", f"{cells['key']!r} is not that of {rater}, {name}, {label} in "
                   f"plan {plan.id}; the row was changed, or is of another plan")  # fmt: skip
        if label in (before := given.setdefault((rater, name), {})):
            first = before[label]
            refuse("label", "duplicate-row", f"{label} of {name} by {rater} is there twice; "
                   f"first at {first.file}:{first.line}")  # fmt: skip
        value = _value(plan.design, cells[answer], len(item.candidates))
        if value == 0:
            allowed = "best, worst or nothing" if plan.design == "bws" else f"1 to {len(labels)}"
            refuse(answer, "out-of-range", f"{cells[answer]!r}; expected {allowed}")
        seconds = cells.get("seconds") or None
        if seconds is not None and not seconds.replace(".", "", 1).isdecimal():
            refuse("seconds", "out-of-range", f"{seconds!r}; expected a number, 0 or more")
        time = None if seconds is None else float(seconds)
        before[label] = _Cell(value, time, str(path), line, numbers[answer])


def _value(design: Design, cell: str, count: int) -> int | None:
    """The answer in a cell; None if it is empty, 0 if it is not one of those allowed."""
    import unicodedata

    text = unicodedata.normalize("NFKC", cell).strip().casefold().removesuffix(".0")
    if not text:
        return None
    if design == "bws":
        return next((value for value, name in _PICKS.items() if name == text), 0)
    return int(text) if text.isdecimal() and 1 <= int(text) <= count else 0


def _answer(
    plan: Plan, rater: Rater, name: str, cells: dict[str, _Cell], findings: list[Finding]
) -> Answer | None:
    """The answer to an item; None if there is none, or only half of one."""
    task = next(task for task in rater.tasks if task.item == name)
    item = plan.by_id[name]
    marked = {label: cell for label, cell in cells.items() if cell.value is not None}
    if not marked:
        return None
    first = next(iter(marked.values()))
    if plan.design == "bws":
        lacking = _lacking_picks(item, marked)
    else:
        absent = [label for label in LABELS[: len(item.candidates)] if label not in marked]
        lacking = f"no rank for {', '.join(absent)}" if absent else ""
    if lacking:
        message = f"{name} by {rater.name}: {lacking}; taken as not judged"
        found = Finding(first.file, first.line, first.column, "half-answer", message)
        findings.append(_warning(found))
        return None
    by_candidate = [2] * len(item.candidates)
    for label, cell in marked.items():
        by_candidate[task.order[LABELS.index(label)]] = cell.value or 0
    return Answer(rater.name, name, tuple(by_candidate), first.seconds)


def _lacking_picks(item: Item, marked: dict[str, _Cell]) -> str:
    """What a best-worst answer lacks.

    Raises:
        FormatError: if two texts of an item are the best, or the worst.
    """
    lacking = []
    for value, name in _PICKS.items():
        chosen = [(label, cell) for label, cell in marked.items() if cell.value == value]
        if len(chosen) > 1:
            cell = chosen[1][1]
            labels = ", ".join(label for label, _ in chosen)
            message = f"{item.id}: {labels} are all marked {name}; expected one"
            raise FormatError(Finding(cell.file, cell.line, cell.column, "two-picks", message))
        if not chosen:
            lacking.append(f"no {name}")
    return " and ".join(lacking)


def _warning(found: Finding) -> Finding:
    return Finding(found.file, found.line, found.column, found.code, found.message, None, "warning")


def require_answers(answers: Sequence[Answer], paths: Sequence[Path]) -> None:
    """Refuse sheets that nobody filled in.

    Raises:
        InputError: if there is no answer.
    """
    if not answers:
        raise InputError(f"{', '.join(map(str, paths))}: no item is answered")
