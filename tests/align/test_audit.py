from __future__ import annotations

import argparse
import csv
import io
import json
import re

import pytest

from bwb.align.audit import apply, audit, draw, link_key, rows_of, wilson
from bwb.align.audit_page import write_page
from bwb.align.audit_sheet import COLUMNS, parse_numbers, read_sheet, sheet_rows, write_csv
from bwb.align.base import AlignmentError, SentenceLink
from bwb.cli import align_audit
from bwb.corpus import read_jsonl, write_jsonl
from bwb.errors import FormatError, InputError, UsageError
from bwb.records import Document, Link, Side

LINKS = (
    Link((0,), (0,), "hybrid", 0.9),
    Link((1, 2), (1,), "hybrid", 0.5),
    Link((3,), (2, 3), "hybrid", 0.25),
    Link((4,), (), "hybrid", 0.125),
)


def document(name="b/1", links=LINKS):
    zh = ("=1+1。", "他说：“走。”", "走了。", "雨, 下了。", "完。")
    en = ("=1+1.", 'He said, "Go."', "-Rain;\tit fell.", "It stopped.")
    book, chapter = name.split("/")
    return Document(name, book, chapter, Side("zh", zh), Side("en", en), links)


DOCUMENTS = [document(f"b/{i}") for i in range(6)]


