"""Making the plan of a human evaluation.

The design is that of Jiang et al. 2022 and 2023 (BlonDe; BWB, appendix), who follow Läubli et al.
2018: two units (a sentence alone, or a document unit of five consecutive sentences) by two criteria
(adequacy, with the source; fluency, without). A rater has one criterion and both units, each on
another part of the texts; the parts are of different books, so that nobody sees a text twice. A
tenth of the items are checks (`bwb.human.spam`).

Best-worst scaling (Louviere et al. 2015; Kiritchenko and Mohammad 2017) has the same frame, but the
rater marks the best and the worst of a few texts.

Everything is drawn by the seed and nothing else: the same call makes the same plan.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from bwb.errors import InputError, UnknownNameError, UsageError
from bwb.human.assign import assign
from bwb.human.blocks import balanced_blocks
from bwb.human.design import LABELS, UNITS, Candidate, Criterion, Design, Item, Plan, Unit
from bwb.human.spam import damage
from bwb.human.units import passages, require_sources, sentences, split_books, usable
from bwb.metrics.systems import check_outputs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bwb.human.settings import Settings, Spam
    from bwb.human.units import Place
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

# Items of a part where the call does not say how many, if there are so many.
DEFAULT_ITEMS: dict[Unit, int] = {"sentence": 40, "document": 10}
# Outputs that can be ranked, or of which best and worst can be told, at a look.
DEFAULT_SHOWN: dict[Design, int] = {"ranking": 5, "bws": 4}
_REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of a plan.

    Attributes:
        design: Ranking or best-worst scaling.
        units: The units.
        criteria: Names of the criteria, each in the settings.
        raters: Number of raters; at least one a criterion and order of the parts.
        overlap: How many raters judge each item; None for all of its group.
        sentences: Sentence items a rater, checks not counted; None for 40, or what there is.
        documents: Document items a rater; None for 10, or what there is.
        length: Sentences in a document unit.
        shown: Outputs in an item; None for 5 (ranking) or 4 (bws), or as many as there are.
        reference: Whether the reference is judged too, as a system of that name.
        seed: Seed of everything.
    """

    design: Design = "ranking"
    units: tuple[Unit, ...] = UNITS
    criteria: tuple[str, ...] = ("adequacy", "fluency")
    raters: int = 8
    overlap: int | None = None
    sentences: int | None = None
    documents: int | None = None
    length: int = 5
    shown: int | None = None
    reference: bool = False
    seed: int = 0

    def wanted(self, unit: Unit) -> int | None:
        """How many items of the unit were asked for."""
        return self.sentences if unit == "sentence" else self.documents


def make_plan(
    documents: Sequence[Document],
    outputs: Outputs,
    options: Options,
    settings: Settings,
    data: Mapping[str, str] | None = None,
) -> Plan:
    """Draw items, damage some, and hand them to raters.

    Args:
        documents: Documents whose lines correspond.
        outputs: The systems' sentences.
        options: The choices.
        settings: The words for raters, and how checks are made.
        data: What the texts are, for the record.

    Raises:
        UsageError: if the choices make no sense together.
        UnknownNameError: for a criterion that the settings do not have.
        InputError: if there are too few systems, books or sentences, or an output does not fit.
    """
    criteria = _criteria(options, settings)
    _check(options)
    outputs = dict(outputs)
    if options.reference:
        outputs[_REFERENCE] = _references(documents, outputs)
    check_outputs(outputs, documents)
    if len(outputs) < 2:
        named = ", ".join(outputs) or "none"
        raise InputError(f"{len(outputs)} systems ({named}); expected 2 or more to compare")
    source = any(criterion.source for criterion in criteria)
    if source:
        require_sources(documents)
    maker = _Maker(options, settings.spam, outputs, source=source)
    items = maker.items(documents)
    plan = Plan(
        design=options.design,
        seed=options.seed,
        systems=tuple(outputs),
        criteria=criteria,
        units=options.units,
        data=dict(data or {}),
        options=_recorded(options, settings.spam),
        items=items,
        raters=(),
        left_out=dict(sorted(maker.left_out.items())),
        unit_help={unit: getattr(settings.units, unit) for unit in options.units},
        design_help=getattr(settings.designs, options.design),
    )
    return plan.with_raters(assign(plan, options.raters, options.overlap, options.seed))


