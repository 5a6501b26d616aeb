"""BERTScore, by the library bert-score (Zhang et al. 2020).

Tokens of both sentences are matched greedily by the cosine of their contextual vectors: P is the
mean over the system's tokens of the best match in the reference, R over the reference's tokens,
F1 their harmonic mean (sections 3.1 and 3.2), without weights by rarity and without rescaling. The
corpus scores are means over sentences. A system's sentence that is empty scores 0, as there; a line
without a reference is left out.

The vectors are those of a layer of a model: the library knows the best layer of the models that
its authors tried; for others, folders on disk among them, give its number. A sentence longer than
the model reads is cut by the library: a `TruncationWarning` says how many.
"""

from __future__ import annotations

import json
import warnings
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.errors import InputError, MissingDependencyError, UsageError
from bwb.metrics.sentence_mean import SentenceMean, installed, model_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from bwb.records import Document

# The library's own choice for English.
MODEL = "roberta-large"
# A tokenizer that does not know its limit says something beyond this.
_NO_LIMIT = 1 << 20


class TruncationWarning(UserWarning):
    """A model reads only the beginning of some sentences."""


class BertScore(SentenceMean):
    """BERTScore; the number to report is F1.

    Args:
        model: Name on the Hugging Face Hub, or a folder.
        layer: Whose vectors are compared, counted from 1; None for the library's choice.
        batch: Sentences that the model reads at a time.
        device: As torch names it; None leaves it to the library.
    """

    name: ClassVar[str] = "bertscore"
    title: ClassVar[str] = "BERTScore, by bert-score: mean over sentences"
    paper: ClassVar[str] = "Zhang et al. 2020"
    cost: ClassVar[str] = "model"
    download: ClassVar[str | None] = (
        "pip install 'bwb-corpus[neural]', and a model, e.g. roberta-large (1.4 GB)"
    )
    names: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")

    def __init__(
        self,
        *,
        model: str = MODEL,
        layer: int | None = None,
        batch: int = 64,
        device: str | None = None,
    ) -> None:
        """Keep the options; nothing is loaded yet.

        Raises:
            UsageError: if `batch` or `layer` is not positive.
        """
        super().__init__()
        for what, value in (("batch", batch), ("layer", layer)):
            if value is not None and value < 1:
                raise UsageError(f"{what} {value}; expected 1 or more")
        self.model = model
        self.layer = layer
        self.batch = batch
        self.device = device

    def options(self) -> dict[str, str]:
        """Model, layer, batch, and versions of the libraries."""
        return {
            "model": model_name(self.model),
            "layer": "default" if self.layer is None else str(self.layer),
            "idf": "no",
            "rescale": "no",
            "batch": str(self.batch),
            "bert-score": installed("bert-score"),
            "transformers": installed("transformers"),
        }

    def items(self, document: Document, sentences: Sequence[str]) -> list[Hashable | None]:
        """Sentence and reference."""
        return [
            (sentence, wanted) if wanted.strip() else None
            for sentence, wanted in zip(sentences, self.reference(document).sentences, strict=True)
        ]

    def compute(self, items: Sequence[Any]) -> list[tuple[float, ...]]:
        """See `SentenceMean.compute`."""
        # What is empty is not given to the library, which breaks on it with transformers 5.
        full = [item for item in items if item[0].strip()]
        scores: dict[Any, tuple[float, ...]] = {}
        if full:
            self._warn(full)
            found = self._scorer.score(
                [system for system, _ in full],
                [wanted for _, wanted in full],
                batch_size=self.batch,
            )
            precision, recall, f1 = (values.tolist() for values in found)
            scores = dict(zip(full, zip(f1, precision, recall, strict=True), strict=True))
        return [scores.get(item, (0.0, 0.0, 0.0)) for item in items]

    @cached_property
    def _scorer(self) -> Any:  # noqa: ANN401 - a class of the library
        try:
            library = import_module("bert_score")
        except ImportError:
            raise MissingDependencyError("bert-score", "bwb-corpus[neural]") from None
        _refuse_t5(self.model)
        try:
            scorer = library.BERTScorer(
                model_type=self.model,
                num_layers=self.layer,
                batch_size=self.batch,
                device=self.device,
            )
        except KeyError:
            raise InputError(
                f"bert-score knows no best layer for the model {self.model!r}; give its number"
            ) from None
        except OSError as error:
            said = str(error).strip().splitlines()[0]
            raise InputError(f"the model {self.model!r} cannot be loaded: {said}") from None
        _limit(scorer)
        return scorer

    def _warn(self, items: Sequence[tuple[str, str]]) -> None:
        """Say how many sentences are longer than the model reads."""
        tokenizer = getattr(self._scorer, "_tokenizer", None)
        limit = getattr(tokenizer, "model_max_length", _NO_LIMIT)
        # A token has one byte at least: only long texts need be looked at.
        texts = {text for item in items for text in item if len(text.encode()) + 2 > limit}
        cut = sum(len(tokenizer.tokenize(text)) + 2 > limit for text in texts) if tokenizer else 0
        if cut:
            message = f"bertscore: {self.model} reads {limit} tokens; {cut} sentences are cut"
            warnings.warn(message, TruncationWarning, stacklevel=2)


def _refuse_t5(model: str) -> None:
    """See that a folder is not taken for a T5 model: the library goes by the name alone.

    Raises:
        InputError: if it would be, and random vectors be compared.
    """
    settings = Path(model) / "config.json"
    if "t5" not in model or not settings.is_file():
        return
    kind = json.loads(settings.read_text("utf-8")).get("model_type", "")
    if "t5" not in kind:
        raise InputError(
            f"{model}: bert-score takes every name with 't5' in it for a T5 model, and this is "
            f"{kind or 'something else'}; call the folder otherwise"
        )


def _limit(scorer: Any) -> None:  # noqa: ANN401 - a class of the library
    """Tell a tokenizer of a folder, which may not know it, how much its model reads."""
    tokenizer: Any = getattr(scorer, "_tokenizer", None)
    if getattr(tokenizer, "model_max_length", 0) <= _NO_LIMIT:
        return
    config = scorer._model.config
    positions = getattr(config, "max_position_embeddings", None)
    if positions is None:
        raise InputError("the model does not say how many tokens it reads: model_max_length")
    # RoBERTa and its like number positions from padding on.
    offset = config.pad_token_id + 1 if "roberta" in config.model_type else 0
    tokenizer.model_max_length = positions - offset
