"""Telling the features of mentions from the parse and the word lists."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bwb.coref.parse import lowered
from bwb.coref.phrases import ANY, EITHER, PERSON, PLURAL, SINGULAR, THING, Kind, Phrase, Role
from bwb.coref.words import words
from bwb.lexicon import pronoun_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.coref.base import Span
    from bwb.coref.parse import Parse, Token

_PERSON_OF = {"first": 1, "second": 2}
_PRONOUN_GENDER = {
    "masculine": frozenset("m"),
    "feminine": frozenset("f"),
    "neuter": THING,
    "epicene": ANY,
}
# Labels of the model by what they say of a name.
_LABELS = {
    "PERSON": PERSON,
    "GPE": THING,
    "LOC": THING,
    "FAC": THING,
    "ORG": THING,
    "NORP": PERSON,
}
_SUBJECT = {"nsubj", "nsubjpass", "csubj", "expl", "agent"}
_OBJECT = {"dobj", "dative", "attr", "oprd", "obj"}
_NAME_TAGS = {"NNP", "NNPS"}


def build(spans: Sequence[Span], parses: Sequence[Parse], clauses: Sequence[int]) -> list[Phrase]:
    """The mentions with their features, in the order given.

    Args:
        spans: Where they are, in the order of the text, the longer one first.
        parses: The sentences.
        clauses: Number of grammatical sentences in front of each sentence.
    """
    phrases = []
    for index, span in enumerate(spans):
        parse = parses[span.sentence]
        first, last = parse.covering(span.start, span.end)
        phrases.append(_phrase(index, span, parse, first, max(last, first + 1)))
        head = phrases[-1].head_token
        phrases[-1].clause = clauses[span.sentence] + head.clause
    _find_possessors(phrases)
    _agree_on_names(phrases)
    return phrases


def _phrase(index: int, span: Span, parse: Parse, first: int, last: int) -> Phrase:
    last = min(last, len(parse.tokens))
    first = min(first, max(last - 1, 0))
    tokens = parse.tokens[first:last]
    head = parse.head_of(first, last)
    lower = lowered(tokens)
    classes = pronoun_classes("en")
    text = " ".join(lower)
    if len(tokens) == 1 and text in classes:
        return _pronoun(index, span, parse, first, text, classes[text])
    kind: Kind = "name" if _is_name(tokens, parse.tokens[head]) else "nominal"
    phrase = Phrase(
        index=index,
        span=span,
        parse=parse,
        first=first,
        last=last,
        head=head,
        kind=kind,
        person=3,
        genders=ANY,
        numbers=_numbers(parse, first, last, head),
        role=_role(parse, head),
        words=_content(lower),
    )
    if lower[0] == "your" and phrase.head_token.lower in words()["speech.honorifics"]:
        phrase.kind, phrase.person, phrase.genders = "pronoun", 2, PERSON
        return phrase
    if kind == "name":
        phrase.name = frozenset(_name_words(parse, phrase))
        before = parse.tokens[first : max(head, first)]
        phrase.titles = frozenset(t.lower for t in before) - phrase.name
    phrase.genders = _genders(phrase)
    return phrase


def _pronoun(
    index: int, span: Span, parse: Parse, at: int, text: str, pronoun_class: str
) -> Phrase:
    person = _PERSON_OF.get(pronoun_class, 3)
    numbers = PLURAL if text in words()["pronouns.plural"] else SINGULAR
    if text in words()["pronouns.either_number"]:
        numbers = EITHER
    return Phrase(
        index=index,
        span=span,
        parse=parse,
        first=at,
        last=at + 1,
        head=at,
        kind="pronoun",
        person=person,
        genders=_PRONOUN_GENDER.get(pronoun_class, PERSON),
        numbers=numbers,
        role="possessor"
        if text in words()["pronouns.possessive"] and parse.tokens[at].tag == "PRP$"
        else _role(parse, at),
        words=(text,),
    )


def _is_name(tokens: Sequence[Token], head: Token) -> bool:
    if head.tag in _NAME_TAGS or head.label in {"PERSON", "GPE"}:
        return head.text[:1].isupper()
    return len(tokens) == 1 and head.lower in words()["names.masculine"] | words()["names.feminine"]


def _role(parse: Parse, head: int) -> Role:
    """What a phrase is to its verb or noun; conjuncts are what the first of them is."""
    token = parse.tokens[head]
    while token.dep == "conj" and token.head != head:
        head = token.head
        token = parse.tokens[head]
    if token.dep in _SUBJECT:
        return "subject"
    if token.dep in _OBJECT:
        return "object"
    if token.dep == "poss":
        return "possessor"
    # The subject of a verb that is the root is sometimes missed: "said she".
    return "oblique"


def _content(lower: tuple[str, ...]) -> tuple[str, ...]:
    """The words without what begins and ends a noun phrase."""
    kept = list(lower)
    while len(kept) > 1 and kept[0] in {"the", "a", "an", "this", "that", "these", "those"}:
        del kept[0]
    while len(kept) > 1 and kept[-1] in {"'s", "'", ",", "."}:
        del kept[-1]
    return tuple(kept)


def _name_words(parse: Parse, phrase: Phrase) -> list[str]:
    """The words of the name itself: proper nouns around the head, without titles."""
    lists = words()
    titles = lists["titles.masculine"] | lists["titles.feminine"] | lists["titles.either"]
    stop = lists["modifiers.stop"]
    tokens = parse.tokens
    start = phrase.head
    while start > phrase.first and tokens[start - 1].tag in _NAME_TAGS:
        start -= 1
    end = phrase.head + 1
    while end < phrase.last and tokens[end].tag in _NAME_TAGS:
        end += 1
    found = [token.lower for token in tokens[start:end] if token.lower not in stop]
    return [word for word in found if word not in titles] or found


def _numbers(parse: Parse, first: int, last: int, head: int) -> frozenset[str]:
    lists = words()
    token = parse.tokens[head]
    if any(
        first <= child < last and parse.tokens[child].dep == "conj"
        for child in parse.children[head]
    ):
        return PLURAL
    if token.lower in lists.places:
        return EITHER
    if token.tag in {"NNS", "NNPS"} or token.lower in lists["nouns.plural"]:
        return PLURAL
    if token.lemma in lists["nouns.group"]:
        return EITHER
    if token.lemma in lists["nouns.organisation"] or token.label in {"ORG", "NORP"}:
        return EITHER
    if token.tag in {"NN", "NNP"}:
        return SINGULAR
    return EITHER


def _genders(phrase: Phrase) -> frozenset[str]:
    lists = words()
    tokens = phrase.parse.tokens[phrase.first : phrase.last]
    head = phrase.head_token
    if phrase.kind == "name":
        return _name_genders(phrase, [token.lower for token in tokens])
    for word in (head.lower, head.lemma):
        if word in lists["nouns.masculine"]:
            return frozenset("m")
        if word in lists["nouns.feminine"]:
            return frozenset("f")
        if word in lists["nouns.person"]:
            return PERSON
        if word in lists["nouns.plural"]:
            return PERSON
        if word in lists["nouns.group"] or word in lists["nouns.animal"]:
            return ANY
        if any(word in lists[f"nouns.{kind}"] for kind in ("organisation", "place", "vehicle")):
            return THING
    if head.lower in lists["detection.locative_adverbs"]:
        return THING
    if head.lower in lists.places:
        return ANY
    return _LABELS.get(head.label, ANY)


def _name_genders(phrase: Phrase, lower: Sequence[str]) -> frozenset[str]:
    lists = words()
    if phrase.head_token.lower in lists.places:
        return ANY  # the people, and by sieve 4 the place
    # The title that stands closest to the name: "her aunt Mr. Shaw" does not occur.
    before = [word for word in lower if word not in phrase.name]
    for word in reversed(before):
        for gender, listed in (("m", "masculine"), ("f", "feminine")):
            if word in lists[f"titles.{listed}"] or word in lists[f"nouns.{listed}"]:
                return frozenset(gender)
    ordered = [word for word in lower if word in phrase.name]
    for word in ordered[:1]:
        for gender, listed in (("m", "masculine"), ("f", "feminine")):
            if word in lists[f"names.{listed}"] or (
                len(ordered) == 1 and word in lists[f"nouns.{listed}"]
            ):
                return frozenset(gender)
    if _thing_word(phrase):
        return THING
    if any(word in lists["titles.either"] or word in lists["nouns.person"] for word in before):
        return PERSON
    return _LABELS.get(phrase.head_token.label, ANY)


def _thing_word(phrase: Phrase) -> bool:
    """Whether a name ends in what it is: Street, Hall, Company."""
    head = phrase.head_token.lower
    return phrase.last - phrase.first > 1 and any(
        head in words()[f"nouns.{kind}"] for kind in ("place", "vehicle", "organisation", "group")
    )


def _find_possessors(phrases: Sequence[Phrase]) -> None:
    """Note whose each mention is: the mention whose head is the possessor of its head."""
    at: dict[tuple[int, int], Phrase] = {}
    for phrase in phrases:
        at.setdefault((phrase.span.sentence, phrase.head), phrase)
    for phrase in phrases:
        owner = phrase.parse.child(phrase.head, "poss")
        if owner is not None:
            found = at.get((phrase.span.sentence, owner))
            if found is not None and found is not phrase:
                phrase.possessor = found.index


def _agree_on_names(phrases: Sequence[Phrase]) -> None:
    """Give a name the same gender wherever it stands.

    The model's labels of names that it does not know are half guesses, so they are put to the vote:
    those of all names that share a word. A name that is called a person anywhere is one; a title,
    or a first name of the lists, decides before any label.
    """
    votes: dict[str, Counter[frozenset[str]]] = {}
    named = [phrase for phrase in phrases if phrase.name and not _thing_word(phrase)]
    for phrase in named:
        for word in phrase.name:
            votes.setdefault(word, Counter())[phrase.genders] += phrase.genders != ANY
    for phrase in named:
        if len(phrase.genders) == 1 and phrase.genders != THING:
            continue
        counts = sum((votes[word] for word in phrase.name), Counter())
        if counts[PERSON] and phrase.genders == THING:
            phrase.genders = PERSON
        elif phrase.genders == ANY and counts:
            phrase.genders = max(sorted(counts, key=sorted), key=lambda genders: counts[genders])
