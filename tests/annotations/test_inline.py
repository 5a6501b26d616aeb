from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations.inline import read_inline, strip_tags
from bwb.annotations.inline_writer import write_inline
from bwb.errors import FormatError, InputError
from bwb.records import LAYERS, Mention, Quote, Side, Span


def read(*lines, strict=True, lang="en"):
    return read_inline(lines, lang, file="f.txt", strict=strict)


def mention(side, number=0):
    found = side.mentions[number]
    return (found.text, found.type, found.entity, found.term, found.form, found.omitted)


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("<PER, T, 1>{Wen Xi} ran.", "Wen Xi ran.", ("Wen Xi", "PER", "1", True, None, False)),
        ("<FAC, N, 2>{码头}上", "码头上", ("码头", "FAC", "2", False, None, False)),
        ("<VEH, ?, x>{It}", "It", ("It", "VEH", "x", None, None, False)),
        ("<P, 1>{I} am", "I am", ("I", None, "1", None, "pronoun", False)),
        (
            "clenched <O, 1>{her} fists",
            "clenched her fists",
            ("her", None, "1", None, "pronoun", True),
        ),
    ],
)
def test_each_tag_is_read(line, text, expected):
    side, findings = read(line)
    assert side.sentences == (text,)
    assert mention(side) == expected
    assert findings == []
    assert side.layers == LAYERS
    assert write_inline(side) == [line]


def test_mentions_nest_and_offsets_are_code_points_of_the_joined_text():
    side, _ = read("𠮷<P, 1>{她}。", "<ORG, T, 4>{<PER, T, 2>{沈凉川}粉丝群}", lang="zh")
    assert [(m.start, m.end, m.sentence, m.text) for m in side.mentions] == [
        (1, 2, 0, "她"),
        (4, 10, 1, "沈凉川粉丝群"),
        (4, 7, 1, "沈凉川"),
    ]
    assert side.offsets == (0, 4)


def test_a_quote_may_be_interrupted_and_may_cross_lines_and_mentions():
    lines = [
        r"<Q, 1>“Go,”<\Q> she said, <Q, 1, +>“home.",
        r"Now.”<\Q> <Q, ?>“Who’s there?”<\Q>",
        r"<PER, T, 2>{A <Q, 2>B} C<\Q>",
    ]
    side, _ = read(*lines)
    quotes = [(q.speaker, [side.text[s.start : s.end] for s in q.spans]) for q in side.quotes]
    assert quotes == [
        ("1", ["“Go,”", "“home.\nNow.”"]),
        (None, ["“Who’s there?”"]),
        ("2", ["B C"]),
    ]
    assert write_inline(side) == lines


@pytest.mark.parametrize(
    ("line", "code", "column", "text", "mentions"),
    [
        ("<P,1>{he}", "header-spacing", 1, "he", 1),
        ("a <P,  1>{he}", "header-spacing", 3, "a he", 1),
        ("<P， 1>{他}", "header-spacing", 1, "他", 1),
        ("<P, 1> {he}", "header-spacing", 1, "he", 1),
        ("<PER, 5>{Bo}", "missing-flag", 1, "Bo", 1),
        ("<PER, P, 1>{Bo}", "unknown-flag", 1, "Bo", 1),
        ("<PER, t, 1>{Bo}", "unknown-flag", 1, "Bo", 1),
        ("<PER, T, 1>Bo}, go", "missing-brace", 1, "Bo, go", 1),
        ("so <P, 1>her} lips", "missing-brace", 4, "so her lips", 1),
        ("<PER, T, 1>{Bo, go", "unclosed-mention", 1, "Bo, go", 0),
        ("<PER, T, 1>Bo, go", "unclosed-mention", 1, "Bo, go", 0),
        ("<PER, T>{Bo}", "header-arguments", 1, "Bo", 0),
        ("<P>{he}", "header-arguments", 1, "he", 0),
        ("<P, 1, 2>{he}", "header-arguments", 1, "he", 0),
        ("<PERS, T, 1>{Bo}", "unknown-tag", 1, "Bo", 0),
        ("<P, 1>{}x", "empty-span", 1, "x", 0),
        ("x}", "stray-brace", 2, "x}", 0),
        ("{x", "stray-brace", 1, "{x", 0),
        ("<PER, <P, 1>{x}, T>y", "broken-header", 1, "<PER, x, T>y", 1),
        (r"x<\Q>", "stray-quote-end", 2, "x", 0),
        ("<Q, 1>x</Q>", "header-spacing", 8, "x", 0),
        ("<Q, 1>x", "unclosed-quote", 1, "x", 0),
        (r"<Q, 1, +>x<\Q>", "nothing-to-continue", 1, "x", 0),
        (r"<Q>x<\Q>", "header-arguments", 1, "x", 0),
        (r"<Q, 1><\Q>x", "empty-span", 1, "x", 0),
    ],
)
def test_what_is_wrong_is_an_error_or_a_reported_repair(line, code, column, text, mentions):
    with pytest.raises(FormatError) as caught:
        read("ok", line)
    finding = caught.value.finding
    assert (finding.file, finding.line, finding.column, finding.code) == ("f.txt", 2, column, code)
    side, findings = read("ok", line, strict=False)
    assert side.sentences == ("ok", text)
    assert len(side.mentions) == mentions
    assert [(f.line, f.column, f.code) for f in findings] == [(2, column, code)]
    assert findings[0].repair
    assert strip_tags(line) == text


