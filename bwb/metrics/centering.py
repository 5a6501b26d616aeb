"""Centering: does each sentence go on with what the one before was about?

Jiang et al. 2023 (BWB), section 5 and Table 8 (coherence), by the scores of Karamanis et al. 2004
and of Jiang et al. 2022b; the principles are defined in `bwb.metrics.centers`.

An utterance is a sentence; sentences without entities are dropped, which leaves n. The entities of
an utterance are ranked by the highest of their mentions: pronouns as subject, object or anything
else 6, 5, 4; others 3, 2, 1; then by the place of their first mention. Variants:

- ``kp`` (M.KP, Kibble and Power 2000): (NOCBs + transitions that are not cheap + not coherent + not
  salient) / (n-1). From 0 to 4, lower is better. A transition without CB keeps none of the three
  principles (Althaus et al. 2004), so it counts 4.
- ``nocb`` (M.NOCB, Karamanis et al. 2004): NOCBs / (n-1). From 0 to 1, lower is better.
- ``jiang-2022b``: what the published code of Jiang et al. 2022b computes, (salient + coherent -
  NOCBs) / 3(n-1). From -1/3 to 2/3, higher is better. It leaves out cheapness, and has slips that
  this variant reproduces and no other does: it asks whether a mention's span, a pair of numbers,
  has length 1, so that no pronoun is ever ranked as one; it asks twice for subjects and never for
  objects, which count as anything else (3, 1, 1); the first mention of an entity decides, not the
  highest; two sentences without CB in a row are coherent; and a permutation finds the CBs that the
  one before left (`Centers.transitions_jiang`). Its roles ask for the very span of the subject;
  ours ask for its head.

With ``normalised``, which is the default, the score is the share of other orders of the utterances
that the text's own order beats by the variant, ties counting half: (beaten + ties / 2) /
(permutations + 1). Higher is better for every variant; chance is about 1/2, and because of the + 1,
which Jiang et al. have, 1 is never reached. Times 100 it is the number of their tables. For a text
of a few utterances all other orders are tried. Ties are exact, on whole numbers.

Over documents, numerators and denominators are summed. A document of fewer than two utterances has
no transition and adds nothing; a score without transitions is undefined.

Which entities are in a system's sentence is told by the reference's mentions of that line that it
has as well (`bwb.metrics.placing`); the class ``coverage`` is their share, and the rest are the
misses. A low coverage makes the score one of what was found, not of the text.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from bwb.errors import UsageError
from bwb.metrics.base import Counter, Miss, Tally
from bwb.metrics.centers import Centers, Transitions
from bwb.metrics.placing import Placer
from bwb.metrics.ratio import RatioMetric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bwb.analysis.roles import Role
    from bwb.metrics.placing import Placed
    from bwb.records import Document

    Values = NDArray[np.float64]
    Ints = NDArray[np.int64]

Variant = Literal["kp", "nocb", "jiang-2022b"]
Roles = Literal["auto", "parser", "position"]
Coherence = Literal["same", "same-or-unknown"]

# Weight of a pronoun, and of any other mention, by its role.
_PRONOUN: Mapping[str, int] = {"subject": 6, "object": 5, "other": 4}
_NOMINAL: Mapping[str, int] = {"subject": 3, "object": 2, "other": 1}
_JIANG: Mapping[str, int] = {"subject": 3, "object": 1, "other": 1}
_PRINCIPLES = ("cheap", "coherent", "salient")


class Centering(RatioMetric):
    """Entity coherence.

    Args:
        variant: Which score; see the module.
        normalised: Whether to report the share of permutations that are beaten instead of the
            rate of the text itself.
        permutations: How many other orders to try.
        seed: Seed of the orders; they are the same for texts of the same number of utterances.
        roles: Where roles come from: spaCy's parser, or the place in the sentence (the first
            mention counts as the subject, the second as the object); ``auto`` is the parser if it
            is installed.
        coherence: Whether CB(n) and CB(n-1) have to be the same, or CB(n-1) may also be missing,
            as in Brennan et al. 1987; ``jiang-2022b`` has its own rule.

    Raises:
        UsageError: if an argument is none of these, or `permutations` is less than 1.
    """

    name: ClassVar[str] = "centering"
    title: ClassVar[str] = "entity coherence (centering) of the reference's entities"
    paper: ClassVar[str] = "Karamanis et al. 2004; Jiang et al. 2023 (BWB), section 5, Table 8"
    needs: ClassVar[tuple[str, ...]] = ("reference", "coreference")
    classes: ClassVar[tuple[str, ...]] = ("nocb", *_PRINCIPLES, "coverage")
    unit: ClassVar[str] = "document"
    # The parser reads every sentence of every system.
    expensive: ClassVar[bool] = True
    cost: ClassVar[str] = "analysis"

    def __init__(
        self,
        variant: Variant = "kp",
        *,
        normalised: bool = True,
        permutations: int = 99,
        seed: int = 12345,
        roles: Roles = "auto",
        coherence: Coherence = "same",
    ) -> None:
        """Note the settings; nothing is loaded yet."""
        for what, value, kinds in (
            ("variant", variant, Variant),
            ("source of roles", roles, Roles),
            ("rule of coherence", coherence, Coherence),
        ):
            if value not in get_args(kinds):
                raise UsageError(
                    f"unknown {what} {value!r}; known are {', '.join(get_args(kinds))}"
                )
        if permutations < 1:
            raise UsageError(f"{permutations} permutations; expected 1 or more")
        self.variant = variant
        self.normalised = normalised
        # Rates of violations; the share of orders that have more of them; points for continuity.
        self.higher_is_better = normalised or variant == "jiang-2022b"
        self.permutations = permutations
        self.seed = seed
        self.coherence = coherence
        self._roles = roles

    @cached_property
    def parsed(self) -> bool:
        """Whether roles come from the parser."""
        from bwb.analysis.roles import available

        return self._roles == "parser" or (self._roles == "auto" and available())

    def options(self) -> dict[str, str]:
        """The variant, its normalisation, and where roles come from."""
        from bwb.analysis.roles import parser

        options = {"variant": self.variant, "normalised": "yes" if self.normalised else "no"}
        if self.variant == "kp":
            options["coherence"] = self.coherence
        if self.normalised:
            options |= {"permutations": str(self.permutations), "seed": str(self.seed)}
        return options | {"roles": parser().name if self.parsed else "position"}

    def lacks(self, document: Document) -> str | None:
        """Needs the chains of the English side."""
        if document.en is None:
            return super().lacks(document)
        if "coreference" not in document.en.layers:
            return "chains of the reference are not annotated (layer coreference)"
        return None

    def prepare(
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Parse all sentences at once, each distinct one once."""
        if not self.parsed:
            return
        from bwb.analysis.roles import parser

        ready = [document.id for document in documents if self.lacks(document) is None]
        parser().analyse(
            [text for found in outputs.values() for name in ready for text in found[name]], progress
        )

    def counter(self, document: Document) -> Counter:
        """See the module."""
        placer = Placer(self.reference(document))

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            placed = placer.place(sentences)
            self._count(tally, Centers(self._utterances(placed, sentences)))
            for mention in (missing := placer.missing(placed)):
                kind = mention.form or "mention"
                tally.misses.append(Miss(document.id, mention.sentence, mention.text, kind))
            tally.add("coverage.matched", len(placer.mentions) - len(missing))
            tally.add("coverage.reference", len(placer.mentions))
            return tally

        return count

    def ratio(self, name: str) -> tuple[str, str]:
        """See `RatioMetric.ratio`."""
        if name == "coverage":
            return "coverage.matched", "coverage.reference"
        if name != self.overall:
            return name, "transitions"
        return ("beaten", "orders") if self.normalised else ("value", "out_of")

    def _utterances(
        self, placed: Mapping[int, Sequence[Placed]], sentences: Sequence[str]
    ) -> list[list[str]]:
        """The entities of each sentence that has any, highest first."""
        roles = _parsed_roles(placed, sentences) if self.parsed else _placed_roles(placed)
        jiang = self.variant == "jiang-2022b"
        utterances = []
        for line, row in placed.items():
            weights: dict[str, int] = {}
            for found, role in zip(row, roles[line], strict=True):
                mention = found.mention
                table = _JIANG if jiang else _PRONOUN if mention.pronoun else _NOMINAL
                known = weights.setdefault(mention.entity, table[role])
                if not jiang:
                    weights[mention.entity] = max(known, table[role])
            # Sorting is stable: what weighs the same stays in the order of the sentence.
            utterances.append(sorted(weights, key=lambda entity: -weights[entity]))
        return utterances

    def _count(self, tally: Tally, centers: Centers) -> None:
        import numpy as np

        if centers.number < 2:
            return
        orders = centers.given()
        if self.normalised:
            orders = np.concatenate([orders, centers.orders(self.permutations, self.seed)])
        if self.variant == "jiang-2022b":
            found = centers.transitions_jiang(orders)
        else:
            unknown = self.coherence == "same-or-unknown"
            found = centers.transitions(orders, unknown=unknown)
        tally.add("utterances", centers.number)
        tally.add("transitions", found.total)
        tally.add("nocb", int(found.nocb[0]))
        for name in _PRINCIPLES:
            tally.add(name, int(getattr(found, name)[0]))
        value = self._value(found)
        tally.add("value", int(value[0]))
        tally.add("out_of", found.total * (3 if self.variant == "jiang-2022b" else 1))
        if self.normalised:
            gains = value[0] - value[1:] if self.variant == "jiang-2022b" else value[1:] - value[0]
            tally.add("beaten", float((gains > 0).sum() + (gains == 0).sum() / 2))
            tally.add("orders", len(orders))

    def _value(self, found: Transitions) -> Ints:
        """The numerator of the variant, for each order."""
        if self.variant == "nocb":
            return found.nocb
        if self.variant == "jiang-2022b":
            return found.salient + found.coherent - found.nocb
        return found.nocb + 3 * found.total - found.cheap - found.coherent - found.salient


def _parsed_roles(
    placed: Mapping[int, Sequence[Placed]], sentences: Sequence[str]
) -> dict[int, list[Role]]:
    from bwb.analysis.roles import parser, span_role

    analyses = parser().analyse([sentences[line] for line in placed])
    return {
        line: [span_role(analysis, found.start, found.end) for found in row]
        for (line, row), analysis in zip(placed.items(), analyses, strict=True)
    }


def _placed_roles(placed: Mapping[int, Sequence[Placed]]) -> dict[int, list[Role]]:
    return {line: [_role_at(place) for place in range(len(row))] for line, row in placed.items()}


def _role_at(place: int) -> Role:
    return "subject" if place == 0 else "object" if place == 1 else "other"
