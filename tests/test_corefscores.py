"""Coreference scores: golden table, official scorer, definitions, properties."""

import json
import os
import random
import subprocess
import sys
from dataclasses import fields
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from bwb.corefscores import CorefCounts, Ratio, count, score

METRICS = [field.name for field in fields(CorefCounts)]


def clusters(text):
    """'ab c' is a cluster of the mentions a and b, and a singleton."""
    return [list(word) for word in text.split()]


def parts(ratio):
    return ratio.recall_num, ratio.recall_den, ratio.precision_num, ratio.precision_den


def numbers(text):
    """'1/2 3 -' is a half, three, and None."""
    return tuple(None if word == "-" else Fraction(word) for word in text.split())


def close(expected):
    """Within rounding; None only equals None."""
    if isinstance(expected, tuple):
        return tuple(close(value) for value in expected)
    return None if expected is None else pytest.approx(float(expected), rel=0, abs=1e-9)


# (a) Golden table, worked out by hand: recall numerator and denominator, then those of the
# precision, of each metric in the order of the fields.

LUO_KEY = "12345 67 89ABC"
GOLDEN = {
    # Example of Pradhan et al. 2014 and of Moosavi and Strube 2016. MUC: abc in 2 parts, defg in 3
    # (d, e, fg). B3: (4+1)/3 + (1+4)/4, and 4/2 + 2/2 + 4/4. CEAF: abc with ab, defg with fghi, so
    # φ4 is 4/5 + 4/8. LEA: 3·1/3 + 4·1/6, and 2·1 + 2·0 + 4·1/6. BLANC: ab and fg; ad af ag bd bf
    # bg cf cg are apart on both sides.
    ("abc defg", "ab cd fghi"): "6 7 6 8; 2 5 2 5; 35/12 7 4 8; 4 7 4 8; 13/10 2 13/10 3;"
    "5/3 7 8/3 8; 2 9 2 8; 8 12 8 20",
    # Bagga and Baldwin 1998, two responses; Luo 2005, systems (a) to (d) on the same key.
    # B3: 5 + (4+25)/7. φ4: 1 + 10/12. LEA: 5 + 7·11/21.
    (LUO_KEY, "12345 6789ABC"): "12 12 12 12; 9 9 9 10; 12 12 64/7 12; 10 12 10 12;"
    "11/6 3 11/6 2; 12 12 26/3 12; 21 21 21 31; 35 45 35 35",
    # B3: (25+25)/10 + 2. φ4: 10/15 + 1. LEA: 10·20/45 + 2.
    (LUO_KEY, "1234589ABC 67"): "12 12 12 12; 9 9 9 10; 12 12 7 12; 7 12 7 12; 5/3 3 5/3 2;"
    "12 12 58/9 12; 21 21 21 46; 20 45 20 20",
    # B3: (25+4+25)/12. φ4: 10/17. LEA: 12·21/66.
    (LUO_KEY, "123456789ABC"): "12 12 12 12; 9 9 9 11; 12 12 9/2 12; 5 12 5 12; 10/17 3 10/17 1;"
    "12 12 42/11 12; 21 21 21 66; 0 45 0 0",
    # B3: 5/5 + 2/2 + 5/5. φ4: 2/6 + 2/3 + 2/6.
    (LUO_KEY, "1 2 3 4 5 6 7 8 9 A B C"): "12 12 12 12; 0 9 0 0; 3 12 12 12; 3 12 3 12;"
    "4/3 3 4/3 12; 0 12 0 12; 0 21 0 0; 45 45 45 66",
    # Vilain et al. 1995: a chain of four broken in two, and one with a gap.
    ("ABCD", "AB CD"): "4 4 4 4; 2 3 2 2; 2 4 4 4; 2 4 2 4; 2/3 1 2/3 2; 4/3 4 4 4; 2 6 2 2;"
    "0 0 0 4",
    ("ABC", "AC"): "2 3 2 2; 1 2 1 1; 4/3 3 2 2; 2 3 2 2; 4/5 1 4/5 1; 1 3 2 2; 1 3 1 1; 0 0 0 0",
    # CEAF is not greedy: abcde and abcfg share most, 3, but abcde~de and fg~abcfg share 4.
    ("abcde fg", "abcfg de"): "7 7 7 7; 4 5 4 5; 23/5 7 23/5 7; 4 7 4 7; 8/7 2 8/7 2; 4 7 4 7;"
    "5 11 5 11; 4 10 4 10",
    # Singletons: LEA takes a for resolved, and b not.
    ("a b", "a bc"): "2 2 2 3; 0 0 0 1; 2 2 3/2 3; 2 2 2 3; 5/3 2 5/3 2; 1 2 1 3; 0 0 0 1; 1 1 1 2",
    # One side, or both, without mentions.
    ("a bc", ""): "0 3 0 0; 0 1 0 0; 0 3 0 0; 0 3 0 0; 0 2 0 0; 0 3 0 0; 0 1 0 0; 0 2 0 0",
    ("", "a bc"): "0 0 0 3; 0 0 0 1; 0 0 0 3; 0 0 0 3; 0 0 0 2; 0 0 0 3; 0 0 0 1; 0 0 0 2",
    ("", ""): "; ".join(["0 0 0 0"] * 8),
}


