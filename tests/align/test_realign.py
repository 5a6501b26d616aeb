from __future__ import annotations

import argparse
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.align import realign_mwer
from bwb.align.realign import realign
from bwb.align.realign_search import Settings, best_spans, cut_windows
from bwb.align.realign_text import CUT_END, CUT_NEVER, CUT_WORD, rarity, tokenize
from bwb.cli import realign as command
from bwb.errors import InputError, MissingDependencyError

REFERENCE = [
    "The ferry left the pier before dawn.",
    "“Where are we going?” asked Lin Xi.",
    "Nobody in the cabin would answer her, and the lantern swung.",
    "By noon the fog had eaten the whole river.",
    "Old Tao counted his seven coins again.",
]
OUTPUT = [
    "Before dawn the ferry left its pier.",
    '"Where is it we are going?" Lin Xi asked.',
    "No one in the cabin answered, and the lantern kept swinging.",
    "The fog had swallowed all of the river by noon.",
    "Once more Old Tao counted the seven coins.",
]


def letters(text):
    return "".join(text.split())


@pytest.mark.parametrize("joint", [" ", "\n", "\n\n", "  "])
def test_one_paragraph(joint):
    found = realign(joint.join(OUTPUT), REFERENCE)
    assert list(found.lines) == OUTPUT
    assert (found.missing, found.additions) == ((), ())
    assert all(0 < piece.score < 1 for piece in found.pieces)


def test_merged_sentences_are_cut():
    text = (
        'Before dawn the ferry left its pier and "Where is it we are going?" Lin Xi asked, no one '
        "in the cabin answered, and the lantern kept swinging. The fog had swallowed all of the "
        "river by noon; once more Old Tao counted the seven coins."
    )
    found = realign(text, REFERENCE)
    assert [line.split()[0] for line in found.lines][2:] == ["no", "The", "once"]
    assert found.lines[1].endswith("Lin Xi asked,")
    assert letters("".join(found.lines)) == letters(text)


def test_split_sentences_are_joined():
    text = " ".join(OUTPUT).replace("answered, and the", "answered. The")
    found = realign(text, REFERENCE)
    assert found.lines[2] == "No one in the cabin answered. The lantern kept swinging."


@pytest.mark.parametrize("gone", [[0], [2], [4], [1, 2], [0, 4], [0, 1, 2, 3]])
def test_dropped_sentences_are_missing(gone):
    text = " ".join(line for k, line in enumerate(OUTPUT) if k not in gone)
    found = realign(text, REFERENCE)
    assert list(found.missing) == gone
    assert list(found.lines) == ["" if k in gone else line for k, line in enumerate(OUTPUT)]


@pytest.mark.parametrize("place", range(6))
def test_added_text_is_kept_and_reported(place):
    extra = "Translator's note: please support this site by subscribing today."
    text = " ".join([*OUTPUT[:place], extra, *OUTPUT[place:]])
    found = realign(text, REFERENCE)
    (added,) = found.additions
    assert text[added.start : added.end].strip() == extra
    assert added.sentence == max(place - 1, 0)
    assert found.missing == ()
    assert extra in found.lines[added.sentence]


def test_what_stands_in_place_of_a_sentence_is_doubtful():
    text = " ".join([*OUTPUT[:2], "Buy cheap umbrellas!", *OUTPUT[3:]])
    found = realign(text, REFERENCE)
    doubtful = [piece.sentence for piece in found.doubtful]
    assert [*found.missing, *doubtful] == [2]
    assert realign(" ".join(OUTPUT), REFERENCE).doubtful == ()


def test_chinese():
    reference = ["天还没亮，渡船就离了码头。", "“我们去哪儿？”林溪问。", "雾在正午前吞没了整条河。"]
    output = ["渡船天亮以前离开码头。", "林溪问：“我们要去哪里？”", "正午之前，大雾吞掉了整条河。"]
    assert list(realign("".join(output), reference).lines) == output
    assert list(realign(output[0] + output[2], reference).lines) == [output[0], "", output[2]]


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_empty_output_misses_everything(text):
    found = realign(text, REFERENCE)
    assert found.lines == ("",) * 5
    assert found.missing == (0, 1, 2, 3, 4)


