"""The last sieve: pronouns of the third person.

A pronoun is linked to the chain that is most salient where it stands, of those that agree with it
in gender, number and animacy. Salience is that of Lappin and Leass 1994 (An algorithm for
pronominal anaphora resolution), summed over the mentions of a chain: each weighs by its role,
halved with every sentence between.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from bwb.coref.chains import arguments_of_one_verb
from bwb.coref.phrases import ANY, EITHER, PERSON, PLURAL
from bwb.coref.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.coref.chains import Chains
    from bwb.coref.phrases import Phrase


def vote_on_gender(phrases: Sequence[Phrase]) -> None:
    """Tell the gender of a name by the pronouns that follow it where nobody else is named.

    "Xiaoman laid her cheek to the bronze": the subject of a sentence and the next "he" or "she" in
    it, if no other person stands between, is a vote; a name has the gender of most of its votes.
    """
    votes: dict[frozenset[str], Counter[str]] = {}
    last: Phrase | None = None
    for phrase in phrases:
        if last is not None and phrase.clause != last.clause:
            last = None
        if phrase.kind != "pronoun":
            if phrase.genders & PERSON and phrase.numbers != PLURAL:
                named = phrase.kind == "name" and phrase.role == "subject" and last is None
                last = phrase if named else None
        elif last is not None and len(phrase.genders) == 1 and phrase.genders <= PERSON:
            if phrase.turn == last.turn and not arguments_of_one_verb(last, phrase):
                votes.setdefault(last.name, Counter())[min(phrase.genders)] += 1
            last = None
    for phrase in phrases:
        name = phrase.name
        found = [counts for other, counts in votes.items() if name <= other or other <= name]
        if name and found and len(phrase.genders) > 1:
            (first, most), *rest = sum(found, Counter()).most_common()
            if not rest or most >= 2 * rest[0][1]:
                phrase.genders = frozenset(first)


def resolve_pronouns(chains: Chains) -> None:
    """Link each pronoun of the third person to the most salient chain that agrees with it."""
    for phrase in chains.phrases:
        if phrase.kind != "pronoun" or phrase.person != 3:
            continue
        best = _best(chains, phrase)
        if best is not None:
            chains.link(best, phrase.index)


def _best(chains: Chains, phrase: Phrase) -> int | None:
    weights = words().salience
    # A chain counts once a grammatical sentence: by its most salient mention there.
    by_clause: dict[tuple[int, int], float] = {}
    sample: dict[int, int] = {}
    for index in range(phrase.index - 1, -1, -1):
        other = chains.phrases[index]
        distance = phrase.clause - other.clause
        if distance > weights["window"]:
            break
        if not _candidate(chains, other, phrase):
            continue
        chain = chains.chain(index)
        at = (chain, other.clause)
        by_clause[at] = max(by_clause.get(at, 0.0), _weight(other, phrase, distance))
        sample.setdefault(chain, index)
    scores: dict[int, float] = {}
    for (chain, _), weight in by_clause.items():
        scores[chain] = scores.get(chain, 0.0) + weight
    ranked = sorted(scores, key=lambda chain: (-scores[chain], -sample[chain]))
    for chain in ranked:
        if chains.can(sample[chain], phrase.index):
            return sample[chain]
    return None


def _candidate(chains: Chains, other: Phrase, phrase: Phrase) -> bool:
    if other.person < 3 and other.turn == phrase.turn:
        return False
    if phrase.reflexive and other.span.sentence != phrase.span.sentence:
        return False
    genders, numbers = chains.genders(other.index), chains.numbers(other.index)
    if phrase.genders == ANY and phrase.numbers == PLURAL:
        return bool(numbers & phrase.numbers)
    if genders == ANY and numbers == EITHER and other.kind == "pronoun":
        return False
    return bool(genders & phrase.genders) and bool(numbers & phrase.numbers)


def _weight(other: Phrase, phrase: Phrase, distance: int) -> float:
    weights = words().salience
    weight = weights["sentence"] + weights.get(other.role, weights["oblique"])
    if other.role == phrase.role == "subject":
        weight += weights["parallel"]
    if other.kind == "name":
        weight += weights["name"]
    if other.turn != phrase.turn:
        weight *= weights["other_turn"]
    if phrase.genders != ANY and other.genders == ANY:
        weight *= weights["unknown"]
    return weight * math.pow(0.5, distance / weights["half_life"])