def mark(path, marks, *, encode=lambda text: text.encode("utf-8-sig"), delimiter=","):
    """Fill in a sheet as a spreadsheet program would; marks: (document, link) -> cells."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    for row in rows:
        row.update(marks.get((row["document"], row["link"]), {}))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n", delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(encode(text.getvalue()))
    return path


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "sheet.csv"
    write_csv([document()], path)
    return path


def test_the_draw_depends_on_seed_and_ids_only():
    drawn = draw(DOCUMENTS, 3, seed=1)
    assert drawn == draw(DOCUMENTS[::-1], 3, seed=1)
    assert [d.id for d in drawn] == sorted(d.id for d in drawn)
    assert {d.id for d in draw(DOCUMENTS, 2, seed=1)} < {d.id for d in drawn}
    assert len({tuple(d.id for d in draw(DOCUMENTS, 3, seed=s)) for s in range(9)}) > 1
    assert draw(DOCUMENTS, 6, seed=1) == DOCUMENTS


def test_what_cannot_be_drawn():
    with pytest.raises(UsageError, match="0 documents"):
        draw(DOCUMENTS, 0, seed=1)
    with pytest.raises(InputError, match="there are 6 documents; cannot draw 7"):
        draw(DOCUMENTS, 7, seed=1)
    with pytest.raises(InputError, match="b/9: no links"):
        draw([document("b/9", ())], 1, seed=1)


def test_the_sheet_is_what_spreadsheets_can_read(sheet):
    raw = sheet.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert raw.count(b"\r\n") == raw.count(b"\n") == 5
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert rows[1]["zh"] == "[2] 他说：“走。” [3] 走了。"
    assert rows[3]["en"] == "—"
    assert rows[0]["score"] == "0.9000"
    cells = [cell for row in rows for cell in row.values()]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert not any(re.fullmatch(r"\d+[-/:.]\d+", c) for c in cells if not c.startswith("0."))


def test_an_unmarked_sheet_reads_back(sheet):
    rows = read_sheet(sheet)
    assert [(row.zh, row.en) for row in rows] == [(link.zh, link.en) for link in LINKS]
    assert [row.key for row in rows] == [link_key(document(), link) for link in LINKS]
    found = audit(rows)
    assert (found.links, found.unmarked, found.accuracy, found.wilson) == (0, 4, None, None)


MARKS = {
    ("b/1", "1"): {"mark": "ok"},
    ("b/1", "2"): {"mark": "Wrong", "right zh": "2", "right en": "2"},
    ("b/1", "3"): {"mark": "x", "right zh": "3; 4", "right en": "3；4"},
    ("b/1", "4"): {"mark": "对"},
}


@pytest.mark.parametrize(
    ("encode", "delimiter"),
    [
        (lambda text: text.encode("utf-8-sig"), ","),
        (lambda text: text.encode("utf-8"), ";"),
        (lambda text: text.replace("\r\n", "\n").encode("utf-8"), "\t"),
        (lambda text: (text + "," * 10 + "\r\n").encode("utf-8-sig"), ","),
    ],
    ids=["excel", "semicolons", "tabs", "trailing empty cells"],
)
def test_marks_survive_the_spreadsheet(sheet, encode, delimiter):
    rows = read_sheet(mark(sheet, MARKS, encode=encode, delimiter=delimiter))
    assert [row.ok for row in rows] == [True, False, False, True]
    assert [str(link) for link in rows[2].right] == ["[2]:[2]", "[3]:[3]"]
    assert rows[1].right == (SentenceLink((1,), (1,), None, "manual"),)


@pytest.mark.parametrize(
    ("cell", "groups"),
    [
        ("3", [(2,)]),
        ("3 4", [(2, 3)]),
        ("3,4", [(2, 3)]),
        ("３、４", [(2, 3)]),
        ("[3][4]", [(2, 3)]),
        ("3-5", [(2, 3, 4)]),
        ("3+4", [(2, 3)]),
        ("3.0", [(2,)]),
        ("-", [()]),
        ("", [()]),
        ("3; -; 4–5", [(2,), (), (3, 4)]),
    ],
)
def test_numbers(cell, groups):
    assert parse_numbers(cell) == groups


@pytest.mark.parametrize("cell", ["4-Mar", "3.4", "0", "4 3", "3 3", "5-3", "three", "1/2"])
def test_numbers_that_a_spreadsheet_spoilt(cell):
    with pytest.raises(ValueError, match=r"[^ ]"):
        parse_numbers(cell)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"mark": "maybe"}, "'maybe'; expected ok or wrong"),
        ({"mark": "ok", "right zh": "1"}, "expected wrong"),
        ({"right en": "1"}, "expected wrong"),
        ({"mark": "wrong", "right zh": "4-Mar"}, "'4-Mar'; expected ascending"),
        ({"mark": "wrong", "right zh": "1; 2", "right en": "1"}, "2 groups .* 1 in"),
        ({"mark": "wrong", "right zh": "-"}, "name no sentence"),
        ({"key": "zh 1 | en 1 | 9"}, "were changed"),
        ({"link": "02-Jan"}, "were changed"),
        ({"link": "1"}, "twice"),
    ],
)
def test_marks_that_cannot_be_read_name_the_line(sheet, cells, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_sheet(mark(sheet, {("b/1", "2"): cells}))
    assert "sheet.csv:3" in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a,b\n1,2\n", "no column document"),
        (",".join(COLUMNS).encode() + b"\n", "no rows"),
        ("文,本\n".encode("gb18030"), "gb18030"),
        ("a,b".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_sheet(tmp_path, raw, message):
    path = tmp_path / "x.csv"
    path.write_bytes(raw)
    with pytest.raises(FormatError, match=message):
        read_sheet(path)


def test_accuracy_and_intervals(tmp_path):
    path = tmp_path / "s.csv"
    write_csv(DOCUMENTS[:3], path)
    marks = {(d.id, str(n)): {"mark": "ok"} for d in DOCUMENTS[:3] for n in range(1, 5)}
    marks["b/0", "2"] = {"mark": "wrong"}
    marks["b/1", "2"] = {"mark": "wrong", "right zh": "2 3", "right en": "2"}
    marks["b/2", "4"] = {}
    found = audit(read_sheet(mark(path, marks)))
    assert (found.documents, found.links, found.ok, found.unmarked) == (3, 11, 9, 1)
    assert found.accuracy == 9 / 11
    assert (found.corrected, found.lines_corrected) == (1, 3)
    assert found.lines == 3 * 9 - 1
    low, high = found.bootstrap
    assert 0.75 <= low <= found.accuracy <= high <= 1
    assert found.wilson == wilson(9, 11)
    assert audit(read_sheet(path), seed=12345) == found


def test_one_document_has_no_bootstrap(sheet):
    found = audit(read_sheet(mark(sheet, MARKS)))
    assert (found.accuracy, found.bootstrap) == (0.5, None)


def test_wilson_against_the_literature():
    # Newcombe 1998, table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for hits, trials, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)
    with pytest.raises(UsageError):
        wilson(1, 0)


def corrected(sheet, marks):
    (out,) = apply([document()], read_sheet(mark(sheet, marks)))
    return out.links


def test_corrections_are_applied(sheet):
    # 2,3:2 | 4:3,4 becomes 2:2 | 3:3 | 4:4; the rest stays as it was.
    links = corrected(sheet, MARKS)
    assert links[0] == LINKS[0]
    assert links[1:4] == tuple(Link((i,), (i,), "manual") for i in (1, 2, 3))
    assert links[4] == LINKS[3]


def test_sentences_nobody_claims_become_nulls(sheet):
    links = corrected(sheet, {("b/1", "2"): {"mark": "wrong", "right zh": "2", "right en": "2"}})
    assert links[1:4] == (Link((1,), (1,), "manual"), Link((2,), (), "manual"), LINKS[2])


def test_a_correction_takes_sentences_from_unmarked_links(sheet):
    cells = {"mark": "wrong", "right zh": "2 3", "right en": "2 3"}
    links = corrected(sheet, {("b/1", "2"): cells})
    assert links[1:3] == (Link((1, 2), (1, 2), "manual"), Link((3,), (3,), "manual"))


def test_a_correction_may_be_a_null(sheet):
    links = corrected(
        sheet, {("b/1", "3"): {"mark": "wrong", "right zh": "4; -", "right en": "-; 3 4"}}
    )
    assert links[2:] == (
        Link((3,), (), "manual"),
        LINKS[3],
        Link((), (2,), "manual"),
        Link((), (3,), "manual"),
    )


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (
            {
                ("b/1", "2"): {"mark": "wrong", "right zh": "2 3", "right en": "2 3"},
                ("b/1", "3"): {"mark": "ok"},
            },
            "link 3 of b/1 is marked right",
        ),
        (
            {
                ("b/1", "2"): {"mark": "wrong", "right zh": "2 3", "right en": "2 3"},
                ("b/1", "3"): {"mark": "wrong", "right zh": "4", "right en": "3 4"},
            },
            "en sentence 3 of b/1 is in two",
        ),
        ({("b/1", "2"): {"mark": "wrong", "right zh": "2", "right en": "4"}}, "b/1, corrected"),
        ({("b/1", "4"): {"mark": "wrong", "right zh": "9", "right en": "4"}}, "b/1, corrected"),
    ],
)
def test_corrections_that_contradict(sheet, marks, message):
    with pytest.raises(AlignmentError, match=message):
        corrected(sheet, marks)


def test_the_sheet_must_be_of_these_documents(sheet):
    rows = read_sheet(mark(sheet, MARKS))
    other = Document("b/1", "b", "1", Side("zh", ("改",) * 5), document().en, LINKS)
    with pytest.raises(InputError, match="not the one on the sheet"):
        list(apply([other], rows))
    with pytest.raises(InputError, match="no document 'b/1'"):
        list(apply([document("b/2")], rows))


def test_the_page_holds_the_sheet(tmp_path):
    links = (*LINKS[:3], LINKS[3])
    nasty = Document("b/1", "b", "1", Side("zh", ("</script><!--",) * 5), document().en, links)
    path = tmp_path / "sheet.html"
    assert write_page([nasty], path) == 4
    page = path.read_text("utf-8")
    assert page.count("</script>") == 2
    assert "http" not in page
    body = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert body["rows"] == list(sheet_rows(nasty))
    assert body["name"] == "sheet.csv"
    assert next(iter(rows_of(nasty))).number == 1


def call(capsys, *arguments):
    parser = argparse.ArgumentParser()
    align_audit.add_arguments(parser)
    code = align_audit.run(parser.parse_args([str(argument) for argument in arguments]))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_commands(capsys, tmp_path):
    source, sheet, out = (tmp_path / name for name in ("d.jsonl", "s.csv", "o.jsonl"))
    write_jsonl(DOCUMENTS, source)
    arguments = ["draw", source, "--documents", 2, "--seed", 3, "--out", sheet]
    _, text, _ = call(capsys, *arguments, "--json")
    names = json.loads(text)["documents"]
    assert len(names) == 2
    mark(sheet, {(names[0], n): cells for (_, n), cells in MARKS.items()})
    code, text, err = call(capsys, "read", sheet, "--json")
    assert (code, json.loads(text)["accuracy"]) == (0, 0.5)
    assert "4 links not marked" in err
    assert "50.0" in call(capsys, "read", sheet)[1]
    code, text, _ = call(capsys, "apply", sheet, source, "--out", out)
    assert "2 links corrected in 1 document" in text
    before, after = list(read_jsonl(source)), list(read_jsonl(out))
    assert [d.id for d in before] == [d.id for d in after]
    assert [d.id for d, e in zip(before, after, strict=True) if d != e] == [names[0]]
    assert "to mark" in call(capsys, *arguments[:-1], tmp_path / "s.html")[1]
    with pytest.raises(UsageError, match=r"\.csv or \.html"):
        call(capsys, *arguments[:-1], tmp_path / "s.xlsx")
