"""Where COMET is run: in this process, or as a program in an environment of its own.

As a program it gets a request on standard input, as JSON, and answers on standard output, as JSON.
It imports nothing but the standard library and, when it is asked, unbabel-comet (2.1 or later), so
that it runs where bwb is not installed, on Python 3.8 or later:

    PYTHON -I comet_worker.py < request.json
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Score segments.

    Args:
        request: ``model`` (name or path), ``batch``, ``gpus``, ``context`` (whether there is any)
            and ``segments``: objects of ``src``, ``mt``, ``ref`` and ``own`` (the system's
            sentence again, for models without reference). Each is a list of sentences: context,
            if any, and the one to score.

    Returns:
        ``scores``, a number a segment; ``version`` of the library; ``dropped``, the number of
        sentences of context left out because a text would not have fitted; ``cut``, the number
        of texts that do not fit even alone.

    Raises:
        ImportError: if the library is not installed.
        ValueError: if there is no such model, or it cannot be given context.
    """
    from importlib.metadata import version

    import comet

    model = comet.load_from_checkpoint(_checkpoint(comet, request["model"]))
    if request["context"]:
        model.enable_context()
        if not getattr(model, "use_context", False):
            raise ValueError(
                "this model takes no context: COMET has it for regression models that pool by "
                "averaging, such as Unbabel/wmt22-comet-da"
            )
    own = {"src": "src", "mt": "own"}
    keys = {"src": "src", "mt": "mt", "ref": "ref"} if model.requires_references() else own
    fit = _Fit(model.encoder)
    samples = [
        {key: fit(segment[side]) for key, side in keys.items()} for segment in request["segments"]
    ]
    found = model.predict(
        samples, batch_size=request["batch"], gpus=request["gpus"], progress_bar=False
    )
    return {
        "scores": [float(score) for score in found["scores"]],
        "version": version("unbabel-comet"),
        "dropped": fit.dropped,
        "cut": fit.cut,
    }


class _Fit:
    """Joins sentences to what the encoder reads, the last of which it must not cut."""

    def __init__(self, encoder: Any) -> None:  # noqa: ANN401 - a class of the library
        self.tokenizer = encoder.tokenizer
        # As the library truncates, on the right: where the sentence to score is.
        self.limit = encoder.max_positions - 2
        self.dropped = self.cut = 0
        self.known: dict[tuple[str, ...], str] = {}

    def __call__(self, sentences: list[str]) -> str:
        key = tuple(sentences)
        if key not in self.known:
            self.known[key] = self._join(sentences)
        return self.known[key]

    def _join(self, sentences: list[str]) -> str:
        first = 0
        while True:
            text = f" {self.tokenizer.sep_token} ".join(sentences[first:])
            if len(self.tokenizer(text)["input_ids"]) <= self.limit:
                break
            if first == len(sentences) - 1:
                self.cut += 1
                break
            first += 1
        self.dropped += first
        return text


def _checkpoint(comet: Any, model: str) -> str:  # noqa: ANN401 - a module
    """The checkpoint of a model: a file, one in a folder, or one that is fetched."""
    path = Path(model)
    if path.is_dir():
        path = path / "checkpoints" / "model.ckpt"
        if not path.is_file():
            raise ValueError(f"{model}: no checkpoints/model.ckpt in this folder")
    if path.is_file():
        return str(path)
    try:
        return str(comet.download_model(model))
    except KeyError as error:
        raise ValueError(f"no model {model!r} on disk or on the Hub ({error})") from None


def main() -> int:
    """Answer a request on standard input; an error is answered too."""
    request = json.load(sys.stdin)
    try:
        # What libraries print is no answer.
        with contextlib.redirect_stdout(sys.stderr):
            body = answer(request)
    except (ImportError, ValueError, OSError) as error:
        body = {"error": str(error), "kind": type(error).__name__}
    sys.stdout.write(json.dumps(body))
    return 0


if __name__ == "__main__":
    sys.exit(main())
