"""DocBin: round trips, what spaCy sees, files of others."""

from __future__ import annotations

import builtins
import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations import brat
from bwb.annotations.docbin import read, write
from bwb.annotations.loss import Loss
from bwb.annotations.tokens import join_sides
from bwb.errors import FormatError, InputError, MissingDependencyError
from bwb.records import Mention, Quote, Side, Span

spacy = pytest.importorskip("spacy")


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_round_trip(random_documents, data):
    documents = data.draw(random_documents("\r"))
    with tempfile.TemporaryDirectory() as folder:
        assert write(documents, Path(folder), spaced=data.draw(st.booleans())) == []
        assert list(read(Path(folder))) == documents


def docs(path, lang="en"):
    return list(spacy.tokens.DocBin().from_disk(path).get_docs(spacy.blank(lang).vocab))


def test_what_spacy_sees(river, tmp_path):
    assert write([river], tmp_path) == []
    assert {file.name for file in tmp_path.iterdir()} == {"zh.spacy", "en.spacy"}
    (doc,) = docs(tmp_path / "en.spacy")
    assert doc.text == river.en.text
    assert [token.text for token in doc][:12] == [
        "“", "Go", ",", "”", "said", "Lin", "Wan", ",", "\n", "to", "Shen", "Zhou’s",
    ]  # fmt: skip
    assert [token.i for token in doc if token.is_sent_start] == [0, 9]
    assert [(s.text, s.label_, s.kb_id_, s.id_) for s in doc.spans["mentions"]] == [
        ("Lin Wan", "PER", "林晚", "m1"),
        ("Shen Zhou’s boat", "VEH", "船", "m2"),
        ("Shen Zhou’s", "PER", "沈舟", "m3"),
        ("Zhou’s boat", "PRON", "?", "m4"),
    ]
    assert [(s.text, s.label_, s.kb_id_, s.id_) for s in doc.spans["quotes"]] == [
        ("“Go,”", "written", "林晚", "q1"),
        ("“Home.”", "written", "林晚", "q1"),
    ]
    assert doc.user_data["bwb"]["id"] == "river/1"
    (doc,) = docs(tmp_path / "zh.spacy", "zh")
    assert [token.text for token in doc][:3] == ["林", "晚", "说"]
    assert list(read(tmp_path)) == [river]
    (english,) = read(tmp_path / "en.spacy")
    assert (english.zh, english.en) == (None, river.en)


def test_sentence_starts_with_empty_sentences(tmp_path):
    side = Side("en", ("", "a b", "", "", " c", ""))
    write([join_sides("b/1", None, side)], tmp_path)
    (doc,) = docs(tmp_path / "en.spacy")
    assert [token.text for token in doc] == ["\n", "a", "b", "\n", "\n", "\n", " ", "c", "\n"]
    assert [token.i for token in doc if token.is_sent_start] == [0, 1, 4, 5, 6]
    assert doc.text == side.text


def test_losses_and_order(river, tmp_path):
    other = join_sides("a/1", Side("zh", ("雨。",), ("entity",)), None)
    more = dataclasses.replace(river, genre="wuxia")
    assert write([more, other], tmp_path) == [Loss("river/1", "genres", 1)]
    assert list(read(tmp_path)) == [river, other]


def test_files_of_others(tmp_path):
    vocab = spacy.blank("en").vocab
    doc = spacy.tokens.Doc(vocab, words=["Lin", "Wan", "saw", "him", "\n", "“Go”"])
    doc.spans["mentions"] = [
        spacy.tokens.Span(doc, 0, 2, label="PER", kb_id="lin"),
        spacy.tokens.Span(doc, 3, 4, label="PRON"),
        spacy.tokens.Span(doc, 2, 3, label="EVENT", span_id="e"),
    ]
    doc.spans["quotes"] = [
        spacy.tokens.Span(doc, 5, 6, label="speech", kb_id="lin"),
        spacy.tokens.Span(doc, 0, 1, label="thought", span_id="q"),
        spacy.tokens.Span(doc, 2, 3, label="thought", span_id="q"),
    ]
    spacy.tokens.DocBin(docs=[doc]).to_disk(tmp_path / "train.spacy")
    (document,) = read(tmp_path / "train.spacy")
    assert document.id == "train/0"
    assert document.en == Side(
        "en",
        ("Lin Wan saw him ", " “Go” "),
        ("coreference", "quotation"),
        (
            Mention("m1", "lin", 0, 7, 0, "Lin Wan", "PER"),
            Mention("m2", "m2", 12, 15, 0, "him", None, "pronoun"),
            Mention("e", "e", 8, 11, 0, "saw"),
        ),
        (
            Quote("q1", (Span(18, 22),), "lin"),
            Quote("q", (Span(0, 3), Span(8, 11)), None, (), "thought"),
        ),
    )
    (document,) = read(tmp_path / "train.spacy", lang="zh")
    assert document.en is None


def test_malformed(river, tmp_path):
    (tmp_path / "en.spacy").write_bytes(b"no")
    with pytest.raises(FormatError, match=r"en\.spacy: not a DocBin"):
        list(read(tmp_path))
    write([river], tmp_path)
    (doc,) = docs(tmp_path / "en.spacy")
    del doc.spans["mentions"]
    spacy.tokens.DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "en.spacy")
    with pytest.raises(FormatError, match="4 mentions and 2 pieces"):
        list(read(tmp_path))
    for data in ({"id": "river/1"}, 1, {"mentions": 3}):
        doc.user_data["bwb"] = data
        spacy.tokens.DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "en.spacy")
        with pytest.raises(FormatError, match="user_data"):
            list(read(tmp_path))


def test_refused(river, tmp_path):
    with pytest.raises(InputError, match="second one"):
        write([river, river], tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="neither a DocBin"):
        list(read(tmp_path))
    write([river], tmp_path)
    (doc,) = docs(tmp_path / "en.spacy")
    spacy.tokens.DocBin(docs=[doc, doc], store_user_data=True).to_disk(tmp_path / "en.spacy")
    with pytest.raises(InputError, match="a second en side of document river/1"):
        list(read(tmp_path))


def test_an_interrupted_write_leaves_nothing(river, tmp_path, monkeypatch):
    write([river], tmp_path)
    before = (tmp_path / "en.spacy").read_bytes()

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", fail)
    other = join_sides("b/1", None, Side("en", ("a",)))
    with pytest.raises(KeyboardInterrupt):
        write([other], tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"zh.spacy", "en.spacy"}
    assert (tmp_path / "en.spacy").read_bytes() == before


def test_without_spacy(river, tmp_path, monkeypatch):
    real = builtins.__import__

    def absent(name, *rest):
        if name.startswith("spacy"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingDependencyError, match="pip install 'spacy"):
        write([river], tmp_path)


def test_litbank(shared_data, tmp_path):
    documents = list(brat.read(shared_data / "litbank" / "coref" / "brat"))
    assert write(documents, tmp_path, spaced=True) == []
    assert list(read(tmp_path)) == documents
