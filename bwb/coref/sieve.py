"""A deterministic resolver for English: sieves, the most precise first.

The sieves are those of Lee et al. 2013 (Deterministic coreference resolution based on
entity-centric, precision-ranked rules), section 3.3, in this order:

1. speech: "I" and "you" within a turn, and of speakers that are given by name
2. the same words; then names with the same given name, and titles with surnames (8, 9)
1. speech again: "I" and "you" with the mentions of who speaks and who listens
3. the same words up to the head
4. precise constructs: appositions, predicates, relative pronouns, acronyms, peoples
5. to 7. the same head, three times with fewer conditions
9. a title for a name: "the general"
10. pronouns of the third person; then phrases that the same person owns: "her aunt"

Names come before the second half of speech, so that a speaker who was guessed wrong cannot keep
two mentions of one name apart. Ours, and not the paper's, are also: how the names of people are
compared, votes on the gender of names, the salience that ranks the antecedents of a pronoun, and
the word lists (`annotations/coreference.toml`).
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from bwb.coref import sieves
from bwb.coref.base import Span, check_spans, ordered
from bwb.coref.chains import Chains, separate
from bwb.coref.constructs import precise_constructs
from bwb.coref.detect import find_mentions, referring
from bwb.coref.features import build
from bwb.coref.parse import parse, parser_name
from bwb.coref.pronouns import resolve_pronouns, vote_on_gender
from bwb.coref.speech import attribute, find_turns, given_turns, mark_turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bwb.coref.base import Chain, Speech

VERSION = "1"


class Sieve:
    """The resolver; see the module.

    Args:
        attributes: Whether appositions and predicates are mentions of what they are said of, as
            in BWB ("Bian, the director"); LitBank has them apart.
    """

    def __init__(self, *, attributes: bool = True) -> None:
        """Note the settings; nothing is loaded yet."""
        self.attributes = attributes

    @property
    def name(self) -> str:
        """Name and version, with those of the model."""
        apart = "" if self.attributes else "-apart"
        return f"sieve-{VERSION}{apart}:{parser_name()}"

    def resolve(
        self,
        sentences: Sequence[str],
        mentions: Iterable[Span] | None = None,
        speakers: Sequence[Speech] | None = None,
    ) -> list[Chain]:
        """See `bwb.coref.base.Resolver`."""
        check_spans(sentences, speakers or (), "speech")
        given = None if mentions is None else {Span(*span) for span in mentions}
        check_spans(sentences, given or ())
        parses = parse(sentences)
        spans = find_mentions(parses) if given is None else given
        spans = sorted(spans, key=lambda span: (span.sentence, span.start, -span.end))
        counts = (p.tokens[-1].clause + 1 if p.tokens else 1 for p in parses)
        clauses = list(accumulate(counts, initial=0))
        phrases = build(spans, parses, clauses)
        turns = find_turns(sentences) if speakers is None else given_turns(speakers)
        mark_turns(turns, phrases)
        vote_on_gender(phrases)
        attribute(turns, phrases, parses)
        chains = Chains(phrases)
        separate(chains)
        sieves.first_and_second(chains, turns)
        sieves.run(chains, sieves.exact_match)
        sieves.run(chains, sieves.given_names, kinds="name")
        sieves.run(chains, sieves.surnames, kinds="name")
        sieves.speakers(chains, turns)
        sieves.run(chains, sieves.relaxed_match)
        precise_constructs(chains, attributes=self.attributes)
        sieves.run(chains, sieves.strict_head)
        sieves.run(chains, partial(sieves.strict_head, compatible=False))
        sieves.run(chains, partial(sieves.strict_head, inclusion=False))
        sieves.run(chains, sieves.titles)
        resolve_pronouns(chains)
        sieves.run(chains, sieves.owned)
        kept = chains.all() if given is not None else referring(chains)
        return ordered([[phrases[i].span for i in chain] for chain in kept])
