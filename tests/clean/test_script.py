"""Telling traditional from simplified characters."""

from __future__ import annotations

from bwb.clean.script import simplify, simplify_lines, traditional_share

TRADITIONAL = ["鐘聲響了，誰也不敢數下去。", "「誰？」", "他點起燈，走進門裡。", "天亮了。"]
SIMPLIFIED = ["钟声响了，谁也不敢数下去。", "「谁？」", "他点起灯，走进门里。", "天亮了。"]


def test_shares():
    assert traditional_share("".join(TRADITIONAL)) == 1.0
    assert traditional_share("".join(SIMPLIFIED)) == 0.0
    assert traditional_share("天亮了。") is None
    assert traditional_share("Nothing here.") is None
    # At home in both scripts.
    for text in ("皇后", "乾隆", "于是", "著名", "瞭望", "沈乾"):
        assert traditional_share(text) in (None, 0.0), text


def test_a_traditional_chapter_is_converted():
    assert simplify_lines(TRADITIONAL) == tuple(SIMPLIFIED)
    assert simplify("\n".join(TRADITIONAL)) == "\n".join(SIMPLIFIED)


def test_a_simplified_chapter_is_not():
    assert simplify_lines(SIMPLIFIED) is None
    assert simplify_lines([*SIMPLIFIED, "他姓沈，名乾，字徵羽。"]) is None
    assert simplify_lines(["The bell rang."]) is None
    assert simplify_lines([]) is None


def test_a_mixed_chapter_comes_out_in_one_script():
    lines = [*SIMPLIFIED, *SIMPLIFIED, TRADITIONAL[0], "“鐘！”"]
    made = simplify_lines(lines)
    # One traditional character in a simplified chapter may be a name.
    assert made == (*SIMPLIFIED, *SIMPLIFIED, SIMPLIFIED[0], "“鐘！”")
    made = simplify_lines([*TRADITIONAL, SIMPLIFIED[0], "乾坤"])
    assert made == (*SIMPLIFIED, SIMPLIFIED[0], "乾坤")


def test_too_little_to_tell():
    assert simplify_lines(["鐘"]) is None
    assert simplify_lines(["他們走了。"]) is None
    assert simplify_lines(["他們走了，鐘聲響了。"]) == ("他们走了，钟声响了。",)
