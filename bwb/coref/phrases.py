"""Mentions with what can be told of them alone: kind, person, gender, number, role, name.

Gender and number are sets of what is possible, as in Lee et al. 2013, section 3.1: a set of several
is a phrase that does not say. ``m`` and ``f`` are people (and animals), ``n`` is a thing or place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from bwb.coref.words import words

if TYPE_CHECKING:
    from bwb.coref.base import Span
    from bwb.coref.parse import Parse, Token

Kind = Literal["pronoun", "name", "nominal"]
Role = Literal["subject", "object", "possessor", "oblique"]

ANY = frozenset("mfn")
PERSON = frozenset("mf")
THING = frozenset("n")
SINGULAR = frozenset("s")
PLURAL = frozenset("p")
EITHER = SINGULAR | PLURAL
_REFLEXIVE = ("self", "selves")


@dataclass(eq=False)
class Phrase:
    """A mention.

    Attributes:
        index: Place in the order of the text.
        span: Where it is.
        parse: The sentence it is in.
        first: Index of its first token.
        last: One past the index of its last token.
        head: Index of its head.
        kind: Pronoun, name or nominal.
        person: Grammatical person, 1 to 3.
        genders: What it may be: ``m``, ``f``, ``n``.
        numbers: Singular ``s``, plural ``p``, or either.
        role: What it is to its verb or noun.
        words: Its words in lower case, without determiner and possessive ending.
        clause: Number of its grammatical sentence in the whole text.
        turn: Number of the stretch of direct speech it is in; None in the narration.
        possessor: Index of the mention that owns it ("her" in "her aunt"); None if none.
        name: The words of a name, without titles.
        titles: The words in front of a name.
    """

    index: int
    span: Span
    parse: Parse
    first: int
    last: int
    head: int
    kind: Kind
    person: int
    genders: frozenset[str]
    numbers: frozenset[str]
    role: Role
    words: tuple[str, ...]
    clause: int = 0
    turn: int | None = None
    possessor: int | None = None
    name: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()

    @property
    def head_token(self) -> Token:
        """Its head."""
        return self.parse.tokens[self.head]

    @property
    def head_word(self) -> str:
        """Lemma of its head; of a name, the word as it is."""
        token = self.head_token
        return token.lower if self.kind == "name" else token.lemma

    @cached_property
    def keys(self) -> frozenset[str]:
        """The words that it can be recognised by; none for a pronoun."""
        if self.kind == "pronoun":
            return frozenset()
        stop = words()["modifiers.stop"]
        own = {word for word in self.words if word not in stop}
        return frozenset({*own, self.head_word, self.head_token.lower, *self.titles})

    @property
    def text(self) -> str:
        """Its words."""
        return self.parse.text[self.span.start : self.span.end]

    @property
    def determiner(self) -> str:
        """Its first word, in lower case."""
        return self.parse.tokens[self.first].lower

    @property
    def indefinite(self) -> bool:
        """Whether it introduces something new: "a man", "some men", "every man"."""
        quantifiers = words()["detection.quantifiers"]
        return self.determiner in {"a", "an", "some", "another", *quantifiers}

    @property
    def reflexive(self) -> bool:
        """Whether it is "himself" or the like."""
        return self.kind == "pronoun" and self.words[0].endswith(_REFLEXIVE)

    @property
    def relative(self) -> bool:
        """Whether it is a relative pronoun."""
        return self.last - self.first == 1 and self.determiner in words()["pronouns.relative"]

    @property
    def title(self) -> str:
        """Of a name "mr", "mrs" or "miss", if it has that, else nothing."""
        plain = {word.rstrip(".") for word in self.titles}
        return next((word for word in ("mrs", "mr", "miss") if word in plain), "")

    @property
    def surname_only(self) -> bool:
        """Whether it is a title and one name."""
        return len(self.name) == 1 and bool(self.title)

    @property
    def possessive(self) -> bool:
        """Whether it stands in front of what it owns."""
        return self.role == "possessor"

    def contains(self, other: Phrase) -> bool:
        """Whether the other lies within it."""
        mine, theirs = self.span, other.span
        return (
            mine.sentence == theirs.sentence
            and mine.start <= theirs.start
            and theirs.end <= mine.end
        )