@pytest.mark.parametrize(("texts", "expected"), GOLDEN.items(), ids=" | ".join)
def test_golden(texts, expected):
    counts = count(*map(clusters, texts))
    for metric, row in zip(METRICS, expected.split(";"), strict=True):
        assert parts(getattr(counts, metric)) == close(numbers(row)), metric


# F1 of MUC, B3, φ3 and φ4 from the rows above: 2·num / (sum of denominators) where recall and
# precision share a numerator.
@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("12345 6789ABC", "18/19 32/37 5/6 11/15"),
        ("1234589ABC 67", "18/19 14/19 7/12 2/3"),
        ("123456789ABC", "9/10 6/11 5/12 5/17"),
        ("1 2 3 4 5 6 7 8 9 A B C", "0 2/5 1/4 8/45"),
    ],
)
def test_f1(response, expected):
    got, want = count(clusters(LUO_KEY), clusters(response)), numbers(expected)
    assert (got.muc.f1, got.b_cubed.f1, got.ceafm.f1, got.ceafe.f1) == close(want)
    assert got.conll_f1 == close((want[0] + want[1] + want[3]) / 3)


# Recall, precision, F1 by the official convention, then by Luo et al. 2014.
@pytest.mark.parametrize(
    ("key", "response", "official", "luo2014"),
    [
        # Both link types: (2/9 + 8/12)/2, (2/8 + 8/20)/2, (4/17 + 16/32)/2.
        ("abc defg", "ab cd fghi", "4/9 13/40 25/68", "4/9 13/40 25/68"),
        # Only the response has non-coreferent links: left out, or counted as 0.
        ("abcd", "ab cd", "1/3 1 1/2", "1/6 1/2 1/4"),
        # Only the key has them: counted as 0 in both.
        ("ab cd", "abcd", "1/2 1/6 1/4", "1/2 1/6 1/4"),
        # One type of link on either side.
        ("ab", "ab", "1 1 1", "1 1 1"),
        # No link on one side, or on either.
        ("a", "a b", "0 0 0", "0 0 0"),
        ("a b", "a", "0 0 0", "0 0 0"),
        ("a", "a", "- - -", "1 1 1"),
        ("a", "b", "- - -", "0 0 0"),
        ("a", "", "- - -", "0 0 0"),
        ("", "", "- - -", "- - -"),
    ],
)
def test_blanc_conventions(key, response, official, luo2014):
    counts = count(clusters(key), clusters(response))
    assert counts.blanc() == counts.blanc("official")
    assert tuple(counts.blanc("official")) == close(numbers(official))
    assert tuple(counts.blanc("luo2014")) == close(numbers(luo2014))


def test_blanc_without_links_needs_the_same_mentions_in_every_document():
    same = [(clusters("a"), clusters("a")), (clusters("b"), clusters("b"))]
    other = [(clusters("a"), clusters("")), (clusters(""), clusters("b"))]
    assert score(same).blanc("luo2014") == (1, 1, 1)
    assert score(other).blanc("luo2014") == (0, 0, 0)


@pytest.mark.parametrize(
    ("row", "expected"),
    {"1 2 1 4": "1/2 1/4 1/3", "0 3 0 0": "0 - 0", "0 0 0 5": "- 0 0", "0 0 0 0": "- - -"}.items(),
)
def test_undefined_is_none(row, expected):
    ratio = Ratio(*map(int, row.split()))
    assert (ratio.recall, ratio.precision, ratio.f1) == close(numbers(expected))


def test_conll_f1_is_undefined_without_links():
    assert count(clusters("a b"), clusters("a b")).conll_f1 is None
    assert count((), ()).conll_f1 is None


def test_corpus_divides_last():
    # MUC by hand: 2/3 and 1/1 make 3/4, not the mean 5/6.
    pairs = [(clusters("ABCD"), clusters("AB CD")), (clusters("xy"), clusters("xy"))]
    total = score(iter(pairs))
    assert parts(total.muc) == (3, 4, 3, 3)
    assert total == count(*pairs[0]) + count(*pairs[1])
    assert score([]) == count((), ())


