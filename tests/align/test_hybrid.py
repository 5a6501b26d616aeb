from __future__ import annotations

import itertools
import json
import math
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bwb.align import candidates, train
from bwb.align.base import SentenceLink, check_links
from bwb.align.cooccurrence import Cooccurrence
from bwb.align.encoders import Usem3, make_encoder
from bwb.align.features import FEATURES
from bwb.align.hybrid import Hybrid, singles, unsure
from bwb.align.lattice import Lattice
from bwb.align.lexicon import ChineseEnglish, Cognates
from bwb.align.model import Calibration, Model, dump_model, load_model
from bwb.align.scoring import LinkScore, score_links
from bwb.assets import asset
from bwb.errors import FormatError, InputError, UnknownNameError

ZH = [
    "天黑以前，渡船靠了岸。",
    "老人把缆绳系在石桩上，回头看了看河对面的山。",
    "“还有人要过河吗？”",
    "没有人回答。",
    "他点上灯笼，坐在船头，等了很久。",
    "风从北边吹来，带着雪的气味，水面上结了一层薄冰。",
    "后来一个女孩提着篮子跑了过来。",
    "“请等一等，我母亲病了，我要去镇上请医生。”",
    "老人没有说话，只是把手伸给了她。",
]
EN = [
    "Before dark the ferry reached the bank.",
    "The old man tied the rope to a stone post.",
    "Then he looked back at the mountains across the river.",
    '"Does anyone else want to cross?"',
    "Nobody answered. He lit the lantern, sat down in the bow and waited for a long time.",
    "The wind blew from the north and smelled of snow, and there was thin ice on the water.",
    "Later a girl came running with a basket.",
    '"Please wait!',
    'My mother is ill, and I have to fetch the doctor from town."',
    "The old man said nothing and only gave her his hand.",
]
GOLD = ["0:0", "1:1,2", "2:3", "3,4:4", "5:5", "6:6", "7:7,8", "8:9"]


class Fake:
    name = "fake"

    def encode(self, texts):
        rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(size=8) for t in texts]
        matrix = np.array(rows, np.float32).reshape(-1, 8)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BWB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def aligner(tmp_path_factory):
    return Hybrid(cache=tmp_path_factory.mktemp("vectors"))


def short(links):
    return [",".join(map(str, x.src)) + ":" + ",".join(map(str, x.tgt)) for x in links]


def test_a_small_text(aligner):
    links = aligner.align(ZH, EN)
    assert short(links) == GOLD
    assert all(link.method == "hybrid" and 0 <= link.score <= 1 for link in links)
    assert np.mean([link.score for link in links]) > 0.7


def test_the_result_does_not_change(aligner):
    again = Hybrid(encoder=Usem3())
    assert aligner.align(ZH, EN) == aligner.align(ZH, EN)
    assert short(again.align(ZH, EN)) == GOLD


def test_the_other_direction(aligner):
    links = Hybrid("en-zh", encoder=aligner.encoder).align(EN, ZH)
    assert [":".join(reversed(x.split(":"))) for x in short(links)] == GOLD


def test_other_pairs_need_no_lexicon(aligner):
    german = ["Am Abend kam die Fähre.", "Niemand sprach.", "Dann fiel Schnee auf den Fluss."]
    english = ["In the evening the ferry came.", "Nobody spoke.", "Then snow fell on the river."]
    other = Hybrid("de-en", encoder=aligner.encoder)
    assert other.lexicon.name == "cooccurrence"
    assert short(other.align(german, english)) == ["0:0", "1:1", "2:2"]


def test_an_omission_is_null(aligner):
    extra = [f"Advertisement number {k}: buy cheap insurance on our website." for k in range(12)]
    links = aligner.align(ZH, [*EN[:5], *extra, *EN[5:]])
    nulls = [x for x in links if not x.src]
    assert sum(5 <= x.tgt[0] < 17 for x in nulls) >= 11
    assert all(len(x.tgt) == 1 for x in nulls)


