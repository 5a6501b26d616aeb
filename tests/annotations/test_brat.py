"""brat: round trips, LitBank's files, every kind of malformed line."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations.brat import read, write
from bwb.annotations.loss import Loss
from bwb.annotations.tokens import join_sides
from bwb.errors import FormatError, InputError
from bwb.records import Link, Mention, Quote, Side, Span, SystemOutput

TEXT = "Lin Wan saw him.\nHe left.\n"


def by_id(documents):
    return {document.id: document for document in documents}


@pytest.fixture
def ann(tmp_path):
    """Writes a text and its annotations; gives the file's path."""

    def make(lines, text=TEXT, layers=None):
        (tmp_path / "b").mkdir(exist_ok=True)
        (tmp_path / "b" / "1.en.txt").write_text(text, encoding="utf-8")
        path = tmp_path / "b" / "1.en.ann"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if layers is not None:
            path.with_suffix(".layers").write_text(layers, encoding="utf-8")
        return path

    return make


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_round_trip(random_documents, data):
    documents = data.draw(random_documents())
    with tempfile.TemporaryDirectory() as folder:
        assert write(documents, Path(folder)) == []
        losses = []
        assert by_id(read(Path(folder), losses=losses)) == by_id(documents)
        assert losses == []


def test_what_is_written(river, tmp_path):
    assert write([river], tmp_path) == []
    assert (tmp_path / "river/1.en.txt").read_text("utf-8") == river.en.text + "\n"
    assert (tmp_path / "river/1.en.ann").read_text("utf-8").splitlines() == [
        "T1\tPROP_PER 11 18\tLin Wan",
        "N1\tReference T1 Entity:林晚\tLin Wan",
        "A1\tTerm T1 T",
        "#1\tId T1\tm1",
        "T2\tNOM_VEH 23 39\tShen Zhou’s boat",
        "N2\tReference T2 Entity:船\tShen Zhou’s boat",
        "A2\tTerm T2 N",
        "#2\tId T2\tm2",
        "T3\tPROP_PER 23 34\tShen Zhou’s",
        "N3\tReference T3 Entity:沈舟\tShen Zhou’s",
        "A3\tTerm T3 T",
        "#3\tId T3\tm3",
        "T4\tPRON 28 39\tZhou’s boat",
        "N4\tReference T4 Entity:?\t?",
        "A4\tOmitted T4",
        "#4\tId T4\tm4",
        "T5\tQUOTE 0 5;41 48\t“Go,” “Home.”",
        "N5\tReference T5 Speaker:林晚\tLin Wan",
        "N6\tReference T5 Addressee:沈舟\tShen Zhou’s",
        "A5\tKind T5 written",
        "#5\tId T5\tq1",
    ]
    configuration = (tmp_path / "annotation.conf").read_text("utf-8").splitlines()
    assert {"[entities]", "PROP_PER", "QUOTE", "Term Arg:<ENTITY>, Value:T|N"} <= {*configuration}
    assert list(read(tmp_path)) == [river]


def test_a_quote_over_lines_is_cut_at_the_line_end(tmp_path):
    side = Side("en", ("“Go", "home,” he", "said."), ("quotation",))
    one = dataclasses.replace(side, quotes=(Quote("T1", (Span(0, 10),)),))
    two = dataclasses.replace(side, quotes=(Quote("T1", (Span(0, 3), Span(4, 10))),))
    for quoted, lines in (
        (one, ["T1\tQUOTE 0 3;4 10\t“Go home,”"]),
        (two, ["T1\tQUOTE 0 3;4 10\t“Go home,”", "#1\tPieces T1\t0 3;4 10"]),
    ):
        document = join_sides("b/1", None, quoted)
        write([document], tmp_path)
        assert (tmp_path / "b/1.en.ann").read_text("utf-8").splitlines() == lines
        assert list(read(tmp_path)) == [document]


def test_layers_annotated_and_empty(tmp_path):
    for layers in ((), ("entity",), ("entity", "quotation")):
        document = join_sides("b/1", None, Side("en", ("Rain.",), layers))
        write([document], tmp_path)
        assert list(read(tmp_path)) == [document]


def test_losses(river, tmp_path):
    sides = {"zh": dataclasses.replace(river.zh, title="一"), "en": river.en}
    more = dataclasses.replace(
        river,
        **sides,
        links=(Link((0, 1), (0, 1)), Link((2,), (2,))),
        genre="wuxia",
        systems=(SystemOutput("mt", ("", "", "")),),
    )
    assert write([more], tmp_path) == [
        Loss("river/1", "titles", 1),
        Loss("river/1", "outputs of systems", 1),
        Loss("river/1", "genres", 1),
        Loss("river/1", "links that are not line by line", 2),
    ]
    assert list(read(tmp_path)) == [river]


def test_sides_that_differ_in_length_have_no_links(tmp_path):
    document = join_sides("b/1", Side("zh", ("雨。", "风。")), Side("en", ("Rain, wind.",)))
    assert document.links == ()
    write([document], tmp_path)
    assert list(read(tmp_path)) == [document]


