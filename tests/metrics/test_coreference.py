"""The coreference metric: counts by hand with a resolver that is told what to say."""

import dataclasses

import numpy as np
import pytest

from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.corefscores import count
from bwb.metrics.base import as_arrays
from bwb.metrics.coreference import Coreference

LINES = (
    "<PER, T, 1>{Lin Xi} met <PER, T, 2>{Bo}.",
    "<P, 1>{She} thanked <P, 2>{him}.",
    "<PER, T, 2>{Bo} bowed to <P, 1>{her}.",
)
PLAIN = ["Lin Xi met Bo.", "She thanked him.", "Bo bowed to her."]


class Told:
    """A resolver that groups mentions by a table of their words."""

    def __init__(self, **groups):
        self.groups = groups
        self.name = "told"

    def resolve(self, sentences, mentions=None, speakers=None):
        chains = {}
        for span in sorted(mentions):
            word = sentences[span.sentence][span.start : span.end].split()[0].lower()
            chains.setdefault(self.groups.get(word, word), []).append(span)
        return [tuple(chain) for chain in chains.values()]


RIGHT = Told(lin=1, she=1, her=1, bo=2, him=2)


def document(name="river/1", lines=LINES):
    side = read_inline(list(lines), "en", file="x", strict=True)[0]
    book, _, chapter = name.partition("/")
    return assemble(name, book, chapter, None, side)


def clusters(key, response):
    """Counts of clusters written as words, a mention a letter."""
    return count(list(map(list, key.split())), list(map(list, response.split())))


def scored(metric, *pairs):
    return metric.score("system", [metric.count(d, lines) for d, lines in pairs])


def test_what_the_resolver_finds_again_scores_one():
    score = scored(Coreference(RIGHT), (document(), PLAIN))
    assert score.score == score.f1 == score.recall == score.precision == 1.0
    assert all(
        score.parts[name].f1 == 1.0 for name in ("muc", "b3", "ceafm", "ceafe", "lea", "blanc")
    )
    assert score.parts["coverage"].recall == 1.0
    assert not score.misses
    assert score.unit == "document"


def test_counts_are_those_of_the_scorer():
    wrong = Told(lin=1, she=1, her=2, bo=2, him=2)
    score = scored(Coreference(wrong), (document(), PLAIN))
    expected = clusters("abc def", "ab cdef")
    for name, field in (
        ("muc", "muc"),
        ("b3", "b_cubed"),
        ("ceafm", "ceafm"),
        ("ceafe", "ceafe"),
        ("lea", "lea"),
    ):
        ratio, part = getattr(expected, field), score.parts[name]
        assert (part.recall, part.precision, part.f1) == pytest.approx(
            (ratio.recall, ratio.precision, ratio.f1)
        )
    blanc = expected.blanc()
    part = score.parts["blanc"]
    assert (part.recall, part.precision, part.f1) == pytest.approx(tuple(blanc))
    assert score.score == pytest.approx(expected.conll_f1)


def test_mentions_that_are_lost_lower_the_recall_only():
    lost = ["Lin Xi met Bo.", "She thanked him.", "He bowed."]
    missed = scored(Coreference(RIGHT), (document(), lost))
    expected = clusters("abc def", "ab de")
    assert missed.score == pytest.approx(expected.conll_f1)
    assert missed.parts["b3"].precision == 1.0
    assert missed.parts["b3"].recall == pytest.approx(expected.b_cubed.recall)
    assert missed.parts["coverage"].recall == pytest.approx(4 / 6)
    assert [(miss.sentence, miss.name) for miss in missed.misses] == [(2, "Bo"), (2, "her")]
    ignored = scored(Coreference(RIGHT, unmatched="ignored"), (document(), lost))
    assert ignored.score == 1.0
    assert ignored.parts["coverage"].recall == pytest.approx(4 / 6)


def test_documents_are_summed_before_dividing():
    metric = Coreference(Told(lin=1, she=1, her=2, bo=2, him=2))
    lost = ["", "She thanked him.", ""]
    score = scored(metric, (document(), PLAIN), (document("river/2"), lost))
    expected = clusters("abc def", "ab cdef") + clusters("abc def", "b e")
    assert score.score == pytest.approx(expected.conll_f1)
    assert score.documents == 2


def test_a_system_without_any_mention_scores_nothing():
    score = scored(Coreference(RIGHT), (document(), ["", "", ""]))
    assert score.score == 0.0
    assert score.parts["coverage"].recall == 0.0
    ignored = scored(Coreference(RIGHT, unmatched="ignored"), (document(), ["", "", ""]))
    assert ignored.score is None


def test_values_are_arrays_of_many_samples():
    metric = Coreference(RIGHT)
    tallies = [
        metric.count(document(), PLAIN),
        metric.count(document("river/2"), ["Lin Xi met Bo.", "", ""]),
    ]
    alone = [metric.score("s", [tally]).score for tally in tallies]
    keys = {key for tally in tallies for key in tally.counts}
    table = {key: np.array([tally.counts.get(key, 0.0) for tally in tallies]) for key in keys}
    assert metric.values(table) == pytest.approx(alone)
    both = {key: values.sum(keepdims=True) for key, values in table.items()}
    assert metric.values(both)[0] == pytest.approx(metric.score("s", tallies).score)
    assert np.isnan(metric.values(as_arrays({})))


def test_what_it_needs():
    metric = Coreference(RIGHT)
    assert metric.expensive
    assert metric.lacks(document()) is None
    bare = document(lines=PLAIN)
    unmarked = dataclasses.replace(bare, en=dataclasses.replace(bare.en, layers=()))
    assert "coreference" in metric.lacks(unmarked)
    assert "reference" in metric.lacks(dataclasses.replace(bare, en=None))


def test_the_signature_names_the_resolver():
    assert "resolver:told|unmatched:missed" in str(Coreference(RIGHT).signature({}))
    assert "resolver:sieve-" in str(Coreference().signature({}))
    with pytest.raises(ValueError, match="known are missed, ignored"):
        Coreference(RIGHT, unmatched="lost")


def test_with_the_sieve():
    score = scored(Coreference(), (document(), PLAIN))
    assert score.score == 1.0
    confused = ["Lin Xi met Bo.", "He thanked her.", "Bo bowed to him."]
    assert scored(Coreference(), (document(), confused)).score < 0.7
