from __future__ import annotations

import pytest

from bwb.annotations.agreement import agreement, entity_mapping, pair_documents
from bwb.annotations.assemble import assemble
from bwb.annotations.inline import read_inline
from bwb.errors import InputError


def document(*lines, name="b/1"):
    en, _ = read_inline(lines, "en")
    return assemble(name, "b", "1", None, en)


def scores(first, second):
    return {row.measure: row for row in agreement([(first, second)])}


FIRST = (
    "<PER, T, 1>{Wen Xi} took <O, 1>{her} lamp to <FAC, N, 2>{the old hall}.",
    "<Q, 1>“Who is there?”<\\Q> <P, 1>{she} asked <PER, N, 3>{the monk}.",
)
# Another span for the hall, T made N, P for O, another speaker, and all ids renumbered.
SECOND = (
    "<PER, N, 7>{Wen Xi} took <P, 7>{her} lamp to the <FAC, N, 8>{old hall}.",
    "<Q, 9>“Who is there?”<\\Q> <P, 7>{she} asked <PER, N, 9>{the monk}.",
)


def test_each_layer_is_compared_by_itself():
    found = scores(document(*FIRST), document(*SECOND))
    counts = {name: (row.first, row.second, row.both) for name, row in found.items()}
    assert counts == {
        "mention": (5, 5, 4),
        "entity": (3, 3, 2),
        "terminology": (1, 0, 0),
        "coreference": (5, 5, 4),
        "omitted": (1, 0, 0),
        "quotation": (1, 1, 1),
        "speaker": (1, 1, 0),
    }
    assert found["mention"].f1 == pytest.approx(0.8)
    assert found["terminology"].precision is None
    assert found["terminology"].f1 == 0


def test_coreference_is_the_conll_mean():
    # Chains {a b c} {d} {e} and {a b c} {x} {e}: MUC 1; B3 and CEAFe by their definitions.
    found = scores(document(*FIRST), document(*SECOND))
    b_cubed, ceafe = 4 / 5, 2 / 3
    assert found["coreference"].f1 == pytest.approx((1 + b_cubed + ceafe) / 3)


def test_an_annotation_agrees_with_itself():
    assert all(row.f1 == 1 for row in agreement([(document(*FIRST), document(*FIRST))]))


def test_ids_are_mapped_by_the_mentions_they_share():
    mapping = entity_mapping(document(*FIRST).en, document(*SECOND).en)
    assert mapping == {"7": "1", "9": "3"}


def test_documents_are_paired_and_must_have_the_same_text():
    one, other = document(*FIRST), document(*FIRST, name="b/2")
    assert pair_documents([one, other], [other]) == [(other, other)]
    with pytest.raises(InputError, match="b/2 is not in the first"):
        pair_documents([one], [other])
    with pytest.raises(InputError, match="sentence 1: the annotators' texts differ"):
        pair_documents([one], [document(FIRST[0].replace("lamp", "bell"), FIRST[1])])
    with pytest.raises(InputError, match="2 and 1 sentences"):
        pair_documents([one], [document(FIRST[0])])
    with pytest.raises(InputError, match="no document in common"):
        pair_documents([one], [])
    with pytest.raises(InputError, match="twice"):
        pair_documents([one, one], [one])
