"""Direct speech: its stretches, who speaks, and to whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bwb.coref.phrases import PERSON, THING
from bwb.coref.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bwb.coref.base import Speech
    from bwb.coref.parse import Parse
    from bwb.coref.phrases import Phrase

_OPENS = set(",!\"'“‘「:—") | {"--", "``"}
_CLOSES = set(",.!?\"'”’」;—…") | {"--", "''", "..."}
# Turns with at most so many sentences between them are one conversation.
_NEAR = 3
_STYLES = ({"“": "”"}, {'"': '"'}, {"‘": "’"}, {"「": "」"}, {"'": "'"})


@dataclass(slots=True)
class Turn:
    """What one person says in one go.

    Attributes:
        pieces: Sentence, first code point and one past the last of each piece.
        key: Name of the speaker, if it was given.
        to: Names of the addressees, if they were given.
        speaker: Index of a mention of the speaker, found by a verb of speech; None if none.
        addressee: Index of a mention of whom it is said to; None if unknown.
        sure: Whether the speaker was found by a verb of speech or a beat, and not by turns.
    """

    pieces: list[tuple[int, int, int]]
    key: str | None = None
    to: tuple[str, ...] = ()
    speaker: int | None = None
    addressee: int | None = None
    sure: bool = False
    vocatives: list[int] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Sentence in which it begins."""
        return self.pieces[0][0]

    @property
    def last(self) -> int:
        """Sentence in which it ends."""
        return self.pieces[-1][0]


def given_turns(speeches: Sequence[Speech]) -> list[Turn]:
    """Turns from annotated speech: pieces that follow one another with the same speaker."""
    turns: list[Turn] = []
    for piece in sorted(speeches, key=lambda speech: speech[:3]):
        span = (piece.sentence, piece.start, piece.end)
        if (
            turns
            and piece.speaker is not None
            and turns[-1].key == piece.speaker
            and piece.sentence - turns[-1].last <= 1
        ):
            turns[-1].pieces.append(span)
        else:
            turns.append(Turn([span], piece.speaker, piece.addressees))
    return turns


def find_turns(sentences: Sequence[str]) -> list[Turn]:
    """Turns by quotation marks; speech may run over sentences."""
    pieces = stretches(sentences)
    turns: list[Turn] = []
    for group in pieces:
        # “…,” said she, “…”: pieces that share a sentence, with words between them.
        if turns and turns[-1].last == group[0][0]:
            between = sentences[group[0][0]][turns[-1].pieces[-1][2] : group[0][1]]
            if any(map(str.isalpha, between)):
                turns[-1].pieces += group
                continue
        turns.append(Turn(group))
    return turns


def stretches(sentences: Sequence[str]) -> list[list[tuple[int, int, int]]]:
    """Stretches between marks of the kind that the text uses most.

    Returns:
        For each its pieces: sentence, first code point, one past the last, marks included. Speech
        that runs over sentences has a piece in each.
    """
    best: list[list[tuple[int, int, int]]] = []
    for style in _STYLES:
        found = _stretches(sentences, style)
        # Single marks are apostrophes as well: only if there is nothing else.
        if len(found) > len(best) * (1 if style.keys() & set('“"「') else 4):
            best = found
    return best


def _stretches(sentences: Sequence[str], style: dict[str, str]) -> list[list[tuple[int, int, int]]]:
    found: list[list[tuple[int, int, int]]] = []
    closer = ""
    for number, sentence in enumerate(sentences):
        start = 0
        for at, character in enumerate(sentence):
            if closer and character == closer and not _inside_word(sentence, at, closing=True):
                found[-1].append((number, start, at + 1))
                closer = ""
            elif not closer and character in style and not _inside_word(sentence, at):
                found.append([])
                closer = style[character]
                start = at
        if closer:
            found[-1].append((number, start, len(sentence)))
            # A mark that is never closed: speech does not run over a page.
            if len(found[-1]) > 12 and style.get(closer) == closer:
                closer = ""
    return [group for group in found if group and _speaks(sentences, group)]


def _speaks(sentences: Sequence[str], group: list[tuple[int, int, int]]) -> bool:
    return any(any(map(str.isalnum, sentences[n][a:b])) for n, a, b in group)


def _inside_word(sentence: str, at: int, *, closing: bool = False) -> bool:
    """Whether a single mark is an apostrophe."""
    if sentence[at] not in "'’":
        return False
    before, behind = sentence[at - 1 : at] if at else "", sentence[at + 1 : at + 2]
    if before.isalnum() and behind.isalnum():
        return True
    if closing:
        return behind.isalpha() or (before.isalpha() and behind == " " and before == "s")
    return before.isalnum() or (
        behind.isalpha() and sentence[at + 1 : at + 3] in {"s ", "ll", "re"}
    )


def mark_turns(turns: Sequence[Turn], phrases: Sequence[Phrase]) -> None:
    """Note in which turn each mention is."""
    by_sentence: dict[int, list[tuple[int, int, int]]] = {}
    for number, turn in enumerate(turns):
        for sentence, start, end in turn.pieces:
            by_sentence.setdefault(sentence, []).append((start, end, number))
    for phrase in phrases:
        for start, end, number in by_sentence.get(phrase.span.sentence, ()):
            if start <= phrase.span.start and phrase.span.end <= end:
                phrase.turn = number