# In another cluster; in the same; nothing left of a cluster; a mention the other side lacks.
@pytest.mark.parametrize(
    ("repeats", "distinct"),
    [("ab bc", "ab c"), ("aab", "ab"), ("ab ba c", "ab c"), ("ab xa xb", "ab x")],
)
def test_repeated_mention_counts_once_in_the_first_cluster(repeats, distinct):
    other = clusters("abc")
    assert count(other, clusters(repeats)) == count(other, clusters(distinct))
    assert count(clusters(repeats), other) == count(clusters(distinct), other)


@pytest.mark.parametrize(
    ("key", "response", "message"),
    [
        ([], [[(0, 1)], [[2, 3]]], r"mention \[2, 3\] in cluster 1 of the response is not hash"),
        ([[([0], 1)]], [], r"mention \(\[0\], 1\) in cluster 0 of the key is not hashable"),
        (None, [], "the key is None, not a sequence of clusters"),
        ([], {"e1": [(0, 1)]}, "the response is .*, not a sequence of clusters"),
        ([3], [], "cluster 0 of the key is 3, not a sequence of mentions"),
        (["ab"], [], "cluster 0 of the key is 'ab', not a sequence of mentions"),
    ],
)
def test_wrong_input_is_named(key, response, message):
    with pytest.raises(TypeError, match=message):
        count(key, response)
    with pytest.raises(TypeError, match=f"document 1: {message}"):
        score([([], []), (key, response)])


def test_misuse_is_an_error():
    with pytest.raises(ValueError, match=r"'perl'.*official, luo2014"):
        count((), ()).blanc("perl")
    with pytest.raises(TypeError, match="unsupported operand"):
        Ratio(0, 0, 0, 0) + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        count((), ()) + 1


def test_import_is_cheap():
    code = "import sys, bwb.corefscores; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# (b) Parity with the test cases of the official scorer 8.01.

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("BWB_SHARED_DATA", ROOT.parent / "shared" / "data"))
OFFICIAL = DATA / "coref" / "coref.json"
NAMES = {name: name for name in ("mentions", "muc", "ceafm", "ceafe", "lea")}  # ours -> theirs
NAMES["b_cubed"] = "bcub"
BLANC_NAMES = {"blanc_coreferent": "blanc_c", "blanc_non_coreferent": "blanc_n"}
needs_official = pytest.mark.skipif(
    not OFFICIAL.is_file(), reason="no coref/coref.json; set BWB_SHARED_DATA"
)


def official_cases():
    if not OFFICIAL.is_file():
        return [pytest.param(None, id="absent")]
    cases = json.loads(OFFICIAL.read_text(encoding="utf-8"))["cases"]
    if len(cases) != 36:
        raise ValueError(f"{OFFICIAL} has {len(cases)} cases, not 36")
    return [pytest.param(case, id=case["id"]) for case in cases]


@needs_official
@pytest.mark.parametrize("case", official_cases())
def test_official_case(case):
    def spans(side):
        return [[tuple(span) for span in cluster] for cluster in side]

    counts = score((spans(d["key"]), spans(d["response"])) for d in case["documents"])
    expected = case["expected"]
    exact = {ours: expected[theirs] for ours, theirs in NAMES.items()}
    exact |= {ours: expected["blanc"][theirs] for ours, theirs in BLANC_NAMES.items()}
    for metric, want in exact.items():
        ratio = getattr(counts, metric)
        exactly = tuple(Fraction(want[name]) for name in ("r_num", "r_den", "p_num", "p_den"))
        assert parts(ratio) == close(exactly), metric
        if metric in NAMES:  # where ours is undefined, theirs is 0
            scores = (ratio.recall or 0.0, ratio.precision or 0.0, ratio.f1 or 0.0)
            assert scores == close(tuple(want[n] for n in ("recall", "precision", "f1"))), metric
    for convention, theirs in (("official", "perl"), ("luo2014", "luo2014")):
        want = tuple(expected["blanc"][theirs][n] for n in ("recall", "precision", "f1"))
        assert tuple(counts.blanc(convention)) == close(want), convention


# (c) The definitions, taken literally, in fractions.


def links(side):
    """Coreferent and non-coreferent pairs of mentions."""
    every = {frozenset(pair) for pair in combinations(set().union(*side), 2)}
    coreferent = {frozenset(pair) for cluster in side for pair in combinations(cluster, 2)}
    return coreferent, every - coreferent


def muc(key, response):
    total = 0
    for k in key:
        matched = [k & r for r in response if k & r]
        alone = k - set().union(*matched)
        total += len(k) - len(matched) - len(alone)
    return total


def b_cubed(key, response):
    # Mention by mention: the share of its key cluster that is in its response cluster.
    return sum(Fraction(len(k & r), len(k)) for k in key for r in response for _ in k & r)


