"""BERTScore and METEOR on stand-ins of their libraries, and for real where these are installed."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import pytest

from bwb.annotations.assemble import assemble
from bwb.errors import InputError, LengthError, MissingDependencyError, UsageError
from bwb.metrics import metric_class
from bwb.metrics.base import as_arrays
from bwb.metrics.bertscore import BertScore, TruncationWarning
from bwb.metrics.meteor import Meteor
from bwb.metrics.scoring import score_systems
from bwb.metrics.sentence_mean import MetricError, model_name
from bwb.metrics.stats_table import CountTable
from bwb.records import Side


def plain(*sentences, name="b/1"):
    return assemble(name, "b", name[-1], None, Side("en", sentences))


class Row(list):
    def tolist(self):
        return list(self)


class Scorer:
    """With the signature of bert_score.BERTScorer; scores by the share of common words."""

    made: ClassVar[list] = []

    def __init__(self, model_type=None, num_layers=None, batch_size=64, device=None, lang=None):
        if num_layers is None and model_type != "roberta-large":
            raise KeyError(model_type)
        if model_type == "nowhere":
            raise OSError("no such model\nand more")
        self.asked = []
        self._tokenizer = SimpleNamespace(model_max_length=10**30, tokenize=str.split)
        self._model = SimpleNamespace(
            config=SimpleNamespace(max_position_embeddings=10, model_type="roberta", pad_token_id=1)
        )
        Scorer.made.append(self)

    def score(self, cands, refs, verbose=False, batch_size=64, return_hash=False):
        assert all(text.strip() for text in (*cands, *refs))
        self.asked += zip(cands, refs, strict=True)
        words = [(set(a.split()), set(b.split())) for a, b in zip(cands, refs, strict=True)]
        p = Row(len(a & b) / len(a) for a, b in words)
        r = Row(len(a & b) / len(b) for a, b in words)
        return p, r, Row(2 * a * b / (a + b) if a + b else 0.0 for a, b in zip(p, r, strict=True))


@pytest.fixture
def library(monkeypatch):
    Scorer.made = []
    module = ModuleType("bert_score")
    module.BERTScorer = Scorer
    monkeypatch.setitem(sys.modules, "bert_score", module)
    return Scorer


def test_means_over_sentences_by_hand(library):
    doc = plain("a b", "c d", "", "e f")
    metric = BertScore()
    # P 1/2, R 1/2; P 1, R 1/2, F 2/3; no reference; nothing said.
    score = metric.score("s", [metric.count(doc, ["a x", "c", "y", " "])])
    assert (score.precision, score.recall) == (pytest.approx(1.5 / 3), pytest.approx(1 / 3))
    assert score.score == score.f1 == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert (score.counts["sentences"], score.counts["left_out"]) == (3, 1)
    assert "model:roberta-large|layer:default|idf:no" in str(score.signature)
    nothing = metric.score("s", [metric.count(plain("", ""), ["x", "y"])])
    assert (nothing.score, nothing.precision) == (None, None)


def test_all_is_scored_once_and_intervals_have_what_they_need(library):
    docs = [plain("a b", "c d"), plain("a b", "e", name="b/2")]
    outputs = {
        "one": {"b/1": ["a b", "c"], "b/2": ["a b", "e"]},
        "two": {"b/1": ["a b", "c"], "b/2": ["x", "e"]},
    }
    done = []
    (scored,) = score_systems(docs, outputs, [BertScore()], analysed=done.append)
    (scorer,) = library.made
    assert len(scorer.asked) == len(set(scorer.asked)) == sum(done) == 4
    table = CountTable.of(scored.metric, scored.tallies)
    one, two = table.corpus(("score", "precision"))[:, :].T
    assert one.tolist() == pytest.approx([(1 + 2 / 3 + 1 + 1) / 4, 1])
    assert two[0] == pytest.approx((1 + 2 / 3 + 0 + 1) / 4)
    assert table.by_document()[0, 1].tolist() == pytest.approx([(1 + 2 / 3) / 2, 0.5])
    values = scored.metric.values(as_arrays(scored.tallies["one"][0].counts))
    assert values[0] == pytest.approx((1 + 2 / 3) / 2)


def test_long_sentences_are_not_cut_in_silence(library):
    metric = BertScore()
    # Ten positions, of which RoBERTa uses two for padding and two are for its marks.
    with pytest.warns(TruncationWarning, match="reads 8 tokens; 1 sentences are cut"):
        metric.count(plain("a b c d e f", "a b c d e f"), ["a b c d e f g", "a"])


def test_models_that_do_not_fit_are_refused(library, tmp_path):
    for model, message in (("mine", "no best layer for the model 'mine'"), ("nowhere", "no such")):
        with pytest.raises(InputError, match=message):
            BertScore(model=model, layer=None if model == "mine" else 1).count(plain("a"), ["a"])
    folder = tmp_path / "bert5"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(InputError, match="for a T5 model, and this is bert"):
        BertScore(model=str(folder), layer=1).count(plain("a"), ["a"])
    for wrong in ({"batch": 0}, {"layer": 0}):
        with pytest.raises(UsageError, match="0; expected 1 or more"):
            BertScore(**wrong)
    with pytest.raises(LengthError, match="2 sentences, expected 1"):
        BertScore().count(plain("a"), ["a", "b"])


def test_scores_that_are_none_are_refused(library, monkeypatch):
    monkeypatch.setattr(Scorer, "score", lambda self, c, r, **_: (Row([float("nan")]),) * 3)
    with pytest.raises(MetricError, match="is no score"):
        BertScore().count(plain("a"), ["a"])


def test_a_folder_is_named_by_its_content_and_not_its_place(tmp_path):
    names = []
    for place, text in (("x/m", "1"), ("y/m", "1"), ("z/m", "2")):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder / "weights").write_text(text)
        names.append(model_name(str(folder)))
    assert names[0] == names[1] != names[2]
    assert names[0].startswith("m@")
    assert str(tmp_path) not in names[0]
    assert model_name("roberta-large") == "roberta-large"


@pytest.mark.parametrize("name", ["bert_score", "nltk.translate.meteor_score"])
def test_without_the_library_there_is_the_line_to_type(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    metric = BertScore() if name == "bert_score" else Meteor(synonyms=False)
    with pytest.raises(MissingDependencyError, match=r"pip install 'bwb-corpus\[neural\]'"):
        metric.count(plain("a"), ["a"])


def test_they_are_listed_and_run_only_if_asked_for():
    for name in ("bertscore", "meteor", "comet"):
        metric = metric_class(name)()
        assert (metric.name, metric.expensive) == (name, True)
        assert "pip install" in metric.download
        assert metric.higher_is_better


class WordNet:
    def __init__(self, *, there=True):
        self.there = there

    def synsets(self, word):
        if not self.there:
            raise LookupError("Resource wordnet not found")
        return []

    def get_version(self):
        self.synsets("word")
        return "3.0"


@pytest.fixture
def nltk(monkeypatch):
    """Stand-ins; a sentence's score is the share of words in common, with or without synonyms."""
    asked = []

    def single_meteor_score(
        reference, hypothesis, preprocess=str.lower, stemmer=None, wordnet=None, **parameters
    ):
        asked.append((wordnet, parameters))
        return len(set(reference) & set(hypothesis)) / len(reference)

    tokenizer = SimpleNamespace(tokenize=str.split)
    for name, body in {
        "nltk": {},
        "nltk.corpus": {"wordnet": WordNet()},
        "nltk.tokenize": {"NLTKWordTokenizer": lambda: tokenizer},
        "nltk.translate": {},
        "nltk.translate.meteor_score": {"single_meteor_score": single_meteor_score},
    }.items():
        module = ModuleType(name)
        vars(module).update(body)
        monkeypatch.setitem(sys.modules, name, module)
    return asked