def test_a_single_file_and_its_language(ann):
    tagged = ann(["T1\tPER 0 7\tLin Wan"])
    file = tagged.rename(tagged.with_name("x.ann"))
    tagged.with_suffix(".txt").rename(file.with_suffix(".txt"))
    (guessed,) = read(file)
    (told,) = read(file.with_suffix(".txt"), lang="zh")
    assert (guessed.id, guessed.zh, guessed.en.mentions[0].entity) == ("b/x", None, "en.T1")
    assert (told.id, told.en, told.zh.mentions[0].entity) == ("b/x", None, "zh.T1")


def test_equivalences_are_chains(ann):
    lines = ["T1\tPER 0 7\tLin Wan", "T2\tPER 12 15\thim", "T3\tPER 17 19\tHe", "*\tSame T2 T3"]
    (document,) = read(ann(lines))
    assert [m.entity for m in document.en.mentions] == ["en.T1", "en.T2", "en.T2"]
    assert document.en.layers == ("entity", "coreference")


def test_what_other_tools_add_is_reported(ann):
    lines = [
        "T1\tPER 0 7\tLin Wan",
        "T2\tPER 12 15\thim",
        "E1\tSee:T1 Theme:T2",
        "R1\tfriend Arg1:T1 Arg2:T2",
        "A1\tNegated E1",
        "N1\tReference T1 Wikidata:Q1\tLin",
        "#1\tAnnotatorNotes T1\tsure?",
    ]
    losses = []
    (document,) = read(ann(lines), losses=losses)
    assert len(document.en.mentions) == 2
    assert sorted((loss.what, loss.count) for loss in losses) == [
        ("attributes", 1),
        ("events", 1),
        ("notes", 1),
        ("references", 1),
        ("relations", 1),
    ]


GOOD = "T1\tPER 0 7\tLin Wan"
OTHER = "T2\tPER 12 15\thim"


@pytest.mark.parametrize(
    ("lines", "place", "code", "says"),
    [
        (["T1\tPER 0 99\tLin Wan"], (1, 8), "bad-span", "within 0 and 25"),
        (["T1\tPER 7 7\t"], (1, 8), "bad-span", "'7 7'"),
        (["T1\tPER 0 7\tLin Wen"], (1, 12), "text-differs", "'Lin Wan'"),
        (["T1\tPER 0 7"], (1, 12), "text-differs", "'Lin Wan'"),
        (["T1\tDOG 0 7\tLin Wan"], (1, 4), "unknown-label", "'DOG'"),
        (["T1\tLin-1 0 7\tLin Wan"], (1, 4), "unknown-label", "without a mention"),
        ([GOOD, "T2\tLin-1 0 7\tLin Wan", "T3\tWan-2 0 7\tLin Wan"], (3, 4),
         "unknown-label", "Wan-2"),
        (["T1\tPER 0\tLin Wan"], (1, 4), "bad-annotation", "'PER 0'"),
        (["T1\tPER 0 x\tLin Wan"], (1, 4), "bad-annotation", "LABEL START END"),
        (["T1 PER 0 7 Lin Wan"], (1, 1), "unknown-annotation", "T, A, M"),
        (["X1\tPER 0 7\tLin Wan"], (1, 1), "unknown-annotation", "'X1'"),
        ([GOOD, GOOD], (2, 1), "duplicate-id", "'T1'"),
        ([GOOD, OTHER, "#1\tId T1\tT2"], (2, 1), "duplicate-id", "'T2'"),
        ([GOOD, "R1\tcop Arg1:T1 Arg2:T7"], (2, 21), "missing-id", "'T7'"),
        ([GOOD, "A1\tTerm T3 T"], (2, 9), "missing-id", "'T3'"),
        ([GOOD, "A1\tTerm T1 X"], (2, 4), "bad-attribute", "'X'"),
        ([GOOD, "A1\tTerm T1 T", "A2\tTerm T1 N"], (3, 4), "bad-attribute", "already"),
        ([GOOD, "N1\tReference T1 Entity"], (2, 4), "bad-reference", "BASE:ENTRY"),
        ([GOOD, "N1\tReference T1 Entity:a\ta", "N2\tReference T1 Entity:b\tb"], (3, 4),
         "bad-reference", "already"),
        ([GOOD, "R1\tcop T1 T2"], (2, 4), "bad-relation", "Arg1:ID"),
        ([GOOD, "R1\tcop Arg1:T1 Arg2:T1"], (2, 4), "bad-relation", "itself"),
        (["T1\tPER 0 3;4 7\tLin Wan", "#1\tPieces T1\t0 7"], (2, 14), "bad-pieces", "0 3;4 7"),
        (["T1\tPER 0 3;12 15\tLin him"], (1, 4), "several-pieces", "2 pieces"),
    ],
)  # fmt: skip
def test_malformed(ann, lines, place, code, says):
    path = ann(lines)
    with pytest.raises(FormatError, match=r"1\.en\.ann") as error:
        list(read(path))
    finding = error.value.finding
    assert (finding.file, finding.line, finding.column) == (str(path), *place)
    assert finding.code == code
    assert says in finding.message


