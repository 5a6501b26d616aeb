from __future__ import annotations

from bwb.annotations.inline import read_inline
from bwb.annotations.project import project
from bwb.records import Side


def run(annotated, plain):
    side, _ = read_inline(annotated, "en")
    return project(side, Side("en", tuple(plain)), "f")


def test_white_space_that_differs_moves_no_mention_off_its_words():
    side, findings = run(
        ["<O, 1>{her} fists and <O, 1>{her}head. ", "<Q, 1> [x] <\\Q>"],
        ["her fists and her head.", "[x]"],
    )
    assert [(m.text, side.text[m.start : m.end]) for m in side.mentions] == [("her", "her")] * 2
    assert [m.start for m in side.mentions] == [0, 14]
    assert side.text[side.quotes[0].spans[0].start : side.quotes[0].spans[0].end] == "[x]"
    assert [(f.line, f.code, f.repair) for f in findings] == [(1, "white-space", "plain text kept")]


def test_text_that_differs_keeps_what_both_have_and_reports_the_rest():
    side, findings = run(["<PER, T, 1>{Bo} saw <PER, T, 2>{Zed} go"], ["Bo saw Ann go"])
    assert [m.text for m in side.mentions] == ["Bo"]
    assert [f.code for f in findings] == ["text-differs", "mention-lost"]


def test_an_excerpt_is_projected_and_said_to_be_one():
    side, findings = run(["<P, 1>{He} ran."], ["He ran.", "He fell."])
    assert len(side.mentions) == 1
    assert [(f.code, f.severity) for f in findings] == [("partly-annotated", "warning")]


def test_more_annotated_than_plain_lines_is_an_error():
    side, findings = run(["a", "b"], ["a"])
    assert (findings[0].code, findings[0].fails) == ("too-many-lines", True)
    assert side.layers == ()
