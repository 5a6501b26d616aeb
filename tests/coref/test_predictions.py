"""Chains that somebody else made."""

import json

import pytest

from bwb.annotations import conll2012, conllu
from bwb.annotations.sources import read_documents
from bwb.coref.base import Span
from bwb.coref.predictions import Predicted, pair_clusterings, read_clusterings
from bwb.errors import FormatError, InputError

CONLL = """#begin document (a/1); part 000
a/1 0 0 Lin - (1
a/1 0 1 Xi - 1)
a/1 0 2 left - -

a/1 0 0 She - (1)
a/1 0 1 slept - -

#end document
"""
OURS = {
    "document": "a/1",
    "sentences": ["Lin Xi left", "She slept"],
    "clusters": [[[0, 0, 6], [1, 0, 3]]],
}
NEURAL = {
    "doc_key": "a/1",
    "sentences": [["Lin", "Xi", "left"], ["She", "slept"]],
    "clusters": [[[0, 1], [3, 3]]],
}


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("content", [CONLL, OURS, NEURAL])
def test_every_format_says_the_same(tmp_path, content):
    (found,) = read_clusterings(write(tmp_path / "x.response", content))
    assert found.name == "a/1"
    assert "".join(found.words) == "LinXileftSheslept"
    assert [sorted(cluster) for cluster in found.clusters] == [[(0, 5), (9, 12)]]


def test_predicted_clusters_go_before_gold_ones(tmp_path):
    row = {**NEURAL, "predicted_clusters": [[[3, 3]]]}
    (found,) = read_clusterings(write(tmp_path / "x.jsonl", row))
    assert found.clusters == [[(9, 12)]]


def test_documents_of_ours_in_any_format(tmp_path):
    documents = list(read_documents())
    conll2012.write(documents, tmp_path / "a")
    conllu.write(documents, tmp_path / "b")
    key = read_clusterings(tmp_path / "a", lang="en")
    response = read_clusterings(tmp_path / "b", lang="en")
    pairs = pair_clusterings(key, response)
    assert len(pairs) == len(documents)
    for one, other in pairs:
        assert sorted(map(sorted, one.clusters)) == sorted(map(sorted, other.clusters))
    both = read_clusterings(tmp_path / "b")
    assert {name.rpartition(" ")[2] for name in (c.name for c in both)} == {"[zh]", "[en]"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**OURS, "document": 7}, "expected document, a string"),
        ({**OURS, "sentences": "Lin Xi left"}, "sentences, a list of strings"),
        ({**OURS, "clusters": [[[0, 1]]]}, r"mentions \[sentence, start, end\]"),
        ({**OURS, "clusters": [[[0, 4, 99]]]}, "has 11 code points"),
        ({**OURS, "clusters": {"1": []}}, r"mentions \[sentence, start, end\]"),
        ({**NEURAL, "clusters": [[[0, 5]]]}, r"\[0, 5\] in a text of 5 tokens"),
        ({**NEURAL, "clusters": [[[0]]]}, r"mentions \[first, last\]"),
        ({**NEURAL, "sentences": ["Lin Xi"]}, "lists of tokens"),
        ({**NEURAL, "sentences": [["Lin Xi"]]}, "without white space"),
        ('{"clusters": [}', "not JSON"),
    ],
)
def test_rows_that_cannot_be_read_are_named_by_line(tmp_path, row, message):
    path = write(tmp_path / "x.jsonl", row)
    with pytest.raises(FormatError, match=message) as caught:
        read_clusterings(path)
    assert f"{path}:1" in str(caught.value)


def test_bad_files(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_clusterings(tmp_path / "none.conll")
    with pytest.raises(InputError, match="occurs twice"):
        read_clusterings(write(tmp_path / "twice.conll", CONLL + CONLL))
    with pytest.raises(FormatError, match="never closed"):
        read_clusterings(write(tmp_path / "open.conll", CONLL.replace("1)\na/1 0 2", "-\na/1 0 2")))
    with pytest.raises(FormatError, match="#begin document"):
        read_clusterings(write(tmp_path / "x.key", "# just a comment\n" + CONLL[33:]))


def clusterings(tmp_path, content, name="x"):
    return read_clusterings(write(tmp_path / name, content))


def test_documents_on_one_side_only_are_named(tmp_path):
    one = clusterings(tmp_path, CONLL)
    two = clusterings(tmp_path, CONLL + CONLL.replace("a/1", "a/2"))
    with pytest.raises(InputError, match="the response lacks 'a/2'"):
        pair_clusterings(two, one)
    with pytest.raises(InputError, match="the key lacks 'a/2'"):
        pair_clusterings(one, two)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("left", "Left", "token 3 is 'left' in the key and 'Left' in the response"),
        ("a/1 0 1 slept - -\n", "", "5 tokens in the key, 4 in the response"),
    ],
)
def test_other_tokens_are_named(tmp_path, old, new, message):
    key = clusterings(tmp_path, CONLL)
    with pytest.raises(InputError, match=message):
        pair_clusterings(key, clusterings(tmp_path, CONLL.replace(old, new)))


def test_tokens_may_be_cut_otherwise_only_against_plain_text(tmp_path):
    key = clusterings(tmp_path, CONLL)
    assert pair_clusterings(
        key,
        clusterings(tmp_path, {**OURS, "sentences": ["LinXi left She", "slept"], "clusters": []}),
    )
    with pytest.raises(InputError, match="token 1"):
        pair_clusterings(
            key,
            clusterings(
                tmp_path,
                {**NEURAL, "sentences": [["LinXi", "left", "She", "slept"]], "clusters": []},
            ),
        )


def test_predictions_as_a_resolver(tmp_path):
    resolver = Predicted(clusterings(tmp_path, NEURAL), "model")
    sentences = ["Lin Xi left", "She slept"]
    chain = (Span(0, 0, 6), Span(1, 0, 3))
    assert resolver.name == "model"
    assert resolver.resolve(sentences) == [chain]
    # Cut otherwise, with other mentions: what was not predicted is by itself.
    other = Span(1, 0, 4)
    assert resolver.resolve(["Lin Xi left She slept"], [Span(0, 12, 15), Span(0, 0, 3)]) == [
        (Span(0, 0, 3),),
        (Span(0, 12, 15),),
    ]
    assert resolver.resolve(sentences, [*chain, other]) == [chain, (other,)]
    with pytest.raises(InputError, match="no prediction for the text that begins 'Rain"):
        resolver.resolve(["Rain."])
    with pytest.raises(InputError, match="code points"):
        resolver.resolve(sentences, [Span(1, 0, 90)])
    with pytest.raises(InputError, match="expected mentions within a sentence"):
        resolver.resolve(["Lin", "Xi left She slept"])
