"""Docstrings as Markdown."""

from __future__ import annotations

import pytest


@pytest.fixture
def markdown(sitegen):
    from sitegen.text import markdown

    return markdown


def test_running_text_is_taken_literally(markdown):
    assert markdown("a * b*c*d, t_z and <Q> [x]") == ("a \\* b\\*c\\*d, t\\_z and &lt;Q> \\[x\\]\n")
    assert markdown("sentence *k* is *very long*") == "sentence *k* is *very long*\n"


def test_code_stays_code_also_over_a_line_end(markdown):
    assert markdown("``a_b`` and `c\nd` too") == "`a_b` and `c d` too\n"


def test_names_are_linked_where_they_have_a_page(markdown):
    pages = {"bwb.metrics.bleu": "bleu.md"}
    assert markdown("See `bwb.metrics.bleu`, `x`.", pages.get) == (
        "See [`bwb.metrics.bleu`](bleu.md), `x`.\n"
    )


def test_what_is_indented_after_a_blank_line_is_a_formula(markdown):
    assert markdown("With\n\n    P = a * b\n\nwhere") == (
        "With\n\n```text\nP = a * b\n```\n\nwhere\n"
    )


def test_what_is_set_in_columns_is_code(markdown):
    assert markdown("bwb x      one\nbwb x y    two") == (
        "```text\nbwb x      one\nbwb x y    two\n```\n"
    )


def test_what_is_indented_under_a_line_is_a_section(markdown):
    assert markdown("Variants\n    one is this.\n\n    - a\n    - b\n\nAfter") == (
        "**Variants**\n\none is this.\n\n- a\n- b\n\nAfter\n"
    )


def test_lists_with_long_items(markdown):
    assert markdown("Two:\n- a\n  more\n- b") == "Two:\n\n- a more\n- b\n"


def test_cells_hold_no_bars(sitegen):
    from sitegen.text import cell, table

    assert cell("|O| / (|O| + |P|)\nfoo") == "&#124;O&#124; / (&#124;O&#124; + &#124;P&#124;) foo"
    assert table(["a"], [["b"]]) == "| a |\n| --- |\n| b |"


def test_a_number_at_the_beginning_of_a_line_makes_no_list(markdown):
    assert markdown("it can exceed\n1. Then") == "it can exceed 1. Then\n"
    assert markdown("- it can exceed\n  1. Then\n- b") == "- it can exceed 1. Then\n- b\n"
    assert markdown("First:\n1. a\n2. b") == "First:\n\n1. a\n2. b\n"
