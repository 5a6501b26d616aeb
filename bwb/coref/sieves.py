"""The sieves for names and nominals, in the order of Lee et al. 2013, section 3.3.

Each looks at every mention that is the first of its chain so far, goes back through what precedes
it, and links it to the first chain that passes its test.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from bwb.coref.phrases import PLURAL
from bwb.coref.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bwb.coref.chains import Chains
    from bwb.coref.phrases import Phrase
    from bwb.coref.speech import Turn

    Test = Callable[[Chains, Phrase, Phrase], bool]


def first_and_second(chains: Chains, turns: Sequence[Turn]) -> None:
    """Sieve 1: "I" is the same all through a turn, and so is "you".

    In the narration "I" is the narrator all along. Speakers that were given by name are the same
    wherever they speak.
    """
    first: dict[object, int] = {}
    for phrase in chains.phrases:
        if phrase.kind == "pronoun" and phrase.person < 3:
            plural = phrase.numbers == PLURAL
            key: object = (phrase.turn, phrase.person, plural)
            turn = None if phrase.turn is None else turns[phrase.turn]
            if turn is not None and turn.key is not None and phrase.person == 1 and not plural:
                key = ("speaker", turn.key)
            elif turn is not None and phrase.person == 2 and len(turn.to) == 1:
                key = ("speaker", turn.to[0])
            chains.link(first.setdefault(key, phrase.index), phrase.index)


def speakers(chains: Chains, turns: Sequence[Turn]) -> None:
    """Sieve 1, second part: "I" is who speaks, "you" is who is spoken to.

    It runs when names are together, so that a wrong guess cannot keep them apart.
    """
    for number, turn in enumerate(turns):
        for index in turn.vocatives:
            _address(chains, number, turn, index)
        me = [p for p in chains.phrases if p.turn == number and p.kind == "pronoun"]
        _separate_persons(chains, me)
        for phrase in me:
            if phrase.numbers == PLURAL or phrase.person == 3:
                continue
            whose = turn.speaker if phrase.person == 1 else turn.addressee
            if whose is not None:
                chains.link(whose, phrase.index)
        _keep_speaker_apart(chains, turn, me)


def _address(chains: Chains, number: int, turn: Turn, vocative: int) -> None:
    """Link whom a turn names as its hearer with "you" in it, and with whom it is said to."""
    if turn.speaker is not None:
        chains.keep_apart(turn.speaker, vocative)
    if chains.phrases[vocative].kind == "name":
        turn.addressee = vocative
    elif turn.addressee is not None:
        chains.link(turn.addressee, vocative)
    for phrase in chains.phrases:
        if phrase.turn == number and phrase.kind == "pronoun" and phrase.person == 2:
            chains.link(vocative, phrase.index)


def _separate_persons(chains: Chains, pronouns: list[Phrase]) -> None:
    """Within a turn the first, second and third persons are different."""
    for place, one in enumerate(pronouns):
        for other in pronouns[place + 1 :]:
            if one.person != other.person:
                chains.keep_apart(one.index, other.index)


def _keep_speaker_apart(chains: Chains, turn: Turn, pronouns: list[Phrase]) -> None:
    """Who speaks, or is spoken to, is not "he" in what is said."""
    for phrase in pronouns:
        for whose, person in ((turn.speaker, 1), (turn.addressee, 2)):
            if whose is not None and phrase.person != person:
                chains.keep_apart(whose, phrase.index)


def run(chains: Chains, test: Test, *, kinds: str = "name nominal") -> None:
    """Link each first mention of a chain to the nearest one before it that passes a test.

    Only mentions that share a word with it are tried: no test passes without one.

    Args:
        chains: The chains.
        test: Whether a mention is an antecedent of another.
        kinds: The kinds of mention to link.
    """
    wanted = kinds.split()
    for phrase in chains.phrases:
        if phrase.kind not in wanted or _first_of_kind(chains, phrase) != phrase.index:
            continue
        for other in _antecedents(chains, phrase):
            if (
                not chains.same(other.index, phrase.index)
                and test(chains, other, phrase)
                and chains.link(other.index, phrase.index)
            ):
                break


def _antecedents(chains: Chains, phrase: Phrase) -> Iterator[Phrase]:
    """The names and nominals in front of a mention that share a word with it, nearest first."""
    found: set[int] = set()
    for word in phrase.keys:
        places = chains.by_word.get(word, [])
        found.update(places[: bisect_left(places, phrase.index)])
    for index in sorted(found, reverse=True):
        yield chains.phrases[index]


def _first_of_kind(chains: Chains, phrase: Phrase) -> int:
    for index in chains.members(phrase.index):
        if chains.phrases[index].kind != "pronoun":
            return index
    return phrase.index


def exact_match(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Sieve 2: the same words; of what is indefinite or owned, only names and the same owner."""
    if before.words != phrase.words:
        return False
    if phrase.kind == "name":
        return True
    return not phrase.indefinite and _owners_agree(chains, before, phrase)


