"""Finding mentions: pronouns, names, and noun phrases that may stand for one of BWB's types.

BWB and LitBank annotate people, facilities, places, vehicles and organisations, singletons
included, and nothing else. So a noun phrase is a mention if the model takes its head for such an
entity, or its head is in the lists of `annotations/coreference.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.coref.base import Span
from bwb.coref.phrases import THING
from bwb.coref.words import words
from bwb.lexicon import pronoun_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bwb.coref.chains import Chains
    from bwb.coref.parse import Parse, Token
    from bwb.coref.phrases import Phrase

_KINDS = ("masculine", "feminine", "person", "group", "plural", "organisation", "place", "vehicle")
_LABELS = {"PERSON", "GPE", "LOC", "FAC", "ORG", "NORP"}
_NOUNS = {"NN", "NNS", "NNP", "NNPS"}
_EDGES = {".", ",", ":", "``", "''", "-LRB-", "-RRB-", "_SP", "CC", "HYPH"}
# What hangs on a noun and is no part of a mention of it.
_OUTSIDE = {"appos", "conj", "cc", "punct", "preconj", "parataxis", "dep", "advcl", "ccomp"}


def find_mentions(parses: Sequence[Parse]) -> list[Span]:
    """The mentions of a text, in order, the longer one first."""
    found: set[Span] = set()
    for number, parse in enumerate(parses):
        for first, last in _stretches(parse):
            start, end = parse.tokens[first].start, parse.tokens[last - 1].end
            found.add(Span(number, start, end))
    return sorted(found, key=lambda span: (span.sentence, span.start, -span.end))


def _stretches(parse: Parse) -> Iterator[tuple[int, int]]:
    classes = pronoun_classes("en")
    for index, token in enumerate(parse.tokens):
        if token.lower in classes:
            if token.lower not in {"it", "its", "itself"} or not pleonastic(parse, index):
                yield index, index + 1
        elif token.tag in _NOUNS and _heads_phrase(parse, index) and _entity(parse, index):
            yield _extent(parse, index)


def _heads_phrase(parse: Parse, index: int) -> bool:
    token = parse.tokens[index]
    if token.dep in {"compound", "amod", "nmod", "npadvmod", "nummod"} and token.head > index:
        return token.label == "GPE" and token.tag == "NNP"
    return True


def _entity(parse: Parse, index: int) -> bool:
    """Whether the head of a noun phrase stands for something that is annotated."""
    token = parse.tokens[index]
    lists = words()
    if token.label in lists["detection.not_entities"]:
        return False
    if token.tag in {"NNP", "NNPS"}:
        return _proper(parse, token, index)
    named = {token.lower, token.lemma}
    return any(named & lists[f"nouns.{kind}"] for kind in _KINDS)


def _proper(parse: Parse, token: Token, index: int) -> bool:
    lists = words()
    if token.lower in lists["detection.impersonal_names"] or not token.text[:1].isupper():
        return False
    if token.label in _LABELS:
        return True
    known = lists["names.masculine"] | lists["names.feminine"]
    return (
        token.lower in known
        or any({token.lower, token.lemma} & lists[f"nouns.{kind}"] for kind in _KINDS)
        or token.text[1:].islower()
    )


def _extent(parse: Parse, head: int) -> tuple[int, int]:
    """The range of a noun phrase: all that hangs on its head, without appositions and conjuncts."""
    tokens = parse.tokens
    first, last = head, head + 1
    for child in parse.children[head]:
        if tokens[child].dep in _OUTSIDE:
            if child > head:
                break
            continue
        if child < head:
            first = min(first, parse.left[child])
        elif tokens[child].dep == "case":
            continue
        elif tokens[child].dep != "relcl" and _long(parse, head, child):
            break
        else:
            last = max(last, parse.right[child])
    while last - 1 > head and tokens[last - 1].tag in _EDGES:
        last -= 1
    while first < head and tokens[first].tag in _EDGES:
        first += 1
    return first, last


def _long(parse: Parse, head: int, child: int) -> bool:
    """Whether a comma stands between a noun and what follows it."""
    return any(token.text in {",", ";", "--", "—"} for token in parse.tokens[head + 1 : child])


def referring(chains: Chains) -> list[list[int]]:
    """The chains without pronouns that do not seem to stand for anything that is annotated.

    "It" mostly stands for an idea or a thing, which is no mention: it is left out unless a name or
    noun of its chain precedes it in the same sentence.
    """
    kept = []
    for chain in chains.all():
        nouns = [chains.phrases[i] for i in chain if chains.phrases[i].kind != "pronoun"]
        stays = [
            i for i in chain if not _vague(chains.phrases[i]) or _near(chains.phrases[i], nouns)
        ]
        kept.append(stays)
    return [chain for chain in kept if chain]


def _vague(phrase: Phrase) -> bool:
    return phrase.kind == "pronoun" and phrase.genders == THING


def _near(phrase: Phrase, nouns: Sequence[Phrase]) -> bool:
    return any(noun.clause == phrase.clause and noun.index < phrase.index for noun in nouns)


def pleonastic(parse: Parse, index: int) -> bool:
    """Whether "it" refers to nothing: it rains, it seems, it is true that."""
    lists = words()
    token = parse.tokens[index]
    if token.lower != "it":
        return False
    if token.dep == "expl":
        return True
    verb = parse.tokens[token.head]
    if verb.lemma in lists["speech.weather"] or verb.lemma in lists["speech.impersonal"]:
        return True
    if verb.lemma != "be":
        return False
    if any(parse.tokens[c].lemma in lists["speech.weather"] for c in parse.children[token.head]):
        return True
    after = [parse.tokens[c] for c in parse.children[token.head] if c > token.head]
    return any(
        t.lower in lists["speech.impersonal_adjectives"] or t.dep in {"ccomp", "advcl", "xcomp"}
        for t in after
    )