@pytest.mark.parametrize(("src", "tgt"), [([], []), (ZH, []), ([], EN)])
def test_an_empty_side_gives_nulls(aligner, src, tgt):
    links = aligner.align(src, tgt)
    assert len(links) == len(src) + len(tgt)
    assert all(link.score == 0 for link in links)


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        (ZH[:1], EN[:1]),
        (ZH[:1], EN),
        (ZH, EN[:1]),
        (ZH, ZH),
        (EN, EN),
        (["", "", ""], ["", ""]),
        (["好。", "", "走。"], ["", "Good."]),
        (["。"] * 30, ["."] * 30),
        (["\ud800"], ["\x00"]),
    ],
)
def test_odd_texts_are_aligned(aligner, src, tgt):
    check_links(aligner.align(src, tgt), len(src), len(tgt))


def test_identical_texts_align_one_to_one():
    links = Hybrid("de-de").align(EN, EN)
    assert short(links) == [f"{k}:{k}" for k in range(len(EN))]


def test_the_wrong_text_scores_low(aligner):
    right = np.mean([link.score for link in aligner.align(ZH, EN)])
    tax = [f"Section {k} of the tax code defines taxable income." for k in range(9)]
    for wrong in (tax, ["Der Vertrag regelt die Haftung der Parteien."] * 9):
        links = aligner.align(ZH, wrong)
        check_links(links, len(ZH), len(wrong))
        assert np.mean([link.score for link in links]) < 0.5 < right


def test_ten_times_as_long_is_null_filled(aligner):
    noise = [f"Chapter {k} of another book altogether, about tax law." for k in range(81)]
    links = aligner.align(ZH, [*EN[:5], *noise, *EN[5:]])
    check_links(links, 9, 91)
    assert sum(not x.src for x in links) > 40


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.text(max_size=12), max_size=14),
    st.lists(st.text(max_size=12), max_size=14),
    st.sampled_from(["zh-en", "en-zh", "de-fr"]),
)
def test_any_text_is_covered_and_monotone(src, tgt, pair):
    links = Hybrid(pair, encoder=Fake()).align(src, tgt)
    check_links(links, len(src), len(tgt))
    assert all(0 <= link.score <= 1 and math.isfinite(link.score) for link in links)


# the dynamic programme


def paths(start, end, source, sink):
    def walk(node, sofar):
        if node == sink:
            yield sofar
        for arc in np.flatnonzero(start == node).tolist():
            yield from walk(int(end[arc]), [*sofar, arc])

    return list(walk(source, []))


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_lattice_against_all_paths(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 4, 2)
    arcs = candidates.arcs_in(np.zeros(n + 1, int), np.full(n + 1, m))
    keep = rng.random(len(arcs)) < 0.8
    keep |= (arcs.a + arcs.b == 1) & ((arcs.i == 0) | (arcs.j == m))
    arcs = arcs[keep]
    lattice = candidates.lattice_of(arcs, n, m)
    weights = rng.normal(size=len(arcs))
    every = paths(lattice.start, lattice.end, lattice.source, lattice.sink)
    sums = np.array([weights[p].sum() for p in every])
    path, total = lattice.best(weights)
    assert total == pytest.approx(sums.max())
    assert path.tolist() == every[int(sums.argmax())]
    shares, whole = lattice.marginals(weights)
    assert whole == pytest.approx(np.log(np.exp(sums).sum()))
    most = lattice.max_marginals(weights)
    for arc in range(len(arcs)):
        through = np.array([arc in p for p in every])
        assert shares[arc] == pytest.approx(np.exp(sums[through] - whole).sum(), abs=1e-9)
        if through.any():
            assert most[arc] == pytest.approx(sums[through].max())
        else:
            assert most[arc] < -1e20


def test_ties_are_broken_the_same_way():
    lattice = Lattice(
        np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3]), np.array([0, 1, 1, 2]), 0, 3
    )  # fmt: skip
    assert lattice.best(np.zeros(4))[0].tolist() == [0, 2]


