"""Translators: glosses, files, and models that are not installed."""

from __future__ import annotations

import sys

import pytest

from bwb.align.segment import segmenter
from bwb.align.translators import (
    Gloss,
    Marian,
    TranslationFile,
    first_gloss,
    translator,
)
from bwb.errors import InputError, LengthError, MissingDependencyError, UnknownNameError


def test_first_gloss_by_hand():
    assert first_gloss(["to walk", "to go"]) == "walk"
    assert first_gloss(["(coll.) an old [lao3] man (of (great) age)"]) == "old man"
    assert first_gloss(["(completed action marker)"]) == ""
    assert first_gloss(["to"]) == "to"
    assert first_gloss(["the"]) == "the"


def test_gloss_by_hand():
    out = Gloss().translate(["她走了。", "", "Tom，你好！"], "zh")
    assert out[0].split()[:2] == ["she", "walk"]
    assert out[0].endswith(".")
    assert out[1] == ""
    assert out[2].startswith("Tom ,")
    assert out[2].endswith("!")


def test_traditional_characters_are_glossed():
    assert Gloss().translate(["圖書館"]) == Gloss().translate(["图书馆"])
    assert "library" in Gloss().translate(["圖書館"])[0]


def test_unknown_words_are_cut_into_known_ones():
    text = Gloss().translate(["黑河岸"])[0]
    assert "black" in text.lower() or "Heihe" in text


def test_gloss_reads_chinese_only():
    with pytest.raises(InputError, match="reads zh, not 'de'"):
        Gloss().translate(["Haus"], "de")


def test_gloss_without_its_libraries(monkeypatch, tmp_path):
    monkeypatch.setenv("BWB_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jieba", None)
    segmenter.cache_clear()
    with pytest.raises(MissingDependencyError, match="pip install 'jieba"):
        Gloss().translate(["她从没见过的一句话"])


def test_glosses_are_remembered_by_sentence():
    first, again = (Gloss().translate(["她走了。", "门开了。", "她走了。"]) for _ in range(2))
    assert first == again
    assert first[0] == first[2] != first[1]


def test_file(tmp_path):
    path = tmp_path / "mt.txt"
    path.write_text("one\n\nthree\n", encoding="utf-8")
    assert TranslationFile(path).translate(["a", "b", "c"]) == ["one", "", "three"]
    with pytest.raises(LengthError, match=r"mt\.txt: 3 lines of translation for 4 sentences"):
        TranslationFile(path).translate(["a"] * 4)
    with pytest.raises(InputError, match=r"none\.txt"):
        TranslationFile(tmp_path / "none.txt").translate(["a"])
    assert TranslationFile(tmp_path / "none.txt").translate([]) == []


def test_marian_without_its_libraries(tmp_path, monkeypatch):
    for name in ("ctranslate2", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match="pip install 'transformers"):
        Marian(tmp_path).translate(["a"])
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(MissingDependencyError, match="pip install 'ctranslate2"):
        Marian(tmp_path).translate(["a"])
    with pytest.raises(InputError, match="no such folder"):
        Marian(tmp_path / "none")


def test_marian_batches_and_keeps_empty_sentences(tmp_path, monkeypatch):
    seen = []

    def fake(folder):
        def run(batch):
            seen.append(len(batch))
            return [text.upper() for text in batch]

        return run

    monkeypatch.setattr("bwb.align.translators._transformers", fake)
    model = Marian(tmp_path, batch=2)
    assert model.translate(["a", "", "b", "c"]) == ["A", "", "B", "C"]
    assert seen == [2, 1]


def test_by_name(tmp_path):
    assert isinstance(translator("gloss"), Gloss)
    assert isinstance(translator(f"file:{tmp_path / 'x'}"), TranslationFile)
    assert isinstance(translator(f"marian:{tmp_path}"), Marian)
    with pytest.raises(UnknownNameError, match="did you mean 'gloss'"):
        translator("glos")
