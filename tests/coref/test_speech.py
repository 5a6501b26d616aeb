"""Direct speech: stretches, turns, speakers, hearers."""

import pytest

from bwb.coref.base import Span, Speech
from bwb.coref.features import build
from bwb.coref.parse import parse
from bwb.coref.speech import attribute, find_turns, given_turns, mark_turns, stretches


def texts(sentences):
    return [[sentences[n][a:b] for n, a, b in group] for group in stretches(sentences)]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["“Go,” she said."], [["“Go,”"]]),
        (['He said "go" twice: "go".'], [['"go"'], ['"go"']]),
        (["‘Go on,’ said the boys’ aunt."], [["‘Go on,’"]]),
        (["'Don't go,' he said."], [["'Don't go,'"]]),
        (["She wrote: “One.", "Two.", "Three.” Then she slept."], [["“One.", "Two.", "Three.”"]]),
        (["「Go」 was all it said."], [["「Go」"]]),
        (["No speech, it's all the dogs' barking."], []),
        (["“…” “Yes.”"], [["“Yes.”"]]),
        ([], []),
    ],
)
def test_stretches(sentences, expected):
    assert texts(sentences) == expected


def test_an_unclosed_mark_does_not_swallow_the_text():
    sentences = ['"Go, he said.', *["Rain fell."] * 30, '"Yes," he said.']
    assert texts(sentences)[-1] == ['"Yes,"']


def test_pieces_of_one_sentence_are_one_turn():
    (turn,) = find_turns(["“Go,” she said, “and come back.”"])
    assert len(turn.pieces) == 2
    assert len(find_turns(["“Go.” “No.”"])) == 2


def test_given_pieces_of_one_speaker_in_a_row_are_one_turn():
    turns = given_turns(
        [
            Speech(1, 0, 4, "a"),
            Speech(0, 0, 4, "a"),
            Speech(2, 0, 4, "b", ("a",)),
            Speech(3, 0, 1, None),
        ]
    )
    assert [turn.key for turn in turns] == ["a", "b", None]
    assert [len(turn.pieces) for turn in turns] == [2, 1, 1]
    assert turns[1].to == ("a",)


def speakers(sentences, mentions):
    """The words of speaker and addressee of each turn."""
    spans = sorted(
        Span(n, sentences[n].index(word), sentences[n].index(word) + len(word))
        for n, word in mentions
    )
    parses = parse(sentences)
    phrases = build(spans, parses, range(len(sentences)))
    turns = find_turns(sentences)
    mark_turns(turns, phrases)
    attribute(turns, phrases, parses)
    return [
        tuple(None if i is None else phrases[i].text for i in (turn.speaker, turn.addressee))
        for turn in turns
    ]


def test_speaker_before_and_behind_the_speech():
    assert speakers(["“Go,” said Martha."], [(0, "Martha")]) == [("Martha", None)]
    assert speakers(["Martha said, “Go.”"], [(0, "Martha")]) == [("Martha", None)]
    # A tokeniser that ends the sentence at the mark.
    assert speakers(["“Go!”", "cried Martha."], [(1, "Martha")]) == [("Martha", None)]


def test_speaker_by_what_is_done_beside_the_speech():
    assert speakers(["Martha shut the door. “Go.”"], [(0, "Martha")]) == [("Martha", None)]


def test_speakers_take_turns():
    sentences = ["“Go,” said Martha.", "“No,” said Tom.", "“Why?”", "“Because.”"]
    found = speakers(sentences, [(0, "Martha"), (1, "Tom")])
    assert found == [("Martha", "Tom"), ("Tom", "Martha"), ("Martha", "Tom"), ("Tom", "Martha")]
