"""N-grams of runs: put together from sentences, they are those of the joined sentences."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.align.bleualign_grams import Grams, Side
from bwb.align.bleualign_score import Alternatives, best_path

sentences = st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=1, max_size=4)


def runs(texts):
    """All runs of consecutive sentences."""
    n = len(texts)
    return [tuple(range(a, b)) for a in range(n) for b in range(a + 1, n + 1)]


def counted(src, left, tgt, right, orders):
    """Clipped matches, by joining the sentences."""
    joined = [t for i in left for t in src[i]], [t for j in right for t in tgt[j]]
    bags = [
        [Counter(tuple(side[i : i + k]) for i in range(len(side) - k + 1)) for side in joined]
        for k in range(1, orders + 1)
    ]
    return [(a & b).total() for a, b in bags]


def sides(src, tgt, orders):
    grams = Grams(src, tgt, orders)
    return Side(grams, target=False), Side(grams, target=True)


@settings(deadline=None)  # the first call imports numpy
@given(src=sentences, tgt=sentences, orders=st.integers(1, 4))
def test_features_of_runs_match_as_often_as_their_n_grams(src, tgt, orders):
    one, other = sides(src, tgt, orders)
    for left in runs(src):
        assert one.length(left) == sum(len(src[i]) for i in left)
        for right in runs(tgt):
            pairs = zip(one.features(left), other.features(right), strict=True)
            assert [len(a & b) for a, b in pairs] == counted(src, left, tgt, right, orders)


@given(src=sentences, tgt=sentences, orders=st.integers(1, 4))
def test_what_a_run_shares_is_put_together_from_what_its_sentences_share(src, tgt, orders):
    one, other = sides(src, tgt, orders)
    left = tuple(range(len(src)))
    given_features = one.features(left)

    def shared(run):
        if len(run) == 1:
            pairs = zip(given_features, other.features(run), strict=True)
            return tuple(a & b for a, b in pairs)
        return other.merged(shared(run[:-1]), shared(run[-1:]), run, given_features)

    for right in runs(tgt):
        assert [len(x) for x in shared(right)] == counted(src, left, tgt, right, orders)


@given(src=sentences, tgt=sentences, orders=st.integers(1, 3), data=st.data())
def test_matches_of_runs_with_holes(src, tgt, orders, data):
    one, other = sides(src, tgt, orders)
    left, right = (
        tuple(sorted(data.draw(st.sets(st.integers(0, len(x) - 1), min_size=1))))
        for x in (src, tgt)
    )
    assert one.matches(left, other, right) == counted(src, left, tgt, right, orders)


@given(src=sentences, tgt=sentences, orders=st.integers(1, 3))
def test_runs_that_share_an_n_gram_have_a_holder(src, tgt, orders):
    one, other = sides(src, tgt, orders)
    holders = other.holders()
    for left in runs(src):
        held = {j for gram in one.features(left)[-1] for j in holders.get(gram, ())}
        for right in runs(tgt):
            if counted(src, left, tgt, right, orders)[-1]:
                assert not held.isdisjoint(right)


def test_only_what_both_sides_have_is_kept():
    one, other = sides([[1, 2, 3, 1]], [[1, 2], [4, 1, 1]], 2)
    assert [len(x) for x in one.features((0,))] == [3, 1]  # 1, 2 and 1 again; 1 2
    assert [len(x) for x in other.features((0, 1))] == [4, 1]
    assert other.holders() == {0: [0]}


def test_a_line_of_one_token_is_quick():
    line = [7] * 3000
    one, other = sides([line, line], [line, line], 2)
    assert [len(x) for x in other.features((0, 1))] == [6000, 5999]
    assert [len(x) for x in one.merged(one.features((0,)), one.features((1,)), (0, 1))] == [
        6000,
        5999,
    ]


def test_masks():
    masks = Grams([[5, 1], []], [[1, 5, 5], [1], []], 1).masks
    assert masks[0] == masks[2] != masks[3]
    assert masks[1] == masks[4] == 0


def table_path(rows, targets):
    """The path as Bleualign's rule has it: from above, from the left, the match."""
    best = [[0.0] * (targets + 1) for _ in range(len(rows) + 1)]
    moves = {}
    for i, row in enumerate(rows):
        for j in range(targets):
            value, move = best[i][j + 1], "above"
            if best[i + 1][j] > value:
                value, move = best[i + 1][j], "left"
            if best[i][j] + row.get(j, 0.0) > value:
                value, move = best[i][j] + row[j], "match"
            best[i + 1][j + 1], moves[i, j] = value, move
    i, j, out = len(rows) - 1, targets - 1, []
    while i >= 0 and j >= 0:
        move = moves[i, j]
        if move == "match":
            out.append((i, j))
        i, j = i - (move != "left"), j - (move != "above")
    return out[::-1]


@given(
    targets=st.integers(0, 7),
    rows=st.lists(
        st.dictionaries(st.integers(0, 6), st.sampled_from([0.25, 0.5, 1.0])), max_size=7
    ),
)
def test_the_path_breaks_ties_by_the_rule(targets, rows):
    import numpy as np

    rows = [{j: s for j, s in sorted(row.items()) if j < targets} for row in rows]
    found = Alternatives(
        np.cumsum([0, *(len(row) for row in rows)]),
        np.array([j for row in rows for j in row], dtype=np.int64),
        np.array([s for row in rows for s in row.values()], dtype=np.float64),
    )
    links = best_path(found, targets)
    assert links == table_path(rows, targets)
    assert all(type(k) is int for link in links for k in link)
