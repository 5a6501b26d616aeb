from __future__ import annotations

import pytest

from bwb.annotations.error_marks import read_error_marks, write_error_marks
from bwb.annotations.named_entities import read_named_entities
from bwb.errors import FormatError
from bwb.records import ErrorMark, NamedEntity


def test_marks_are_read_with_their_places_in_the_text_of_the_output():
    lines = [
        "All is well.\t0",
        "Joe bowed his head.\t4,Joe <pos/1,3>\t2,her, his <pos/11,13>\t5",
        "He met Joe; Joe left.\t1,joined, met <pos/4,6>;ran, off, left <pos/17,20>",
    ]
    output, findings = read_error_marks(lines, "mt")
    assert findings == []
    assert output.errors == (
        ErrorMark(1, 4, None, "Joe", 13, 16),
        ErrorMark(1, 2, "her", "his", 23, 26),
        ErrorMark(1, 5),
        ErrorMark(2, 1, "joined", "met", 36, 39),
        ErrorMark(2, 1, "ran, off", "left", 49, 53),
    )
    assert all(output.text[m.start : m.end] == m.text for m in output.errors if m.text)
    assert write_error_marks(output) == lines


def test_looked_for_and_not_found_is_an_empty_tuple():
    output, _ = read_error_marks(["a\t0"], "mt")
    assert output.errors == ()


@pytest.mark.parametrize(
    ("line", "code", "column", "marks"),
    [
        ("a b", "no-error-field", 4, []),
        ("a b\t8", "error-code", 5, []),
        ("a b\tx", "error-code", 5, []),
        ("a b\t0\t5", "error-code", 7, [ErrorMark(0, 5)]),
        ("a b\t 5", "field-spacing", 5, [ErrorMark(0, 5)]),
        ("a b\t4,b", "no-position", 5, [ErrorMark(0, 4, None, "b", 2, 3)]),
        ("a b a\t4,a <pos/4,4>", "position", 7, [ErrorMark(0, 4, None, "a", 4, 5)]),
        ("a b\t4,zz <pos/1,2>", "position", 5, [ErrorMark(0, 4, None, "zz")]),
        ("a b\t4,b <pos/9,9>", "position", 5, [ErrorMark(0, 4, None, "b", 2, 3)]),
        ("a b\t1,c,b <pos/3,3>", "phrase-spacing", 5, [ErrorMark(0, 1, "c", "b", 2, 3)]),
    ],
)
def test_faults_are_errors_or_reported_repairs(line, code, column, marks):
    with pytest.raises(FormatError) as caught:
        read_error_marks([line], "mt", file="e.txt")
    found = caught.value.finding
    assert (found.file, found.line, found.column, found.code) == ("e.txt", 1, column, code)
    output, findings = read_error_marks([line], "mt", strict=False)
    assert list(output.errors) == marks
    assert output.sentences == (line.split("\t")[0],)
    assert [finding.code for finding in findings] == [code]


def test_named_entities_are_counted_strings():
    lines = ["PERSON: (Qiao Lian: 1; )\tNONPERSON: ()", "PERSON: ()\tNONPERSON: (A: B: 2; )"]
    assert read_named_entities(lines) == (
        NamedEntity(0, "PERSON", "Qiao Lian", 1),
        NamedEntity(1, "NONPERSON", "A: B", 2),
    )


@pytest.mark.parametrize("line", ["PERSON: ()", "PERSON: (a; )\tNONPERSON: ()", ""])
def test_a_malformed_line_of_named_entities_is_an_error(line):
    with pytest.raises(FormatError, match=r"n\.txt:1:1"):
        read_named_entities([line], file="n.txt")