class _Maker:
    """Draws the items."""

    def __init__(self, options: Options, spam: Spam, outputs: Outputs, *, source: bool) -> None:
        self.options = options
        self.spam = spam
        self.outputs = outputs
        self.source = source
        self.systems = list(outputs)
        self.shown = min(options.shown or DEFAULT_SHOWN[options.design], len(self.systems))
        self.left_out: Counter[str] = Counter()

    def items(self, documents: Sequence[Document]) -> tuple[Item, ...]:
        """All items, numbered in an order that tells nothing."""
        rng = self._rng("books")
        parts = split_books(documents, rng) if len(self.options.units) > 1 else [list(documents)]
        drawn: list[Item] = []
        for part, held in enumerate(parts, 1):
            prefer: list[Place] = []
            # Documents first: sentences are then drawn from the same passages, so that the two
            # units differ in the unit and not in the text.
            for unit in (unit for unit in UNITS[::-1] if unit in self.options.units):
                rng = self._rng(f"places {part} {unit}")
                if unit == "document":
                    places = passages(held, self.options.length, rng)
                else:
                    places = sentences(held, prefer, rng)
                kept = usable(places, self.outputs, source=self.source, left_out=self.left_out)
                made = self._cell(kept, part, unit)
                drawn += made
                prefer = [p for p in kept if any(_same(p, item) for item in made if not item.spam)]
        self._rng("names").shuffle(drawn)
        wide = len(str(len(drawn)))
        named = ((f"i{number:0{wide}}", item) for number, item in enumerate(drawn, 1))
        return tuple(replace(item, id=name) for name, item in named)

    def _rng(self, purpose: str) -> Random:
        """A stream of its own for each purpose, so that one choice does not change another."""
        return Random(f"{self.options.seed}:{purpose}")

    def _cell(self, places: list[Place], part: int, unit: Unit) -> list[Item]:
        """The items of one unit in one part, checks among them."""
        share = self.spam.share
        wanted = self.options.wanted(unit)
        real = wanted or min(DEFAULT_ITEMS[unit], int(len(places) * (1 - share)))
        checks = max(1, round(real * share / (1 - share))) if share else 0
        if wanted is None and real + checks > len(places):
            real -= 1
        if real < 1 or real + checks > len(places):
            raise InputError(
                f"part {part} has {len(places)} {_PLACES[unit]} where systems differ; cannot draw "
                f"{real} and {checks} for checks: ask for fewer with --{unit}s, or give more texts"
            )
        rng = self._rng(f"items {part} {unit}")
        rest = list(places)
        items = []
        for block in balanced_blocks(len(self.systems), self.shown, real, rng):
            found = self._first(rest, block, part, unit)
            if found is None:
                raise InputError(
                    f"part {part}: in no {unit} left do {self._named(block)} differ; ask for fewer "
                    f"with --{unit}s, or show more outputs with --shown"
                )
            items.append(found)
        for block in balanced_blocks(len(self.systems), self.shown, checks, rng):
            items.append(self._check(rest, block, part, unit, rng))
        return items

    def _first(self, rest: list[Place], block: Sequence[int], part: int, unit: Unit) -> Item | None:
        """An item of the first place where these systems differ, which is taken out."""
        for number, place in enumerate(rest):
            candidates = self._candidates(place, block)
            if len(candidates) > 1:
                del rest[number]
                return self._item(place, part, unit, candidates)
        return None

    def _check(
        self, rest: list[Place], block: Sequence[int], part: int, unit: Unit, rng: Random
    ) -> Item:
        """A check, of the first place where an output can be damaged, which is taken out."""
        for number, place in enumerate(rest):
            candidates = self._candidates(place, block)
            for chosen in rng.sample(range(len(candidates)), len(candidates)):
                hurt = damage(candidates[chosen].sentences, self.spam, rng)
                if len(candidates) > 1 and hurt is not None:
                    del rest[number]
                    candidates[chosen] = Candidate(candidates[chosen].systems, hurt, damaged=True)
                    return self._item(place, part, unit, candidates)
        raise InputError(
            f"part {part}: no {unit} is left whose words or sentences can be shuffled for a check; "
            f"ask for fewer with --{unit}s, or give more texts"
        )

    def _candidates(self, place: Place, block: Sequence[int]) -> list[Candidate]:
        """The systems' outputs, equal ones as one."""
        by_text: dict[tuple[str, ...], list[str]] = {}
        for system in (self.systems[i] for i in block):
            text = self.outputs[system][place.document.id][place.first : place.last]
            by_text.setdefault(text, []).append(system)
        return [Candidate(tuple(systems), text) for text, systems in by_text.items()]

    def _item(self, place: Place, part: int, unit: Unit, candidates: list[Candidate]) -> Item:
        source = place.source() if self.source else ()
        name, first, last = place.document.id, place.first, place.last
        return Item("", part, unit, name, first, last, source, tuple(candidates))

    def _named(self, block: Sequence[int]) -> str:
        return ", ".join(self.systems[i] for i in block)


_PLACES: dict[Unit, str] = {"sentence": "sentences", "document": "passages"}


def _criteria(options: Options, settings: Settings) -> tuple[Criterion, ...]:
    for name in options.criteria:
        if name not in settings.criteria:
            raise UnknownNameError("criterion", name, settings.criteria)
    return tuple(
        Criterion(name, **settings.criteria[name].model_dump()) for name in options.criteria
    )


def _check(options: Options) -> None:
    for what, names in (("--units", options.units), ("--criteria", options.criteria)):
        if not names or len(set(names)) < len(names):
            raise UsageError(f"{what} {','.join(names)!r}: expected names, each once")
    for what, number, least in (
        ("--sentences", options.sentences, 1),
        ("--documents", options.documents, 1),
        ("--length", options.length, 4),
        ("--shown", options.shown, 2),
    ):
        if number is not None and number < least:
            raise UsageError(f"{what} {number}; expected {least} or more")
    if options.shown is not None and options.shown > len(LABELS):
        raise UsageError(f"--shown {options.shown}; expected {len(LABELS)} or fewer")


def _references(documents: Sequence[Document], outputs: Outputs) -> dict[str, tuple[str, ...]]:
    if _REFERENCE in outputs:
        raise InputError(f"a system is called {_REFERENCE!r}, and the reference is to be judged")
    without = [document.id for document in documents if document.en is None]
    if without:
        raise InputError(f"{without[0]} has no English side, which is to be judged too")
    return {document.id: document.en.sentences for document in documents if document.en}


def _recorded(options: Options, spam: Spam) -> dict[str, int | float | bool | None]:
    numbers = ("overlap", "sentences", "documents", "length", "shown", "reference")
    chosen = {name: getattr(options, name) for name in numbers}
    chosen |= {f"spam_{name}": value for name, value in spam.model_dump().items()}
    return chosen


def _same(place: Place, item: Item) -> bool:
    return (place.document.id, place.first) == (item.document, item.first)
