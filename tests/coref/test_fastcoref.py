"""The adapter for fastcoref, with a stand-in for the library."""

import sys
import types

import pytest

from bwb.coref.base import Span
from bwb.coref.fastcoref import FastCoref
from bwb.errors import MissingDependencyError

SENTENCES = ["Lin Xi left.", "She slept."]


@pytest.fixture
def library(monkeypatch):
    """A library that finds one chain, and a mention over a sentence boundary."""
    calls = []

    class Result:
        def get_clusters(self, *, as_strings):
            assert as_strings is False
            return [[(0, 6), (13, 16)], [(7, 16), (7, 11)]]

    class FCoref:
        def __init__(self, model_name_or_path, **options):
            calls.append((model_name_or_path, options))

        def predict(self, texts):
            calls.append(texts)
            return [Result()]

    module = types.ModuleType("fastcoref")
    module.FCoref = FCoref
    monkeypatch.setitem(sys.modules, "fastcoref", module)
    return calls


def test_its_chains(library):
    resolver = FastCoref(device="cpu")
    assert library == []
    assert resolver.resolve(SENTENCES) == [(Span(0, 0, 6), Span(1, 0, 3)), (Span(0, 7, 11),)]
    assert library == [("biu-nlp/f-coref", {"device": "cpu"}), ["Lin Xi left. She slept."]]
    assert resolver.name == "fastcoref-FCoref:biu-nlp/f-coref"


def test_given_mentions_get_its_chains(library):
    mentions = [Span(1, 0, 3), Span(0, 0, 6), Span(0, 0, 3)]
    assert FastCoref(model="folder").resolve(SENTENCES, mentions) == [
        (Span(0, 0, 6), Span(1, 0, 3)),
        (Span(0, 0, 3),),
    ]
    assert library[0] == ("folder", {})


def test_without_the_library_the_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastcoref", None)
    with pytest.raises(MissingDependencyError, match="pip install 'fastcoref"):
        FastCoref().resolve(SENTENCES)


def test_unknown_class():
    with pytest.raises(ValueError, match="known are FCoref, LingMessCoref"):
        FastCoref("SlowCoref")