def attribute(turns: Sequence[Turn], phrases: Sequence[Phrase], parses: Sequence[Parse]) -> None:
    """Find the mentions of speakers and addressees."""
    at = {(p.span.sentence, p.head): p for p in reversed(phrases) if p.turn is None}
    speech = [_in_speech(number, parse, turns) for number, parse in enumerate(parses)]
    for turn in turns:
        found = _speaker(turn, parses, speech, at)
        if found is not None:
            turn.speaker, turn.sure = found.index, True
    for place, turn in enumerate(turns):
        if turn.speaker is None and place > 1 and turn.key is None:
            before, earlier = turns[place - 1], turns[place - 2]
            if turn.first - before.last <= 1 and before.first - earlier.last <= _NEAR:
                turn.speaker = earlier.speaker
    for phrase in phrases:
        if phrase.turn is not None and _vocative(phrase):
            turns[phrase.turn].vocatives.append(phrase.index)
    for place, turn in enumerate(turns):
        turn.addressee = _addressee(turns, place)


def _vocative(phrase: Phrase) -> bool:
    """Whether a mention in speech names whom it is said to: "Go, Edith!", "Yes, sir."."""
    if phrase.kind == "pronoun" or not phrase.genders & PERSON:
        return False
    tokens = phrase.parse.tokens
    before = tokens[phrase.first - 1].text if phrase.first else '"'
    after = tokens[phrase.last].text if phrase.last < len(tokens) else '"'
    own = phrase.determiner in {"my", "you"} or phrase.kind == "name"
    bare = phrase.last - phrase.first <= 2 and tokens[phrase.head].tag in {"NN", "NNP", "JJ"}
    if not (own or bare) or phrase.head_token.dep in {
        "nsubj",
        "nsubjpass",
        "dobj",
        "conj",
        "appos",
    }:
        return False
    opened = before in _OPENS or before.lower() in words()["speech.interjections"]
    return opened and after in _CLOSES


def _in_speech(number: int, parse: Parse, turns: Sequence[Turn]) -> list[bool]:
    pieces = [(a, b) for turn in turns for n, a, b in turn.pieces if n == number]
    return [any(a <= token.start < b for a, b in pieces) for token in parse.tokens]


def _addressee(turns: Sequence[Turn], place: int) -> int | None:
    """Who spoke before, or speaks next, in the same conversation, and is somebody else."""
    turn = turns[place]
    for step in (-1, 1):
        other_place = place + step
        if 0 <= other_place < len(turns):
            other = turns[other_place]
            gap = turn.first - other.last if step < 0 else other.first - turn.last
            if gap <= _NEAR and other.speaker is not None and other.speaker != turn.speaker:
                return other.speaker
    return None


def _speaker(
    turn: Turn,
    parses: Sequence[Parse],
    speech: Sequence[list[bool]],
    at: dict[tuple[int, int], Phrase],
) -> Phrase | None:
    """The subject of the verb of speech next to a turn, else of the narration beside it."""
    sentences = list(dict.fromkeys(n for n, _, _ in turn.pieces))
    for number in sentences:
        found = _subject_of_speech(number, parses[number], speech[number], at)
        if found is not None:
            return found
    after = turn.last + 1
    if after < len(parses) and turn.pieces[-1][2] >= len(parses[turn.last].text.rstrip()):
        tokens = parses[after].tokens
        lead = next(
            (t for t, inside in zip(tokens, speech[after], strict=True) if not inside), None
        )
        if lead is not None and tokens[:1] == (lead,):
            early = lead.text[:1].islower() or lead.lemma in words()["speech.verbs"]
            limit = 6 if early else 4
            found = _subject_of_speech(after, parses[after], speech[after], at, limit=limit)
            if found is not None and (early or found.head < limit):
                return found
    before = turn.first - 1
    if before >= 0 and turn.pieces[0][1] <= 1 and parses[before].text.rstrip()[-1:] in ":,":
        found = _subject_of_speech(before, parses[before], speech[before], at)
        if found is not None:
            return found
    for number in sentences:
        found = _beat(number, parses[number], speech[number], at)
        if found is not None:
            return found
    return None


def _subject_of_speech(
    number: int,
    parse: Parse,
    speech: list[bool],
    at: dict[tuple[int, int], Phrase],
    *,
    limit: int | None = None,
) -> Phrase | None:
    verbs = words()["speech.verbs"]
    for index, token in enumerate(parse.tokens):
        if limit is not None and index >= limit:
            return None
        if speech[index] or token.lemma not in verbs or not token.tag.startswith("V"):
            continue
        subject = parse.child(index, "nsubj")
        # The parser takes the subject behind the verb for an object now and then.
        places = [subject] if subject is not None else []
        places += [index + 1, index + 2, index - 1]
        for place in places:
            if 0 <= place < len(speech) and not speech[place]:
                phrase = at.get((number, place))
                if phrase is not None and phrase.genders != THING:
                    return phrase
    return None


def _beat(
    number: int, parse: Parse, speech: list[bool], at: dict[tuple[int, int], Phrase]
) -> Phrase | None:
    """The first subject of the narration in the sentence of a turn that may be a person."""
    for index, token in enumerate(parse.tokens):
        if not speech[index] and token.dep == "nsubj":
            phrase = at.get((number, index))
            if phrase is not None and phrase.genders & PERSON and phrase.person != 2:
                return phrase
    return None
