"""Sentences as the resolver needs them: tokens, tags, entities and dependencies, by spaCy.

This needs the parser, which no other metric does, so it has a pipeline of its own, loaded when the
first sentence comes. Each distinct sentence is parsed once in a process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bwb.analysis.english import load_model, model_name, read_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Token:
    """A word.

    Attributes:
        text: As it stands.
        lower: In lower case, apostrophes straight.
        lemma: In lower case.
        tag: Tag of the Penn Treebank.
        dep: Relation to its head (ClearNLP labels).
        head: Index of its head; its own for a root.
        start: First code point, in the sentence.
        end: One past the last code point.
        label: Label of the entity it is in; empty if none.
        clause: Number of the sentence within the line, from 0.
    """

    text: str
    lower: str
    lemma: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    label: str
    clause: int


@dataclass(frozen=True, slots=True)
class Parse:
    """A sentence (a line, which may hold several sentences of the grammar).

    Attributes:
        text: The sentence.
        tokens: Its tokens.
        children: Indices of the dependents of each token, ascending.
        left: First token of what each token heads.
        right: One past the last token of what each token heads.
        entities: What the model took for entities: label, first token, one past the last.
    """

    text: str
    tokens: tuple[Token, ...]
    children: tuple[tuple[int, ...], ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    entities: tuple[tuple[str, int, int], ...]

    def child(self, index: int, *deps: str) -> int | None:
        """The first dependent of a token that has one of these relations."""
        for child in self.children[index]:
            if self.tokens[child].dep in deps:
                return child
        return None

    def depth(self, index: int) -> int:
        """Number of heads above a token."""
        count = 0
        while self.tokens[index].head != index:
            index = self.tokens[index].head
            count += 1
        return count

    def ancestors(self, index: int) -> list[int]:
        """The heads above a token, nearest first."""
        above = []
        while self.tokens[index].head != index:
            index = self.tokens[index].head
            above.append(index)
        return above

    def covering(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that a range of code points touches: first, one past the last."""
        first, last = 0, 0
        for number, token in enumerate(self.tokens):
            if token.end <= start:
                first = number + 1
            if token.start < end:
                last = number + 1
        return first, max(last, first)

    def head_of(self, first: int, last: int) -> int:
        """The token of a range whose head lies outside; the last of several, by their depth."""
        best = first
        depth = -1
        for index in range(first, last):
            token = self.tokens[index]
            if first <= token.head < last and token.head != index:
                continue
            if token.tag in _EMPTY and last - first > 1:
                continue
            found = self.depth(index)
            if depth < 0 or found < depth:
                best, depth = index, found
        return best


_EMPTY = {".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "POS", "DT", "_SP", "CC", "IN"}
_PARSES: dict[str, Parse] = {}


def parser_name() -> str:
    """Model, components and library, with their versions.

    Raises:
        MissingDependencyError: if there is no model.
    """
    from importlib.metadata import version

    return f"{model_name()}:parser+ner:spacy-{version('spacy')}"


def parse(sentences: Sequence[str]) -> list[Parse]:
    """The parse of each sentence, in their order.

    Raises:
        MissingDependencyError: if there is no model.
    """
    missing = [text for text in dict.fromkeys(sentences) if text not in _PARSES]
    if missing:
        for text, doc in read_texts(load_model("senter"), missing):
            _PARSES[text] = _of(text, doc)
    return [_PARSES[text] for text in sentences]


def _of(text: str, doc: Any) -> Parse:  # noqa: ANN401 - a spaCy Doc
    tokens = []
    clause = -1
    for token in doc:
        clause += bool(token.is_sent_start)
        tokens.append(
            Token(
                text=token.text,
                lower=token.lower_.replace("’", "'"),
                lemma=(token.lemma_ or token.text).lower(),
                tag=token.tag_,
                dep=token.dep_,
                head=token.head.i,
                start=token.idx,
                end=token.idx + len(token),
                label=token.ent_type_,
                clause=max(clause, 0),
            )
        )
    return Parse(
        text=text,
        tokens=tuple(tokens),
        children=tuple(tuple(child.i for child in token.children) for token in doc),
        left=tuple(token.left_edge.i for token in doc),
        right=tuple(token.right_edge.i + 1 for token in doc),
        entities=tuple((entity.label_, entity.start, entity.end) for entity in doc.ents),
    )


def lowered(tokens: Iterable[Token]) -> tuple[str, ...]:
    """The tokens' texts in lower case."""
    return tuple(token.lower for token in tokens)
