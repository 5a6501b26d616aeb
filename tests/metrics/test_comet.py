"""COMET on a stand-in of its library, in this process and in an interpreter of its own."""

from __future__ import annotations

import importlib.metadata
import stat
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from bwb.annotations.assemble import assemble
from bwb.errors import InputError, MissingDependencyError, UsageError
from bwb.metrics import comet_worker
from bwb.metrics.bertscore import TruncationWarning
from bwb.metrics.comet import PYTHON, Comet
from bwb.metrics.sentence_mean import MetricError
from bwb.records import Side

# A stand-in with the library's interface: a sentence's score is made of numbers of words.
LIBRARY = """
class Tokenizer:
    sep_token = "</s>"

    def __call__(self, text):
        return {"input_ids": ["<s>", *text.split(), "</s>"]}


class Encoder:
    tokenizer, max_positions = Tokenizer(), 12


class Model:
    encoder, use_context = Encoder(), False

    def __init__(self, path):
        self.path, self.seen = path, []

    def requires_references(self):
        return "qe" not in self.path

    def enable_context(self):
        self.use_context = "xl" not in self.path

    def predict(self, samples, batch_size=16, gpus=1, progress_bar=True):
        assert gpus == 0 and not progress_bar
        print("libraries are talkative")
        self.seen += samples
        return {"scores": [len(s["mt"].split()) / 10 for s in samples], "system_score": 0}


LOADED = []


def load_from_checkpoint(path):
    LOADED.append(Model(path))
    return LOADED[-1]


def download_model(name):
    if "/" not in name:
        raise KeyError(f"Model '{name}' not supported by COMET.")
    return f"cache/{name}/checkpoints/model.ckpt"
"""


@pytest.fixture
def library(monkeypatch):
    monkeypatch.delenv(PYTHON, raising=False)
    module = ModuleType("comet")
    exec(LIBRARY, vars(module))
    monkeypatch.setitem(sys.modules, "comet", module)
    known = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda n: "2.2.7" if n == "unbabel-comet" else known(n)
    )
    return module.LOADED


def document(zh=("一", "二", "三"), en=("r one", "r two", "r three")):
    sides = [Side(lang, text) if text else None for lang, text in (("zh", zh), ("en", en))]
    return assemble("b/1", "b", "1", *sides)


def test_sentence_by_sentence(library):
    metric = Comet()
    score = metric.score("s", [metric.count(document(), ["m", "", "m m m"])])
    assert score.score == pytest.approx((0.1 + 0 + 0.3) / 3)
    assert library[0].seen[2] == {"src": "三", "mt": "m m m", "ref": "r three"}
    assert not library[0].use_context
    assert "model:Unbabel/wmt22-comet-da|context:0|batch:16|unbabel-comet:2.2.7" in str(
        score.signature
    )
    gaps = metric.count(document(("一", "", "三"), ("r", "r", " ")), ["m", "m", "m"])
    assert (gaps.counts["sentences"], gaps.counts["left_out"]) == (1, 2)


def test_context_is_of_the_reference_and_before_the_sentence(library):
    Comet(context=2).count(document(), ["a", "b", "c"])
    assert library[0].use_context
    first, second, third = library[0].seen
    assert first == {"src": "一", "mt": "a", "ref": "r one"}
    assert second == {"src": "一 </s> 二", "mt": "r one </s> b", "ref": "r one </s> r two"}
    assert third == {
        "src": "一 </s> 二 </s> 三",
        "mt": "r one </s> r two </s> c",
        "ref": "r one </s> r two </s> r three",
    }


def test_models_without_reference_get_the_systems_own_context(library):
    Comet(model="some/qe", context=1).count(document(), ["a", "b", ""])
    assert library[0].seen[1] == {"src": "一 </s> 二", "mt": "a </s> b"}


def test_context_that_does_not_fit_is_left_out_and_said(library):
    # The encoder reads 10 tokens, two of them its own.
    doc = document(("一", "二", "三"), ("a b", "c d e f", "g h i"))
    with pytest.warns(TruncationWarning, match="2 sentences of context are left out"):
        Comet(context=2).count(doc, ["m", "m", "n n n"])
    assert library[0].seen[2]["ref"] == "c d e f </s> g h i"
    with pytest.warns(TruncationWarning, match="1 sentences are cut"):
        Comet().count(document(("一",), ("r",)), ["m " * 9])