def test_an_unclosed_quote_ends_with_its_line():
    side, findings = read("a <Q, 1>b c", "d", strict=False)
    assert [side.text[s.start : s.end] for s in side.quotes[0].spans] == ["b c"]
    assert findings[0].repair == "closed at the end of its line"


def test_braces_of_the_text_are_text():
    line = "{a} <P, 1>{b {c} d} {e}"
    side, _ = read(line)
    assert side.sentences == ("{a} b {c} d {e}",)
    assert side.mentions[0].text == "b {c} d"
    assert write_inline(side) == [line]


@pytest.mark.parametrize("text", ["a } b", "x <P, 1>{y} z", "<PER, T", "{", "<Q, 1>"])
def test_the_writer_refuses_text_it_could_not_read_back(text):
    with pytest.raises(InputError, match="sentence 1 cannot be written inline"):
        write_inline(Side("en", (text,)))


def test_the_writer_refuses_crossing_mentions_and_spans_over_lines():
    def side(*spans):
        mentions = tuple(
            Mention(f"m{i}", "1", start, end, 0, "", "PER", None, True)
            for i, (start, end) in enumerate(spans)
        )
        return Side("en", ("abcdef", "gh"), (), mentions)

    with pytest.raises(InputError, match="cross"):
        write_inline(side((0, 3), (2, 5)))
    with pytest.raises(InputError, match="crosses a line"):
        write_inline(side((4, 8)))
    with pytest.raises(InputError, match="span of 0 characters"):
        write_inline(side((2, 2)))


def test_lines_of_any_length_and_depth_need_no_recursion():
    deep = "<PER, T, 1>{" * 8_000 + "x" + "}" * 8_000
    wide = "<P, 1>{她}" * 12_000
    side, findings = read(deep, wide)
    assert len(side.mentions) == 20_000
    assert findings == []
    assert side.sentences == ("x", "她" * 12_000)
    assert write_inline(side) == [deep, wide]


# --- properties -----------------------------------------------------------------------------

_PLAIN = st.text(
    st.one_of(st.sampled_from("a他她I “”「」，。！？…\t\u2028\u3000é🙂>,"), st.characters()),
    max_size=6,
).map(lambda text: re.sub(r"[<{}\n\r\0]", "", text))
_ENTITY = st.sampled_from(["1", "2", "17", "lin-wan"])


def _wrap(children):
    inner = st.lists(children, min_size=1, max_size=3).map("".join).filter(strip_tags)
    entity = st.builds(
        lambda kind, flag, ident, text: f"<{kind}, {flag}, {ident}>{{{text}}}",
        st.sampled_from(["PER", "FAC", "GPE", "LOC", "VEH", "ORG"]),
        st.sampled_from("TN?"),
        _ENTITY,
        inner,
    )
    pronoun = st.builds(
        lambda kind, ident, text: f"<{kind}, {ident}>{{{text}}}",
        st.sampled_from("PO"),
        _ENTITY,
        inner,
    )
    literal = inner.map(lambda text: f"{{{text}}}")
    return st.one_of(entity, pronoun, literal)