def test_meteor_is_a_mean_with_parameters_by_name(nltk):
    metric = Meteor()
    score = metric.score("s", [metric.count(plain("a b", "c", ""), ["a", "c", "x"])])
    assert score.score == pytest.approx((0.5 + 1) / 2)
    assert score.f1 is None
    assert "alpha:0.9|beta:3|gamma:0.5|tok:nltk|stem:porter|synonyms:wordnet-3.0" in str(
        score.signature
    )
    assert all(parameters == {"alpha": 0.9, "beta": 3.0, "gamma": 0.5} for _, parameters in nltk)


def test_meteor_without_wordnet_does_nothing_in_silence(nltk):
    sys.modules["nltk.corpus"].wordnet = WordNet(there=False)
    with pytest.raises(InputError, match=r"python -m nltk\.downloader wordnet"):
        Meteor().count(plain("a"), ["a"])
    metric = Meteor(synonyms=False)
    assert metric.count(plain("a"), ["a"]).counts["score.sum"] == 1
    assert nltk[-1][0].synsets("a") == []
    assert metric.options()["synonyms"] == "no"
    assert Meteor().options()["synonyms"] == "none"


@pytest.mark.skipif(importlib.util.find_spec("nltk") is None, reason="nltk is not installed")
def test_meteor_by_the_example_of_nltk():
    reference = "It is a guide to action that ensures that the military will forever heed Party "
    system = "It is a guide to action which ensures that the military always obeys the commands "
    metric = Meteor(synonyms=False)
    tally = metric.count(plain(f"{reference}commands"), [f"{system}of the party"])
    assert tally.counts["score.sum"] == pytest.approx(0.6944, abs=5e-5)