def test_a_model_that_takes_no_context_is_refused(library):
    with pytest.raises(InputError, match="takes no context"):
        Comet(model="some/xl", context=1).count(document(), ["a", "b", "c"])


def test_models_by_folder_and_by_name(library, tmp_path):
    with pytest.raises(InputError, match="no model 'wmt99' on disk"):
        Comet(model="wmt99").count(document(), ["a", "b", "c"])
    with pytest.raises(InputError, match=r"no checkpoints/model\.ckpt"):
        Comet(model=str(tmp_path)).count(document(), ["a", "b", "c"])
    checkpoint = tmp_path / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir()
    checkpoint.write_text("x")
    metric = Comet(model=str(tmp_path))
    metric.count(document(), ["a", "b", "c"])
    assert library[-1].path == str(checkpoint)
    assert metric.options()["model"].startswith(f"{tmp_path.name}@")


def test_what_is_lacking(library):
    assert Comet().lacks(document(None)) == "no Chinese source"
    assert Comet().lacks(document(en=None)) == "no English reference"
    assert Comet().lacks(document()) is None


def test_numbers_that_make_no_sense():
    for wrong in ({"context": -1}, {"batch": 0}, {"gpus": -1}):
        with pytest.raises(UsageError, match="expected"):
            Comet(**wrong)


def test_without_the_library_the_way_to_get_it_is_said(monkeypatch):
    monkeypatch.delenv(PYTHON, raising=False)
    monkeypatch.setitem(sys.modules, "comet", None)
    with pytest.raises(MissingDependencyError, match="-m venv comet && comet/bin/pip install"):
        Comet().count(document(), ["a", "b", "c"])


def interpreter(folder, *, library=LIBRARY):
    """A python that has the stand-in, as a virtual environment would."""
    packages = folder / "packages"
    packages.mkdir()
    if library:
        (packages / "comet.py").write_text(library)
        about = packages / "unbabel_comet-2.2.7.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: unbabel-comet\nVersion: 2.2.7\n"
        )
    path = folder / "python"
    # -I, the first argument, would hide the folder; -P keeps what matters of it.
    path.write_text(
        dedent(
            f"""\
            #!/bin/sh
            test "$1" = -I || exit 9
            shift
            PYTHONPATH={packages} exec {sys.executable} -P "$@"
            """
        )
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_an_interpreter_of_its_own_gives_the_same(library, tmp_path, monkeypatch):
    here = Comet(context=1).count(document(), ["a", "b b", "c"])
    python = interpreter(tmp_path)
    assert Comet(context=1, python=python).count(document(), ["a", "b b", "c"]) == here
    monkeypatch.setenv(PYTHON, str(python))
    metric = Comet(context=1)
    assert metric.count(document(), ["a", "b b", "c"]) == here
    assert metric.options()["unbabel-comet"] == "2.2.7"


def test_what_goes_wrong_there_is_told(tmp_path):
    bare = interpreter(tmp_path, library=None)
    with pytest.raises(MissingDependencyError, match=r"is not installed for .*python"):
        Comet(python=bare).count(document(), ["a", "b", "c"])
    assert Comet(python=bare).options()["unbabel-comet"] == "none"
    (tmp_path / "packages" / "comet.py").write_text("raise SystemExit('out of memory')\n")
    with pytest.raises(MetricError, match=r"did not answer \(exit code 1\): out of memory"):
        Comet(python=bare).count(document(), ["a", "b", "c"])
    with pytest.raises(InputError, match="No such file"):
        Comet(python=tmp_path / "none").count(document(), ["a", "b", "c"])
    good = tmp_path / "good"
    good.mkdir()
    with pytest.raises(InputError, match="no model 'wmt99'"):
        Comet(model="wmt99", python=interpreter(good)).count(document(), ["a", "b", "c"])


def test_the_worker_needs_nothing_of_ours():
    text = Path(comet_worker.__file__).read_text("utf-8")
    assert "import bwb" not in text
    assert "from bwb" not in text