def test_strange_input():
    with pytest.raises(InputError, match="no sentences"):
        realign("text", [])
    assert realign("one two three", [""]).lines == ("one two three",)
    assert letters("".join(realign("。。。!!", ["a", "", "b"]).lines)) == "。。。!!"
    assert len(realign("a b", ["x"] * 50).lines) == 50


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ab .,\"'“”\n中文。é\u0301", max_size=60),
    st.lists(st.text(alphabet='ab .,"“中。', max_size=12), min_size=1, max_size=6),
)
def test_nothing_is_lost(output, reference):
    found = realign(output, reference)
    assert len(found.lines) == len(reference)
    assert letters("".join(found.lines)) == letters(output)
    assert all("\n" not in line for line in found.lines)
    ends = [piece.end for piece in found.pieces]
    if found.pieces:
        assert [piece.start for piece in found.pieces] == [0, *ends[:-1]]
        assert ends[-1] == len(output)
    paired = [piece.sentence for piece in found.pieces if not piece.added]
    assert paired == sorted(set(paired))
    assert sorted(set(paired) | set(found.missing)) == list(range(len(reference)))


def brute_force(hyp, refs, weights, config):
    """The best value over all ways to cut, by the definition, without a window."""
    from functools import cache

    size = len(hyp.starts)

    def counts(features):
        out = {}
        for token in features:
            for name, share in token:
                out.setdefault(name, []).append(share * weights.get(name, 0.0))
        return out

    wanted = [counts(ref.features) for ref in refs]

    def gain(k, i, j):
        have = counts(hyp.features[i:j])
        shared = 0.0
        for name, shares in wanted[k].items():
            mean = sum(shares) / len(shares)
            shared += mean * min(len(shares), len(have.get(name, ())))
        inside = sum(hyp.cuts[p] == CUT_END for p in range(i + 1, j))
        ends = sum(cut == CUT_END for cut in refs[k].cuts[1:-1])
        a, b = sum(hyp.sizes[i:j]), sum(refs[k].sizes)
        length = min(config.length * (a - b) ** 2 / (a + b + 1), config.length_bound)
        edges = (hyp.features[i][0][0] == refs[k].features[0][0][0]) + (
            hyp.features[j - 1][0][0] == refs[k].features[-1][0][0]
        )
        return shared - config.ends * abs(inside - ends) - length + config.edge * edges

    def cut(j):
        return config.cut * hyp.cuts[j]

    @cache
    def best(k, i, may_add):
        values = [-float("inf")]
        if may_add:
            values += [best(k, j, False) - config.add - cut(j) for j in range(i + 1, size + 1)]
        if k == len(refs):
            values.append(0.0 if i == size else -float("inf"))
        else:
            values.append(best(k + 1, i, True) - config.skip)
            values += [
                gain(k, i, j) - cut(j) + best(k + 1, j, True) for j in range(i + 1, size + 1)
            ]
        return max(values)

    def value(spans):
        total = 0.0
        for i, j, k, added in spans:
            total += (-config.add if added else gain(k, i, j)) - cut(j)
        return total - config.skip * (len(refs) - sum(not s[3] for s in spans))

    return best(0, 0, True), value


@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_the_best_of_all_ways(seed):
    rows = [OUTPUT[(seed + k) % 5] for k in range(2 + seed % 2)]
    hyp = tokenize(" ".join(rows)[: 60 + 9 * seed])
    refs = [tokenize(REFERENCE[(seed + k) % 5]) for k in range(3)]
    weights = rarity(refs)
    for config in (Settings(), Settings(skip=0.2, add=0.1, length=0.3, ends=1, edge=1, cut=0.1)):
        best, value = brute_force(hyp, refs, weights, config)
        assert value(best_spans(hyp, refs, weights, config)) == pytest.approx(best)


def test_windows_hold_on_to_anchors():
    reference = [f"Word{k} stands alone in sentence{k} here." for k in range(200)]
    refs, hyp = [tokenize(line) for line in reference], tokenize(" ".join(reference))
    windows = cut_windows(hyp, refs, Settings())
    place = 0
    for ref, (low, high) in zip([*refs, refs[0]], windows, strict=True):
        assert low <= place <= high
        assert high - low < 140
        place += len(ref.starts)
    assert list(realign(hyp.text, reference).lines) == reference


