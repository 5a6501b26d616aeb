"""Random documents for the exchange formats."""

from __future__ import annotations

import bisect

import pytest
from hypothesis import strategies as st

from bwb.annotations.tokens import join_sides
from bwb.records import ENTITY_TYPES, LAYERS, Mention, Quote, Side, Span, sentence_offsets

# Letters, punctuation, and whatever has a meaning in one of the formats; white space of all kinds.
CHARACTERS = [
    *"abI1 林晚，。“”‘’'-%()|=_#\\{}[]:;,<>*",
    *"　Ａ！\t\u2028\x85\xa0\x0b\x1c\u200b\u0301\u200d😀🏽",
    "👩\u200d🚀",
    "……",
    "  ",
]
IDS = ["m1", "m2", "T1", "T2", "T01", "T9999", "q1", "a b", "林", "", "%", "%41", "x-(y)|z,1"]
ENTITIES = [
    "1",
    "2",
    "01",
    "林晚",
    "a-b",
    "e (x)|[1/2]",
    "",
    "%",
    "en.T1",
    "en.T1.cop.T2",
    "x,y:<=>",
]
NAMES = ["river/1", "river/2", "river/10", "a b/第1章", "x/y/3", "book(1)/1.5"]


@st.composite
def mentions(draw, sentences):
    text = "\n".join(sentences)
    offsets = sentence_offsets(tuple(sentences))
    found = []
    for name in draw(st.lists(st.sampled_from(IDS), max_size=7, unique=True)) if text else ():
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, min(len(text), start + 9)))
        form = draw(st.sampled_from(["name", "nominal", "pronoun", None]))
        if text[start:end].strip():
            mention = Mention(
                id=name,
                entity=draw(st.sampled_from(ENTITIES)),
                start=start,
                end=end,
                sentence=bisect.bisect_right(offsets, start) - 1,
                text=text[start:end],
                type=draw(st.sampled_from([*ENTITY_TYPES, None])),
                form=form,
                term=draw(st.sampled_from([True, False, None])),
                omitted=draw(st.booleans()),
            )
            found.append(mention)
    return tuple(found)


@st.composite
def quotes(draw, sentences):
    text = "\n".join(sentences)
    found = []
    for name in draw(st.lists(st.sampled_from(IDS), max_size=3, unique=True)) if text else ():
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
        pairs = zip(cuts[::2], cuts[1::2], strict=False)
        spans = tuple(Span(start, end) for start, end in pairs if text[start:end].strip("\n"))
        if spans:
            quote = Quote(
                id=name,
                spans=spans,
                speaker=draw(st.sampled_from([None, *ENTITIES])),
                addressees=tuple(draw(st.lists(st.sampled_from(ENTITIES), max_size=3))),
                kind=draw(st.sampled_from(["direct", "thought", "written"])),
            )
            found.append(quote)
    return tuple(found)


@st.composite
def sides(draw, lang, characters):
    text = st.lists(st.sampled_from(characters), max_size=12).map("".join)
    sentences = tuple(draw(st.lists(text, max_size=5)))
    layers = draw(st.sets(st.sampled_from(LAYERS)))
    return Side(
        lang,
        sentences,
        tuple(layer for layer in LAYERS if layer in layers),
        draw(mentions(sentences)),
        draw(quotes(sentences)),
    )


@st.composite
def documents(draw, extra=""):
    """Up to three documents with distinct ids; `extra` are more characters of their text."""
    characters = [*CHARACTERS, *extra]
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
        zh = draw(st.none() | sides("zh", characters))
        en = draw(sides("en", characters) if zh is None else st.none() | sides("en", characters))
        found.append(join_sides(name, zh, en))
    return found


@pytest.fixture(scope="session")
def random_documents():
    """The strategy `documents`."""
    return documents


@pytest.fixture(scope="session")
def river():
    """A document with everything: nested and crossing mentions, a quote in pieces, two sides."""
    zh_text = ("林晚说：“走吧，”", "沈舟的船😀不动。“回家。”", "")
    en_text = ("“Go,” said Lin Wan,", "to Shen Zhou’s boat. “Home.”", "")
    zh = Side(
        "zh",
        zh_text,
        LAYERS,
        (
            Mention("m1", "林晚", 0, 2, 0, "林晚", "PER", "name", term=True),
            Mention("m2", "船", 10, 14, 1, "沈舟的船", "VEH", "nominal", term=False),
            Mention("m3", "沈舟", 10, 12, 1, "沈舟", "PER", "name", term=True),
        ),
        (Quote("q1", (Span(4, 9), Span(18, 23)), "林晚", ("沈舟",)),),
    )
    en = Side(
        "en",
        en_text,
        LAYERS,
        (
            Mention("m1", "林晚", 11, 18, 0, "Lin Wan", "PER", "name", term=True),
            Mention("m2", "船", 23, 39, 1, "Shen Zhou’s boat", "VEH", "nominal", term=False),
            Mention("m3", "沈舟", 23, 34, 1, "Shen Zhou’s", "PER", "name", term=True),
            Mention("m4", "?", 28, 39, 1, "Zhou’s boat", None, "pronoun", omitted=True),
        ),
        (Quote("q1", (Span(0, 5), Span(41, 48)), "林晚", ("沈舟",), "written"),),
    )
    return join_sides("river/1", zh, en)