def test_malformed_files(ann, tmp_path):
    with pytest.raises(FormatError, match="layer 'entities'"):
        list(read(ann([GOOD], layers="entities\n")))
    with pytest.raises(FormatError, match="line-ends"):
        list(read(ann([GOOD], text="Lin Wan\r\n", layers="entity\n")))
    path = ann([GOOD])
    path.with_suffix(".txt").unlink()
    with pytest.raises(InputError, match="No such file"):
        list(read(path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no files named"):
        list(read(tmp_path / "empty"))
    with pytest.raises(InputError, match="no such file or folder"):
        list(read(tmp_path / "nowhere"))


def english(*sentences, mentions=(), quotes=()):
    return join_sides("b/1", None, Side("en", sentences, (), mentions, quotes))


def mention(start, end, text, sentence=0):
    return Mention("m1", "1", start, end, sentence, text)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (english("a\rb"), "carriage return"),
        (english("\ufeffa"), "byte order mark"),
        (english("a\nb"), "line feed"),
        (english("a\0b"), "NUL"),
        (join_sides("b/1", Side("en", ("a",)), None), "says it is en"),
        (join_sides("../1", None, Side("en", ("a",))), "file name"),
        (join_sides(".b/1", None, Side("en", ("a",))), "file name"),
        (join_sides("b//1", None, Side("en", ("a",))), "file name"),
        (english("ab", mentions=(mention(0, 3, "ab"),)), "2 code points"),
        (english("ab", mentions=(mention(0, 2, "ax"),)), "text is 'ab'"),
        (english("ab", mentions=(mention(0, 2, "ab", 1),)), "starts in 0"),
        (english("ab", mentions=(mention(0, 2, "ab"),) * 2), "same id"),
        (english("ab", quotes=(Quote("q", ()),)), "no span"),
        (english("", "", mentions=(mention(0, 1, "\n"),)), "line ends"),
    ],
)
def test_refused(document, says, tmp_path):
    with pytest.raises(InputError, match=says):
        write([document], tmp_path)


def test_two_documents_with_one_id(tmp_path):
    document = join_sides("b/1", None, Side("en", ("a",)))
    with pytest.raises(InputError, match="second"):
        write([document, document], tmp_path)


@pytest.mark.parametrize(
    ("part", "mentions", "layers"),
    [("entities", 3081, ("entity",)), ("coref", 5981, ("entity", "coreference"))],
)
def test_litbank(shared_data, tmp_path, part, mentions, layers):
    folder = shared_data / "litbank" / part / "brat"
    losses = []
    documents = list(read(folder, losses=losses))
    assert losses == []
    assert len(documents) == 20
    assert sum(len(document.en.mentions) for document in documents) == mentions
    assert {document.en.layers for document in documents} == {layers}
    write(documents, tmp_path)
    assert list(read(tmp_path)) == documents
    for document in documents:
        source = folder / f"{document.chapter}.ann"
        old, new = (
            file.read_text("utf-8").splitlines()
            for file in (source, tmp_path / "brat" / f"{document.chapter}.en.ann")
        )
        assert (tmp_path / "brat" / f"{document.chapter}.en.txt").read_bytes() == (
            source.with_suffix(".txt").read_bytes()
        )
        bound = {line for line in old if line.startswith("T") and _labelled(line)}
        assert {line for line in new if line.startswith("T")} == bound
        assert _chains(old) == {
            (m.id, m.entity) for m in document.en.mentions if "." not in m.entity
        }
        assert _relations(new) == _relations(old)


def _labelled(line):
    """Whether an annotation is of a mention, not of a chain."""
    label = line.split("\t")[1].split(" ")[0]
    return label.rpartition("_")[2] in {"PER", "FAC", "GPE", "LOC", "VEH", "ORG"}


def _chains(lines):
    """(id of the mention, label of its chain), as spans tie them."""
    bound = [line for line in lines if line.startswith("T")]
    labels = {line: line.split("\t")[1].partition(" ") for line in bound}
    names = {labels[line][2]: line.split("\t")[0] for line in bound if _labelled(line)}
    return {(names[labels[line][2]], labels[line][0]) for line in bound if not _labelled(line)}


def _relations(lines):
    """Relations between the spans of their arguments: some point to the chain of a mention."""
    bound = dict(line.split("\t")[:2] for line in lines if line.startswith("T"))
    spans = {name: body.partition(" ")[2] for name, body in bound.items()}
    found = set()
    for line in lines:
        if line.startswith("R"):
            relation, first, second = line.split("\t")[1].split(" ")[:3]
            found.add((relation, spans[first[5:]], spans[second[5:]]))
    return found


def test_litbank_fields(shared_data):
    folder = shared_data / "litbank" / "coref" / "brat"
    (document,) = read(folder / "1023_bleak_house_brat.ann")
    mentions = {mention.id: mention for mention in document.en.mentions}
    assert mentions["T2"] == Mention(
        "T2", "Lincoln__s_Inn_Hall-3", 96, 115, 1, "Lincoln 's Inn Hall", "FAC", "name"
    )
    assert mentions["T68"].entity == "en.T68.cop.T228"
    assert mentions["T204"].form == "pronoun"
