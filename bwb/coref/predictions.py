"""Chains that somebody else made: read from files, paired with a key, given to a metric.

Read are CoNLL-2012 and CoNLL-U files (and folders of them), whatever else `bwb` reads documents
from, and two kinds of JSONL with a text a line:

- ours: ``{"document": "river/3", "sentences": ["She ran.", …], "clusters": [[[0, 0, 3], …], …]}``,
  a mention being sentence, first code point and one past the last, in the sentence;
- that of neural resolvers (Lee et al. 2017, e2e-coref): ``{"doc_key": "river/3", "sentences":
  [["She", "ran", "."], …], "clusters": [[[0, 0], …], …]}``, a mention being its first and last
  token in the text, the last included; ``predicted_clusters`` is read instead where it is there.

So that a text in tokens and the same text as it was can be compared, mentions are kept as ranges
of the text's code points without white space.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from bwb.annotations.conll2012 import read_clusters
from bwb.annotations.formats import seen_format
from bwb.annotations.sources import read_documents
from bwb.coref.base import Span, check_spans, inject
from bwb.errors import Finding, FormatError, InputError
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from bwb.coref.base import Chain, Speech
    from bwb.records import Lang, Side

Clusters = list[list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Clustering:
    """A text and its chains.

    Attributes:
        name: Id of the document.
        words: The text's words: tokens if it came in tokens, else what white space divides.
        clusters: Chains; a mention is a half-open range of code points of the words put together
            without white space.
        tokens: Whether the words are the tokens of a file.
    """

    name: str
    words: tuple[str, ...]
    clusters: Clusters
    tokens: bool


def read_clusterings(path: Path, *, lang: Lang | None = None) -> list[Clustering]:
    """The texts of a file or folder, with their chains.

    Args:
        path: See the module.
        lang: Only sides in this language; if None, all that are annotated, the language behind
            the name of a document that has two.

    Raises:
        FormatError: at the first place that is not as it should be.
        InputError: if there is nothing to read, or a name occurs twice.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    found = list(_read(path, lang))
    if not found:
        what = "no documents" if lang is None else f"no documents in language {lang!r}"
        raise InputError(f"{path}: {what} with coreference; expected one at least")
    seen: set[str] = set()
    for clustering in found:
        if clustering.name in seen:
            raise InputError(f"{path}: document {clustering.name!r} occurs twice")
        seen.add(clustering.name)
    return found


def pair_clusterings(
    key: Sequence[Clustering], response: Sequence[Clustering]
) -> list[tuple[Clustering, Clustering]]:
    """Pair the texts of two sides by name, in the order of the key.

    Raises:
        InputError: if one side lacks a document of the other, or their texts differ.
    """
    theirs = {clustering.name: clustering for clustering in response}
    ours = {clustering.name for clustering in key}
    for side, names in (
        ("the response lacks", [c.name for c in key if c.name not in theirs]),
        ("the key lacks", [c.name for c in response if c.name not in ours]),
    ):
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            raise InputError(
                f"{side} {', '.join(map(repr, names[:5]))}{more}; expected the same "
                "documents on both sides"
            )
    pairs = [(clustering, theirs[clustering.name]) for clustering in key]
    for pair in pairs:
        _require_same_text(*pair)
    return pairs


class Predicted:
    """A resolver that knows what another program has predicted.

    A text is found by its words, however it is cut into sentences. Given mentions get the chain of
    the predicted mention with the same span; what was not predicted is a singleton.

    Args:
        clusterings: The predictions.
        name: Name of the program.
    """

    def __init__(self, clusterings: Iterable[Clustering], name: str = "predicted") -> None:
        """Index the predictions by their text."""
        self.name = name
        self._by_text = {"".join(c.words): c for c in clusterings}

    def resolve(
        self,
        sentences: Sequence[str],
        mentions: Iterable[Span] | None = None,
        speakers: Sequence[Speech] | None = None,
    ) -> list[Chain]:
        """See `bwb.coref.base.Resolver`.

        Raises:
            InputError: also if there is no prediction for this text.
        """
        text = "".join("".join(sentences).split())
        found = self._by_text.get(text)
        if found is None:
            raise InputError(
                f"{self.name}: no prediction for the text that begins {text[:40]!r}; "
                f"there are {len(self._by_text)} others"
            )
        return inject(sentences, _as_spans(found, sentences), mentions)


def _read(path: Path, lang: Lang | None) -> Iterator[Clustering]:
    first = _first_line(path) if path.is_file() else ""
    if first.startswith("#begin document") or (seen_format(path) == "conll2012"):
        for document in read_clusters(path, lang=lang):
            yield _of_tokens(document.name, document.tokens, document.clusters)
    elif first.startswith("{") and re.search(r'"(predicted_)?clusters"\s*:', first):
        yield from _rows(path)
    else:
        if first.startswith("#") and not seen_format(path):
            message = f"{first[:60]!r}; expected '#begin document (NAME); part 000'"
            raise FormatError(Finding(str(path), 1, 1, "no-document", message))
        for found in read_documents(path):
            sides = [side for side in found.sides if "coreference" in side.layers]
            for side in sides:
                if lang in {None, side.lang}:
                    several = len(sides) > 1 and lang is None
                    yield _of_side(f"{found.id} [{side.lang}]" if several else found.id, side)


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return next((line for line in file if line.strip()), "")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _of_tokens(
    name: str, tokens: Sequence[str], clusters: Iterable[Iterable[tuple[int, int]]]
) -> Clustering:
    """From tokens and ranges of them, the end excluded."""
    offsets = list(accumulate(map(len, tokens), initial=0))
    spans = [[(offsets[a], offsets[b]) for a, b in cluster] for cluster in clusters]
    return Clustering(name, tuple(tokens), spans, True)


