"""Grids, graphs and chains, by hand and against the definitions by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.metrics.grids import LineReader, chain_overlap, connections, grid, merged

ROWS = st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=6)


class TestLines:
    def test_nouns_and_content_words(self):
        (line,) = LineReader().read(["The boats were not in the old harbour."])
        assert line.nouns == ("boat", "harbour")
        assert line.places == (1, 7)
        assert line.content == ("boat", "old", "harbour")
        assert not line.blank

    def test_case(self):
        text = "Wen Xi lit the lamp."
        assert LineReader().read([text])[0].nouns == ("wen", "xi", "lamp")
        assert LineReader(fold=False).read([text])[0].nouns == ("Wen", "Xi", "lamp")

    @pytest.mark.parametrize("text", ["", "  ", "\n"])
    def test_a_line_without_text(self, text):
        (line,) = LineReader().read([text])
        assert (line.nouns, line.content, line.blank) == ((), (), True)

    def test_marks_are_no_words_whatever_their_tag(self):
        (line,) = LineReader().read(["— — “ ” ~ * ※ —"])
        assert (line.nouns, line.content, line.blank) == ((), (), False)


class TestGraphs:
    def test_by_hand(self):
        # boat in 0 and 2, twice in 0; lamp in 1 and 2; rain in 2 and 0.
        words = grid([["boat", "boat", "rain"], ["lamp"], ["boat", "lamp", "rain"]])
        assert words == {"boat": [0, 0, 2], "rain": [0, 2], "lamp": [1, 2]}
        expected = np.zeros((3, 3))
        expected[0, 2], expected[1, 2] = 1 / 2, 1
        assert (connections(words.values(), 3) == expected).all()
        expected[0, 2] = 2 / 2
        assert (connections(words.values(), 3, "w") == expected).all()

    @given(ROWS)
    def test_by_brute_force(self, rows):
        words = grid(rows)
        for edges in ("u", "w"):
            found = connections(words.values(), len(rows), edges)
            for i, one in enumerate(rows):
                for j, other in enumerate(rows):
                    shared = len(set(one) & set(other))
                    weight = min(shared, 1) if edges == "u" else shared
                    assert found[i, j] == pytest.approx(weight / (j - i) if i < j else 0)

    @given(ROWS)
    def test_the_unweighted_graph_has_no_heavier_edges_and_the_same_ones(self, rows):
        words = grid(rows)
        one, other = (connections(words.values(), len(rows), edges) for edges in ("u", "w"))
        assert (one <= other).all()
        assert ((one > 0) == (other > 0)).all()

    def test_without_nouns_or_sentences(self):
        assert connections([], 2).tolist() == [[0, 0], [0, 0]]
        assert connections([], 0).shape == (0, 0)

    def test_merged_words_are_one(self):
        words = grid([["boat"], ["ship"], ["lamp"]])
        groups = merged(words, {"boat": 0, "ship": 0, "lamp": 2})
        assert groups == {0: [0, 1], 2: [2]}


class TestChains:
    REFERENCE = grid([["boat", "lamp"], ["boat"], ["boat", "lamp"], ["rain"]])

    def test_by_hand(self):
        # Chains are boat (lines 0, 2: 2 of the reference's 3) and rain (no chain there); lamp is
        # in one line only.
        system = grid([["boat", "rain"], ["lamp", "lamp"], ["boat"], ["rain"]])
        assert chain_overlap(system, self.REFERENCE) == pytest.approx((2 / 3 + 0) / 2)
        assert chain_overlap(system, self.REFERENCE, by_chains=False) == pytest.approx(2 / 3)

    @given(ROWS)
    def test_a_text_has_its_own_chains(self, rows):
        words = grid(rows)
        chains = sum(len(set(lines)) > 1 for lines in words.values())
        assert chain_overlap(words, words) == (1 if chains else None)
        assert chain_overlap(words, words, by_chains=False) == (chains or None)

    def test_without_chains(self):
        assert chain_overlap(grid([["boat"], ["rain"]]), self.REFERENCE) is None
        assert chain_overlap(self.REFERENCE, {}) == 0