def test_without_anchors_the_window_is_bounded():
    refs = [tokenize("the the a the a") for _ in range(100)]
    hyp = tokenize("a the " * 300)
    config = Settings(widest=60)
    windows = cut_windows(hyp, refs, config)
    assert max(high - low for low, high in windows[1:-1]) <= 120
    assert best_spans(hyp, refs, rarity(refs), config)[-1][1] == 600


def test_a_sentence_may_be_far_longer_than_its_reference():
    """Its first and last words hold the windows of both its cuts, with much between them."""
    words = [[f"w{k}x{n}" for n in range(16)] for k in range(3)]
    reference = [" ".join(some) + "." for some in words]
    middle = " ".join([*words[1][:8], *["filler"] * 400, *words[1][8:]]) + "."
    found = realign(" ".join((reference[0], middle, reference[2])), reference)
    assert list(found.lines) == [reference[0], middle, reference[2]]


def test_a_text_of_few_words():
    """Nothing is unique; what is missing is found all the same."""
    stock = [f"The {a} was {b}." for a in ("boat", "lamp", "man") for b in ("old", "cold")]
    reference = [stock[(7 * k + k // 5) % 6] for k in range(60)]
    gone = {11, 30, 31, 52}
    found = realign(" ".join(x for k, x in enumerate(reference) if k not in gone), reference)
    assert len(found.missing) == len(gone)
    assert all(line in (x, "") for line, x in zip(found.lines, reference, strict=True))


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("He left. She", [0, CUT_WORD, CUT_NEVER, CUT_END, 0]),
        ("3.5 m", [0, CUT_NEVER, CUT_WORD, CUT_WORD, 0]),
        ("a b\nc", [0, CUT_WORD, CUT_END, 0]),
        ("走。来", [0, CUT_NEVER, CUT_END, 0]),
    ],
)
def test_costs_of_cuts(text, cuts):
    assert list(tokenize(text).cuts) == cuts


def test_a_quote_is_not_cut_from_its_sentence():
    text = tokenize('"Go!" he said. "Now!"')
    cheap = [text.starts[k] for k, cut in enumerate(text.cuts[:-1]) if k and cut == CUT_END]
    assert [text.text[place:] for place in cheap] == ['"Now!"']


def test_as_good_as_mweralign_on_a_chapter(repository):
    if not realign_mwer.available():
        pytest.skip("mweralign is not installed")
    got = realign_mwer.realign_mwer(" ".join(OUTPUT), REFERENCE)
    ours = realign(" ".join(OUTPUT), REFERENCE).lines
    right = [sum(a == b for a, b in zip(x, OUTPUT, strict=True)) for x in (ours, got)]
    assert right[0] >= right[1]
    assert letters("".join(got)) == letters("".join(OUTPUT))
    assert realign_mwer.realign_mwer(" ", REFERENCE) == [""] * 5


def test_without_mweralign_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(realign_mwer, "available", lambda: False)
    with pytest.raises(MissingDependencyError, match="pip install 'mweralign'"):
        realign_mwer.realign_mwer("a", ["a"])
    assert "mweralign" not in sys.modules or realign("a", ["a"]).lines == ("a",)


def call(capsys, *arguments):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    code = command.run(parser.parse_args([str(argument) for argument in arguments]))
    return code, capsys.readouterr().out


def test_the_command(capsys, tmp_path):
    hyp, ref, out = (tmp_path / name for name in ("h.txt", "r.txt", "o.txt"))
    extra = "Please subscribe to read more chapters."
    hyp.write_text(" ".join([OUTPUT[0], extra, OUTPUT[1], *OUTPUT[3:]]), "utf-8")
    ref.write_text("\n".join(REFERENCE) + "\n", "utf-8")
    code, text = call(capsys, hyp, ref, "--out", out, "--json")
    body = json.loads(text)
    assert code == 0
    assert (body["lines"], body["empty"], body["missing"]) == (5, 1, [2])
    assert [a["text"].strip() for a in body["additions"]] == [extra]
    assert body["scores"][2] is None
    assert out.read_text("utf-8").split("\n") == [
        f"{OUTPUT[0]} {extra}",
        OUTPUT[1],
        "",
        *OUTPUT[3:],
        "",
    ]
    assert REFERENCE[2] in call(capsys, hyp, ref, "--out", out)[1]
    with pytest.raises(InputError, match="absent"):
        call(capsys, tmp_path / "absent", ref, "--out", out)