def _of_side(name: str, side: Side) -> Clustering:
    solid = _solid_offsets(side.text)
    chains: dict[str, list[tuple[int, int]]] = {}
    for mention in side.mentions:
        span = (solid[mention.start], solid[mention.end])
        chains.setdefault(mention.entity, []).append(span)
    return Clustering(name, tuple(side.text.split()), list(chains.values()), False)


def _solid_offsets(text: str) -> list[int]:
    """Number of code points in front of each place of a text that are not white space."""
    return list(accumulate((not character.isspace() for character in text), initial=0))


def _as_spans(found: Clustering, sentences: Sequence[str]) -> list[Chain]:
    """Chains as spans of sentences; a mention over several sentences is an error."""
    starts: dict[int, tuple[int, int]] = {}
    ends: dict[int, tuple[int, int]] = {}
    place = 0
    for number, sentence in enumerate(sentences):
        for at, character in enumerate(sentence):
            if not character.isspace():
                starts[place] = (number, at)
                place += 1
                ends[place] = (number, at + 1)
    chains: list[Chain] = []
    for cluster in found.clusters:
        spans = []
        for start, end in cluster:
            (line, first), (other, last) = starts[start], ends[end]
            if line != other:
                raise InputError(
                    f"{found.name}: the mention from sentence {line} to {other} of the text; "
                    "expected mentions within a sentence"
                )
            spans.append(Span(line, first, last))
        chains.append(tuple(spans))
    return chains


def _rows(path: Path) -> Iterator[Clustering]:
    text, _ = read_text(path)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _bad(path, number, f"not JSON: {error}") from None
        if not isinstance(row, dict):
            raise _bad(path, number, f"a {type(row).__name__}; expected an object")
        if "doc_key" in row:
            yield _neural_row(path, number, row)
        else:
            yield _our_row(path, number, row)


def _our_row(path: Path, number: int, row: dict[str, Any]) -> Clustering:
    name = row.get("document")
    sentences, clusters = row.get("sentences"), row.get("clusters")
    if not isinstance(name, str) or not _lists(sentences, str):
        raise _bad(path, number, "expected document, a string, and sentences, a list of strings")
    if not _clusters(clusters, 3):
        message = "clusters; expected lists of mentions [sentence, start, end]"
        raise _bad(path, number, message)
    chains = [[Span(*mention) for mention in cluster] for cluster in clusters or ()]
    try:
        check_spans(sentences or (), (span for chain in chains for span in chain))
    except InputError as error:
        raise _bad(path, number, str(error)) from None
    bases = list(accumulate((len(s) + 1 for s in sentences or ()), initial=0))
    whole = "\n".join(sentences or ())
    solid = _solid_offsets(whole)
    spans = [
        [(solid[bases[s.sentence] + s.start], solid[bases[s.sentence] + s.end]) for s in chain]
        for chain in chains
    ]
    return Clustering(name, tuple(whole.split()), spans, False)


def _neural_row(path: Path, number: int, row: dict[str, Any]) -> Clustering:
    name, sentences = row["doc_key"], row.get("sentences")
    clusters = row.get("predicted_clusters", row.get("clusters"))
    if not isinstance(name, str) or not _lists(sentences, list):
        raise _bad(path, number, "expected doc_key, a string, and sentences, lists of tokens")
    tokens = [token for sentence in sentences or () for token in sentence]
    if not _lists(tokens, str) or any(token.split() != [token] for token in tokens):
        raise _bad(path, number, "tokens; expected strings without white space")
    if not _clusters(clusters, 2):
        raise _bad(path, number, "clusters; expected lists of mentions [first, last]")
    chains: list[list[list[int]]] = clusters or []
    for chain in chains:
        for first, last in chain:
            if not 0 <= first <= last < len(tokens):
                message = f"mention [{first}, {last}] in a text of {len(tokens)} tokens"
                raise _bad(path, number, message)
    return _of_tokens(name, tokens, [[(a, b + 1) for a, b in chain] for chain in chains])


def _lists(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _clusters(value: object, numbers: int) -> bool:
    return isinstance(value, list) and all(
        isinstance(cluster, list) and all(_lists(m, int) and len(m) == numbers for m in cluster)
        for cluster in value
    )


def _bad(path: Path, line: int, message: str) -> FormatError:
    return FormatError(Finding(str(path), line, 0, "prediction", message))


def _require_same_text(key: Clustering, response: Clustering) -> None:
    """Refuse two texts that differ in more than white space; tokens have to be the same."""
    exact = key.tokens and response.tokens
    if key.words == response.words or (not exact and "".join(key.words) == "".join(response.words)):
        return
    pairs = zip(key.words, response.words, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), -1)
    if at < 0:
        raise InputError(
            f"document {key.name!r}: {len(key.words)} tokens in the key, {len(response.words)} in "
            "the response; expected the same text"
        )
    raise InputError(
        f"document {key.name!r}: token {at + 1} is {key.words[at]!r} in the key and "
        f"{response.words[at]!r} in the response; expected the same text"
    )
