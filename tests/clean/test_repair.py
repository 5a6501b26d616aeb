"""Damage within a line that can be undone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.clean.repair import repair

STORY = "照晚寺的钟又响了，“谁也不敢再往下数”——他说。"
ENGLISH = "“The bell’s rung,” he said… “It’s the café’s bell — naïve, isn’t it?”"


@pytest.mark.parametrize(
    ("line", "repaired", "reasons"),
    [
        ("天\u200b黑\ufeff了。\u00ad", "天黑了。", ["invisible"]),
        ("\u202eIt was dark.\u200f", "It was dark.", ["invisible"]),
        ("It was\x00 dark\x1b.", "It was dark.", ["invisible"]),
        ("天\ue123黑了。\U000f1234", "天黑了。", ["private-use"]),
        ("\u3000\u3000天黑了。", "天黑了。", ["space"]),
        ("It  was\tdark.\u2028So it was.", "It was dark. So it was.", ["space"]),
        ("It&nbsp;was &quot;dark&quot; &amp; cold.", 'It was "dark" & cold.', ["entity", "space"]),
        ("&amp;ldquo;Go!&amp;rdquo; &#8230;", "“Go!” …", ["entity"]),
        ("It was dark.<br/>So it was.<p>", "It was dark. So it was.", ["markup"]),
        ("\u200b", "", ["invisible"]),
        ("", "", []),
    ],
)
def test_what_is_repaired(line, repaired, reasons):
    assert repair(line) == (repaired, reasons)
    assert repair(repaired) == (repaired, [])


@pytest.mark.parametrize("text", [STORY, ENGLISH, "雾散了。"])
def test_utf_8_read_as_something_else(text):
    # Browsers read the five bytes that windows-1252 leaves free as control characters.
    read = "".join(
        chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes([byte]).decode("cp1252")
        for byte in text.encode()
    )
    assert repair(read) == (text, ["mojibake"])


@pytest.mark.parametrize(
    "line",
    [
        STORY,
        ENGLISH,
        "‘It’s late,’ she said—‘too late.’",
        "She said “café” and “à la carte”, then “é”.",
        "鄂尔多斯、鐨锛二字，他都不认得。",
        "AT&T; and R&B; 3 < 5 > 2; <System> [Ding!]",
        "<i am not a tag>",
        "（全角ＡＢＣ，１２３！？）",
        "Ünïcödé naïveté: Ångström’s “â”",
        "ﬁne — … “‘nested’”",
        "Ô Ã ð",
    ],
)
def test_what_is_well_stays(line):
    assert repair(line) == (line, [])


@given(st.text(max_size=80))
def test_a_repaired_line_is_one_clean_line(text):
    line, reasons = repair(text)
    assert "\n" not in line
    assert line == " ".join(line.split())
    assert bool(reasons) == (line != text)
