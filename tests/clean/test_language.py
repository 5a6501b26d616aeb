"""Telling the language of a text."""

from __future__ import annotations

import json

import pytest

from bwb.annotations.inline import strip_tags
from bwb.assets import sample
from bwb.clean.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("照晚寺的钟又响了，谁也不敢数下去。", "zh"),
        ("鐘聲響了，誰也不敢數下去。", "zh"),
        ("他打开Windows，登录QQ，发了一封email。", "zh"),
        ("The bell rang again, and nobody dared to count.", "en"),
        ("“You can talk?” she blurted, and he said nothing to her.", "en"),
        ("Wei Zhenxi of the Frostbough Sect drew her sword.", "en"),
        ("Die Glocke läutete wieder, und niemand wagte zu zählen.", "other"),
        ("Der Mann war in der Stadt und hat es nicht gesehen.", "other"),
        ("La cloche sonna encore, et personne n’osa compter.", "other"),
        ("Le vieil homme ne disait rien, et il est parti dans la nuit.", "other"),
        ("Chuông lại vang lên, và không một người nào dám đếm.", "other"),
        ("El viejo no dijo nada y se fue por la noche.", "other"),
        ("鐘がまた鳴り、誰も数えようとはしなかった。", "other"),
        ("종이 다시 울렸고, 아무도 감히 세지 못했다.", "other"),
        ("Колокол зазвонил снова, и никто не смел считать.", "other"),
        ("Zhong sheng you xiang le, shui ye bu gan shu xia qu, ta shuo de shi ni.", "other"),
        ("钟", None),
        ("“No.”", None),
        ("", None),
        ("12345 67890 !!!", None),
        ("Port Wangshu", None),
    ],
)
def test_languages(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_sample_is_in_its_languages(lang):
    told = wrong = 0
    for path in sorted(sample().glob(f"*/*.{lang}.an.txt")):
        text = strip_tags(path.read_text(encoding="utf-8"))
        assert language_of(text) == lang
        for line in text.splitlines():
            told += language_of(line) is not None
            wrong += language_of(line) not in (lang, None)
    assert told > 150
    assert wrong <= told * (0.01 if lang == "zh" else 0.08)


def test_a_long_text_is_told_by_its_pieces():
    english, chinese = "It was dark and nobody was there. " * 200, "天黑了，没有人在那里。" * 400
    assert language_of(english) == "en"
    assert language_of(chinese + "The end of it.") == "zh"
    # A chapter of which a third was translated.
    assert language_of(english[:2000] + chinese[:4000] + chinese[:4000]) == "zh"


def test_published_novels(shared_data):
    rows = (shared_data / "mac" / "mac-dev.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, rows):
        assert language_of("\n".join(row["src"])) == "zh"
        assert language_of("\n".join(row["tgt"])) == "en"
        told = [language_of(line) for line in row["tgt"]]
        assert told.count("other") <= 0.05 * len(told)
