from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.align.base import AlignmentError, SentenceLink, check_links, cover
from bwb.align.linkfile import parse_link, read_links, write_links
from bwb.errors import FormatError


def links(*texts):
    return [parse_link(text) for text in texts]


def test_an_alignment_passes():
    check_links(links("[0, 1]:[0]", "[]:[1]", "[2]:[2, 3]", "[3]:[]"), 4, 4)
    check_links([], 0, 0)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (["[0]:[0]"], "1:1 sentences are linked, there are 2:2"),
        (["[0]:[0]", "[0, 1]:[1]"], r"link 2 .* source sentences \[0, 1\], expected \[1, 2\]"),
        (["[0]:[1]", "[1]:[0]"], "link 1 .* target"),
        (["[0, 1]:[0, 1]", "[]:[]"], "link 2 is empty"),
        (["[0]:[0]", "[1]:[1]", "[2]:[]"], "3:2 sentences"),
    ],
)
def test_what_is_no_alignment_is_refused(found, message):
    with pytest.raises(AlignmentError, match=message):
        check_links(links(*found), 2, 2)


@given(st.data())
def test_covering_adds_what_is_missing_and_nothing_else(data):
    whole, at = [], [0, 0]
    for _ in range(data.draw(st.integers(0, 6))):
        sizes = data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any))
        sides = [tuple(range(a, a + n)) for a, n in zip(at, sizes, strict=True)]
        whole.append(SentenceLink(sides[0], sides[1]))
        at = [a + n for a, n in zip(at, sizes, strict=True)]
    kept = [x for x in whole if x.src and x.tgt and data.draw(st.booleans())]
    covered = cover(kept, *at)
    check_links(covered, *at)
    assert [x for x in covered if x.method != "null"] == kept


def test_link_files(tmp_path):
    found = links("[0, 1]:[0]", "[]:[1]")
    write_links(found, tmp_path / "x.links")
    assert (tmp_path / "x.links").read_text("utf-8") == "[0, 1]:[0]\n[]:[1]\n"
    assert read_links(tmp_path / "x.links") == found
    assert parse_link("[3]:[4,5]:0.25") == SentenceLink((3,), (4, 5), 0.25)
    (tmp_path / "x.links").write_text("[0]:[0]\n0-0\n", "utf-8")
    with pytest.raises(FormatError, match=r"x\.links:2:1: '0-0'; expected a link"):
        read_links(tmp_path / "x.links")
