"""What a system's lines have wrong, each thing at its place and in words that a reader understands.

What is missed is told by the metrics (`Tally.misses`), so that a page has as many problems of each
kind as the scores have misses; here they only get their place and a sentence that explains them.
What two metrics miss in the same word is one problem of two kinds: a name that is a term, a pronoun
that Chinese leaves out. Of terminology, misses of terms (T) count, not those of other mentions (N),
which are missed as entities. Tense has no misses of its own; see `bwb.report.view_tense`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.lexicon import THIRD_PERSON
from bwb.metrics.matching import form_tokens
from bwb.records import ERROR_CODES
from bwb.report.view_names import Lacking, instead
from bwb.report.view_pronouns import Word, compare, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bwb.metrics.base import Miss
    from bwb.metrics.placing import Placed
    from bwb.records import Document, Entity, ErrorMark, Mention, Side
    from bwb.report.view_tense import Shift

# The kinds of problems: a letter, the metric that counts them, and what the page calls them.
KINDS: dict[str, tuple[str, str]] = {
    "E": ("entity", "entities"),
    "T": ("terminology", "terms"),
    "P": ("pronoun", "pronouns"),
    "O": ("zero_pronoun", "omitted pronouns"),
    "Q": ("quotation", "quotes"),
    "V": ("tense", "tense"),
}
Range = tuple[int, int]
# Metric → what it misses in a line.
Missed = dict[str, list["Miss"]]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a line of a system.

    Attributes:
        kinds: Letters of `KINDS`.
        sort: ``gender``, ``person`` or ``other`` (a pronoun of another class stands there: he for
            she; I for she; it for she), ``form`` (another rendering of a term), ``wording`` (of
            what is no term), ``missing``, ``speech`` or ``tense``.
        due: What the reference has.
        reason: What is wrong, in a sentence or two.
        entity: Id of the entity it is about, if that is known.
        count: How often; more than 1 only for what is missing.
        place: Code points of the line that are wrong; None if something is missing.
    """

    kinds: str
    sort: str
    due: str
    reason: str
    entity: str | None = None
    count: int = 1
    place: Range | None = None


