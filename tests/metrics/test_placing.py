"""A reference's mentions in a system's text."""

from hypothesis import given
from hypothesis import strategies as st

from bwb.annotations.inline import read_inline
from bwb.metrics.placing import Placer


def side(*lines):
    return read_inline(list(lines), "en", file="x", strict=True)[0]


def found(reference, *lines):
    placed = Placer(reference).place(lines)
    return {p.mention.id: lines[line][p.start : p.end] for line, row in placed.items() for p in row}


def places(reference, *lines):
    placed = Placer(reference).place(lines)
    return [(p.mention.entity, line, p.start, p.end) for line, row in placed.items() for p in row]


def test_mentions_are_found_by_their_words_in_their_line():
    reference = side("<PER, T, 1>{Lin Xi} saw <PER, N, 2>{the coroner}.", "<P, 1>{She} left.")
    lines = ["The Coroner was seen by lin xi’s men.", "He left."]
    assert places(reference, *lines) == [("2", 0, 0, 11), ("1", 0, 24, 30)]
    placer = Placer(reference)
    assert [m.text for m in placer.missing(placer.place(lines))] == ["She"]


def test_a_word_is_not_found_within_another():
    assert found(side("<PER, T, 1>{Lian} left."), "Liang left.") == {}
    assert found(side("<P, 1>{He} left."), "The heir, he's gone.") == {"m1": "he"}


def test_each_occurrence_is_used_once():
    reference = side("<P, 1>{He} and <P, 2>{he} and <P, 3>{he}.")
    assert places(reference, "He met him, and he left.") == [("1", 0, 0, 2), ("2", 0, 16, 18)]


def test_as_many_occurrences_keep_their_rank():
    reference = side("He rose, and <P, 1>{he} fell.")
    assert places(reference, "He sat, and he slept.") == [("1", 0, 12, 14)]
    # One more: which is which is not known, the first free one is taken.
    assert places(reference, "He sat, he slept, he woke.") == [("1", 0, 0, 2)]


def test_nested_mentions():
    reference = side("<PER, N, 2>{<P, 1>{her} aunt} left <P, 1>{her}.")
    assert found(reference, "Her aunt left her.") == {"m1": "Her aunt", "m2": "Her", "m3": "her"}


def test_an_occurrence_is_not_given_to_mentions_of_two_depths():
    reference = side("<PER, N, 2>{<P, 1>{her} aunt} left <P, 3>{her}.")
    assert places(reference, "An aunt left her.") == [("3", 0, 13, 16)]


def test_a_reference_is_found_in_itself():
    reference = side(
        "<PER, T, 1>{Lin Xi} lost <P, 1>{her} hat, and <P, 2>{he} <P, 1>{her} trust.",
        "<Q, 1>“Mine!”<\\Q> said <PER, T, 1>{Lin Xi}.",
    )
    placer = Placer(reference)
    placed = placer.place(reference.sentences)
    assert placer.missing(placed) == []
    for line, row in placed.items():
        base = reference.offsets[line]
        assert all((base + p.start, base + p.end) == (p.mention.start, p.mention.end) for p in row)


@given(
    st.lists(st.sampled_from(["he", "she", "her aunt", "Lin Xi", "rain", ",", "HE"]), max_size=12)
)
def test_places_are_distinct_and_have_the_words(words):
    reference = side(
        "<P, 1>{he} <P, 2>{he} <P, 3>{she} <PER, N, 4>{<P, 3>{her} aunt} <PER, T, 5>{Lin Xi}"
    )
    line = " ".join(words)
    placer = Placer(reference)
    placed = placer.place([line])
    spans = [(p.start, p.end) for row in placed.values() for p in row]
    assert len(set(spans)) == len(spans)
    texts = [(line[p.start : p.end], p.mention.text) for row in placed.values() for p in row]
    assert all(mine.lower() == theirs.lower() for mine, theirs in texts)
    assert len(spans) + len(placer.missing(placed)) == len(reference.mentions)
