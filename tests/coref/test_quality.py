"""The quality of the sieve does not fall; `benchmarks/sieve.py` prints all of it."""

import pytest

from bwb.annotations.conll2012 import read
from bwb.annotations.sources import read_documents
from bwb.coref.project import project_speech, side_chains
from bwb.coref.sieve import Sieve
from bwb.corefscores import count


def conll_f1(resolver, sides, *, gold, speakers=False):
    total = count((), ())
    for side in sides:
        key = side_chains(side)
        mentions = [span for chain in key for span in chain] if gold else None
        speech = project_speech(side, side.sentences) if speakers else None
        total += count(key, resolver.resolve(side.sentences, mentions, speech))
    return total.conll_f1


@pytest.mark.parametrize(("gold", "floor"), [(True, 0.75), (False, 0.59)])
def test_on_our_sample(gold, floor):
    sides = [document.en for document in read_documents()]
    assert conll_f1(Sieve(), sides, gold=gold, speakers=gold) > floor


@pytest.mark.parametrize(("gold", "floor"), [(True, 0.73), (False, 0.60)])
def test_on_novels_that_were_not_tuned_on(shared_data, gold, floor):
    folder = shared_data / "litbank" / "coref" / "conll"
    files = ["113_the_secret_garden_brat.conll", "45_anne_of_green_gables_brat.conll"]
    sides = [d.en for name in files for d in read(folder / name, lang="en")]
    assert conll_f1(Sieve(attributes=False), sides, gold=gold) > floor
