"""CoNLL-2012: what survives writing, files of others, LitBank, every kind of malformed line."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations import brat
from bwb.annotations.conll2012 import read, read_clusters, write
from bwb.annotations.loss import Loss, summarise
from bwb.annotations.tokens import join_sides, place, self_crossing, side_tokens
from bwb.errors import FormatError, InputError
from bwb.records import Mention, Side

# Two documents in the layout of the shared task: many columns, padded with spaces.
OFFICIAL = """\
#begin document (bc/cctv/00/cctv_0001); part 000
bc/cctv/00/cctv_0001   0   0    [WORD]   NNP   (TOP(S(NP*   -   -   -   Speaker#1   (PERSON*   (0
bc/cctv/00/cctv_0001   0   1    Wan      NNP            *)   -   -   -   Speaker#1          *)   0)

bc/cctv/00/cctv_0001   0   0    She      PRP            *   -   -   -   Speaker#1   *   (0)|(12
bc/cctv/00/cctv_0001   0   1    left     VBD            *   -   -   -   Speaker#1   *    -
bc/cctv/00/cctv_0001   0   2    /.       .              *   -   -   -   Speaker#1   *   12)

#end document
#begin document (bc/cctv/00/cctv_0001); part 001
bc/cctv/00/cctv_0001   1   0    Rain     NN             *   -   -   -   -   *   -

#end document
"""


@pytest.fixture
def file(tmp_path):
    def make(text, name="b/1.en.conll"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return make


def test_official_layout(file):
    path = file(OFFICIAL, "x.v4_gold_conll")
    first, second = read(path)
    assert (first.id, first.book, first.chapter) == (
        "bc/cctv/00/cctv_0001", "bc/cctv/00", "cctv_0001",
    )  # fmt: skip
    assert first.en == Side(
        "en",
        ("[WORD] Wan", "She left /."),
        ("coreference",),
        (
            Mention("m1", "0", 0, 10, 0, "[WORD] Wan"),
            Mention("m2", "12", 11, 22, 1, "She left /."),
            Mention("m3", "0", 11, 14, 1, "She"),
        ),
    )
    assert (second.id, second.en.sentences) == ("bc/cctv/00/cctv_0001.1", ("Rain",))
    assert read_clusters(path) == [
        (
            "bc/cctv/00/cctv_0001",
            ["[WORD]", "Wan", "She", "left", "/."],
            [[(0, 2), (2, 3)], [(2, 5)]],
        ),
        ("bc/cctv/00/cctv_0001.1", ["Rain"], []),
    ]


def test_blank_cells_and_brackets_in_any_order(file):
    head = "#begin document (x); part 0\n# a comment\n"
    rows = ["x\t0\t0\tShe\t_\t(1|(2)|(1", "x\t0\t1\tand\t_\t", "x\t0\t2\the\t_\t(3|1)|1)", ""]
    more = ["x\t0\t0\tleft\t_\t3)", "#end document"]
    path = file(head + "\n".join([*rows, *more]))
    assert read_clusters(path) == [
        ("x", ["She", "and", "he", "left"], [[(0, 3), (0, 3)], [(0, 1)], [(2, 4)]])
    ]
    (document,) = read(path)
    assert document.id == "b/x"
    assert document.en.mentions[-1].text == "he\nleft"
    (document,) = read(path.rename(path.with_name("1.conll")), lang="zh")
    assert document.zh is not None


def test_what_is_written(river, tmp_path):
    losses = write([river], tmp_path)
    text = (tmp_path / "river/1.en.conll").read_text("utf-8")
    assert text.split("\n")[:10] == [
        "#begin document (river/1); part 000",
        "river/1\t0\t0\t“\t-\t-\t-\t-\t-\t-\t-\t-",
        "river/1\t0\t1\tGo\t-\t-\t-\t-\t-\t-\t-\t-",
        "river/1\t0\t2\t,\t-\t-\t-\t-\t-\t-\t-\t-",
        "river/1\t0\t3\t”\t-\t-\t-\t-\t-\t-\t-\t-",
        "river/1\t0\t4\tsaid\t-\t-\t-\t-\t-\t-\t-\t-",
        "river/1\t0\t5\tLin\t-\t-\t-\t-\t-\t-\t-\t(0",
        "river/1\t0\t6\tWan\t-\t-\t-\t-\t-\t-\t-\t0)",
        "river/1\t0\t7\t,\t-\t-\t-\t-\t-\t-\t-\t-",
        "",
    ]
    assert text.endswith("#end document\n")
    (document,) = read(tmp_path)
    assert document.en.sentences == ("“ Go , ” said Lin Wan ,", "to Shen Zhou’s boat . “ Home . ”")
    assert document.zh.sentences[0] == "林 晚 说 ： “ 走 吧 ， ”"
    by_chain = {"0": ["林 晚"], "1": ["沈 舟 的 船"], "2": ["沈 舟"]}
    assert {m.entity: [m.text] for m in document.zh.mentions} == by_chain
    assert {m.text: m.entity for m in document.en.mentions} == {
        "Lin Wan": "0", "Shen Zhou’s boat": "1", "Shen Zhou’s": "2", "Zhou’s boat": "3",
    }  # fmt: skip
    assert summarise(losses) == {
        "places with other white space": 28,
        "types": 6,
        "forms": 7,
        "terms": 6,
        "ids of entities": 7,
        "layers": 6,
        "empty sentences": 2,
        "quotes": 2,
        "omitted pronouns": 1,
    }
    assert {loss.document for loss in losses} == {"river/1"}


def test_numbers_that_are_ids_stay(tmp_path):
    mentions = (Mention("m1", "7", 0, 3, 0, "She"), Mention("m2", "0", 4, 8, 0, "left"))
    document = join_sides("b/1", None, Side("en", ("She left",), ("coreference",), mentions))
    assert write([document], tmp_path) == []
    assert list(read(tmp_path)) == [document]


def test_what_cannot_be_written_is_counted(tmp_path):
    mentions = (
        Mention("m1", "1", 0, 6, 0, "a b  c"),
        Mention("m2", "1", 2, 8, 0, "b  c d"),
        Mention("x", "2", 3, 5, 0, "  "),
        Mention("m3", "2", 0, 2, 0, "a "),
    )
    document = join_sides("b/1", None, Side("en", ("a b  c d",), (), mentions))
    document = dataclasses.replace(document, genre="wuxia")
    assert write([document], tmp_path) == [
        Loss("b/1", "genres", 1),
        Loss("b/1", "mentions that are only white space", 1),
        Loss("b/1", "white space at the ends of mentions", 1),
        Loss("b/1", "spans of mentions that cross their own chain", 2),
        Loss("b/1", "mentions out of order", 2),
        Loss("b/1", "ids of mentions", 2),
        Loss("b/1", "places with other white space", 1),
        Loss("b/1", "layers", 1),
    ]


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_chains_and_tokens_survive(random_documents, data):
    documents = data.draw(random_documents("\r"))
    with tempfile.TemporaryDirectory() as folder:
        write(documents, Path(folder))
        for lang in ("zh", "en"):
            clusters = {c.name: c for c in read_clusters(Path(folder), lang=lang)}
            for document in documents:
                side = getattr(document, lang)
                if side is not None:
                    same_tokens_and_chains(side, clusters[document.id])
        back = {document.id: document for document in read(Path(folder))}
        assert back.keys() == {document.id for document in documents}


def same_tokens_and_chains(side, clustered):
    tokens = [token for sentence in side_tokens(side) for token in sentence]
    assert clustered.tokens == [side.text[start:end] for start, end in tokens]
    placed = [(m.entity, at) for m in side.mentions if (at := place(m, tokens))]
    spans = [(entity, at.first, at.last) for entity, at in placed]
    chains = {}
    for entity, first, last in spans:
        chains.setdefault(entity, []).append((first, last + 1))
    if not self_crossing(spans):
        expected = sorted(sorted(chain) for chain in chains.values())
        assert sorted(sorted(chain) for chain in clustered.clusters) == expected
    else:
        sizes = sorted(len(chain) for chain in chains.values())
        assert sorted(len(chain) for chain in clustered.clusters) == sizes


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_was_read_is_written_without_loss(random_documents, data):
    documents = data.draw(random_documents())
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        write(documents, Path(one))
        read_once = list(read(Path(one)))
        losses = {loss.what for loss in write(read_once, Path(two), spaced=True)}
        assert losses <= {"links that are not line by line"}
        assert list(read(Path(two))) == read_once


HEAD = "#begin document (x); part 000"
END = "#end document"


@pytest.mark.parametrize(
    ("lines", "place", "code"),
    [
        ([HEAD, "x 0 0 a - (1", END], (2, 11), "bad-bracket"),
        ([HEAD, "x 0 0 a - 1)", END], (2, 11), "bad-bracket"),
        ([HEAD, "x 0 0 a - 1", END], (2, 11), "bad-bracket"),
        ([HEAD, "x 0 0 a - (1)(2)", END], (2, 11), "bad-bracket"),
        ([HEAD, "x 0 0 a - (1)|", END], (2, 11), "bad-bracket"),
        ([HEAD, "x\t0\t0\ta\t-\t(1 2)", END], (2, 11), "bad-bracket"),
        ([HEAD, "x 0 0 a", END], (2, 1), "bad-columns"),
        ([HEAD, "x\t0\t0\ta b\t-\t-", END], (2, 1), "bad-word"),
        ([HEAD, "x\t0\t0\t\t-\t-", END], (2, 1), "bad-word"),
        ([HEAD, "x 0 0 a - -"], (3, 0), "no-end"),
        ([HEAD, HEAD], (2, 1), "document-in-document"),
        (["x 0 0 a - -"], (1, 1), "no-document"),
        ([HEAD, END, END], (3, 1), "no-document"),
        (["#begin document x", END], (1, 1), "bad-header"),
        (["#begin document (); part 0", END], (1, 1), "bad-header"),
    ],
)
def test_malformed(file, lines, place, code):
    path = file("\n".join(lines) + "\n")
    with pytest.raises(FormatError) as error:
        list(read(path))
    finding = error.value.finding
    assert (finding.file, finding.line, finding.column) == (str(path), *place)
    assert finding.code == code


def test_nothing_to_read(tmp_path):
    for reader in (read_clusters, lambda path: list(read(path))):
        with pytest.raises(InputError, match="no files named"):
            reader(tmp_path)


def test_long_lines(tmp_path):
    text = "林晚 " * 33_334
    mentions = tuple(
        Mention(f"m{i + 1}", f"{i % 50}", 30 * i, 30 * i + 2, 0, "林晚") for i in range(3_333)
    )
    document = join_sides("b/1", Side("zh", (text.strip(),), ("coreference",), mentions), None)
    assert write([document], tmp_path, spaced=True) == []
    assert list(read(tmp_path)) == [document]


def test_litbank(shared_data, tmp_path):
    folder = shared_data / "litbank" / "coref" / "conll"
    documents = list(read(folder))
    assert len(documents) == 20
    assert sum(len(document.en.mentions) for document in documents) == 5981
    assert write(documents, tmp_path, spaced=True) == []
    assert list(read(tmp_path)) == documents
    clusters = read_clusters(folder)
    assert [c[1:] for c in read_clusters(tmp_path)] == [c[1:] for c in clusters]
    assert sum(len(c.tokens) for c in clusters) == 42_601


def test_litbank_agrees_with_its_brat_files(shared_data):
    folder = shared_data / "litbank" / "coref"
    others = {document.chapter: document.en for document in brat.read(folder / "brat")}
    documents = list(read(folder / "conll"))
    assert {document.chapter for document in documents} == others.keys()
    differ = []
    for document in documents:
        side, other = document.en, others[document.chapter]
        assert side.sentences == other.sentences
        text = (folder / "brat" / f"{document.chapter}.txt").read_text("utf-8")
        assert text == side.text + "\n"
        assert {(m.start, m.end) for m in side.mentions} == {
            (m.start, m.end) for m in other.mentions
        }
        if chains(side) != chains(other):
            differ.append(document.chapter)
    # There a place apart from its chain in one file is in it in the other, four times.
    assert differ == ["1400_great_expectations_brat"]


def chains(side):
    found = {}
    for mention in side.mentions:
        found.setdefault(mention.entity, set()).add((mention.start, mention.end))
    return {frozenset(chain) for chain in found.values()}