class Describer:
    """Describes what the lines of systems miss, for one document."""

    def __init__(self, document: Document, reference: Side) -> None:
        """Index the reference."""
        self.reference = reference
        self.entities: dict[str, Entity] = {entity.id: entity for entity in document.entities}
        self._called = names(document)
        # Chinese forms of an entity that are terms, and those that are not.
        self._chinese: dict[tuple[str, bool], dict[str, None]] = {}
        for mention in document.zh.mentions if document.zh else ():
            if not mention.pronoun:
                key = (mention.entity, mention.term is True)
                self._chinese.setdefault(key, {})[mention.text] = None
        self._mentions: dict[int, list[Mention]] = {}
        for mention in reference.mentions:
            self._mentions.setdefault(mention.sentence, []).append(mention)
        self._words: dict[int, list[Word]] = {}

    def words(self, line: int) -> list[Word]:
        """The pronouns of a line of the reference."""
        if line not in self._words:
            sentence, base = self.reference.sentences[line], self.reference.offsets[line]
            self._words[line] = words(sentence, self._mentions.get(line, ()), base)
        return self._words[line]

    def line(
        self,
        line: int,
        sentence: str,
        missed: Missed,
        placed: Iterable[Placed] = (),
        marks: Sequence[Range] = (),
        shifts: Sequence[Shift] = (),
    ) -> tuple[list[Problem], list[tuple[Range, str | None]]]:
        """The problems of a line, and its pronouns that are right.

        Args:
            line: Index of the line.
            sentence: What the system has there.
            missed: What the metrics miss there.
            placed: Names of the reference that are there.
            marks: What an annotator marked as wrong names there.
            shifts: Verbs in another tense.

        Returns:
            Problems, by their place, those without one behind the others; and the range and the
            entity of each pronoun that answers one of the reference.
        """
        compared = compare(self.words(line), words(sentence))
        problems = self._pronouns(missed, compared.missing)
        taken = [(p.start, p.end) for p in placed if not p.mention.pronoun]
        problems += self._names(line, sentence, missed, taken, marks)
        problems += self._speech(line, missed)
        problems += [_tense(shift, sentence) for shift in shifts]
        problems.sort(key=lambda p: (p.place is None, p.place or (0, 0)))
        right: list[tuple[Range, str | None]] = [
            ((got.start, got.end), wanted.mention.entity)
            for wanted, got in compared.same
            if wanted.mention is not None
        ]
        return problems, right

    def _pronouns(
        self, missed: Missed, missing: Sequence[tuple[Word, Word | None]]
    ) -> list[Problem]:
        times: dict[str, list[int]] = {}
        texts: dict[str, list[str]] = {}
        for at, name in enumerate(("pronoun", "zero_pronoun")):
            for miss in missed.get(name, ()):
                times.setdefault(miss.kind, [0, 0])[at] += miss.count
                if at:
                    texts[miss.kind] = miss.name.split()
        found = []
        for kind, (plain, omitted) in times.items():
            places = [pair for pair in missing if pair[0].kind == kind]
            for number in range(max(plain, omitted)):
                kinds = "P" * (number < plain) + "O" * (number < omitted)
                if number < len(places):
                    found.append(self._pronoun(kinds, *places[number]))
                else:
                    listed = texts.get(kind, [])
                    due = listed[number] if number < len(listed) else kind
                    found.append(self._gone(kinds, due, None))
        return _together(found)

    def _pronoun(self, kinds: str, due: Word, got: Word | None) -> Problem:
        entity = due.mention.entity if due.mention else None
        if got is None:
            return self._gone(kinds, due.text, entity)
        sort = _sort(due.kind, got.kind)
        about = self._about(entity)
        reason = f"The reference has “{due.text}”{about} here; this line has “{got.text}”."
        return Problem(
            kinds, sort, due.text, reason + _left_out(kinds), entity, 1, (got.start, got.end)
        )

    def _gone(self, kinds: str, due: str, entity: str | None) -> Problem:
        about = self._about(entity)
        reason = f"The reference has “{due}”{about}; this line has no pronoun for it."
        return Problem(kinds, "missing", due, reason + _left_out(kinds), entity)

    def _names(
        self,
        line: int,
        sentence: str,
        missed: Missed,
        taken: Sequence[Range],
        marks: Sequence[Range],
    ) -> list[Problem]:
        units: dict[tuple[str, str | None], list[int]] = {}
        for at, name in enumerate(("entity", "terminology")):
            for miss in missed.get(name, ()):
                if at and miss.kind != "T":
                    continue  # what is no term is a matter of entities
                key = (miss.name, self._owner(line, miss.name))
                units.setdefault(key, [0, 0])[at] += miss.count
        rows = [
            (form, entity, "E" * (number < counts[0]) + "T" * (number < counts[1]))
            for (form, entity), counts in units.items()
            for number in range(max(counts))
        ]
        reference = self.reference.sentences[line]
        lacking = [
            self._lacking(form, entity, self._term(line, form), reference)
            for form, entity, _ in rows
        ]
        found = instead(sentence, lacking, taken, marks)
        problems: list[Problem] = []
        for (form, entity, kinds), lack, place in zip(rows, lacking, found, strict=True):
            sort = "missing" if place is None else "form" if lack.term else "wording"
            got = None if place is None else sentence[slice(*place)]
            reason = _named(lack, got)
            problems.append(Problem(kinds, sort, form, reason, entity, 1, place))
        return _together(problems)

    def _lacking(self, form: str, entity: str | None, term: bool, reference: str) -> Lacking:
        place = max(reference.find(form), 0) / max(len(reference), 1)
        known = self.entities.get(entity) if entity is not None else None
        if known is None:
            return Lacking(form, (form,), (), place, term)
        # Chinese forms of the same sort say best what this one means.
        chinese = tuple(self._chinese.get((known.id, term), ())) or known.zh
        return Lacking(form, known.en or (form,), chinese, place, term)

    def _speech(self, line: int, missed: Missed) -> list[Problem]:
        found = []
        for miss in missed.get("quotation", ()):
            entity = self._speaker(line, miss.name)
            about = self._about(entity, "spoken by ")
            short = miss.name if len(miss.name) <= 60 else f"{miss.name[:58]}…"
            reason = (
                f"The reference has direct speech here: {short}{about}. This line has fewer "
                "stretches in quotation marks."
            )
            found.append(Problem("Q", "speech", miss.name, reason, entity, miss.count))
        return found

    def _about(self, entity: str | None, before: str = "") -> str:
        name = self._called.get(entity) if entity is not None else None
        return f" ({before}{name})" if name else ""

    def _owner(self, line: int, form: str) -> str | None:
        """The entity that a form of the reference's line belongs to."""
        key = form_tokens(form)
        for mention in self._mentions.get(line, ()):
            if not mention.pronoun and form_tokens(mention.text) == key:
                return mention.entity
        owners = (e.id for e in self.entities.values() if any(form_tokens(f) == key for f in e.en))
        return next(owners, None)

    def _term(self, line: int, form: str) -> bool:
        """Whether a form is a term there; a form of lists, which nobody annotated, is one."""
        here = [m for m in self._mentions.get(line, ()) if m.text == form and not m.pronoun]
        return not here or any(mention.term is not False for mention in here)

    def _speaker(self, line: int, text: str) -> str | None:
        start = self.reference.sentences[line].find(text) + self.reference.offsets[line]
        for quote in self.reference.quotes:
            if any(span.start < start + len(text) and start < span.end for span in quote.spans):
                return quote.speaker
        return None