def relaxed_match(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Sieve 3: the same words up to the head: "the house" and "the house that Jack built"."""
    return (
        not phrase.indefinite
        and _to_head(before) == _to_head(phrase)
        and _owners_agree(chains, before, phrase)
    )


def strict_head(
    chains: Chains,
    before: Phrase,
    phrase: Phrase,
    *,
    inclusion: bool = True,
    compatible: bool = True,
) -> bool:
    """Sieves 5 to 7: the same head, and nothing new said of it.

    Args:
        chains: The chains.
        before: The candidate.
        phrase: The mention.
        inclusion: Whether the chain before must have all words of the mention's chain (A, B).
        compatible: Whether the mention may have no modifier that the candidate lacks (A, C).
    """
    if phrase.indefinite or phrase.kind != "nominal":
        return False
    if phrase.head_word not in _heads(chains, before):
        return False
    if not _owners_agree(chains, before, phrase) or _distinct(before, phrase):
        return False
    if inclusion and not _all_words(chains, phrase) <= _all_words(chains, before):
        return False
    return not compatible or _modifiers(phrase) <= _modifiers(before)


def owned(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """After the pronouns, when owners are known: "her aunt" is "her aunt", the aunt of the same."""
    return (
        phrase.kind == before.kind == "nominal"
        and phrase.possessor is not None
        and before.possessor is not None
        and chains.same(phrase.possessor, before.possessor)
        and phrase.head_word == before.head_word
        and phrase.numbers == before.numbers
        and not _distinct(before, phrase)
    )


def given_names(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Sieve 8: names of which one has all words of the other, the first one included.

    "Katharine" is "Katharine Hilbery", "Xiaoman" is "Wen Xiaoman"; what is only called by a title
    and a surname waits for the next sieve.
    """
    if before.kind != "name" or phrase.kind != "name" or not before.name or not phrase.name:
        return False
    if phrase.surname_only or before.surname_only:
        return phrase.name == before.name and phrase.surname_only == before.surname_only
    return _all_agree(chains, before, phrase)


def surnames(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Sieve 9: "Miss Wen" is "Wen Xiaoman", if nobody else of that name is nearer.

    "Mrs. Hilbery" is not "Katharine Hilbery": a married name does not say which of a family.
    """
    if before.kind != "name" or phrase.kind != "name" or not before.name or not phrase.name:
        return False
    if "mrs" in {before.title, phrase.title} and before.title != phrase.title:
        return False
    return _all_agree(chains, before, phrase)


def titles(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Sieve 9: "the general" is "General Shaw", "her aunt" is "her aunt Shaw"."""
    if {before.kind, phrase.kind} != {"name", "nominal"}:
        return False
    name, nominal = (before, phrase) if before.kind == "name" else (phrase, before)
    if nominal.indefinite or nominal.head_token.lower not in name.titles:
        return False
    if nominal.possessor is None:
        return True
    return name.possessor is not None and chains.same(name.possessor, nominal.possessor)


def _all_agree(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Whether the longest name of two chains has all words of all the others."""
    together = [p.name for p in (*_names(chains, phrase), *_names(chains, before))]
    longest = max(together, key=len)
    return all(name <= longest for name in together)


def _names(chains: Chains, phrase: Phrase) -> list[Phrase]:
    found = [chains.phrases[index] for index in chains.members(phrase.index)]
    return [member for member in found if member.kind == "name" and member.name]


def _heads(chains: Chains, phrase: Phrase) -> set[str]:
    members = (chains.phrases[index] for index in chains.members(phrase.index))
    return {member.head_word for member in members if member.kind != "pronoun"}


def _to_head(phrase: Phrase) -> tuple[str, ...]:
    tokens = phrase.parse.tokens[phrase.first : phrase.head + 1]
    kept = [token.lower for token in tokens if token.tag not in {"DT", "WDT"}]
    return (*kept[:-1], phrase.head_word) if kept else ()


def _modifiers(phrase: Phrase) -> frozenset[str]:
    stop = words()["modifiers.stop"]
    tokens = phrase.parse.tokens[phrase.first : phrase.last]
    return frozenset(
        token.lower
        for token in tokens
        if token.tag[:1] in "JNCV" and token.lower not in stop and token.lemma != phrase.head_word
    )


def _all_words(chains: Chains, phrase: Phrase) -> set[str]:
    stop = words()["modifiers.stop"]
    found: set[str] = set()
    for index in chains.members(phrase.index):
        member = chains.phrases[index]
        if member.kind != "pronoun":
            found.update(word for word in member.words if word not in stop and word.isalnum())
            found.discard(member.head_token.lower)
            found.add(member.head_word)
    return found


def _distinct(before: Phrase, phrase: Phrase) -> bool:
    """Whether a number, side or the like tells two phrases with one head apart."""
    listed = words()["modifiers.distinct"]
    one = {w for w in before.words if w in listed or w.isdigit()}
    other = {w for w in phrase.words if w in listed or w.isdigit()}
    return bool(other - one)


def _owners_agree(chains: Chains, before: Phrase, phrase: Phrase) -> bool:
    """Whether two phrases have the same owner, or at least not two."""
    one, other = before.possessor, phrase.possessor
    if one is None and other is None:
        return True
    if one is None or other is None:
        # "my father" and "the father": as good as the same.
        return other is None and before.kind == "nominal"
    return chains.same(one, other)
