"""Annotated chains, and speech in a system's text."""

import pytest

from bwb.annotations.inline import read_inline
from bwb.coref.base import Span, Speech
from bwb.coref.project import project_speech, side_chains
from bwb.errors import LengthError


def side(*lines):
    return read_inline(list(lines), "en", file="x", strict=True)[0]


def test_chains_are_spans_of_sentences():
    reference = side("<PER, T, 1>{Lin Xi} met <PER, T, 2>{Bo}.", "<P, 1>{She} left.")
    assert side_chains(reference) == [(Span(0, 0, 6), Span(1, 0, 3)), (Span(0, 11, 13),)]


def test_speakers_go_with_speech_where_the_lines_have_as_much():
    reference = side("<Q, 1>“Go,”<\\Q> he said, <Q, 1, +>“now.”<\\Q>", "<Q, 2>“No.”<\\Q>", "Rain.")
    speech = project_speech(reference, ["“Leave,” he said, “at once.”", "“No.” “No!”", "“Oh.”"])
    assert [(s.sentence, s.speaker) for s in speech] == [
        (0, "1"),
        (0, "1"),
        (1, None),
        (1, None),
        (2, None),
    ]
    assert speech[0] == Speech(0, 0, 8, "1")


def test_without_a_layer_there_are_no_speakers():
    import dataclasses

    reference = dataclasses.replace(side("“Go.”"), layers=("coreference",))
    assert project_speech(reference, ["“Go.”"]) is None


def test_other_numbers_of_lines_are_refused():
    with pytest.raises(LengthError, match="2 lines of the system, the reference has 1"):
        project_speech(side("“Go.”"), ["“Go.”", "No."])
