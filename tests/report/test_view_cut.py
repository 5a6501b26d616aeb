from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bwb.report.view_cut import Span, cut, plain


def test_nested_spans_are_a_tree():
    spans = [Span(0, 11, ("q", 1)), Span(4, 7, ("m", 2)), Span(4, 11, ("m", 3))]
    assert cut("say her name.", spans) == [
        ["q", 1, "say ", ["m", 3, ["m", 2, "her"], " nam"]],
        "e.",
    ]


def test_crossing_spans_are_cut_where_one_ends():
    assert cut("abcdef", [Span(0, 4, ("m", 1)), Span(2, 6, ("m", 2))]) == [
        ["m", 1, "ab", ["m", 2, "cd"]],
        ["m", 2, "ef"],
    ]


def test_what_has_no_length_stands_before_what_begins_there():
    assert cut("ab", [Span(1, 2, ("m", 1)), Span(1, 1, ("g", 0))]) == ["a", ["g", 0], ["m", 1, "b"]]


def test_of_the_same_range_the_lower_rank_is_outside():
    assert cut("a", [Span(0, 1, ("m", 1), 3), Span(0, 1, ("b", 0), 1)]) == [["b", 0, ["m", 1, "a"]]]


def test_offsets_are_code_points():
    assert cut("𠮷她😀!", [Span(1, 2, ("m", 7))]) == ["𠮷", ["m", 7, "她"], "😀!"]


def test_what_lies_outside_is_cut_off():
    assert cut("ab", [Span(-3, 1, ("m", 1)), Span(1, 9, ("m", 2))]) == [
        ["m", 1, "a"],
        ["m", 2, "b"],
    ]
    assert cut("", [Span(0, 0, ("g", 1))]) == [["g", 1]]


def _ranges(pieces, at, found):
    """Number of a span → the code points its pieces cover."""
    for piece in pieces:
        if isinstance(piece, str):
            at += len(piece)
        else:
            start = at
            at = _ranges(piece[2:], at, found)
            found.setdefault(piece[1], set()).update(range(start, at))
    return at


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=8),
)
def test_the_text_and_every_span_are_whole(text, pairs):
    spans = [Span(min(p), max(p), ("m", number)) for number, p in enumerate(pairs)]
    pieces = cut(text, spans)
    assert plain(pieces, 2) == text
    found: dict[int, set[int]] = {}
    assert _ranges(pieces, 0, found) == len(text)
    for span in spans:
        covered = set(range(len(text))) & set(range(span.start, span.end))
        assert found[span.label[1]] == covered
