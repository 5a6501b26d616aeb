"""CoNLL-U: tokens, round trips, files of others, every kind of malformed line."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations import brat
from bwb.annotations.conllu import read, write
from bwb.annotations.loss import Loss
from bwb.annotations.tokens import escape, join_sides, side_tokens, token_spans, unescape
from bwb.errors import FormatError, InputError
from bwb.records import Mention, Side


def by_id(documents):
    return {document.id: document for document in documents}


def words(text, lang, cuts=(), **options):
    return [text[start:end] for start, end in token_spans(text, lang, cuts, **options)]


@pytest.mark.parametrize(
    ("lang", "text", "tokens"),
    [
        ("en", "“Don’t,” she half-said...", ["“", "Don’t", ",", "”", "she", "half-said", "..."]),
        ("en", "Lincoln 's  Inn\t!!?", ["Lincoln", "'", "s", "Inn", "!!", "?"]),
        ("en", "cafe\u0301 𝒳-ray", ["cafe\u0301", "𝒳-ray"]),
        (
            "zh",
            "林晚用iPhone 15打——没人接……",
            [*"林晚用", "iPhone", "15", "打", "——", *"没人接", "……"],
        ),
        ("zh", "𠮷野家\u3000ＡＢ！", ["𠮷", "野", "家", "ＡＢ", "！"]),
        ("en", " \u2028\u3000", []),
        ("en", "", []),
    ],
)
def test_tokens(lang, text, tokens):
    assert words(text, lang) == tokens


def test_tokens_are_cut_and_never_hold_white_space():
    assert words("Lin Wan’s", "en", [5, 0, 9, 5, 7]) == ["Lin", "W", "an", "’s"]
    assert words("Lincoln 's Inn", "en", spaced=True) == ["Lincoln", "'s", "Inn"]


@given(st.text(max_size=60), st.sampled_from(["zh", "en"]), st.sets(st.integers(0, 60)))
def test_tokens_cover_the_text(text, lang, cuts):
    spans = token_spans(text, lang, cuts)
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert not any(start < cut < end for start, end in spans for cut in cuts)


@given(st.text(max_size=30), st.sampled_from(["", "-=|()[],:<>", "_~."]))
def test_escapes(text, special):
    escaped = escape(text, special)
    assert unescape(escaped) == text
    assert escaped
    assert not set(escaped) & set(special)
    assert not any(character.isspace() for character in escaped)


def test_unescape_leaves_what_is_not_an_escape():
    assert unescape("%FF") == "%FF"
    assert unescape("100%") == "100%"


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_round_trip(random_documents, data):
    documents = data.draw(random_documents("\r"))
    with tempfile.TemporaryDirectory() as folder:
        assert write(documents, Path(folder), spaced=data.draw(st.booleans())) == []
        losses = []
        assert by_id(read(Path(folder), losses=losses)) == by_id(documents)
        assert losses == []


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_conllu(random_documents, data):
    """The rules of the format that its validator checks first."""
    documents = data.draw(random_documents())
    with tempfile.TemporaryDirectory() as folder:
        write(documents, Path(folder))
        for file in Path(folder).rglob("*.conllu"):
            for block in file.read_text("utf-8").removesuffix("\n\n").split("\n\n"):
                lines = block.split("\n")
                rows = [line.split("\t") for line in lines if not line.startswith("#")]
                assert [row[0] for row in rows] == [str(i) for i in range(1, len(rows) + 1)]
                assert all(len(row) == 10 and row[1] == row[1].strip() != "" for row in rows)
                entities = [c for row in rows for c in row[9].split("|") if c.startswith("Entity=")]
                assert not any(character.isspace() for cell in entities for character in cell)


def test_what_is_written(river, tmp_path):
    assert write([river], tmp_path) == []
    lines = (tmp_path / "river/1.en.conllu").read_text("utf-8").split("\n")
    assert lines[:6] == [
        "# newdoc id = river/1",
        "# global.Entity = eid-etype-head-other",
        "# bwb.layers = entity terminology coreference quotation",
        "# bwb.quote = id=q1 spans=0:5,41:48 kind=written speaker=林晚 addressees=沈舟",
        "# sent_id = river%2F1-1",
        "# text = “Go,” said Lin Wan,",
    ]
    misc = [line.split("\t")[1::8] for line in lines if line[:1].isdecimal()]
    assert misc == [
        ["“", "SpaceAfter=No"],
        ["Go", "SpaceAfter=No"],
        [",", "SpaceAfter=No"],
        ["”", "_"],
        ["said", "_"],
        ["Lin", "Entity=(林晚-PER-1-bwb.id:m1,bwb.form:name,bwb.term:T"],
        ["Wan", "Entity=林晚)|SpaceAfter=No"],
        [",", "_"],
        ["to", "_"],
        [
            "Shen",
            "Entity=(船-VEH-1-bwb.id:m2,bwb.form:nominal,bwb.term:N"
            "(沈舟-PER-1-bwb.id:m3,bwb.form:name,bwb.term:T",
        ],
        ["Zhou’s", "Entity=沈舟)(?--1-bwb.id:m4,bwb.form:pronoun,bwb.omitted:yes"],
        ["boat", "Entity=?)船)|SpaceAfter=No"],
        [".", "_"],
        ["“", "SpaceAfter=No"],
        ["Home", "SpaceAfter=No"],
        [".", "SpaceAfter=No"],
        ["”", "_"],
        ["_", "Blank=Yes"],
    ]
    assert list(read(tmp_path)) == [river]


def test_white_space_is_restored(tmp_path):
    sentences = ("\u3000 a  b\tc\r", "  ", "d\u2028e ", "", "f|\\g")
    document = join_sides("b/1", None, Side("en", sentences))
    write([document], tmp_path)
    text = (tmp_path / "b/1.en.conllu").read_text("utf-8")
    assert "SpacesAfter=\\s\\s" in text
    assert "SpacesBefore=\u3000\\s" in text
    assert list(read(tmp_path)) == [document]


def test_empty_side_and_empty_sentence_differ(tmp_path):
    documents = [
        join_sides("b/1", None, Side("en", ())),
        join_sides("b/2", None, Side("en", ("",))),
        join_sides("b/3", Side("zh", (), ("entity",)), None),
    ]
    write(documents, tmp_path)
    assert list(read(tmp_path)) == documents


def test_mentions_of_one_entity_that_cross(tmp_path):
    text = "a b c d e f"
    spans = [(0, 5), (2, 7), (4, 9), (0, 11), (4, 5), (4, 7), (0, 5)]
    mentions = tuple(
        Mention(f"m{i}", "1", start, end, 0, text[start:end])
        for i, (start, end) in enumerate(spans)
    )
    document = join_sides("b/1", None, Side("en", (text,), ("coreference",), mentions))
    write([document], tmp_path)
    assert "bwb.words:3" in (tmp_path / "b/1.en.conllu").read_text("utf-8")
    assert list(read(tmp_path)) == [document]


def test_white_space_at_the_ends_of_a_mention(tmp_path):
    mentions = (Mention("m1", "1", 0, 4, 0, " a  "), Mention("m2", "2", 2, 6, 0, "  b "))
    document = join_sides("b/1", None, Side("en", (" a  b c",), (), mentions))
    write([document], tmp_path)
    assert list(read(tmp_path)) == [document]
    only = (Mention("m1", "1", 2, 4, 0, "  "),)
    with pytest.raises(InputError, match=r"b/1 \[en\]: mention m1 is white space"):
        write([join_sides("b/1", None, Side("en", (" a  b c",), (), only))], tmp_path)


def test_losses(river, tmp_path):
    more = dataclasses.replace(river, split="test", chapter="one")
    assert write([more], tmp_path) == [
        Loss("river/1", "splits", 1),
        Loss("river/1", "ids that are not book/chapter", 1),
    ]
    assert list(read(tmp_path)) == [river]


def conllu(*rows):
    """Rows of 'ID FORM MISC'; a string that begins with # is a comment, an empty one divides."""
    lines = []
    for row in rows:
        if row and not row.startswith("#"):
            number, form, misc = row.split(" ")
            row = "\t".join((number, form, *"_______", misc))
        lines.append(row)
    return "\n".join(lines) + "\n\n"


