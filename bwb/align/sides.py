"""One text as the aligner sees it: arrays of lengths, vectors, clauses, words and marks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from bwb.align.clauses import is_cjk, split_clauses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from bwb.align.encoders import Encoder, Vectors
    from bwb.align.lattice import Floats, Ints
    from bwb.align.lexicon import Lexicon

_CLOSING = "”’」』\"'»›"
_CENTRE = 10  # sentences that the mean vector of a language counts for, as if all were 0
_INWARDS, _OUTWARDS = re.compile(r"[»›]\w|[^\s\w][«‹]"), re.compile(r"[«‹]\w|[^\s\w][»›]")
_ASKS = re.compile(r"[?？][\s!！\"'”’“‘」』»›«‹)）]*$")


@dataclass(frozen=True)
class Side:
    """A text of n sentences, c clauses, w different words.

    Attributes:
        cjk: Whether it is Chinese or Japanese.
        chars: Characters of each sentence, at least 1; shape (n,).
        vectors: Of sentences; shape (n, d).
        clause_starts: Index of each sentence's first clause, and c; shape (n + 1,).
        clause_chars: Characters of each clause, at least 1; shape (c,).
        clause_texts: The clauses, stripped.
        clause_vectors: Shape (c, d), centred as `centred` does it; rows of clauses that nobody
            asked for are 0.
        closes: Whether each sentence ends in a closing quotation mark.
        asks: Whether it ends in a question mark, quotation marks aside.
        occurrences: Which words are in which sentence; sparse, shape (n, w), all values 1.
        translations: Which of the other side's words translate each word; sparse, (w, w').
        idf: ln(1 + n / sentences with the word) / 5; shape (w,).
    """

    cjk: bool
    chars: Floats
    vectors: Vectors
    clause_starts: Ints
    clause_chars: Floats
    clause_texts: list[str]
    clause_vectors: Vectors
    closes: NDArray[np.bool_]
    asks: NDArray[np.bool_]
    occurrences: sparse.csr_array
    translations: sparse.csr_array
    idf: Floats

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self.chars)

    def clauses_of(self, sentences: slice) -> slice:
        """The clauses of consecutive sentences."""
        return slice(
            int(self.clause_starts[sentences.start]), int(self.clause_starts[sentences.stop])
        )


def make_sides(
    src: Sequence[str], tgt: Sequence[str], encoder: Encoder, lexicon: Lexicon
) -> tuple[Side, Side]:
    """Both texts as arrays, without vectors of clauses; see `encode_clauses`."""
    whole = [[text.strip() for text in side] for side in (src, tgt)]
    vectors = encode_distinct(encoder, [*whole[0], *whole[1]])
    parts = vectors[: len(src)], vectors[len(src) :]
    words = _words(src, tgt, lexicon)
    sides = []
    for texts, rows, (occurrences, translations) in zip(whole, parts, words, strict=True):
        clauses = [[piece.strip() for piece in split_clauses(text)] for text in texts]
        flat = [piece for pieces in clauses for piece in pieces]
        df = np.maximum(occurrences.sum(axis=0), 1)
        closes = closing_mark(texts)
        sides.append(
            Side(
                cjk=is_cjk("".join(texts)),
                chars=np.array([max(1, len(text)) for text in texts], float),
                vectors=rows,
                clause_starts=np.cumsum([0, *(len(pieces) for pieces in clauses)]).astype(np.int64),
                clause_chars=np.array([max(1, len(text)) for text in flat], float),
                clause_texts=flat,
                clause_vectors=np.zeros((len(flat), vectors.shape[1]), np.float32),
                closes=_flags(closes.search(text) for text in texts),
                asks=_flags(_ASKS.search(text) for text in texts),
                occurrences=occurrences,
                translations=translations,
                idf=np.log(1 + len(texts) / df) / 5,
            )
        )
    return sides[0], sides[1]


def encode_clauses(
    sides: tuple[Side, Side], wanted: tuple[NDArray[np.bool_], NDArray[np.bool_]], encoder: Encoder
) -> tuple[Side, Side]:
    """The sides with the vectors of the clauses of some sentences.

    Args:
        sides: As `make_sides` gives them.
        wanted: For each side, whether a sentence's clauses are wanted; shapes (n,), (m,).
        encoder: The encoder of the sentences; a sentence of one clause is not encoded again.
    """
    rows, texts = [], []
    for side, some in zip(sides, wanted, strict=True):
        counts = np.diff(side.clause_starts)
        row = np.flatnonzero(np.repeat(some & (counts > 1), counts))
        rows.append(row)
        texts += [side.clause_texts[k] for k in row]
    vectors = encode_distinct(encoder, texts)
    out = []
    for side, row, part in zip(sides, rows, np.split(vectors, [len(rows[0])]), strict=True):
        filled = side.clause_vectors.copy()
        single = np.flatnonzero(np.diff(side.clause_starts) == 1)
        filled[side.clause_starts[single]] = centred(side.vectors[single], side)
        if len(row):
            filled[row] = centred(part, side)
        out.append(replace(side, clause_vectors=filled))
    return out[0], out[1]


def centred(vectors: Vectors, side: Side) -> Vectors:
    """Vectors of a text without what all of its sentences have in common, of length 1.

    That is the mean of its sentence vectors: language, genre and topic, which make any two pieces
    of the text alike. It is taken for less in a text of few sentences, where it is their meaning.
    """
    mean = side.vectors.sum(axis=0) / (len(side) + _CENTRE)
    rest = vectors - mean
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    return np.asarray(rest / np.maximum(lengths, 1e-9), np.float32)


def closing_mark(texts: Sequence[str]) -> re.Pattern[str]:
    """What finds a closing quotation mark at the end of a sentence of a text.

    German closes with the mark that English opens with (in texts that have the low mark, it
    closes), and some texts have guillemets point inwards.
    """
    text = "\n".join(texts)
    closing = _CLOSING + ("“‘" if "„" in text else "")
    if len(_INWARDS.findall(text)) > len(_OUTWARDS.findall(text)):
        closing = closing.translate(str.maketrans("»›", "«‹"))
    return re.compile(rf"[{closing}][\s)）]*$")


def encode_distinct(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """Vectors of texts, each different text encoded once."""
    if not texts:
        return np.zeros((0, 0), np.float32)
    index: dict[str, int] = {}
    places = [index.setdefault(text, len(index)) for text in texts]
    return encoder.encode(list(index))[places]


def _flags(found: Iterable[object]) -> NDArray[np.bool_]:
    return np.array([x is not None for x in found], bool)


def _words(
    src: Sequence[str], tgt: Sequence[str], lexicon: Lexicon
) -> list[tuple[sparse.csr_array, sparse.csr_array]]:
    """For each side, its words by sentence and their translations among the other's words."""
    sources: list[Mapping[str, frozenset[str]]] = [lexicon.source(text) for text in src]
    targets = [list(lexicon.target(text)) for text in tgt]
    ids: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for found in sources:
        for word in found:
            ids[0].setdefault(word, len(ids[0]))
    for stems in targets:
        for word in stems:
            ids[1].setdefault(word, len(ids[1]))
    meanings = {word: stems for found in sources for word, stems in found.items()}
    table = _matrix(
        [[ids[1][s] for s in sorted(meanings[word]) if s in ids[1]] for word in ids[0]], len(ids[1])
    )
    occurrences = (
        _matrix([[ids[0][word] for word in found] for found in sources], len(ids[0])),
        _matrix([[ids[1][word] for word in stems] for stems in targets], len(ids[1])),
    )
    return [(occurrences[0], table), (occurrences[1], sparse.csr_array(table.T))]


def _matrix(rows: Sequence[Sequence[int]], width: int) -> sparse.csr_array:
    starts = np.cumsum([0, *(len(row) for row in rows)])
    columns = np.fromiter((k for row in rows for k in row), np.int64, int(starts[-1]))
    ones = np.ones(len(columns), np.float32)
    return sparse.csr_array((ones, columns, starts), shape=(len(rows), width))