def test_the_first_pass_against_all_chains():
    rng = np.random.default_rng(3)
    for n, m in ((4, 5), (5, 3), (1, 4)):
        src, tgt = (rng.normal(size=(k, 3)).astype(np.float32) for k in (n, m))
        src /= np.linalg.norm(src, axis=1, keepdims=True)
        tgt /= np.linalg.norm(tgt, axis=1, keepdims=True)
        cosine = src @ tgt.T
        chains = (
            list(zip(rows, columns, strict=True))
            for size in range(min(n, m) + 1)
            for rows in itertools.combinations(range(n), size)
            for columns in itertools.combinations(range(m), size)
        )
        best = max(sum(float(cosine[x]) for x in chain) for chain in chains)
        found = candidates.anchors(src, tgt, neighbours=m)
        assert (np.diff(found, axis=0) > 0).all()
        assert cosine[found[:, 0], found[:, 1]].sum() == pytest.approx(best, abs=1e-5)


@given(st.integers(0, 30), st.integers(0, 300), st.data())
def test_the_band_is_connected(n, m, data):
    count = data.draw(st.integers(0, min(n, m)))
    pick = [sorted(data.draw(st.permutations(range(k)))[:count]) for k in (n, m)]
    low, high = candidates.band(np.array(list(zip(*pick, strict=True)), int).reshape(-1, 2), n, m)
    assert low[0] == 0
    assert high[-1] == m
    assert (np.diff(low) >= 0).all()
    assert (low[1:] <= high[:-1]).all()
    assert (low <= high).all()
    arcs = candidates.arcs_in(low, high)
    if len(arcs):
        lattice = candidates.lattice_of(arcs, n, m)
        assert lattice.reachable().any()


def test_unsure_is_what_rivals_touch():
    arcs = candidates.Arcs(*(np.array(x) for x in ([0, 1, 1, 2, 5], [0, 1, 1, 2, 5],
                                                   [1, 1, 2, 1, 1], [1, 1, 2, 1, 1])))  # fmt: skip
    src, tgt = unsure(arcs, 6, 6)
    assert src.tolist() == tgt.tolist() == [True, True, True, True, False, False]


def test_a_run_of_nulls_becomes_single_links():
    assert singles(((), (3, 4))) == [((), (3,)), ((), (4,))]
    assert singles(((1, 2), (3,))) == [((1, 2), (3,))]


# the model


def test_models_survive_their_file(tmp_path):
    path = tmp_path / "model.toml"
    model = load_model(asset("align/hybrid-zh-en.toml"))
    path.write_text(dump_model(model, {"data": ["a", "b"], "documents": 3}), encoding="utf-8")
    assert load_model(path) == model


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("gc = ", "gd = ", "gc, gd"),
        ("[first]", "[fisrt]", r"\[first\]"),
        ('"chinese-english"', '"klingon"', "klingon"),
        ("prune_beam = 1.5000", 'prune_beam = "x"', "expected a number"),
        ("[weights]", "[weights", "no TOML"),
    ],
)
def test_a_wrong_file_is_named(tmp_path, old, new, message):
    path = tmp_path / "model.toml"
    text = asset("align/hybrid-zh-en.toml").read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Hybrid(weights=path)
    with pytest.raises(InputError, match="No such file"):
        Hybrid(weights=tmp_path / "none.toml")


def test_an_unknown_encoder_is_refused():
    with pytest.raises(UnknownNameError):
        Hybrid(encoder="bert")


def test_scores_grow_with_every_evidence():
    some = load_model(asset("align/hybrid-zh-en.toml")).calibration
    values = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    for scores in (some(values, values, values), some(values, values * 0 + 0.5, values * 0 + 0.4)):
        assert (np.diff(scores) > 0).all()
        assert (scores >= 0).all()
        assert (scores <= 1).all()
    assert Calibration()(np.array([0.3]), np.array([0.9]), np.array([0.0])) == pytest.approx(0.3)


# training


