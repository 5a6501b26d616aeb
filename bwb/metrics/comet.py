"""COMET, by unbabel-comet (Rei et al. 2020; 2022), sentence by sentence or with context.

A model reads source, system's sentence and reference, and gives a score that it learnt from human
judgements: about 0 to 1 for the models of 2022, not bounded. The corpus score is the mean over
sentences, as there. A line without source or reference is left out; an empty sentence of a system
is scored like any other.

With ``context`` n (Vernikos et al. 2022, "Embarrassingly Easy Document-Level MT Metrics") the n
sentences before it in the document are put before source and reference, with the model's separator
between them, and those of the reference also before the system's sentence, so that a mistake counts
once; the encoder reads all, and the vectors of the last sentence alone are averaged
(``enable_context`` of the library). The paper has n = 2. Models that need no reference get the
system's own sentences as context. Context that does not fit into what the encoder reads is left
out, the farthest first, for the library would cut the sentence itself.

The library asks for older versions of numpy, transformers and huggingface_hub than this package.
It may stand in an environment of its own: name its python as ``python``, or in the variable
BWB_COMET_PYTHON. See `bwb.metrics.comet_worker`.
"""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bwb.errors import InputError, MissingDependencyError, UsageError
from bwb.metrics import comet_worker
from bwb.metrics.bertscore import TruncationWarning
from bwb.metrics.sentence_mean import MetricError, SentenceMean, installed, model_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from bwb.records import Document

MODEL = "Unbabel/wmt22-comet-da"
PYTHON = "BWB_COMET_PYTHON"
_SETUP = "python3 -m venv comet && comet/bin/pip install 'unbabel-comet>=2.2' 'setuptools<81'"
_VERSION = "import importlib.metadata as m; print(m.version('unbabel-comet'))"


class CometMissingError(MissingDependencyError):
    """unbabel-comet is not installed where it is looked for."""

    def __init__(self, where: str) -> None:
        """Say how to give it an environment of its own."""
        Exception.__init__(
            self,
            f"unbabel-comet is not installed {where}; it cannot share an environment with bwb. "
            f"Make one with: {_SETUP}; then set {PYTHON}=comet/bin/python",
        )


class Comet(SentenceMean):
    """COMET.

    Args:
        model: Name on the Hugging Face Hub, or a folder with ``checkpoints/model.ckpt``.
        context: Number of sentences of context.
        batch: Sentences that the model reads at a time.
        gpus: Number of graphics cards.
        python: Interpreter of the environment that has the library; None for what
            BWB_COMET_PYTHON says, and without that for this process.
    """

    name: ClassVar[str] = "comet"
    title: ClassVar[str] = "COMET, by unbabel-comet: mean over sentences"
    paper: ClassVar[str] = "Rei et al. 2020; with context Vernikos et al. 2022"
    needs: ClassVar[tuple[str, ...]] = ("source", "reference")
    cost: ClassVar[str] = "model"
    download: ClassVar[str | None] = (
        f"{_SETUP}, {PYTHON}=comet/bin/python, and a model, e.g. {MODEL} (2.3 GB)"
    )

    def __init__(
        self,
        *,
        model: str = MODEL,
        context: int = 0,
        batch: int = 16,
        gpus: int = 0,
        python: str | Path | None = None,
    ) -> None:
        """Keep the options; nothing is loaded yet.

        Raises:
            UsageError: if a number makes no sense.
        """
        super().__init__()
        for what, value, least in (("context", context, 0), ("batch", batch, 1), ("gpus", gpus, 0)):
            if value < least:
                raise UsageError(f"{what} {value}; expected {least} or more")
        self.model = model
        self.context = context
        self.batch = batch
        self.gpus = gpus
        self.python = python or os.environ.get(PYTHON) or None

    def options(self) -> dict[str, str]:
        """Model, context, batch and the library's version."""
        return {
            "model": model_name(self.model),
            "context": str(self.context),
            "batch": str(self.batch),
            "unbabel-comet": self._version,
        }

    def lacks(self, document: Document) -> str | None:
        """See `bwb.metrics.base.Metric.lacks`."""
        return "no Chinese source" if document.zh is None else super().lacks(document)

    def items(self, document: Document, sentences: Sequence[str]) -> list[Hashable | None]:
        """Source, system and reference, each a tuple: the context, then the sentence.

        A fourth tuple, the system's own sentences, is for models without reference.
        """
        wanted = self.reference(document).sentences
        source = () if document.zh is None else document.zh.sentences
        found: list[Hashable | None] = []
        for place, (src, mt, ref) in enumerate(zip(source, sentences, wanted, strict=True)):
            if not src.strip() or not ref.strip():
                found.append(None)
                continue
            before = slice(max(0, place - self.context), place)
            sides = source[before], wanted[before], sentences[before]
            src_context, ref_context, own = (tuple(s for s in side if s.strip()) for side in sides)
            found.append(((*src_context, src), (*ref_context, mt), (*ref_context, ref), (*own, mt)))
        return found

    def compute(self, items: Sequence[Any]) -> list[tuple[float, ...]]:
        """See `SentenceMean.compute`.

        Raises:
            InputError: if there is no such model, or it takes no context.
            MetricError: if the environment of the library fails.
        """
        request = {
            "model": self.model,
            "batch": self.batch,
            "gpus": self.gpus,
            "context": self.context > 0,
            "segments": [
                {key: list(side) for key, side in zip(_KEYS, item, strict=True)} for item in items
            ],
        }
        body = self._ask(request) if self.python else _here(request)
        for key, what in (("dropped", "sentences of context are"), ("cut", "sentences are cut")):
            if body[key]:
                said = f"{body[key]} {what}{' left out' if key == 'dropped' else ''}"
                message = f"comet: the encoder reads only so much; {said}"
                warnings.warn(message, TruncationWarning, stacklevel=2)
        return [(score,) for score in body["scores"]]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Have a request answered by the other interpreter."""
        done = self._run([str(Path(comet_worker.__file__))], json.dumps(request))
        try:
            body: dict[str, Any] = json.loads(done.stdout)
        except json.JSONDecodeError:
            said = done.stderr.strip().splitlines()[-1:] or ["nothing"]
            message = f"{self.python} did not answer (exit code {done.returncode}): {said[0]}"
            raise MetricError(f"comet: {message}") from None
        if "error" in body:
            if body["kind"] in {"ImportError", "ModuleNotFoundError"}:
                raise CometMissingError(f"for {self.python} ({body['error']})")
            raise InputError(f"comet: {body['error']}")
        return body

    def _run(self, arguments: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
        """Run the other interpreter, which is not to see our modules."""
        try:
            return subprocess.run(
                [str(self.python), "-I", *arguments],
                input=text,
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
        except OSError as error:
            raise InputError(f"{PYTHON} {self.python}: {error.strerror or error}") from None

    @cached_property
    def _version(self) -> str:
        if not self.python:
            return installed("unbabel-comet")
        done = self._run(["-c", _VERSION])
        return done.stdout.strip() or "none"


_KEYS = ("src", "mt", "ref", "own")


def _here(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return comet_worker.answer(request)
    except ImportError as error:
        raise CometMissingError(f"here ({error})") from None
    except (ValueError, OSError) as error:
        raise InputError(f"comet: {error}") from None
