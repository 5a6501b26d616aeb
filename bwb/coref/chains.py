"""Chains while they are being made: which mentions are together, and which must not be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.coref.parse import Parse
    from bwb.coref.phrases import Phrase


class Chains:
    """A partition of mentions, coarser with every link.

    Each chain knows what all of its mentions allow together: gender and number. A link between
    chains that allow nothing together, or hold mentions that must be apart, is refused.

    Args:
        phrases: The mentions; each begins as a chain of its own.

    Attributes:
        phrases: The mentions.
        by_word: The names and nominals that have a word, ascending.
    """

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        """Start with singletons."""
        self.phrases = phrases
        self._of = list(range(len(phrases)))
        self._members: dict[int, list[int]] = {i: [i] for i in range(len(phrases))}
        self._genders = [phrase.genders for phrase in phrases]
        self._numbers = [phrase.numbers for phrase in phrases]
        self._apart: dict[int, set[int]] = {}
        self.by_word: dict[str, list[int]] = {}
        for phrase in phrases:
            for word in phrase.keys:
                self.by_word.setdefault(word, []).append(phrase.index)

    def chain(self, index: int) -> int:
        """Number of the chain of a mention."""
        return self._of[index]

    def members(self, index: int) -> list[int]:
        """The mentions in the chain of a mention, in the order of the text."""
        return self._members[self._of[index]]

    def genders(self, index: int) -> frozenset[str]:
        """What the chain of a mention may be."""
        return self._genders[self._of[index]]

    def numbers(self, index: int) -> frozenset[str]:
        """Whether the chain of a mention may be singular, plural."""
        return self._numbers[self._of[index]]

    def narrow(self, index: int, genders: frozenset[str]) -> None:
        """Say that a chain may be only this; ignored if it would leave nothing."""
        chain = self._of[index]
        self._genders[chain] = self._genders[chain] & genders or self._genders[chain]

    def keep_apart(self, one: int, other: int) -> None:
        """Never put these two mentions together."""
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)

    def same(self, one: int, other: int) -> bool:
        """Whether two mentions are in one chain."""
        return self._of[one] == self._of[other]

    def can(self, one: int, other: int) -> bool:
        """Whether the chains of two mentions can be put together."""
        a, b = self._of[one], self._of[other]
        if a == b:
            return True
        if not self._genders[a] & self._genders[b] or not self._numbers[a] & self._numbers[b]:
            return False
        return not self._must_be_apart(a, b)

    def link(self, one: int, other: int) -> bool:
        """Put the chains of two mentions together, if they can be; returns whether they are."""
        a, b = self._of[one], self._of[other]
        if a == b:
            return True
        if not self.can(one, other):
            return False
        self._merge(a, b)
        return True

    def _must_be_apart(self, a: int, b: int) -> bool:
        if len(self._members[a]) > len(self._members[b]):
            a, b = b, a
        return any(
            self._of[other] == b
            for member in self._members[a]
            for other in self._apart.get(member, ())
        )

    def _merge(self, a: int, b: int) -> None:
        if len(self._members[a]) < len(self._members[b]):
            a, b = b, a
        for member in self._members[b]:
            self._of[member] = a
        self._members[a] = sorted(self._members[a] + self._members.pop(b))
        self._genders[a] = self._genders[a] & self._genders[b]
        self._numbers[a] = self._numbers[a] & self._numbers[b]

    def all(self) -> list[list[int]]:
        """The chains."""
        return list(self._members.values())


def separate(chains: Chains) -> None:
    """Keep apart what grammar keeps apart.

    A mention and what it holds ("her" in "her aunt"; i-within-i); subject and object of a verb,
    unless the object is reflexive (principle B of Chomsky 1981); conjuncts of one phrase.
    """
    phrases = chains.phrases
    by_sentence: dict[int, list[Phrase]] = {}
    for phrase in phrases:
        by_sentence.setdefault(phrase.span.sentence, []).append(phrase)
    for group in by_sentence.values():
        for place, one in enumerate(group):
            for other in group[place + 1 :]:
                if one.contains(other) or other.contains(one):
                    # "the porter who came": what a relative pronoun stands for holds it.
                    if one.relative or other.relative:
                        continue
                    chains.keep_apart(one.index, other.index)
                elif arguments_of_one_verb(one, other) or _conjuncts(one, other):
                    chains.keep_apart(one.index, other.index)


def arguments_of_one_verb(one: Phrase, other: Phrase) -> bool:
    """Whether a verb has both for arguments, neither of them reflexive."""
    if one.reflexive or other.reflexive:
        return False
    tokens = one.parse.tokens
    first, second = tokens[one.head], tokens[other.head]
    if first.dep == "attr" or second.dep == "attr":
        return False
    roots = [_verb(one.parse, phrase.head) for phrase in (one, other)]
    return roots[0] is not None and roots[0] == roots[1]


def _verb(parse: Parse, head: int) -> int | None:
    """The verb that a phrase is an argument of, directly or by one preposition."""
    tokens = parse.tokens
    token = tokens[head]
    if token.dep == "pobj":
        above = tokens[token.head]
        if above.dep not in {"prep", "agent", "dative"}:
            return None
        token = above
    elif token.dep not in {"nsubj", "nsubjpass", "dobj", "dative"}:
        return None
    verb = token.head
    return verb if tokens[verb].tag.startswith("V") else None


def _conjuncts(one: Phrase, other: Phrase) -> bool:
    tokens = one.parse.tokens
    for a, b in ((one, other), (other, one)):
        at = b.head
        while tokens[at].dep == "conj" and tokens[at].head != at:
            at = tokens[at].head
            if at == a.head:
                return True
    return False
