"""Sieve 4 of Lee et al. 2013, section 3.3.4: constructions that identify two mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.coref.words import words

if TYPE_CHECKING:
    from bwb.coref.chains import Chains
    from bwb.coref.phrases import Phrase

_COPULAS = {"be", "become", "remain"}


def precise_constructs(chains: Chains, *, attributes: bool = True) -> None:
    """Link mentions that a construction identifies.

    Args:
        chains: The chains.
        attributes: Whether what an apposition or a predicate says of something is a mention of
            it, as in BWB; if not, as in LitBank, such mentions are left as they are.
    """
    by_sentence: dict[int, list[Phrase]] = {}
    for phrase in chains.phrases:
        by_sentence.setdefault(phrase.span.sentence, []).append(phrase)
    for group in by_sentence.values():
        for place, first in enumerate(group):
            for second in group[place + 1 :]:
                said = _apposed(first, second) or _predicate(first, second)
                if (attributes and said) or _relative(first, second):
                    chains.link(first.index, second.index)
    _short_forms(chains)


def _short_forms(chains: Chains) -> None:
    """Link acronyms with the names they stand for, and peoples with their countries."""
    places = words().places
    named = [p for p in chains.phrases if p.kind == "name" or p.head_token.lower in places]
    short = [p for p in named if p.text.isupper() or p.head_token.lower in places]
    for phrase in short:
        for other in named:
            if _acronym(phrase, other) or _demonym(phrase, other):
                chains.link(other.index, phrase.index)
                break


def _apposed(first: Phrase, second: Phrase) -> bool:
    """The second hangs on the first as an apposition: "Bian, the director"."""
    token = second.head_token
    return token.dep == "appos" and token.head == first.head and not first.contains(second)


def _predicate(first: Phrase, second: Phrase) -> bool:
    """Subject and predicate of the same form of "be": "Bian was the director"."""
    tokens = first.parse.tokens
    one, other = first.head_token, second.head_token
    if {one.dep, other.dep} != {"nsubj", "attr"} or one.head != other.head:
        return False
    verb = one.head
    if tokens[verb].lemma not in _COPULAS or first.parse.child(verb, "neg") is not None:
        return False
    # "Who are you?", "It was night" and "Were he the king": nothing is said of anything.
    return not any(tokens[c].tag in {"MD", "WP"} for c in first.parse.children[verb])


def _relative(first: Phrase, second: Phrase) -> bool:
    """A relative pronoun, where it is a mention, is what it hangs on: "the man who came"."""
    if not second.relative:
        return False
    tokens = second.parse.tokens
    for above in second.parse.ancestors(second.head):
        if tokens[above].dep == "relcl":
            return tokens[above].head == first.head
    return False


def _acronym(short: Phrase, long: Phrase) -> bool:
    """The one is made of the capitals of the other: "UN", "United Nations"."""
    text = short.text
    if not (text.isupper() and text.isalpha() and len(text) > 1):
        return False
    tokens = long.parse.tokens[long.first : long.last]
    capitals = (t.text[0] for t in tokens if t.text[:1].isupper() and t.tag != "DT")
    return "".join(capitals) == text


def _demonym(first: Phrase, second: Phrase) -> bool:
    """The first are the people of the second: "the Chinese" and "China"."""
    return words().places.get(first.head_token.lower) == second.head_token.lower
