"""BLEU, d-BLEU, AvgBLEU and chrF are what sacrebleu makes of the same texts in the same run."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from bwb.errors import InputError, LengthError, UnknownNameError
from bwb.metrics.avgbleu import AvgBleu
from bwb.metrics.bleu import TOKENIZERS, Bleu
from bwb.metrics.chrf import Chrf
from bwb.metrics.dbleu import DBleu
from bwb.metrics.stats import score_intervals
from bwb.records import Document, Side

ENGLISH = [
    "the",
    "cat",
    "Cat",
    "sat.",
    "3.5",
    "5.",
    ".5",
    "(the",
    "mat)",
    "U.S.",
    "&amp;",
    "-",
    ",",
]
CHINESE = ["猫", "坐在", "垫子上。", "2022年", "他", "，", "U.S."]


def lines(words):
    return st.lists(st.sampled_from(words), max_size=8).map(" ".join)


def corpora(words, references=1):
    """Documents, each a list of (output, reference, …), a sentence each."""
    sentence = st.tuples(*[lines(words)] * (references + 1))
    return st.lists(st.lists(sentence, min_size=1, max_size=4), min_size=1, max_size=4)


def scored(make, corpus, **options):
    """The score of a metric, and the tallies."""
    documents = [
        Document(str(n), "", "", en=Side("en", tuple(row[1] for row in rows)))
        for n, rows in enumerate(corpus)
    ]
    further = {
        str(n): [list(text) for text in zip(*(row[2:] for row in rows), strict=True)]
        for n, rows in enumerate(corpus)
    }
    metric = make(references=further, **options)
    tallies = [
        metric.count(document, [row[0] for row in rows])
        for document, rows in zip(documents, corpus, strict=True)
    ]
    return metric.score("s", tallies).score, tallies


def peer(metric, corpus):
    """What sacrebleu says of all sentences as one corpus, as a fraction."""
    columns = list(zip(*(row for rows in corpus for row in rows), strict=True))
    return metric.corpus_score(columns[0], [list(column) for column in columns[1:]]).score / 100


def whole(corpus, space):
    """Each document as one segment."""
    return [[tuple(map(space.join, zip(*rows, strict=True)))] for rows in corpus]


def same(ours, theirs):
    """Equal, but for what is undefined here and 0 there."""
    return (theirs == 0) if ours is None else math.isclose(ours, theirs, rel_tol=1e-12)


@settings(deadline=None, max_examples=15)
@given(corpora(ENGLISH, 1), corpora(ENGLISH, 3))
def test_bleu_and_chrf_of_one_and_of_several_references(one, several):
    for corpus in (one, several):
        assert same(scored(Bleu, corpus)[0], peer(BLEU(force=True), corpus))
        assert same(
            scored(Bleu, corpus, lowercase=True)[0], peer(BLEU(lowercase=True, force=True), corpus)
        )
        assert same(scored(Chrf, corpus)[0], peer(CHRF(), corpus))
        assert same(scored(Chrf, corpus, word_order=2)[0], peer(CHRF(word_order=2), corpus))
        assert same(scored(Chrf, corpus, lowercase=True)[0], peer(CHRF(lowercase=True), corpus))


@settings(deadline=None, max_examples=25)
@given(corpora(ENGLISH, 2), corpora(CHINESE))
def test_documents_are_segments_of_dbleu_and_scores_of_avgbleu(english, chinese):
    for corpus, name, space in ((english, "13a", " "), (chinese, "zh", "")):
        theirs = BLEU(tokenize=name, force=True)
        joined = whole(corpus, space)
        assert same(scored(DBleu, corpus, tokenize=name)[0], peer(theirs, joined))
        # Documents without a word in the output and in a reference have no score here.
        alone = [peer(theirs, [rows]) for rows in joined if rows[0][0] or all(rows[0][1:])]
        mean = sum(alone) / len(alone) if alone else 0
        assert same(scored(AvgBleu, corpus, tokenize=name)[0], mean)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_tokenizer(name):
    corpus = [
        [("The cat’s 3.5 猫。 sat", "The cat’s 3.5 猫坐。 sat on it")],
        [("a b c d", "a b c d e")],
    ]
    assert scored(Bleu, corpus, tokenize=name)[0] == pytest.approx(
        peer(BLEU(tokenize=name, force=True), corpus), rel=1e-12
    )


def test_avgbleu_weighs_documents_equally_and_dbleu_by_length():
    long, short = "a b c d e f g h", "x y z w"
    corpus = [[(long, long)], [("q q q q", short)]]
    # The second has no match: 0.
    assert scored(AvgBleu, corpus)[0] == 0.5
    # 8 of 12 words, 7 of 10 pairs, 6 of 8, 5 of 6.
    assert scored(DBleu, corpus)[0] == pytest.approx((8 / 12 * 7 / 10 * 6 / 8 * 5 / 6) ** 0.25)


def test_an_output_without_a_word_is_0_and_a_document_without_one_is_nothing():
    assert scored(AvgBleu, [[("", "a b c d")], [("a b c d", "a b c d")]])[0] == 0.5
    score, tallies = scored(AvgBleu, [[("", "")], [("a b c d", "a b c d")]])
    assert (score, tallies[0].counts) == (1, {})
    for make in (AvgBleu, DBleu, Chrf):
        assert scored(make, [[("", "")]])[0] is None
    assert scored(Chrf, [[("", "ab")]])[0] == 0


def test_chrf_plus_plus_is_counted_by_hand():
    score, (tally,) = scored(Chrf, [[("ab c.", "ab d.")]], word_order=2)
    # Characters abc. and abd.; words ab c . and ab d .
    assert (tally.counts["char-1.matched"], tally.counts["char-2.matched"]) == (3, 1)
    assert (tally.counts["word-1.matched"], tally.counts["word-1.system"]) == (2, 3)
    assert "word-2.matched" not in tally.counts
    # Orders 1 to 4 of characters, 1 and 2 of words; precision and recall are equal.
    assert score == pytest.approx((3 / 4 + 1 / 3 + 0 + 0 + 2 / 3 + 0) / 6)


def test_intervals_are_of_the_same_counts():
    corpus = [[(f"a b c d {n} x", f"a b c d {n} e")] for n in range(6)]
    documents = scored(AvgBleu, corpus)
    for make in (Bleu, DBleu, AvgBleu, Chrf):
        score, tallies = scored(make, corpus)
        between = score_intervals(make(), {"s": tallies}, ["score"], resamples=50)["s"]["score"]
        assert between.low <= score <= between.high or between.low == pytest.approx(score)
    assert documents[0] is not None


def test_signatures_name_what_changes_the_score():
    assert "tok:zh" in str(Bleu(tokenize="zh").signature({}))
    assert "join:empty" in str(DBleu(tokenize="zh").signature({}))
    assert "join:space" in str(AvgBleu().signature({}))
    assert "nw:2" in str(Chrf(word_order=2).signature({}))


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownNameError, match="unknown tokenizer '13b'"):
        Bleu(tokenize="13b")
    with pytest.raises(InputError, match="word order -1"):
        Chrf(word_order=-1)
    document = Document("d", "", "", en=Side("en", ("a",)))
    for make in (DBleu, AvgBleu, Chrf):
        with pytest.raises(LengthError, match="2 sentences, expected 1"):
            make().count(document, ["a", "b"])


@settings(deadline=None, max_examples=300)
@given(
    st.text("aB1.,-&;'\"$%山。 \t\n\u3000", max_size=30), st.sampled_from(["&amp;", "<skipped>"])
)
def test_words_are_cut_as_sentences_are(text, more):
    for line in (text, text + more, f"{text} {more}.{text}"):
        expected = tuple(BLEU(tokenize="13a").tokenizer(line.rstrip()).split())
        assert Bleu().tokens([line]) == [expected]