@pytest.fixture
def file(tmp_path):
    def make(*rows, name="gum/en_gum.conllu"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(conllu(*rows), encoding="utf-8")
        return path

    return make


def found(document):
    return [(m.text, m.entity, m.type) for m in document.en.mentions]


def test_a_file_of_others(file):
    path = file(
        "# newdoc id = GUM_one",
        "# global.Entity = eid-etype-head-minspan-infstat-link-identity",
        "# newpar",
        "# sent_id = 1",
        "# text = Lin's boat du vin.",
        "1 Lin Entity=(1-person-1-1-new-coref(2-PER-1-1-new-sgl-Lin%2DWan)|SpaceAfter=No",
        "2 's _",
        "3 boat Entity=1)",
        "4-5 du _",
        "4 de Entity=(3-VEH",
        "5 le Entity=3)|Bridge=1<3",
        "5.1 _ Entity=(1-person)",
        "6 vin Entity=(4[1/2]-LOC|SpaceAfter=No",
        "7 . Entity=4[1/2])(5-ORG",
        "",
        "# text = go, it did",
        "1 go, SpacesAfter=\\s",
        "2 it Entity=5)(4[2/2])",
        "3 did SpacesAfter=\\n",
        "",
        "# newdoc id = GUM_two",
        "# text = it",
        "1 it Entity=(1-FAC)",
    )
    losses = []
    one, two = read(path, losses=losses)
    assert (one.id, one.book, one.chapter) == ("gum/GUM_one", "gum", "GUM_one")
    assert one.en.sentences == ("Lin's boat du vin.", "go, it did")
    assert one.en.layers == ("entity", "coreference")
    assert found(one) == [
        ("Lin's boat", "1", None),
        ("Lin", "2", "PER"),
        ("du", "3", "VEH"),
        ("vin.\ngo, it", "4", "LOC"),
        (".\ngo, it", "5", "ORG"),
    ]
    assert (two.id, found(two)) == ("gum/GUM_two", [("it", "1", "FAC")])
    assert losses == [
        Loss("gum/GUM_one", "bridging links", 1),
        Loss("gum/GUM_one", "gaps in mentions", 1),
        Loss("gum/GUM_one", "entity types", 1),
        Loss("gum/GUM_one", "mentions of empty nodes", 1),
    ]


def test_documents_without_names_and_languages(file):
    text = ("1 林 SpaceAfter=No", "2 晚 _")
    assert [d.id for d in read(file(*text))] == ["gum/en_gum"]
    (document,) = read(file("# newdoc", *text, name="gum/x.conllu"))
    assert (document.id, document.zh.sentences) == ("gum/x", ("林晚",))
    (document,) = read(file(*text), lang="en")
    assert document.en.sentences == ("林晚",)
    both = list(read(file("# newdoc", *text, "", "# newdoc", *text)))
    assert [document.id for document in both] == ["gum/en_gum", "gum/en_gum.2"]


def test_analysis_is_reported(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text("1\tHe\the\tPRON\t_\t_\t0\troot\t_\t_\n", encoding="utf-8")
    losses = []
    (document,) = read(path, losses=losses)
    assert losses == [Loss(document.id, "words with an analysis", 1)]


def test_older_field_names(file):
    path = file("# global.Entity = entity-GRP-infstat", "1 he Entity=(PER-7-new)")
    (document,) = read(path)
    assert found(document) == [("he", "7", "PER")]


FIELDS = "# global.Entity = eid-etype-head-other"


@pytest.mark.parametrize(
    ("rows", "place", "code"),
    [
        (["1 he Entity=(1-PER)"], (1, 20), "no-fields"),
        (["# global.Entity = etype-head", "1 he _"], (1, 1), "bad-fields"),
        ([FIELDS, "1 he Entity=(1-PER"], (2, 20), "bad-bracket"),
        ([FIELDS, "1 he Entity=1)"], (2, 20), "bad-bracket"),
        ([FIELDS, "1 he Entity=1"], (2, 20), "bad-bracket"),
        ([FIELDS, "1 he Entity=((1-PER)"], (2, 20), "bad-bracket"),
        ([FIELDS, "1 he Entity=(-PER)"], (2, 20), "bad-bracket"),
        ([FIELDS, "1 he Entity=(1-PER-1-a-b)"], (2, 20), "bad-bracket"),
        ([FIELDS, "1 he Entity=(1[2/2]-PER)"], (2, 20), "bad-bracket"),
        ([FIELDS, "1-2 he Entity=(1-PER)", "1 h _", "2 e _"], (2, 22), "entity-of-range"),
        ([FIELDS, "1 he X=Y|Entity=(1-PER-1-bwb.left:x)"], (2, 24), "bad-attribute"),
        ([FIELDS, "1 he Entity=(1-PER-1-bwb.left:9)"], (2, 20), "bad-attribute"),
        ([FIELDS, "1 he Entity=(1-PER-1-bwb.form:verb)"], (2, 20), "bad-attribute"),
        ([FIELDS, "1 he Entity=(1-PER-1-bwb.type:DOG)"], (2, 20), "bad-attribute"),
        ([FIELDS, "1 he Entity=(1--1-bwb.id:a)(2--1-bwb.id:a)"], (2, 20), "duplicate-id"),
        (["# bwb.layers = entities", "1 he _"], (1, 1), "unknown-layer"),
        (["# bwb.quote = id=q spans=0-2 kind=direct", "1 he _"], (1, 1), "bad-quote"),
        (["# bwb.quote = id=q spans=0:2 kind=loud", "1 he _"], (1, 1), "bad-quote"),
        (["# bwb.quote = id=q spans=0:3 kind=direct", "1 he _"], (0, 0), "bad-span"),
        (["# text = she", "1 he _"], (1, 1), "text-differs"),
        (["1 he _", "3 left _"], (2, 1), "bad-id"),
        (["x he _"], (1, 1), "bad-id"),
        (["2-1 he _"], (1, 1), "bad-id"),
        (["2.1 he _"], (1, 1), "bad-id"),
        (["# a comment alone"], (0, 0), "empty-file"),
    ],
)
def test_malformed(file, rows, place, code):
    path = file(*rows)
    with pytest.raises(FormatError) as error:
        list(read(path))
    finding = error.value.finding
    assert (finding.file, finding.line, finding.column) == (str(path), *place)
    assert finding.code == code


def test_wrong_number_of_columns(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text("# text = he\n1 he _ _\n\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x\.conllu:2:1: 1 columns; expected 10"):
        list(read(path))


def test_a_side_given_twice(file):
    with pytest.raises(InputError, match="a second en side of document b/1"):
        list(read(file("# newdoc id = b/1", "1 he _", "", "# newdoc id = b/1", "1 he _")))


def test_nothing_to_read(tmp_path):
    with pytest.raises(InputError, match="no files named"):
        list(read(tmp_path))


def test_litbank(shared_data, tmp_path):
    for part in ("entities", "coref"):
        documents = list(brat.read(shared_data / "litbank" / part / "brat"))
        assert write(documents, tmp_path, spaced=True) == []
        assert list(read(tmp_path)) == documents
        for document in documents:
            side = document.en
            for spans, sentence in zip(side_tokens(side, spaced=True), side.sentences, strict=True):
                found = [side.text[start:end] for start, end in spans]
                # One mention ends within a word.
                expected = sentence.replace("orchard-embowered", "orchard -embowered")
                assert found == (expected if part == "entities" else sentence).split(" ")