_MARKED = st.recursive(_PLAIN, _wrap, max_leaves=8)
_QUOTE = st.builds(
    lambda ident, text: rf"<Q, {ident}>{text}<\Q>",
    st.one_of(_ENTITY, st.just("?")),
    _MARKED.filter(strip_tags),
)
_LINE = st.lists(st.one_of(_MARKED, _QUOTE), max_size=4).map("".join)


@given(st.lists(_LINE, min_size=1, max_size=4))
def test_writing_what_was_read_gives_the_same_lines(lines):
    side, findings = read(*lines)
    assert findings == []
    assert all(side.text[m.start : m.end] == m.text for m in side.mentions)
    assert write_inline(side) == lines


_HEADERS = ["<PER, T, 1>", "<PER, 5>", "<P,1>", "<O, 2>", "<Q, 1>", "<Q, 1, +>", "<ABC, 1>"]
_PIECES = [*_HEADERS, r"<\Q>", "</Q>", "<PER, ", "{}", "<P, 1>{她}", *"{}<>aI他， \\Q"]


def _without_markup(text):
    """What is left if everything that could be markup goes: told apart from our own parser."""
    text = re.sub(r"[{}\s]", "", text)
    while (shorter := re.sub("<[^<>]*>", "", text)) != text:
        text = shorter
    return text


@settings(max_examples=400)
@given(st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=3)), max_size=25).map("".join))
def test_no_input_is_refused_and_no_text_is_lost(line):
    line = line.replace("\n", "")
    side, _ = read(line, strict=False)
    assert side.sentences == (strip_tags(line),)
    assert _without_markup(strip_tags(line)) == _without_markup(line)
    assert all(side.text[m.start : m.end] == m.text != "" for m in side.mentions)


@given(st.text(), st.data())
def test_tags_put_into_a_text_come_out_again(text, data):
    text = re.sub(r"[<>{}\n]", "", text)
    marked, rest = [], text
    while rest:
        cut = data.draw(st.integers(1, len(rest)))
        piece, rest = rest[:cut], rest[cut:]
        tag = data.draw(st.sampled_from(["", "<PER, T, 1>{", "<O, 3>{", "<Q, 2>"]))
        end = {"": "", "<Q, 2>": r"<\Q>"}.get(tag, "}")
        marked.append(f"{tag}{piece}{end}")
    assert strip_tags("".join(marked)) == text


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=4))
def test_the_writer_keeps_a_side_or_refuses_it(spans):
    sentences = ("abcdefghij", "", "klmnopqrst")
    text = "\n".join(sentences)
    inside = sorted((s, -n) for s, n in spans if s + n <= len(text))
    mentions = tuple(
        Mention(f"m{i}", "1", s, s - n, text[:s].count("\n"), text[s : s - n], "PER", None, True)
        for i, (s, n) in enumerate(inside, 1)
    )
    quotes = (Quote("q1", (Span(0, 3), Span(5, 15)), "1"),)
    side = Side("en", sentences, LAYERS, mentions, quotes)
    try:
        lines = write_inline(side)
    except InputError:
        return
    assert read(*lines)[0] == side


def test_the_release_of_the_paper_is_read_with_its_faults(shared_data):
    folder = shared_data / "bwb-annotated" / "Book0"
    expected = {"chs_re": (12, 2, 3), "ref_re": (20, 2, 5)}
    for tag, (mentions, quotes, repairs) in expected.items():
        text = (folder / f"0.{tag}.an.txt").read_text("utf-8")
        lines = text.removesuffix("\n").split("\n")
        side, findings = read(*lines, strict=False)
        assert (len(side.mentions), len(side.quotes), len(findings)) == (mentions, quotes, repairs)
        assert list(side.sentences) == [re.sub(r"<[^<>]*>|[{}]", "", line) for line in lines]
        with pytest.raises(FormatError):
            read(*lines)
