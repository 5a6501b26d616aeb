"""A reference's mentions and speech in a system's text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.annotations.inline import read_inline
from bwb.coref.base import Span, Speech
from bwb.coref.project import project_mentions, project_speech, resolve_projected, side_chains
from bwb.errors import LengthError


def side(*lines):
    return read_inline(list(lines), "en", file="x", strict=True)[0]


def found(reference, *lines):
    return {
        m.id: lines[s.sentence][s.start : s.end]
        for m, s in project_mentions(reference, lines).found
    }


def test_mentions_are_found_by_their_words_in_their_line():
    reference = side("<PER, T, 1>{Lin Xi} saw <PER, N, 2>{the coroner}.", "<P, 1>{She} left.")
    projection = project_mentions(reference, ["The Coroner was seen by lin xi’s men.", "He left."])
    assert [(m.text, s) for m, s in projection.found] == [
        ("Lin Xi", Span(0, 24, 30)),
        ("the coroner", Span(0, 0, 11)),
    ]
    assert [m.text for m in projection.missing] == ["She"]
    assert projection.coverage == pytest.approx(2 / 3)


def test_a_word_is_not_found_within_another():
    assert found(side("<PER, T, 1>{Lian} left."), "Liang left.") == {}
    assert found(side("<P, 1>{He} left."), "The heir, he's gone.") == {"m1": "he"}


def test_each_occurrence_is_used_once():
    reference = side("<P, 1>{He} and <P, 2>{he} and <P, 3>{he}.")
    projection = project_mentions(reference, ["He met him, and he left."])
    assert [(m.entity, s.start) for m, s in projection.found] == [("1", 0), ("2", 16)]
    assert [m.entity for m in projection.missing] == ["3"]


def test_as_many_occurrences_keep_their_rank():
    reference = side("He rose, and <P, 1>{he} fell.")
    assert project_mentions(reference, ["He sat, and he slept."]).found[0][1] == Span(0, 12, 14)
    # One more: which is which is not known, the first free one is taken.
    assert project_mentions(reference, ["He sat, he slept, he woke."]).found[0][1] == Span(0, 0, 2)


def test_nested_mentions():
    reference = side("<PER, N, 2>{<P, 1>{her} aunt} left <P, 1>{her}.")
    assert found(reference, "Her aunt left her.") == {"m1": "Her aunt", "m2": "Her", "m3": "her"}


def test_a_reference_is_found_in_itself():
    reference = side(
        "<PER, T, 1>{Lin Xi} lost <P, 1>{her} hat, and <P, 2>{he} <P, 1>{her} trust.",
        "<Q, 1>“Mine!”<\\Q> said <PER, T, 1>{Lin Xi}.",
    )
    projection = project_mentions(reference, reference.sentences)
    assert projection.coverage == 1.0
    spans = {span for _, span in projection.found}
    assert spans == {span for chain in side_chains(reference) for span in chain}


def test_no_mentions_no_coverage():
    assert project_mentions(side("Rain."), ["Rain."]).coverage is None


@given(
    st.lists(st.sampled_from(["he", "she", "her aunt", "Lin Xi", "rain", ",", "HE"]), max_size=12)
)
def test_places_are_distinct_and_have_the_words(words):
    reference = side(
        "<P, 1>{he} <P, 2>{he} <P, 3>{she} <PER, N, 4>{<P, 3>{her} aunt} <PER, T, 5>{Lin Xi}"
    )
    line = " ".join(words)
    projection = project_mentions(reference, [line])
    spans = [span for _, span in projection.found]
    assert len(set(spans)) == len(spans)
    assert all(line[s.start : s.end].lower() == m.text.lower() for m, s in projection.found)
    assert len(projection.found) + len(projection.missing) == len(reference.mentions)


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
        project_mentions(side("He left."), ["He", "left."])


class Together:
    """A resolver that puts all mentions into one chain."""

    name = "together"

    def resolve(self, sentences, mentions=None, speakers=None):
        return [tuple(sorted(mentions))]


def test_chains_are_those_of_the_reference_mentions():
    reference = side("<PER, T, 1>{Lin Xi} met <PER, T, 2>{Bo}.", "<P, 1>{She} left.")
    projection, chains = resolve_projected(Together(), reference, ["Lin Xi met Bo.", "He left."])
    assert [[m.text for m in chain] for chain in chains] == [["Lin Xi", "Bo"]]
    assert [m.text for m in projection.missing] == ["She"]
    assert resolve_projected(Together(), reference, ["", ""])[1] == []