def lea(key, response):
    def link(cluster):
        return len(cluster) * (len(cluster) - 1) // 2

    total = 0
    for k in key:
        if len(k) == 1:
            total += k in response
        else:
            total += len(k) * Fraction(sum(link(k & r) for r in response), link(k))
    return total


PHI = {
    "ceafm": lambda k, r: Fraction(len(k & r)),
    "ceafe": lambda k, r: Fraction(2 * len(k & r), len(k) + len(r)),
}


def ceaf(key, response, phi):
    few, many = sorted((key, response), key=len)
    choices = permutations(many, len(few))
    return max(sum(map(phi, few, choice)) for choice in choices)


def naive(key, response):
    in_key, in_response = set().union(*key), set().union(*response)
    of_key, of_response = len(in_key), len(in_response)

    def ratio(numerator, key_den, response_den):
        return numerator(key, response), key_den, numerator(response, key), response_den

    ratios = {
        "mentions": ratio(lambda *_: len(in_key & in_response), of_key, of_response),
        "muc": ratio(muc, of_key - len(key), of_response - len(response)),
        "b_cubed": ratio(b_cubed, of_key, of_response),
        "ceafm": ratio(partial(ceaf, phi=PHI["ceafm"]), of_key, of_response),
        "ceafe": ratio(partial(ceaf, phi=PHI["ceafe"]), len(key), len(response)),
        "lea": ratio(lea, of_key, of_response),
    }
    for name, k, r in zip(BLANC_NAMES, links(key), links(response), strict=True):
        ratios[name] = (len(k & r), len(k), len(k & r), len(r))
    return ratios


LABELS = st.one_of(st.none(), st.integers(0, 4))


@st.composite
def document(draw):
    """Up to 12 mentions, each in one of 5 clusters or in none, on either side."""
    sides = ({}, {})
    for mention, pair in enumerate(draw(st.lists(st.tuples(LABELS, LABELS), max_size=12))):
        for side, label in zip(sides, pair, strict=True):
            if label is not None:
                side.setdefault(label, []).append(mention)
    return tuple([side[label] for label in sorted(side)] for side in sides)


@settings(max_examples=300, deadline=None)
@given(document())
def test_counts_are_those_of_the_definitions(pair):
    counts = count(*pair)
    key, response = ([set(cluster) for cluster in side] for side in pair)
    for metric, exactly in naive(key, response).items():
        assert parts(getattr(counts, metric)) == close(exactly), metric


def test_alignment_by_component_is_the_alignment_of_the_whole():
    rng = random.Random(0)
    for spread in (40, 200, 800):  # from one large component to many small ones
        sides = [[set() for _ in range(spread)] for _ in range(2)]
        for mention in range(600):
            label = rng.randrange(spread)
            sides[0][label].add(mention)
            sides[1][rng.choice([label, label, rng.randrange(spread)])].add(mention)
        key, response = ([cluster for cluster in side if cluster] for side in sides)
        counts = count([sorted(k) for k in key], [sorted(r) for r in response])
        for metric, phi in PHI.items():
            matrix = np.array([[float(phi(k, r)) for r in response] for k in key])
            best = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
            assert getattr(counts, metric).recall_num == pytest.approx(best)


# (d) Properties.


@settings(max_examples=200, deadline=None)
@given(document())
def test_key_against_itself_is_perfect(pair):
    for side in pair:
        counts = count(side, side)
        for metric in METRICS:
            ratio = getattr(counts, metric)
            assert {ratio.recall, ratio.precision, ratio.f1} in ({1.0}, {None}), metric
        perfect = {1.0} if side else {None}
        assert {counts.b_cubed.f1, counts.ceafm.f1, counts.ceafe.f1, counts.lea.f1} == perfect
        assert set(counts.blanc("luo2014")) == perfect
        assert counts.conll_f1 == (None if counts.muc.f1 is None else 1.0)


@settings(max_examples=200, deadline=None)
@given(document())
def test_swapping_sides_exchanges_recall_and_precision(pair):
    key, response = pair
    there, back = count(key, response), count(response, key)
    for metric in METRICS:
        a, b, c, d = parts(getattr(back, metric))
        assert parts(getattr(there, metric)) == close((c, d, a, b)), metric
        assert getattr(there, metric).f1 == close(getattr(back, metric).f1), metric
    recall, precision, f1 = back.blanc("luo2014")
    assert tuple(there.blanc("luo2014")) == close((precision, recall, f1))


@settings(max_examples=200, deadline=None)
@given(document(), st.randoms(use_true_random=False))
def test_order_is_irrelevant_without_repeats(pair, rng):
    shuffled = [rng.sample([rng.sample(c, len(c)) for c in side], len(side)) for side in pair]
    left, right = count(*shuffled), count(*pair)
    for metric in METRICS:
        assert parts(getattr(left, metric)) == close(parts(getattr(right, metric))), metric
