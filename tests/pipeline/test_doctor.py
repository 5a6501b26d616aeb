"""The doctor on corpora with one illness each, and on healthy ones."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math

import pytest

from bwb.cli import corpus as command
from bwb.errors import Finding
from bwb.pipeline.doctor import CODES, Doctor, diagnose
from bwb.pipeline.outliers import Outliers
from bwb.pipeline.synthetic import synthetic_book
from bwb.records import Document, Link, Provenance, Side
from bwb.schema import dumps

SOURCE = Provenance(
    url="https://books.invalid/1", fetched="2024-01-01T00:00:00Z", sha256_raw="0", sha256_text="0",
    recipe="x-1",
)  # fmt: skip


def documents(books=3, chapters=12, splits=("train", "validation", "test")):
    return [
        Document(
            f"{book.id}/{number}",
            book.id,
            str(number),
            Side("zh", made.zh, provenance=SOURCE),
            Side("en", made.en, provenance=SOURCE),
            tuple(Link(zh, en, "hybrid", 0.9 if zh and en else 0.0) for zh, en in made.links),
            split=splits[index % len(splits)],
        )
        for index in range(books)
        for book in [synthetic_book(9, index, chapters)]
        for number, made in enumerate(book.made, 1)
    ]


def changed(document, lang, sentences=None, **fields):
    side = getattr(document, lang)
    if sentences is not None:
        fields["sentences"] = tuple(sentences)
    return dataclasses.replace(document, **{lang: dataclasses.replace(side, **fields)})


def ill(place, **fields):
    """Healthy documents, but for one."""
    all_of_them = documents()
    change = fields.pop("change", None)
    one = all_of_them[place]
    all_of_them[place] = change(one) if change else dataclasses.replace(one, **fields)
    return all_of_them


def found(listed):
    return {(x.place, x.code, x.severity) for x in diagnose(listed).findings}


def with_sentence(lang, text, number=4):
    def change(document):
        sentences = list(getattr(document, lang).sentences)
        sentences[number] = text
        return changed(document, lang, sentences)

    return change


def test_the_sample_and_synthetic_books_are_healthy():
    diagnosis = diagnose(documents())
    assert diagnosis.findings == []
    assert diagnosis.documents == 36
    assert diagnosis.sentences["zh"] == sum(len(x.zh.sentences) for x in documents())
    assert not diagnosis.failed


NAME = "synthetic00001/3"
CASES = {
    "damage": (
        {"change": with_sentence("zh", "锟斤拷他走了。")},
        {(f"{NAME} [zh]:5:1", "encoding-damage", "warning")},
    ),
    "much damage": (
        {"change": with_sentence("en", "He was \ufffd\ufffd\ufffd" + "\ufffd" * 40)},
        {(f"{NAME} [en]:5:8", "encoding-damage", "error")},
    ),
    "hidden": (
        {"change": with_sentence("en", "The\u200b gate\x08 was shut.")},
        {(f"{NAME} [en]:5:4", "hidden-character", "warning")},
    ),
    "Chinese in English": (
        {"change": with_sentence("en", "门一直关着，没有人来。")},
        {(f"{NAME} [en]:5", "untranslated", "warning")},
    ),
    "English in Chinese": (
        {"change": with_sentence("zh", "The gate was always shut and nobody came.")},
        {(f"{NAME} [zh]:5", "untranslated", "warning")},
    ),
    "names are no English": ({"change": with_sentence("zh", "Tom去了DNA研究所。")}, set()),
    "one side": ({"en": None, "links": ()}, {(NAME, "one-sided", "warning")}),
    "empty side": (
        {"change": lambda x: dataclasses.replace(changed(x, "zh", [""]), links=())},
        {(f"{NAME} [zh]", "empty-side", "error"), (NAME, "no-links", "warning")},
    ),
    "no split": ({"split": None}, {(NAME, "no-split", "warning"),
                                   ("synthetic00001", "split-leak", "error")}),
    "no links": ({"links": ()}, {(NAME, "no-links", "warning")}),
    "no provenance": (
        {"change": lambda x: changed(x, "en", provenance=None)},
        {(f"{NAME} [en]", "no-provenance", "warning")},
    ),
    "half a provenance": (
        {"change": lambda x: changed(x, "en", provenance=Provenance(url="https://a.invalid"))},
        {(f"{NAME} [en]", "provenance", "warning")},
    ),
    "wrong split": ({"split": "test"}, {("synthetic00001", "split-leak", "error")}),
    "links to nowhere": (
        {"links": (Link((0,), (999,)),)},
        {(NAME, "link-range", "error")},
    ),
    "low scores": (
        {"change": lambda x: dataclasses.replace(
            x, links=tuple(dataclasses.replace(link, score=0.1) for link in x.links))},
        {(NAME, "low-alignment", "warning")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_illness(case):
    fields, expected = CASES[case]
    lengths = {"sentence-length", "chapter-length", "link-ratio"}  # the other tests' concern
    assert {x for x in found(ill(14, **fields)) if x[1] not in lengths} == expected


def test_a_side_in_the_other_language():
    def change(document):
        return dataclasses.replace(
            changed(document, "en", [s + " " for s in document.zh.sentences]), links=()
        )

    assert (f"{NAME} [en]", "wrong-language", "error") in found(ill(14, change=change))


def test_identical_sides_and_links():
    def change(document):
        return dataclasses.replace(changed(document, "en", document.zh.sentences), links=())

    assert (NAME, "identical", "error") in found(ill(14, change=change))
    document = documents()[14]
    number = next(k for k, x in enumerate(document.links) if len(x.zh) == len(x.en) == 1)
    link = document.links[number]
    text = "Mr. Smith - the Ox"
    both = with_sentence("zh", text, link.zh[0])(with_sentence("en", text, link.en[0])(document))
    place = f"{NAME} [zh]:{link.zh[0] + 1}", "identical", "warning"
    assert place in found([*documents()[:14], both, *documents()[15:]])


def test_many_nulls():
    document = documents()[14]
    nulls = [Link((i,), (), "x", 0.0) for i in range(len(document.zh.sentences))]
    nulls += [Link((), (j,), "x", 0.0) for j in range(len(document.en.sentences))]
    assert found(ill(14, links=tuple(nulls))) == {(NAME, "many-nulls", "warning")}


def test_leakage_is_told_from_duplicates():
    listed = documents()
    first = listed[2]
    for place, code, severity in (
        (14, "duplicate-leak", "error"),
        (11, "duplicate-chapter", "warning"),
    ):
        twin = listed[place]
        some = list(listed)
        some[place] = dataclasses.replace(twin, zh=first.zh, en=first.en, links=first.links)
        assert found(some) == {
            (f"{twin.id} [zh]", code, severity), (f"{twin.id} [en]", code, severity)
        }  # fmt: skip


def test_a_near_duplicate_is_found_too():
    listed = documents()
    first, twin = listed[2], listed[14]
    zh = list(first.zh.sentences)
    zh[3] += "这一句改了。"
    listed[14] = changed(twin, "zh", zh)
    listed[14] = dataclasses.replace(listed[14], links=())
    diagnosis = diagnose(listed)
    (leak,) = [x for x in diagnosis.findings if x.code == "duplicate-leak"]
    assert leak.place == f"{NAME} [zh]"
    assert f"alike to {first.id} in train" in leak.message


def test_a_second_document_of_an_id():
    listed = documents()
    assert found([*listed, listed[0]]) == {(listed[0].id, "duplicate-id", "error")}


def test_lengths_far_from_the_others():
    def long_sentence(document):
        sentences = list(document.zh.sentences)
        sentences[7] *= 200
        return changed(document, "zh", sentences)

    codes = {(place, code) for place, code, _ in found(ill(14, change=long_sentence))}
    assert (f"{NAME} [zh]:8", "sentence-length") in codes
    assert (NAME, "chapter-ratio") in codes
    assert all(severity == "warning" for _, _, severity in found(ill(14, change=long_sentence)))

    def long_chapter(document):
        sentences = [*document.zh.sentences, *(f"第{k}天，门还是关着。" for k in range(3000))]
        return changed(document, "zh", sentences)

    codes = {(place, code) for place, code, _ in found(ill(14, change=long_chapter))}
    assert (f"{NAME} [zh]", "chapter-length") in codes


def test_all_codes_are_described():
    seen = {code for _, expected in CASES.values() for _, code, _ in expected}
    assert seen <= set(CODES)


def test_counts_go_on_where_findings_are_no_longer_kept(monkeypatch):
    monkeypatch.setattr("bwb.pipeline.doctor._KEPT", 3)
    listed = [dataclasses.replace(x, links=()) for x in documents()]
    diagnosis = diagnose(listed)
    assert diagnosis.counts == {("no-links", "warning"): 36}
    assert len(diagnosis.findings) == 3


def test_the_text_of_a_book_is_let_go():
    doctor = Doctor()
    for _ in doctor.examine(iter(documents())):
        assert len({document.book for document in doctor._book}) == 1


def test_outliers_by_hand():
    values = Outliers()
    for k, value in enumerate([1.0, 2.0, 3.0, 4.0, 5.0, 100.0]):
        values.add(value, ("x", k))
    assert values.centre() == (3.0, 1.0)  # |x - 3| = 2 1 0 1 2 97
    (outlier,) = values.found(3.5)
    assert (outlier.place, outlier.value) == (("x", 5), 100.0)
    assert outlier.z == pytest.approx(0.6745 * 97)
    assert values.found(3.5, fewest=7) == []
    assert values.found(3.5, least=98) == []


def test_outliers_keep_the_extremes_of_a_long_stream():
    values = Outliers(keep=2)
    for k in range(10_000):
        values.add(math.sin(k), ("wave", k))
    for k, value in enumerate([90.0, -80.0, 70.0, 60.0]):
        values.add(value, ("far", k))
    assert [x.place for x in values.found(5)] == [("far", 0), ("far", 1), ("far", 2)]
    assert all(len(heap) == 2 for heap in values._ends)


def test_outliers_of_nothing_and_of_equals():
    assert Outliers().found(1) == []
    same = Outliers()
    for k in range(30):
        same.add(1.0, ("x", k))
    same.add(9.0, ("x", 30))
    assert same.found(3) == []


def call(*arguments):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(["doctor", *arguments]))


def test_the_command(tmp_path, capsys):
    assert call() == 0
    assert capsys.readouterr().out == "8 documents, 504 sentences: 0 errors, 0 warnings\n"
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(map(dumps, ill(14, split="test", links=()))) + "\n", "utf-8")
    assert call(str(path)) == 1
    out = capsys.readouterr().out
    assert ["synthetic00001", "error", "split-leak"] in [x.split()[:3] for x in out.split("\n")]
    assert "1 error, 1 warning" in out
    assert call(str(path), "--json") == 1
    body = json.loads(capsys.readouterr().out)
    assert body["documents"] == 36
    assert {"code": "split-leak", "severity": "error", "count": 1} in body["counts"]
    assert {Finding(**x).code for x in body["findings"]} == {"split-leak", "no-links"}