def examples(tmp_path):
    gold = [[[int(k) for k in side.split(",")] for side in x.split(":")] for x in GOLD]
    rows = [
        {"id": "one", "src": ZH, "tgt": EN, "gold": gold},
        {"id": "two", "src": ZH[:6], "tgt": EN[:6], "gold": gold[:5]},
    ]
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    zeros = dict.fromkeys(FEATURES, 0.0)
    blank = Model("cognates", zeros, zeros)
    return train.read_examples(path, Usem3(), Cognates(), blank), blank


def test_the_gradient_is_that_of_the_loss(tmp_path):
    some, _ = examples(tmp_path)
    weights = np.random.default_rng(0).normal(size=len(FEATURES))
    _, slope = train.loss(weights, some, 0.3)
    for k in range(len(FEATURES)):
        step = np.zeros(len(FEATURES))
        step[k] = 1e-5
        ends = [train.loss(weights + sign * step, some, 0.3)[0] for sign in (1, -1)]
        assert slope[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-4)


def test_training_learns_what_it_saw(tmp_path):
    some, blank = examples(tmp_path)
    model = train.fit_model(some, 0.05, blank, None)
    found = train.align(some[0].scene, model)[0]
    assert set(found) == some[0].gold


def test_scenes_align_as_the_aligner_does(tmp_path):
    model = load_model(asset("align/hybrid-any.toml"))
    scene = train.whole_scene(ZH, EN, Usem3(), Cooccurrence(), model)
    links = Hybrid("any", encoder=Usem3()).align(ZH, EN)
    beads, last, first, support = train.align(scene, model)
    assert beads == [(x.src, x.tgt) for x in links]
    assert np.allclose(model.calibration(last, first, support), [x.score for x in links])


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": 1, "src": [], "tgt": []}',
        '{"id": 1, "src": ["a"], "tgt": [], "gold": [[[1], []]]}',
    ],
)
def test_bad_training_rows_are_named(tmp_path, line):
    path = tmp_path / "data.jsonl"
    path.write_text(line, encoding="utf-8")
    zeros = dict.fromkeys(FEATURES, 0.0)
    with pytest.raises(FormatError, match=r"data\.jsonl:1:1"):
        train.read_examples(path, Fake(), Cognates(), Model("cognates", zeros, zeros))


def test_calibration_error_is_the_mean_gap():
    scores = np.array([0.1, 0.1, 0.9, 0.9])
    right = np.array([0.0, 0.0, 1.0, 0.0])
    assert train.calibration_error(scores, right, bins=2) == pytest.approx((0.1 + 0.4) / 2)


# quality


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "lexicon", "strict", "lax"),
    [("mac/mac-dev.jsonl", ChineseEnglish, 0.92, 0.995)],
)
def test_chapters_not_trained_on(shared_data, file, lexicon, strict, lax):
    path = shared_data / file
    zeros = dict.fromkeys(FEATURES, 0.0)
    blank = Model("chinese-english", zeros, zeros)
    encoder, words = make_encoder(), lexicon()
    some = train.read_examples(path, encoder, words, blank)
    strangers = train.strangers_of(some, blank, encoder, words)
    outcomes = train.leave_one_out(some, train.PRIOR, strangers, blank)
    total = sum((x.score for x in outcomes), LinkScore())
    assert total.f1("strict") >= strict
    assert total.f1("lax") >= lax
    scores, right = train.held_out(outcomes)
    rows = train.curve(scores, right)
    assert rows[0][1] > 0.98 > rows[-1][1]
    assert all(share == pytest.approx(mean, abs=0.02) for _, share, mean in rows)
    assert train.calibration_error(scores, right) < 0.03


def test_german_and_french(shared_data):
    path = shared_data / "textberg" / "textberg-dev.jsonl"
    row = json.loads(path.read_text(encoding="utf-8"))
    links = Hybrid("de-fr").align(row["src"], row["tgt"])
    score = score_links([SentenceLink(tuple(src), tuple(tgt)) for src, tgt in row["gold"]], links)
    assert score.f1("strict") >= 0.885
    assert score.f1("lax") >= 0.995