def marked(mark: ErrorMark) -> str:
    """What an annotator's mark says."""
    said = f"An annotator marked this: {ERROR_CODES[mark.code]}."
    if mark.reference is not None:
        said += f" Right would be “{mark.reference}”."
    return said


def names(document: Document) -> dict[str, str]:
    """What to call each entity: its commonest English term in full, else its first form.

    An entity that is only ever a pronoun has no name and is left out.
    """
    terms: dict[str, Counter[str]] = {}
    for mention in document.en.mentions if document.en else ():
        if mention.term and not mention.pronoun:
            terms.setdefault(mention.entity, Counter())[mention.text] += 1
    found = {e.id: form for e in document.entities if (form := next(iter((*e.en, *e.zh)), ""))}
    for entity, counts in terms.items():
        common = counts.most_common(1)[0][0]
        found[entity] = max((form for form in counts if common in form), key=len)
    return found


def _tense(shift: Shift, sentence: str) -> Problem:
    told, here = ("past", "present") if shift.past else ("present", "past")
    got = sentence[shift.start : shift.end]
    reason = (
        f"The reference tells this in the {told} (“{shift.due}”); this line is in the {here} "
        f"(“{got}”)."
    )
    return Problem("V", "tense", shift.due, reason, None, 1, (shift.start, shift.end))


def _sort(due: str, got: str) -> str:
    if {due, got} <= {"masculine", "feminine"}:
        return "gender"
    return "other" if {due, got} <= set(THIRD_PERSON) else "person"


def _left_out(kinds: str) -> str:
    return " The Chinese leaves it out." if "O" in kinds else ""


def _named(name: Lacking, got: str | None) -> str:
    chinese = " / ".join(name.chinese[:3])
    said = f"“{name.due}”" + (f" ({chinese})" if chinese else "")
    if got is None:
        return f"The reference has {said} here; this line has no form of it."
    reason = f"The reference has {said} here; this line has “{got}”."
    if any(form_tokens(got) == form_tokens(other) for other in name.english):
        reason += " Both name the same, but one is to be kept as a term and the other is not."
    return reason


def _together(problems: Iterable[Problem]) -> list[Problem]:
    """Problems that differ in nothing and have no place become one with their number."""
    found: dict[Problem, int] = {}
    for problem in problems:
        found[problem] = found.get(problem, 0) + problem.count
    return [
        Problem(p.kinds, p.sort, p.due, p.reason, p.entity, count, p.place)
        for p, count in found.items()
    ]


def by_line(misses: Mapping[str, Sequence[Miss]]) -> dict[int, Missed]:
    """Line → metric → its misses there."""
    found: dict[int, Missed] = {}
    for metric, listed in misses.items():
        for miss in listed:
            found.setdefault(miss.sentence, {}).setdefault(metric, []).append(miss)
    return found
