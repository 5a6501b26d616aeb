"""Tolerant BLEU: distances by hand, the weights of the paper's figure, and BLEU at ε = 0."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from bwb.errors import InputError
from bwb.metrics.affix import Related, affix_distance, corrections, edges, levenshtein
from bwb.metrics.tbleu import TBleu
from bwb.records import Document, Side

WORD = st.text("abc", min_size=1, max_size=6)
WORDS = st.lists(WORD, max_size=6)


def naive_distance(one, other):
    """By all common substrings."""
    spans = [
        (i, j, length)
        for i, j in itertools.product(range(len(one)), range(len(other)))
        for length in range(1, min(len(one) - i, len(other) - j) + 1)
        if one[i : i + length] == other[j : j + length]
    ]
    longest = max((length for *_, length in spans), default=0)
    around = [
        levenshtein(one[:i], other[:j]) + levenshtein(one[i + n :], other[j + n :])
        for i, j, n in spans
        if n == longest
    ]
    return min(1, min(around) / longest) if around else 1


def counts(system, reference, *further, **options):
    """The counts of one segment."""
    document = Document("d", "", "", en=Side("en", (reference,)))
    metric = TBleu(references={"d": [[other] for other in further]}, tokenize="none", **options)
    return metric.count(document, [system]).counts


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("vzpomenou", "zapomenout", 3 / 7),  # the example of the paper
        ("same", "same", 0),
        ("walks", "walked", 2 / 4),
        ("cat", "cats", 1 / 3),
        ("dog", "cat", 1),
        ("a", "ab", 1),  # one edit by one letter
        ("", "ab", 1),
        ("ab", "cdab", 1),
        # "ab" is shared twice: 2 + 1 edits at the first place, 0 + 1 at the second.
        ("xyab", "abxyab", 2 / 4),
    ],
)
def test_distances_by_hand(one, other, distance):
    assert affix_distance(one, other) == pytest.approx(distance)
    assert affix_distance(other, one) == pytest.approx(distance)


@settings(deadline=None)
@given(WORD, WORD)
def test_the_distance_is_that_of_the_definition(one, other):
    assert affix_distance(one, other) == naive_distance(one, other)
    assert affix_distance(one, other) == affix_distance(other, one)


@settings(deadline=None)
@given(WORD, WORDS)
def test_related_words_are_all_those_at_a_distance_below_one(word, words):
    found = Related(words).to(word)
    assert found == {
        other: affix_distance(word, other)
        for other in words
        if other != word and affix_distance(word, other) < 1
    }


@settings(deadline=None)
@given(WORDS, WORDS)
def test_the_matching_is_the_best_there_is(words, reference):
    near = edges(words, Related(reference), 1)
    found = corrections(words, reference, near, 1)
    assert len({place for place, _ in found.values()}) == len(found)
    assert all(affix_distance(words[i], reference[j]) == d for i, (j, d) in found.items())
    # Equal words that nothing else wants are matched, too: none of those corrected may be lost.
    short, long = sorted((words, reference), key=len)
    best = min(
        sum(map(affix_distance, short, chosen))
        for chosen in itertools.permutations(long, len(short))
    )
    left = [w for i, w in enumerate(words) if i not in found]
    over = [w for j, w in enumerate(reference) if j not in {j for j, _ in found.values()}]
    equal = sum(min(left.count(word), over.count(word)) for word in set(left))
    assert sum(1 - d for _, d in found.values()) + equal == pytest.approx(len(short) - best)


def test_weights_of_the_figure():
    # Figure 1 finds 11/6 of 5 words, where BLEU finds 1: here of words of our own.
    found = counts("on walks auto abc ijk", "on walked autem fgh xyz", epsilon=1)
    assert found["1.matched"] == pytest.approx(11 / 6)
    assert found["1.matched"] / found["1.system"] == pytest.approx(0.367, abs=5e-4)
    # on walks: (1 + 1/2) / 2; walks auto: (1/2 + 1/3) / 2.
    assert found["2.matched"] == pytest.approx(3 / 4 + 5 / 12)
    assert found["3.matched"] == pytest.approx(11 / 18)
    assert counts("on walks auto abc ijk", "on walked autem fgh xyz", epsilon=0)["1.matched"] == 1


def test_a_word_is_corrected_up_to_epsilon():
    pair = ("walks", "walked")
    assert counts(*pair, epsilon=0.5)["1.matched"] == 0.5
    assert "1.matched" not in counts(*pair, epsilon=0.49)
    long = "a" * 10 + "b" * 10
    assert counts(long, long + "c")["1.matched"] == 0.95
    assert "1.matched" not in counts(long[1:], long[1:] + "c")


def test_words_with_nothing_in_common_are_never_corrected():
    assert "1.matched" not in counts("abc", "xyz", epsilon=1)
    # If they were, "on abc" would count (1 + 0) / 2.
    assert "2.matched" not in counts("on abc", "on xyz", epsilon=1)


def test_each_ngram_counts_as_with_the_reference_that_gives_it_most():
    # walks: 1/2 by the first, 1 by the second; the pair only by the first.
    found = counts("he walks", "he walked", "she walks", epsilon=1)
    assert found["1.matched"] == 2
    assert found["2.matched"] == 0.75


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(*[WORDS.map(" ".join)] * 3), min_size=1, max_size=4))
def test_with_epsilon_0_it_is_bleu(rows):
    system, one, two = map(list, zip(*rows, strict=True))
    for references in ([one], [one, two]):
        theirs = BLEU(force=True, tokenize="13a").corpus_score(system, references).score / 100
        document = Document("d", "", "", en=Side("en", tuple(one)))
        metric = TBleu(epsilon=0, references={"d": references[1:]})
        ours = metric.score("s", [metric.count(document, system)]).score
        assert (ours or 0) == pytest.approx(theirs, rel=1e-12)


@settings(deadline=None)
@given(WORDS, WORDS)
def test_weights_of_corrected_words_are_within_bounds(system, reference):
    found = counts(" ".join(system), " ".join(reference), epsilon=1)
    for order in range(1, 5):
        matched = found.get(f"{order}.matched", 0)
        assert 0 <= matched <= found.get(f"{order}.system", 0) + 1e-9


def test_epsilon_is_in_the_signature_and_within_bounds():
    assert "eps:0.05" in str(TBleu().signature({}))
    for epsilon in (-0.1, 1.5, float("nan")):
        with pytest.raises(InputError, match="from 0 to 1"):
            TBleu(epsilon=epsilon)
