"""Grammatical roles of phrases in English sentences, by spaCy's parser.

Nothing else in the analysis needs dependencies, so the parser has a pipeline of its own, with only
the components it needs, loaded when the first sentence comes that is not in the cache. What is
kept of a word is its relation and its head; the role of a phrase is that of its head word.

Relations are the ClearNLP labels of spaCy's English models. A subject is a nominal or clausal
subject, active or passive; an object is direct or indirect. The object of a preposition is
neither, nor is a possessor. A conjunct or an apposition has the role of what it is joined to.
"""

from __future__ import annotations

from array import array
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from bwb.analysis.base import Analyser, Analysis
from bwb.analysis.english import load_model, model_name, model_package, read_texts
from bwb.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Role = Literal["subject", "object", "other"]

_SUBJECT = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})
_OBJECT = frozenset({"dobj", "obj", "iobj", "dative"})
_JOINED = frozenset({"conj", "appos"})
# What the parser does not depend on.
_NOT_NEEDED = ("tagger", "attribute_ruler", "lemmatizer", "ner", "senter")


class Parser:
    """Relations and heads, by spaCy: the tag of a token is ``relation@index of its head``."""

    @property
    def name(self) -> str:
        """Model, components and library, with their versions."""
        return f"{model_name()}:parser:spacy-{version('spacy')}"

    def run(self, texts: Sequence[str]) -> Iterator[Analysis]:
        """See `bwb.analysis.base.Backend`."""
        for text, doc in read_texts(load_model(*_NOT_NEEDED), texts):
            kind = "I" if len(text) > 0xFFFF else "H"
            starts = array(kind, [token.idx for token in doc])
            ends = array(kind, [token.idx + len(token) for token in doc])
            tags = (f"{token.dep_ or 'dep'}@{token.head.i}" for token in doc)
            yield Analysis.of(text, starts, ends, tags)


@cache
def parser() -> Analyser:
    """The analyser that all share, with the cache on disk."""
    return Analyser(Parser())


def available() -> bool:
    """Whether spaCy and an English model are installed; loads neither."""
    if find_spec("spacy") is None:
        return False
    try:
        model_package()
    except MissingDependencyError:
        return False
    return True


def span_role(analysis: Analysis, start: int, end: int) -> Role:
    """The role of a phrase.

    Args:
        analysis: Of its sentence, by `parser`.
        start: First code point of the phrase, in the sentence.
        end: One past its last code point.

    Returns:
        The role of the phrase's head, the first word in it that depends on a word outside;
        ``other`` if no word lies in it.
    """
    inside = [
        index
        for index, (first, last) in enumerate(zip(analysis.starts, analysis.ends, strict=True))
        if first < end and last > start
    ]
    if not inside:
        return "other"
    low, high = inside[0], inside[-1]
    for index in inside:
        relation, head = _relation(analysis, index)
        if not low <= head <= high or head == index:
            # Marks and articles that the parser hung elsewhere are not what the phrase is about.
            if relation in {"punct", "det", "case", "predet"} and len(inside) > 1:
                continue
            return _role(analysis, index)
    return "other"


def _relation(analysis: Analysis, index: int) -> tuple[str, int]:
    relation, _, head = analysis.tags[index].rpartition("@")
    return relation, int(head)


def _role(analysis: Analysis, index: int) -> Role:
    # A tree has no cycles; the bound is for what a damaged cache might hold.
    for _ in range(len(analysis.tags)):
        relation, head = _relation(analysis, index)
        if relation in _SUBJECT:
            return "subject"
        if relation in _OBJECT:
            return "object"
        if relation not in _JOINED:
            break
        index = head
    return "other"
