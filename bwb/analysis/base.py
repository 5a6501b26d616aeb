"""What an analysis of a sentence is, and how texts get theirs.

An `Analyser` gives each distinct text to its backend once: what it has seen before, in this
process or (cache on disk) in another one, is not analysed again. Backends are
`bwb.analysis.english.English` and `bwb.analysis.chinese.Chinese`.
"""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bwb.caches import Store, text_key, user_caches
from bwb.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

# Sentences that are analysed, sent between processes and written to disk together.
_CHUNK = 512
# Part of the cache's name: raise it when the bytes below mean something else.
_FORMAT = "1"
# Rows of the cache, some 300 bytes each.
_ROWS = 2_000_000
# spaCy's limit, in code points.
MAX_LENGTH = 1_000_000


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """An entity that the backend found.

    Attributes:
        label: The backend's label, such as ``PERSON``.
        first: Index of its first token.
        last: One past the index of its last token.
    """

    label: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text, cut into tokens.

    Attributes:
        text: The text.
        tokens: The tokens.
        starts: First code point of each token, in the text.
        ends: One past the last code point of each token.
        tags: Tag of each token.
        entities: What was found, from left to right, none overlapping another.
    """

    text: str
    tokens: tuple[str, ...]
    starts: array[int]
    ends: array[int]
    tags: tuple[str, ...]
    entities: tuple[NamedSpan, ...]

    @classmethod
    def of(
        cls,
        text: str,
        starts: array[int],
        ends: array[int],
        tags: Iterable[str],
        entities: Iterable[NamedSpan] = (),
    ) -> Analysis:
        """Cut a text; equal tokens and tags of all texts are one object."""
        tokens = (sys.intern(text[start:end]) for start, end in zip(starts, ends, strict=True))
        return cls(text, tuple(tokens), starts, ends, tuple(map(sys.intern, tags)), tuple(entities))

    def entity_text(self, entity: NamedSpan) -> str:
        """The words of an entity, as they stand in the text."""
        return self.text[self.starts[entity.first] : self.ends[entity.last - 1]]


class Backend(Protocol):
    """What really analyses; has to survive pickling, and loads its model when first asked."""

    @property
    def name(self) -> str:
        """All that the result depends on: model, version, library."""

    def run(self, texts: Sequence[str]) -> Iterable[Analysis]:
        """Analyse texts.

        Raises:
            MissingDependencyError: if the model is not installed.
        """


def encode(analysis: Analysis) -> bytes:
    """An analysis as bytes, without its text."""
    wide = len(analysis.text) > 0xFFFF
    kind = "I" if wide else "H"
    starts, ends = array(kind, analysis.starts), array(kind, analysis.ends)
    if sys.byteorder == "big":
        starts.byteswap()
        ends.byteswap()
    lines = [" ".join(analysis.tags)]
    lines += [f"{e.label} {e.first} {e.last}" for e in analysis.entities]
    head = bytes([wide]) + len(starts).to_bytes(4, "little")
    return b"".join((head, starts.tobytes(), ends.tobytes(), "\n".join(lines).encode()))


def decode(text: str, value: bytes) -> Analysis:
    """The inverse of `encode`.

    Raises:
        ValueError: if these bytes are not an analysis of this text.
    """
    starts, ends = array("I" if value[0] else "H"), array("I" if value[0] else "H")
    count = int.from_bytes(value[1:5], "little")
    middle, last = 5 + count * starts.itemsize, 5 + 2 * count * starts.itemsize
    starts.frombytes(value[5:middle])
    ends.frombytes(value[middle:last])
    if sys.byteorder == "big":
        starts.byteswap()
        ends.byteswap()
    first, *rest = value[last:].decode().split("\n")
    tags = first.split(" ") if count else []
    if len(tags) != count or len(starts) != count or (count and ends[-1] > len(text)):
        raise ValueError("not an analysis of this text")
    spans = (line.split(" ") for line in rest)
    entities = [NamedSpan(sys.intern(a), int(b), int(c)) for a, b, c in spans]
    return Analysis.of(text, starts, ends, tags, entities)


class Analyser:
    """Analyses each distinct text once.

    Args:
        backend: What analyses.
        cache: Whether to keep analyses on disk, or the folder to keep them in.
        workers: Number of processes; more than one pays from some thousand sentences on. As
            always with processes, a script that asks for several must have its calls under
            ``if __name__ == "__main__":``.
    """

    def __init__(self, backend: Backend, *, cache: bool | Path = True, workers: int = 1) -> None:
        """Note the settings; nothing is loaded yet.

        Raises:
            UsageError: if `workers` is not positive.
        """
        if workers < 1:
            raise UsageError(f"{workers} workers; expected 1 or more")
        self.backend = backend
        self.workers = workers
        self._folder = user_caches() / "analysis" if cache is True else cache or None
        self._store: Store | None = None
        self._known: dict[str, Analysis] = {}

    @property
    def name(self) -> str:
        """Name of the backend."""
        return self.backend.name

    def analyse(
        self, texts: Sequence[str], progress: Callable[[int], object] | None = None
    ) -> list[Analysis]:
        """The analysis of each text, in their order.

        Args:
            texts: Sentences, whatever they hold; the same one may come again.
            progress: Called with a number of sentences that were analysed just now.

        Raises:
            InputError: if a text is longer than `MAX_LENGTH`, or no string.
            MissingDependencyError: if something has to be analysed and there is no model.
        """
        known = self._known
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            for number, text in enumerate(missing):
                _check(text, number)
            missing = self._read(missing)
        for start in self._chunks(missing):
            values = {}
            for analysis, value in start:
                known[analysis.text] = analysis
                values[text_key(analysis.text)] = value
            if (store := self._open()) is not None:
                store.write(values)
            if progress is not None:
                progress(len(values))
        return [known[text] for text in texts]

    def _open(self) -> Store | None:
        if self._store is None and self._folder is not None:
            self._store = Store(self._folder, f"{self.name}:{_FORMAT}", limit=_ROWS)
        return self._store

    def _read(self, texts: list[str]) -> list[str]:
        """Take from the cache what it has; returns the texts it lacks."""
        store = self._open()
        if store is None:
            return texts
        keys = {text: text_key(text) for text in texts}
        values = store.read(list(keys.values()))
        missing = []
        for text, key in keys.items():
            try:
                self._known[text] = decode(text, values[key])
            except (KeyError, ValueError, IndexError):
                missing.append(text)
        return missing

    def _chunks(self, texts: list[str]) -> Iterator[Iterable[tuple[Analysis, bytes]]]:
        chunks = [texts[at : at + _CHUNK] for at in range(0, len(texts), _CHUNK)]
        if self.workers == 1 or len(chunks) == 1:
            for chunk in chunks:
                yield ((a, encode(a)) for a in self.backend.run(chunk))
        else:
            yield from self._spread(chunks)

    def _spread(self, chunks: list[list[str]]) -> Iterator[Iterable[tuple[Analysis, bytes]]]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Spawned, not forked: a fork of a process that has threads may hang.
        with ProcessPoolExecutor(
            min(self.workers, len(chunks)), get_context("spawn"), _start, (self.backend,)
        ) as pool:
            for chunk, values in zip(chunks, pool.map(_work, chunks), strict=True):
                yield (
                    (decode(text, value), value) for text, value in zip(chunk, values, strict=True)
                )


# The backend of a worker process.
_backend: list[Backend] = []


def _start(backend: Backend) -> None:
    _backend[:] = [backend]


def _work(texts: list[str]) -> list[bytes]:
    return [encode(analysis) for analysis in _backend[0].run(texts)]


def _check(text: object, number: int) -> None:
    if not isinstance(text, str):
        raise InputError(f"text {number} is a {type(text).__name__}; expected a string")
    if len(text) > MAX_LENGTH:
        raise InputError(
            f"a sentence of {len(text):,} characters ({text[:40]!r}…); at most {MAX_LENGTH:,}"
        )
